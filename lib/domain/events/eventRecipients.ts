/** Who gets which game events, by what causes them. */
import type { Interaction } from "../hunts/interaction.ts";
import { HOUR } from "../time.ts";
import {
  AUDIENCE_IDS,
  type Cause,
  type Concerned,
  EVENT_NAMES,
  EVENTS,
  type GameEvent,
} from "./gameEvents.ts";

/** An event, and the id of the player who gets it; `null` for all players. */
export interface Recipient {
  event: GameEvent;
  to: string | null;
}

/** The events that follow from a cause, with their recipients. */
const eventsOf = (cause: Cause, fields: Omit<GameEvent, "what">, concerned: Concerned): Recipient[] =>
  EVENT_NAMES.filter((what) => EVENTS[what].cause === cause).flatMap((what) =>
    AUDIENCE_IDS[EVENTS[what].audience](concerned).map((to) => ({ event: { ...fields, what }, to })),
  );

const causeOf = ({ kind, checkpoint_id, admitted, drawn, withdrawn, returned }: Interaction): Cause => {
  // It happened while the player was away: no news for anybody.
  if (returned === true) return "return";
  if (checkpoint_id !== undefined) return kind === "void" ? "checkpoint_undone" : "checkpoint_infection";
  if (admitted === true) return "admission";
  if (drawn === true) return "draw";
  if (withdrawn === true) return "withdrawal";
  return kind === "revived_by_late_tag" ? "revive_zombie" : kind;
};

/** The events of an interaction, with their recipients. */
export const recipientsOf = (interaction: Interaction): Recipient[] => {
  const { interaction_id: id, kind, at, actor, waiting_since, voided_by, cover, reward } = interaction;
  const missed = interaction.of_missions === true ? { of_missions: true as const } : {};
  // The prey reported this tag. The push is sent when the hunter is known.
  if (waiting_since !== undefined) return [];
  // A late tag has undone it.
  if (kind === "starve" && voided_by !== undefined) return [];
  // Nobody else is concerned. The field `hunter` only protects a hidden original zombie.
  if (reward !== undefined && kind === "void")
    return eventsOf("void", { id, at, actor, of_reward: true }, { target: interaction.target });
  // The player has just entered the code.
  if (reward?.source === "code") return [];
  const original_since = kind === "hunt" ? cover?.since : undefined;
  const original = original_since === undefined ? {} : { original_since };
  const late = kind === "revived_by_late_tag" ? { by_late_tag: true as const } : {};
  return eventsOf(causeOf(interaction), { id, at, actor, ...original, ...late, ...missed }, interaction);
};

/** The events of a dispute that a game master, the actor, has resolved for the hunter, with their recipients. */
export const disputeEvents = (
  { interaction_id, target, actor: hunter }: Interaction,
  actor: string | null,
  at: string,
): Recipient[] =>
  eventsOf("dispute_stands", { id: `dispute ${interaction_id}`, at, actor }, { target, hunter });

/** The events of a new checkpoint, with their recipients. */
export const checkpointEvents = (id: string, actor: string | null, at: string): Recipient[] =>
  eventsOf("set_checkpoint", { id, at, actor }, {});

/** The events of a role that a player got, with their recipients. */
export const roleEvents = (id: string, target: string, at: string): Recipient[] =>
  eventsOf("give_role", { id, at, actor: null }, { target });

/** The events of an alert for game masters, with their recipients. @param actor the player id of the hunter */
export const alertEvents = (
  id: string,
  actor: string,
  at: string,
  administrators: readonly string[],
): Recipient[] => administrators.flatMap((target) => eventsOf("alarm", { id, at, actor }, { target }));

/**
 * The events of a deadline that is near, with their recipients.
 * @param before how long before the deadline the warning is due: one of `WARN_BEFORE`
 */
export const warningsOf = (
  playerId: string,
  { deadline, before, epoch }: { deadline: number; before: number; epoch: number },
  at: string,
): Recipient[] => {
  // The epoch is part of the id: after an added day, a new warning must be shown.
  const id = `starving ${before / HOUR} ${deadline} ${epoch} ${playerId}`;
  return eventsOf("near_deadline", { id, at, actor: null, deadline }, { target: playerId });
};
