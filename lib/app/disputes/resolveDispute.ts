/** Game masters and moderators comment on a dispute, and game masters resolve it (decision 57). */
import { requireNotOwn } from "../../domain/accounts/staff.ts";
import {
  type Dispute,
  type DisputeOutcome,
  requireDisputable,
  resolve,
  withComment,
} from "../../domain/disputes/dispute.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { disputeMark, disputeWrite, entryWrites, readDispute } from "../../store/hunts/disputes.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { prepareVoid } from "../hunts/voidHunt.ts";

const requireDispute = async ({ db }: Store, id: string): Promise<Dispute> => {
  const dispute = await readDispute(db, id);
  if (dispute === null) throw new DomainError("not_found", "There is no such dispute.");
  return dispute;
};

/**
 * Adds a comment to an open dispute.
 * @throws DomainError `not_found`, `wrong_state`; `ask_game_master` for a moderator who is a side of it
 */
export const commentOnDispute = async (
  { audit, context, player, services: { store } }: PlayerCall,
  { dispute_id, comment }: { dispute_id: string; comment: string },
) => {
  audit.details = { dispute_id };
  const before = await requireDispute(store, dispute_id);
  requireNotOwn(player, before.target, before.hunter);
  const { dispute, entry } = withComment(before, player.player_id, context);
  const comments = dispute.entries.filter(({ speaker }) => speaker === "comment").length;
  return {
    changes: { writes: [disputeWrite(dispute), ...entryWrites(entry, comment, player.rev)] },
    result: { dispute_id, status: dispute.status, comments },
  };
};

/**
 * Resolves a dispute. With the outcome `void`, the hunt is voided in the same transaction.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const resolveDispute = async (
  { audit, context, game, now, player: actor, services: { store } }: PlayerCall,
  { dispute_id, outcome, note }: { dispute_id: string; outcome: DisputeOutcome; note: string },
) => {
  audit.details = { dispute_id, outcome, note };
  const before = await requireDispute(store, dispute_id);
  const item = await store.db.get(keys.interaction(before.shard, dispute_id));
  const hunt = requireDisputable(parseIfFound(item, parseInteraction));
  audit.target = hunt.target;
  const after = resolve(before, hunt, { outcome, by: actor.player_id, note, now });
  const { status, resolved_at } = after;
  const result = { dispute_id, status, resolved_at: resolved_at ?? "", effects: [] };
  if (outcome === "void") {
    const { changes, effects, aliases } = await prepareVoid({
      store,
      item,
      actor,
      game,
      reason: note,
      context,
    });
    return { changes, result: { ...result, effects }, aliases };
  }
  const mark = item === undefined ? [] : [disputeMark(item, after)];
  return { changes: { writes: [disputeWrite(after), ...mark] }, result };
};
