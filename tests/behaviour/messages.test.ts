/** Messages of game masters: for one side, and at a time to come. */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import { PASSWORD, type TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const { s, push, pathsPushed, subscribe, send, statusOf, sweepAndWork } = pushEnvironment();
const { done } = shortRequests(s);

const from = (milliseconds: number): string => rfc3339(s.now + milliseconds);
const withdraw = (as: TestPlayer, notification_id: string) =>
  s.call("POST /notifications/withdraw/{url_id}", { as, body: { notification_id } });
const inbox = (as: TestPlayer) => s.call("GET /notifications/inbox/{url_id}", { as });
const titles = async (as: TestPlayer): Promise<string[]> =>
  (await inbox(as)).body.notifications
    .filter(({ kind }: { kind?: string }) => kind === undefined)
    .map(({ title }: { title: string }) => title);
const schedule = async (as: TestPlayer, milliseconds: number, more: object = {}) =>
  (await send(as, undefined, { ...NEWS, send_at: from(milliseconds), ...more })).body;

/** Ada is human, Zed a zombie, Cid a corpse, Moe a human moderator; each has a browser. */
const sides = async (): Promise<Record<"gm" | "ada" | "zed" | "cid" | "mod", TestPlayer>> => {
  const [gm, zed, ada, cid] = await s.game("Zed", "Ada", "Cid");
  const mod = await s.moderator("Moe");
  await done(gm, "corpsify", { alias: "Cid" });
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
    ["label:waiver", ["/Ada", "/Cid"]],
  ];
  it("of one side or label is reached alone, by push and in the inbox", async () => {
    const { gm, ...others } = await sides();
    await done(gm, "label", { aliases: ["Ada", "Cid"], add: ["waiver"] });
    for (const [audience, paths] of REACHED) {
      const news = { ...NEWS, audience, title: audience };
      const { body } = await send(gm, audience, { ...news, audience: audience.replace(":", ": ") });
      const counts = { subscriptions: paths.length, sent: paths.length, failed: 0, expired: 0, queued: 0 };
      expect(body).toMatchObject({ ...counts, notification: { player_group: "All", audience } });
      expect(pathsPushed(), audience).toEqual(paths);
      push().received().length = 0;
    }
    for (const one of [gm, ...Object.values(others)]) {
      const of = REACHED.filter(([, paths]) => paths.includes(`/${one.alias.replace(" ", "")}`));
      expect((await titles(one)).toSorted(), one.alias).toEqual(of.map(([side]) => side).toSorted());
    }
    // Players are not told which label it is.
    expect((await inbox(others.ada)).body.notifications[0]).toMatchObject({ audience: "label" });
    for (const audience of ["label:", "label:two words", "label", "waiver"]) {
      const { status, text } = await send(gm, undefined, { ...NEWS, audience });
      expect([status, text]).toEqual([400, expect.stringContaining("such as label:waiver")]);
    }
  });

  it("is determined at delivery, when a zombie that has starved by the clock is a corpse", async () => {
    const { gm, ada, mod } = await sides();
    await done(gm, "label", { aliases: ["Ada"], add: ["late"] });
    const toZombies = (await schedule(gm, HOUR, { audience: "zombies" })).notification;
    await schedule(gm, HOUR, { audience: "label:late" });
    s.now += HOUR;
    await s.sweep();
    await done(gm, "cure", { alias: "Zed" });
    await done(gm, "label", { aliases: ["Ada"], remove: ["late"] });
    await done(gm, "label", { aliases: ["Moe"], add: ["late"] });
    await s.work({ hurry: true });
    const nobody = { subscriptions: 0, complete: true };
    expect(await statusOf(gm, toZombies.notification_id)).toMatchObject(nobody);
    expect(pathsPushed()).toEqual(["/Moe"]);
    expect([await titles(ada), await titles(mod)]).toEqual([[], [NEWS.title]]);
    for (const word of ["corpsify", "revive_z"]) await done(gm, word, { alias: "Zed" });
    await s.pass(49 * HOUR);
    await send(gm, undefined, { ...NEWS, audience: "corpses" });
    expect(pathsPushed()).toEqual(["/Cid", "/Moe", "/Zed"]);
  });

  it("is not chosen by player_groups: without `audience`, the response has a warning", async () => {
    const gm = await s.admin();
    const suggested = { ...NEWS, player_groups: "Humans" };
    expect((await send(gm, undefined, suggested)).body.warning).toMatch(/^The player group has no effect/);
    const both = await send(gm, undefined, { ...suggested, audience: "humans" });
    expect(both.body).not.toHaveProperty("warning");
  });
});

