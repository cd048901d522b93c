/** Webhooks: what is sent to them, how game masters see and test them, and receivers that do not behave. */
import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { discordText } from "../../lib/domain/notifications/discord.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { Resolver } from "../../lib/push/connector.ts";
import { makeSender } from "../../lib/push/sender.ts";
import { QUICK } from "../support/battery.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { type Received, status } from "../support/pushService.ts";
import { recordMetrics, sumByName } from "../support/recordedMetrics.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const { s, push, subscribe, announce, deliver, sweepAndWork } = pushEnvironment();
const { read, admin, done, logsOf } = shortRequests(s);

const counted = recordMetrics();
/** The metrics of webhooks since the last call. */
let alreadyCounted = 0;
const metrics = (): Record<string, number> => {
  const since = counted.slice(alreadyCounted).filter(({ name }) => name.startsWith("Webhook"));
  alreadyCounted = counted.length;
  return sumByName(since);
};

const set = (as: TestPlayer, body: object): Promise<Result> => admin(as, "settings", body);
const add = async (gm: TestPlayer, ...webhooks: object[]): Promise<Result["body"][]> => {
  const { body, text } = await set(gm, { webhooks });
  expect(body.webhooks, text).toHaveLength(webhooks.length);
  return body.webhooks;
};
const at = (path: string, format = "signed") => ({ url: `${push().origin}${path}`, format });
const webhooksFor = async (gm: TestPlayer): Promise<Result["body"][]> =>
  (await read(gm, "/admin/settings")).webhooks;

const work = async (): Promise<void> => {
  await announce();
  await s.work();
};
const jsonOf = ({ body }: Pick<Received, "body">) => JSON.parse(body.toString());
const kindsAt = (path: string): string[] =>
  push()
    .received(path)
    .flatMap((one) => jsonOf(one).data.interactions ?? [])
    .map(({ kind }: { kind: string }) => kind);

