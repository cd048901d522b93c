/**
 * The environment of the setups: a service with a stopped clock, calls that can have faults, and the game in which every
 * setup begins: the battery's, with subscriptions, a picture, a volunteer and more zombies.
 */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { beforeEach } from "vitest";
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { openDatabase } from "../../../lib/dynamodb/client.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { openStore } from "../../../lib/store/store.ts";
import { createTable } from "../../../scripts/local/table.ts";
import { WITH_MAIL } from "../../support/confirmation.ts";
import { connectDirectly } from "../../support/directClient.ts";
import { SHARED_ENGINE } from "../../support/engine.ts";
import { blackPng } from "../../support/pictures.ts";
import { trustedPushService } from "../../support/pushService.ts";
import { type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { restore, type Snapshot, snapshot } from "../../support/snapshot.ts";
import { useTempDir } from "../../support/tempDir.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { type Game, PASSWORD, playGame, SINCE_ZED } from "../game.ts";
import { EARLIER_TABLE, faultyQueue, withFaultyCalls } from "./faults.ts";
import { timeLeft } from "./process.ts";

/** The players, and Ida's push endpoint and picture. */
export interface Players extends Game {
  endpoint: string;
  pictureId: string;
  /** When Zed starved. */
  zedStarved: number;
}

const isOldLog = (pk: string, at: unknown, now: number): boolean =>
  pk.startsWith("LOGS#") && typeof at === "string" && Date.parse(at) < now - HOUR;

/** Plays the game up to the present. @returns the table now and a day before */
const play = async (s: TestEnvironment, clock: { now: number }, origin: string) => {
  const { now } = clock;
  let earlier: Snapshot = new Map();
  const game = await playGame(s, {
    now,
    at(time) {
      clock.now = time;
    },
    // Lea starved an hour ago, which is not recorded either; Max starves in five hours.
    zombies: [
      ["Lea", 49 * HOUR],
      ["Max", 43 * HOUR],
    ],
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
  const players: Players = { ...game, endpoint, pictureId, zedStarved: now - SINCE_ZED };
  return { players, now, table: new Map(kept), earlier };
};

/** The environment in which a setup is played. */
export type FaultEnvironment = ReturnType<typeof openEnvironment>;

export interface Rehearsal {
  title: string;
  /** Plays it without a fault. @returns a test of each fault that its calls can have */
  rehearse: (on: FaultEnvironment) => Promise<readonly { name: string; inject: () => Promise<void> }[]>;
}

/** The environment of all setups. */
export const openEnvironment = () => {
  const push = trustedPushService();
  const inTempDir = useTempDir();
  const clock = { now: 0 };
  const outbox: Outbound[] = [];
  let known: Awaited<ReturnType<typeof play>> | undefined;
  let used: DynamoDBClient | undefined;

  const s: TestEnvironment = testEnvironment({
    services: (usual) => ({
      ...push.services(usual),
      // Each attempt draws the same players.
      newSeed: () => "0".repeat(32),
      clock: () => clock.now,
      injectSqlWrites: true,
      retryPauseMs: 20,
      mail: { ...WITH_MAIL, url: { given: [`outbox:${inTempDir("outbox")}`] } },
      queue: faultyQueue({
        async send(messages) {
          outbox.push(...messages);
        },
      }),
    }),
  });
  beforeEach(() => {
    s.timeLeft = () => timeLeft();
    outbox.length = 0;
    // A full hour.
    clock.now = Math.floor(Date.now() / HOUR) * HOUR;
  });

  return {
    s,
    push: push.current,
    clock,
    /** Messages on the queue. */
    outbox,
    get players(): Players {
      if (known === undefined) throw new Error("nothing has been played yet");
      return known.players;
    },
    /** Gives the next request a new process. */
    freshProcess(): void {
      const { endpoint, table } = s.place();
      const configureClient = (client: DynamoDBClient): void => {
        // Thousands of open connections would be too many. Clients of the embedded engine share theirs.
        used?.destroy();
        used = client;
        withFaultyCalls(client);
        if (SHARED_ENGINE === undefined) connectDirectly(client, endpoint);
      };
      s.services.store = openStore(openDatabase({ endpoint, table, configureClient }));
    },
    /** Restores the game in which every setup begins, and updates `players`. */
    async begin(): Promise<void> {
      if (known === undefined) {
        known = await play(s, clock, push.current().origin);
        const { endpoint } = s.place();
        // The table as it was a day ago: what a lagging index still shows.
        await createTable(endpoint, EARLIER_TABLE);
        await restore({ place: () => ({ endpoint, table: EARLIER_TABLE }) }, known.earlier, new Map());
      }
      clock.now = known.now;
      await restore(s, known.table);
    },
    /** Restores the beginning of a setup. @param current the present content of the table, if it is known */
    async restart({ start, now }: { start: Snapshot; now: number }, current?: Snapshot): Promise<void> {
      await restore(s, start, current);
      clock.now = now;
      outbox.length = 0;
      push.current().reset();
    },
  };
};
