/** The waiver: who has signed it, and who is of age (decision 128). */
import { DomainError } from "../domainError.ts";
import { type Game, phaseOf } from "../game/game.ts";
import type { CommandContext } from "../outcome.ts";
import { HELD, isPending, type Player, type PlayerIn } from "../players/player.ts";
import { asHuman } from "../players/transitions.ts";
import { knowsSecrets } from "../players/visibility.ts";
import { mustSign } from "./mustSign.ts";

/**
 * What a newcomer or spectator waits for: see `waits` of a player. `approval` is of somebody under age whom a game master has
 * to admit anyway; the others start to play without a game master's act.
 */
export const WAITS = { signature: "signature", age: "age", approval: "approval" } as const;

/** Whether somebody who waits is under age. */
export const isMinor = ({ waits }: Pick<Player, "waits">): boolean =>
  waits === WAITS.age || waits === WAITS.approval;

/** What a signature says of its player. */
export interface Signed {
  version: string;
  /** Whether the player is under age, and no game master has confirmed a guardian's signature. */
  isHeld: boolean;
}

/** The date at an instant in the time zone of the game, as `YYYY-MM-DD`. */
export const localDate = ({ schedule }: Pick<Game, "schedule">, now: number): string =>
  new Intl.DateTimeFormat("en-CA", {
    timeZone: schedule?.time_zone ?? "UTC",
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
  }).format(now);

/**
 * The age in whole years on a date. Who was born on 29 February is a year older on 1 March of other years.
 * @param birthDate `YYYY-MM-DD`, like `date`
 */
export const ageOn = (birthDate: string, date: string): number =>
  Number(date.slice(0, 4)) - Number(birthDate.slice(0, 4)) - (date.slice(5) < birthDate.slice(5) ? 1 : 0);

/** Whether somebody is under the minimum age now. @param birthDate `null` if it was not asked for */
export const isUnderAge = (
  birthDate: string | null,
  game: Pick<Game, "schedule" | "settings">,
  now: number,
): boolean => {
  const { minimum_age: age } = game.settings;
  return age !== null && birthDate !== null && ageOn(birthDate, localDate(game, now)) < age;
};

/**
 * Requires that a text to sign is the present waiver.
 * @throws DomainError `changed_meanwhile`
 */
export const requirePresentVersion = (game: Game, version: string): void => {
  if (game.settings.waiver_versions[0] === version) return;
  throw new DomainError("changed_meanwhile", "The waiver has changed meanwhile. Read it again, then sign.");
};

/** A newcomer who may play, once there is nothing to wait for. @param signed `null` for one who has not signed */
export const enterSigned = (
  newcomer: PlayerIn<"spectator">,
  game: Game,
  signed: Signed | null,
  command: CommandContext,
): Player => {
  const player = signed === null ? newcomer : { ...newcomer, signed: signed.version };
  if (mustSign(player, game)) return { ...player, held: HELD.pending, waits: WAITS.signature };
  if (signed?.isHeld === true) return { ...player, held: HELD.pending, waits: WAITS.age };
  return asHuman(player, command);
};

/** A newcomer whom a game master has to admit. @param signed `null` for one who has not signed */
export const awaitApproval = <P extends Player>(newcomer: P, signed: Signed | null): P => ({
  ...newcomer,
  ...(signed === null ? {} : { signed: signed.version }),
  waits: signed?.isHeld === true ? WAITS.approval : undefined,
});

/** Whether play has not begun: before the start, or while a game without one is paused. */
const isBeforeStart = (game: Game, now: number): boolean => {
  const phase = phaseOf(game, now);
  return phase === "registration" || (phase === "paused" && game.schedule?.starts_at == null);
};

/** Whether a player who has a place in the game is pending, because they have not signed and it has not begun. */
export const isUnsigned = (player: Player, game: Game, now: number): boolean =>
  player.state !== "spectator" && mustSign(player, game) && isBeforeStart(game, now);

/**
 * A player who has signed. One who waits for that becomes human, or waits for their birthday or a game master; so does one who
 * has seen secrets as a game master, and everybody in a season that is over. Whom a game master has to admit waits on. A human who is under age waits again, unless
 * the game has begun: nobody is thrown out of a running game.
 */
export const withSignature = (
  player: Player,
  game: Game,
  { version, isHeld }: Signed,
  command: CommandContext,
): Player => {
  const signed = { ...player, signed: version };
  if (signed.state === "spectator") {
    const { waits, review = [] } = signed;
    const startsAlone = (waits === WAITS.signature || waits === WAITS.age) && review.length === 0;
    const isMarked = isHeld ? waits !== WAITS.age : waits === WAITS.approval;
    if (!startsAlone && isMarked && isPending(signed)) return awaitApproval(signed, { version, isHeld });
    if (!startsAlone || knowsSecrets(signed)) return signed;
    if (isHeld) return { ...signed, waits: WAITS.age };
    // Somebody new would be a survivor of a season that is over.
    return phaseOf(game, command.now) === "ended" ? signed : asHuman(signed, command);
  }
  if (!isHeld || signed.state !== "human" || !isBeforeStart(game, command.now)) return signed;
  const out = { tag_code: null, code_since: null, human_since: null };
  return { ...signed, ...out, state: "spectator", held: HELD.pending, waits: WAITS.age };
};
