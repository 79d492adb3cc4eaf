/** The plugin that adapts Swagger UI to this service: its layout, its filter, its fields, and its curl command. */
import { changesData, optionsKey, toWords } from "./description.js";

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

    function Filter({ layoutSelectors, layoutActions, specSelectors }) {
      const phrase = layoutSelectors.currentFilter();
      const isNarrowed = typeof phrase === "string" && phrase.trim() !== "";
      const count = specSelectors
        .taggedOperations()
        .reduce((sum, tag) => sum + tag.get("operations").size, 0);
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
        createElement("span", { role: "status" }, isNarrowed ? toMatches(count) : ""),
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

    /** Of no operations, Swagger UI would say that the description has none. */
    const operationsOrNone = (Operations) => (props) =>
      props.specSelectors.taggedOperations().size > 0 && createElement(Operations, props);

    const mark = (path, text) =>
      changing.has(path) && createElement("strong", { className: "changes" }, text);

    const markedPath = (Path) => (props) => {
      const path = props.operationProps.get("path");
      return createElement(Fragment, null, createElement(Path, props), mark(path, changesData));
    };

    /**
     * Removes the answer of the call before, and stops the click before it reaches the button if there is no token. A call
     * under way does not disable the button, which would lose the focus.
     */
    const guardedExecute = (Execute) => (props) => {
      const { disabled: isUnderWay, specActions, path, method } = props;
      const guard = (event) => {
        if (!isUnderWay) specActions.clearResponse(path, method);
        if (isUnderWay || !hasToken()) event.stopPropagation();
      };
      return createElement(
        "div",
        { className: "guard", onClickCapture: guard },
        mark(path, "This really changes the data of the service."),
        createElement(Execute, { ...props, disabled: false }),
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
      useLayoutEffect(() => {
        place.current.querySelector(".live-responses-table thead").scrollIntoView({ block: "center" });
      }, []);
      return createElement("div", { ref: place }, createElement(LiveResponse, props));
    };

    /** A button that copies what an element contains, and says so: each time, also to a screen reader. */
    function Copy({ find }) {
      const [copied, setCopied] = useState("");
      const copy = () => {
        getSelection().selectAllChildren(find());
        // `navigator.clipboard` exists only on HTTPS and on the loopback address.
        const isCopied = document.execCommand("copy");
        setCopied("");
        setTimeout(setCopied, 100, isCopied ? "Copied." : "It is selected: copy it with the keyboard.");
      };
      return createElement(
        "div",
        { className: "copy" },
        createElement("button", { type: "button", className: "btn", onClick: copy }, "Copy"),
        createElement("span", { role: "status" }, copied),
      );
    }

    /** The curl command, in which the shell takes the token from a variable. */
    function Curl({ request }) {
      const command = useRef(null);
      return createElement(
        "div",
        { className: "curl-command" },
        createElement("h4", null, "curl"),
        createElement("pre", { className: "curl microlight", ref: command }, toCurl(request)),
        createElement(Copy, { find: () => command.current }),
        createElement(
          "p",
          null,
          "It takes your token from a variable. Enter that first, in bash or zsh: ",
          createElement("code", null, "read -rs GAMEADDON_TOKEN"),
        ),
      );
    }

    /** A body, with a button to copy it that says so. */
    const copyable = (HighlightCode) => (props) => {
      const place = useRef(null);
      return createElement(
        "div",
        { ref: place },
        createElement(HighlightCode, { ...props, canCopy: false }),
        props.canCopy && createElement(Copy, { find: () => place.current.querySelector(".microlight") }),
      );
    };

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
        HighlightCode: copyable,
      },
      fn: { opsFilter },
      // Swagger UI's own scrolling ignores the bar at the top.
      statePlugins: {
        layout: { wrapActions: { scrollToElement: () => (element) => element.scrollIntoView() } },
      },
    };
  };
}

function toMatches(count) {
  if (count === 0) return "No operation matches.";
  return count === 1 ? "1 operation" : `${count} operations`;
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
