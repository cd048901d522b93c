/** Chains of work that begin with a sweep, a record of the stream or a message, and how each is set up. */
import type { DynamoDBRecord } from "aws-lambda";
import { NEW_GAME } from "../../../lib/domain/clock.ts";
import { HOUR, MINUTE, rfc3339 } from "../../../lib/domain/time.ts";
import { makeSender } from "../../../lib/push/sender.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { LIST_START, makePlan, plannedCount, planWrite } from "../../../lib/store/broadcasts.ts";
import { notificationWrite } from "../../../lib/store/notifications.ts";
import { openStore } from "../../../lib/store/store.ts";
import { status } from "../../support/pushService.ts";
import type { TestPlayer } from "../../support/service.ts";
import { streamRecords } from "../../support/streamRecords.ts";
import { makeBrowser } from "../../support/webPush.ts";
import type { FaultEnvironment } from "./environment.ts";
import type { Effect } from "./process.ts";

/** A piece of work: an invocation of a worker. */
export type Work =
  | { what: "sweep" }
  | { what: "records"; records: readonly DynamoDBRecord[] }
  | { what: "message"; outbound: Outbound };

export interface Chain {
  title: string;
  /** Sets it up. @returns the first piece of work */
  prepare: (on: FaultEnvironment) => Promise<readonly Work[]>;
  /** The number of pushes to each path without faults. */
  pushes: Readonly<Record<string, number>>;
  /** If the recipients are read from an index: the least lag that changes them. */
  proposes?: Effect["lags"];
}

/** A path that rejects the first push, and one whose subscription has expired. */
const SLOW = "/ida-2";
export const GONE = "/gone";

/** Resets the push service. */
export const arrange = ({ s, push }: FaultEnvironment): void => {
  const service = push();
  service.reset();
  // Forgets which subscriptions failed in an earlier run.
  s.services.push = { ...s.services.push, sender: makeSender() };
  let isFirst = true;
  service.answer(SLOW, (response) => {
    status(isFirst ? 503 : 201)(response);
    isFirst = false;
  });
  service.answer(GONE, status(410));
};

const subscribe = async (on: FaultEnvironment, as: TestPlayer, path: string): Promise<void> => {
  const { p256dh, auth } = makeBrowser();
  const body = { endpoint: `${on.push().origin}${path}`, p256dh, auth };
  await on.s.must("POST /notifications/subscribe/{url_id}", { as, body });
};

/** What the stream's worker gets because of some commands. */
const recordsOf = async ({ s }: FaultEnvironment, work: () => Promise<unknown>): Promise<readonly Work[]> => {
  const before = await streamRecords(s);
  await work();
  return [{ what: "records", records: (await streamRecords(s)).slice(before.length) }];
};

/** Starts bulk work in a process that dies before its first batch, and waits until its lease has expired. */
const abandoned = async (on: FaultEnvironment, word: string, body: unknown): Promise<void> => {
  const { s, players, clock } = on;
  const { db } = s.store;
  let transactions = 0;
  s.services.store = openStore({
    ...db,
    async transact(writes, token) {
      transactions += 1;
      if (transactions > 1) throw new Error("the process was killed here");
      await db.transact(writes, token);
    },
  });
  const result = await s.call(`POST /admin/${word}/{url_id}`, { as: players.who.Gus, body, key: "begun" });
  s.services.store = openStore(db);
  if (result.status !== 500) throw new Error(`${word} was not cut off: ${result.status} ${result.text}`);
  clock.now += 2 * MINUTE;
};

const NOTIFICATION = "01900000-0000-7000-8000-000000000001";

export const CHAINS: readonly Chain[] = [
  {
    title: "the sweep of starvations, warnings and old cuts",
    prepare: async (on) => {
      await subscribe(on, on.players.who.Yan, "/yan");
      return [{ what: "sweep" }];
    },
    pushes: { "/yan": 1 },
  },
  {
    title: "the sweep that takes up a killing",
    prepare: async (on) => {
      await abandoned(on, "kill_all_not_at_checkpoint", {});
      return [{ what: "sweep" }];
    },
    pushes: {},
  },
  {
    title: "the sweep that takes up an undo",
    prepare: async (on) => {
      const { checkpoint } = await on.s.store.game();
      const as = on.players.who.Gus;
      await on.s.must("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as });
      const body = { checkpoint_id: checkpoint?.checkpoint_id, reason: "The list was late." };
      await abandoned(on, "undo_checkpoint", body);
      return [{ what: "sweep" }];
    },
    pushes: {},
  },
  {
    title: "a feeding that was cut off",
    prepare: async (on) => {
      on.outbox.length = 0;
      await abandoned(on, "feed", { n: 50 });
      return on.outbox.splice(0).map((outbound) => ({ what: "message", outbound }));
    },
    pushes: {},
  },
  {
    title: "a deletion that was cut off",
    prepare: async ({ players }) => {
      const { id } = players.who.Ada;
      const message = { kind: "removal" as const, player_id: id, action: "delete_player", actor: id };
      return [{ what: "message", outbound: { message } }];
    },
    pushes: {},
  },
  {
    title: "what is announced to one and to all",
    async prepare(on) {
      const as = on.players.who.Gus;
      await subscribe(on, on.players.who.Hal, "/hal");
      await subscribe(on, on.players.who.Ida, GONE);
      return recordsOf(on, async () => {
        await on.s.must("POST /admin/corpsify/{url_id}", { as, body: { alias: "Ida" } });
        await on.s.must("POST /admin/set_checkpoint/{url_id}", { as, body: { name: "The tower" } });
      });
    },
    // A subscription that has expired gets no second push.
    pushes: { "/hal": 1, "/ida-1": 2, [SLOW]: 3, [GONE]: 1 },
    proposes: "once",
  },
  {
    title: "what is told to webhooks",
    async prepare(on) {
      const as = on.players.who.Gus;
      const { origin } = on.push();
      const webhooks = ["/hook", SLOW].map((path) => ({ url: `${origin}${path}`, format: "signed" }));
      await on.s.must("POST /admin/settings/{url_id}", { as, body: { webhooks } });
      return recordsOf(on, () =>
        on.s.must("POST /admin/feed_player/{url_id}", { as, body: { alias: "Sam" } }),
      );
    },
    pushes: { "/hook": 1, [SLOW]: 2 },
  },
  {
    title: "a notification to many",
    prepare: async (on) => {
      const { players, clock, s } = on;
      await subscribe(on, players.who.Hal, "/hal");
      await subscribe(on, players.who.Ida, GONE);
      const plan = await makePlan(s.store, NEW_GAME, { first: 0, after: LIST_START }, () => false);
      const notification = {
        ...{
          notification_id: NOTIFICATION,
          player_id: players.who.Gus.id,
          title: "Run",
          content: "They come.",
        },
        ...{ player_group: "All" as const, audience: "all" as const },
        created_at: rfc3339(clock.now - HOUR / 2),
      };
      const progress = { subscriptions: plannedCount(plan), pages: 1 };
      const writes = [
        planWrite(NOTIFICATION, 0, plan, clock.now),
        notificationWrite(notification, 0, progress),
      ];
      await s.store.commit(writes, () => 10_000);
      const subject = { notification_id: NOTIFICATION, shard: 0 };
      return [{ what: "message", outbound: { message: { kind: "plan_broadcast", subject, plan: 0 } } }];
    },
    pushes: { "/hal": 1, "/ida-1": 1, [SLOW]: 2, [GONE]: 1 },
    proposes: "once",
  },
];
