/** Faults in restrictions: each is reported where it is, and no mistake grants access. */
import { describe } from "node:test";
import { itFinds } from "./_faults.ts";

const withRank = "restriction: { faction: $branch, rank: 4 }";
const ofReader = "{ anyOf: [{ self: reader }, administrators, { group: STAFF }] }";
const desk = "service: DESK";

describe("a fault is reported for a restriction that is", () => {
  itFinds([
    [
      "a misspelt word",
      ofReader,
      "administrator",
      [32, 18, /unknown restriction "administrator".*Did you mean "administrators"\?/],
    ],
    [
      "a word that resembles none",
      ofReader,
      "everybody",
      [32, 18, /unknown restriction "everybody"; expected open, identified/],
    ],
    [
      "a word in capital letters",
      ofReader,
      "Open",
      [32, 18, /unknown restriction "Open".*Did you mean "open"\?/],
    ],
    [
      "a word with a value",
      ofReader,
      "{ administrators: true }",
      [32, 20, 'expected "administrators" alone'],
    ],
    ["empty", `restriction: ${ofReader}`, "restriction:", [32, 5, "expected a restriction"]],
    ["true", ofReader, "true", [32, 5, /expected a restriction.*got true/]],
    ["an empty map", ofReader, "{}", [32, 5, /one of open, identified.*got none/]],
    ["an empty list", ofReader, "[]", [32, 5, /case/]],
  ]);
});

describe("a fault is reported for a restriction with", () => {
  itFinds([
    [
      "two requirements",
      withRank,
      "restriction: { faction: $branch, service: DESK }",
      [23, 5, "got faction and service"],
    ],
    ["open and a requirement", ofReader, "{ open: true, group: STAFF }", [32, 5, "got open and group"]],
    ["a misspelt key", ofReader, "{ gruop: STAFF }", [32, 20, /unknown key "gruop".*Did you mean "group"\?/]],
    [
      "a further key",
      withRank,
      "restriction: { faction: $branch, rnak: 4 }",
      [23, 38, /unknown key "rnak".*Did you mean "rank"\?/],
    ],
    [
      "a rank beside a word",
      withRank,
      "restriction: { administrators: true, rank: 4 }",
      [23, 42, '"rank" belongs beside "faction" or "service"'],
    ],
    ["a rank alone", withRank, "restriction: { rank: 4 }", [23, 20, /rank/]],
    [
      "a condition outside a list",
      withRank,
      "restriction: { when: { kind: poem }, service: DESK }",
      [23, 20, /when/],
    ],
  ]);
});

describe("a fault is reported for members", () => {
  itFinds([
    [
      "of an unknown group",
      "group: STAFF",
      "group: STUFF",
      [32, 71, /unknown group "STUFF".*Did you mean "STAFF"\?/],
    ],
    [
      "of an unknown faction",
      "$branch, rank: 4",
      "NORHT, rank: 4",
      [23, 29, /unknown faction "NORHT".*Did you mean "NORTH"\?/],
    ],
    [
      "of an unknown service",
      desk,
      "service: DESC",
      [12, 44, /unknown service "DESC".*Did you mean "DESK"\?/],
    ],
    [
      "of a service that is a faction",
      desk,
      "service: NORTH",
      [12, 44, /unknown service "NORTH"; expected DESK or ARCHIVE/],
    ],
    [
      "of a group named like a property of every object",
      "group: STAFF",
      "group: constructor",
      [32, 71, 'unknown group "constructor"'],
    ],
    ["of a group without a name", "group: STAFF", "group:", [32, 71, /group/]],
    ["of two groups", "group: STAFF", "group: [STAFF, FRIENDS]", [32, 64, /group/]],
    ["of a list of one group", "group: STAFF", "group: [STAFF]", [32, 64, /group/]],
    [
      "with a rank in a group",
      "{ group: STAFF }",
      "{ group: STAFF, rank: 2 }",
      [32, 78, "groups have no ranks"],
    ],
    ["with a rank of 0", "rank: 4", "rank: 0", [23, 44, /whole number of 1 or more.*got 0/]],
    ["with a rank below 0", "rank: 4", "rank: -1", [23, 44, /whole number of 1 or more.*got -1/]],
    ["with a rank with decimals", "rank: 4", "rank: 3.5", [23, 44, /whole number of 1 or more.*got 3.5/]],
    ["with a rank that is a text", "rank: 4", 'rank: "4"', [23, 44, /whole number of 1 or more.*got "4"/]],
    [
      "with a rank that is a word",
      "rank: 4",
      "rank: chief",
      [23, 44, /whole number of 1 or more.*got "chief"/],
    ],
    ["with an empty rank", "rank: 4", "rank:", [23, 44, "whole number of 1 or more"]],
    ["with an infinite rank", "rank: 4", "rank: .inf", [23, 44, "whole number of 1 or more"]],
  ]);
});

