/**
 * Prepares the service's description for Swagger UI. The token, which is typed once, is removed from the parameters of each
 * operation, and the prefix of all paths becomes the server's address, so that paths are short. In the place of the token it
 * has `-`: the page sends the token in a header.
 */

/** The key of the values to choose from, where `enum` would make Swagger UI choose one. */
export const optionsKey = "x-options";

/** The label of an operation that is a change. */
export const changesData = "changes data";

/** Follows the description's text about the service. */
const aboutTrying = `
## Trying it here

The operator of this service issues tokens: \`addon-cli token issue --player Ada\` for a player, \`--public\` for operations
that are open to everyone. Enter yours at the top, once. It stays in this page's memory only, and is gone when the page is
closed or reloaded. It is sent in the header \`Authorization\`, so that no URL contains it.

**Changes are \`GET\` requests, too: trying one really changes the data of this service.**`;

/**
 * @param {object} description in OpenAPI 3.1
 * @param {string} address its URL
 * @returns the description to show (`spec`), without the text about the service, whose first paragraph is `introduction` and
 *   the rest `details`; the form of tokens (`tokenForm`); the paths of changes (`changing`); and the text of each path for
 *   the filter (`searched`)
 */
export function prepare(description, address) {
  const whole = (part) => resolve(part, description);
  const items = Object.entries(description.paths);
  const parameters = items.flatMap(([, { get }]) => get.parameters).map(whole);
  const secret = parameters.find((parameter) => parameter["x-secret"]);
  const [head] = items[0][0].split(`{${secret.name}}`);
  const start = `${head}{${secret.name}}`.length;
  const operations = items.map(([path, { get }]) => [path.slice(start), toTry(get, whole)]);
  const { info, tags } = description;
  const [introduction, ...details] = info.description.split("\n\n");
  return {
    spec: {
      ...description,
      info: { ...info, description: "" },
      servers: [{ url: new URL(`${head}-`, address).href }],
      // Otherwise Swagger UI would ask for the token at each operation.
      security: [],
      paths: Object.fromEntries(operations.map(([path, get]) => [path, { get }])),
    },
    introduction,
    details: [...details, aboutTrying].join("\n\n"),
    tokenForm: new RegExp(secret.schema.pattern ?? ""),
    changing: new Set(operations.filter(([, get]) => isChange(get)).map(([path]) => path)),
    // Without what is added to be filled in: an example is no topic of an operation.
    searched: new Map(
      items.map(([path, { get }]) => [path.slice(start), textOf(path.slice(start), get, tags, whole)]),
    ),
  };
}

/** Returns the words of a text, in lower case: letters and digits. `bank-robbery` is two. */
export function toWords(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Returns the words of an operation for the filter: of its text, its parameters and the fields of its answer, without the
 * token and headers, which nearly all operations have in common.
 */
function textOf(path, operation, tags, whole) {
  const { tags: names, summary, description, parameters, responses } = operation;
  const resources = tags.filter(({ name }) => names.includes(name));
  const fields = parameters.map(whole).filter((each) => each.in !== "header" && !each["x-secret"]);
  const texts = [
    path,
    ...resources.flatMap((each) => [each.name, each.description]),
    summary,
    description,
    isChange(operation) ? changesData : "",
    ...fields.flatMap((each) => [each.name, each.description, ...(each.schema.enum ?? [])]),
    ...Object.values(responses["200"].content).flatMap(({ schema }) => namesIn(schema, whole)),
  ];
  return toWords(texts.join("\n")).join(" ");
}

/** Returns the names of the fields of an answer or of a list's entries. Those of other answers within it are their topics. */
function namesIn(schema, whole) {
  const { properties = {}, items } = whole(schema);
  if (items !== undefined) return namesIn(items, whole);
  const own = Object.values(properties).filter(
    ({ $ref, items: list }) => $ref === undefined && list === undefined,
  );
  return [...Object.keys(properties), ...own.flatMap((each) => namesIn(each, whole))];
}

function isChange(operation) {
  return operation["x-effect"] === "change";
}

/** Returns the component of a reference; returns anything else as it is. */
function resolve(part, description) {
  if (part.$ref === undefined) return part;
  const [, ...keys] = part.$ref.split("/");
  return keys.reduce((each, key) => each[key], description);
}

/** Returns an operation without the token, and without an idempotency key where it would change nothing. */
function toTry(operation, whole) {
  const isOffered = ({ name, ...parameter }) =>
    !parameter["x-secret"] && !(operation["x-repeatable"] && name === "Idempotency-Key");
  const parameters = operation.parameters.map(whole).filter(isOffered);
  const responses = Object.entries(operation.responses);
  return {
    ...operation,
    parameters: parameters.map(isChange(operation) ? toFill : toOffer),
    responses: Object.fromEntries(responses.map(([status, each]) => [status, toShow(status, whole(each))])),
  };
}

/**
 * Returns a parameter of a read, whose example Swagger UI fills in. Headers get none: they are of one request. Swagger UI
 * checks patterns without the flag `u`, and would refuse every name; the service checks them anyway.
 */
function toOffer(parameter) {
  const { example, ...rest } = parameter;
  const { pattern: _pattern, ...schema } = parameter.schema;
  return { ...rest, schema, ...(parameter.in === "header" ? {} : { example }) };
}

/**
 * Returns a parameter of a change, whose field must be empty: two clicks must not change data. Swagger UI would fill in the
 * example, or the first of several values, so both are moved to where it does not find them.
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

/** Returns an answer without headers and the form of failures, which the text above the operations describes once. */
function toShow(status, { description, content }) {
  return Number(status) < 400 ? { description, content } : { description };
}
