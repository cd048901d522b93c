/**
 * The effects of a tag. A hunter may also report a tag that the prey has reported already, or the tag code of a player
 * who has left the game (decisions 47 and 48). Hunter and prey may then report different times: each time counts for the
 * player who reports it (decision 91).
 */
import { DomainError } from "../domainError.ts";
import { playBetween } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import { instantAtPlayTime, playTime } from "../game/schedule.ts";
import { durationText } from "../game/settings.ts";
import type { CommandContext, Outcome, PlayerChange } from "../outcome.ts";
import { changeInLife, type Revival } from "../players/lateChange.ts";
import type { Hunter } from "../players/lives.ts";
import type { Player, Zombie } from "../players/player.ts";
import { asZombie, newInteraction } from "../players/transitions.ts";
import { coverOfHunt, withKillOf } from "../players/visibility.ts";
import { asFed } from "../starvation/feeding.ts";
import { instantOf, rfc3339, SECOND } from "../time.ts";
import type { Interaction } from "./interaction.ts";

/** A tag of a human, or an earlier tag to which the hunter is added. */
export interface Tag {
  /** The player id of the prey. */
  target: string;
  /** The prey; `null` if the account was deleted. */
  prey: Player | null;
  /** Since when the prey had the code, as an instant; `null` if it does not matter. */
  codeSince: number | null;
  /**
   * The latest instant at which the tag can have happened: when the prey's report was recorded, or when the prey left;
   * `null` for a human who can still be tagged. It does not depend on what the prey reports.
   */
  until: number | null;
  /** The reported infection that waits for its hunter; `null` if there is none. */
  waiting: Interaction | null;
}

/** The data of a tag code whose player has reported being tagged, or has left the game as a human. */
export interface EarlierTag {
  player_id: string;
  codeSince: string | null;
  /** The infection, if the player reported being tagged. */
  infection: Interaction | null;
  leftAt: string | null;
  /** Whether a hunt has used the code after its player had left. */
  isUsed: boolean;
}

/** The outcome of a tag. If the infection waited for its hunter, it must be rewritten in the same transaction. */
export interface HuntOutcome extends Outcome {
  hunter: Player;
  /** `null` for a player who has left. */
  prey: Player | null;
  interaction: Interaction;
  /** If the meal came before the hunter starved, and would have kept them alive. `null` otherwise. */
  revival: Revival | null;
}

const alreadyTagged = (): DomainError =>
  new DomainError("already_tagged", "This tag code has been used: its player was tagged before.");

const isInWindow = (game: Game, since: string, now: number): boolean =>
  playBetween(game, instantOf(since), now) <= game.settings.report_window_seconds * SECOND;

const windowText = ({ settings }: Game): string => durationText(settings.report_window_seconds * SECOND);

/**
 * The tag of a code whose player has reported being tagged or has left, if that was within the report window.
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
    const { voided_by, waiting_since } = infection;
    if (waiting_since === undefined || voided_by !== undefined) throw alreadyTagged();
    if (!isInWindow(game, waiting_since, now))
      throw new DomainError(
        "already_tagged",
        `Its player reported this tag more than ${windowText(game)} ago. A game master can name you as the hunter.`,
      );
    return { ...tag, until: instantOf(waiting_since), waiting: infection };
  }
  if (isUsed) throw alreadyTagged();
  if (leftAt === null || !isInWindow(game, leftAt, now))
    throw new DomainError("wrong_state", "The player who had this tag code has left the game.");
  return { ...tag, until: instantOf(leftAt), waiting: null };
};

/**
 * Whether an infection can still get a hunter: a tag that its prey reported, or a zombie whom a game master or a checkpoint
 * has made. The record of a draw says why a drawn original is a zombie, so no hunter is added to it.
 */
export const mayGetHunter = ({ kind, parent, waiting_since, drawn, returned }: Interaction): boolean =>
  waiting_since !== undefined ||
  (kind === "revive_zombie" && parent === null && drawn !== true && returned !== true);

/**
 * Requires that an infection can get a hunter.
 * @param shown the infection as the game master may see it
 * @throws DomainError `not_found`, `wrong_state`
 */
export const requireWithoutHunter = (shown: Interaction | null): void => {
  if (shown === null) throw new DomainError("not_found", "There is no such interaction.");
  if (shown.voided_by !== undefined)
    throw new DomainError("wrong_state", "This tag has already been voided.");
  if (!mayGetHunter(shown))
    throw new DomainError(
      "wrong_state",
      shown.drawn === true
        ? "A drawn original zombie has no hunter."
        : "This interaction does not wait for a hunter.",
    );
};

/** The instants between which a tag can have happened. */
export interface TagTimes {
  from: number;
  until: number;
}

/**
 * When the tag of an infection without a hunter can have happened: within the report window before the prey's report was
 * recorded, or before a game master made the zombie.
 */
export const timesOfReported = ({ at, waiting_since = at }: Interaction, game: Game): TagTimes => {
  const { schedule, settings } = game;
  const until = instantOf(waiting_since);
  const window = settings.report_window_seconds * SECOND;
  const from = instantAtPlayTime(schedule, playTime(schedule, until) - window) ?? until;
  // The window may have been longer when the prey reported the tag.
  return { from: Math.min(from, instantOf(at)), until };
};

/** The tag of an infection without a hunter, without a limit by the report window. */
export const waitingTag = (waiting: Interaction, prey: Player | null): Tag => ({
  target: waiting.target ?? "",
  prey,
  codeSince: null,
  until: instantOf(waiting.waiting_since ?? waiting.at),
  waiting,
});

