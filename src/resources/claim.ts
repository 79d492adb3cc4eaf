/** The exchange of an invitation's code for a token, as the description of the interface has it. */
import * as v from "valibot";
import { uuid } from "../domain/uuid.ts";
import { versionForm, versionWords } from "../identity/versions.ts";
import type { Operation } from "../table/operation.ts";
import { changeFailures } from "./common/define.ts";
import { anyUUID, component, derived, field } from "./common/values.ts";

const description = `a version: ${versionWords}`;

export const claimForm = {
  effect: "change",
  description:
    "Whoever has a code can call this: it takes the place of the token, in the path or in the header. The answer may get lost: until the token is used for the first time, another call gives another one, and revokes the one before.",
  input: v.object({
    addonVersion: derived(
      field(
        v.pipe(
          v.string(),
          v.check((text) => text === "" || versionForm.test(text), `expected ${description}`),
        ),
        "The version of the addon; by default that of the `User-Agent`, which a web page cannot set.",
        "2.5.1",
      ),
      { base: "text", name: "version", description, minLength: 0, maxLength: 39 },
      "",
    ),
  }),
  answer: component("ClaimedToken", "A new token of the player who was invited.", {
    token: field(v.string(), "The token: a secret, which is never shown again. Store it."),
    name: field(v.string(), "The player's name.", "Ada"),
    uuid: field(uuid, "The player's game UUID.", anyUUID),
  }),
  failures: {
    TOKEN_UNKNOWN: "Here: the code of the invitation is unknown; a token is not accepted.",
    TOKEN_REVOKED: "Here: an operator has revoked the invitation, or its token has been used.",
    ...changeFailures,
  },
} satisfies Omit<Operation, "run">;
