/** The settings of the game, and a game that is played by a schedule. Deadlines by schedules are in `tests/battery/time.test.ts`. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { outcomeOf, shortRequests } from "../support/shortRequests.ts";

/** A Monday. */
const MORNING = Date.parse("2026-11-23T09:00:00Z");
let now = MORNING;

const s = testEnvironment({ services: () => ({ clock: () => now }) });
const { read, admin, done, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  now = MORNING;
  gm = await s.admin();
});

const set = (body: object) => admin(gm, "settings", body);
const at = (time: string): number => Date.parse(`2026-11-${time}:00Z`);

/** Games from eight to ten in Berlin, on weekdays. */
const DAYTIME = {
  time_zone: "Europe/Berlin",
  play_hours: Object.fromEntries(
    ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => [day, [["08:00", "22:00"]]]),
  ),
};

describe("the settings", () => {
  it("have defaults, are changed one by one, and are logged with the values before and after", async () => {
    const defaults = {
      ...{ name: "Humans vs Zombies", description: null, rules: null, contact: null, stun: null },
      ...{ time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null, settings_version: 0 },
      ...{ phase: "running", in_play: true, next_change_at: null },
      ...{ feeding_period_seconds: 48 * 3600, sharers: 2, report_window_seconds: 6 * 3600 },
      ...{ checkpoint_outcome: "corpse", registration: "open", registration_closes_at: null },
      ...{ join_codes: [], unique_email: false, leaving: "allowed", enrolment: "everyone" },
      ...{ public_board: false, hide_originals: false, reveal_originals_at: null, webhooks: [] },
    };
    expect(await read(gm, "/admin/settings")).toEqual(defaults);
    const texts = { name: "Autumn", rules: "# Be kind" };
    const changes = { ...texts, ...DAYTIME, next_change_at: "2026-11-23T21:00:00.000Z" };
    const expected = { ...defaults, ...changes, settings_version: 1 };
    expect((await set({ ...texts, ...DAYTIME })).body).toEqual(expected);
    expect((await set({ name: "Autumn", time_zone: "Europe/Berlin" })).body).toEqual(expected);
    const none = { rules: null, play_hours: null };
    expect((await set(none)).body).toMatchObject(none);
    const details = (await logsOf(gm, "settings")).map((entry: Result["body"]) => entry.details);
    const { name, time_zone } = defaults;
    expect(details).toEqual([
      {
        before: { rules: texts.rules, play_hours: DAYTIME.play_hours, next_change_at: expect.any(String) },
        after: { ...none, next_change_at: null },
      },
      {},
      { before: { ...none, name, time_zone, next_change_at: null }, after: changes },
      {},
    ]);
  });

  const HIDDEN = { hide_originals: true, reveal_originals_at: "2026-11-24T08:00:00Z" };
  const { reveal_originals_at } = HIDDEN;
  it.each<[fault: string, body: object, path: string, message?: string]>([
    [
      "an end before the start",
      { starts_at: "2026-11-24T08:00:00Z", ends_at: "2026-11-24T07:00:00Z" },
      "ends_at",
    ],
    [
      "a reveal of no hidden originals",
      { reveal_originals_at },
      "reveal_originals_at",
      "Needs hide_originals",
    ],
    [
      "a reveal after the end",
      { ...HIDDEN, ends_at: "2026-11-24T07:00:00Z" },
      "reveal_originals_at",
      "must not be after ends_at.",
    ],
    [
      "a reveal before the start",
      { ...HIDDEN, starts_at: "2026-11-24T09:00:00Z" },
      "reveal_originals_at",
      "must not be before starts_at.",
    ],
    [
      "a reveal in the past",
      { ...HIDDEN, reveal_originals_at: "2026-11-23T08:59:59Z" },
      "reveal_originals_at",
    ],
    ["an unknown zone", { time_zone: "Europe/Nowhere" }, "time_zone"],
    ["an offset as a zone", { time_zone: "+02:00" }, "time_zone"],
    ["no hour in a week", { play_hours: { monday: [] } }, "play_hours"],
    [
      "a range that ends before it begins",
      { play_hours: { monday: [["22:00", "02:00"]] } },
      "play_hours.monday.0",
    ],
    ["a time that does not exist", { play_hours: { monday: [["8:00", "25:00"]] } }, "play_hours.monday.0"],
    [
      "ranges that overlap",
      { play_hours: { friday: ["10:00 12:00", "08:00 10:01"].map((range) => range.split(" ")) } },
      "play_hours.friday",
    ],
    ["an unknown day", { play_hours: { funday: [["10:00", "12:00"]] } }, "play_hours.funday"],
    ["too many sharers", { sharers: 6 }, "sharers"],
    ["no feeding period", { feeding_period_seconds: 0 }, "feeding_period_seconds"],
  ])("reject %s", async (_, body, path, message = "") => {
    const response = await set(body);
    expect([response.status, response.body.detail]).toEqual([400, expect.stringContaining(message)]);
    expect(response.body.errors).toContainEqual(expect.objectContaining({ path }));
    expect((await read(gm, "/admin/settings")).settings_version).toBe(0);
  });

  it("name every fault at once, also with a field that is set already", async () => {
    const body = {
      ...{ time_zone: "Nowhere", play_hours: {}, hide_originals: true },
      ...{ starts_at: "2026-11-24T08:00:00Z", ends_at: "2026-11-24T08:00:00Z" },
      ...{ reveal_originals_at: "2026-11-24T09:00:00Z", webhooks: [{ url: "https://example.org/x" }] },
      join_codes: [{ code: "brains" }, { code: "Brains" }],
    };
    const paths = (await set(body)).body.errors.map(({ path }: { path: string }) => path).toSorted();
    const ofOthers = ["reveal_originals_at", "time_zone", "webhooks.0.format"];
    expect(paths).toEqual(["ends_at", "join_codes.1.code", "play_hours", ...ofOthers]);
    expect((await set(HIDDEN)).status).toBe(200);
    expect((await set({ ends_at: "2026-11-24T07:00:00Z" })).status).toBe(400);
    // To reveal originals is to switch the setting off, which needs no second field.
    const off = { hide_originals: false, reveal_originals_at: null };
    expect((await set({ hide_originals: false })).body).toMatchObject(off);
  });

  it("decide how long a feeding lasts, how many share it, and how late it is reported", async () => {
    const [zed, zoe, ada] = [await s.join("Zed"), await s.join("Zoe"), await s.join("Ada")];
    await set({ feeding_period_seconds: 3600, sharers: 1, report_window_seconds: 600 });
    for (const zombie of [zed, zoe]) await s.outbreak(gm, zombie);
    expect((await s.see(zed)).starves_at).toBe("2026-11-23T10:00:00.000Z");
    now += 20 * MINUTE;
    const late = await s.hunt(zed, ada, { hunted_at: rfc3339(now - 11 * MINUTE) });
    const tooLate = { path: "hunted_at", code: "too_late", params: { seconds: 600 } };
    const message = "The time of the hunt is more than 10 minutes ago.";
    expect(late.body.errors).toEqual([{ ...tooLate, message }]);
    const { errors } = (await s.hunt(zed, ada, { share_with: ["Zoe", "Ben"] })).body;
    const most = "The list of players to share with must have at most 1 entry.";
    expect(errors).toEqual([{ path: "share_with", code: "invalid", message: most }]);
    expect((await s.hunt(zed, ada, { share_with: ["Zoe"] })).status).toBe(200);
    expect((await s.see(zoe)).starves_at).toBe("2026-11-23T10:20:00.000Z");
  });
});

