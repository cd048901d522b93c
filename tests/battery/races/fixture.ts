/** The game in which operations race, running and paused. It is played once and restored before each race. */
import { HOUR } from "../../../lib/domain/time.ts";
import type { TestEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { type Game, playGame } from "../game.ts";

/** The time of all races. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/** Two states of the game: running, and paused for an hour. */
export type GameState = "going" | "paused";

export interface Fixture extends Game {
  tables: Record<GameState, Snapshot>;
}

/** Makes the fixture. @param at sets the service's clock */
export const makeFixture = async (s: TestEnvironment, at: (now: number) => void): Promise<Fixture> => {
  const game = await playGame(s, { now: NOW, at });
  for (const as of [game.who.Hal, game.who.Ida])
    await s.must("POST /edit_player/{url_id}", { as, body: { wants_original: true } });
  const going = await snapshot(s);
  at(NOW - HOUR);
  await s.must("POST /admin/pause_game/{url_id}", { as: game.who.Gus });
  at(NOW);
  return { ...game, tables: { going, paused: await snapshot(s) } };
};
