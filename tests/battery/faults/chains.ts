/** Chains of work that begin with a sweep, a record of the stream or a message, and how each is set up. */
import type { DynamoDBRecord } from "aws-lambda";
import { MINUTE, rfc3339 } from "../../../lib/domain/time.ts";
import { makeSender } from "../../../lib/push/sender.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { openStore } from "../../../lib/store/store.ts";
import { status } from "../../support/pushService.ts";
import { streamRecords } from "../../support/streamRecords.ts";
import { makeBrowser } from "../../support/webPush.ts";
import type { Name } from "../game.ts";
import type { FaultEnvironment } from "./environment.ts";
import type { Effect } from "./process.ts";
import { confirmAddress, SEASON } from "./setups.ts";

/** A piece of work: an invocation of a worker. */
export type Work =
  | { what: "sweep" }
  | { what: "records"; records: readonly DynamoDBRecord[] }
  | { what: "message"; outbound: Outbound };

export interface Chain {
  title: string;
  /** Sets the chain up. @returns the first piece of work, if it is not a sweep */
  prepare: (on: FaultEnvironment) => Promise<readonly Work[] | undefined>;
  /** The number of pushes to each path without faults. */
  pushes?: Readonly<Record<string, number>>;
  /** If the recipients are read from an index: the least lag that changes the recipients. */
  changedByLag?: Effect["lags"];
}

/** A path that rejects the first push, and one whose subscription has expired. */
const SLOW = "/ida-2";
export const GONE = "/gone";

/** Resets the push service, and sets how these two paths respond. */
export const preparePushService = ({ s, push }: FaultEnvironment): void => {
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

/** Lets players subscribe, each at a path. */
const subscribe = async (on: FaultEnvironment, paths: Partial<Record<Name, string>>): Promise<undefined> => {
  const { s, push, players } = on;
  for (const name of Object.keys(paths) as Name[]) {
    const { p256dh, auth } = makeBrowser();
    const body = { endpoint: `${push().origin}${paths[name]}`, p256dh, auth };
    await s.must("POST /notifications/subscribe/{url_id}", { as: players.who[name], body });
  }
};
/** The records that the stream's worker receives after some commands. */
const recordsOf = async ({ s }: FaultEnvironment, work: () => Promise<unknown>): Promise<readonly Work[]> => {
  const before = await streamRecords(s);
  await work();
  return [{ what: "records", records: (await streamRecords(s)).slice(before.length) }];
};

/** Starts bulk work in a process that dies before its first batch, and waits until its lease has expired. */
const abandon = async (on: FaultEnvironment, word: string, body: unknown): Promise<undefined> => {
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
  if (result.status !== 500) throw new Error(`${word} was not interrupted: ${result.status} ${result.text}`);
  clock.now += 2 * MINUTE;
};

const master = async ({ s, players }: FaultEnvironment, word: string, body: object = {}): Promise<void> => {
  await s.must(`POST /admin/${word}/{url_id}`, { as: players.who.Gus, body });
};

export const CHAINS: readonly Chain[] = [
  {
    title: "the sweep of starvations, warnings and old snapshots",
    pushes: { "/yan": 1 },
    prepare: (on) => subscribe(on, { Yan: "/yan" }),
  },
  {
    title: "the sweep that resumes an enforcement",
    prepare: (on) => abandon(on, "kill_all_not_at_checkpoint", {}),
  },
  {
    title: "the sweep that resumes an undo",
    async prepare(on) {
      const { checkpoint } = await on.s.store.game();
      await master(on, "kill_all_not_at_checkpoint");
      const body = { checkpoint_id: checkpoint?.checkpoint_id, reason: "The list was late." };
      await abandon(on, "undo_checkpoint", body);
    },
  },
  {
    title: "the sweep that resumes a new season",
    async prepare(on) {
      await master(on, "pause_game");
      await abandon(on, "reset_season", SEASON);
    },
  },
  {
    title: "a feeding that was interrupted",
    async prepare(on) {
      on.outbox.length = 0;
      await abandon(on, "feed", { n: 50 });
      return on.outbox.splice(0).map((outbound) => ({ what: "message", outbound }));
    },
  },
  {
    title: "a deletion that was interrupted",
    async prepare({ players }) {
      const { id } = players.who.Ada;
      const removed = { player_id: id, action: "delete_player", actor: id } as const;
      return [{ what: "message", outbound: { message: { kind: "removal", ...removed } } }];
    },
  },
  {
    title: "notifications of events to one player and to all",
    // A subscription that has expired gets no second push.
    pushes: { "/hal": 1, "/ida-1": 2, [SLOW]: 3, [GONE]: 1 },
    changedByLag: "once",
    async prepare(on) {
      await subscribe(on, { Hal: "/hal", Ida: GONE });
      return recordsOf(on, async () => {
        await master(on, "corpsify", { alias: "Ida" });
        await master(on, "set_checkpoint", { name: "The tower" });
      });
    },
  },
  {
    title: "notifications of events to webhooks",
    pushes: { "/hook": 1, [SLOW]: 2 },
    async prepare(on) {
      const { origin } = on.push();
      const webhooks = ["/hook", SLOW].map((path) => ({ url: `${origin}${path}`, format: "signed" }));
      await master(on, "settings", { webhooks });
      return recordsOf(on, () => master(on, "feed_player", { alias: "Sam" }));
    },
  },
  {
    title: "a mailed link for a forgotten password, and a mailed invitation",
    prepare: async (on) => {
      await confirmAddress(on);
      return recordsOf(on, async () => {
        await on.s.must("POST /forgot_password", { body: { alias_or_email: "hal@example.org" } });
        await master(on, "import_players", { rows: [{ alias: "Nova", email: "nova@example.org" }] });
        await master(on, "send_invitations", { aliases: ["Nova"] });
      });
    },
  },
  {
    title: "a mailed announcement",
    changedByLag: "once",
    prepare: async (on) => {
      await confirmAddress(on);
      const body = { title: "Run", content: "They come.", player_groups: "All", also_email: true };
      return recordsOf(on, async () => {
        await on.s.must("POST /notifications/send/{url_id}", { as: on.players.who.Gus, body });
      });
    },
  },
  {
    title: "a scheduled notification to many",
    pushes: { "/hal": 1, "/ida-1": 1, [SLOW]: 2, [GONE]: 1 },
    changedByLag: "once",
    async prepare(on) {
      const { players, clock, s } = on;
      await subscribe(on, { Hal: "/hal", Ida: GONE });
      const send_at = rfc3339(clock.now + MINUTE);
      const body = { title: "Run", content: "They come.", player_groups: "All", send_at };
      await s.must("POST /notifications/send/{url_id}", { as: players.who.Gus, body });
      clock.now += MINUTE;
    },
  },
];
