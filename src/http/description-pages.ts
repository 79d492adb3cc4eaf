/** The description of the interface as JSON and YAML, at paths that contain no token. */
import { DerivedCache } from "../domain/derived-cache.ts";
import { ReadyBody } from "../engine/body.ts";
import { readAnswer } from "../engine/response.ts";
import { describeTable, toYAML } from "../openapi/openapi.ts";
import type { SizeOf } from "../openapi/operation.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { Table } from "../table/table.ts";
import { type Page, withSlash } from "./page.ts";

/** The forms of the description, by the last segments of their paths. */
const forms = {
  "openapi.json": { type: "application/json; charset=utf-8", write: JSON.stringify },
  "openapi.yaml": { type: "application/yaml", write: toYAML },
} as const;

/** See {@link forms}. */
export type DescriptionForm = keyof typeof forms;

/** Returns the path of a form. @param prefix of the route table */
export function descriptionPath(prefix: string, form: DescriptionForm): string {
  return `${prefix.split("{", 1)[0]}${form}`;
}

/** Returns the pages, by path. A body is written when it is first requested, and again after names have changed, or the size of a list that is too long. */
export function descriptionPages(
  table: Table,
  vocabulary: () => Vocabulary,
  sizeOf: SizeOf,
): [string, Page][] {
  const { lists } = table.declared;
  return Object.entries(forms).flatMap(([form, { type, write }]): [string, Page][] => {
    const bodies = new DerivedCache<Promise<ReadyBody>>(1);
    const bodyOf = async (names: Vocabulary) => {
      const text = await write(describeTable(table, names, sizeOf));
      return new ReadyBody(Buffer.from(text), { cached: true });
    };
    const answer: Page["answer"] = async (request, requestId) => {
      const names = vocabulary();
      const full = lists.map(({ name, maxEntries }) => Math.max(maxEntries, sizeOf(name))).join();
      const body = await bodies.get(form, [names, full], () => bodyOf(names));
      return readAnswer(body, request, requestId, ["Content-Type", type]);
    };
    return withSlash(descriptionPath(table.prefix, form as DescriptionForm), { name: form, answer });
  });
}
