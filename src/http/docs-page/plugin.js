/** The plugin that adapts Swagger UI to this service: its layout, its filter, its fields, and its curl command. */
import { optionsKey, toWords } from "./description.js";

/**
 * @param {object} prepared what `prepare` returns
 * @param {() => boolean} hasToken returns whether there is a token, and asks the reader for one if not
 */
export function docsPlugin({ introduction, details, changing, searched }, hasToken) {
  return ({ React }) => {
    const { createElement, Fragment, useLayoutEffect, useRef, useState } = React;

    /** The page. The text about the service is folded, so that the first operation is in view. */
    function DocsLayout({ getComponent, specSelectors }) {
      const Markdown = getComponent("Markdown", true);
      const info = specSelectors.info();
      return createElement(
        "div",
        { className: "swagger-ui" },
        createElement(
          "div",
          { className: "wrapper about" },
          createElement("h1", null, info.get("title"), createElement("small", null, info.get("version"))),
          createElement(Markdown, { source: introduction }),
          createElement(
            "details",
            null,
            createElement("summary", null, "Tokens, requests, answers and failures"),
            createElement(Markdown, { source: details }),
          ),
        ),
        createElement(getComponent("FilterContainer", true)),
        createElement("div", { className: "wrapper" }, createElement(getComponent("operations", true))),
        createElement("div", { className: "wrapper" }, createElement(getComponent("Models", true))),
      );
    }

    function Filter({ layoutSelectors, layoutActions }) {
      const phrase = layoutSelectors.currentFilter();
      return createElement(
        "div",
        { className: "wrapper filter" },
        createElement("h2", null, "Operations"),
        createElement("input", {
          type: "search",
          "aria-label": "Filter",
          placeholder: "Filter: score, bank robbery, …",
          value: typeof phrase === "string" ? phrase : "",
          onChange: ({ target }) => layoutActions.updateFilter(target.value),
        }),
      );
    }

    /**
     * Returns the operations whose text has every word of a phrase, or a word that contains it. A phrase that begins with
     * a slash is a part of a path.
     */
    function opsFilter(tagged, phrase) {
      const words = toWords(phrase);
      const part = phrase.trim().toLowerCase();
      const matches = (operation) => {
        const path = operation.get("path");
        if (part.startsWith("/")) return path.toLowerCase().includes(part);
        return words.every((word) => searched.get(path).includes(word));
      };
      const narrowed = tagged.map((tag) =>
        tag.update("operations", (operations) => operations.filter(matches)),
      );
      return narrowed.filter((tag) => tag.get("operations").size > 0);
    }

    const operationsOrNone = (Operations) => (props) =>
      props.specSelectors.taggedOperations().size > 0
        ? createElement(Operations, props)
        : createElement("p", { role: "status", className: "no-match" }, "No operation matches.");

    const mark = (path, text) =>
      changing.has(path) && createElement("strong", { className: "changes" }, text);

    const markedPath = (Path) => (props) => {
      const path = props.operationProps.get("path");
      return createElement(Fragment, null, createElement(Path, props), mark(path, "changes data"));
    };

    /** Stops a click before it reaches the button if there is no token. */
    const guardedExecute = (Execute) => (props) => {
      const guard = (event) => hasToken() || event.stopPropagation();
      return createElement(
        "div",
        { className: "guard", onClickCapture: guard },
        mark(props.path, "This really changes the data of the service."),
        createElement(Execute, props),
      );
    };

    /** The field of a parameter, labelled with its name. A choice begins with no value: see `toFill`. */
    function Field({ schema, value, errors, disabled, description, onChange }) {
      const listed = schema.get("enum") ?? schema.get(optionsKey);
      const options = listed ?? (schema.get("type") === "boolean" ? ["true", "false"] : undefined);
      const props = {
        "aria-label": description,
        "aria-invalid": errors !== undefined && errors.size > 0,
        disabled,
      };
      const change = ({ target }) => onChange(target.value);
      if (options === undefined) {
        // On blur: each change renders the whole list again, which takes 40 ms and more.
        const text = { type: "text", placeholder: description, defaultValue: value ?? "", onBlur: change };
        return createElement("input", { ...props, ...text, key: value });
      }
      const choices = ["", ...options].map((each) =>
        createElement("option", { key: each, value: each }, each === "" ? "--" : each),
      );
      return createElement("select", { ...props, value: value ?? "", onChange: change }, choices);
    }

    /** Puts JSON into a box that scrolls, and that the keyboard reaches. */
    const scrollable = (Highlighter) => (props) =>
      createElement(
        "div",
        { className: "scrollable", tabIndex: 0, role: "group", "aria-label": "JSON" },
        createElement(Highlighter, props),
      );

    /** Brings each new answer into view, which is below the command and often below the fold. */
    const inView = (LiveResponse) => (props) => {
      const place = useRef(null);
      // The response itself is another object each time that the list is rendered.
      const request = props.response.getIn(["headers", "x-request-id"]);
      useLayoutEffect(() => {
        const heading = place.current.querySelector(".live-responses-table thead");
        heading?.scrollIntoView({ block: "center" });
      }, [request]);
      return createElement("div", { ref: place }, createElement(LiveResponse, props));
    };

    /** The curl command, in which the shell takes the token from a variable. */
    function Curl({ request }) {
      const command = useRef(null);
      const [copied, setCopied] = useState("");
      const copy = () => {
        getSelection().selectAllChildren(command.current);
        // `navigator.clipboard` exists only on HTTPS and on the loopback address.
        setCopied(document.execCommand("copy") ? "Copied." : "It is selected: copy it with the keyboard.");
      };
      return createElement(
        "div",
        { className: "curl-command" },
        createElement("h4", null, "curl"),
        createElement("pre", { className: "curl microlight", ref: command }, toCurl(request)),
        createElement("button", { type: "button", className: "btn", onClick: copy }, "Copy"),
        createElement("span", { role: "status" }, copied),
        createElement(
          "p",
          null,
          "It takes your token from a variable. Enter that first: ",
          createElement("code", null, "read -rs GAMEADDON_TOKEN"),
        ),
      );
    }

    return {
      components: {
        DocsLayout,
        FilterContainer: Filter,
        JsonSchemaForm: Field,
        curl: Curl,
        // An operation is one button. A link within it, and an invisible button after it, would be further focus stops.
        DeepLink: ({ text }) => createElement("span", null, text),
        CopyToClipboardBtn: () => null,
      },
      wrapComponents: {
        operations: operationsOrNone,
        OperationSummaryPath: markedPath,
        execute: guardedExecute,
        liveResponse: inView,
        SyntaxHighlighter: scrollable,
      },
      fn: { opsFilter },
      // Swagger UI's own scrolling ignores the bar at the top.
      statePlugins: {
        layout: { wrapActions: { scrollToElement: () => (element) => element.scrollIntoView() } },
      },
    };
  };
}

/**
 * Returns a request as a command for a POSIX shell. Everybody on a machine can see the arguments of a program, so that curl
 * reads the token from its input.
 * @param request an Immutable map
 */
function toCurl(request) {
  const headers = Array.from(request.get("headers") ?? []).filter(
    ([name]) => name.toLowerCase() !== "accept",
  );
  return [
    `echo "Authorization: Bearer $GAMEADDON_TOKEN" | curl -H @- ${quote(request.get("url"))}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
  ].join(" \\\n  ");
}

/** Returns a text in single quotes for a POSIX shell. */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
