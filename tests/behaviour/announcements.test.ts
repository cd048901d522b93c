/**
 * Game events are pushed to those whom they concern, once each, unless they have switched them off. Which events follow
 * from what, and their texts, are in `tests/unit/gameEvents.test.ts`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { PUSH_KINDS } from "../../lib/domain/notifications/pushKinds.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { status } from "../support/pushService.ts";
import type { TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { streamRecords } from "../support/streamRecords.ts";
import type { Browser } from "../support/webPush.ts";

const { s, push, subscribe, announce, announceRecords, deliver, send } = pushEnvironment();
const { done, edit } = shortRequests(s);

const browsers = new Map<string, Browser>();
beforeEach(() => browsers.clear());

/** Subscribes browsers of players, by paths that begin with their names. */
const subscribeAll = async (...players: TestPlayer[]): Promise<void> => {
  for (const as of players) {
    const path = browsers.has(`/${as.alias}`) ? `/${as.alias}-2` : `/${as.alias}`;
    browsers.set(path, await subscribe(as, path));
  }
};

const messageOf = ({ path, body }: { path: string; body: Buffer }) =>
  JSON.parse(browsers.get(path)?.decrypt(body) ?? "{}");

/** The page to which a push of each kind leads. */
const PAGES: Record<string, string> = {
  ...{ tagged: "/app/me", cured: "/app/me", revived: "/app/me", killed: "/app/me", fed: "/app/me" },
  ...{ starving: "/app/tag", checkpoint: "/app/checkpoint", game: "/app/feed" },
};

/** The notifications that browsers show for the pushes since the last call, as `name: title`, sorted. */
const received = (): string[] => {
  const shown = new Map<string, string>();
  for (const one of push().received().splice(0)) {
    const { notification, kind, ...message } = messageOf(one);
    expect(message).toMatchObject({ web_push: 8030, at: expect.stringMatching(/Z$/) });
    expect(notification.navigate).toBe(PAGES[kind] ?? "a kind of push");
    expect(one.headers.urgency).toBe(kind === "tagged" || kind === "starving" ? "high" : "normal");
    // A push that is sent again has the same tag and topic, so it is shown once.
    const place = [one.path, notification.tag, one.headers.topic].join();
    shown.set(place, `${one.path.slice(1)}: ${notification.title}`);
  }
  return [...shown.values()].toSorted();
};

/** Passes the stream worker twice what was recorded since, and works off the queue. @returns what is shown */
const announced = async (): Promise<string[]> => {
  await announce(2);
  expect(JSON.stringify(await s.queued()), "names on the queue").not.toMatch(/Ada|Ben|Cid/);
  await s.work({ hurry: true });
  return received();
};

