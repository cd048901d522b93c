/** The transitions between the states of a player, and feeding (docs/api.md, "Time"). */
import { PRINTED_LABEL } from "../accounts/printedLabel.ts";
import { DomainError } from "../domainError.ts";
import { feedingDeadlineFrom } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { Interaction, Kind } from "../hunts/interaction.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import { asFed } from "../starvation/feeding.ts";
import { rfc3339 } from "../time.ts";
import { mustSign } from "../waiver/mustSign.ts";
import {
  HELD,
  type Human,
  isPending,
  type Player,
  type PlayerIn,
  type State,
  starvation,
  type Zombie,
} from "./player.ts";
import { TRANSITIONS } from "./states.ts";
import {
  newCover,
  requireMayEnterPlay,
  survivedUnderCover,
  wasKnownAsZombie,
  withCoverState,
} from "./visibility.ts";

const isIn = <S extends State>(player: Player, states: readonly S[]): player is PlayerIn<S> =>
  states.some((state) => state === player.state);

/**
 * The player, who must be in one of the states.
 * @param action completes the sentence "only a zombie can …"
 * @throws DomainError `wrong_state`
 */
export const requireState = <S extends State>(
  player: Player,
  states: readonly S[],
  action: string,
): PlayerIn<S> => {
  if (isIn(player, states)) return player;
  throw new DomainError(
    "wrong_state",
    `${player.alias} is a ${player.state}: only a ${states.join(" or a ")} can ${action}.`,
  );
};

/** A new interaction. @param at when it happened, RFC 3339; by default now */
export const newInteraction = (
  kind: Kind,
  target: Pick<Player, "player_id"> | null,
  actor: string | null,
  command: CommandContext,
  at = rfc3339(command.now),
): Interaction => ({
  interaction_id: command.newId(),
  kind,
  at,
  recorded_at: rfc3339(command.now),
  actor,
  target: target?.player_id ?? null,
  // An interaction without an actor, such as starving, has no reason.
  ...(actor !== null && command.reason !== undefined ? { reason: command.reason } : {}),
});

/** A player whom a game master lets play: what had to be decided about a newcomer is decided. */
const admitted = <P extends Player>(player: P): P =>
  isPending(player)
    ? { ...player, held: undefined, waits: undefined, review: undefined }
    : { ...player, held: undefined };

/** The labels of a player who gets another tag code than the one that may be printed. */
const withoutPrinted = ({ labels }: Player): string[] =>
  labels.includes(PRINTED_LABEL) ? labels.filter((label) => label !== PRINTED_LABEL) : labels;

/**
 * Makes a player human, with a new tag code. Kills and the time of the last infection stay. A hidden original zombie
 * keeps the survival time that others see.
 */
export const asHuman = (player: Player, command: CommandContext): Human => ({
  ...admitted(player),
  state: "human",
  labels: withoutPrinted(player),
  tag_code: command.newCode(),
  code_since: rfc3339(command.now),
  human_since: survivedUnderCover(player) ?? rfc3339(command.now),
  infection_id: null,
  infected_by: null,
  infected_by_original_since: null,
  last_fed_at: null,
  deadline: null,
  epoch: null,
  meals: [],
  saw_secrets_at: undefined,
});

/** Makes a player a zombie, with a full feeding period from now. */
export const asZombie = (
  player: Player,
  game: Game,
  command: CommandContext,
  infection: { id: string; at: string; by: string | null; originalSince?: string | undefined },
): Zombie => ({
  ...admitted(player),
  ...feedingDeadlineFrom(game, command.now, command.feedingPeriod(game)),
  state: "zombie",
  tag_code: null,
  code_since: null,
  human_since: null,
  infection_id: infection.id,
  infected_at: infection.at,
  infected_by: infection.by,
  infected_by_original_since: infection.originalSince ?? null,
  last_fed_at: null,
  meals: [],
  saw_secrets_at: undefined,
  reported: undefined,
});

