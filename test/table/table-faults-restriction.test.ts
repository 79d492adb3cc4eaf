/** Faults in restrictions: none of them opens a door by mistake, and each is found where it stands. */
import { describe } from "node:test";
import { itFinds } from "./_faults.ts";

const withRank = "restriction: { faction: $branch, rank: 4 }";
const ofReader = "{ anyOf: [{ self: reader }, administrators, { group: STAFF }] }";
const desk = "service: DESK";

describe("words", () => {
  itFinds([
    [
      "one that is misspelt",
      ofReader,
      "administrator",
      [32, 18, /unknown restriction "administrator".*Did you mean "administrators"\?/],
    ],
    [
      "one that is like none",
      ofReader,
      "everybody",
      [32, 18, /unknown restriction "everybody"; expected open, identified/],
    ],
    [
      "one in capital letters",
      ofReader,
      "Open",
      [32, 18, /unknown restriction "Open".*Did you mean "open"\?/],
    ],
    ["one with a value", ofReader, "{ administrators: true }", [32, 20, 'expected "administrators" alone']],
    ["none", `restriction: ${ofReader}`, "restriction:", [32, 5, "expected a restriction"]],
    ["true", ofReader, "true", [32, 5, /expected a restriction.*got true/]],
    ["an empty map", ofReader, "{}", [32, 5, /one of open, identified.*got none/]],
    ["an empty list", ofReader, "[]", [32, 5, /case/]],
  ]);
});

describe("maps", () => {
  itFinds([
    [
      "two conditions in one",
      withRank,
      "restriction: { faction: $branch, service: DESK }",
      [23, 5, "got faction and service"],
    ],
    ["an open one with a condition", ofReader, "{ open: true, group: STAFF }", [32, 5, "got open and group"]],
    [
      "a key that is misspelt",
      ofReader,
      "{ gruop: STAFF }",
      [32, 20, /unknown key "gruop".*Did you mean "group"\?/],
    ],
    [
      "a further key",
      withRank,
      "restriction: { faction: $branch, rnak: 4 }",
      [23, 38, /unknown key "rnak".*Did you mean "rank"\?/],
    ],
    [
      "a rank of a word",
      withRank,
      "restriction: { administrators: true, rank: 4 }",
      [23, 42, '"rank" belongs beside "faction" or "service"'],
    ],
    ["a rank of nothing", withRank, "restriction: { rank: 4 }", [23, 20, /rank/]],
    [
      "a condition outside of a list",
      withRank,
      "restriction: { when: { kind: poem }, service: DESK }",
      [23, 20, /when/],
    ],
  ]);
});

describe("members", () => {
  itFinds([
    [
      "of a group that there is not",
      "group: STAFF",
      "group: STUFF",
      [32, 71, /unknown group "STUFF".*Did you mean "STAFF"\?/],
    ],
    [
      "of a faction that there is not",
      "$branch, rank: 4",
      "NORHT, rank: 4",
      [23, 29, /unknown faction "NORHT".*Did you mean "NORTH"\?/],
    ],
    [
      "of a service that there is not",
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
      "of a group that every object has",
      "group: STAFF",
      "group: constructor",
      [32, 71, 'unknown group "constructor"'],
    ],
    ["of a group that nobody named", "group: STAFF", "group:", [32, 71, /group/]],
    ["of two groups at once", "group: STAFF", "group: [STAFF, FRIENDS]", [32, 64, /group/]],
    ["of a list of one group", "group: STAFF", "group: [STAFF]", [32, 64, /group/]],
    [
      "with a rank in a group",
      "{ group: STAFF }",
      "{ group: STAFF, rank: 2 }",
      [32, 78, "groups have no ranks"],
    ],
    ["with a rank of 0", "rank: 4", "rank: 0", [23, 44, /whole number of 1 or more.*got 0/]],
    ["with a rank below 0", "rank: 4", "rank: -1", [23, 44, /whole number of 1 or more.*got -1/]],
    [
      "with a rank that is no whole number",
      "rank: 4",
      "rank: 3.5",
      [23, 44, /whole number of 1 or more.*got 3.5/],
    ],
    ["with a rank that is a text", "rank: 4", 'rank: "4"', [23, 44, /whole number of 1 or more.*got "4"/]],
    [
      "with a rank that is a word",
      "rank: 4",
      "rank: chief",
      [23, 44, /whole number of 1 or more.*got "chief"/],
    ],
    ["with a rank that nobody named", "rank: 4", "rank:", [23, 44, "whole number of 1 or more"]],
    ["with a rank of infinity", "rank: 4", "rank: .inf", [23, 44, "whole number of 1 or more"]],
  ]);
});

