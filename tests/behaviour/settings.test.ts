/** The settings of the game, and a game that is played by a schedule. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { type RequestOptions, type Someone, testEnvironment } from "../support/service.ts";

/** A Monday. */
const MORNING = Date.parse("2026-11-23T09:00:00Z");
let now = MORNING;

const s = testEnvironment({ services: () => ({ clock: () => now }) });
const SETTINGS = "POST /admin/settings/{url_id}";
const HUNT = "POST /zombie/hunt/{url_id}";

let gm: Someone;
beforeEach(async () => {
  now = MORNING;
  gm = await s.admin();
});

const set = (body: RequestOptions["body"]) => s.call(SETTINGS, { as: gm, body });
const at = (time: string): number => Date.parse(`2026-11-${time}:00Z`);
const codeOf = async (player: Someone): Promise<string> =>
  (await s.call("GET /player/{url_id}", { as: player })).body.tag_code;
const reportHunt = async (by: Someone, prey: Someone, more: object = {}) =>
  s.call(HUNT, { as: by, body: { tag_code: await codeOf(prey), ...more } });
const playerOf = async (player: Someone) => (await s.call("GET /player/{url_id}", { as: player })).body;

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
    expect((await s.call("GET /admin/settings/{url_id}", { as: gm })).body).toEqual(defaults);
    const changed = await set({ name: "Autumn", rules: "# Be kind", ...DAYTIME });
    const expected = {
      ...{ ...defaults, ...DAYTIME, name: "Autumn", rules: "# Be kind", settings_version: 1 },
      next_change_at: "2026-11-23T21:00:00.000Z",
    };
    expect(changed.body).toEqual(expected);
    expect((await set({ name: "Autumn", time_zone: "Europe/Berlin" })).body).toEqual(expected);
    expect((await set({ rules: null, play_hours: null })).body).toMatchObject({
      rules: null,
      play_hours: null,
    });
    const { body } = await s.call("GET /admin/get_logs/{url_id}", { as: gm, query: { action: "settings" } });
    const details = body.logs.map(({ details }: { details: object }) => details);
    expect(details).toEqual([
      {
        before: { rules: "# Be kind", play_hours: DAYTIME.play_hours, next_change_at: expect.any(String) },
        after: { rules: null, play_hours: null, next_change_at: null },
      },
      {},
      {
        before: {
          name: "Humans vs Zombies",
          rules: null,
          time_zone: "UTC",
          play_hours: null,
          next_change_at: null,
        },
        after: { name: "Autumn", rules: "# Be kind", ...DAYTIME, next_change_at: expect.any(String) },
      },
      {},
    ]);
  });

  it.each([
    [
      "an end before the start",
      { starts_at: "2026-11-24T08:00:00Z", ends_at: "2026-11-24T07:00:00Z" },
      "ends_at",
    ],
    [
      "a reveal without hidden originals",
      { reveal_originals_at: "2026-11-24T08:00:00Z" },
      "reveal_originals_at",
    ],
    ...[
      ["a reveal after the end", { ends_at: "2026-11-24T07:00:00Z" }],
      ["a reveal before the start", { starts_at: "2026-11-24T09:00:00Z" }],
      ["a reveal in the past", { reveal_originals_at: "2026-11-23T08:59:59Z" }],
    ].map(([name, more]): [string, object, string] => [
      String(name),
      { hide_originals: true, reveal_originals_at: "2026-11-24T08:00:00Z", ...Object(more) },
      "reveal_originals_at",
    ]),
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
      {
        play_hours: {
          friday: [
            ["10:00", "12:00"],
            ["08:00", "10:01"],
          ],
        },
      },
      "play_hours.friday",
    ],
    ["an unknown day", { play_hours: { funday: [["10:00", "12:00"]] } }, "play_hours.funday"],
    ["too many sharers", { sharers: 6 }, "sharers"],
    ["no feeding period", { feeding_period_seconds: 0 }, "feeding_period_seconds"],
  ])("reject %s", async (_, body, path) => {
    const response = await set(body);
    expect(response.status).toBe(400);
    expect(response.body.errors.map((error: { path: string }) => error.path)).toContain(path);
    expect((await s.call("GET /admin/settings/{url_id}", { as: gm })).body.settings_version).toBe(0);
  });

  it("name every fault at once", async () => {
    const body = {
      time_zone: "Nowhere",
      play_hours: {},
      starts_at: "2026-11-24T08:00:00Z",
      ends_at: "2026-11-24T08:00:00Z",
      hide_originals: true,
      reveal_originals_at: "2026-11-24T09:00:00Z",
      join_codes: [{ code: "brains" }, { code: "Brains" }],
      webhooks: [{ url: "https://example.org/x" }],
    };
    const { errors } = (await set(body)).body;
    expect(errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      "ends_at",
      "join_codes.1.code",
      "play_hours",
      "reveal_originals_at",
      "time_zone",
      "webhooks.0.format",
    ]);
  });

  it("decide how long a feeding lasts, how many share it, and how late it is reported", async () => {
    await set({ feeding_period_seconds: 3600, sharers: 1, report_window_seconds: 600 });
    const [zed, zoe, ada, ben] = [
      await s.join("Zed"),
      await s.join("Zoe"),
      await s.join("Ada"),
      await s.join("Ben"),
    ];
    for (const zombie of [zed, zoe]) await s.outbreak(gm, zombie);
    expect((await playerOf(zed)).starves_at).toBe("2026-11-23T10:00:00.000Z");
    now += 20 * MINUTE;
    const late = await reportHunt(zed, ada, { hunted_at: new Date(now - 11 * MINUTE).toISOString() });
    const params = { seconds: 600 };
    expect(late.body.errors).toEqual([
      {
        ...{ path: "hunted_at", code: "too_late", params },
        message: "The time of the hunt is more than 10 minutes ago.",
      },
    ]);
    const shared = await reportHunt(zed, ada, { share_with: ["Zoe", "Ben"] });
    expect(shared.body.errors).toEqual([
      {
        ...{ path: "share_with", code: "invalid" },
        message: "The list of players to share with must have at most 1 entry.",
      },
    ]);
    expect((await reportHunt(zed, ada, { share_with: ["Zoe"] })).status).toBe(200);
    expect((await playerOf(zoe)).starves_at).toBe("2026-11-23T10:20:00.000Z");
    expect((await playerOf(ben)).state).toBe("human");
  });
});

