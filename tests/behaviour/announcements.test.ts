/** Game events are pushed to those whom they concern, once each, unless they have switched them off. */
import { beforeEach, describe, expect, it } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { PUSH_KINDS } from "../../lib/domain/pushKinds.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { QUICK } from "../support/battery.ts";
import { asWorker } from "../support/calls.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { status } from "../support/pushService.ts";
import type { TestPlayer } from "../support/service.ts";
import { streamRecords } from "../support/streamRecords.ts";
import type { Browser } from "../support/webPush.ts";

const announceAll = (Records: Awaited<ReturnType<typeof streamRecords>>) =>
  asWorker("announce", announceHandler).on(s.services)({ Records }, lambdaContext());

const { s, push, disturbed, subscribe, announce, deliver, send } = pushEnvironment();

const browsers = new Map<string, Browser>();
beforeEach(() => browsers.clear());

/** Subscribes browsers of players, by paths that begin with their names. */
const subscribeAll = async (...players: TestPlayer[]): Promise<void> => {
  for (const as of players) {
    const name = `/${as.alias.replaceAll(" ", "-")}`;
    const path = browsers.has(name) ? `${name}-2` : name;
    browsers.set(path, await subscribe(as, path));
  }
};

/** Lets the workers process what has been recorded since. */
const announceNew = async (): Promise<void> => {
  await announce();
  await s.work({ hurry: true });
};

const messageOf = ({ path, body }: { path: string; body: Buffer }) =>
  JSON.parse(browsers.get(path)?.decrypt(body) ?? "{}");

/** The page to which a push of each kind leads. */
const PAGES: Record<string, string> = {
  ...{ tagged: "/app/me", cured: "/app/me", revived: "/app/me", killed: "/app/me", fed: "/app/me" },
  ...{ starving: "/app/tag", checkpoint: "/app/checkpoint", game: "/app/feed" },
};

/** What was received since the last call, as `name: title`, in order. */
const received = (): string[] =>
  push()
    .received()
    .splice(0)
    .map((one) => {
      const { notification, ...message } = messageOf(one);
      expect(message).toMatchObject({ web_push: 8030, at: expect.stringMatching(/Z$/) });
      expect(notification.navigate).toBe(PAGES[message.kind] ?? "a kind of push");
      expect(notification.body).toMatch(/\.$|^The /);
      return `${one.path.slice(1)}: ${notification.title}`;
    })
    .toSorted();

/** A game master's command. */
const post = (as: TestPlayer, what: string, body: unknown = {}) =>
  s.must(`POST /admin/${what}/{url_id}`, { as, body });

