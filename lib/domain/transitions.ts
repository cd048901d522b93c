/** The states of a player and what leads from one to another (contract, "Transitions" and "Feeding"). */

import { type Game, gameTime, type Hunger, hungerFrom, starvedAt } from "./clock.ts";
import { DomainError } from "./domainError.ts";
import { withFeeding } from "./feeding.ts";
import type { Interaction, Kind } from "./interaction.ts";
import type { CommandContext, IndexCandidate, Outcome } from "./outcome.ts";
import { type FeedingState, type Player, type State, starvation } from "./player.ts";
import { laterOf, rfc3339 } from "./time.ts";

/** Every transition there is; any other is refused. The README's drawing is made from this table. */
export const TRANSITIONS = {
  hunt: { from: ["human"], to: "zombie" },
  starve: { from: ["zombie"], to: "corpse" },
  corpsify: { from: ["human", "zombie"], to: "corpse" },
  checkpoint_kill: { from: ["human", "zombie"], to: "corpse" },
  cure: { from: ["zombie"], to: "human" },
  revive_h: { from: ["corpse", "spectator"], to: "human" },
  revive_z: { from: ["corpse", "spectator"], to: "zombie" },
  void_hunt: { from: ["zombie", "corpse"], to: "human" },
} as const satisfies Record<string, { from: readonly State[]; to: State }>;

const article = (state: State): string => `a ${state}`;

/**
 * Passes when the player is in one of the states.
 * @throws DomainError `wrong_state`, the player's state in its detail
 */
export const requireState = (player: Player, states: readonly State[], deed: string): void => {
  if (states.includes(player.state)) return;
  throw new DomainError(
    "wrong_state",
    `${player.alias} is ${article(player.state)}: only ${states.map(article).join(" or ")} can ${deed}.`,
  );
};

/** An interaction as it happens: now, unless it happened at another time. */
export const newInteraction = (
  kind: Kind,
  target: Pick<Player, "player_id"> | null,
  actor: string | null,
  moment: CommandContext,
  at = rfc3339(moment.now),
): Interaction => ({
  interaction_id: moment.newId(),
  kind,
  at,
  recorded_at: rfc3339(moment.now),
  actor,
  target: target?.player_id ?? null,
});

/** The player as a human with a new tag code; kills and past infections stay in the record. */
export const asHuman = (player: Player, moment: CommandContext): Player => ({
  ...player,
  state: "human",
  tag_code: moment.newCode(),
  code_since: rfc3339(moment.now),
  infection_id: null,
  infected_by: null,
  last_fed_at: null,
  deadline: null,
  epoch: null,
  meals: [],
});

/** The player as a zombie of the given infection, with a full feeding period from now. */
export const asZombie = (
  player: Player,
  game: Game,
  moment: CommandContext,
  infection: { id: string; at: string; by: string | null },
): Player => ({
  ...player,
  ...hungerFrom(game, moment.now, moment.period),
  state: "zombie",
  tag_code: null,
  code_since: null,
  infection_id: infection.id,
  infected_at: infection.at,
  infected_by: infection.by,
  last_fed_at: null,
  meals: [],
});

/** The player as a corpse; the tag code of one who died a human stays, dead. */
export const asCorpse = (player: Player): Player => ({
  ...player,
  state: "corpse",
  deadline: null,
  epoch: null,
});

/**
 * The player with a feeding at `instant` counted: the deadline is the later of what it was and the feeding
 * plus a period. The clock has not changed since `instant`.
 * @param hunt the hunt that feeds, which may be taken back
 */
export const asFed = <P extends FeedingState>(
  player: P,
  game: Game,
  instant: number,
  period: number,
  hunt: string | null = null,
): P => {
  const meal: Hunger = hungerFrom(game, instant, period);
  const kept = player.deadline !== null && player.epoch !== null && player.deadline >= meal.deadline;
  return {
    ...player,
    ...(kept ? {} : meal),
    last_fed_at: laterOf(player.last_fed_at, rfc3339(instant)),
    meals: withFeeding(player, { hunt, ...meal, at: rfc3339(instant) }, game, instant),
  };
};

/** A player as the rules see them, with the starvation to be recorded when that is what they died of. */
export interface StarvationResult {
  player: Player;
  deaths: Interaction[];
}

/** The player as of now: one past the deadline is a corpse, whose starvation at the deadline is recorded. */
export const applyStarvation = (player: Player, game: Game, moment: CommandContext): StarvationResult => {
  const died = starvation(player, game, moment.now);
  if (died === null) return { player, deaths: [] };
  return {
    player: asCorpse(player),
    deaths: [newInteraction("starve", player, null, moment, rfc3339(died))],
  };
};

