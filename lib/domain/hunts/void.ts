/** Voids: a game master reverts a hunt (decision 17). */
import { DomainError } from "../domainError.ts";
import type { Game } from "../game/game.ts";
import type { CommandContext, Outcome, PlayerChange } from "../outcome.ts";
import { type Player, type State, stateOf, type Zombie } from "../players/player.ts";
import { applyStarvation, asHuman, newInteraction } from "../players/transitions.ts";
import { withoutKillOf } from "../players/visibility.ts";
import { hasUnknownFeedings, withoutFeeding } from "../starvation/feeding.ts";
import type { EFFECTS } from "./effects.ts";
import type { Interaction } from "./interaction.ts";

/** One effect on one player. The fields describe the player after the void. */
export interface Effect {
  /** A player id. */
  player: string;
  effect: (typeof EFFECTS)[number];
  /** `null` for a player who has left. */
  state: State | null;
  /** For `kill_taken_back`. */
  kills?: number;
  /** For `points_taken_back`. */
  points?: number;
  /** For `meal_taken_back`, `meal_kept` and `zombie_again`: milliseconds of game time; `null` for a player who is not a zombie. */
  deadline?: number | null;
  /** For `starved`: RFC 3339. */
  at?: string;
}

/** The data that a void is based on. */
export interface VoidContext {
  game: Game;
  hunt: Interaction;
  /** Prey, hunter and sharers of the hunt, by id; without players who have left the game. */
  named: ReadonlyMap<string, Player>;
  /** The players whom the prey infected as a zombie of this hunt. */
  infected: readonly { infection_id: string; player: Player }[];
  /** The game master's player id. */
  actor: string;
  reason: string;
}

/** The outcome of a void. The hunt must be marked in the same transaction. */
export interface VoidOutcome extends Outcome {
  interaction: Interaction;
  effects: Effect[];
}

/**
 * Checks that an interaction is a hunt that can be voided.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const requireHunt = (interaction: Interaction | null): Interaction => {
  if (interaction === null) throw new DomainError("not_found", "There is no such interaction.");
  const { kind, voided_by } = interaction;
  if (kind !== "hunt") {
    throw new DomainError("wrong_state", `This interaction has the kind ${kind}: only a hunt can be voided.`);
  }
  if (voided_by !== undefined) throw new DomainError("wrong_state", "This tag has already been voided.");
  return interaction;
};

/** The result of a void for one player: changes, recorded deaths and effects. */
interface PlayerResult {
  changes: PlayerChange[];
  deaths: Interaction[];
  effects: Effect[];
}

const effectOn = (player: Player, effect: Effect["effect"], more: Partial<Effect> = {}): Effect => ({
  player: player.player_id,
  effect,
  state: player.state,
  ...more,
});

const unchanged = (id: string | null, player: Player | null, state: State | null): PlayerResult => ({
  changes: [],
  deaths: [],
  effects: id === null ? [] : [{ player: player?.player_id ?? id, effect: "unchanged", state }],
});

/** Makes the prey human again, even if it has died as a zombie of this hunt. */
const revertPrey = ({ hunt, named, game }: VoidContext, command: CommandContext): PlayerResult => {
  const before = named.get(hunt.target ?? "");
  if (before === undefined) return unchanged(hunt.target, null, null);
  // A spectator was taken out of play by a game master, and returns only by another command.
  if (before.infection_id !== hunt.interaction_id || before.state === "spectator") {
    return unchanged(hunt.target, before, stateOf(before, game, command.now));
  }
  const human = asHuman(before, command);
  // Without the tag, the life before it continues.
  const after = { ...human, human_since: hunt.human_since ?? human.human_since };
  return {
    changes: [{ before, after }],
    deaths: applyStarvation(before, game, command).deaths,
    effects: [effectOn(after, "human_again")],
  };
};

