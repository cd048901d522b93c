/** The texts of pushed events that depend on the game or the recipient, and the data that texts depend on. */
import { gameTime, starvedAt } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { State } from "../players/player.ts";
import { nextText, situationOf } from "../players/situation.ts";
import { SITUATION_TEXTS } from "../players/situationTexts.ts";
import { HOUR, MINUTE } from "../time.ts";

/** The recipient of a message, as they are at the time of delivery. */
export interface Listener {
  state: State;
  deadline: number | null;
  epoch: number | null;
  is_admin?: unknown;
  is_moderator?: unknown;
  /** The push kinds that the player has switched on; `null` for all. */
  push_kinds: readonly string[] | null;
}

export interface PushText {
  title: string;
  body: string;
}

/** The actor, the game and the time at the delivery of an event. */
export interface RenderContext {
  /** The alias of the player who caused the event; `null` if there is none, or if the account was deleted. */
  actor: string | null;
  game: Game;
  /** Milliseconds since 1970. */
  now: number;
}

export interface TextContext extends RenderContext {
  /** The alias of the player who caused the event, or "somebody". */
  actor: string;
  event: {
    id: string;
    deadline?: number | undefined;
    by_late_tag?: true | undefined;
    of_missions?: true | undefined;
    of_reward?: true | undefined;
  };
  listener: Listener;
}

/** How long before their deadline zombies are warned, in milliseconds. */
export const WARN_BEFORE = [6 * HOUR, HOUR] as const;

const formatDuration = (milliseconds: number): string => {
  const minutes = Math.max(1, Math.round(milliseconds / MINUTE));
  if (minutes < 90) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
};

/** Whether the listener is a zombie that has not starved. */
const isLivingZombie = ({ listener: { state, deadline, epoch }, game, now }: TextContext): boolean =>
  state === "zombie" &&
  deadline !== null &&
  epoch !== null &&
  starvedAt(game, { deadline, epoch }, now) === null;

export const starvationWarning = (context: TextContext): PushText | null => {
  const { event, listener, game, now } = context;
  const { deadline } = event;
  // The listener was fed, cured or killed in the meantime.
  if (deadline === undefined || listener.deadline !== deadline || !isLivingZombie(context)) return null;
  const remainingMs = deadline - gameTime(game, now);
  // A day was added in the meantime.
  if (remainingMs > Math.max(...WARN_BEFORE)) return null;
  return {
    title: `You starve in ${formatDuration(remainingMs)}`,
    body: "Tag a human before then, or share a feeding.",
  };
};

export const addedDay = (context: TextContext): PushText | null =>
  isLivingZombie(context)
    ? { title: "You have one more day", body: "A game master has fed all zombies for a day." }
    : null;

export const tagged = ({ actor, listener }: TextContext): PushText => ({
  title: `You were tagged by ${actor}`,
  // The player may have reported the tag long ago, and may not be a zombie any more.
  body:
    listener.state === "zombie"
      ? "You are a zombie now. Tag a human before you starve."
      : "The tag counts for them.",
});

/** The text of a revival; `null` if it was by a late tag and the listener does not live any more. */
export const revivedZombie = (context: TextContext): PushText | null => {
  if (context.event.by_late_tag !== true)
    return { title: "You were revived", body: "You are a zombie. Tag a human before you starve." };
  return isLivingZombie(context)
    ? { title: "You live again", body: "You tagged somebody before you starved. Check when you starve now." }
    : null;
};

/** A code or a mission gave something, which a game master has taken back. */
const takenBackReward = ({ state }: Listener): PushText => ({
  title: "Something you got was taken back",
  body: `A game master has taken back what a code or a mission gave you.${state === "zombie" ? " Check when you starve." : ""}`,
});

export const voidedTag = ({ event, listener }: TextContext): PushText => {
  if (event.of_reward === true) return takenBackReward(listener);
  return listener.state === "human"
    ? { title: "The tag was taken back", body: "You are human. Look up your tag code: it may be a new one." }
    : { title: "A tag was taken back", body: "A game master has ruled that it does not count." };
};

export const undoneCheckpoint = ({ listener }: TextContext): PushText => ({
  title: "The checkpoint was undone",
  body:
    listener.state === "zombie"
      ? "You are a zombie as before. Check when you starve."
      : listener.state === "human"
        ? "You are human as before, with the same tag code."
        : "You are what you were before.",
});

/** The text of a new checkpoint; `null` if it was replaced or cleared in the meantime. */
export const newCheckpoint = ({ event, game: { checkpoint } }: TextContext): PushText | null =>
  checkpoint?.checkpoint_id === event.id ? { title: "There is a checkpoint", body: checkpoint.name } : null;

export const pausedGame = ({ game, now }: TextContext): PushText | null =>
  game.paused_at === null
    ? null
    : { title: SITUATION_TEXTS[situationOf(game, now)].title, body: nextText(game, now) };

export const resumedGame = ({ game, now }: TextContext): PushText | null =>
  game.paused_at === null
    ? {
        title: "The game has resumed",
        body: `Every deadline has moved by the length of the pause. ${nextText(game, now)}`,
      }
    : null;

/** The text for a player who got a role; `null` if it was taken away in the meantime. */
export const newRole = ({ listener: { is_admin, is_moderator } }: TextContext): PushText | null => {
  if (is_admin === true)
    return { title: "You are a game master now", body: "Open Run: you can run the whole game." };
  if (is_moderator !== true) return null;
  return {
    title: "You are a moderator now",
    body: "Open Run: you can find players, check them in and feed them, and comment on disputes.",
  };
};
export const newcomersAlarm = ({ actor }: TextContext): PushText => ({
  title: "Look at the tags of newcomers",
  body: `${actor} has tagged several players within an hour who had registered from one address.`,
});

export const drawnOriginal = (): PushText => ({
  title: "You are an original zombie",
  body: "You were drawn. Tag a human before you starve.",
});

export const voidedKill = (): PushText => ({
  title: "A tag of yours was taken back",
  body: "The tag and its feeding do not count. Check when you starve.",
});

export const standingTag = (): PushText => ({
  title: "The tag stands",
  body: "A game master has resolved the dispute: the tag counts.",
});
