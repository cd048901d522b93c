/** The state of the model: the game, its players and all records, as plain values. */

export type State = "human" | "zombie" | "corpse" | "spectator";

/** A feeding of a zombie. `hunt` is its event, or `null` for feedings that cannot be voided. */
export interface Feeding {
  hunt: number | null;
  at: number | null;
  /** When it runs out. */
  ends: number;
  /** The added days and pauses before which it had ended already, and when it ended. */
  ran: { shift: number; at: number }[];
}

export interface Player {
  id: string;
  alias: string;
  /** The former aliases, newest first. */
  former: string[];
  renamedAt: number | null;
  first_name: string | null;
  is_admin: boolean;
  password: string;
  state: State;
  /** Whether a game master has taken the player out of the game. */
  isWithdrawn: boolean;
  wantsOriginal: boolean;
  /** When the player starved, until it is recorded. */
  unrecorded: number | null;
  /** The tag code; a player who died as a human keeps it. */
  code: string | null;
  codeSince: number;
  /** The hunts that count as kills, and their times. */
  kills: { hunt: number; at: number }[];
  /** The event that began the present life as a zombie or, for a corpse, the last one. */
  infection: number | null;
  infectedBy: string | null;
  /** The time of the last infection, also after a cure. */
  infectedAt: number | null;
  lastFed: number | null;
  /** When a living zombie starves; while the game is paused, as it stood at the pause. */
  deadline: number;
  /** The feedings; the deadline is the latest of their ends. The first cannot be voided. */
  feedings: Feeding[];
  pass: { checkpoint: string; at: number } | null;
  /** What the last enforcement of a checkpoint has ended: the player as they were, by which event, and how they died. */
  ended: {
    checkpoint: string;
    n: number;
    code: string | null;
    infection: number | null;
    hunger: number | null;
  } | null;
  /** The hash of the picture, as in its path. */
  picture: string | null;
  labels: string[];
  note: string | null;
  createdAt: number;
  misses: number[];
}

/** What is kept of a player who has left during play. */
export interface Tombstone {
  state: State;
  /** Of a zombie: how long they could still live. */
  hunger: number;
  infection: number | null;
  infectedBy: string | null;
  code: string | null;
  codeSince: number;
}

/** A recorded event. */
export interface Event {
  /** Its number; `id` is the id in the service, when it is known. */
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
  /** Whether a zombie came back by it who had left. */
  isReturn: boolean;
  /** Whether an original zombie was drawn. */
  isDrawn: boolean;
  /** For a tag that its prey reported: since when it waits for its hunter, and the hunter whom the prey named. */
  waitingSince: number | null;
  suspect: string | null;
  voided: boolean;
  /** When its hunter became known, of a tag that waited. */
  completedAt: number | null;
  /** Whether a game master entered it in place of its hunter. */
  isEntered: boolean;
  /** For a void: the hunt, its hunter, and the reason; or the death by a checkpoint. */
  voids: { hunt: number; hunter: string | null; reason: string; checkpoint?: string } | null;
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
  /** When its latest enforcement was undone. */
  undoneAt: number | null;
}

export interface Session {
  player: string;
  token: string;
  from: string;
  createdAt: number;
  /** Its last recorded use. */
  lastUsed: number;
  expiresAt: number;
}

/** Consecutive failures at an account from one address. */
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
  /** The aliases at that time. */
  ids: ReadonlyMap<string, string>;
}

export interface Model {
  now: number;
  /** How long a zombie lives on one feeding. */
  period: number;
  step: number;
  /** The players, in the order of joining. */
  players: Player[];
  record: Event[];
  disputes: Dispute[];
  /** All present and former tag codes, with their players. */
  codes: Map<string, string>;
  /** The codes of tags that their prey reported, and of humans who have left. */
  reported: Map<string, { event: number; codeSince: number }>;
  /** The codes that a game master has replaced. */
  replaced: Set<string>;
  left: Map<string, { player: string; at: number; codeSince: number; hunt: number | null }>;
  /** What is kept of players who have left, by their aliases. */
  tombstones: Map<string, Tombstone>;
  pausedAt: number | null;
  /** The pauses that have ended. */
  pauses: { from: number; until: number }[];
  /** The last pause, resume or added day. */
  changedAt: number | null;
  /** The number of moves of deadlines, and the moves that the clock still stores. */
  moves: number;
  remembered: { shift: number; madeAt: number }[];
  checkpoint: Checkpoint | null;
  sessions: Session[];
  recoveries: { player: string; code: string; until: number }[];
  failures: Failures[];
  devices: Device[];
  /** Known addresses of players. */
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
  tombstones: new Map(),
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
