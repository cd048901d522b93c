/** Lives as a zombie: finds the life in which a player was at the time of a tag, from the recorded interactions. */
import { DomainError } from "../domainError.ts";
import type { Game } from "../game/game.ts";
import { type Interaction, isInfection, type Kind } from "../hunts/interaction.ts";
import type { CommandContext } from "../outcome.ts";
import { instantOf, rfc3339 } from "../time.ts";
import type { Player, Zombie } from "./player.ts";
import { stateAfter } from "./states.ts";
import { applyStarvation, requireState } from "./transitions.ts";

/** A life as a zombie, by its infection. */
export type ZombieLife = Pick<Zombie, "infection_id" | "infected_at">;

/** A player as the hunter of a tag. */
export interface Hunter {
  /** As stored. */
  stored: Player;
  /** With a due starvation applied, which `deaths` records. */
  player: Player;
  deaths: Interaction[];
  /** The life in which they made the tag. The tag feeds them only if they are still in it, or starved in it last. */
  life: ZombieLife;
  /** When that life ended, as an instant, if that was before the tag is said to have happened; `null` otherwise. */
  endedAt: number | null;
  /** The starvation by which that life ended, if nothing has changed the player since; `null` otherwise. */
  starvation: Interaction | null;
}

/** A living zombie as the hunter of a tag. */
export const asHunter = (zombie: Zombie): Hunter => ({
  stored: zombie,
  player: zombie,
  deaths: [],
  life: zombie,
  endedAt: null,
  starvation: null,
});

const ENDINGS: readonly Kind[] = ["starve", "corpsify", "cure", "revive_human", "checkpoint_kill"];

/** The order in which events happened. */
const inOrder = (one: Interaction, other: Interaction): number =>
  `${one.at} ${one.interaction_id}` < `${other.at} ${other.interaction_id}` ? -1 : 1;

/**
 * The last life as a zombie in which a player was between two instants.
 * @param events the interactions whose target is the player; at least those since that life began
 * @returns the life, and when it ended by `until`; `null` if the player was no zombie in that time
 */
export const lastZombieLife = (
  events: readonly Interaction[],
  { from, until }: { from: number; until: number },
): Pick<Hunter, "life" | "endedAt"> | null => {
  const earlier = events.filter((event) => event.at <= rfc3339(until)).toSorted(inOrder);
  let life: ZombieLife | null = null;
  let endedAt: number | null = null;
  for (const { kind, interaction_id, at, voided_by } of earlier) {
    if (voided_by !== undefined) continue;
    if (isInfection(kind)) {
      life = { infection_id: interaction_id, infected_at: at };
      endedAt = null;
    } else if (ENDINGS.includes(kind)) endedAt ??= instantOf(at);
  }
  return life === null || (endedAt !== null && endedAt <= from) ? null : { life, endedAt };
};

/** The starvation that has made a player a corpse; `null` if something else has. @param events as recorded */
const starvationOf = (
  { state, infection_id }: Player,
  life: ZombieLife,
  events: readonly Interaction[],
): Interaction | null => {
  if (state !== "corpse" || infection_id !== life.infection_id) return null;
  const last = events
    .filter(({ kind, voided_by }) => ENDINGS.includes(kind) && voided_by === undefined)
    .reduce<Interaction | null>(
      (one, other) => (one !== null && one.interaction_id > other.interaction_id ? one : other),
      null,
    );
  return last?.kind === "starve" ? last : null;
};

interface TagTimes {
  from: number;
  until: number;
}

/**
 * The hunter of a tag: a zombie, or a player who was one when the tag can have happened.
 * @param times the instants between which the tag happened; the same twice if its time is known
 * @param readEvents reads the interactions whose target is the player; not called if the present life is the one
 * @returns `null` if the player was no zombie then
 */
