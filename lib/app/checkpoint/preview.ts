/** A dry run of the job that enforces a checkpoint, or of the job that undoes an enforcement. */
import type { Game } from "../../domain/game/game.ts";
import type { Outcome } from "../../domain/outcome.ts";
import { type Player, type State, stateOf } from "../../domain/players/player.ts";
import { shownPlayer } from "../../domain/players/visibility.ts";
import { type CursorScope, makeCursor, readCursor } from "../../http/cursors.ts";
import type { CallBase } from "../../http/definition.ts";
import { RESERVE_MS } from "../../jobs/bulk.ts";
import { unavailable } from "../../store/commit.ts";
import { compareBytes } from "../../store/lists.ts";
import { readPlayers } from "../accounts/listPlayers.ts";

type PreviewCall = { game: Game; player: Player } & Pick<
  CallBase<{ limit?: number | undefined; cursor?: string | undefined }, unknown>,
  "body" | "now" | "services" | "timeLeft"
>;

interface Preview {
  killed: number;
  spared: number;
  /** A page of the players who would be changed; with `namesSpared`, also of those who would be spared. */
  players: { alias: string; state: State; becomes: State; changes: boolean }[];
  next_cursor: string | null;
  aliases: Map<string, string>;
}

/**
 * Counts the players whom a job would change or spare, and names a page of them. It changes nothing.
 * @param decide the rule of the job
 * @throws DomainError `invalid_request` for a bad cursor; `unavailable` when time runs out
 */
export const preview = async (
  { body, game, now, player: viewer, services, timeLeft }: PreviewCall,
  place: CursorScope,
  decide: (player: Player) => Outcome | "spared" | "exempt",
  namesSpared: boolean,
): Promise<Preview> => {
  const { store } = services;
  const { limit = 100, cursor } = body;
  const after = (await readCursor(services, place, cursor)) ?? "";
  const listed: { position: string; player: Player; becomes: Player; changes: boolean }[] = [];
  let [killed, spared] = [0, 0];
  for await (const { position, player } of readPlayers(store, store.rosterEntries(game, 500), 100)) {
    if (timeLeft() < RESERVE_MS) throw unavailable();
    const result = decide(player);
    if (result === "exempt") continue;
    const changes = result !== "spared";
    if (changes) killed += 1;
    else spared += 1;
    const isNamed = (changes || namesSpared) && listed.length <= limit && compareBytes(position, after) > 0;
    if (!isNamed) continue;
    const becomes = (result === "spared" ? undefined : result.players[0]?.after) ?? player;
    listed.push({ position, player, becomes, changes });
  }
  const page = listed.slice(0, limit);
  const shownState = (player: Player): State => stateOf(shownPlayer(player, viewer, game, now), game, now);
  const last = listed.length > limit ? (page.at(-1)?.position ?? null) : null;
  return {
    killed,
    spared,
    players: page.map(({ player, becomes, changes }) => ({
      alias: player.alias,
      state: shownState(player),
      becomes: shownState(becomes),
      changes,
    })),
    next_cursor: await makeCursor(services, place, last),
    aliases: new Map(page.map(({ player }) => [player.player_id, player.alias])),
  };
};