describe("a scheduled notification", () => {
  it("is sent once when its time has come, also by overlapping sweeps", async () => {
    const { gm, ada } = await sides();
    const body = { ...NEWS, send_at: from(HOUR), audience: "humans" };
    const first = await send(gm, "a-key", body);
    const { notification, ...rest } = first.body;
    const none = { status: "scheduled", subscriptions: 0, sent: 0, failed: 0, expired: 0, queued: 0 };
    expect(rest).toEqual(none);
    await sweepAndWork();
    const waiting = { status: "scheduled", complete: false, notification: { audience: "humans" } };
    expect(await statusOf(gm, notification.notification_id)).toMatchObject(waiting);
    expect(await titles(ada)).toEqual([]);
    await send(gm, undefined, { ...NEWS, title: "Sent before" });
    push().received().length = 0;
    s.now += HOUR;
    await Promise.all([s.sweep(), s.sweep(), s.sweep()]);
    // A repeated request schedules nothing again.
    expect((await send(gm, "a-key", body)).body).toEqual(first.body);
    await s.sweep();
    expect((await s.queued()).filter(({ message }) => message.kind === "plan_broadcast")).toHaveLength(1);
    await s.work({ hurry: true });
    await sweepAndWork();
    const status = await statusOf(gm, notification.notification_id);
    expect(status).toMatchObject({ complete: true, subscriptions: 2, sent: 2 });
    expect(status).not.toHaveProperty("status");
    expect((await s.store.db.query({ index: "gsi2", pk: "SCHEDULED" }, 1)).items).toEqual([]);
    expect(await titles(ada)).toEqual(["Curfew", "Sent before"]);
    expect((await withdraw(gm, notification.notification_id)).text).toBe("This notification has been sent.");
  });

  it("is sent once even if a sweep dies after the queue took it, or the queue is unavailable", async () => {
    const { gm } = await sides();
    const { notification } = await schedule(gm, HOUR, { audience: "zombies" });
    s.now += HOUR;
    s.hasQueue = false;
    await s.sweep();
    s.hasQueue = true;
    s.now += MINUTE;
    await s.sweep();
    expect(await s.queued()).toEqual([]);
    s.now += 2 * MINUTE;
    let writes = 0;
    s.beforeCall = (call, all) => {
      if (call !== "transact" || all.every(({ sk }) => sk !== notification.notification_id)) return;
      writes += 1;
      if (writes === 2) throw new Error("the process has died");
    };
    await s.sweep();
    s.beforeCall = undefined;
    await s.work({ hurry: true });
    s.now += 3 * MINUTE;
    await sweepAndWork();
    expect(await statusOf(gm, notification.notification_id)).toMatchObject({ sent: 1, subscriptions: 1 });
    expect(pathsPushed()).toEqual(["/Zed"]);
  });

  it("is withdrawn before its time, and then never sent or shown", async () => {
    const { gm, ada } = await sides();
    const { notification } = await schedule(gm, HOUR);
    const id = notification.notification_id;
    const withdrawn = await withdraw(gm, id);
    expect(withdrawn.body).toMatchObject({ status: "withdrawn", notification: { notification_id: id } });
    expect((await withdraw(gm, id)).body).toEqual(withdrawn.body);
    expect(await statusOf(gm, id)).toMatchObject({ status: "withdrawn", complete: true });
    s.now += HOUR;
    await sweepAndWork();
    expect(pathsPushed()).toEqual([]);
    expect(await titles(ada)).toEqual([]);
    const sent = (await send(gm)).body.notification.notification_id;
    expect((await withdraw(gm, sent)).status).toBe(409);
    expect((await withdraw(gm, "01900000-0000-7000-8000-000000000000")).status).toBe(404);
    const due = await schedule(gm, MINUTE);
    s.now += MINUTE;
    expect((await withdraw(gm, due.notification.notification_id)).status).toBe(409);
  });

  it("is not pushed if the service was stopped for more than a day at its time, and counts as given up", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    await subscribe(ada, "/Ada");
    const { notification_id: id } = (await schedule(gm, HOUR)).notification;
    s.now += 26 * HOUR;
    await sweepAndWork();
    const again = await s.login(gm.alias, PASSWORD);
    expect(await statusOf(again, id)).toMatchObject({ complete: true, sent: 0, failed: 1, queued: 0 });
    expect(pathsPushed()).toEqual([]);
    expect(await titles(ada)).toEqual([NEWS.title]);
  });

  it("must be due within the next 30 days", async () => {
    const gm = await s.admin();
    for (const at of [from(-1), from(30 * DAY + MINUTE), "tomorrow"]) {
      const { status, text } = await send(gm, undefined, { ...NEWS, send_at: at });
      expect([status, text], at).toEqual([400, expect.stringMatching(/send_at|RFC 3339|next 30 days/)]);
    }
  });
});
