/** The game in which operations race, running, paused and enforced. It is played once and restored before each race. */
import { HOUR } from "../../../lib/domain/time.ts";
import type { TestEnvironment } from "../../support/service.ts";
import { restore, type Snapshot, snapshot } from "../../support/snapshot.ts";
import { type Game, playGame } from "../game.ts";

/** The time of all races. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/** The states of the game: running, paused for an hour, and just after the enforcement of the checkpoint. */
export type GameState = "running" | "paused" | "enforced";

export interface Fixture extends Game {
  tables: Record<GameState, Snapshot>;
  /** The id of the checkpoint. */
  checkpoint: string;
}

/** Makes the fixture. @param at sets the service's clock */
export const makeFixture = async (s: TestEnvironment, at: (now: number) => void): Promise<Fixture> => {
  const game = await playGame(s, { now: NOW, at });
  for (const as of [game.who.Hal, game.who.Ida])
    await s.must("POST /edit_player/{url_id}", { as, body: { wants_original: true } });
  const running = await snapshot(s);
  const checkpoint = (await s.store.game()).checkpoint?.checkpoint_id ?? "";
  at(NOW - HOUR / 2);
  await s.must("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: game.who.Gus });
  const enforced = await snapshot(s);
  await restore(s, running, enforced);
  at(NOW - HOUR);
  await s.must("POST /admin/pause_game/{url_id}", { as: game.who.Gus });
  at(NOW);
  return { ...game, checkpoint, tables: { running, enforced, paused: await snapshot(s) } };
};
