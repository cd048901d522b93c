/** Game events are pushed to those whom they concern, once each, unless they have switched them off. */
import { beforeEach, describe, expect, it } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { PUSH_KINDS } from "../../lib/domain/gameEvents.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { asWorker } from "../support/calls.ts";
import { lambdaContext } from "../support/context.ts";
import { logLines } from "../support/logLines.ts";
import { status, trustedPushService } from "../support/pushService.ts";
import { queueWhile } from "../support/queueAway.ts";
import { QUICK, type Someone, testEnvironment } from "../support/service.ts";
import { insertRecord, streamRecords } from "../support/streamRecords.ts";
import { type Browser, makeBrowser } from "../support/webPush.ts";

const announce = asWorker("announce", announceHandler);

const push = trustedPushService();
let passed = 0;
let hasQueue = true;
const s = testEnvironment({
  services: (usual) => ({
    ...push.services(usual),
    clock: () => usual.clock() + passed,
    retryPause: 20,
    queue: queueWhile(usual.queue, () => hasQueue),
  }),
});

const browsers = new Map<string, Browser>();
let announced = 0;
beforeEach(() => {
  browsers.clear();
  announced = 0;
  passed = 0;
  hasQueue = true;
});

const subscribe = async (as: Someone, path = `/${as.alias.replaceAll(" ", "-")}`): Promise<void> => {
  const browser = makeBrowser();
  const { p256dh, auth } = browser;
  browsers.set(path, browser);
  const body = { endpoint: `${push.current().origin}${path}`, p256dh, auth };
  const result = await s.call("POST /notifications/subscribe/{url_id}", { as, body });
  expect(result.status, result.text).toBe(200);
};

/** Lets the workers process what has been recorded since. */
const announceNew = async (): Promise<void> => {
  const records = await streamRecords(s);
  await announce.on(s.services)({ Records: records.slice(announced) }, lambdaContext());
  announced = records.length;
  await s.work({ hurry: true });
};

/** What was received since the last call: aliases and titles, in order. */
const received = (): [string, string][] => {
  const service = push.current();
  const all = service.received().map(({ path, body }): [string, string] => {
    const message = JSON.parse(browsers.get(path)?.decrypt(body) ?? "{}");
    expect(message).toMatchObject({
      web_push: 8030,
      notification: { title: expect.any(String), body: expect.stringMatching(/\.$|^The /), navigate: "/" },
      kind: expect.stringMatching(new RegExp(PUSH_KINDS.join("|"))),
      at: expect.stringMatching(/Z$/),
    });
    return [path.slice(1), message.notification.title];
  });
  service.reset();
  return all.toSorted(([one], [other]) => (one < other ? -1 : 1));
};

const post = async (as: Someone, path: string, body: unknown = {}): Promise<void> => {
  const result = await s.call(`POST ${path}/{url_id}`, { as, body });
  expect(result.status, result.text).toBe(200);
};

