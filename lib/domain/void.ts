/** The void: a game master takes a hunt back, as if the tag had not been (decision 17). */
import type { Game } from "./clock.ts";
import { DomainError } from "./domainError.ts";
import { hasUnknownFeedings, withoutFeeding } from "./feeding.ts";
import type { Interaction } from "./interaction.ts";
import { withoutKill } from "./kills.ts";
import type { CommandContext, Outcome, PlayerChange } from "./outcome.ts";
import { type Player, type State, stateOf } from "./player.ts";
import { applyStarvation, asHuman, newInteraction } from "./transitions.ts";

/** What a void does to a player; the players that it leaves alone are named too, so that nobody is forgotten. */
export const EFFECTS = [
  /** The prey is human, with a new tag code. */
  "human_again",
  /** The hunter has one kill less. */
  "kill_taken_back",
  /** The deadline is what it would be without the meal. */
  "meal_taken_back",
  /** The meal was not written down: the deadline stays. */
  "meal_kept",
  /** Without the meal they starved. */
  "starved",
  /** Infected by the prey, and a zombie still. */
  "stays_zombie",
  /** Lives another life by now, or has left the game. */
  "unchanged",
] as const;

/** One effect upon one player, as they are after it. */
export interface Effect {
  /** A player id. */
  player: string;
  effect: (typeof EFFECTS)[number];
  /** `null` for one who has left. */
  state: State | null;
  /** Of `kill_taken_back`. */
  kills?: number;
  /** Of the meals: milliseconds of game time, `null` for one who is no zombie. */
  deadline?: number | null;
  /** Of `starved`: when, RFC 3339. */
  at?: string;
}

/** What a void is judged by. */
export interface VoidContext {
  game: Game;
  hunt: Interaction;
  /** Everybody whom the hunt names and who has not left the game, by id. */
  named: ReadonlyMap<string, Player>;
  /** Whom the prey has infected in the life that the hunt began. */
  infected: readonly { infection_id: string; player: Player }[];
  /** The game master's player id. */
  actor: string;
  reason: string;
}

/** What a void comes to; the hunt is to be marked in the same transaction. */
export interface VoidOutcome extends Outcome {
  interaction: Interaction;
  effects: Effect[];
}

/**
 * Passes a hunt that can be taken back.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const requireHunt = (interaction: Interaction | null): Interaction => {
  if (interaction === null) throw new DomainError("not_found", "There is no such interaction.");
  const { kind, voided_by } = interaction;
  if (kind !== "hunt") {
    throw new DomainError(
      "wrong_state",
      `This interaction is of the kind ${kind}: only a hunt can be taken back.`,
    );
  }
  if (voided_by !== undefined) throw new DomainError("wrong_state", "This hunt has been taken back already.");
  return interaction;
};

/** What becomes of one player: how they change, the deaths to be recorded, and what is told of it. */
interface Fate {
  changes: PlayerChange[];
  deaths: Interaction[];
  effects: Effect[];
}

const upon = (player: Player, effect: Effect["effect"], more: Partial<Effect> = {}): Effect => ({
  player: player.player_id,
  effect,
  state: player.state,
  ...more,
});

const untouched = (id: string | null, player: Player | null, state: State | null): Fate => ({
  changes: [],
  deaths: [],
  effects: id === null ? [] : [{ player: player?.player_id ?? id, effect: "unchanged", state }],
});

/** The prey, human again, whatever they died of in the life that the hunt began. */
const fateOfPrey = ({ hunt, named, game }: VoidContext, moment: CommandContext): Fate => {
  const before = named.get(hunt.target ?? "");
  if (before === undefined) return untouched(hunt.target, null, null);
  if (before.infection_id !== hunt.interaction_id) {
    return untouched(hunt.target, before, stateOf(before, game, moment.now));
  }
  const after = asHuman(before, moment);
  return {
    changes: [{ before, after }],
    deaths: applyStarvation(before, game, moment).deaths,
    effects: [upon(after, "human_again")],
  };
};