/** Makes a player an original zombie, whom others see as a human while originals are hidden. */
const asOriginal = (
  player: Player,
  { game }: TargetContext,
  command: CommandContext,
  { interaction_id: id, at }: Interaction,
): Zombie => ({
  ...asZombie(player, game, command, { id, at, by: null }),
  cover: newCover(player, { id, at }, game, command.now),
});

/** Makes a player an original zombie again, or for the first time. Who was known as a zombie cannot be hidden any more. */
const asRevivedZombie = (
  player: Player,
  context: TargetContext,
  command: CommandContext,
  interaction: Interaction,
): Zombie => {
  const { game, hidden = true } = context;
  if (hidden && !wasKnownAsZombie(player, game, command.now))
    return asOriginal(player, context, command, interaction);
  const { interaction_id: id, at } = interaction;
  return asZombie(player, game, command, { id, at, by: null });
};

/** Makes a player a corpse. A human's tag code stays stored, so that it is known to belong to a corpse. */
export const asCorpse = (player: Player): PlayerIn<"corpse"> => ({
  ...player,
  state: "corpse",
  deadline: null,
  epoch: null,
});

/** Makes a player a corpse, in a way that others can see. */
export const asKilled = (player: Player): PlayerIn<"corpse"> => ({
  ...asCorpse(player),
  cover: withCoverState(player, "corpse"),
  before_checkpoint: player.before_checkpoint && { ...player.before_checkpoint, is_over: true },
});

/** Takes a player out of play. Kills and other records stay, and so does the tag code, as for a corpse. */
export const asWithdrawn = (player: Player): PlayerIn<"spectator"> => ({
  ...player,
  state: "spectator",
  deadline: null,
  epoch: null,
  held: HELD.withdrawn,
  cover: withCoverState(player, "spectator"),
});

/** A player after a due starvation, and the interaction that records it. */
export interface StarvationResult {
  player: Player;
  deaths: Interaction[];
}

/** Applies a due starvation: a zombie past its deadline becomes a corpse, starved at the deadline. */
export const applyStarvation = (player: Player, game: Game, command: CommandContext): StarvationResult => {
  const died = starvation(player, game, command.now);
  if (died === null) return { player, deaths: [] };
  return {
    player: asCorpse(player),
    deaths: [newInteraction("starve", player, null, command, rfc3339(died))],
  };
};

/** The outcome of a game master's command on one player, with the changed player and the interaction. */
export interface TargetOutcome<After extends Player = Player> extends Outcome {
  player: After;
  interaction: Interaction;
}

/** The data that a game master's command on one player is validated against. */
export interface TargetContext {
  game: Game;
  target: Player;
  /** The game master's player id. */
  actor: string;
  /** Whether no other game master could bring this one into play; by default another could. */
  isOnlyAdministrator?: boolean;
  /** Of a revival as a zombie while originals are hidden: whether others see a human; by default they do. */
  hidden?: boolean | undefined;
}

export type TargetCommand<After extends Player = Player> = (
  context: TargetContext,
  command: CommandContext,
) => TargetOutcome<After>;

interface Rule<From extends State, To extends State> {
  kind: Kind;
  from: readonly From[];
  to: To;
  action: string;
  /** Whether it brings the player into play; nobody who knows secrets can do that for themselves. */
  entersPlay?: true;
  change: (
    player: PlayerIn<From>,
    context: TargetContext,
    command: CommandContext,
    interaction: Interaction,
  ) => PlayerIn<To>;
  /** Additional fields of the interaction. */
  details?: Partial<Interaction>;
}

