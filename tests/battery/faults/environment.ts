/**
 * The environment of the setups: a service with a stopped clock, calls that can have faults, and a restorable table.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { HOUR } from "../../../lib/domain/time.ts";
import { openDatabase } from "../../../lib/dynamodb/client.ts";
import type { Database } from "../../../lib/dynamodb/database.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { openStore } from "../../../lib/store/store.ts";
import { createTable } from "../../../scripts/local/table.ts";
import { type PushService, trustedPushService } from "../../support/pushService.ts";
import { type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { restore, type Snapshot } from "../../support/snapshot.ts";
import { faultyDatabase, faultyQueue } from "./callFaults.ts";
import { type PlayedGame, type Players, playForFaults } from "./players.ts";
import { timeLeft } from "./process.ts";
import { startBreaker, withFaultyRequests } from "./requestFaults.ts";

/** Where a setup is played. */
export interface FaultEnvironment {
  s: TestEnvironment;
  push: () => PushService;
  clock: { now: number };
  /** Messages on the queue. */
  outbox: Outbound[];
  players: Players;
  /** Gives the next request a new process. With `bySdk`, faults are injected into the requests of the SDK. */
  freshProcess: (how: { bySdk: boolean }) => void;
  /** Restores the game in which every setup begins, and updates `players`. */
  begin: () => Promise<void>;
  /** Restores the beginning of a setup. @param current the present content of the table, if it is known */
  restart: (beginning: { start: Snapshot; now: number }, current?: Snapshot) => Promise<void>;
}

/** An environment for all setups of a file. */
export const openEnvironment = (): FaultEnvironment => {
  const push = trustedPushService();
  const clock = { now: 0 };
  const outbox: Outbound[] = [];
  let breaker: Awaited<ReturnType<typeof startBreaker>>;
  let configureClient: ReturnType<typeof withFaultyRequests>;
  let usual: Database;
  let past: Database;
  let known: PlayedGame | undefined;

  const s: TestEnvironment = testEnvironment({
    services: (usual) => ({
      ...push.services(usual),
      clock: () => clock.now,
      injectSqlWrites: true,
      retryPauseMs: 20,
      queue: faultyQueue({
        async send(messages) {
          outbox.push(...messages);
        },
      }),
    }),
    database(db) {
      usual = db;
      return db;
    },
    timeLeft,
  });
  beforeAll(async () => {
    breaker = await startBreaker();
    configureClient = withFaultyRequests(breaker);
  });
  afterAll(() => breaker.stop());
  beforeEach(() => {
    outbox.length = 0;
    // A full hour.
    clock.now = Math.floor(Date.now() / HOUR) * HOUR;
  });

  /** The table as it was a day ago: what a lagging index still shows. */
  const openPast = async (earlier: Snapshot): Promise<Database> => {
    const behind = { endpoint: s.place().endpoint, table: `behind-${randomUUID()}` };
    await createTable(behind.endpoint, behind.table);
    await restore({ place: () => behind }, earlier, new Map());
    return openDatabase(behind);
  };

  return {
    s,
    push: push.current,
    clock,
    outbox,
    get players() {
      if (known === undefined) throw new Error("nothing has been played yet");
      return known.players;
    },
    freshProcess({ bySdk }) {
      // Each client has its own budget of retries.
      const own = bySdk ? openDatabase({ ...s.place(), configureClient }) : usual;
      s.services.store = openStore(faultyDatabase(own, past));
    },
    async begin() {
      if (known === undefined) {
        known = await playForFaults(s, clock, push.current().origin);
        past = await openPast(known.earlier);
      }
      clock.now = known.now;
      await restore(s, known.table);
    },
    async restart({ start, now }, current) {
      await restore(s, start, current);
      clock.now = now;
      outbox.length = 0;
      push.current().reset();
    },
  };
};
