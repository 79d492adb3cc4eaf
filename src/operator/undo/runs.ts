/** What is left of some changes, of one caller or a single one, as the journal goes on. */
import { isDeepStrictEqual } from "node:util";
import { restoreOperations } from "../../backup/revocations.ts";
import { textOf } from "../../domain/label.ts";
import { definitionOf, isBookkeeping } from "../../domain/model.ts";
import { fold } from "../../domain/text.ts";
import { areSame } from "../../identity/references.ts";
import { type JournalRecord, placeOf, type RecordChange } from "../../store/change.ts";
import { isAlone, keyAs, type Person, takeoversIn } from "./takeovers.ts";

/** A value of a record, and how it came to have it. */
interface State {
  /** Undefined for a record that has become one with another: no value that it had before. */
  readonly value: unknown;
  readonly isTheirs: boolean;
  /** The state before; undefined for the one in which the caller found the record. */
  readonly former?: State | undefined;
}

/** The states of a record since the caller changed it first. */
interface Trail {
  readonly collection: string;
  readonly key: string;
  readonly state: State;
  /** The states before the changes, by their numbers: an undo returns to one. */
  readonly before: Map<number, State>;
  /** The record as it is, or was last. */
  readonly last: unknown;
  /** Who took it over or gave it back: the states can have it as that of the player or of the name alone. */
  readonly person?: Person | undefined;
}

/** A record that a player takes over or gives back: where it was before. */
interface Move {
  readonly from: string;
  readonly person: Person;
}

/**
 * The records that a caller has changed, and who changed them last. The caller's last changes of a record are a run:
 * somebody else's change ends it, and the undo of that change lets it last again. To undo a single change, it alone counts as
 * the caller's.
 */
export class Runs {
  /** By the places of the records. */
  readonly #trails = new Map<string, Trail>();
  readonly #except: ReadonlySet<string>;

  /** @param except the names of collections that are left out */
  constructor(except: ReadonlySet<string> = new Set()) {
    this.#except = except;
  }

  /** Adds the next change of the journal. @param isTheirs whether it is the caller's */
  add(record: JournalRecord, isTheirs: boolean): void {
    const changes = record.changes.filter(
      ({ collection }) => !isBookkeeping(collection) && !this.#except.has(collection),
    );
    if (isTheirs) {
      for (const change of changes) this.#extend(change, record);
      return;
    }
    const places = new Map(changes.map((change) => [placeOf(change), change]));
    const moves = new Map<string, Move>();
    const merged: string[] = [];
    for (const { player: person, alone, own, bound } of takeoversIn(changes)) {
      const isTaken = bound === "after";
      const [from, to] = isTaken ? [placeOf(alone), own] : [own, placeOf(alone)];
      const change = places.get(own);
      const isMove = (isTaken ? change?.before : change?.after) === null;
      // The key of an entry may lack the player.
      if (from === to) moves.set(to, { from, person });
      else if (isTaken && !isMove) merged.push(from, to);
      else if (change === undefined) this.#part(own, record);
      // Where the undone change had both places, each returns to its own state.
      else if (isMove && this.#trails.has(from) && !this.#wasIn(record.undoes, to)) {
        moves.set(to, { from, person });
        places.delete(from);
      }
    }
    for (const [place, change] of places)
      this.#follow(change, record, moves.get(place) ?? this.#boundBy(record, change));
    for (const place of merged) this.#merge(place, record);
  }

