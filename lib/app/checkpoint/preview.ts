/** Dry runs of the jobs that enforce a checkpoint and undo an enforcement: they count the players, and list them. */
import { enforceCheckpoint } from "../../domain/checkpoint/checkpoint.ts";
import { undoEnforcement } from "../../domain/checkpoint/undoCheckpoint.ts";
import type { Outcome } from "../../domain/outcome.ts";
import { type Player, type State, stateOf } from "../../domain/players/player.ts";
import { shownPlayer } from "../../domain/players/visibility.ts";
import { rfc3339 } from "../../domain/time.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { unavailable } from "../../store/commit.ts";
import { pageCollector } from "../../store/lists.ts";
import { readPlayers } from "../players/listPlayers.ts";
import { enforcementOf, requireCheckpoint } from "./startEnforcement.ts";
import { requireEnforced, type UndoRequest } from "./undoEnforcement.ts";

/** The page to list. `after` is a position. */
export interface PageRequest {
  limit: number;
  after: string | undefined;
}

/**
 * Counts the players whom a job would change or spare, and lists a page of them. It changes nothing.
 * @param decide the rule of the job
 * @param namesSpared whether also those are listed who would be spared
 * @throws DomainError `unavailable` when time runs out
 */
export const preview = async (
  { game, now, player: viewer, services: { store }, timeLeft }: ReadCall,
  { limit, after }: PageRequest,
  decide: (player: Player) => Outcome | "spared" | "exempt",
  namesSpared: boolean,
) => {
  const listed = pageCollector<{ player: Player; becomes: Player; changes: boolean }>(limit, after);
  let [killed, spared] = [0, 0];
  for await (const { position, player } of readPlayers(store, store.rosterEntries(game, 500), 100)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    const result = decide(player);
    if (result === "exempt") continue;
    const changes = result !== "spared";
    if (changes) killed += 1;
    else spared += 1;
    const becomes = (result === "spared" ? undefined : result.players[0]?.after) ?? player;
    if (changes || namesSpared) listed.add(position, { player, becomes, changes });
  }
  const { items, next } = listed.page();
  const shownState = (player: Player): State => stateOf(shownPlayer(player, viewer, game, now), game, now);
  return {
    killed,
    spared,
    players: items.map(({ player, becomes, changes }) => ({
      alias: player.alias,
      state: shownState(player),
      becomes: shownState(becomes),
      changes,
    })),
    next,
    aliases: new Map(items.map(({ player }) => [player.player_id, player.alias])),
  };
};

/** Counts and lists the players whom an enforcement would kill or turn. @throws DomainError like the enforcement */
export const previewEnforcement = async (
  call: ReadCall,
  checkpointId: string | undefined,
  page: PageRequest,
) => {
  const { audit, context, game, now, player } = call;
  const checkpoint = requireCheckpoint(game, checkpointId);
  const enforcement = enforcementOf(checkpoint, game, player.player_id, now);
  const decide = (one: Player) => enforceCheckpoint(one, game, enforcement, context);
  const { killed, spared, players, ...rest } = await preview(call, page, decide, false);
  audit.details = { dry_run: true, killed, spared };
  const named = players.map(({ alias, state, becomes }) => ({ alias, state, becomes }));
  return { result: { killed, spared, complete: true, job_id: null, players: named }, ...rest };
};

/** Counts and lists the players whom the enforcement has changed. @throws DomainError `wrong_state` */
export const previewUndo = async (
  call: ReadCall,
  { checkpoint_id, reason }: UndoRequest,
  page: PageRequest,
) => {
  const { audit, context, game, now, player } = call;
  requireEnforced(game, checkpoint_id);
  const undo = { checkpoint_id, actor: player.player_id, began_at: rfc3339(now), reason };
  const decide = (one: Player) => undoEnforcement(one, game, undo, context);
  const { killed, spared, players, ...rest } = await preview(call, page, decide, true);
  const counts = { restored: killed, changed: spared };
  audit.details = { checkpoint_id, reason, dry_run: true, ...counts };
  const named = players.map(({ alias, state, changes }) => ({
    alias,
    state,
    outcome: changes ? ("restored" as const) : ("changed" as const),
  }));
  return { result: { ...counts, complete: true, job_id: null, players: named }, ...rest };
};
