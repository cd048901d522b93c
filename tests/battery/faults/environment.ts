/**
 * The environment of the setups: a service with a stopped clock, calls that can have faults, and a restorable table.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { HOUR } from "../../../lib/domain/time.ts";
import { openDatabase } from "../../../lib/dynamodb/client.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { openStore } from "../../../lib/store/store.ts";
import { createTable } from "../../../scripts/local/table.ts";
import { type PushService, trustedPushService } from "../../support/pushService.ts";
import { type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { restore, type Snapshot } from "../../support/snapshot.ts";
import { faultyQueue, startBreaker, withFaultyRequests } from "./faults.ts";
import { type PlayedGame, type Players, playForFaults } from "./players.ts";
import { timeLeft } from "./process.ts";

/** Where a setup is played. */
export interface FaultEnvironment {
  s: TestEnvironment;
  push: () => PushService;
  clock: { now: number };
  /** Messages on the queue. */
  outbox: Outbound[];
  players: Players;
  /** Gives the next request a new process. */
  freshProcess: () => void;
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
  /** The table as it was a day ago: what a lagging index still shows. */
  const behind = `behind-${randomUUID()}`;
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
    timeLeft,
  });
  beforeAll(async () => {
    breaker = await startBreaker();
    configureClient = withFaultyRequests(breaker, behind);
  });
  afterAll(() => breaker.stop());
  beforeEach(() => {
    outbox.length = 0;
    // A full hour.
    clock.now = Math.floor(Date.now() / HOUR) * HOUR;
  });

  return {
    s,
    push: push.current,
    clock,
    outbox,
    get players() {
      if (known === undefined) throw new Error("nothing has been played yet");
      return known.players;
    },
    freshProcess() {
      // Each client has its own budget of retries.
      s.services.store = openStore(openDatabase({ ...s.place(), configureClient }));
    },
    async begin() {
      if (known === undefined) {
        known = await playForFaults(s, clock, push.current().origin);
        const { endpoint } = s.place();
        await createTable(endpoint, behind);
        await restore({ place: () => ({ endpoint, table: behind }) }, known.earlier, new Map());
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
