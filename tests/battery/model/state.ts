/**
 * The state of the model: the game, its players and all records, as plain values. Fields that the service stores have its
 * names; times are instants.
 */
import type { Request } from "./request.ts";

export type State = "human" | "zombie" | "corpse" | "spectator";

/** A feeding of a zombie. `hunt` is the id of its event, or `null` for feedings that cannot be voided. */
export interface Feeding {
  hunt: string | null;
  at: number | null;
  /** When it runs out. */
  ends: number;
  /** The moves of deadlines (added days and pauses) before which it had ended already, and when it ended. */
  endedBefore: { shift: number; at: number }[];
}

/** A signature of the waiver. */
export interface Signature {
  /** The step in which it was made. */
  step: number;
  version: string;
  full_name: string;
  signed_at: number;
  /** Who entered one on paper. */
  by: string | null;
  photo_consent: boolean | null;
  photo_consent_at: number | null;
}

/** A player; by default one who has not joined the game yet. */
export class Player {
  id = "";
  alias = "";
  password = "";
  created_at = 0;
  /** The former aliases, newest first. */
  former: string[] = [];
  /** The aliases of the season up to the last return, folded. */
  earlier: string[] = [];
  renamedAt: number | null = null;
  first_name: string | null = null;
  is_admin = false;
  state: State = "spectator";
  /** Whether a game master has taken the player out of the game, or has to decide about them first. */
  isWithdrawn = false;
  /** Whether they have learned secrets as a game master; only of a spectator. */
  sawSecrets = false;
  isPending = false;
  /** Whether somebody pending waits only for the signature. */
  waitsToSign = false;
  /** The version that they have signed last. */
  signed: string | null = null;
  signature: Signature | null = null;
  /** Each earlier one, and the present one as it was before the last answer about photos. */
  earlierSignatures: Signature[] = [];
  wants_original = false;
  /** When the player starved, until it is recorded. */
  unrecorded: number | null = null;
  /** A player who died as a human keeps it. */
  tag_code: string | null = null;
  code_since = 0;
  /** The hunts that count as kills, and their times. */
  kills: { hunt: string; at: number }[] = [];
  /** The event that began the present life as a zombie or, for a corpse, the last one. */
  infection_id: string | null = null;
  infected_by: string | null = null;
  /** The time of the last infection, also after a cure. */
  infected_at: number | null = null;
  last_fed_at: number | null = null;
  /** When a living zombie starves; while the game is paused, as it stood at the pause. */
  deadline = 0;
  /** The feedings; the deadline is the latest of their ends. The first cannot be voided. */
  feedings: Feeding[] = [];
  checkpoint_id: string | null = null;
  passed_at: number | null = null;
  /** Of a player whom the last enforcement of a checkpoint killed: the event, and what the player had before. */
  killing: {
    checkpoint: string;
    event: string;
    tag_code: string | null;
    infection_id: string | null;
    /** Of a zombie: how long they could still live. */
    hunger: number | null;
  } | null = null;
  /** The hash of the picture, as in its path. */
  picture: string | null = null;
  labels: string[] = [];
  note: string | null = null;
  misses: number[] = [];
  points = 0;
  badges: { name: string; symbol: string; by: string }[] = [];
  /** The event of the antidote of this season. */
  antidote: string | null = null;

  constructor(given: Partial<Player>) {
    Object.assign(this, given);
  }
}

/** A player who has left during play, and comes back as if they had stayed. */
export interface Away {
  player: Player;
  leftAt: number;
  /** Every alias of the season; and the last one, folded. */
  names: ReadonlySet<string>;
  last: string;
  /**
   * Whether something other than time may have changed them since. The model does not know what: nobody registers with
   * their names (tests/behaviour/returning.test.ts does).
   */
  isDisturbed: boolean;
}

/** The dispute of a hunt. */
export interface Dispute {
  status: "open" | "stands" | "void";
  openedAt: number;
  entries: { speaker: "hunter" | "prey" | "comment"; by: string; at: number; text: string | null }[];
  resolved: { at: number; by: string; note: string } | null;
}

/** What a code or a mission gave. */
export interface Reward {
  source: "code" | "mission";
  fed?: boolean;
  points?: number;
  badge?: { name: string; symbol: string };
  message?: string;
  /** Of an antidote: what the zombie was. */
  before?: {
    infection_id: string | null;
    last_fed_at: number | null;
    hunger: number;
  };
}

/** A batch of codes. */
export interface Batch {
  id: string;
  effect: {
    feed_seconds?: number;
    cure?: true;
    points?: number;
    badge?: { name: string; symbol: string };
    message?: string;
  };
  audience: "humans" | "zombies" | "all";
  uses: number;
  perPlayer: number;
  from: number | null;
  until: number | null;
  /** The game master who has made it. */
  maker: string;
  codes: { code: string; used: number; isRevoked: boolean }[];
  redemptions: { player: string; number: number; event: string; isUndone: boolean }[];
}

/** Somebody who attended a mission, with the events by which they were rewarded. */
export interface Attended {
  player: string;
  at: number;
  by: string;
  events: string[];
}

/** A mission. */
export interface Mission {
  id: string;
  version: number;
  title: string;
  starts: number;
  ends: number;
  briefings: {
    audience: "all" | "humans" | "zombies" | "corpses" | "spectators";
    text: string;
    reveal_at: number;
    outcome_text: string | null;
  }[];
  hasDesk: boolean;
  rewards: { audience: Batch["audience"]; effect: Batch["effect"] }[];
  required: boolean;
  closings: { at: number; result: string; note: string | null; reopened_at: number | null }[];
  attended: Attended[];
}

