/** Game masters and moderators comment on a dispute, and game masters resolve it (decision 57). */
import * as z from "zod/mini";
import { requireNotOwn } from "../../domain/accounts/staff.ts";
import {
  type Dispute,
  DisputeOutcome,
  DisputeStatus,
  requireDisputable,
  resolve,
  withComment,
} from "../../domain/disputes/dispute.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { EventId } from "../../http/fields.ts";
import { NoteText } from "../../http/textFields.ts";
import { Timestamp } from "../../http/views.ts";
import { disputeMark, disputeWrite, entryWrites, readDispute } from "../../store/hunts/disputes.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { reloadOnRetry } from "../currentState.ts";
import { EffectsView, prepareVoid } from "../hunts/voidHunt.ts";
import { StatementText } from "./openDispute.ts";

const requireDispute = async ({ db }: Store, id: string): Promise<Dispute> => {
  const dispute = await readDispute(db, id);
  if (dispute === null) throw new DomainError("not_found", "There is no such dispute.");
  return dispute;
};

export const CommentRequest = z.strictObject({ dispute_id: EventId, comment: StatementText });

export const CommentResponse = z.object({
  dispute_id: z.string(),
  status: DisputeStatus,
  comments: z.int(),
});

/**
 * Adds a comment to an open dispute.
 * @throws DomainError `not_found`, `wrong_state`; `ask_game_master` for a moderator who is a side of it
 */
export const commentOnDispute = (
  call: Call<"moderator", z.infer<typeof CommentRequest>, unknown, z.infer<typeof CommentResponse>>,
): Promise<CommandResponse> => {
  const { audit, body, context, services } = call;
  const { dispute_id, comment } = body;
  const { store } = services;
  const reload = reloadOnRetry(call);
  audit.details = { dispute_id };
  return call.decide(async () => {
    const [{ player }, before] = await Promise.all([reload(), requireDispute(store, dispute_id)]);
    requireNotOwn(player, before.target, before.hunter);
    const { dispute, entry } = withComment(before, player.player_id, context);
    const comments = dispute.entries.filter(({ speaker }) => speaker === "comment").length;
    return {
      changes: { writes: [disputeWrite(dispute), ...entryWrites(entry, comment, player.rev)] },
      result: { dispute_id, status: dispute.status, comments },
    };
  });
};

export const ResolveRequest = z.strictObject({
  dispute_id: EventId,
  outcome: DisputeOutcome,
  note: NoteText,
});

export const ResolveResponse = z.object({
  dispute_id: z.string(),
  status: DisputeStatus,
  resolved_at: Timestamp,
  /** The effects of the void; none if the hunt stands. */
  effects: EffectsView,
});

/**
 * Resolves a dispute. With the outcome `void`, the hunt is voided in the same transaction.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const resolveDispute = (
  call: Call<"administrator", z.infer<typeof ResolveRequest>, unknown, z.infer<typeof ResolveResponse>>,
): Promise<CommandResponse> => {
  const { audit, body, context, now, services } = call;
  const { dispute_id, outcome, note } = body;
  const { store } = services;
  const reload = reloadOnRetry(call);
  audit.details = { dispute_id, outcome, note };
  return call.decide(async () => {
    const [{ player: actor, game }, before] = await Promise.all([
      reload(),
      requireDispute(store, dispute_id),
    ]);
    const item = await store.db.get(keys.interaction(before.shard, dispute_id));
    const hunt = requireDisputable(parseIfFound(item, parseInteraction));
    audit.target = hunt.target;
    const after = resolve(before, hunt, { outcome, by: actor.player_id, note, now });
    const { status, resolved_at } = after;
    const response = { dispute_id, status, resolved_at: resolved_at ?? "", effects: [] };
    if (outcome === "void") {
      const request = { store, item, actor, game, reason: note, context };
      const { changes, effects, aliases } = await prepareVoid(request);
      return { changes, result: { ...response, effects }, aliases };
    }
    const mark = item === undefined ? [] : [disputeMark(item, after)];
    return { changes: { writes: [disputeWrite(after), ...mark] }, result: response };
  });
};