describe("an event of the game", () => {
  const lines = logLines();

  it("is pushed to those whom it concerns", async () => {
    const gm = await s.admin();
    const [ada, ben, cid] = [await s.join("Ada"), await s.join("Ben"), await s.join("Cid")];
    for (const one of [gm, ada, ben, cid]) await subscribe(one);
    await s.outbreak(gm, ada);
    await s.outbreak(gm, cid);
    await announceNew();
    expect(received().toSorted()).toEqual([
      ["Ada", "You were killed"],
      ["Ada", "You were revived"],
      ["Cid", "You were killed"],
      ["Cid", "You were revived"],
    ]);
    await s.hunt(ada, ben, { share_with: ["Cid"] });
    await announceNew();
    expect(received()).toEqual([
      ["Ben", "You were tagged by Ada"],
      ["Cid", "Ada shared a feeding with you"],
    ]);
    await post(gm, "/admin/feed_player", { alias: "Ben" });
    await post(gm, "/admin/cure", { alias: "Ben" });
    await announceNew();
    expect(received().toSorted()).toEqual([
      ["Ben", "You were cured"],
      ["Ben", "You were fed"],
    ]);
    await post(gm, "/admin/corpsify", { alias: "Ben" });
    await post(gm, "/admin/revive_h", { alias: "Ben" });
    await post(gm, "/admin/feed", { n: 5 });
    await announceNew();
    expect(received().toSorted()).toEqual([
      ["Ada", "You were fed"],
      ["Ben", "You were killed"],
      ["Ben", "You were revived"],
      ["Cid", "You were fed"],
    ]);
  });

  it("that a hunt was voided is pushed to prey and hunter", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    for (const one of [gm, ada, ben]) await subscribe(one);
    await s.outbreak(gm, ada);
    const hunt = await s.hunt(ada, ben);
    await announceNew();
    received();
    const { interaction_id } = hunt.body.interaction;
    await post(gm, "/admin/void_hunt", { interaction_id, reason: "Ben was indoors." });
    await announceNew();
    expect(received().map(([who, title]) => [who, /taken back/.test(title)])).toEqual([
      ["Ada", true],
      ["Ben", true],
    ]);
  });

  it("that concerns everybody is pushed to everybody who has subscribed", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    for (const one of [gm, ada]) await subscribe(one);
    await subscribe(ben, "/Ben");
    await subscribe(ben, "/Ben-2");
    await s.outbreak(gm, ada);
    await announceNew();
    received();
    const everybody = (title: string) => ["Ada", "Ben", "Ben-2", "Game-Master"].map((who) => [who, title]);
    await post(gm, "/admin/pause_game");
    await post(gm, "/admin/pause_game");
    await announceNew();
    expect(received()).toEqual(everybody("The game is paused"));
    await post(gm, "/admin/resume_game");
    await announceNew();
    expect(received()).toEqual(everybody("The game has resumed"));
    await post(gm, "/admin/set_checkpoint", { name: "The bridge." });
    await announceNew();
    expect(received()).toEqual(everybody("There is a checkpoint"));
    await post(gm, "/admin/set_checkpoint", { clear: true });
    await post(gm, "/admin/zombies_add_day");
    await announceNew();
    expect(received()).toEqual([["Ada", "You have one more day"]]);
    await post(gm, "/admin/set_checkpoint", { name: "The old bridge." });
    await post(gm, "/admin/set_checkpoint", { name: "The new bridge." });
    await announceNew();
    // A checkpoint that was replaced before its push is not pushed.
    expect(received()).toHaveLength(4);
    await post(gm, "/admin/kill_all_not_at_checkpoint");
    await announceNew();
    expect(received()).toEqual([
      ["Ada", "You were killed"],
      ["Ben", "You were killed"],
      ["Ben-2", "You were killed"],
    ]);
  });

  it("that is pushed again has the same tag and topic, and so shows once", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await subscribe(ada);
    await post(gm, "/admin/corpsify", { alias: "Ada" });
    await post(gm, "/admin/pause_game");
    const records = await streamRecords(s);
    for (let n = 0; n < 3; n += 1) {
      await announce.on(s.services)({ Records: records }, lambdaContext());
      await s.work({ hurry: true });
    }
    const came = push.current().received();
    const tags = came.map(
      ({ path, body }) => JSON.parse(browsers.get(path)?.decrypt(body) ?? "").notification.tag,
    );
    // The broadcast is worked on once; the announcement comes as often as the record.
    expect(tags).toHaveLength(4);
    expect(new Set(tags).size).toBe(2);
    expect(new Set(came.map(({ headers }) => headers.topic)).size).toBe(2);
  });

  it("is pushed however long ago it happened, and not when it is imported an hour after its recording", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    for (const one of [ada, ben]) await subscribe(one);
    await s.outbreak(gm, ada);
    passed = 6 * HOUR;
    const hunted_at = rfc3339(s.services.clock() - 5 * HOUR);
    expect((await s.hunt(ada, ben, { hunted_at })).status).toBe(200);
    await post(gm, "/admin/set_checkpoint", { name: "The bridge." });
    // Both have starved for a day when a sweep comes.
    passed = 3 * DAY;
    await s.sweep();
    const past = await streamRecords(s, HOUR + MINUTE);
    await announce.on(s.services)({ Records: past }, lambdaContext());
    await s.work({ hurry: true });
    expect(received()).toEqual([]);
    await announceNew();
    const titles = ["There is a checkpoint", "You starved", "You were killed", "You were revived"];
    expect(received().toSorted()).toEqual([
      ...titles.map((title) => ["Ada", title]),
      ["Ben", "There is a checkpoint"],
      ["Ben", "You starved"],
      ["Ben", "You were tagged by Ada"],
    ]);
  });

  it("is not lost while the queue is unavailable, or when another record cannot be read", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await subscribe(ada);
    await post(gm, "/admin/corpsify", { alias: "Ada" });
    await post(gm, "/admin/revive_h", { alias: "Ada" });
    const Records = (await streamRecords(s)).filter(({ dynamodb }) =>
      dynamodb?.Keys?.pk?.S?.startsWith("INTER"),
    );
    hasQueue = false;
    await expect(announce.on(s.services)({ Records }, lambdaContext())).rejects.toThrow("the queue is away");
    hasQueue = true;
    const [first, second] = Records;
    if (first === undefined || second === undefined) throw new Error("too few");
    const rubbish = insertRecord({ ...keys.interaction(0, "rubbish"), kind: "nonsense" });
    const entry = {
      log_id: "odd",
      at: rfc3339(Date.now()),
      actor: null,
      target: null,
      request_id: "a request",
    };
    const odd = { ...entry, action: "set_checkpoint", outcome: "done", details: { checkpoint_id: 7 } };
    const unreadable = [rubbish, insertRecord({ ...keys.log(0, "odd"), ...odd })];
    await announce.on(s.services)({ Records: [first, ...unreadable, second] }, lambdaContext());
    await s.work({ hurry: true });
    expect(received().toSorted()).toEqual([
      ["Ada", "You were killed"],
      ["Ada", "You were revived"],
    ]);
    expect(lines.join("")).toContain("a record of the stream cannot be read");
  });

  it("is retried at its own time, whatever another push service has asked for", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben"]) await subscribe(await s.join(alias));
    let requested = 0;
    push.current().answer("/Ada", (response) => {
      requested += 1;
      status(requested > 1 ? 201 : 503)(response);
    });
    push.current().answer("/Ben", status(429, { "retry-after": "40000" }));
    for (const alias of ["Ada", "Ben"]) await post(gm, "/admin/corpsify", { alias });
    await announce.on(s.services)({ Records: await streamRecords(s) }, lambdaContext());
    await s.work();
    expect(push.current().received("/Ada")).toHaveLength(2);
    expect(push.current().received("/Ben")).toHaveLength(1);
    const [waiting] = await s.queued();
    expect(waiting?.message.notBefore - Date.now()).toBeGreaterThan(39_000_000);
  });

  it("does not name a player who has left, and leaves no name on the queue", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Unmistakable Ada"), await s.join("Ben")];
    for (const one of [ada, ben]) await subscribe(one);
    await s.outbreak(gm, ada);
    await s.hunt(ada, ben);
    const records = await streamRecords(s);
    await announce.on(s.services)({ Records: records }, lambdaContext());
    expect(JSON.stringify(await s.queued())).not.toContain("Unmistakable");
    expect((await s.call("DELETE /delete_player/{url_id}", { as: ada })).status).toBe(204);
    await s.work({ hurry: true });
    expect(received()).toEqual([["Ben", "You were tagged by somebody"]]);
  });
});