/** An infection without a hunter as the hunt that it becomes, without what was said of it before. */
const asHunt = ({
  waiting_since: _,
  checkpoint_id: _1,
  cover: _2,
  ...infection
}: Interaction): Interaction => ({
  ...infection,
  kind: "hunt",
});

/** The start of the human life that a tag ends, as recorded with the tag. */
export const survivedSince = (prey: Player | null): Pick<Interaction, "human_since"> => {
  const since = prey?.human_since ?? prey?.code_since;
  return since == null ? {} : { human_since: since };
};

/** A zombie whose hunter, who was unknown, may have become known since. @param infection the present record of it */
export const withKnownHunter = (player: Player, infection: Interaction | null): Player => {
  const isKnown = infection?.kind === "hunt" && infection.actor !== null;
  if (!isKnown || infection.interaction_id !== player.infection_id) return player;
  const { at: infected_at, actor: infected_by, cover } = infection;
  return { ...player, infected_at, infected_by, infected_by_original_since: cover?.since ?? null };
};

/** The hunter's side of a tag: the hunter, the sharers and the report. */
interface HunterSide {
  hunter: Hunter;
  /** Returns the sharers. It is called after the checks of the hunter, so that their errors come first. */
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
const requireInOrder = (at: number, { life }: Hunter, { codeSince }: Tag): void => {
  if (at < instantOf(life.infected_at))
    throw new DomainError("too_early", "The hunter was not a zombie yet at that time.");
  if (codeSince !== null && at < codeSince)
    throw new DomainError("too_early", "The prey did not have this tag code yet at that time.");
};

/**
 * The time of an infection that its prey reported: the prey's, or if the hunter was no zombie then, the nearest time of the
 * hunter's life. It is later than the hunter's infection where it can be: an earlier version of the service tells by these
 * times who can have tagged whom.
 * @param latest when the tag happened at the latest, as an instant
 */
const infectionTime = ({ at }: Interaction, { life }: Hunter, latest: number): number =>
  Math.min(Math.max(instantOf(at), instantOf(life.infected_at) + 1), latest);

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
  const known = { infected_at: at, infected_by: by, infected_by_original_since: originalSince ?? null };
  // A checkpoint that infected them did not, so its undo does not concern them any more.
  const isOfCheckpoint = prey.before_checkpoint?.interaction_id === id;
  return { ...prey, ...known, ...(isOfCheckpoint ? { before_checkpoint: undefined } : {}) };
};

/**
 * Applies a tag: the prey is infected, the hunter gets the kill, and hunter and sharers are fed. If the prey has
 * reported it too, kill and feeding have the hunter's time, and the infection has the prey's. A hunter whose life has ended
 * since gets only the kill, unless they starved: see {@link changeInLife}. The caller requires that the hunter's infection did not follow from a reported
 * one.
 * @throws DomainError `wrong_state`, `too_early`, and what `sharers` throws
 */
export const tagBy = (tag: Tag, side: HunterSide, game: Game, command: CommandContext): HuntOutcome => {
  const { target, prey, until, waiting } = tag;
  const { hunter, huntedAt, note, latitude, longitude, enteredBy } = side;
  const { player, life, stored, endedAt } = hunter;
  const { player_id: by } = player;
  const latest = Math.min(until ?? Number.POSITIVE_INFINITY, endedAt ?? Number.POSITIVE_INFINITY);
  const instant = Math.min(huntedAt, latest);
  if (by === target) throw new DomainError("wrong_state", "Nobody can tag themselves.");
  requireInOrder(instant, hunter, tag);
  const sharers = side.sharers?.() ?? [];
  if (sharers.some(({ player_id }) => player_id === target))
    throw new DomainError("wrong_state", "The prey cannot share the feeding.");

  const hunted = rfc3339(instant);
  const at = waiting === null ? hunted : rfc3339(infectionTime(waiting, hunter, latest));
  const reported = waiting === null ? newInteraction("hunt", null, null, command) : asHunt(waiting);
  const { reason } = command;
  const tagged: Interaction = {
    ...reported,
    ...(waiting === null ? {} : { completed_at: rfc3339(command.now) }),
    at,
    ...(hunted === at ? {} : { hunted_at: hunted }),
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
  const { interaction_id: id } = tagged;
  // If the game clock was changed since the hunt, the feeding counts from that change: earlier game time is not known.
  const fedAt = Math.max(instant, game.changed_at ?? instant);
  const fed = (zombie: Zombie): Zombie => asFed(zombie, game, fedAt, command.feedingPeriod(game), id);
  const meal = changeInLife(hunter, id, fed, game, command);
  const { revival } = meal;
  const interaction = revival === null ? tagged : { ...tagged, revival: revival.interaction.interaction_id };
  const hunterAfter = withKillOf(meal.player, life, { hunt: id, at: hunted });
  const after = taggedPrey(tag, by, game, interaction, command);
  const preys: PlayerChange[] = prey === null ? [] : [{ before: prey, after }];
  return {
    players: [
      { before: stored, after: hunterAfter },
      ...preys,
      ...sharers.map((before) => ({ before, after: fed(before) })),
    ],
    interactions: [...(waiting === null ? [interaction] : []), ...meal.interactions],
    hunter: hunterAfter,
    prey: after,
    interaction,
    revival,
  };
};