/** A game master's command upon one player: the outcome, the player after it, and the event it is. */
export interface TargetOutcome extends Outcome {
  player: Player;
  interaction: Interaction;
}

/** What a game master's command upon one player is judged by. */
export interface TargetContext {
  game: Game;
  target: Player;
  /** The game master's player id. */
  actor: string;
}

export type TargetCommand = (scene: TargetContext, moment: CommandContext) => TargetOutcome;

interface Rule {
  kind: Kind;
  from: readonly State[];
  deed: string;
  change: (player: Player, scene: TargetContext, moment: CommandContext, interaction: Interaction) => Player;
  /** What the interaction says beyond who, what and when. */
  details?: Partial<Interaction>;
}

const targetCommand =
  ({ kind, from, deed, change, details }: Rule): TargetCommand =>
  (scene, moment) => {
    const { player, deaths } = applyStarvation(scene.target, scene.game, moment);
    requireState(player, from, deed);
    const interaction = { ...newInteraction(kind, player, scene.actor, moment), ...details };
    const after = change(player, scene, moment, interaction);
    return {
      players: [{ before: scene.target, after }],
      interactions: [...deaths, interaction],
      player: after,
      interaction,
    };
  };

/** Kills a living player. @throws DomainError `wrong_state` */
export const corpsify = targetCommand({
  kind: "corpsify",
  from: TRANSITIONS.corpsify.from,
  deed: "be killed",
  change: (player) => asCorpse(player),
});

/** Makes a zombie human again, with a new tag code. @throws DomainError `wrong_state` */
export const cure = targetCommand({
  kind: "cure",
  from: TRANSITIONS.cure.from,
  deed: "be cured",
  change: (player, _scene, moment) => asHuman(player, moment),
});

/** Makes a corpse or a spectator human, with a new tag code. @throws DomainError `wrong_state` */
export const reviveHuman = targetCommand({
  kind: "revive_human",
  from: TRANSITIONS.revive_h.from,
  deed: "be revived",
  change: (player, _scene, moment) => asHuman(player, moment),
});

/**
 * Makes a corpse or a spectator a zombie whom no player infected: how an original zombie is made.
 * @throws DomainError `wrong_state`
 */
export const reviveZombie = targetCommand({
  kind: "revive_zombie",
  from: TRANSITIONS.revive_z.from,
  deed: "be revived",
  change: (player, { game }, moment, { interaction_id, at }) =>
    asZombie(player, game, moment, { id: interaction_id, at, by: null }),
  details: { parent: null },
});

/** Feeds a zombie now. @throws DomainError `wrong_state` */
export const feedPlayer = targetCommand({
  kind: "feed",
  from: ["zombie"],
  deed: "be fed",
  change: (player, { game }, moment) => asFed(player, game, moment.now, moment.period),
});

/** Records the starvation of a player past the deadline; `null` when there is none to record. */
export const starve = (player: Player, game: Game, moment: CommandContext): Outcome | null => {
  const { player: after, deaths } = applyStarvation(player, game, moment);
  return deaths.length === 0 ? null : { players: [{ before: player, after }], interactions: deaths };
};

/** Feeds a proposed zombie now; `null` for one who has starved. As {@link feedPlayer}. */
export const feedCandidate = (
  zombie: IndexCandidate,
  game: Game,
  actor: string,
  moment: CommandContext,
): Outcome | null => {
  if (starvedAt(game, zombie, moment.now) !== null) return null;
  const { deadline, epoch, meals } = zombie;
  // When it was last fed is not known here, and is before now.
  const after = asFed({ deadline, epoch, meals, last_fed_at: null }, game, moment.now, moment.period);
  return {
    players: [],
    zombies: [{ zombie, after }],
    interactions: [newInteraction("feed", zombie, actor, moment)],
  };
};

/** Records the starvation of a proposed zombie past its deadline; `null` when there is none. As {@link starve}. */
export const starveCandidate = (
  zombie: IndexCandidate,
  game: Game,
  moment: CommandContext,
): Outcome | null => {
  const died = starvedAt(game, zombie, moment.now);
  if (died === null) return null;
  return {
    players: [],
    zombies: [{ zombie, after: null }],
    interactions: [newInteraction("starve", zombie, null, moment, rfc3339(died))],
  };
};

/** Whole seconds of game time that a deadline leaves, never more than there are. */
export const secondsLeft = (game: Game, deadline: number, now: number): number =>
  Math.floor((deadline - gameTime(game, now)) / 1000);