describe("a game with a schedule", () => {
  let on: Record<"zed" | "ada", TestPlayer>;
  beforeEach(async () => {
    on = { zed: await s.join("Zed"), ada: await s.join("Ada") };
    await s.outbreak(gm, on.zed);
  });
  const hunt = (more = {}) => s.hunt(on.zed, on.ada, more);
  const phase = async () => {
    const body = await read(on.zed, "/game");
    return [body.phase, body.in_play, body.next_change_at];
  };

  it("lets nobody hunt at night, and zombies keep the time that they have left", async () => {
    await set({ ...DAYTIME, feeding_period_seconds: 20 * 3600 });
    // 48 hours from 10:00: 12 left on Monday, then 14 a day until Wednesday, and 8 on Thursday.
    expect((await s.see(on.zed)).starves_at).toBe("2026-11-26T15:00:00.000Z");
    now = at("23T21:30");
    expect(await phase()).toEqual(["running", false, "2026-11-24T07:00:00.000Z"]);
    const atNight = await hunt();
    expect(outcomeOf(atNight)).toEqual([409, "not_running"]);
    const detail = "The game is not played now: hunts count again from 2026-11-24T07:00:00.000Z.";
    expect(atNight.body.detail).toBe(detail);
    // A tag of the evening can be reported at night.
    expect((await hunt({ hunted_at: "2026-11-23T20:50:00Z" })).status).toBe(200);
    // A new zombie has its whole period from the morning: 14 hours on Tuesday, and 6 on Wednesday.
    expect((await s.see(on.ada)).starves_at).toBe("2026-11-25T13:00:00.000Z");
    now = at("25T12:59");
    gm = await s.login(gm.alias, gm.password);
    // What is left of Wednesday, and Thursday's hours up to the same time.
    expect(await done(gm, "zombies_add_day")).toEqual({ zombies: 2, added_seconds: 14 * 3600 });
    expect((await s.see(on.ada)).starves_at).toBe("2026-11-26T13:00:00.000Z");
  });

  it("begins and ends by itself", async () => {
    await set({ starts_at: "2026-11-23T12:00:00Z", ends_at: "2026-11-24T12:00:00Z" });
    expect(await phase()).toEqual(["registration", false, "2026-11-23T12:00:00.000Z"]);
    expect((await hunt()).body.code).toBe("not_running");
    // The game ends before the zombie starves.
    expect((await s.see(on.zed)).starves_at).toBeNull();
    now = at("23T12:00");
    expect(await phase()).toEqual(["running", true, "2026-11-24T12:00:00.000Z"]);
    now = at("24T12:00");
    expect(await phase()).toEqual(["ended", false, null]);
    expect((await hunt()).body.detail).toBe("The game has ended: a hunt after its end does not count.");
    const left = { next_feeding: null, seconds_left: 24 * 3600 };
    expect(await read(on.zed, "/zombie/next_feeding")).toMatchObject(left);
    now += 5 * 24 * HOUR;
    gm = await s.login(gm.alias, gm.password);
    expect((await read(gm, "/admin/player_count")).zombies).toBe(1);
  });
});