describe("a game with a schedule", () => {
  const phase = async (player: Someone) => {
    const { body } = await s.call("GET /game/{url_id}", { as: player });
    return [body.phase, body.in_play, body.next_change_at];
  };

  it("lets nobody starve and nobody hunt at night, and zombies keep the time that they have left", async () => {
    const [zed, ada, ben] = [await s.join("Zed"), await s.join("Ada"), await s.join("Ben")];
    await s.outbreak(gm, zed);
    await set({ ...DAYTIME, feeding_period_seconds: 20 * 3600 });
    // 48 hours from 10:00: 12 left on Monday, then 14 a day until Wednesday, and 8 on Thursday.
    expect((await playerOf(zed)).starves_at).toBe("2026-11-26T15:00:00.000Z");
    now = at("23T21:30");
    expect(await phase(zed)).toEqual(["running", false, "2026-11-24T07:00:00.000Z"]);
    const atNight = await reportHunt(zed, ada);
    expect([atNight.status, atNight.body.code]).toEqual([409, "not_running"]);
    expect(atNight.body.detail).toBe(
      "The game is not played now: hunts count again from 2026-11-24T07:00:00.000Z.",
    );
    // A tag of the evening can be reported at night.
    expect((await reportHunt(zed, ada, { hunted_at: "2026-11-23T20:50:00Z" })).status).toBe(200);
    // A new zombie has its whole period from the morning: 14 hours on Tuesday, and 6 on Wednesday.
    expect((await playerOf(ada)).starves_at).toBe("2026-11-25T13:00:00.000Z");
    now = at("25T12:59");
    expect((await playerOf(ada)).state).toBe("zombie");
    // What is left of Wednesday, and Thursday's hours up to the same time.
    const added = await s.call("POST /admin/zombies_add_day/{url_id}", { as: await s.admin("Second") });
    expect(added.body).toEqual({ zombies: 2, added_seconds: 14 * 3600 });
    expect((await playerOf(ada)).starves_at).toBe("2026-11-26T13:00:00.000Z");
    expect((await playerOf(ben)).state).toBe("human");
  });

  it("begins and ends by itself", async () => {
    const [zed, ada, ben] = [await s.join("Zed"), await s.join("Ada"), await s.join("Ben")];
    await s.outbreak(gm, zed);
    await set({ starts_at: "2026-11-23T12:00:00Z", ends_at: "2026-11-24T12:00:00Z" });
    expect(await phase(zed)).toEqual(["registration", false, "2026-11-23T12:00:00.000Z"]);
    expect((await reportHunt(zed, ada)).body.code).toBe("not_running");
    // The game ends before the zombie starves.
    expect((await playerOf(zed)).starves_at).toBeNull();
    now = at("23T12:00");
    expect(await phase(zed)).toEqual(["running", true, "2026-11-24T12:00:00.000Z"]);
    expect((await reportHunt(zed, ada)).status).toBe(200);
    now = at("24T12:00");
    expect(await phase(zed)).toEqual(["ended", false, null]);
    expect((await reportHunt(zed, ben)).body.detail).toBe(
      "The game has ended: a hunt after its end does not count.",
    );
    const next = await s.call("GET /zombie/next_feeding/{url_id}", { as: zed });
    expect(next.body).toMatchObject({ next_feeding: null, seconds_left: 24 * 3600 });
    now += 20 * 24 * HOUR;
    expect(
      (await s.call("GET /admin/player_count/{url_id}", { as: await s.admin("Second") })).body.zombies,
    ).toBe(2);
  });

  it("rejects a hunt that is dated into a pause", async () => {
    const [zed, ada] = [await s.join("Zed"), await s.join("Ada")];
    await s.outbreak(gm, zed);
    now += HOUR;
    await s.call("POST /admin/pause_game/{url_id}", { as: gm });
    now += HOUR;
    await s.call("POST /admin/resume_game/{url_id}", { as: gm });
    now += HOUR;
    const during = await reportHunt(zed, ada, { hunted_at: new Date(now - 90 * MINUTE).toISOString() });
    expect([during.status, during.body.code]).toEqual([409, "not_running"]);
    const before = await reportHunt(zed, ada, { hunted_at: new Date(now - 130 * MINUTE).toISOString() });
    expect(before.status).toBe(200);
  });
});
