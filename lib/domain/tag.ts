/**
 * What a tag does, and tags whose hunter reports them last: of a human who has reported to be tagged, and of a player who
 * has left the game (decisions 47 and 48).
 */
import { type Game, playBetween } from "./clock.ts";
import { DomainError } from "./domainError.ts";
import type { Interaction } from "./interaction.ts";
import type { Hunter } from "./lives.ts";
import type { CommandContext, Outcome, PlayerChange } from "./outcome.ts";
import type { Player, Zombie } from "./player.ts";
import { durationText } from "./settings.ts";
import { instantOf, rfc3339, SECOND } from "./time.ts";
import { applyStarvation, asFed, asZombie, newInteraction, requireState } from "./transitions.ts";
import { coverOfHunt, withKillOf } from "./visibility.ts";

/** A tag: of a human who can be tagged, or one that is known before its hunter. */
export interface Tag {
  /** The player id of the prey. */
  target: string;
  /** The prey; `null` if the account was deleted. */
  prey: Player | null;
  /** Since when the prey had the code, as an instant; `null` where it does not matter. */
  codeSince: number | null;
  /** The tag was not later than this instant; `null` for a human who can still be tagged. */
  until: number | null;
  /** The infection that waits for its hunter. */
  waiting: Interaction | null;
}

/** What is stored with a tag code whose player reported a tag, or has left as a human. */
export interface EarlierTag {
  player_id: string;
  codeSince: string | null;
  /** The reported infection, if it was one. */
  infection: Interaction | null;
  leftAt: string | null;
  /** Whether a hunt has used the code after its player had left. */
  isUsed: boolean;
}

/** The outcome of a tag with its hunter. An infection that waited must be rewritten in the same transaction. */
export interface HuntOutcome extends Outcome {
  hunter: Player;
  /** `null` for a player who has left. */
  prey: Player | null;
  interaction: Interaction;
}

const usedCode = (): DomainError =>
  new DomainError("already_tagged", "This tag code has been used: its player was tagged before.");

const isInWindow = (game: Game, since: string, now: number): boolean =>
  playBetween(game, instantOf(since), now) <= game.settings.report_window_seconds * SECOND;

const windowText = ({ settings }: Game): string => durationText(settings.report_window_seconds * SECOND);

/**
 * The tag of a code whose player reported it or has left, within the report window.
 * @throws DomainError `already_tagged`, `wrong_state`
 */
export const requireEarlierTag = (
  { player_id, codeSince, infection, leftAt, isUsed }: EarlierTag,
  prey: Player | null,
  game: Game,
  now: number,
): Tag => {
  const tag = { target: player_id, prey, codeSince: codeSince === null ? null : instantOf(codeSince) };
  if (infection !== null) {
    const { at, voided_by, waiting_since } = infection;
    if (waiting_since === undefined || voided_by !== undefined) throw usedCode();
    if (!isInWindow(game, waiting_since, now))
      throw new DomainError(
        "already_tagged",
        `Its player reported this tag more than ${windowText(game)} ago. A game master can name you as the hunter.`,
      );
    return { ...tag, until: instantOf(at), waiting: infection };
  }
  if (isUsed) throw usedCode();
  if (leftAt === null || !isInWindow(game, leftAt, now))
    throw new DomainError("wrong_state", "The player who had this tag code has left the game.");
  return { ...tag, until: instantOf(leftAt), waiting: null };
};

/**
 * The infection that waits for its hunter.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const requireWaiting = (interaction: Interaction | null): Interaction => {
  if (interaction === null) throw new DomainError("not_found", "There is no such interaction.");
  if (interaction.voided_by !== undefined)
    throw new DomainError("wrong_state", "This hunt has already been voided.");
  if (interaction.waiting_since === undefined)
    throw new DomainError("wrong_state", "This interaction does not wait for a hunter.");
  return interaction;
};

/** The tag of an infection that waits for its hunter, whenever it was reported. */
export const waitingTag = (waiting: Interaction, prey: Player | null): Tag => ({
  target: waiting.target ?? "",
  prey,
  codeSince: null,
  until: instantOf(waiting.at),
  waiting,
});

/** What the record of a tag keeps of the life that it ends. */
const survivedSince = (prey: Player | null): Pick<Interaction, "human_since"> => {
  const since = prey?.human_since ?? prey?.code_since;
  return since == null ? {} : { human_since: since };
};

/** Who tagged, and who shares the feeding. */
interface Hunters {
  hunter: Hunter;
  /** Called after the checks of the hunter. */
  sharers?: () => Zombie[];
  /** When the tag happened by the hunter's report, as an instant. */
  huntedAt: number;
  note?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  /** The id of the game master who enters the tag in place of the hunter. */
  enteredBy?: string | undefined;
}

/** Requires that the hunter was a zombie before the tag, and the prey had the code. @throws DomainError `too_early` */
const requireInOrder = (at: number, { life }: Hunter, { codeSince, waiting }: Tag): void => {
  const infectedAt = instantOf(life.infected_at);
  // Infections are ordered by their time and, at the same time, by their ids, so that no ancestry is a circle.
  const isSameInstant = at === infectedAt && waiting !== null && life.infection_id > waiting.interaction_id;
  if (at < infectedAt || isSameInstant)
    throw new DomainError("too_early", "The hunter was not a zombie yet at that time.");
  if (codeSince !== null && at < codeSince)
    throw new DomainError("too_early", "The prey did not have this tag code yet at that time.");
};