describe("an event of the game", () => {
  it("is pushed to those whom it concerns, on each of their browsers", async () => {
    const gm = await s.admin("Gus");
    const [ada, ben, cid] = [await s.join("Ada"), await s.join("Ben"), await s.join("Cid")];
    await subscribeAll(gm, ada, ben, ben, cid);
    const to = (names: string, title: string) => names.split(" ").map((name) => `${name}: ${title}`);
    const [bens, everybody] = ["Ben-2 Ben", "Ada Ben-2 Ben Cid Gus"];
    for (const one of [ada, cid]) await s.outbreak(gm, one);
    const revived = to("Ada Cid", "You were revived");
    expect(await announced()).toEqual([...to("Ada Cid", "You were killed"), ...revived].toSorted());
    const { interaction_id } = (await s.hunt(ada, ben, { share_with: ["Cid"] })).body.interaction;
    const shared = "Cid: Ada shared a feeding with you";
    expect(await announced()).toEqual([...to(bens, "You were tagged by Ada"), shared]);
    await done(gm, "void_hunt", { interaction_id, reason: "Ben was indoors." });
    const back = ["Ada: A tag of yours was taken back", ...to(bens, "The tag was taken back")];
    expect(await announced()).toEqual(back);
    for (const word of ["pause_game", "pause_game"]) await done(gm, word);
    expect(await announced()).toEqual(to(everybody, "The game is paused"));
    await done(gm, "zombies_add_day");
    expect(await announced()).toEqual(to("Ada Cid", "You have one more day"));
    // A checkpoint that was replaced before its push is not pushed.
    for (const name of ["The old bridge", "The new bridge"]) await done(gm, "set_checkpoint", { name });
    expect(await announced()).toEqual(to(everybody, "There is a checkpoint"));
    await done(gm, "kill_all_not_at_checkpoint");
    expect(await announced()).toEqual(to("Ada Ben-2 Ben Cid", "You were killed"));
  });

  it("is pushed however long ago it happened, but not if it is written an hour after its recording, as by an import", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    await subscribeAll(ada, ben);
    await s.outbreak(gm, ada);
    s.now += 6 * HOUR;
    const hunted_at = rfc3339(s.now - 5 * HOUR);
    expect((await s.hunt(ada, ben, { hunted_at })).status).toBe(200);
    await done(gm, "set_checkpoint", { name: "The bridge." });
    // Both have starved for a day when a sweep comes.
    s.now += 3 * DAY;
    await s.sweep();
    await announceRecords(await streamRecords(s, HOUR + MINUTE));
    await s.work({ hurry: true });
    expect(received()).toEqual([]);
    const started = ["There is a checkpoint", "You starved"];
    expect(await announced()).toEqual([
      ...[...started, "You were killed", "You were revived"].map((title) => `Ada: ${title}`),
      ...[...started, "You were tagged by Ada"].map((title) => `Ben: ${title}`),
    ]);
  });

  it("is pushed when a reported tag gets its hunter, and not again when that tag is disputed", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    await subscribeAll(ben);
    await s.must("POST /player/report_tagged/{url_id}", { as: ben, body: {} });
    /** Passes the stream worker the tag, as it was changed just now. */
    const changed = async (): Promise<string[]> => {
      const record = (await streamRecords(s)).find(({ dynamodb }) => dynamodb?.NewImage?.completed_at);
      const dynamodb = { ...record?.dynamodb, ApproximateCreationDateTime: Math.floor(s.now / SECOND) };
      await announceRecords([{ ...record, eventName: "MODIFY", dynamodb }]);
      await s.work({ hurry: true });
      return received();
    };
    const { interaction_id } = (await s.hunt(ada, ben)).body.interaction;
    expect(await changed()).toEqual(["Ben: You were tagged by Ada"]);
    s.now += HOUR + MINUTE;
    // The same item again, as after a repair by a recount.
    expect(await changed()).toEqual([]);
    await s.must("POST /interactions/dispute/{url_id}", { as: ben, body: { interaction_id, reason: "No." } });
    expect(await changed()).toEqual([]);
  });

  it("is retried at its own time, whatever another push service has asked for", async () => {
    const gm = await s.admin();
    await subscribeAll(await s.join("Ada"), await s.join("Ben"));
    push().answer("/Ada", status(503));
    push().answer("/Ben", status(429, { "retry-after": "40000" }));
    for (const alias of ["Ada", "Ben"]) await done(gm, "corpsify", { alias });
    await announce();
    await deliver(...(await s.queued()).map(({ message }) => message));
    const retries = (await s.queued()).filter(({ message }) => message.announcements[0].round === 1);
    const waits = retries.map(({ message }) => message.notBefore - s.now);
    expect(waits).toHaveLength(2);
    expect(Math.min(...waits)).toBeLessThan(SECOND);
    expect(Math.max(...waits)).toBeGreaterThan(39_000 * SECOND);
  });

  it("does not name a player who has left", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    await subscribeAll(ben);
    await s.hunt(ada, ben);
    await announce();
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    await s.work({ hurry: true });
    expect(received()).toEqual(["Ben: You were tagged by somebody"]);
  });
});

