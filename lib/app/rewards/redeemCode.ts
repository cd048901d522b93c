/** Lets a player redeem a code. */

import type { ClientAddress } from "../../auth/rateLimit.ts";
import { allowanceWait, tooManyAttempts } from "../../domain/backoff.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import { recordMiss, requireInPlay, requireNoLockout } from "../../domain/hunts/hunt.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { sideAt } from "../../domain/players/lives.ts";
import type { Given } from "../../domain/rewards/effect.ts";
import { codeNotValid, type Redemption, redeem } from "../../domain/rewards/redeem.ts";
import { readCode } from "../../domain/rewards/rewardCode.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { type RateLimited, readFullAt, takeAllowance } from "../../store/accounts/rateLimits.ts";
import type { Decision } from "../../store/decide.ts";
import {
  hashOfCode,
  readBatch,
  readCodeItem,
  readOwnRedemptions,
  redemptionWrites,
} from "../../store/rewards/codes.ts";
import type { Store } from "../../store/store.ts";
import { readTagTime } from "../hunts/huntContext.ts";
import { eventsOf, outlivedWrites } from "../hunts/lateTag.ts";
import { type PlayerInfo, playerInfo } from "../shown.ts";

/** What a player sends of a code. The time is RFC 3339. */
interface EnteredCode {
  code: string;
  redeemed_at?: string | undefined;
}

type RedeemCall = PlayerCall & { clientAddress: ClientAddress };

/** A redemption, with what it did, and the player afterwards: little, because it is stored for retries. */
interface RedeemedInfo {
  redemption_id: string;
  /** When the player entered the code, RFC 3339. */
  at: string;
  /** Whether the player has redeemed the code before. */
  repeated: boolean;
  did: Given;
  player: Pick<PlayerInfo, "state" | "tag_code" | "starves_at" | "points">;
}

/** What an interaction says that a code has done. */
const didOf = ({ kind, reward }: Interaction): Given => ({
  fed: reward?.fed ?? false,
  cured: kind === "cure",
  points: reward?.points ?? 0,
  badge: reward?.badge ?? null,
  message: reward?.message ?? null,
});

const TOO_MANY = "Too many codes that could not be redeemed. Try again later.";

/** Limits the failures of an address; those of a player are counted with the player. */
const limitAddress = async ({
  clientAddress: { address, isLoopback },
  isRetry,
  now,
  services: { store, throttles },
}: RedeemCall): Promise<{ fails: () => Promise<void> }> => {
  // A retry after a conflict is still the same attempt.
  if (isLoopback || isRetry) return { fails: async () => {} };
  const limit: RateLimited = { limit: "REDEMPTIONS", subject: address, allowance: throttles.redemptions };
  const fullAt = await readFullAt(store.db, limit);
  const wait = allowanceWait(fullAt, throttles.redemptions, now);
  if (wait > 0) throw tooManyAttempts(wait, TOO_MANY);
  return {
    fails: async () => {
      await takeAllowance(store.db, limit, fullAt, now);
    },
  };
};

/** What is stored of a code. Of one that does not exist, as much is read, so that the time of a response tells nothing. */
const readStored = async ({ db }: Store, code: string, playerId: string) => {
  const hash = await hashOfCode(db, code);
  const stored = await readCodeItem(db, hash);
  const id = stored?.batch_id ?? "none";
  const [batch, own] = await Promise.all([readBatch(db, id), readOwnRedemptions(db, id, playerId)]);
  return { hash, code: stored, batch, own };
};

/** What the player got at the earlier redemption, which the interaction records. */
const repetition = async (
  { now, player: read, game: loaded, services: { store } }: RedeemCall,
  { interaction_id: id }: Redemption,
): Promise<RedeemedInfo> => {
  // The player may have been read just before the redemption.
  const player = (await store.player(read.player_id)) ?? read;
  const game = await store.gameFor(loaded, player);
  const interaction = await store.interaction(game, id);
  if (interaction === null) throw new Error(`the redemption ${id} has no interaction`);
  return {
    ...{ redemption_id: id, at: interaction.at, repeated: true, did: didOf(interaction) },
    player: playerInfo(player, player, game, now, null),
  };
};

/**
 * Redeems a code for the caller. Time and side of a code that was entered offline are those of its entry, by the rules for
 * tags. Whatever a guesser could learn from has one error, after as many reads and one write.
 * @throws DomainError `invalid_request`, `paused`, `not_running`, `wrong_state`, `too_many_attempts`, `code_not_valid`
 */
export const redeemCode = async (
  call: RedeemCall,
  { code: entered, redeemed_at }: EnteredCode,
): Promise<Decision<RedeemedInfo>> => {
  const { context, game, now, player, services } = call;
  const { store } = services;
  const { instant: at, issues } = readTagTime("redeemed_at", redeemed_at, game, now);
  if (issues.length > 0) throw invalidRequest(...issues);
  requireInPlay(game, at, now, "code");
  const readEvents = eventsOf(store, game, player.player_id, { from: at, until: at });
  const then = await sideAt(player, at, game, context, readEvents);
  if (then === null) throw new DomainError("wrong_state", "Only humans and living zombies can redeem codes.");
  requireNoLockout(player, context, TOO_MANY);
  const code = readCode(entered);
  // Without the right check character it is a typing error and not a guess, so it does not count as a failed attempt.
  if (code?.kind !== "reward") throw codeNotValid();
  const address = await limitAddress(call);
  const { hash, ...stored } = await readStored(store, code.code, player.player_id);
  const redeemed = redeem({ game, player, then, at, ...stored }, context);
  if (redeemed === null) {
    await address.fails();
    // Returned and not thrown, so that the failed attempt is saved.
    return { changes: { ...recordMiss(player, context), basedOn: game }, error: codeNotValid() };
  }
  if (redeemed.repeated !== undefined)
    return { changes: {}, result: await repetition(call, redeemed.repeated) };
  const { rewarded, batch } = redeemed;
  const { interaction_id, at: enteredAt, recorded_at } = rewarded.interaction;
  const redemption: Redemption = {
    ...{ player_id: player.player_id, number: redeemed.code.number },
    ...{ interaction_id, at: enteredAt, recorded_at },
  };
  const writes = [
    ...redemptionWrites(hash, batch, redemption, stored.own.length),
    ...(await outlivedWrites(store, game, rewarded)),
  ];
  return {
    changes: { ...rewarded, basedOn: game, writes },
    result: {
      ...{ redemption_id: interaction_id, at: enteredAt, repeated: false, did: rewarded.given },
      player: playerInfo(rewarded.player, player, game, now, null),
    },
  };
};