it("webhooks are kept by their ids, and show neither their URL nor their secret again", async () => {
  const gm = await s.admin();
  const wanted = { ...at("/signed"), events: ["void", "hunt"] };
  const [discord, signed] = await add(gm, at("/discord?token", "discord"), wanted);
  expect(discord).toMatchObject({ host: new URL(push().origin).host, secret: null, events: null });
  expect(signed.secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(signed.events).toEqual(["hunt", "void"]);
  const seen = await s.must("GET /admin/settings/{url_id}", { as: gm });
  expect(seen.body.webhooks).toEqual([discord, { ...signed, secret: null }]);
  const kept = await set(gm, { webhooks: [{ webhook_id: signed.webhook_id, events: null }] });
  expect(kept.body.webhooks).toEqual([{ ...signed, secret: null, events: null }]);
  const { text } = await s.must("GET /admin/get_logs/{url_id}", { as: gm });
  for (const secret of ["token", "/signed", "whsec_"])
    expect(text + seen.text + kept.text).not.toContain(secret);
  expect(text).toContain(signed.webhook_id);
  const { webhook_id } = signed;
  for (const [webhooks, path] of [
    [[{ webhook_id: discord.webhook_id }], "0.webhook_id"],
    [[{ webhook_id }, { webhook_id }], "1.webhook_id"],
    [Array(6).fill(at("/x")), ""],
  ] as const) {
    const { status, body } = await set(gm, { webhooks });
    expect([status, body.errors?.[0]?.path]).toEqual([400, path === "" ? "webhooks" : `webhooks.${path}`]);
  }
});

it("webhooks get what everybody may see: signed, or for Discord as a text in which an alias has no markup", async () => {
  const [gm, zed, ada, ben] = await s.game("Z_e_d", "Ada", "Ben");
  await work();
  const hunts = { ...at("/hunts"), events: ["hunt"] };
  const [, signed] = await add(gm, at("/discord", "discord"), at("/signed"), hunts);
  await s.hunt(zed, ada, { note: "behind the library", latitude: 47, longitude: 8 });
  await done(gm, "corpsify", { alias: "Ben", reason: "He asked." });
  await work();
  expect(jsonOf(push().received("/discord")[0] as Received)).toMatchObject({
    content: "**Z\\_e\\_d** tagged **Ada**.\n**Ben** was killed by a game master.",
    allowed_mentions: { parse: [] },
  });
  const undone = { kind: "void", actor: null, target: "Ada", details: { checkpoint_id: "bridge" } } as const;
  expect(discordText([undone])).toBe("**Ada** was restored: the checkpoint was undone.");
  expect(kindsAt("/hunts")).toEqual(["hunt"]);
  const [message] = push().received("/signed") as [Received];
  const { data, type } = jsonOf(message);
  expect(type).toBe("interactions");
  const { interactions } = await read(ben, "/interactions", { limit: 2 });
  const { reason: _, ...details } = interactions[0].details;
  expect(data.interactions).toEqual([interactions[1], { ...interactions[0], details }]);
  expect(message.body.toString()).not.toMatch(/library|asked|latitude/);
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given } = message.headers;
  const key = Buffer.from(signed.secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${time}.${message.body}`).digest("base64");
  expect(given).toBe(`v1,${expected}`);
  expect(Math.abs(Number(time) * 1_000 - s.now)).toBeLessThan(MINUTE);

  // The hunter of a tag may be hidden.
  push().reset();
  await set(gm, { hide_originals: true });
  await done(gm, "revive_z", { alias: "Ben" });
  await s.hunt(ben, await s.join("Cid"));
  await work();
  const content = "**Ben** was revived as a human.\n**Cid** was tagged.";
  expect(push().received("/discord").map(jsonOf)).toMatchObject([{ content }]);
});

describe("news", () => {
  const told = (path: string) => push().received(path).map(jsonOf);
  const inHours = (hours: number): string => rfc3339(s.now + hours * HOUR);
  const missionFor = (audience: string) => ({
    ...{ title: `For ${audience}`, starts_at: inHours(2), ends_at: inHours(3), place: "The library" },
    briefings: [
      { audience, text: `Come, ${audience}.`, reveal_at: inHours(1), outcome_text: "It was good." },
    ],
  });

  it("of a mission for all go to webhooks that want them, and none of one for a side", async () => {
    const [gm] = await s.game("Zed", "Ada");
    await work();
    const results = { ...at("/results"), events: ["mission_result", "hunt"] };
    const [, , wanted] = await add(gm, at("/signed"), at("/discord", "discord"), results);
    expect(wanted.events).toEqual(["hunt", "mission_result"]);
    const open = missionFor("all");
    // A side has more to read: nobody else is told that it was revealed.
    const briefings = [...open.briefings, ...missionFor("zombies").briefings];
    const { mission_id } = await done(gm, "set_mission", { ...open, briefings });
    const secret = (await done(gm, "set_mission", missionFor("zombies"))).mission_id;
    await sweepAndWork();
    expect(push().received()).toEqual([]);
    s.now += HOUR;
    await sweepAndWork();
    await sweepAndWork();
    s.now += HOUR / 2;
    await sweepAndWork();
    for (const id of [mission_id, secret])
      await done(gm, "set_mission", { mission_id: id, place: "The bridge" });
    await sweepAndWork();
    for (const id of [mission_id, secret])
      await done(gm, "close_mission", { mission_id: id, result: "humans", note: "Well done." });
    await sweepAndWork();
    const messages = told("/signed");
    expect(messages.map(({ type }) => type)).toEqual([
      ...["mission_revealed", "mission_soon", "mission_changed", "mission_result"],
    ]);
    const { body } = await s.call("GET /public", {});
    expect(body.board).toBeNull();
    await set(gm, { public_board: true });
    const { board } = (await s.call("GET /public", {})).body;
    expect(messages.at(-1).data).toEqual({ name: "Humans vs Zombies", mission: board.missions[0] });
    expect(messages[0].data.mission).toMatchObject({ mission_id, place: "The library", result: null });
    expect(told("/results").map(({ type }) => type)).toEqual(["mission_result"]);
    const texts = told("/discord").map(({ content }) => content);
    expect(texts[3]).toBe("**Result\\: For all**\nThe humans have won\\. Well done\\.");
    expect(texts[2]).toContain("Place\\: The bridge");
    expect(JSON.stringify([messages, texts])).not.toContain("zombies.");
    expect(JSON.stringify([messages, texts])).not.toContain("For zombies");
  });

  it("that are not true any more are not sent", async () => {
    const [gm] = await s.game("Zed", "Ada");
    await work();
    await add(gm, at("/signed"));
    const { mission_id } = await done(gm, "set_mission", missionFor("all"));
    s.now += HOUR;
    await s.sweep();
    await done(gm, "close_mission", { mission_id, result: "cancelled" });
    await sweepAndWork();
    await done(gm, "reopen_mission", { mission_id });
    await done(gm, "close_mission", { mission_id, result: "both" });
    await s.sweep();
    await done(gm, "reopen_mission", { mission_id });
    await s.work({ hurry: true });
    expect(told("/signed").map(({ type, data }) => [type, data.mission.result])).toEqual([
      ["mission_result", "cancelled"],
    ]);
  });

  it("of a season come when its result is known, and not if it is reopened", async () => {
    const [gm] = await s.game("Zed", "Ada");
    s.now += HOUR;
    await work();
    await add(gm, at("/signed"));
    const finish = () =>
      done(gm, "finish_season", { result: "humans", note: "By a hair.", grace_seconds: 600 });
    await finish();
    await done(gm, "reopen_season");
    await finish();
    await work();
    expect(kindsAt("/signed")).toEqual(["finish", "reopen", "finish"]);
    push().reset();
    s.now += 11 * MINUTE;
    await sweepAndWork();
    expect(told("/signed")).toMatchObject([
      { type: "season_result", data: { result: "humans", result_note: "By a hair." } },
    ]);
  });
});

it("webhooks wait as long as their receiver asks, and get each message once, in order", async () => {
  const [gm, zed, ...preys] = await s.game("Zed", "Ada", "Ben");
  await work();
  await add(gm, at("/busy"), at("/good"));
  push().answer("/busy", status(429, { "retry-after": "90" }));
  metrics();
  for (const prey of preys) {
    await s.hunt(zed, prey);
    await work();
  }
  // The second message was not sent before that time, and counts as no attempt.
  expect(push().received("/busy")).toHaveLength(1);
  expect(metrics()).toEqual({ WebhookSent: 2, WebhookRetried: 1 });
  expect(kindsAt("/good")).toEqual(["hunt", "hunt"]);
  expect((await webhooksFor(gm))[0]).toMatchObject({ failing_since: expect.any(String), last_error: "429" });
  push().answer("/busy", status(204));
  s.now += 2 * MINUTE;
  // The second message waits until the first has arrived.
  push().onReceived(() => {
    s.now += MINUTE;
  });
  await s.work({ hurry: true });
  expect(push().received("/busy")).toHaveLength(3);
  expect((await webhooksFor(gm))[0]).toMatchObject({ failing_since: null, last_error: null });
});

// Nonsense that push services and receivers may answer is in hostilePush.test.ts.
it.skipIf(QUICK)("webhooks that hang or redirect delay no push and no other", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await subscribe(ada, "/ada");
  await work();
  push().reset();
  await add(gm, at("/hangs"), at("/redirects"), at("/good"));
  const arrived: string[] = [];
  push().onReceived(() => arrived.push(push().received().at(-1)?.path ?? ""));
  push().answer("/hangs", (response) => {
    response.socket?.on("close", () => arrived.push("given up"));
  });
  push().answer("/redirects", status(307, { location: `${push().origin}/elsewhere` }));
  await s.hunt(zed, ada);
  await announce();
  // The worker keeps eight of these seconds for its work after the push.
  s.timeLeft = () => 10_000;
  await deliver(...(await s.queued()).map(({ message }) => message));
  const paths = ["/ada", "/good", "/hangs", "/redirects"];
  expect(arrived.slice(0, arrived.indexOf("given up")).toSorted()).toEqual(paths);
  const errors = (await webhooksFor(gm)).map(({ last_error }) => last_error);
  expect(errors).toEqual(["no response in time", "307", null]);
});

it("webhooks never reach an address that is not public", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await work();
  const addresses = [{ address: "10.0.0.7", family: 4 }];
  const resolve = vi.fn<Resolver>((_name, _options, answer) => answer(null, addresses));
  s.services.push = { ...s.services.push, sender: makeSender({ resolve }) };
  await add(gm, { url: "https://hooks.example.org/x", format: "discord" });
  await s.hunt(zed, ada);
  await work();
  expect(resolve.mock.calls.map(([name]) => name)).toEqual(["hooks.example.org"]);
  expect((await webhooksFor(gm))[0]).toMatchObject({ last_error: "address not allowed" });
});

it("webhooks are switched off after a day of failures, and on again by a test that arrives", async () => {
  const [master] = await s.game("Zed", "Ada", "Ben");
  let gm = master;
  await work();
  const [{ webhook_id }] = await add(gm, at("/gone"));
  const state = async () => (await webhooksFor(gm))[0];
  for (const [code, alias, disabled_at] of [
    [404, "Ada", null],
    [410, "Ben", expect.any(String)],
  ] as const) {
    push().answer("/gone", status(code));
    metrics();
    await done(gm, "corpsify", { alias });
    await work();
    expect(await state()).toMatchObject({ last_error: String(code), disabled_at });
    expect(metrics()).toEqual({ WebhookFailed: 1 });
    s.now += DAY + HOUR;
    gm = await s.login(gm.alias, gm.password);
  }
  const off = { actor: null, details: { webhook_id, last_error: "410" } };
  expect(await logsOf(gm, "webhook_off")).toMatchObject([off]);
  await done(gm, "pause_game");
  await work();
  expect(push().received("/gone")).toHaveLength(2);

  const test = async () => {
    expect((await set(gm, { test_webhooks: true })).status).toBe(200);
    await work();
  };
  await test();
  expect(await state()).toMatchObject({ disabled_at: expect.any(String), tested_at: null });
  push().answer("/gone", status(204));
  await test();
  expect(jsonOf(push().received("/gone").at(-1) as Received)).toMatchObject({ type: "test" });
  const works = { disabled_at: null, failing_since: null, tested_at: expect.any(String) };
  expect(await state()).toMatchObject(works);
  await done(gm, "resume_game");
  await work();
  expect(kindsAt("/gone").at(-1)).toBe("resume");
  expect((await set(gm, { webhooks: null })).body.webhooks).toEqual([]);
});