/** The prey after the tag: a zombie of this hunter, unless that life has ended or the account was deleted. */
const taggedPrey = (
  { prey, waiting }: Tag,
  by: string,
  game: Game,
  { interaction_id: id, at, cover }: Interaction,
  command: CommandContext,
): Player | null => {
  if (prey === null) return null;
  const originalSince = cover?.since;
  if (waiting === null) return asZombie(prey, game, command, { id, at, by, originalSince });
  if (prey.infection_id !== id) return prey;
  return { ...prey, infected_at: at, infected_by: by, infected_by_original_since: originalSince ?? null };
};

/**
 * A tag with its hunter: the prey is infected, the hunter gets the kill, and the hunter and the sharers are fed. The tag
 * is dated at the earlier of both reports. A hunter who does not lead that life any more gets only the kill.
 * @throws DomainError `wrong_state`, `too_early`, and what `sharers` throws
 */
export const tagBy = (tag: Tag, hunters: Hunters, game: Game, command: CommandContext): HuntOutcome => {
  const { target, prey, until, waiting } = tag;
  const { hunter, huntedAt, note, latitude, longitude, enteredBy } = hunters;
  const { player, life, stored, deaths } = hunter;
  const { player_id: by } = player;
  const instant = Math.min(huntedAt, until ?? huntedAt);
  if (by === target) throw new DomainError("wrong_state", "Nobody can tag themselves.");
  requireInOrder(instant, hunter, tag);
  const sharers = hunters.sharers?.() ?? [];
  if (sharers.some(({ player_id }) => player_id === target))
    throw new DomainError("wrong_state", "The prey cannot share the feeding.");

  const at = rfc3339(instant);
  const { waiting_since: _, ...reported } = waiting ?? newInteraction("hunt", null, null, command);
  const { reason } = command;
  const interaction: Interaction = {
    ...reported,
    ...(waiting === null ? {} : { completed_at: rfc3339(command.now) }),
    at,
    actor: by,
    target,
    parent: life.infection_id,
    shared_with: sharers.map(({ player_id }) => player_id),
    ...coverOfHunt(player, life),
    ...(waiting === null ? survivedSince(prey) : {}),
    ...(note === undefined ? {} : { note }),
    ...(latitude === undefined ? {} : { latitude }),
    ...(longitude === undefined ? {} : { longitude }),
    ...(enteredBy === undefined
      ? {}
      : { entered_by: enteredBy, ...(reason === undefined ? {} : { reason }) }),
  };
  const { interaction_id: id } = interaction;
  // If the clock has changed since the hunt, the feeding counts from that change: no earlier game time is known.
  const fedAt = Math.max(instant, game.changed_at ?? instant);
  const fed = (zombie: Zombie): Zombie => asFed(zombie, game, fedAt, command.feedingPeriod(game), id);
  const isInThatLife = player.state === "zombie" && player.infection_id === life.infection_id;
  const hunterAfter = withKillOf(isInThatLife ? fed(player) : player, life, { hunt: id, at });
  const after = taggedPrey(tag, by, game, interaction, command);
  const preys: PlayerChange[] = prey === null ? [] : [{ before: prey, after }];
  return {
    players: [
      { before: stored, after: hunterAfter },
      ...preys,
      ...sharers.map((before) => ({ before, after: fed(before) })),
    ],
    interactions: waiting === null ? [...deaths, interaction] : deaths,
    hunter: hunterAfter,
    prey: after,
    interaction,
  };
};

/** The outcome of a player's report that they were tagged. */
export interface ReportedTag extends Outcome {
  player: Zombie;
  interaction: Interaction;
}

/**
 * Infects a human who reports to be tagged. The infection waits for its hunter.
 * @param taggedAt when the tag happened, as an instant at which the game was played
 * @param suspect the id of the player whom they take for the hunter
 * @throws DomainError `wrong_state`, `too_early`
 */
export const reportTagged = (
  player: Player,
  { taggedAt, suspect }: { taggedAt: number; suspect: string | null },
  game: Game,
  command: CommandContext,
): ReportedTag => {
  const before = requireState(
    applyStarvation(player, game, command).player,
    ["human"],
    "report being tagged",
  );
  if (taggedAt < instantOf(before.code_since))
    throw new DomainError("too_early", "You did not have your tag code yet at that time.");
  const at = rfc3339(taggedAt);
  const interaction: Interaction = {
    ...newInteraction("hunt", before, null, command, at),
    parent: null,
    shared_with: [],
    waiting_since: rfc3339(command.now),
    ...survivedSince(before),
    ...(suspect === null ? {} : { suspect }),
  };
  const zombie = asZombie(before, game, command, { id: interaction.interaction_id, at, by: null });
  const after = { ...zombie, reported: true };
  return { players: [{ before, after }], interactions: [interaction], player: after, interaction };
};
