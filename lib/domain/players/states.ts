/**
 * The states of a player. Whatever depends on all states derives from this file, and the pages use it too: it imports
 * nothing but types (decision 110).
 */
import type { Kind } from "../hunts/interaction.ts";

interface StateDefinition {
  /** The counter of the game that counts players in it. Audiences and groups of players have the same name. */
  counter: string;
  /** Whether players in it can be killed and have to pass checkpoints. */
  alive: boolean;
  /** Whether players in it take part: pages and charts count them, and messages can be sent to them as a group. */
  takesPart: boolean;
  /** The fields of a player that must not be `null` in it. */
  fields: readonly string[];
  /** The kinds of interactions that lead to it. A void is not among them: it leads to an earlier state. */
  after: readonly Kind[];
}

/** All states, in the order in which they are listed. A `spectator` has an account and does not play. */
export const STATES = {
  human: {
    counter: "humans",
    alive: true,
    takesPart: true,
    fields: ["tag_code", "code_since"],
    after: ["cure", "revive_human"],
  },
  zombie: {
    counter: "zombies",
    alive: true,
    takesPart: true,
    fields: ["infection_id", "infected_at", "deadline", "epoch"],
    after: ["hunt", "revive_zombie", "revived_by_late_tag"],
  },
  corpse: {
    counter: "corpses",
    alive: false,
    takesPart: true,
    fields: [],
    after: ["corpsify", "starve", "checkpoint_kill"],
  },
  spectator: { counter: "spectators", alive: false, takesPart: false, fields: [], after: [] },
} as const satisfies Record<string, StateDefinition>;

export type State = keyof typeof STATES;

/** The players in each state, for the descriptions of the API. */
export const STATE_PROSE: Readonly<Record<State, string>> = {
  human: "humans",
  zombie: "living zombies",
  corpse: "corpses",
  spectator: "spectators, who do not play",
};

/**
 * The commands that change the state of a player, drawn in docs/architecture.md. They do not contain infections by a
 * checkpoint, their undo, and returns of deleted accounts.
 */
export const TRANSITIONS = {
  hunt: { from: ["human"], to: "zombie" },
  report_tagged: { from: ["human"], to: "zombie" },
  draw_original: { from: ["human"], to: "zombie" },
  late_tag: { from: ["corpse"], to: "zombie" },
  revive_z: { from: ["corpse", "spectator"], to: "zombie" },
  starve: { from: ["zombie"], to: "corpse" },
  corpsify: { from: ["human", "zombie"], to: "corpse" },
  checkpoint_kill: { from: ["human", "zombie"], to: "corpse" },
  cure: { from: ["zombie"], to: "human" },
  void_hunt: { from: ["zombie", "corpse"], to: "human" },
  revive_h: { from: ["corpse", "spectator"], to: "human" },
  admit: { from: ["spectator"], to: "human" },
  enrol: { from: ["spectator"], to: "human" },
  make_spectator: { from: ["human", "zombie", "corpse"], to: "spectator" },
} as const satisfies Record<string, { from: readonly State[]; to: State }>;

/** The states with a property. */
type StatesThat<P extends "alive" | "takesPart"> = {
  [S in State]: (typeof STATES)[S][P] extends true ? S : never;
}[State];

export type CounterOf<S extends State> = (typeof STATES)[S]["counter"];
export type Counter = CounterOf<State>;

export const STATE_NAMES = Object.keys(STATES).filter((name): name is State => name in STATES);

/** The states of living players. */
export const LIVING = STATE_NAMES.filter((state): state is StatesThat<"alive"> => STATES[state].alive);

/** The states of players who take part in the game. */
export const TAKING_PART = STATE_NAMES.filter((state): state is PlayingState => STATES[state].takesPart);

/** What others can see of a hidden original zombie: any state but the one that is hidden. */
export const COVER_STATES = STATE_NAMES.filter((state) => state !== "zombie");

/** The names of all counters, in the order in which they are shown. */
export const COUNTERS: readonly Counter[] = STATE_NAMES.map((state) => STATES[state].counter);

/** A state of players who take part in the game. */
export type PlayingState = StatesThat<"takesPart">;

/** Whether a command can change the state of players who are in a state. */
export const isPossible = (command: keyof typeof TRANSITIONS, state: State): boolean =>
  TRANSITIONS[command].from.some((from) => from === state);

export const counterOf = <S extends State>(state: S): CounterOf<S> => STATES[state].counter;

const AFTER: ReadonlyMap<string, State> = new Map(
  STATE_NAMES.flatMap((state) => STATES[state].after.map((kind): [string, State] => [kind, state])),
);

/** The state to which a kind of interaction leads; `undefined` if it changes no state, or restores an earlier one. */
export const stateAfter = (kind: string): State | undefined => AFTER.get(kind);

/** A value for each of the states, by their counters. */
export function byCounter<S extends State, T>(
  states: readonly S[],
  valueFor: (state: S) => T,
): Record<CounterOf<S>, T>;
export function byCounter<S extends State>(states: readonly S[], valueFor: (state: S) => unknown): object {
  return Object.fromEntries(states.map((state) => [counterOf(state), valueFor(state)]));
}