describe("a fault is reported for a reference to", () => {
  itFinds([
    [
      "an unknown faction parameter",
      "$branch, rank: 4",
      "$brnch, rank: 4",
      [23, 29, /unknown faction parameter "\$brnch".*Did you mean "\$branch"\?/],
    ],
    [
      "a parameter that is no faction",
      "$branch, rank: 4",
      "$title, rank: 4",
      [23, 29, /of type faction, got "\$title" of type title/],
    ],
    [
      "a faction parameter as a service",
      withRank,
      "restriction: { service: $branch }",
      [23, 29, /of type service, got "\$branch" of type faction/],
    ],
    [
      "a parameter without a name",
      "$branch, rank: 4",
      "$, rank: 4",
      [23, 29, 'unknown faction parameter "$"'],
    ],
    [
      "a parameter in braces",
      "$branch, rank: 4",
      '"{branch}", rank: 4',
      [23, 29, 'unknown faction "{branch}"'],
    ],
    [
      "an unknown parameter in self",
      "self: reader",
      "self: raeder",
      [32, 36, /unknown text parameter "raeder".*Did you mean "reader"\?/],
    ],
    [
      "an integer parameter in self",
      withRank,
      "restriction: { self: pages }",
      [23, 26, /unknown text parameter "pages"/],
    ],
    [
      "a faction parameter in self",
      withRank,
      "restriction: { self: branch }",
      [23, 26, /unknown text parameter "branch"/],
    ],
    ["nothing in self", "self: reader", "self:", [32, 36, "expected a text parameter of the route"]],
    ["a list in self", "self: reader", "self: [reader]", [32, 30, "expected a text parameter of the route"]],
  ]);
});

describe("a suggestion never allows more callers than what may have been meant:", () => {
  const none = /^[^?]*$/;
  itFinds([
    ["no open", ofReader, "opn", [32, 18, none]],
    ["no identified", ofReader, "identifed", [32, 18, none]],
    ["allOf rather than anyOf", ofReader, "{ anOf: [open] }", [32, 20, /Did you mean "allOf"\?$/]],
    ["no anyOf for oneOf", ofReader, "{ oneOf: [administrators] }", [32, 20, none]],
    ["no anyOf for a word", ofReader, "nyOf", [32, 18, none]],
    ["allOf, which requires more", ofReader, "{ alOf: [open] }", [32, 20, /Did you mean "allOf"\?$/]],
    ["the same word in other letters", ofReader, "{ any_of: [open] }", [32, 20, /Did you mean "anyOf"\?$/]],
  ]);
});

describe("a fault is reported for an allOf", () => {
  const list = "expected a list of restrictions, got";
  itFinds([
    ["that is empty", ofReader, "{ allOf: [] }", [32, 20, `${list} an empty list`]],
    ["that is a word", ofReader, "{ allOf: identified }", [32, 20, `${list} "identified"`]],
    ["without a value", ofReader, "{ allOf: }", [32, 20, `${list} nothing`]],
    [
      "with an unknown part",
      "administrators,",
      "{ allOf: [open, admins] },",
      [32, 62, 'unknown restriction "admins"'],
    ],
    [
      "with two faults in nested parts",
      ofReader,
      "{ allOf: [{ anyOf: [{ self: x }] }, { allOf: [{ group: y }] }] }",
      [32, 46, 'unknown text parameter "x"'],
      [32, 73, 'unknown group "y"'],
    ],
    ["with a rank beside", ofReader, "{ allOf: [identified], rank: 4 }", [32, 41, '"rank" belongs beside']],
    ["with an anyOf beside", ofReader, "{ allOf: [open], anyOf: [open] }", [32, 5, "got allOf and anyOf"]],
  ]);
});

describe("a fault is reported for an anyOf", () => {
  itFinds([
    ["that is empty", ofReader, "{ anyOf: [] }", [32, 20, "expected a list of restrictions"]],
    ["that is a word", ofReader, "{ anyOf: open }", [32, 20, "expected a list of restrictions"]],
    ["that is a map", ofReader, "{ anyOf: { group: STAFF } }", [32, 20, "expected a list of restrictions"]],
    ["with an unknown part", "administrators,", "admins,", [32, 46, 'unknown restriction "admins"']],
    [
      "with two faulty parts",
      ofReader,
      "{ anyOf: [{ self: x }, { group: y }] }",
      [32, 36, 'unknown text parameter "x"'],
      [32, 50, 'unknown group "y"'],
    ],
    ["with a group beside", ofReader, "{ anyOf: [open], group: STAFF }", [32, 5, "got anyOf and group"]],
  ]);
});