const targetCommand =
  <From extends State, To extends State>({
    kind,
    from,
    action,
    entersPlay,
    change,
    details,
  }: Rule<From, To>): TargetCommand<PlayerIn<To>> =>
  (context, command) => {
    const { actor, isOnlyAdministrator = false } = context;
    const { player: current, deaths } = applyStarvation(context.target, context.game, command);
    const player = requireState(current, from, action);
    if (entersPlay && player.player_id === actor) requireMayEnterPlay(player, isOnlyAdministrator);
    const interaction = { ...newInteraction(kind, player, actor, command), ...details };
    const after = change(player, context, command, interaction);
    return {
      players: [{ before: context.target, after }],
      interactions: [...deaths, interaction],
      player: after,
      interaction,
    };
  };

/** Kills a living player. @throws DomainError `wrong_state` */
export const corpsify = targetCommand({
  ...TRANSITIONS.corpsify,
  kind: "corpsify",
  action: "be killed",
  change: (player) => asKilled(player),
});

/** Makes a zombie human again, with a new tag code. @throws DomainError `wrong_state` */
export const cure = targetCommand({
  ...TRANSITIONS.cure,
  kind: "cure",
  action: "be cured",
  change: (player, _context, command) => asHuman(player, command),
});

/** Makes a corpse or a spectator human, with a new tag code. @throws DomainError `wrong_state` */
export const reviveHuman = targetCommand({
  ...TRANSITIONS.revive_h,
  kind: "revive_human",
  action: "be revived",
  entersPlay: true,
  change: (player, _context, command) => asHuman(player, command),
});

/** Makes a corpse or a spectator an original zombie, which no player infected. @throws DomainError `wrong_state` */
export const reviveZombie = targetCommand({
  ...TRANSITIONS.revive_z,
  kind: "revive_zombie",
  action: "be revived",
  entersPlay: true,
  change: asRevivedZombie,
  details: { parent: null },
});

/** Makes a human who was drawn an original zombie. @throws DomainError `wrong_state` */
export const drawOriginal = targetCommand({
  ...TRANSITIONS.draw_original,
  kind: "revive_zombie",
  action: "be drawn",
  change: asOriginal,
  details: { parent: null, drawn: true },
});

/** Gives a human a new tag code. The life continues, so `code_since` stays. @throws DomainError `wrong_state` */
export const withNewCode = (player: Player, command: CommandContext): { before: Human; after: Human } => {
  const before = requireState(player, ["human"], "get a new tag code");
  return { before, after: { ...before, labels: withoutPrinted(before), tag_code: command.newCode() } };
};

/** Admits a newcomer, who becomes human. @throws DomainError `wrong_state` */
export const admit = targetCommand({
  ...TRANSITIONS.admit,
  kind: "revive_human",
  action: "be admitted",
  entersPlay: true,
  change: (player, { game }, command) => {
    if (isPending(player) && mustSign(player, game))
      throw new DomainError(
        "wrong_state",
        `${player.alias} has not signed the waiver: they sign when they open the app, or on paper.`,
      );
    if (isPending(player)) return asHuman(player, command);
    throw new DomainError("wrong_state", `${player.alias} does not wait to be admitted.`);
  },
  details: { admitted: true },
});

/** Takes a player out of play, see {@link asWithdrawn}. @throws DomainError `wrong_state` */
export const makeSpectator = targetCommand({
  ...TRANSITIONS.make_spectator,
  kind: "corpsify",
  action: "be taken out of play",
  change: (player) => asWithdrawn(player),
  details: { withdrawn: true },
});

/** Feeds a zombie now. @throws DomainError `wrong_state` */
export const feedPlayer = targetCommand({
  kind: "feed",
  from: ["zombie"],
  to: "zombie",
  action: "be fed",
  change: (player, { game }, command) => asFed(player, game, command.now, command.feedingPeriod(game)),
});

/** Records the starvation of a player past the deadline. @returns `null` if the player has not starved */
export const starve = (player: Player, game: Game, command: CommandContext): Outcome | null => {
  const { player: after, deaths } = applyStarvation(player, game, command);
  return deaths.length === 0 ? null : { players: [{ before: player, after }], interactions: deaths };
};