/** Whether a zombie is still in the life in which the hunt fed it. */
const isSameLife = (
  { player_id, infection_id }: Zombie,
  { interaction_id, parent, actor }: Interaction,
): boolean =>
  // A hunt does not record its sharers' infections. Ids sort by time: an infection before the hunt is the same life.
  player_id === actor ? infection_id === parent : infection_id < interaction_id;

/** Removes the feeding by a hunt or a reward from a player. The player starves if only this feeding kept them alive. */
export const revertFeeding = (
  player: Player,
  { hunt, game }: Pick<VoidContext, "hunt" | "game">,
  command: CommandContext,
): Omit<PlayerResult, "changes"> & { player: Player } => {
  const after = withoutFeeding(player, hunt.interaction_id, game, command.now);
  if (after === null) {
    const isKept = player.state === "zombie" && isSameLife(player, hunt) && hasUnknownFeedings(player);
    const { deadline } = player;
    return {
      player,
      deaths: [],
      effects: isKept ? [effectOn(player, "meal_kept", { deadline })] : [],
    };
  }
  const { player: afterStarvation, deaths } = applyStarvation(after, game, command);
  const reverted = effectOn(afterStarvation, "meal_taken_back", { deadline: afterStarvation.deadline });
  const starved = deaths.map(({ at }) => effectOn(afterStarvation, "starved", { at }));
  return { player: afterStarvation, deaths, effects: [reverted, ...starved] };
};

/** Reverts the effects on the hunter or a sharer, after recording a starvation that is due despite the feeding. */
const revertFed = (id: string, context: VoidContext, command: CommandContext): PlayerResult => {
  const before = context.named.get(id);
  if (before === undefined) return unchanged(id, null, null);
  const { player: afterStarvation, deaths } = applyStarvation(before, context.game, command);
  const fed = revertFeeding(afterStarvation, context, command);
  const isHunter = id === context.hunt.actor;
  const after = isHunter ? withoutKillOf(fed.player, context.hunt) : fed.player;
  const kill = isHunter ? [effectOn(after, "kill_taken_back", { kills: after.kills })] : [];
  const effects = [...kill, ...fed.effects];
  return {
    changes: [{ before, after }],
    deaths: [...deaths, ...fed.deaths],
    effects: effects.length > 0 ? effects : [effectOn(after, "unchanged")],
  };
};

/** The players whom the prey infected as a zombie of this hunt, and who are still zombies because of that infection. */
const remainingZombies = ({ infected, game }: VoidContext, now: number): Effect[] =>
  infected
    .filter(({ player, infection_id }) => player.infection_id === infection_id)
    .filter(({ player }) => stateOf(player, game, now) === "zombie")
    .map(({ player }) => effectOn(player, "stays_zombie"));

/**
 * Voids a hunt: the prey becomes human with a new tag code, the hunt's kill and feedings are removed, and players whom
 * the prey infected stay zombies. A player who would have starved without the feeding is recorded as starved at that
 * deadline; their later hunts stay valid.
 * @throws DomainError `wrong_state` if it is not a hunt, or is already voided
 */
export const voidHunt = (context: VoidContext, command: CommandContext): VoidOutcome => {
  const { actor, reason } = context;
  const hunt = requireHunt(context.hunt);
  const { interaction_id: voids, target, actor: hunter, shared_with = [] } = hunt;
  const fed = [...(hunter === null ? [] : [hunter]), ...shared_with];
  const results = [revertPrey(context, command), ...fed.map((id) => revertFed(id, context, command))];
  const deaths = results.flatMap(({ deaths }) => deaths);
  const interaction: Interaction = {
    ...newInteraction("void", null, actor, command),
    target,
    voids,
    hunter,
    reason,
    ...(hunt.cover === undefined ? {} : { cover: { ...hunt.cover, kind: "void" } }),
  };
  return {
    players: results.flatMap(({ changes }) => changes),
    interactions: [...deaths, interaction],
    interaction,
    effects: [...results.flatMap(({ effects }) => effects), ...remainingZombies(context, command.now)],
  };
};