/** The result of the season, once a game master has declared it. */
export interface Finish {
  result: string;
  note: string | null;
  /** When it was declared, when it is known, and when play ended. */
  at: number;
  finalAt: number;
  endsAt: number;
}

/** What stays of every time that the season was finished, with its event. */
export interface SeasonEnd {
  awards: { title: string; player_id: string; text: string }[];
  finishes: (Finish & {
    event: string;
    by: string;
    reopened_at: number | null;
    reopened_by: string | null;
  })[];
}

/** A recorded event. */
export class Event {
  id = "";
  /** The step that recorded it. */
  step = 0;
  kind = "";
  at = 0;
  recorded_at = 0;
  actor: string | null = null;
  target: string | null = null;
  /** Of an infection: the infection above it. */
  parent: string | null = null;
  shared_with: string[] | null = null;
  note: string | null = null;
  /** Whether a killing made a spectator, a zombie came back who had left, and an original zombie was drawn. */
  withdrawn = false;
  returned = false;
  drawn = false;
  /** Of a tag that its prey reported: since when it waits, the hunter whom the prey named, and when one became known. */
  waiting_since: number | null = null;
  suspect: string | null = null;
  completed_at: number | null = null;
  /** When its hunter says that it happened, if the event has another time. */
  hunted_at: number | null = null;
  /** The game master who entered it in place of its hunter. */
  entered_by: string | null = null;
  dispute: Dispute | null = null;
  voided_by: string | null = null;
  /** Of a void: the hunt, its hunter, and the reason; or the death by a checkpoint. */
  voids: string | null = null;
  hunter: string | null = null;
  reason: string | null = null;
  checkpoint_id: string | null = null;
  /** Whether required missions were enforced, and no checkpoint. */
  of_missions = false;
  /** Of a revival by a late tag: the hunt. */
  late_tag: string | null = null;
  /** Of what a code gave, and of what takes it back or follows from it. */
  reward: Reward | null = null;
  is_private = false;

  constructor(given: Partial<Event>) {
    Object.assign(this, given);
  }
}

/** An event that the service has recorded, by which the model knows its id. */
export type RecordedEvent = Pick<Event, "id" | "kind" | "at" | "actor" | "target">;

export interface Checkpoint {
  checkpoint_id: string;
  name: string;
  closes_at: number | null;
  applies_to: "all" | "humans" | "zombies";
  set_at: number;
  /** When it was first enforced, and when its latest enforcement was undone. */
  enforced_at: number | null;
  undone_at: number | null;
}

export interface Session {
  player: string;
  token: string;
  created_at: number;
  /** Its last recorded use. */
  last_used: number;
  expires_at: number;
}

/** Consecutive failures. */
export interface Failures {
  count: number;
  last: number;
}

/** A device with which a player has logged in. */
export interface Device {
  player: string;
  token: string;
  used: number;
  failures: Failures | undefined;
}

/** A response that is stored for retries of a request. */
export interface StoredResponse {
  request: string;
  until: number;
  status: number;
  text: string;
  /** The aliases at that time. */
  ids: ReadonlyMap<string, string>;
}

/** The model; at first of a game in which nothing has happened. */
export class Model {
  now: number;
  /** How long a zombie lives on one feeding. */
  readonly period: number;
  step = 0;
  /** The players, in the order of joining. */
  players: Player[] = [];
  record: Event[] = [];
  /** The alerts of late tags that have undone a starvation, by hunt. */
  readonly alerts = new Map<
    string,
    { hunter: string; late_tag: { happened_at: string; starved_at: string } }
  >();
  /** What the service has recorded in this step, without the events that the model has recorded too. */
  recorded: RecordedEvent[] = [];
  /** All present and former tag codes, with their players. */
  readonly codes = new Map<string, string>();
  /** The codes of tags that their prey reported, those that a game master has replaced, and of humans who have left. */
  readonly reported = new Map<string, { event: string; codeSince: number }>();
  readonly replaced = new Set<string>();
  readonly left = new Map<string, { player: string; at: number; codeSince: number; hunt: string | null }>();
  away: Away[] = [];
  pausedAt: number | null = null;
  /** The pauses that have ended. */
  readonly pauses: { from: number; until: number }[] = [];
  /** The last pause, resume or added day. */
  changedAt: number | null = null;
  /** The number of moves of deadlines, and the moves that the clock still stores. */
  moves = 0;
  remembered: { shift: number; madeAt: number }[] = [];
  checkpoint: Checkpoint | null = null;
  finish: Finish | null = null;
  seasonEnd: SeasonEnd | null = null;
  /** The id of the season, once its result was known. */
  seasonId: string | null = null;
  batches: Batch[] = [];
  missions: Mission[] = [];
  /** The waiver, the versions whose signatures count, the present one first, and what a signature is asked. */
  waiver: { text: string | null; versions: string[]; asks: readonly string[] } = {
    text: null,
    versions: [],
    asks: [],
  };
  /** The signatures of deleted accounts. */
  readonly keptSignatures: (Signature & { deleted_at: number })[] = [];
  sessions: Session[] = [];
  recoveries: { player: string; code: string; until: number }[] = [];
  /** Failures at an account without a known device. All requests come from one address. */
  readonly failures = new Map<string, Failures>();
  devices: Device[] = [];
  /** By player and key. */
  readonly responses = new Map<string, StoredResponse>();
  /** Requests with an Idempotency-Key, which may be repeated, and all tokens, also of ended sessions. */
  readonly sent: Request[] = [];
  readonly tokens: string[] = [];
  readonly log: { action: string; actor: string | null; outcome: string }[] = [];

  constructor(now: number, period: number) {
    [this.now, this.period] = [now, period];
  }
}
