/**
 * Game events: what is pushed to whom, and with which text. Each event is one entry of {@link EVENTS}, from which
 * everything else is derived.
 */
import * as z from "zod/mini";
import type { Interaction, Kind } from "../hunts/interaction.ts";
import { PAGES } from "../notifications/pages.ts";
import type { PushKind } from "../notifications/pushKinds.ts";
import {
  addedDay,
  drawnOriginal,
  type Listener,
  newCheckpoint,
  newcomersAlarm,
  newRole,
  type PushText,
  pausedGame,
  type RenderContext,
  resumedGame,
  revivedZombie,
  standingTag,
  starvationWarning,
  type TextContext,
  tagged,
  undoneCheckpoint,
  voidedKill,
  voidedTag,
} from "../notifications/pushTexts.ts";
import { nullableText, optionalNumber, optionalText, text } from "../schemas.ts";

/** What triggers an event: an interaction of a kind, an interaction with a more specific meaning, or something else. */
export type Cause =
  | Kind
  | "dispute_stands"
  | "set_checkpoint"
  | "checkpoint_infection"
  | "checkpoint_undone"
  | "admission"
  | "draw"
  | "withdrawal"
  | "return"
  | "near_deadline"
  | "alarm"
  | "give_role";

/** The ids of the players involved in a cause. */
export type Concerned = Partial<Pick<Interaction, "target" | "shared_with" | "hunter">>;

/** The ids of the players who get an event, by audience; `null` stands for all players. */
export const AUDIENCE_IDS = {
  target: ({ target = null }) => (target === null ? [] : [target]),
  sharers: ({ shared_with = [] }) => shared_with,
  hunter: ({ hunter = null }) => (hunter === null ? [] : [hunter]),
  sides: ({ target = null, hunter = null }) => [target, hunter].filter((side) => side !== null),
  everybody: () => [null],
} as const satisfies Record<string, (concerned: Concerned) => readonly (string | null)[]>;

interface EventDefinition {
  cause: Cause;
  /** The push kind. Players switch pushes on and off by kind. */
  kind: PushKind;
  /** The page that it leads to, if it is not that of its kind. */
  page?: string;
  audience: keyof typeof AUDIENCE_IDS;
  /** Whether a push should wake a sleeping device. */
  urgent: boolean;
  /** Whether a device shows only the latest push of this event, so that many at once do not flood it. */
  replaces?: true;
  /** The text for one recipient; `null` if the event is outdated or does not apply. */
  text: (context: TextContext) => PushText | null;
}

/** An event; by default for the player whom it concerns, and not urgent. */
const event = (
  cause: Cause,
  kind: PushKind,
  text: EventDefinition["text"],
  more: Partial<Omit<EventDefinition, "cause" | "kind" | "text">> = {},
): EventDefinition => ({ cause, kind, audience: "target", urgent: false, text, ...more });

/** The text of an event that is the same for all. */
const says = (title: string, body: string) => (): PushText => ({ title, body });

/** The text of an event by which somebody learns that they missed a checkpoint, or too many required missions. */
const missed =
  (title: string, then: string) =>
  ({ event: { of_missions } }: TextContext): PushText => {
    const why = of_missions ? "You attended too few missions." : "You did not pass the checkpoint.";
    return { title, body: `${why}${then}` };
  };

/**
 * All events that are pushed. Never rename one: queue messages contain the names. A new event needs two deployments
 * (decision 25).
 */
