/**
 * The page's own script. It hands the description to Swagger UI with the token taken out of it, and puts the token
 * into a request only as it leaves: what Swagger UI shows and keeps has a placeholder in its place.
 */
import { prepare } from "./description.js";
import { docsPlugin } from "./plugin.js";

const field = document.querySelector("#token");
const remark = document.querySelector("#remark");
const place = document.querySelector("#interface");
const address = document.querySelector('link[rel="service-desc"]').href;

followColours();
try {
  show(prepare(await load(), address));
} catch (error) {
  const text = document.createElement("p");
  text.className = "notice";
  text.textContent = `The description at ${address} can not be shown: ${error.message}.`;
  place.replaceChildren(text);
}

async function load() {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`it is answered with ${response.status}`);
  return response.json();
}

/** Shows what {@link prepare} has made. */
function show(prepared) {
  const { spec, before, base, tokenForm } = prepared;
  document.title = spec.info.title;
  field.addEventListener("input", () => tell(whatIsOdd()));
  tell(whatIsOdd());
  window.SwaggerUIBundle({
    spec,
    domNode: place,
    plugins: [docsPlugin(prepared, hasToken)],
    layout: "DocsLayout",
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    filter: true,
    // Its default theme has numbers with a contrast of 3.5.
    syntaxHighlight: { theme: "obsidian" },
    requestInterceptor: (request) => Object.assign(request, { userFetch: send }),
    // Otherwise its makers' server is asked whether the description is valid.
    validatorUrl: null,
  });

  /** Whether there is a token. If not, the reader is asked for it. */
  function hasToken() {
    if (field.value.trim() !== "") return true;
    tell("Type your token in here first.");
    field.focus();
    return false;
  }

  /** Sends a request to the service, with the token. What comes back to Swagger UI is without. */
  async function send(shown, options) {
    const token = encodeURIComponent(field.value.trim());
    const response = await fetch(before + token + shown.slice(base.length), options);
    tell(response.status === 401 ? "The service refused this token." : whatIsOdd());
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

/** Swagger UI's colours follow the system's, as those of the page do. */
function followColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}
