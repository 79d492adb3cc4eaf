/**
 * The page's own script. It hands the description to Swagger UI with the token taken out of it, and puts the token
 * into a request only as it leaves: what Swagger UI shows and keeps has a placeholder in its place.
 */
import { prepare } from "./description.js";

const field = document.querySelector("#token");
const remark = document.querySelector("#remark");
const place = document.querySelector("#interface");
const address = document.querySelector('link[rel="service-desc"]').href;

followColours();
try {
  show(prepare(await load(), address));
} catch (error) {
  const text = document.createElement("p");
  text.textContent = `The description at ${address} can not be shown: ${error.message}.`;
  place.replaceChildren(text);
}

async function load() {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`it is answered with ${response.status}`);
  return response.json();
}

/** Shows what {@link prepare} has made. */
function show({ spec, before, base, tokenForm, changing }) {
  document.title = spec.info.title;
  field.addEventListener("input", () => tell(whatIsOdd()));
  tell(whatIsOdd());
  window.SwaggerUIBundle({
    spec,
    domNode: place,
    plugins: [marks(changing)],
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    filter: true,
    requestInterceptor: (request) => Object.assign(request, { userFetch: send }),
    // Otherwise its makers' server is asked whether the description is valid.
    validatorUrl: null,
  });

  /** Sends a request to the service, with the token. What comes back to Swagger UI is without. */
  async function send(shown, options) {
    const token = field.value.trim();
    if (token === "") {
      tell("Type it in here first.");
      throw new Error("This needs your token: type it in at the top of the page.");
    }
    const response = await fetch(before + encodeURIComponent(token) + shown.slice(base.length), options);
    return Object.defineProperty(response, "url", { value: shown });
  }

  /** What can be said against the token without asking the service. */
  function whatIsOdd() {
    const token = field.value.trim();
    return token === "" || tokenForm.test(token) ? undefined : "This does not look like a token.";
  }
}

/** Says beside the token's field what is wrong with it. */
function tell(odd) {
  remark.textContent = odd ?? "It is kept in this page's memory only.";
  field.setAttribute("aria-invalid", String(odd !== undefined));
}

/** A plugin for Swagger UI: operations that change data say so, in the list and where they are tried. */
function marks(changing) {
  return ({ React: { createElement, Fragment } }) => {
    const mark = (path, text) =>
      changing.has(path) && createElement("strong", { className: "changes" }, text);
    const inList = (Path) => (props) => {
      const path = props.operationProps.get("path");
      return createElement(Fragment, null, createElement(Path, props), mark(path, "changes data"));
    };
    const whereTried = (Execute) => (props) => {
      const warning = mark(props.path, "This really changes the data of the service.");
      return createElement(Fragment, null, warning, createElement(Execute, props));
    };
    // Its own way to scroll to what a link names knows nothing of the bar at the top.
    const scrollToElement = () => (element) => element.scrollIntoView();
    return {
      wrapComponents: { OperationSummaryPath: inList, execute: whereTried },
      statePlugins: { layout: { wrapActions: { scrollToElement } } },
    };
  };
}

/** Swagger UI's colours follow the system's, as those of the page do. */
function followColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}
