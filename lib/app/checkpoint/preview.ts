/** A dry run of the enforcement of the checkpoint. */
import { enforceCheckpoint } from "../../domain/checkpoint.ts";
import { type Player, stateOf } from "../../domain/player.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import { RESERVE_MS } from "../../jobs/bulk.ts";
import { unavailable } from "../../store/commit.ts";
import { compareBytes } from "../../store/lists.ts";
import { readPlayers } from "../accounts/listPlayers.ts";
import { enforcementOf, type KillCall, type KillResponse, requireCheckpoint } from "./enforcementRequest.ts";

/**
 * Counts the players whom enforcing the checkpoint would kill or spare, and names a page of those it would kill. It
 * changes nothing.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `invalid_request` for a bad cursor
 */
export const preview = async (
  call: KillCall,
): Promise<{ response: KillResponse; names: Map<string, string> }> => {
  const { audit, body, context, game, now, player: actor, services, timeLeft } = call;
  const { store } = services;
  const { limit = 100, cursor } = body;
  const checkpoint = requireCheckpoint(game, body.checkpoint_id);
  const enforcement = enforcementOf(checkpoint, game, actor.player_id, now);
  const place = { list: "checkpoint", filters: { checkpoint_id: checkpoint.checkpoint_id } };
  const after = (await readCursor(services, place, cursor)) ?? "";
  const listed: { position: string; player: Player }[] = [];
  let killed = 0;
  let spared = 0;
  for await (const entry of readPlayers(store, store.rosterEntries(game, 500), 100)) {
    if (timeLeft() < RESERVE_MS) throw unavailable();
    const result = enforceCheckpoint(entry.player, game, enforcement, context);
    if (result === "spared") spared += 1;
    if (typeof result === "string") continue;
    killed += 1;
    if (listed.length <= limit && compareBytes(entry.position, after) > 0) listed.push(entry);
  }
  audit.details = { dry_run: true, killed, spared };
  const page = listed.slice(0, limit);
  const last = listed.length > limit ? (page.at(-1)?.position ?? null) : null;
  const players = page.map(({ player }) => ({ alias: player.alias, state: stateOf(player, game, now) }));
  const next_cursor = await makeCursor(services, place, last);
  return {
    response: { killed, spared, complete: true, job_id: null, players, next_cursor },
    names: new Map(page.map(({ player }) => [player.player_id, player.alias])),
  };
};