describe("an event of the game", () => {
  it("is pushed to those whom it concerns", async () => {
    const gm = await s.admin();
    const [ada, ben, cid] = [await s.join("Ada"), await s.join("Ben"), await s.join("Cid")];
    await subscribeAll(gm, ada, ben, ben, cid);
    let hunt = "";
    const tag = async (more = {}): Promise<void> => {
      const { body } = await s.hunt(ada, (await s.see(ben)).tag_code, more);
      hunt = body.interaction.interaction_id;
    };
    const command = (what: string, body?: unknown) => () => post(gm, what, body);
    const upon = (what: string) => command(what, { alias: "Ben" });
    const to =
      (...names: string[]) =>
      (title: string) =>
        names.map((name) => `${name}: ${title}`);
    const [bens, both] = [to("Ben", "Ben-2"), to("Ada", "Cid")];
    const everybody = to("Ada", "Ben", "Ben-2", "Cid", "Game-Master");
    const bridge = (name: string) => command("set_checkpoint", { name });
    const STEPS: [commands: (() => Promise<unknown>)[], ...expected: string[]][] = [
      [
        [() => s.outbreak(gm, ada), () => s.outbreak(gm, cid)],
        ...both("You were killed"),
        ...both("You were revived"),
      ],
      [
        [() => tag({ share_with: ["Cid"] })],
        ...bens("You were tagged by Ada"),
        "Cid: Ada shared a feeding with you",
      ],
      [[upon("feed_player")], ...bens("You were fed")],
      [[upon("cure")], ...bens("You were cured")],
      [[command("feed", { n: 5 })], ...both("You were fed")],
      [[tag], ...bens("You were tagged by Ada")],
      [
        [() => post(gm, "void_hunt", { interaction_id: hunt, reason: "Ben was indoors." })],
        "Ada: A tag of yours was taken back",
        ...bens("The tag was taken back"),
      ],
      [[command("pause_game"), command("pause_game")], ...everybody("The game is paused")],
      [[command("resume_game")], ...everybody("The game has resumed")],
      [[command("zombies_add_day")], ...both("You have one more day")],
      // A checkpoint that was replaced before its push is not pushed.
      [[bridge("The old bridge."), bridge("The new bridge.")], ...everybody("There is a checkpoint")],
      [[command("kill_all_not_at_checkpoint")], ...both("You were killed"), ...bens("You were killed")],
    ];
    for (const [commands, ...expected] of STEPS) {
      for (const run of commands) await run();
      await announceNew();
      expect(received()).toEqual(expected.toSorted());
    }
  });

  it("that is pushed again has the same tag and topic, and so shows once", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await subscribeAll(ada);
    await post(gm, "corpsify", { alias: "Ada" });
    await post(gm, "pause_game");
    const records = await streamRecords(s);
    for (let n = 0; n < 2; n += 1) {
      await announceAll(records);
      await s.work({ hurry: true });
    }
    const came = push().received();
    // The broadcast is worked on once; the announcement comes as often as the record.
    expect(came).toHaveLength(3);
    expect(new Set(came.map((one) => messageOf(one).notification.tag)).size).toBe(2);
    expect(new Set(came.map(({ headers }) => headers.topic)).size).toBe(2);
  });

  it("is pushed however long ago it happened, and not when it is imported an hour after its recording", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    await subscribeAll(ada, ben);
    await s.outbreak(gm, ada);
    disturbed.passed = 6 * HOUR;
    const hunted_at = rfc3339(s.services.clock() - 5 * HOUR);
    expect((await s.hunt(ada, ben, { hunted_at })).status).toBe(200);
    await post(gm, "set_checkpoint", { name: "The bridge." });
    // Both have starved for a day when a sweep comes.
    disturbed.passed = 3 * DAY;
    await s.sweep();
    await announceAll(await streamRecords(s, HOUR + MINUTE));
    await s.work({ hurry: true });
    expect(received()).toEqual([]);
    await announceNew();
    const started = ["There is a checkpoint", "You starved"];
    expect(received()).toEqual([
      ...[...started, "You were killed", "You were revived"].map((title) => `Ada: ${title}`),
      ...[...started, "You were tagged by Ada"].map((title) => `Ben: ${title}`),
    ]);
  });

  it("is retried at its own time, whatever another push service has asked for", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben"]) await subscribeAll(await s.join(alias));
    push().answer("/Ada", status(503));
    push().answer("/Ben", status(429, { "retry-after": "40000" }));
    for (const alias of ["Ada", "Ben"]) await post(gm, "corpsify", { alias });
    await announce();
    await deliver(...(await s.queued()).map(({ message }) => message));
    const retries = (await s.queued()).filter(({ message }) => message.announcements[0].round === 1);
    const waits = retries.map(({ message }) => message.notBefore - s.services.clock());
    const [short = Number.NaN, long = Number.NaN] = waits.toSorted((one, other) => one - other);
    expect(waits).toHaveLength(2);
    expect(short).toBeLessThan(SECOND);
    expect(long).toBeGreaterThan(39_000_000);
  });

  it("does not name a player who has left, and leaves no name on the queue", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Unmistakable Ada"), await s.join("Ben")];
    await subscribeAll(ada, ben);
    await s.outbreak(gm, ada);
    await s.hunt(ada, ben);
    await announce();
    expect(JSON.stringify(await s.queued())).not.toContain("Unmistakable");
    expect((await s.call("DELETE /delete_player/{url_id}", { as: ada })).status).toBe(204);
    await s.work({ hurry: true });
    expect(received()).toEqual(["Ben: You were tagged by somebody"]);
  });
});