  /** The runs that last, each as one change: what can be taken back. */
  get lasting(): readonly RecordChange[] {
    const lasting = [...this.#trails.values()].filter(({ state }) => state.isTheirs);
    return lasting.flatMap((trail) => {
      const { collection, key, state } = trail;
      const [before, after] = [valueIn(trail, beginningOf(state)), valueIn(trail, state)];
      return isDeepStrictEqual(before, after) ? [] : [{ collection, key, before, after }];
    });
  }

  /** Whether the last change of a record is the caller's. */
  lasts(record: Pick<RecordChange, "collection" | "key">): boolean {
    return this.#trails.get(placeOf(record))?.state.isTheirs === true;
  }

  /** The number of runs that others have ended, other than by taking back what the caller did. */
  get endedCount(): number {
    const isEnded = (trail: Trail) => {
      let end = trail.state;
      while (end.former?.isTheirs === false) end = end.former;
      if (trail.state.isTheirs || end.former === undefined) return false;
      const [value, former] = [valueIn(trail, end), valueIn(trail, beginningOf(end.former))];
      return !areSame(trail.collection, value, former);
    };
    return [...this.#trails.values()].filter(isEnded).length;
  }

  #extend(change: RecordChange, { sequence }: JournalRecord): void {
    const { collection, key, before: value, after } = change;
    const trail = this.#trails.get(placeOf(change));
    // A record that became one with another has a value again.
    const former =
      trail === undefined || trail.state.value === undefined
        ? { value, isTheirs: false, former: trail?.state }
        : trail.state;
    const before = (trail?.before ?? new Map()).set(sequence, former);
    const state = { value: after, isTheirs: true, former };
    this.#trails.set(placeOf(change), { ...trail, collection, key, state, before, last: after ?? value });
  }

  /** Follows somebody else's change. */
  #follow(change: RecordChange, { sequence, operation, undoes }: JournalRecord, move?: Move): void {
    const place = placeOf(change);
    const found = this.#trails.get(move?.from ?? place);
    if (found === undefined) return;
    const { collection, key, before: previous, after: value } = change;
    const trail = { ...found, key, last: value ?? previous, person: move?.person ?? found.person };
    const isValue = (state: State) => areSame(collection, valueIn(trail, state), value);
    let back = undoes === null ? undefined : trail.before.get(undoes);
    let { state } = trail;
    // These return to earlier values as well, and name no change: the former to one that this one has replaced.
    if (operation === "undo.caller") back = formerOf(state, isValue);
    else if (restoreOperations.includes(operation)) back = [...trail.before.values()].findLast(isValue);
    trail.before.set(sequence, state);
    // It has ended as the caller said.
    const isEnd = value === null && operation === definitionOf(collection)?.ends?.operation;
    // Somebody has entered again what had ended.
    const isNew = move === undefined && previous === null;
    // Its fields have other names, and the caller's values.
    if (operation === "list.rename" && state.isTheirs) state = { ...state, value };
    else if (back !== undefined && isValue(back)) state = back;
    else if ((!isValue(state) || isNew) && !(state.isTheirs && isEnd))
      state = { value, isTheirs: false, former: state };
    if (move !== undefined) this.#trails.delete(move.from);
    this.#trails.set(place, { ...trail, state });
  }

  /** Ends the run of a record that becomes one with another: to take it back would take back the other. */
  #merge(place: string, { sequence }: JournalRecord): void {
    const trail = this.#trails.get(place);
    const former = trail?.before.get(sequence) ?? trail?.state;
    if (trail === undefined || former?.isTheirs !== true) return;
    trail.before.set(sequence, former);
    this.#trails.set(place, { ...trail, state: { value: undefined, isTheirs: false, former } });
  }

  /** Returns to the run of a player's record that stays as it is while one of the name alone is parted from it. */
  #part(place: string, { undoes }: JournalRecord): void {
    const trail = this.#trails.get(place);
    const state = undoes === null ? undefined : trail?.before.get(undoes);
    if (trail && state && trail.state.former === state) this.#trails.set(place, { ...trail, state });
  }

  /** Returns the move of a record of a name alone that an undo brings back as that of the player who has the name by now. */
  #boundBy({ undoes }: JournalRecord, change: RecordChange): Move | undefined {
    const { collection, after } = change;
    const [name, uuid] = [textOf(after, "name"), textOf(after, "uuid")];
    const key = name && uuid && keyAs(collection, after, { uuid: null });
    if (!key || this.#wasIn(undoes, placeOf(change))) return undefined;
    const from = placeOf({ collection, key });
    return this.#wasIn(undoes, from) ? { from, person: { name, uuid } } : undefined;
  }

  /** Whether a change had the record of a place, so that its undo returns to the state before. */
  #wasIn(sequence: number | null, place: string): boolean {
    return sequence !== null && this.#trails.get(place)?.before.has(sequence) === true;
  }
}

/** Returns the last state before one that passes a test. */
function formerOf(state: State, test: (state: State) => boolean): State | undefined {
  let { former } = state;
  while (former !== undefined && !test(former)) ({ former } = former);
  return former;
}

/** Returns the state before the caller's last changes. */
function beginningOf(state: State): State {
  return (state.isTheirs && formerOf(state, ({ isTheirs }) => !isTheirs)) || state;
}

/** Returns the value of a state, of the player or of the name alone as the record is by now. */
function valueIn({ last, person }: Trail, { value }: State): unknown {
  if (person === undefined || isAlone(value) === isAlone(last)) return value;
  const isOfPerson = isAlone(value)
    ? fold(textOf(value, "name") ?? "") === fold(person.name)
    : textOf(value, "uuid") === person.uuid;
  return isOfPerson
    ? { ...Object(value), name: textOf(last, "name"), uuid: Reflect.get(Object(last), "uuid") }
    : value;
}