export const hunterAt = async (
  stored: Player,
  times: TagTimes,
  game: Game,
  command: CommandContext,
  readEvents: () => Promise<readonly Interaction[]>,
): Promise<Hunter | null> => {
  const { player, deaths } = applyStarvation(stored, game, command);
  if (stored.state === "zombie" && stored.infected_at <= rfc3339(times.until)) {
    const [starvation = null] = deaths;
    const diedAt = starvation === null ? Number.POSITIVE_INFINITY : instantOf(starvation.at);
    if (diedAt <= times.from) return null;
    const endedAt = diedAt <= times.until ? diedAt : null;
    return { stored, player, deaths, life: stored, endedAt, starvation };
  }
  // Somebody who has never been a zombie has no life to be found.
  if (stored.infected_at === null) return null;
  const events = [...(await readEvents()), ...deaths];
  const last = lastZombieLife(events, times);
  return last === null
    ? null
    : { stored, player, deaths, ...last, starvation: starvationOf(player, last.life, events) };
};

/** The side on which a player was at a time; of a zombie the life. */
export type SideThen = { side: "humans"; life: null } | { side: "zombies"; life: Hunter };

const HUMAN_THEN: SideThen = { side: "humans", life: null };

/** Whether an event has ended the life of a human, if the player was no zombie before it. */
const endsHumanLife = ({ kind, drawn, checkpoint_id }: Interaction): boolean =>
  ["hunt", "corpsify", "checkpoint_kill"].includes(kind) ||
  (kind === "revive_zombie" && (drawn === true || checkpoint_id !== undefined));

/**
 * Whether a player who was no zombie was human. A life as a zombie that began with a voided tag counts as human, and so does
 * its end, except out of play.
 * @param at RFC 3339
 */
const wasHuman = (events: readonly Interaction[], at: string, { state }: Player): boolean => {
  const changes = events
    .filter(
      ({ kind, voided_by }) =>
        stateAfter(kind) !== undefined && (isInfection(kind) || voided_by === undefined),
    )
    .toSorted(inOrder);
  /** The void of the tag that began the life; what followed the void happened to a human. */
  let voidOfLife: string | null = null;
  let known: boolean | null = null;
  for (const { interaction_id: id, kind, voided_by, withdrawn } of changes.filter((one) => one.at <= at)) {
    if (stateAfter(kind) !== "corpse") voidOfLife = isInfection(kind) ? (voided_by ?? null) : null;
    const isVoided = voidOfLife !== null && id < voidOfLife;
    known = stateAfter(kind) === "human" || (isVoided && withdrawn !== true);
  }
  if (known !== null) return known;
  const next = changes.find((change) => change.at > at && change.voided_by === undefined);
  return next === undefined ? state === "human" : endsHumanLife(next);
};

/**
 * The side on which a player was.
 * @param at an instant that is not in the future
 * @param readEvents reads the interactions whose target is the player; not called if the present life is the one
 * @returns `null` if the player was out of play then
 */
export const sideAt = async (
  stored: Player,
  at: number,
  game: Game,
  command: CommandContext,
  readEvents: () => Promise<readonly Interaction[]>,
): Promise<SideThen | null> => {
  const isNow = at >= command.now;
  const life = await hunterAt(
    stored,
    { from: at, until: at },
    game,
    command,
    isNow ? async () => [] : readEvents,
  );
  if (life !== null) return { side: "zombies", life };
  const { player } = applyStarvation(stored, game, command);
  if (player.state === "human" && (isNow || instantOf(player.code_since) <= at)) return HUMAN_THEN;
  if (isNow || instantOf(player.created_at) > at) return null;
  return wasHuman(await readEvents(), rfc3339(at), player) ? HUMAN_THEN : null;
};

/**
 * The hunter of a tag that a game master enters.
 * @throws DomainError `wrong_state`, `too_early`
 */
export const requireHunterAt = async (...of: Parameters<typeof hunterAt>): Promise<Hunter> => {
  const hunter = await hunterAt(...of);
  if (hunter !== null) return hunter;
  const [stored, , game, command] = of;
  const { player } = applyStarvation(stored, game, command);
  requireState(player, ["zombie"], "be the hunter, unless the player was a zombie at the time of the tag");
  throw new DomainError("too_early", `${player.alias} was not a zombie yet at that time.`);
};
