/** The environment of the setups: a service whose clock is stopped, whose processes may die, and whose table is restored. */
import { randomUUID } from "node:crypto";
import { beforeEach } from "vitest";
import { HOUR } from "../../../lib/domain/time.ts";
import { openDatabase } from "../../../lib/dynamodb/client.ts";
import type { Database } from "../../../lib/dynamodb/database.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { openStore } from "../../../lib/store/store.ts";
import { createTable } from "../../../scripts/local/table.ts";
import { type PushService, trustedPushService } from "../../support/pushService.ts";
import { type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { restore } from "../../support/snapshot.ts";
import { type Players, playGame } from "./players.ts";

/** Between the store and the engine. */
export interface Between {
  /** The database that a fresh process opens. */
  open: (place: { endpoint: string; table: string }) => Database;
  wrap: (usual: Database, past: () => Database) => Database;
  queue: (usual: { send: (messages: readonly Outbound[]) => Promise<void> }) => typeof usual;
  timeLeft: () => number;
  /** Whether indexes can be behind. */
  lags: boolean;
}

/** Where a setup is played. */
export interface FaultEnvironment {
  s: TestEnvironment;
  push: () => PushService;
  clock: { now: number };
  timeLeft: () => number;
  /** Messages on the queue. */
  outbox: Outbound[];
  players: Players;
  /** What the next request meets is a process of its own. */
  freshProcess: () => void;
  /** Puts the game as everybody knows it into the story's table; `players` is who is in it. */
  begin: () => Promise<void>;
}

/** A environment for every story of a file. */
export const openEnvironment = ({ open, wrap, queue, timeLeft, lags }: Between): FaultEnvironment => {
  const push = trustedPushService();
  const clock = { now: 0 };
  const outbox: Outbound[] = [];
  let behind = { endpoint: "", table: "" };
  let past: Database | undefined;
  let known: Awaited<ReturnType<typeof playGame>> | undefined;

  const current = (): Database => {
    if (past === undefined) throw new Error("no table has been left behind");
    return past;
  };
  const opened = (): Database => wrap(open(s.place()), current);
  const s: TestEnvironment = testEnvironment({
    services: (usual) => ({
      ...push.services(usual),
      clock: () => clock.now,
      injectSqlWrites: true,
      retryPauseMs: 20,
      queue: queue({
        async send(messages) {
          outbox.push(...messages);
        },
      }),
    }),
    database: opened,
    timeLeft,
  });

  beforeEach(() => {
    outbox.length = 0;
    // To the full hour, from which the masks count.
    clock.now = Math.floor(Date.now() / HOUR) * HOUR;
  });

  const environment: FaultEnvironment = {
    s,
    push: push.current,
    clock,
    timeLeft,
    outbox,
    get players() {
      if (known === undefined) throw new Error("nothing has been played yet");
      return known.players;
    },
    freshProcess() {
      s.services.store = openStore(opened());
    },
    async begin() {
      known ??= await playGame({ s, clock, origin: push.current().origin });
      clock.now = known.now;
      await restore(s, known.table);
      if (!lags) return;
      const { endpoint } = s.place();
      if (behind.endpoint === endpoint && past !== undefined) return;
      behind = { endpoint, table: `behind-${randomUUID()}` };
      await createTable(endpoint, behind.table);
      await restore({ place: () => behind }, known.earlier, new Map());
      past = openDatabase(behind);
    },
  };
  return environment;
};
