/** Messages of game masters: for one side, at a time to come, and read without push. */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { keys } from "../../lib/store/keys.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import type { TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const { s, push, disturbed, subscribe, fillFor, send, statusOf } = pushEnvironment();
const { done } = shortRequests(s);

const from = (milliseconds: number): string => rfc3339(s.services.clock() + milliseconds);
const withdraw = (as: TestPlayer, notification_id: string) =>
  s.call("POST /notifications/withdraw/{url_id}", { as, body: { notification_id } });
const inbox = (as: TestPlayer, query: Record<string, string> = {}) =>
  s.call("GET /notifications/inbox/{url_id}", { as, query });
const titles = async (as: TestPlayer): Promise<string[]> =>
  (await inbox(as)).body.notifications
    .filter(({ kind }: { kind?: string }) => kind === undefined)
    .map(({ title }: { title: string }) => title);
const schedule = async (as: TestPlayer, milliseconds: number, more: object = {}) =>
  (await send(as, undefined, { ...NEWS, send_at: from(milliseconds), ...more })).body;
const sweepAndWork = async () => {
  await s.sweep();
  await s.work({ hurry: true });
};
/** The broadcasts on the queue. */
const planned = async () => (await s.queued()).filter(({ message }) => message.kind === "plan_broadcast");
const received = (): string[] =>
  push()
    .received()
    .map(({ path }) => path)
    .toSorted();

/** Ada is human, Zed a zombie, Cid a corpse, Moe a human moderator; each has a browser. */
const sides = async (): Promise<Record<"gm" | "ada" | "zed" | "cid" | "mod", TestPlayer>> => {
  const [gm, zed, ada, cid, mod] = await s.game("Zed", "Ada", "Cid", "Moe");
  await done(gm, "corpsify", { alias: "Cid" });
  const item = await s.store.db.get(keys.player(mod.id));
  if (item !== undefined) await s.store.db.put({ ...item, is_moderator: true });
  for (const one of [gm, zed, ada, cid, mod]) await subscribe(one, `/${one.alias.replace(" ", "")}`);
  return { gm, ada, zed, cid, mod };
};

describe("an audience", () => {
  const REACHED: [audience: string, paths: string[]][] = [
    ["all", ["/Ada", "/Cid", "/GameMaster", "/Moe", "/Zed"]],
    ["humans", ["/Ada", "/Moe"]],
    ["zombies", ["/Zed"]],
    ["corpses", ["/Cid"]],
    ["moderators", ["/Moe"]],
  ];
  it("of one side alone is reached, in the request and through the queue, and in the inbox", async () => {
    const { gm, ...others } = await sides();
    const countsOf = ({ length }: string[]) => ({
      ...{ subscriptions: length, sent: length, failed: 0, expired: 0, queued: 0 },
    });
    for (const [audience, paths] of REACHED) {
      const news = { ...NEWS, audience, title: `${audience}, at once` };
      const { body } = await send(gm, audience, news);
      expect(body).toMatchObject({ ...countsOf(paths), notification: { player_group: "All", audience } });
      expect(body).not.toHaveProperty("warning");
      // A repeated request sends nothing.
      expect((await send(gm, audience, news)).body).toEqual(body);
      expect(received(), audience).toEqual(paths);
      push().received().length = 0;
    }
    // Many others, none of whom is on any side but that of all.
    await fillFor({ ...gm, id: crypto.randomUUID() }, 201);
    for (const [audience, paths] of REACHED.slice(1)) {
      const { body } = await send(gm, undefined, { ...NEWS, audience, title: `${audience}, later` });
      await s.work({ hurry: true });
      const status = await statusOf(gm, body.notification.notification_id);
      expect(status).toMatchObject({ ...countsOf(paths), complete: true });
      expect(received(), audience).toEqual(paths);
      push().received().length = 0;
    }
    for (const one of [gm, ...Object.values(others)]) {
      const of = REACHED.filter(([, paths]) => paths.includes(`/${one.alias.replace(" ", "")}`));
      const expected = of.flatMap(([side]) =>
        side === "all" ? [`${side}, at once`] : [`${side}, at once`, `${side}, later`],
      );
      expect((await titles(one)).toSorted(), one.alias).toEqual(expected.toSorted());
    }
  });

  it("is judged by the state at delivery: a zombie that has starved by the clock is a corpse", async () => {
    const { gm } = await sides();
    const { notification } = await schedule(gm, HOUR, { audience: "zombies" });
    disturbed.passed = HOUR;
    await s.sweep();
    await done(gm, "cure", { alias: "Zed" });
    await s.work({ hurry: true });
    const nobody = { subscriptions: 0, complete: true };
    expect(await statusOf(gm, notification.notification_id)).toMatchObject(nobody);
    for (const word of ["corpsify", "revive_z"]) await done(gm, word, { alias: "Zed" });
    await s.pass(49 * HOUR);
    const corpses = await send(gm, undefined, { ...NEWS, audience: "corpses" });
    expect(corpses.body).toMatchObject({ subscriptions: 2, sent: 2 });
    expect(received()).toEqual(["/Cid", "/Zed"]);
  });

  it("that only player_groups suggests is answered with a warning", async () => {
    const gm = await s.admin();
    const warned = await send(gm, "a-key", { ...NEWS, player_groups: "Humans" });
    expect(warned.body.warning).toMatch(/^player_groups has no effect/);
    expect((await send(gm, "a-key", { ...NEWS, player_groups: "Humans" })).body).toEqual(warned.body);
    const both = { ...NEWS, player_groups: "Humans", audience: "humans" };
    expect((await send(gm, undefined, both)).body).not.toHaveProperty("warning");
    expect((await send(gm, undefined, { ...NEWS, audience: "everyone" })).status).toBe(400);
  });
});

