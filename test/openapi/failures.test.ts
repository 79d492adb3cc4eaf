/** The failures that a description lists for an operation: those that can occur, each with its status. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OpenApiDocument } from "../../src/openapi/openapi.ts";
import { add, describedAs, list, operationAt, withOperation } from "./_openapi.ts";

describe("the failures of an operation are", () => {
  const codesOf = (document: OpenApiDocument, path: string): Readonly<Record<string, readonly string[]>> => {
    const codes = Object.entries(operationAt(document, path).responses).map(([status, listed]) => {
      const name = "$ref" in listed ? (listed.$ref.split("/").at(-1) ?? "") : "";
      const response = "$ref" in listed ? document.components.responses[name] : listed;
      const found = /"code":\{"type":"string","enum":\[([^\]]*)\]/.exec(
        JSON.stringify(response?.content) ?? "",
      );
      return [
        status,
        (found?.[1] ?? "")
          .split(",")
          .filter((word) => word !== "")
          .map((word) => word.slice(1, -1)),
      ] as const;
    });
    return Object.fromEntries(codes.filter(([, conditions]) => conditions.length > 0));
  };
  const always = {
    401: ["TOKEN_UNKNOWN", "TOKEN_EXPIRED", "TOKEN_REVOKED"],
    408: ["REQUEST_TIMEOUT"],
    429: ["RATE_LIMITED"],
    431: ["REQUEST_TOO_LARGE"],
    500: ["INTERNAL"],
    503: ["SHUTTING_DOWN"],
  };
  const general = ["REQUEST_MALFORMED", "PARAMETER_INVALID", "PARAMETER_UNKNOWN"];

  it("those that follow from its route, and no others", () => {
    const document = describedAs(
      `${list + add}  /open: { summary: O., restriction: open, handler: house.open }\n`,
    );
    assert.deepEqual(codesOf(document, "/open"), { ...always, 400: general, 403: ["EXCLUDED"] });
    assert.deepEqual(codesOf(document, "/books"), {
      ...always,
      400: [...general, "PARAMETER_REPEATED"],
      403: ["EXCLUDED"],
    });
    assert.deepEqual(codesOf(document, "/books/{branch}/add"), {
      ...always,
      400: [
        "REQUEST_MALFORMED",
        "PARAMETER_MISSING",
        "PARAMETER_INVALID",
        "PARAMETER_UNKNOWN",
        "PARAMETER_REPEATED",
      ],
      403: ["EXCLUDED", "READ_ONLY", "RESTRICTED"],
      404: ["UNKNOWN_FACTION"],
      425: ["SPECULATIVE"],
    });
  });

  it("without RATE_LIMITED only if no limit applies", () => {
    const isListed = (routes: string) =>
      operationAt(describedAs(routes), "/books").responses[429] !== undefined;
    const unlimited = list.replace("restriction: open,", "restriction: open, limit: off,");
    const limited = list.replace("restriction: open,", "restriction: open, limit: { rate: 1/s, burst: 1 },");
    assert.ok(isListed(list));
    assert.ok(isListed(`${list}limits: { reads: off }\n`));
    assert.ok(isListed(`${list}limits: { unknown: off }\n`));
    assert.ok(isListed(unlimited));
    assert.ok(isListed(`${limited}limits: off\n`));
    assert.ok(!isListed(`${list}limits: off\n`));
    assert.ok(!isListed(`${unlimited}limits: { unknown: off }\n`));
    assert.match(
      operationAt(describedAs(limited), "/books").description,
      /The limit of this operation: 1\/s, burst 1\./,
    );
  });

  it("its own, in its own words", () => {
    const failures = { UNKNOWN_ENTRY: "The shelf is empty.", STORE_UNAVAILABLE: "It fell." };
    const document = describedAs(
      "  /shelf: { summary: S., restriction: identified, handler: shelf.empty }\n",
      withOperation("shelf.empty", { failures }),
    );
    const { NotFound: missing, Forbidden: restricted } = document.components.responses;
    assert.equal(missing?.description, "Not Found:\n\n- `UNKNOWN_ENTRY`: The shelf is empty.");
    assert.deepEqual(codesOf(document, "/shelf")[503], ["STORE_UNAVAILABLE", "SHUTTING_DOWN"]);
    assert.match(restricted?.description ?? "", /only for identified players\./);
  });

  it("without RESTRICTED if the restriction allows everyone", () => {
    const open = [
      "{ anyOf: [administrators, open] }",
      "[{ when: { hidden: true }, restriction: open }, open]",
    ].map((restriction) => describedAs(list.replace("restriction: open", `restriction: ${restriction}`)));
    for (const document of open) assert.deepEqual(codesOf(document, "/books")[403], ["EXCLUDED"]);
  });
});