describe("the kinds of push", () => {
  const edit = (as: TestPlayer, push_kinds: unknown) =>
    s.call("POST /edit_player/{url_id}", { as, body: { push_kinds } });

  it("are all on, until the player switches some off", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await subscribeAll(ada);
    expect((await s.see(ada)).push_kinds).toEqual(PUSH_KINDS);
    const some = await edit(ada, ["game", "cured"]);
    expect(some.body, some.text).toMatchObject({ push_kinds: ["cured", "game"] });
    expect((await s.see(ada)).push_kinds).toEqual(["cured", "game"]);
    await post(gm, "corpsify", { alias: "Ada" });
    await post(gm, "set_checkpoint", { name: "The bridge." });
    await post(gm, "pause_game");
    await announceNew();
    expect(received()).toEqual(["Ada: The game is paused"]);
    await edit(ada, []);
    await post(gm, "resume_game");
    await announceNew();
    expect(received()).toEqual([]);
    // A game master's message is no game event.
    expect((await send(gm)).body).toMatchObject({ sent: 1 });
    push().reset();
    expect((await edit(ada, null)).body.push_kinds).toEqual(PUSH_KINDS);
    await post(gm, "revive_h", { alias: "Ada" });
    await announceNew();
    expect(received()).toEqual(["Ada: You were revived"]);
  });
});

describe("a zombie that will starve", () => {
  /** Advances the service's clock step by step, with a sweep after each. */
  const live = async (hours: number, step = 0.5): Promise<void> => {
    for (let at = 0; at < hours; at += step) {
      disturbed.passed += step * HOUR;
      await s.sweep();
      await s.work({ hurry: true });
    }
  };

  const zombie = async () => {
    const [gm, ada] = await s.game("Ada");
    await subscribeAll(ada);
    return { gm, ada };
  };

  it("is warned six hours before and one hour before, once each", async () => {
    await zombie();
    await live(40, 2.5);
    expect(received()).toEqual([]);
    await live(2.5);
    expect(received()).toEqual(["Ada: You starve in 6 hours"]);
    await live(4);
    expect(received()).toEqual([]);
    await live(1);
    expect(push().received()[0]?.headers.urgency).toBe("high");
    expect(received()).toEqual(["Ada: You starve in 60 minutes"]);
    await live(3);
    expect(received()).toEqual([]);
    await announceNew();
    expect(received()).toContain("Ada: You starved");
  });

  it("is warned once by concurrent sweeps, and by a late one of the time that is really left", async () => {
    await zombie();
    disturbed.passed = 44.5 * HOUR;
    // A warning that cannot be queued is left to the next sweep.
    disturbed.hasQueue = false;
    expect(await s.sweep()).toMatchObject({ warned: 0, complete: true });
    disturbed.hasQueue = true;
    await Promise.all([s.sweep(), s.sweep(), s.sweep()]);
    await s.work({ hurry: true });
    expect(new Set(received())).toEqual(new Set(["Ada: You starve in 4 hours"]));
    push().reset();
    disturbed.passed = 47.75 * HOUR;
    await s.sweep();
    disturbed.passed += 5 * MINUTE;
    await s.work({ hurry: true });
    expect(received()).toEqual(["Ada: You starve in 10 minutes"]);
    disturbed.passed = 49 * HOUR;
    await s.sweep();
    await s.work({ hurry: true });
    expect(received()).toEqual([]);
  });

  it.skipIf(QUICK)("is warned again when a day was added, and not while the game is paused", async () => {
    const { gm } = await zombie();
    // An administrator's session ends after twelve idle hours.
    const later = async (what: string) => post(await s.login(gm.alias, gm.password), what);
    await live(42.5, 2.5);
    expect(received()).toHaveLength(1);
    await later("zombies_add_day");
    await live(22.75, 1.75);
    await later("pause_game");
    await live(10, 2);
    await later("resume_game");
    await live(0.5);
    expect(received()).toEqual([]);
    await live(1);
    expect(received()).toEqual(["Ada: You starve in 6 hours"]);
  });

  it.each<[string, periodHours: number, sweeps: [hour: number, warned: number][]]>([
    [
      "once by sweeps that run out of order",
      48,
      [43, 42.75, 43.25].map((hour, n) => [hour, n === 0 ? 1 : 0]),
    ],
    ["not of six hours when the feeding period is five", 5, [0.5, 4.25].map((hour, n) => [hour, n])],
  ])("is warned %s", async (_, periodHours, sweeps) => {
    s.services.feedingPeriod = () => periodHours * HOUR;
    await zombie();
    for (const [hour, warned] of sweeps) {
      disturbed.passed = hour * HOUR;
      expect(await s.sweep()).toMatchObject({ warned });
    }
  });
});
