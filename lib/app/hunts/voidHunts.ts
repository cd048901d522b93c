/** Voids several hunts, or previews the effects of each. */
import * as z from "zod/mini";
import { DomainError } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { EventId, exactlyOneOf } from "../../http/fields.ts";
import { RESERVE_MS } from "../../jobs/bulk.ts";
import { writesOf } from "../../store/changes.ts";
import { unavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { type Alert, readAlert, resolvedWrite } from "../../store/notifications/alerts.ts";
import { EffectsView, prepareVoid } from "./voidHunt.ts";

const MAX_HUNTS = 100;

export const VoidHuntsRequest = z
  .strictObject({
    interaction_ids: z.optional(
      z.array(EventId).check(
        z.minLength(1),
        z.maxLength(MAX_HUNTS),
        z.refine((ids) => new Set(ids).size === ids.length, "must not have an id twice"),
      ),
    ),
    alert_id: z.optional(EventId),
    dry_run: z.optional(z.boolean()),
  })
  .check(exactlyOneOf("interaction_ids", "alert_id"));
type VoidHuntsRequest = z.infer<typeof VoidHuntsRequest>;

const VoidedHunt = z.object({
  interaction_id: z.string(),
  /** In a dry run, `voided` means that the hunt would be voided. */
  outcome: z.enum(["voided", "not_found", "wrong_state"]),
  effects: EffectsView,
});
type VoidedHunt = z.infer<typeof VoidedHunt>;

export const VoidHuntsResponse = z.object({
  dry_run: z.boolean(),
  voided: z.int(),
  hunts: z.array(VoidedHunt),
});
type VoidHuntsResponse = z.infer<typeof VoidHuntsResponse>;

type VoidHuntsCall = Call<"administrator", VoidHuntsRequest, unknown, VoidHuntsResponse>;

const DEFAULT_REASON = "Voided with others.";

/**
 * Voids one hunt in a transaction of its own.
 * @param aliases filled with the aliases in the result, by player id
 * @param changed filled with the players as a dry run would leave them
 * @throws DomainError `unavailable`
 */
const voidOne = async (
  call: VoidHuntsCall,
  interaction_id: string,
  aliases: Map<string, string>,
  changed: Map<string, Player>,
): Promise<VoidedHunt> => {
  const { body, context, services, timeLeft } = call;
  const { store } = services;
  const { dry_run = false } = body;
  const { reason = DEFAULT_REASON } = context;
  for (;;) {
    if (timeLeft() < RESERVE_MS) throw unavailable();
    try {
      const game = await store.game();
      const item = await store.interactionItem(game, interaction_id);
      const { changes, effects, ...prepared } = await prepareVoid({
        store,
        item,
        game,
        reason,
        changed,
        actor: call.player,
        context: { ...context, reason },
      });
      if (dry_run) {
        for (const { after } of changes.players) if (after !== null) changed.set(after.player_id, after);
      } else await store.commit(await writesOf(changes), timeLeft);
      for (const [id, alias] of prepared.aliases) aliases.set(id, alias);
      return { interaction_id, outcome: "voided", effects };
    } catch (error) {
      if (error instanceof ConditionFailed) continue;
      if (!(error instanceof DomainError)) throw error;
      const { code } = error;
      if (code !== "not_found" && code !== "wrong_state") throw error;
      return { interaction_id, outcome: code, effects: [] };
    }
  }
};

/** The hunts of a request: those of its alert, or those that it lists. @throws DomainError `not_found` */
const huntsOf = async (
  { services: { store } }: VoidHuntsCall,
  { interaction_ids, alert_id = "" }: VoidHuntsRequest,
): Promise<{ alert: Alert | null; ids: readonly string[] }> => {
  if (interaction_ids !== undefined) return { alert: null, ids: interaction_ids };
  const alert = await readAlert(store.db, alert_id);
  if (alert === null) throw new DomainError("not_found", "There is no such alert.");
  return { alert, ids: alert.hunts.map(({ interaction_id }) => interaction_id) };
};

/**
 * Voids hunts, the latest first, each as `void_hunt` does. Skips unknown ids, interactions that are no hunts, and hunts
 * that are voided already. If time runs out, some are voided; the same request continues.
 * @throws DomainError `not_found` for an unknown alert, `unavailable`
 */
export const voidHunts = (call: VoidHuntsCall): Promise<CommandResponse> => {
  const { audit, body, now } = call;
  const { dry_run = false } = body;
  const results = new Map<string, VoidedHunt>();
  const aliases = new Map<string, string>();
  const changed = new Map<string, Player>();
  return call.decide(async () => {
    const { alert, ids } = await huntsOf(call, body);
    // Latest first, because only a hunter's latest kills and feedings are stored.
    for (const id of ids.toSorted().toReversed()) {
      if (!results.has(id)) results.set(id, await voidOne(call, id, aliases, changed));
    }
    const hunts = ids.flatMap((id) => results.get(id) ?? []);
    const voided = hunts.filter(({ outcome }) => outcome === "voided").length;
    audit.details = {
      ...(alert === null ? {} : { alert_id: alert.alert_id }),
      dry_run,
      voided,
      interaction_ids: ids,
    };
    const isResolved = alert !== null && alert.resolved_at === null && !dry_run;
    return {
      changes: isResolved ? { writes: [resolvedWrite(alert, rfc3339(now))] } : {},
      result: { dry_run, voided, hunts },
      aliases,
    };
  });
};
