/**
 * Prepares the service's description for reading and trying. The token, which is typed once, is no longer a parameter
 * of each operation, and the part that all paths begin with becomes the server's address, so that paths are short.
 */

/** Where a parameter's schema has the values to choose from, beside `enum`. */
export const optionsKey = "x-options";

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
 * @returns the description to show (`spec`), without the text about the service, which is split into its first paragraph
 *   (`introduction`) and the rest (`details`); the address in front of the token (`before`), and the one in front of all
 *   paths that are shown (`base`); what a token looks like (`tokenForm`); the paths of what changes data (`changing`);
 *   and by path, what the filter searches (`searched`)
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
  const { info, tags } = description;
  const [introduction, ...details] = info.description.split("\n\n");
  return {
    spec: {
      ...description,
      info: { ...info, description: "" },
      servers: [{ url: base }],
      paths: Object.fromEntries(operations.map(([path, get]) => [path, { get }])),
    },
    introduction,
    details: [...details, aboutTrying].join("\n\n"),
    before,
    base,
    tokenForm: new RegExp(secret.schema.pattern ?? ""),
    changing: new Set(operations.filter(([, get]) => isChange(get)).map(([path]) => path)),
    searched: new Map(operations.map(([path, get]) => [path, toWords(textOf(path, get, tags)).join(" ")])),
  };
}

/** The words of a text, in lower case: letters and digits. `bank-robbery` is two. */
export function toWords(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** All that a reader may search an operation by. Headers are left out: nearly all operations have the same ones. */
function textOf(path, { tags: names, summary, description, parameters }, tags) {
  const resources = tags.filter(({ name }) => names.includes(name));
  const fields = parameters.filter((each) => each.in !== "header");
  return [
    path,
    ...resources.flatMap((each) => [each.name, each.description]),
    summary,
    description,
    ...fields.flatMap((each) => [each.name, each.description, ...(each.schema.enum ?? [])]),
  ].join("\n");
}

function isChange(operation) {
  return operation["x-effect"] === "change";
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
    parameters: parameters.map(isChange(operation) ? toFill : toOffer),
    responses: Object.fromEntries(responses.map(([status, each]) => [status, toShow(status, whole(each))])),
  };
}

/**
 * A parameter of a read, with its example filled in, which no header may have: each names one request. Swagger UI checks
 * patterns without the flag `u`, and would refuse every name; the service checks them anyway.
 */
function toOffer(parameter) {
  const { example, ...rest } = parameter;
  const { pattern: _pattern, ...schema } = parameter.schema;
  return { ...rest, schema, ...(parameter.in === "header" ? {} : { example }) };
}

/**
 * A parameter of a change, whose field is to be empty: two clicks must not change data. Swagger UI would fill in the
 * example and the first of several values, so both are moved to where it does not look.
 */
function toFill(parameter) {
  const { example, ...offered } = toOffer(parameter);
  const { enum: options, ...schema } = offered.schema;
  const values = options ?? (example === undefined ? [] : [example]);
  const listed = values.map((each) => `\`${each}\``).join(", ");
  const words = options === undefined ? `Example: ${listed}` : `One of ${listed}.`;
  return {
    ...offered,
    description: values.length === 0 ? parameter.description : `${parameter.description} ${words}`,
    schema: options === undefined ? schema : { ...schema, [optionsKey]: options },
  };
}

/** An answer as it is shown: the headers, and the one shape of all failures, are told once, above the operations. */
function toShow(status, { description, content }) {
  return Number(status) < 400 ? { description, content } : { description };
}