describe("a scheduled notification", () => {
  it("is sent once when its time has come, also by overlapping sweeps", async () => {
    const { gm, ada } = await sides();
    const { notification, ...rest } = await schedule(gm, HOUR, { audience: "humans" });
    const none = { status: "scheduled", subscriptions: 0, sent: 0, failed: 0, expired: 0, queued: 0 };
    expect(rest).toEqual(none);
    await sweepAndWork();
    const waiting = { status: "scheduled", complete: false, notification: { audience: "humans" } };
    expect(await statusOf(gm, notification.notification_id)).toMatchObject(waiting);
    expect(await titles(ada)).toEqual([]);
    await send(gm, undefined, { ...NEWS, title: "Sent before" });
    push().received().length = 0;
    disturbed.passed = HOUR;
    await Promise.all([s.sweep(), s.sweep(), s.sweep()]);
    expect(await planned()).toHaveLength(1);
    await s.work({ hurry: true });
    await sweepAndWork();
    const status = await statusOf(gm, notification.notification_id);
    expect(status).toMatchObject({ complete: true, subscriptions: 2, sent: 2 });
    expect(status).not.toHaveProperty("status");
    expect(await titles(ada)).toEqual(["Curfew", "Sent before"]);
    expect((await withdraw(gm, notification.notification_id)).text).toBe("This notification has been sent.");
  });

  it("is sent once also where a sweep dies after the queue took it, or the queue is away", async () => {
    const { gm } = await sides();
    const { notification } = await schedule(gm, HOUR, { audience: "zombies" });
    disturbed.passed = HOUR;
    disturbed.hasQueue = false;
    await s.sweep();
    disturbed.hasQueue = true;
    disturbed.passed += MINUTE;
    await s.sweep();
    expect(await s.queued()).toEqual([]);
    disturbed.passed += 2 * MINUTE;
    let writes = 0;
    disturbed.beforeCall = (call, all) => {
      if (call !== "transact" || all.every(({ sk }) => sk !== notification.notification_id)) return;
      writes += 1;
      if (writes === 2) throw new Error("the process has died");
    };
    await s.sweep();
    disturbed.beforeCall = () => {};
    await s.work({ hurry: true });
    disturbed.passed += 3 * MINUTE;
    await sweepAndWork();
    expect(await statusOf(gm, notification.notification_id)).toMatchObject({ sent: 1, subscriptions: 1 });
    expect(received()).toEqual(["/Zed"]);
  });

  it("is withdrawn before its time, and then never sent or shown", async () => {
    const { gm, ada } = await sides();
    const { notification } = await schedule(gm, HOUR);
    const id = notification.notification_id;
    const withdrawn = await withdraw(gm, id);
    expect(withdrawn.body).toMatchObject({ status: "withdrawn", notification: { notification_id: id } });
    expect((await withdraw(gm, id)).body).toEqual(withdrawn.body);
    expect(await statusOf(gm, id)).toMatchObject({ status: "withdrawn", complete: true });
    disturbed.passed = HOUR;
    await sweepAndWork();
    expect(received()).toEqual([]);
    expect(await titles(ada)).toEqual([]);
    const sent = (await send(gm)).body.notification.notification_id;
    expect((await withdraw(gm, sent)).status).toBe(409);
    expect((await withdraw(gm, "01900000-0000-7000-8000-000000000000")).status).toBe(404);
    const due = await schedule(gm, MINUTE);
    disturbed.passed += MINUTE;
    expect((await withdraw(gm, due.notification.notification_id)).status).toBe(409);
  });

  it("is in the next 30 days; a repeated request schedules nothing again", async () => {
    const gm = await s.admin();
    for (const at of [from(-1), from(30 * DAY + MINUTE), "tomorrow"]) {
      const { status, text } = await send(gm, undefined, { ...NEWS, send_at: at });
      expect([status, text], at).toEqual([400, expect.stringMatching(/send_at|RFC 3339|next 30 days/)]);
    }
    const body = { ...NEWS, send_at: from(MINUTE) };
    const first = await send(gm, "a-key", body);
    disturbed.passed = HOUR;
    expect((await send(gm, "a-key", body)).body).toEqual(first.body);
    await s.sweep();
    expect(await planned()).toHaveLength(1);
  });
});

describe("the inbox", () => {
  it("has what was sent, newest first, in pages, and counts what is newer than the last one read", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const ids: string[] = [];
    for (const title of ["One", "Two", "Three"]) {
      disturbed.passed += MINUTE;
      ids.push((await send(gm, undefined, { ...NEWS, title })).body.notification.notification_id);
    }
    const first = (await inbox(ada, { limit: "2" })).body;
    expect(first).toMatchObject({ unread: 3, notifications: [{ title: "Three" }, { title: "Two" }] });
    expect(first.notifications[0]).toEqual({
      ...{ notification_id: ids[2], title: "Three", content: NEWS.content, audience: "all" },
      sent_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const query = { limit: "2", cursor: first.next_cursor, after: ids[1] ?? "" };
    expect((await inbox(ada, query)).body).toMatchObject({
      ...{ unread: 1, notifications: [{ title: "One" }], next_cursor: null },
    });
    expect((await inbox(ada, { after: ids[2] ?? "" })).body.unread).toBe(0);
    expect((await inbox(ada, { cursor: "x" })).status).toBe(400);
    disturbed.beforeCall = (call, all) => {
      if (call === "query" && all.some(({ pk }) => pk.startsWith("NOTIFICATIONS"))) throw new DatabaseBusy();
    };
    const broken = await inbox(ada);
    expect([broken.status, broken.text]).toEqual([500, "The notifications could not be read."]);
  });
});