describe("the kinds of push", () => {
  const edit = (as: Someone, push_kinds: unknown) =>
    s.call("POST /edit_player/{url_id}", { as, body: { push_kinds } });

  it("are all on, until the player switches some off", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await subscribe(ada);
    expect((await s.see(ada)).push_kinds).toEqual(PUSH_KINDS);
    const some = await edit(ada, ["game", "cured"]);
    expect(some.body, some.text).toMatchObject({ push_kinds: ["cured", "game"] });
    expect((await s.see(ada)).push_kinds).toEqual(["cured", "game"]);
    await post(gm, "/admin/corpsify", { alias: "Ada" });
    await post(gm, "/admin/set_checkpoint", { name: "The bridge." });
    await post(gm, "/admin/pause_game");
    await announceNew();
    expect(received()).toEqual([["Ada", "The game is paused"]]);
    await edit(ada, []);
    await post(gm, "/admin/resume_game");
    await announceNew();
    expect(received()).toEqual([]);
    // A game master's message is no game event.
    const news = { title: "Curfew", content: "x", player_groups: "All" };
    const sent = await s.call("POST /notifications/send/{url_id}", { as: gm, body: news });
    expect(sent.body).toMatchObject({ sent: 1 });
    push.current().reset();
    expect((await edit(ada, null)).body.push_kinds).toEqual(PUSH_KINDS);
    await post(gm, "/admin/revive_h", { alias: "Ada" });
    await announceNew();
    expect(received()).toEqual([["Ada", "You were revived"]]);
  });
});