export const EVENTS = {
  tagged: event("hunt", "tagged", tagged, { urgent: true }),
  cured: event("cure", "cured", says("You were cured", "You are human again, with a new tag code.")),
  tag_taken_back: event("void", "cured", voidedTag),
  revived_human: event(
    "revive_human",
    "revived",
    says("You were revived", "You are human, with a new tag code."),
  ),
  revived_zombie: event("revive_zombie", "revived", revivedZombie),
  drawn_original: event("draw", "revived", drawnOriginal, { urgent: true }),
  admitted: event(
    "admission",
    "revived",
    says("You were admitted", "You are human, with a tag code of your own."),
  ),
  withdrawn: event(
    "withdrawal",
    "killed",
    says("You do not play any more", "A game master has taken you out of play."),
  ),
  killed: event(
    "corpsify",
    "killed",
    says("You were killed", "A game master has taken you out of the game."),
  ),
  checkpoint_missed: event("checkpoint_kill", "killed", missed("You were killed", "")),
  checkpoint_infected: event(
    "checkpoint_infection",
    "tagged",
    missed("You are a zombie now", " Tag a human before you starve."),
    { urgent: true },
  ),
  checkpoint_undone: event("checkpoint_undone", "revived", undoneCheckpoint, { urgent: true }),
  starved: event("starve", "killed", says("You starved", "Your feeding deadline has passed.")),
  fed: event("feed", "fed", says("You were fed", "You have been fed.")),
  meal_shared: event(
    "hunt",
    "fed",
    ({ actor }) => ({ title: `${actor} shared a feeding with you`, body: "You have been fed." }),
    { audience: "sharers", replaces: true },
  ),
  day_added: event("add_day", "fed", addedDay, { audience: "everybody" }),
  kill_taken_back: event("void", "fed", voidedKill, { audience: "hunter" }),
  tag_stands: event("dispute_stands", "game", standingTag, { audience: "sides" }),
  starving: event("near_deadline", "starving", starvationWarning, { urgent: true }),
  checkpoint_set: event("set_checkpoint", "checkpoint", newCheckpoint, { audience: "everybody" }),
  paused: event("pause", "game", pausedGame, { audience: "everybody" }),
  resumed: event("resume", "game", resumedGame, { audience: "everybody" }),
  alarm: event("alarm", "game", newcomersAlarm, { page: PAGES.now }),
  role_given: event("give_role", "game", newRole, { page: PAGES.now }),
} satisfies Record<string, EventDefinition>;

type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS).filter((name): name is EventName => name in EVENTS);

/** A pushed event. It contains only ids: aliases are looked up when it is delivered. */
export const GameEvent = z.lazy(() =>
  z.object({
    /** A device shows messages with the same id only once, because a message can be delivered twice. */
    id: text,
    what: z.enum(EVENT_NAMES),
    /** RFC 3339. */
    at: text,
    actor: nullableText,
    /** Only for a hunt by a hidden original zombie: when the actor became one, RFC 3339. */
    original_since: optionalText,
    /** Only for a revival by a late tag, which is announced as any: the previous version knows no other name. */
    by_late_tag: z.optional(z.literal(true)),
    /** Only for what the enforcement of required missions did to a player. */
    of_missions: z.optional(z.literal(true)),
    /** Only for what a code or a mission gave and was taken back, which is announced as a tag: see `by_late_tag`. */
    of_reward: z.optional(z.literal(true)),
    /** Only for `starving`: the deadline, in milliseconds of game time. */
    deadline: optionalNumber,
  }),
);
export type GameEvent = z.infer<typeof GameEvent>;

export const pushKindOf = ({ what }: GameEvent): PushKind => EVENTS[what].kind;

/** The pages that events lead to, by their kind. */
const PAGES_OF_KINDS: Record<PushKind, string> = {
  tagged: PAGES.me,
  cured: PAGES.me,
  revived: PAGES.me,
  killed: PAGES.me,
  fed: PAGES.me,
  starving: PAGES.tag,
  checkpoint: PAGES.checkpoint,
  missions: PAGES.missions,
  game: PAGES.feed,
};

/** The path of the page that an event leads to, from its push and in the inbox. */
export const pageOf = ({ what }: GameEvent): string => {
  const { kind, page = PAGES_OF_KINDS[kind] }: EventDefinition = EVENTS[what];
  return page;
};

/** Whether a push of the event should wake a sleeping device. */
export const isUrgent = ({ what }: GameEvent): boolean => EVENTS[what].urgent;

/** The tag of a push, of which a device shows only the latest: the event's id, or its name if it `replaces`. */
export const tagOf = ({ id, what }: GameEvent): string => {
  const { replaces }: EventDefinition = EVENTS[what];
  return replaces === true ? what : id;
};

/**
 * The text of an event for one listener.
 * @returns `null` if the event is outdated, does not apply to the listener, or is switched off
 */
export const textFor = (event: GameEvent, listener: Listener, context: RenderContext): PushText | null => {
  const { kind, text: textOf } = EVENTS[event.what];
  if (listener.push_kinds !== null && !listener.push_kinds.includes(kind)) return null;
  return textOf({ ...context, actor: context.actor ?? "somebody", event, listener });
};
