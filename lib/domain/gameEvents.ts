/**
 * Game events: which events are pushed, to whom, and with which text. Events of one player are sent to that player; events
 * that concern all players are broadcast.
 */
import * as z from "zod/mini";
import { type Game, gameTime, starvedAt } from "./clock.ts";
import type { Interaction, Kind } from "./interaction.ts";
import type { State } from "./player.ts";
import { nullableText, optionalNumber, text } from "./schemas.ts";
import { HOUR, MINUTE } from "./time.ts";

/** The kinds of push that a player can switch off. */
export const PUSH_KINDS = [
  "tagged",
  "cured",
  "revived",
  "killed",
  "fed",
  "starving",
  "checkpoint",
  "game",
] as const;
export const PushKind = z.enum(PUSH_KINDS);
export type PushKind = z.infer<typeof PushKind>;

/** The push kind of each event. */
const KIND_OF = {
  tagged: "tagged",
  meal_shared: "fed",
  fed: "fed",
  day_added: "fed",
  cured: "cured",
  tag_taken_back: "cured",
  kill_taken_back: "fed",
  revived_human: "revived",
  revived_zombie: "revived",
  killed: "killed",
  checkpoint_missed: "killed",
  starved: "killed",
  starving: "starving",
  checkpoint_set: "checkpoint",
  paused: "game",
  resumed: "game",
} as const satisfies Record<string, PushKind>;

type What = keyof typeof KIND_OF;
const WHAT = Object.keys(KIND_OF).filter((what): what is What => what in KIND_OF);

/** A pushed event. It contains only ids: aliases are looked up when it is delivered. */
export const GameEvent = z.lazy(() =>
  z.object({
    /** Messages with the same id are shown once, so that a message may be delivered twice. */
    id: text,
    what: z.enum(WHAT),
    /** RFC 3339. */
    at: text,
    actor: nullableText,
    /** Only for `starving`: the deadline, in milliseconds of game time. */
    deadline: optionalNumber,
  }),
);
export type GameEvent = z.infer<typeof GameEvent>;

export const pushKindOf = ({ what }: GameEvent): PushKind => KIND_OF[what];

/** An event, and the id of the player it is for; `null` for all players. */
export interface Recipient {
  event: GameEvent;
  to: string | null;
}

const OF_TARGET = {
  hunt: "tagged",
  corpsify: "killed",
  checkpoint_kill: "checkpoint_missed",
  starve: "starved",
  cure: "cured",
  revive_human: "revived_human",
  revive_zombie: "revived_zombie",
  feed: "fed",
  void: "tag_taken_back",
} as const satisfies Partial<Record<Kind, What>>;

const OF_ALL = { add_day: "day_added", pause: "paused", resume: "resumed" } as const satisfies Partial<
  Record<Kind, What>
>;

const hasKey = <T extends object>(table: T, key: string): key is Extract<keyof T, string> => key in table;

/** The events of an interaction, with their recipients. */
export const recipientsOf = (interaction: Interaction): Recipient[] => {
  const { interaction_id: id, kind, at, actor, target, shared_with = [], hunter = null } = interaction;
  const eventOf = (what: What): GameEvent => ({ id, what, at, actor });
  if (hasKey(OF_ALL, kind)) return [{ event: eventOf(OF_ALL[kind]), to: null }];
  if (!hasKey(OF_TARGET, kind) || target === null) return [];
  return [
    { event: eventOf(OF_TARGET[kind]), to: target },
    ...shared_with.map((sharer) => ({ event: eventOf("meal_shared"), to: sharer })),
    ...(hunter === null ? [] : [{ event: eventOf("kill_taken_back"), to: hunter }]),
  ];
};

/** The event of a new checkpoint, for all players. */
export const checkpointEvent = (checkpointId: string, actor: string | null, at: string): GameEvent => ({
  id: checkpointId,
  what: "checkpoint_set",
  at,
  actor,
});

/** How long before their deadline zombies are warned, in milliseconds. */
export const WARN_BEFORE = [6 * HOUR, HOUR] as const;

/**
 * The warning before a deadline.
 * @param before which of {@link WARN_BEFORE}
 */
