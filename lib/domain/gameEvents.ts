/**
 * Announcements: which events of the game are pushed, to whom, and what they say. An interaction is announced to whom
 * it befell; what concerns everybody is broadcast.
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

/** What happened, and under which kind it is pushed. */
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

/** An event of the game that is pushed. It holds ids alone: names are looked up when it is told. */
export const GameEvent = z.lazy(() =>
  z.object({
    /** A message of an event that comes twice has the same id, and shows once. */
    id: text,
    what: z.enum(WHAT),
    /** RFC 3339. */
    at: text,
    actor: nullableText,
    /** The deadline that is near, in milliseconds of game time; of `starving` alone. */
    deadline: optionalNumber,
  }),
);
export type GameEvent = z.infer<typeof GameEvent>;

export const pushKindOf = ({ what }: GameEvent): PushKind => KIND_OF[what];

/** An event, and the player whom it befell; `null` when it concerns everybody. */
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

const among = <T extends object>(table: T, key: string): key is Extract<keyof T, string> => key in table;

/** Whom an interaction concerns, and what each of them is told. */
export const recipientsOf = (interaction: Interaction): Recipient[] => {
  const { interaction_id: id, kind, at, actor, target, shared_with = [], hunter = null } = interaction;
  const about = (what: What): GameEvent => ({ id, what, at, actor });
  if (among(OF_ALL, kind)) return [{ event: about(OF_ALL[kind]), to: null }];
  if (!among(OF_TARGET, kind) || target === null) return [];
  return [
    { event: about(OF_TARGET[kind]), to: target },
    ...shared_with.map((sharer) => ({ event: about("meal_shared"), to: sharer })),
    ...(hunter === null ? [] : [{ event: about("kill_taken_back"), to: hunter }]),
  ];
};

/** A new checkpoint, which concerns everybody. */
export const checkpointEvent = (checkpointId: string, actor: string | null, at: string): GameEvent => ({
  id: checkpointId,
  what: "checkpoint_set",
  at,
  actor,
});

/** How long before they starve zombies are warned: in six hours, and in one. */
export const WARN_BEFORE = [6 * HOUR, HOUR] as const;

/** A deadline that is near: warned of once for each of `WARN_BEFORE`. */
export const warningOf = (
  playerId: string,
  { deadline, before, epoch }: { deadline: number; before: number; epoch: number },
  at: string,
): GameEvent => ({
  // With the game's epoch: after an added day it is another warning.
  id: `starving ${before / HOUR} ${deadline} ${epoch} ${playerId}`,
  what: "starving",
  at,
  actor: null,
  deadline,
});

/** Whom an event is told to, as they are now. */
export interface Listener {
  state: State;
  deadline: number | null;
  epoch: number | null;
  /** The kinds that the player has left on; all of them when `null`. */
  push_kinds: readonly string[] | null;
}

/** What an event says, in words. */
export interface PushText {
  title: string;
  body: string;
}

/** What an event is told by. */
export interface RenderContext {
  /** The alias of whoever did it; `null` for nobody, and for one who has left. */
  actor: string | null;
  game: Game;
  /** Milliseconds since 1970. */
  now: number;
}

const inWords = (milliseconds: number): string => {
  const minutes = Math.max(1, Math.round(milliseconds / MINUTE));
  if (minutes < 90) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
};

/** Whether a listener is a zombie that has not starved yet. */
const livesAsZombie = ({ state, deadline, epoch }: Listener, { game, now }: RenderContext): boolean =>
  state === "zombie" &&
  deadline !== null &&
  epoch !== null &&
  starvedAt(game, { deadline, epoch }, now) === null;

const starving = ({ deadline }: GameEvent, listener: Listener, telling: RenderContext): PushText | null => {
  // Fed, cured or dead since: there is nothing to warn of.
  if (deadline === undefined || listener.deadline !== deadline || !livesAsZombie(listener, telling))
    return null;
  const left = deadline - gameTime(telling.game, telling.now);
  // A day was added since.
  if (left > Math.max(...WARN_BEFORE)) return null;
  return { title: `You starve in ${inWords(left)}`, body: "Tag a human before then, or share a meal." };
};

/**
 * What an event says to one listener.
 * @returns `null` for what has been overtaken, does not concern them, or has been switched off by them
 */
export const textFor = (event: GameEvent, listener: Listener, telling: RenderContext): PushText | null => {
  const { push_kinds } = listener;
  if (push_kinds !== null && !push_kinds.includes(pushKindOf(event))) return null;
  const by = telling.actor ?? "somebody";
  const { checkpoint } = telling.game;
  switch (event.what) {
    case "tagged":
      return {
        title: `You were tagged by ${by}`,
        body: "You are a zombie now. Tag a human before you starve.",
      };
    case "meal_shared":
      return { title: `${by} shared a meal with you`, body: "You have been fed." };
    case "fed":
      return { title: "You were fed", body: "A game master has fed you." };
    case "day_added":
      return livesAsZombie(listener, telling)
        ? { title: "You have a day more", body: "A game master has fed all zombies for a day." }
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
        body: "It does not count, nor does the meal. See when you starve.",
      };
    case "revived_human":
      return { title: "You were revived", body: "You are human, with a new tag code." };
    case "revived_zombie":
      return { title: "You were revived", body: "You are a zombie. Tag a human before you starve." };
    case "killed":
      return { title: "You were killed", body: "A game master has taken you out of the game." };
    case "checkpoint_missed":
      return { title: "You were killed", body: "You did not go through the checkpoint." };
    case "starved":
      return { title: "You starved", body: "Your feeding deadline has passed." };
    case "starving":
      return starving(event, listener, telling);
    case "checkpoint_set":
      // Another has taken its place, or it was cleared.
      return checkpoint?.checkpoint_id === event.id
        ? { title: "There is a checkpoint", body: checkpoint.name }
        : null;
    case "paused":
      if (telling.game.paused_at === null) return null;
      return { title: "The game is paused", body: "Nobody starves, and no hunt counts." };
    case "resumed":
      if (telling.game.paused_at !== null) return null;
      return { title: "The game goes on", body: "Every deadline is later by the length of the pause." };
  }
};
