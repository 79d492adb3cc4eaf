/** Addon groups and their members. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { joinGroup, leaveGroup, memberSubject, namesOf, notInGroup } from "../identity/memberships.ts";
import { defineCachedRead, defineChange } from "./common/define.ts";
import { component, field, group, ofPerson, playerName, subject } from "./common/values.ts";

export const overview = defineCachedRead({
  dependsOn: ["names", "groupMembers"],
  input: {},
  answer: v.pipe(
    v.record(group, v.array(component("PlayerEntry", "A member of a group.", subject))),
    v.metadata({ complete: true }),
    v.description("Every group in order, empty groups included, with its members ordered by name."),
  ),
  read: (data, _input, { compare }) =>
    Object.fromEntries(
      namesOf(data, "group").map((name) => [
        name,
        data.groupMembers
          .find("group", name)
          .map((member) => ({ name: member.name, uuid: member.uuid }))
          .sort((a, b) => compare(a.name, b.name)),
      ]),
    ),
});

export const groups = defineCachedRead({
  dependsOn: ["names"],
  input: {},
  answer: v.pipe(v.array(group), v.description("The names of all groups, in order.")),
  read: (data) => [...namesOf(data, "group")],
});

const membership = {
  name: field(playerName, "The player, who need not be registered.", "Ada"),
  group: field(group, "The group.", "VIP"),
};

export const add = defineChange({
  example: "Added Ada to the group VIP.",
  input: membership,
  failures: ofPerson({}),
  change(draft, input, { now }) {
    const member = memberSubject(draft, input.group, input.name, "name", now);
    if (joinGroup(draft, input.group, member, now) !== undefined)
      return `${member.name} is already in the group ${input.group}.`;
    return `Added ${member.name} to the group ${input.group}.`;
  },
});

export const remove = defineChange({
  example: "Removed Ada from the group VIP.",
  input: membership,
  failures: ofPerson({ UNKNOWN_ENTRY: "The player is not in the group." }),
  change(draft, input) {
    const member = leaveGroup(draft, input.group, input.name);
    if (member === undefined)
      throw new Failure("UNKNOWN_ENTRY", notInGroup(draft, input.group, input.name), { parameter: "name" });
    return `Removed ${member.name} from the group ${input.group}.`;
  },
});
