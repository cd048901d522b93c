/** The batches of codes, and of one batch the redemptions and, if asked for, the codes. */
import { DomainError } from "../../domain/domainError.ts";
import type { Batch, Redemption } from "../../domain/rewards/redeem.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { playerRef } from "../../store/accounts/playerRefs.ts";
import { hiddenFrom } from "../../store/hunts/hiddenOriginals.ts";
import { batchWrite, readBatch, readBatches, readRedemptions, readSheet } from "../../store/rewards/codes.ts";
import type { Store } from "../../store/store.ts";
import { loadAliases } from "../lookups.ts";

interface CodesQuery {
  batch_id?: string | undefined;
  sheet?: boolean | undefined;
  limit: number;
}

/** A batch as game masters see it. */
export const batchInfo = ({ n, revoked, ...batch }: Batch) => ({ ...batch, n, revoked: revoked.length });

/** A made batch. @throws DomainError `not_found` */
export const requireBatch = async ({ db }: Store, id: string): Promise<Batch> => {
  const batch = await readBatch(db, id);
  if (batch?.made_at === undefined) throw new DomainError("not_found", "There is no such batch of codes.");
  return batch;
};

const redemptionInfo = (
  { interaction_id: redemption_id, player_id, number, at, recorded_at, undone_at }: Redemption,
  aliases: ReadonlyMap<string, string>,
) => {
  const alias = aliases.get(player_id) ?? null;
  const player_ref = alias === null ? null : playerRef(player_id);
  return { redemption_id, number, alias, player_ref, at, recorded_at, undone_at: undone_at ?? null };
};

/**
 * The redemptions of a batch that a game master may know of. One who plays must not learn from what zombies alone get who is a
 * hidden original zombie.
 */
const knownRedemptions = async (
  { game, now, player, services: { store } }: ReadCall,
  { batch_id, audience, effect }: Batch,
): Promise<Redemption[]> => {
  const redemptions = await readRedemptions(store.db, batch_id);
  const { points, badge, message } = effect;
  const isOfZombies = audience === "zombies" || (points ?? badge ?? message) === undefined;
  const hidden = isOfZombies ? await hiddenFrom(store.db, player, game, now)?.() : undefined;
  return redemptions.filter(({ player_id }) => hidden?.players.has(player_id) !== true);
};

/** Notes that a game master has seen the codes of a batch, before they are shown. */
const noteSeen = async (call: ReadCall, id: string): Promise<void> => {
  const {
    player,
    services: { store },
    timeLeft,
  } = call;
  for (;;) {
    const batch = await requireBatch(store, id);
    if (batch.seen_by.includes(player.player_id)) return;
    try {
      const seen_by = [...batch.seen_by, player.player_id];
      await store.commit([batchWrite(batch, { seen_by })], timeLeft);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};

const sheetOf = async ({ db }: Store, { batch_id, revoked }: Batch, redemptions: readonly Redemption[]) => {
  const codes = await readSheet(db, batch_id);
  const used = Map.groupBy(
    redemptions.filter(({ undone_at }) => undone_at === undefined),
    ({ number }) => number,
  );
  return codes.map((code, at) => ({
    code,
    number: at + 1,
    used: used.get(at + 1)?.length ?? 0,
    revoked: revoked.includes(at + 1),
  }));
};

/** A page of what is listed by descending ids. */
const pageOf = <T>(
  all: readonly T[],
  idOf: (one: T) => string,
  limit: number,
  before: string | undefined,
) => {
  const after = all.filter((one) => before === undefined || idOf(one) < before);
  const page = after.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && after.length > limit ? idOf(last) : null };
};

interface CodesInfo {
  batches: ReturnType<typeof batchInfo>[];
  redeemed?: number;
  redemptions?: ReturnType<typeof redemptionInfo>[];
  codes?: Awaited<ReturnType<typeof sheetOf>>;
  /** The id of the last batch or redemption of this page; `null` on the last one. */
  next: string | null;
}

/**
 * All batches, newest first; or one, with a page of its redemptions, the latest first. With `sheet` also its codes: from then
 * on the game master cannot redeem any of them.
 * @param before the id of the last batch or redemption of the page before
 * @throws DomainError `not_found`
 */
export const listCodes = async (
  call: ReadCall,
  { batch_id: id, sheet, limit }: CodesQuery,
  before: string | undefined,
): Promise<CodesInfo> => {
  const {
    audit,
    services: { store },
  } = call;
  if (id === undefined) {
    const made = (await readBatches(store.db)).filter(({ made_at }) => made_at !== undefined);
    const { page, next } = pageOf(made, ({ batch_id }) => batch_id, limit, before);
    return { batches: page.map(batchInfo), next };
  }
  audit.details = { batch_id: id, ...(sheet === true ? { sheet } : {}) };
  if (sheet === true) await noteSeen(call, id);
  const batch = await requireBatch(store, id);
  const redemptions = await knownRedemptions(call, batch);
  const { page, next } = pageOf(redemptions, ({ interaction_id }) => interaction_id, limit, before);
  const aliases = await loadAliases(store, new Set(page.map(({ player_id }) => player_id)));
  return {
    batches: [batchInfo(batch)],
    redeemed: redemptions.filter(({ undone_at }) => undone_at === undefined).length,
    redemptions: page.map((one) => redemptionInfo(one, aliases)),
    ...(sheet === true ? { codes: await sheetOf(store, batch, redemptions) } : {}),
    next,
  };
};
