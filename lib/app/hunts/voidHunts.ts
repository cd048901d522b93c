/** Voids several hunts, or previews the effects of each. */
import { DomainError } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { JobCall } from "../../lambda/call.ts";
import { writesOf } from "../../store/changes.ts";
import { unavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { type Alert, readAlert, resolvedWrite } from "../../store/notifications/alerts.ts";
import type { Store } from "../../store/store.ts";
import { type EffectInfo, prepareVoid } from "./voidHunt.ts";

/** Hunts to void: those of an alert, or those that are listed. */
interface HuntsToVoid {
  interaction_ids?: string[] | undefined;
  alert_id?: string | undefined;
  dry_run?: boolean | undefined;
}

/** What became of one hunt. In a dry run, `voided` means that the hunt would be voided. */
interface VoidedHunt {
  interaction_id: string;
  outcome: "voided" | "not_found" | "wrong_state";
  effects: EffectInfo[];
}

interface VoidedHunts {
  dry_run: boolean;
  voided: number;
  hunts: VoidedHunt[];
}

const DEFAULT_REASON = "Voided with others.";

/**
 * Voids one hunt in a transaction of its own.
 * @param aliases filled with the aliases in the result, by player id
 * @param changed filled with the players as a dry run would leave them
 * @throws DomainError `unavailable`
 */
const voidOne = async (
  call: JobCall<VoidedHunts>,
  { dry_run = false }: HuntsToVoid,
  interaction_id: string,
  aliases: Map<string, string>,
  changed: Map<string, Player>,
): Promise<VoidedHunt> => {
  const { context, services, timeLeft } = call;
  const { store } = services;
  const { reason = DEFAULT_REASON } = context;
  for (;;) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
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
  store: Store,
  { interaction_ids, alert_id = "" }: HuntsToVoid,
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
export const voidHunts = (call: JobCall<VoidedHunts>, body: HuntsToVoid): Promise<CommandResponse> => {
  const { audit, now, services } = call;
  const { dry_run = false } = body;
  const results = new Map<string, VoidedHunt>();
  const aliases = new Map<string, string>();
  const changed = new Map<string, Player>();
  return call.decide(async () => {
    const { alert, ids } = await huntsOf(services.store, body);
    // Latest first, because only a hunter's latest kills and feedings are stored.
    for (const id of ids.toSorted().toReversed()) {
      if (!results.has(id)) results.set(id, await voidOne(call, body, id, aliases, changed));
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