export const warningOf = (
  playerId: string,
  { deadline, before, epoch }: { deadline: number; before: number; epoch: number },
  at: string,
): GameEvent => ({
  // With the epoch, a warning after an added day has another id.
  id: `starving ${before / HOUR} ${deadline} ${epoch} ${playerId}`,
  what: "starving",
  at,
  actor: null,
  deadline,
});

/** The recipient of a message, in the current state. */
export interface Listener {
  state: State;
  deadline: number | null;
  epoch: number | null;
  /** The kinds that the player has switched on; `null` for all. */
  push_kinds: readonly string[] | null;
}

/** The text of a message. */
export interface PushText {
  title: string;
  body: string;
}

/** The data that texts depend on. */
export interface RenderContext {
  /** The alias of the player who caused the event; `null` if there is none, or if the account was deleted. */
  actor: string | null;
  game: Game;
  /** Milliseconds since 1970. */
  now: number;
}

const formatDuration = (milliseconds: number): string => {
  const minutes = Math.max(1, Math.round(milliseconds / MINUTE));
  if (minutes < 90) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
};

/** Whether a listener is a zombie that has not starved. */
const isLivingZombie = ({ state, deadline, epoch }: Listener, { game, now }: RenderContext): boolean =>
  state === "zombie" &&
  deadline !== null &&
  epoch !== null &&
  starvedAt(game, { deadline, epoch }, now) === null;

const starving = ({ deadline }: GameEvent, listener: Listener, context: RenderContext): PushText | null => {
  // The listener was fed, cured or killed in the meantime.
  if (deadline === undefined || listener.deadline !== deadline || !isLivingZombie(listener, context))
    return null;
  const left = deadline - gameTime(context.game, context.now);
  // A day was added in the meantime.
  if (left > Math.max(...WARN_BEFORE)) return null;
  return {
    title: `You starve in ${formatDuration(left)}`,
    body: "Tag a human before then, or share a feeding.",
  };
};

/**
 * The text of an event for one listener.
 * @returns `null` if the event is outdated, does not apply to the listener, or is switched off
 */
export const textFor = (event: GameEvent, listener: Listener, context: RenderContext): PushText | null => {
  const { push_kinds } = listener;
  if (push_kinds !== null && !push_kinds.includes(pushKindOf(event))) return null;
  const by = context.actor ?? "somebody";
  const { checkpoint } = context.game;
  switch (event.what) {
    case "tagged":
      return {
        title: `You were tagged by ${by}`,
        body: "You are a zombie now. Tag a human before you starve.",
      };
    case "meal_shared":
      return { title: `${by} shared a feeding with you`, body: "You have been fed." };
    case "fed":
      return { title: "You were fed", body: "A game master has fed you." };
    case "day_added":
      return isLivingZombie(listener, context)
        ? { title: "You have one more day", body: "A game master has fed all zombies for a day." }
        : null;
    case "cured":
      return { title: "You were cured", body: "You are human again, with a new tag code." };
    case "tag_taken_back":
      return listener.state === "human"
        ? {
            title: "The tag was taken back",
            body: "You are human. Look up your tag code: it may be a new one.",
          }
        : { title: "A tag was taken back", body: "A game master has ruled that it does not count." };
    case "kill_taken_back":
      return {
        title: "A tag of yours was taken back",
        body: "The tag and its feeding do not count. Check when you starve.",
      };
    case "revived_human":
      return { title: "You were revived", body: "You are human, with a new tag code." };
    case "revived_zombie":
      return { title: "You were revived", body: "You are a zombie. Tag a human before you starve." };
    case "killed":
      return { title: "You were killed", body: "A game master has taken you out of the game." };
    case "checkpoint_missed":
      return { title: "You were killed", body: "You did not pass the checkpoint." };
    case "starved":
      return { title: "You starved", body: "Your feeding deadline has passed." };
    case "starving":
      return starving(event, listener, context);
    case "checkpoint_set":
      // No text if it was replaced or cleared in the meantime.
      return checkpoint?.checkpoint_id === event.id
        ? { title: "There is a checkpoint", body: checkpoint.name }
        : null;
    case "paused":
      if (context.game.paused_at === null) return null;
      return { title: "The game is paused", body: "Nobody starves, and no hunt counts." };
    case "resumed":
      if (context.game.paused_at !== null) return null;
      return { title: "The game has resumed", body: "Every deadline has moved by the length of the pause." };
  }
};