describe("parameters that a restriction refers to", () => {
  itFinds([
    [
      "a faction's that the route does not have",
      "$branch, rank: 4",
      "$brnch, rank: 4",
      [23, 29, /unknown faction parameter "\$brnch".*Did you mean "\$branch"\?/],
    ],
    [
      "a faction's that is of another type",
      "$branch, rank: 4",
      "$title, rank: 4",
      [23, 29, /of type faction, got "\$title" of type title/],
    ],
    [
      "a service's that is a faction's",
      withRank,
      "restriction: { service: $branch }",
      [23, 29, /of type service, got "\$branch" of type faction/],
    ],
    ["one without a name", "$branch, rank: 4", "$, rank: 4", [23, 29, 'unknown faction parameter "$"']],
    ["one in braces", "$branch, rank: 4", '"{branch}", rank: 4', [23, 29, 'unknown faction "{branch}"']],
    [
      "a self that the route does not have",
      "self: reader",
      "self: raeder",
      [32, 36, /unknown text parameter "raeder".*Did you mean "reader"\?/],
    ],
    [
      "a self that is no text",
      withRank,
      "restriction: { self: pages }",
      [23, 26, /unknown text parameter "pages"/],
    ],
    [
      "a self that is a faction",
      withRank,
      "restriction: { self: branch }",
      [23, 26, /unknown text parameter "branch"/],
    ],
    ["a self of nothing", "self: reader", "self:", [32, 36, "expected a text parameter of the route"]],
    [
      "a self of a list",
      "self: reader",
      "self: [reader]",
      [32, 30, "expected a text parameter of the route"],
    ],
  ]);
});

describe("a suggestion never lets more people in than what may have been meant", () => {
  const none = /^[^?]*$/;
  itFinds([
    ["no open", ofReader, "opn", [32, 18, none]],
    ["no identified", ofReader, "identifed", [32, 18, none]],
    ["allOf rather than anyOf", ofReader, "{ anOf: [open] }", [32, 20, /Did you mean "allOf"\?$/]],
    ["no anyOf for oneOf", ofReader, "{ oneOf: [administrators] }", [32, 20, none]],
    ["no anyOf for a word", ofReader, "nyOf", [32, 18, none]],
    ["allOf, which asks for more", ofReader, "{ alOf: [open] }", [32, 20, /Did you mean "allOf"\?$/]],
    ["the same word in other letters", ofReader, "{ any_of: [open] }", [32, 20, /Did you mean "anyOf"\?$/]],
  ]);
});

describe("all of several", () => {
  const list = "expected a list of restrictions, got";
  itFinds([
    ["of none", ofReader, "{ allOf: [] }", [32, 20, `${list} an empty list`]],
    ["of a word", ofReader, "{ allOf: identified }", [32, 20, `${list} "identified"`]],
    ["of nothing", ofReader, "{ allOf: }", [32, 20, `${list} nothing`]],
    [
      "one of which is not known",
      "administrators,",
      "{ allOf: [open, admins] },",
      [32, 62, 'unknown restriction "admins"'],
    ],
    [
      "two of which are not right, deep within",
      ofReader,
      "{ allOf: [{ anyOf: [{ self: x }] }, { allOf: [{ group: y }] }] }",
      [32, 46, 'unknown text parameter "x"'],
      [32, 73, 'unknown group "y"'],
    ],
    ["with a rank beside", ofReader, "{ allOf: [identified], rank: 4 }", [32, 41, '"rank" belongs beside']],
    ["with an anyOf beside", ofReader, "{ allOf: [open], anyOf: [open] }", [32, 5, "got allOf and anyOf"]],
  ]);
});

describe("any of several", () => {
  itFinds([
    ["of none", ofReader, "{ anyOf: [] }", [32, 20, "expected a list of restrictions"]],
    ["of a word", ofReader, "{ anyOf: open }", [32, 20, "expected a list of restrictions"]],
    ["of a map", ofReader, "{ anyOf: { group: STAFF } }", [32, 20, "expected a list of restrictions"]],
    ["one of which is not known", "administrators,", "admins,", [32, 46, 'unknown restriction "admins"']],
    [
      "two of which are not right",
      ofReader,
      "{ anyOf: [{ self: x }, { group: y }] }",
      [32, 36, 'unknown text parameter "x"'],
      [32, 50, 'unknown group "y"'],
    ],
    [
      "with another condition beside",
      ofReader,
      "{ anyOf: [open], group: STAFF }",
      [32, 5, "got anyOf and group"],
    ],
  ]);
});
