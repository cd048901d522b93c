/** The game in which every setup begins: the battery's, with subscriptions, a picture, a volunteer and more zombies. */
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { blackPng } from "../../support/pictures.ts";
import type { TestEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { type Game, PASSWORD, playGame } from "../game.ts";

/** Lea starved an hour ago, which is not recorded either; Max starves in five hours. */
const ZOMBIES = [
  ["Lea", 49 * HOUR],
  ["Max", 43 * HOUR],
] as const;

/** The players, and Ida's push endpoint and picture. */
export interface Players extends Game<"Lea" | "Max"> {
  endpoint: string;
  pictureId: string;
}

export interface PlayedGame {
  players: Players;
  now: number;
  table: Snapshot;
  /** The table a day before. */
  earlier: Snapshot;
}

const isOldLog = (pk: string, at: unknown, now: number): boolean =>
  pk.startsWith("LOGS#") && typeof at === "string" && Date.parse(at) < now - HOUR;

/** Plays the game up to the present. */
export const playForFaults = async (
  s: TestEnvironment,
  clock: { now: number },
  origin: string,
): Promise<PlayedGame> => {
  const { now } = clock;
  let earlier: Snapshot = new Map();
  const game = await playGame(s, {
    now,
    at(time) {
      clock.now = time;
    },
    zombies: ZOMBIES,
    async beforeHunts() {
      const as = await s.login("Gus", PASSWORD);
      await s.must("POST /admin/set_checkpoint/{url_id}", { as, body: { name: "The gate" } });
      // Early enough to be seen by a read that lags.
      const hal = await s.login("Hal", PASSWORD);
      await s.must("POST /edit_player/{url_id}", { as: hal, body: { wants_original: true } });
      earlier = await snapshot(s);
    },
  });
  const { who } = game;
  clock.now = now - 2 * HOUR;
  const endpoint = `${origin}/ida-1`;
  const ida = await s.login("Ida", PASSWORD);
  const raw = { body: blackPng(8, 8), type: "application/octet-stream" };
  await s.must("POST /set_pfp/{url_id}", { as: ida, raw });
  const pictureId = (await s.see(ida)).picture_url.slice("/pictures/".length);
  for (const url of [endpoint, `${origin}/ida-2`]) {
    const { p256dh, auth } = makeBrowser();
    const body = { endpoint: url, p256dh, auth };
    await s.must("POST /notifications/subscribe/{url_id}", { as: ida, body });
  }
  // The next use of this session is recorded; that of the session that issued the recovery code is not.
  who.Gus = await s.login("Gus", PASSWORD);
  clock.now = now - 2 * MINUTE;
  // A failed login, which the next successful one clears.
  const wrong = { alias: "Hal", password: "not the password" };
  await s.call("POST /login", { body: wrong, from: "203.0.113.9" });
  clock.now = now;
  // Old log entries are irrelevant here, and would slow down every case.
  const kept = [...(await snapshot(s))].filter(([, { pk, at: when }]) => !isOldLog(pk, when, now));
  return { players: { ...game, endpoint, pictureId }, now, table: new Map(kept), earlier };
};
