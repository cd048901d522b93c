/** Batches of codes, and who may redeem one. */
import * as z from "zod/mini";
import { DomainError } from "../domainError.ts";
import type { Game } from "../game/game.ts";
import type { CommandContext } from "../outcome.ts";
import type { SideThen } from "../players/lives.ts";
import type { Player } from "../players/player.ts";
import { coverState } from "../players/visibility.ts";
import { integer, nullableText, optionalText, text, textList } from "../schemas.ts";
import { rfc3339 } from "../time.ts";
import { applyEffect, type Rewarded } from "./effect.ts";
import { Effect, Side } from "./reward.ts";

/** Codes that were made together and give the same. Times are RFC 3339. */
export const Batch = z.looseObject({
  batch_id: text,
  /** Counts the writes of this item. */
  rev: integer,
  label: text,
  n: integer,
  effect: Effect,
  audience: Side,
  /** How often each code may be redeemed. */
  uses: integer,
  /** How many codes of the batch a player may redeem. */
  uses_per_player: integer,
  valid_from: nullableText,
  valid_until: nullableText,
  place: nullableText,
  created_at: text,
  /** The ids of the game masters who have seen the codes, the maker first. They cannot redeem any. */
  seen_by: textList,
  /** Absent until all codes are stored. */
  made_at: optionalText,
  /** The numbers of the codes that were revoked; each code has it too, which is what counts. */
  revoked: z._default(z.array(integer), []),
});
export type Batch = z.infer<typeof Batch>;

/** A code as stored, under its keyed hash. */
export const StoredCode = z.looseObject({
  batch_id: text,
  /** Its place on the sheet, from 1. */
  number: integer,
  used: integer,
  revoked_at: optionalText,
});
export type StoredCode = z.infer<typeof StoredCode>;

/** A redemption as stored. Its id is that of the interaction. */
export const Redemption = z.looseObject({
  player_id: text,
  number: integer,
  interaction_id: text,
  at: text,
  recorded_at: text,
  undone_at: optionalText,
});
export type Redemption = z.infer<typeof Redemption>;

/** The error for everything that somebody who guesses could learn from. */
export const codeNotValid = (): DomainError =>
  new DomainError(
    "code_not_valid",
    "You cannot redeem this code now: it is unknown, mistyped, used up, expired or revoked, for the other side, or of no use to you.",
  );

/** What a redemption is decided from. */
export interface RedeemContext {
  game: Game;
  /** As stored. */
  player: Player;
  /** The side on which the player was then. */
  then: SideThen;
  /** When the code was entered, as an instant. */
  at: number;
  /** `null` for an unknown code. */
  code: StoredCode | null;
  batch: Batch | null;
  /** What the player has redeemed of the batch. */
  own: readonly Redemption[];
}

const isActive = ({ undone_at }: Redemption): boolean => undone_at === undefined;

/** Whether a code is for a player. Humans' codes are also for a hidden original zombie, who has to pass for a human. */
const isForSide = (
  audience: Side,
  { side, life }: SideThen,
  { game, player }: RedeemContext,
  now: number,
): boolean =>
  audience === "all" ||
  audience === side ||
  (life !== null &&
    coverState({ cover: player.cover, infection_id: life.life.infection_id }, game, now) === "human");

/** Whether a code can be redeemed at a time, but for the player. */
const isValid = (
  { revoked_at, used }: StoredCode,
  { made_at, uses, valid_from, valid_until }: Batch,
  at: string,
): boolean =>
  made_at !== undefined &&
  revoked_at === undefined &&
  used < uses &&
  (valid_from === null || at >= valid_from) &&
  (valid_until === null || at < valid_until);

/** A redemption: what the player gets, with the code and its batch; or the player's earlier redemption of the same code. */
export type Redeemed =
  | { rewarded: Rewarded; code: StoredCode; batch: Batch; repeated?: undefined }
  | { repeated: Redemption };

/**
 * Decides a redemption.
 * @returns `null` if the player cannot redeem the code: see {@link codeNotValid}
 * @throws DomainError `wrong_state` for a game master who has seen the codes
 */
export const redeem = (context: RedeemContext, command: CommandContext): Redeemed | null => {
  const { game, player, then, at, code, batch, own } = context;
  if (code === null || batch === null) return null;
  const active = own.filter(isActive);
  const repeated = active.find(({ number }) => number === code.number);
  if (repeated !== undefined) return { repeated };
  if (batch.seen_by.includes(player.player_id))
    throw new DomainError(
      "wrong_state",
      "You have seen these codes as a game master, so you cannot redeem them.",
    );
  const isRedeemable =
    isValid(code, batch, rfc3339(at)) &&
    active.length < batch.uses_per_player &&
    isForSide(batch.audience, then, context, command.now);
  if (!isRedeemable) return null;
  const { batch_id: id, effect, audience } = batch;
  const source = { kind: "code" as const, id };
  const rewarded = applyEffect({ game, player, effect, audience, source, at, life: then.life }, command);
  // An antidote is not wasted on a zombie whom it cannot cure.
  const isWasted = effect.cure === true && then.life !== null && rewarded?.given.cured !== true;
  return rewarded === null || isWasted ? null : { rewarded, code, batch };
};
