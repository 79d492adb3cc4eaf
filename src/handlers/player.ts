/** Addon groups and their members (specification, section 4.2). */
import * as v from "valibot";
import { joinGroup, leaveGroup, namesOf, toSubject } from "../identity/players.ts";
import { compareTexts } from "../text.ts";
import { defineChange, defineRead } from "./define.ts";
import { group, playerName, subject } from "./values.ts";

export const overview = defineRead({
  input: {},
  answer: v.record(v.string(), v.array(v.object(subject))),
  read: (data) =>
    Object.fromEntries(
      namesOf(data, "group").map((name) => [
        name,
        data.groupMembers
          .find("group", name)
          .map((member) => ({ name: member.name, uuid: member.uuid }))
          .sort((a, b) => compareTexts(a.name, b.name)),
      ]),
    ),
});

export const groups = defineRead({
  input: {},
  answer: v.array(v.string()),
  read: (data) => namesOf(data, "group"),
});

export const add = defineChange({
  input: { name: playerName, group },
  change(draft, input) {
    const member = toSubject(draft, input.name);
    if (!joinGroup(draft, input.group, member))
      return `${member.name} is in the group ${input.group} already.`;
    return `Added ${member.name} to the group ${input.group}.`;
  },
});

export const remove = defineChange({
  input: { name: playerName, group },
  change(draft, input) {
    const member = leaveGroup(draft, input.group, input.name);
    return `Removed ${member.name} from the group ${input.group}.`;
  },
});