/** Whether a player still lives, or has died of, the life in which the hunt fed them. */
const isThatLife = ({ infection_id }: Player, { interaction_id, parent, actor }: Interaction, id: string) =>
  // Of sharers the hunt does not say which life it was; ids of events are in the order of time.
  infection_id !== null && (id === actor ? infection_id === parent : infection_id < interaction_id);

/** One whom the hunt fed: without the meal, and dead where only the meal kept them alive. */
const hunterWithoutFeeding = (
  player: Player,
  { hunt, game }: VoidContext,
  moment: CommandContext,
): Omit<Fate, "changes"> & { player: Player } => {
  const after = withoutFeeding(player, hunt.interaction_id, game, moment.now);
  if (after === null) {
    const isKept = isThatLife(player, hunt, player.player_id) && hasUnknownFeedings(player);
    const { deadline } = player;
    return {
      player,
      deaths: [],
      effects: isKept ? [upon(player, "meal_kept", { deadline })] : [],
    };
  }
  const { player: settled, deaths } = applyStarvation(after, game, moment);
  const taken = upon(settled, "meal_taken_back", { deadline: settled.deadline });
  const starved = deaths.map(({ at }) => upon(settled, "starved", { at }));
  return { player: settled, deaths, effects: [taken, ...starved] };
};

/** A hunter or a sharer. Who had starved in spite of the meal did so then, whatever is taken back now. */
const fateOfFed = (id: string, scene: VoidContext, moment: CommandContext): Fate => {
  const before = scene.named.get(id);
  if (before === undefined) return untouched(id, null, null);
  const { player: settled, deaths } = applyStarvation(before, scene.game, moment);
  const fed = hunterWithoutFeeding(settled, scene, moment);
  const isHunter = id === scene.hunt.actor;
  const after = isHunter ? withoutKill(fed.player, scene.hunt.interaction_id) : fed.player;
  const kill = isHunter ? [upon(after, "kill_taken_back", { kills: after.kills })] : [];
  const effects = [...kill, ...fed.effects];
  return {
    changes: [{ before, after }],
    deaths: [...deaths, ...fed.deaths],
    effects: effects.length > 0 ? effects : [upon(after, "unchanged")],
  };
};

/** Those whom the prey infected in the life that is taken back, and who live in that infection still. */
const stillZombies = ({ infected, game }: VoidContext, now: number): Effect[] =>
  infected
    .filter(({ player, infection_id }) => player.infection_id === infection_id)
    .filter(({ player }) => stateOf(player, game, now) === "zombie")
    .map(({ player }) => upon(player, "stays_zombie"));

/**
 * Takes a hunt back: the prey is human again with a new tag code, the kill and the meals that the hunt gave are taken
 * back, and those whom the prey infected stay zombies. Who would have starved without the meal starved at that
 * deadline; what they did after it stays.
 * @throws DomainError `wrong_state` for what is no hunt, or was taken back before
 */
export const voidHunt = (scene: VoidContext, moment: CommandContext): VoidOutcome => {
  const { actor, reason } = scene;
  const hunt = requireHunt(scene.hunt);
  const { interaction_id: voids, target, actor: hunter, shared_with = [] } = hunt;
  const fed = [...(hunter === null ? [] : [hunter]), ...shared_with];
  const fates = [fateOfPrey(scene, moment), ...fed.map((id) => fateOfFed(id, scene, moment))];
  const deaths = fates.flatMap((fate) => fate.deaths);
  const interaction: Interaction = {
    ...newInteraction("void", null, actor, moment),
    target,
    voids,
    hunter,
    reason,
  };
  return {
    players: fates.flatMap(({ changes }) => changes),
    interactions: [...deaths, interaction],
    interaction,
    effects: [...fates.flatMap(({ effects }) => effects), ...stillZombies(scene, moment.now)],
  };
};
