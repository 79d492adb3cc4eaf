/**
 * Makes the service's description ready to be shown and tried. The token, which is typed once, is no parameter of an
 * operation any more; and what all paths begin with is the address of the server, so that they are short.
 */

/** Stands where the token belongs, in all that is shown. */
const placeholder = "TOKEN";

/** Follows what the description says of the service. */
const aboutTrying = `
## Trying it here

Whoever runs this service issues tokens: \`addon-cli token issue --player Ada\` for a player, \`--public\` for what is open
to everyone. Type yours in at the top, once. It is kept in this page's memory and nowhere else, and is gone when the page
is closed or loaded again. \`${placeholder}\` stands in its place in what is shown.

**Changes are called by \`GET\`, too: trying one really changes the data of this service.**`;

/**
 * @param {object} description in OpenAPI 3.1
 * @param {string} address where it comes from
 * @returns the description to show (`spec`); the address in front of the token (`before`), and the one in front of all
 *   paths that are shown (`base`); what a token looks like (`tokenForm`); the paths of what changes data (`changing`)
 */
export function prepare(description, address) {
  const whole = (part) => resolve(part, description);
  const items = Object.entries(description.paths);
  const parameters = items.flatMap(([, { get }]) => get.parameters).map(whole);
  const secret = parameters.find((parameter) => parameter["x-secret"]);
  const [head] = items[0][0].split(`{${secret.name}}`);
  const start = `${head}{${secret.name}}`.length;
  const operations = items.map(([path, { get }]) => [path.slice(start), toTry(get, whole)]);
  const before = new URL(head, address).href;
  const base = before + placeholder;
  const { info } = description;
  return {
    spec: {
      ...description,
      info: { ...info, description: info.description + aboutTrying },
      servers: [{ url: base }],
      paths: Object.fromEntries(operations.map(([path, get]) => [path, { get }])),
    },
    before,
    base,
    tokenForm: new RegExp(secret.schema.pattern ?? ""),
    changing: new Set(operations.filter(([, get]) => get["x-effect"] === "change").map(([path]) => path)),
  };
}

/** What a reference stands for; anything else is itself. */
function resolve(part, description) {
  if (part.$ref === undefined) return part;
  const [, ...keys] = part.$ref.split("/");
  return keys.reduce((each, key) => each[key], description);
}

/** An operation without the token. */
function toTry(operation, whole) {
  const parameters = operation.parameters.map(whole).filter((each) => !each["x-secret"]);
  const responses = Object.entries(operation.responses);
  return {
    ...operation,
    parameters: parameters.map(toFill),
    responses: Object.fromEntries(responses.map(([status, each]) => [status, toShow(status, whole(each))])),
  };
}

/**
 * A parameter as Swagger UI is to offer it: it fills examples in. An idempotency key that is the same in every try would
 * have the second answered like the first.
 */
function toFill(parameter) {
  if (parameter.in !== "header") return parameter;
  const { example: _example, ...rest } = parameter;
  return rest;
}

/** An answer as it is shown: the headers, and the one shape of all failures, are told once, above the operations. */
function toShow(status, { description, content }) {
  return Number(status) < 400 ? { description, content } : { description };
}