it("all kinds of push are on, until the player switches some off", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  await subscribeAll(ada);
  expect((await s.see(ada)).push_kinds).toEqual(PUSH_KINDS);
  expect((await edit(ada, { push_kinds: ["game", "cured"] })).body.push_kinds).toEqual(["cured", "game"]);
  expect((await s.see(ada)).push_kinds).toEqual(["cured", "game"]);
  await done(gm, "corpsify", { alias: "Ada" });
  await done(gm, "set_checkpoint", { name: "The bridge." });
  await done(gm, "pause_game");
  expect(await announced()).toEqual(["Ada: The game is paused"]);
  await edit(ada, { push_kinds: [] });
  await done(gm, "resume_game");
  expect(await announced()).toEqual([]);
  // A game master's message is no game event.
  expect((await send(gm)).body).toMatchObject({ sent: 1 });
  expect((await edit(ada, { push_kinds: null })).body.push_kinds).toEqual(PUSH_KINDS);
});

describe("a zombie that will starve", () => {
  let gm: TestPlayer;
  let infected = 0;
  beforeEach(async () => {
    const [master, ada] = await s.game("Ada");
    [gm, infected] = [master, s.now];
    await subscribeAll(ada);
  });

  /** Sweeps concurrently, so many hours after the infection. @returns what is shown */
  const sweptAt = async (hours: number): Promise<string[]> => {
    s.now = infected + hours * HOUR;
    await Promise.all([s.sweep(), s.sweep(), s.sweep()]);
    await s.work({ hurry: true });
    return received();
  };

  it("is warned six hours before and one hour before, once each, also by sweeps that run out of order", async () => {
    expect(await sweptAt(40)).toEqual([]);
    expect(await sweptAt(42.5)).toEqual(["Ada: You starve in 6 hours"]);
    for (const hours of [42.25, 43, 46.5]) expect(await sweptAt(hours)).toEqual([]);
    expect(await sweptAt(47)).toEqual(["Ada: You starve in 60 minutes"]);
    for (const hours of [47.5, 49]) expect(await sweptAt(hours)).toEqual([]);
    expect(await announced()).toContain("Ada: You starved");
  });

  it("is warned late of the time that is really left, after a sweep that could not queue it", async () => {
    s.now += 44.5 * HOUR;
    s.hasQueue = false;
    expect(await s.sweep()).toMatchObject({ warned: 0, complete: true });
    s.hasQueue = true;
    expect(await sweptAt(44.5)).toEqual(["Ada: You starve in 4 hours"]);
    s.now = infected + 47.75 * HOUR;
    await s.sweep();
    s.now += 5 * MINUTE;
    await s.work({ hurry: true });
    expect(received()).toEqual(["Ada: You starve in 10 minutes"]);
  });

  it("is warned again when a day was added, and not while the game is paused", async () => {
    // An administrator's session ends after twelve idle hours.
    const later = async (what: string) => done(await s.login(gm.alias, gm.password), what);
    expect(await sweptAt(42.5)).toHaveLength(1);
    await later("zombies_add_day");
    expect(await sweptAt(65.25)).toEqual([]);
    await later("pause_game");
    expect(await sweptAt(75.25)).toEqual([]);
    await later("resume_game");
    expect(await sweptAt(75.75)).toEqual([]);
    expect(await sweptAt(76.25)).toEqual(["Ada: You starve in 6 hours"]);
    // A warning that was due before a pause waits too.
    s.now = infected + 81.25 * HOUR;
    await later("pause_game");
    expect(await sweptAt(90)).toEqual([]);
    await later("resume_game");
    expect(await sweptAt(90.25)).toHaveLength(1);
  });
});

it("a zombie whose feeding period is five hours is not warned of six", async () => {
  s.services.feedingPeriod = () => 5 * HOUR;
  await s.game("Ada");
  s.now += HOUR / 2;
  expect(await s.sweep()).toMatchObject({ warned: 0 });
  s.now += 3.75 * HOUR;
  expect(await s.sweep()).toMatchObject({ warned: 1 });
});
