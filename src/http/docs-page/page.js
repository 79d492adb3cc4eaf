/**
 * The script of the page. It passes the description to Swagger UI without the token, and adds the token to a request only
 * when it is sent: Swagger UI neither shows nor stores it.
 */
import { prepare } from "./description.js";
import { docsPlugin } from "./plugin.js";

const field = document.querySelector("#token");
const remark = document.querySelector("#remark");
const announcement = document.querySelector("#announcement");
const place = document.querySelector("#interface");
const address = document.querySelector('link[rel="service-desc"]').href;

followColours();
try {
  show(prepare(await load(), address));
} catch (error) {
  const text = document.createElement("p");
  text.className = "notice";
  text.textContent = `The description at ${address} cannot be shown: ${error.message}.`;
  place.replaceChildren(text);
}

async function load() {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  return response.json();
}

/** Shows a description that {@link prepare} returned. */
function show(prepared) {
  const { spec, tokenForm } = prepared;
  document.title = spec.info.title;
  field.addEventListener("input", () => showRemark(faultOfToken()));
  showRemark(faultOfToken());
  window.SwaggerUIBundle({
    spec,
    domNode: place,
    plugins: [docsPlugin(prepared, hasToken)],
    layout: "DocsLayout",
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    filter: true,
    // In the default theme, numbers have a contrast of only 3.5.
    syntaxHighlight: { theme: "obsidian" },
    requestInterceptor: (request) => Object.assign(request, { userFetch: send }),
    // By default, the description is sent to a validator on the Internet.
    validatorUrl: null,
  });

  /** Whether there is a token. If not, asks the reader for it. */
  function hasToken() {
    if (field.value.trim() !== "") return true;
    showRemark("Enter your token here first.");
    // The bar with the field is always in view; scrolling to it would leave the operation.
    field.focus({ preventScroll: true });
    return false;
  }

  /** Sends a request with the token to the service. */
  async function send(url, options) {
    // This leaves a token as it is; of anything else it makes a header that can be sent, and that the service refuses.
    const token = encodeURIComponent(field.value.trim());
    const headers = { ...options.headers, Authorization: `Bearer ${token}` };
    const response = await fetch(url, { ...options, headers }).catch(notAnswered);
    showRemark(response.status === 401 ? "The service refused this token." : faultOfToken());
    if (response.headers.get("content-type") === "text/event-stream") return beginningOf(response);
    announcement.textContent = `The answer has the status ${response.status}.`;
    return response;
  }

  /** Returns what a stream sends within two seconds: it would not end by itself. */
  async function beginningOf(stream) {
    announcement.textContent = "The stream has begun. What it sends within 2 seconds will be shown.";
    const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
    setTimeout(() => reader.cancel(), 2000);
    let text = "";
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
    const { status, headers, url } = stream;
    return Object.defineProperty(new Response(text, { status, headers }), "url", { value: url });
  }

  /** Says what Swagger UI would blame on CORS, which cannot be the reason. Without a name, the message stands alone. */
  function notAnswered() {
    announcement.textContent = "There is no answer.";
    const message = "The service did not answer. It is stopped, or the network is interrupted.";
    throw Object.assign(new Error(message), { name: "" });
  }

  /** Returns what is wrong with the form of the token. */
  function faultOfToken() {
    const token = field.value.trim();
    const isRight = token === "" || (tokenForm.test(token) && token !== "-");
    return isRight ? undefined : "This does not look like a token.";
  }
}

/** Shows a message beside the token's field. */
function showRemark(fault) {
  remark.textContent = fault ?? "It stays in this page's memory only.";
  field.setAttribute("aria-invalid", String(fault !== undefined));
}

/** Switches Swagger UI to the colours of the system, as the page's style sheet does. */
function followColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}