describe("a zombie that will starve", () => {
  /** Advances the service's clock step by step, with a sweep after each. */
  const live = async (hours: number, step = 0.5): Promise<void> => {
    for (let at = 0; at < hours; at += step) {
      passed += step * HOUR;
      await s.sweep();
      await s.work({ hurry: true });
    }
  };

  const zombie = async () => {
    const [gm, ada] = await s.game("Ada");
    await subscribe(ada);
    return { gm, ada };
  };

  // An administrator's session ends after twelve idle hours.
  const again = (gm: Someone): Promise<Someone> => s.login(gm.alias, gm.password);

  it("is warned six hours before and one hour before, once each", async () => {
    await zombie();
    await live(41);
    expect(received()).toEqual([]);
    await live(1.5);
    expect(received()).toEqual([["Ada", "You starve in 6 hours"]]);
    await live(4);
    expect(received()).toEqual([]);
    await live(1);
    expect(push.current().received()[0]?.headers.urgency).toBe("high");
    expect(received()).toEqual([["Ada", "You starve in 60 minutes"]]);
    await live(3);
    expect(received()).toEqual([]);
    await announceNew();
    expect(received().filter(([, title]) => title === "You starved")).toHaveLength(1);
  });

  it("is warned once by concurrent sweeps, and by a late one of the time that is really left", async () => {
    await zombie();
    passed = 44.5 * HOUR;
    await Promise.all([s.sweep(), s.sweep(), s.sweep()]);
    await s.work({ hurry: true });
    const tags = push
      .current()
      .received()
      .map(({ path, body }) => JSON.parse(browsers.get(path)?.decrypt(body) ?? "").notification);
    expect(new Set(tags.map(({ tag }) => tag)).size).toBe(1);
    expect(new Set(tags.map(({ title }) => title))).toEqual(new Set(["You starve in 4 hours"]));
    push.current().reset();
    passed = 47.75 * HOUR;
    await s.sweep();
    passed += 5 * MINUTE;
    await s.work({ hurry: true });
    expect(received()).toEqual([["Ada", "You starve in 10 minutes"]]);
    passed = 49 * HOUR;
    await s.sweep();
    await s.work({ hurry: true });
    expect(received()).toEqual([]);
  });

  it.skipIf(QUICK)("is warned again when a day was added, and not while the game is paused", async () => {
    const { gm } = await zombie();
    await live(42.5);
    expect(received()).toHaveLength(1);
    await post(await again(gm), "/admin/zombies_add_day");
    await live(22.75, 0.25);
    expect(received()).toEqual([]);
    await post(await again(gm), "/admin/pause_game");
    await live(10);
    expect(received()).toEqual([]);
    await post(await again(gm), "/admin/resume_game");
    await live(0.5);
    expect(received()).toEqual([]);
    await live(1);
    expect(received()).toEqual([["Ada", "You starve in 6 hours"]]);
    passed += DAY;
  });

  it("is warned once by sweeps that run out of order", async () => {
    await zombie();
    passed = 43 * HOUR;
    expect(await s.sweep()).toMatchObject({ warned: 1 });
    passed = 42.75 * HOUR;
    expect(await s.sweep()).toMatchObject({ warned: 0 });
    passed = 43.25 * HOUR;
    expect(await s.sweep()).toMatchObject({ warned: 0 });
  });

  it("is not warned of six hours when the feeding period is five", async () => {
    s.services.feedingPeriod = () => 5 * HOUR;
    await zombie();
    passed = 0.5 * HOUR;
    expect(await s.sweep()).toMatchObject({ warned: 0 });
    passed = 4.25 * HOUR;
    expect(await s.sweep()).toMatchObject({ warned: 1 });
  });

  it("is warned by the next sweep when the queue was unavailable", async () => {
    await zombie();
    passed = 43 * HOUR;
    hasQueue = false;
    expect(await s.sweep()).toMatchObject({ starved: 0, warned: 0, complete: true });
    hasQueue = true;
    expect(await s.sweep()).toMatchObject({ warned: 1 });
    expect(await s.sweep()).toMatchObject({ warned: 0 });
    await s.work({ hurry: true });
    expect(received()).toHaveLength(1);
  });
});
