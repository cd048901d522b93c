/** The state of the model: the game, its people and what is known of them, in plain values. */

export type State = "human" | "zombie" | "corpse" | "spectator";

/** A feeding that a zombie lives by; `hunt` is the event, or `null` for all that cannot be taken back. */
export interface Feeding {
  hunt: number | null;
  at: number | null;
  /** When it runs out. */
  ends: number;
  /** The added days and pauses by which it has run out already, and when that was. */
  ran: { shift: number; at: number }[];
}

export interface Player {
  id: string;
  alias: string;
  /** The aliases that they have given up, newest first. */
  former: string[];
  renamedAt: number | null;
  first_name: string | null;
  is_admin: boolean;
  password: string;
  state: State;
  /** Whether a game master has taken them out of play. */
  isWithdrawn: boolean;
  /** When they starved, until that is recorded. */
  unrecorded: number | null;
  /** The tag code that they carry; who died a human keeps it. */
  code: string | null;
  codeSince: number;
  /** The hunts that count, and when they happened. */
  kills: { hunt: number; at: number }[];
  /** The event that began the present life as a zombie, or the one that a corpse died of. */
  infection: number | null;
  infectedBy: string | null;
  /** Of the last infection, also of one who was cured. */
  infectedAt: number | null;
  lastFed: number | null;
  /** When a living zombie starves; while the game is paused, as it stood at the pause. */
  deadline: number;
  /** What the deadline is the latest of: first what cannot be taken back. */
  feedings: Feeding[];
  pass: { checkpoint: string; at: number } | null;
  /** The hash of the picture, as in its path. */
  picture: string | null;
  labels: string[];
  note: string | null;
  createdAt: number;
  misses: number[];
}

/** A recorded event. */
export interface Event {
  /** Its number; `id` is the service's, once it is known. */
  n: number;
  id: string;
  /** The step that recorded it. */
  step: number;
  kind: string;
  at: number;
  recordedAt: number;
  actor: string | null;
  target: string | null;
  /** Of an infection: the infection above it. */
  parent: number | null;
  sharedWith: string[];
  note: string | null;
  /** Whether a killing made a spectator. */
  isWithdrawal: boolean;
  /** Of a tag that its prey reported: since when it waits for its hunter, and the prey's guess. */
  waitingSince: number | null;
  suspect: string | null;
  voided: boolean;
  /** When its hunter became known, of a tag that waited. */
  completedAt: number | null;
  /** Whether a game master entered it in place of its hunter. */
  isEntered: boolean;
  /** Of a void: which hunt, whose, and why. */
  voids: { hunt: number; hunter: string | null; reason: string } | null;
}

/** The dispute of a hunt, which is event `n`. */
export interface Dispute {
  n: number;
  status: "open" | "stands" | "void";
  openedAt: number;
  entries: { speaker: "hunter" | "prey" | "comment"; by: string; at: number; text: string }[];
  resolved: { at: number; by: string; note: string } | null;
}

export interface Checkpoint {
  id: string;
  name: string;
  closesAt: number | null;
  appliesTo: "all" | "humans" | "zombies";
  setAt: number;
  /** When it was first enforced. */
  enforcedAt: number | null;
}

export interface Session {
  player: string;
  token: string;
  from: string;
  createdAt: number;
  /** Its last use that was written down. */
  lastUsed: number;
  expiresAt: number;
}

/** Failures at an account from one address, one after the other. */
export interface Failures {
  account: string;
  from: string;
  count: number;
  last: number;
}

/** A device with which a player has logged in. */
export interface Device {
  player: string;
  token: string;
  used: number;
  failures: { count: number; last: number } | undefined;
}

/** A response that is stored for retries. */
export interface StoredResponse {
  who: string;
  /** Whether it is of the registration by which `who` has an account. */
  isNew: boolean;
  key: string;
  request: string;
  until: number;
  status: number;
  text: string;
  /** Who had which alias then. */
  ids: ReadonlyMap<string, string>;
}

export interface Model {
  now: number;
  /** How long a zombie lives on one feeding. */
  period: number;
  step: number;
  /** Who has an account, in the order of joining. */
  players: Player[];
  record: Event[];
  disputes: Dispute[];
  /** Every tag code that there ever was, and whose. */
  codes: Map<string, string>;
  /** The codes of tags that their prey reported, and of humans who have left. */
  reported: Map<string, { event: number; codeSince: number }>;
  /** The codes that a game master has replaced. */
  replaced: Set<string>;
  left: Map<string, { player: string; at: number; codeSince: number; isUsed: boolean }>;
  pausedAt: number | null;
  /** The pauses that have ended. */
  pauses: { from: number; until: number }[];
  /** The last pause, resume or added day. */
  changedAt: number | null;
  /** How many times deadlines were moved, and which of those moves the clock still remembers. */
  moves: number;
  remembered: { shift: number; madeAt: number }[];
  checkpoint: Checkpoint | null;
  sessions: Session[];
  recoveries: { player: string; code: string; until: number }[];
  failures: Failures[];
  devices: Device[];
  /** Where a password was given. */
  addresses: { player: string; from: string; used: number }[];
  /** Which addresses have failed at an account, and since when they are noted. */
  newcomers: { account: string; since: number; recent: string[]; earlier: string[] }[];
  subscriptions: { player: string; endpoint: string }[];
  responses: StoredResponse[];
  log: { action: string; actor: string | null; outcome: string }[];
}

/** A game before anything has happened. */
export const newModel = (now: number, period: number): Model => ({
  now,
  period,
  step: 0,
  players: [],
  record: [],
  disputes: [],
  codes: new Map(),
  reported: new Map(),
  replaced: new Set(),
  left: new Map(),
  pausedAt: null,
  pauses: [],
  changedAt: null,
  moves: 0,
  remembered: [],
  checkpoint: null,
  sessions: [],
  recoveries: [],
  failures: [],
  devices: [],
  addresses: [],
  newcomers: [],
  subscriptions: [],
  responses: [],
  log: [],
});
