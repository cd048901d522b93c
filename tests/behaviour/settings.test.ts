/**
 * The settings of the game, a game that is played by a schedule, and two game masters who change the same: the second one
 * learns of it, and nothing of the first is lost. Deadlines by schedules are in `tests/battery/time.test.ts`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, outcomeOf, shortRequests } from "../support/shortRequests.ts";

/** A Monday. */
const MORNING = Date.parse("2026-11-23T09:00:00Z");
const s = testEnvironment({ at: MORNING });
const { read, admin, done, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

const set = (body: object) => admin(gm, "settings", body);
const at = (time: string): number => Date.parse(`2026-11-${time}:00Z`);

/** Play hours from 08:00 to 22:00 in Berlin, on weekdays. */
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"];
const play_hours = Object.fromEntries(WEEKDAYS.map((day) => [day, [["08:00", "22:00"]]]));
const DAYTIME = { time_zone: "Europe/Berlin", play_hours };

describe("the settings", () => {
  it("have defaults, are changed one by one, and are logged with the values before and after", async () => {
    const defaults = {
      ...{ name: "Humans vs Zombies", description: null, rules: null, contact: null, stun: null },
      safe_places: null,
      ...{ waiver: null, waiver_ask: [], minimum_age: null, keep_signatures_days: 90 },
      ...{ time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null, settings_version: 0 },
      ...{ phase: "running", in_play: true, next_change_at: null },
      ...{ feeding_period_seconds: 48 * 3600, sharers: 2, report_window_seconds: 6 * 3600 },
      ...{ checkpoint_outcome: "corpse", registration: "open", registration_closes_at: null },
      ...{ missions_required: null, missions_counted_from: null, originals_cured: false },
      ...{ join_codes: [], unique_email: false, leaving: "allowed", enrolment: "everyone" },
      ...{
        public_board: false,
        originals_cured: false,
        hide_originals: false,
        reveal_originals_at: null,
        webhooks: [],
      },
    };
    const setWithoutVersions = async (body: object) => {
      const { versions, ...settings } = (await set(body)).body;
      expect(versions).toBeDefined();
      return settings;
    };
    expect(await setWithoutVersions({})).toEqual(defaults);
    expect(await read(gm, "/admin/settings")).toMatchObject(defaults);
    const texts = { name: "Autumn", rules: "# Be kind" };
    const changes = { ...texts, ...DAYTIME, next_change_at: "2026-11-23T21:00:00.000Z" };
    const expected = { ...defaults, ...changes, settings_version: 1 };
    expect(await setWithoutVersions({ ...texts, ...DAYTIME })).toEqual(expected);
    expect(await setWithoutVersions({ name: "Autumn", time_zone: "Europe/Berlin" })).toEqual(expected);
    const none = { rules: null, play_hours: null, next_change_at: null };
    expect((await set({ rules: null, play_hours: null })).body).toMatchObject(none);
    const details = (await logsOf(gm, "settings")).map((entry: Result["body"]) => entry.details);
    const { rules, play_hours, next_change_at } = changes;
    const { name, time_zone } = defaults;
    expect(details).toEqual([
      { before: { rules, play_hours, next_change_at }, after: none },
      {},
      { before: { ...none, name, time_zone }, after: changes },
      {},
      {},
    ]);
  });

  it("are logged without the rest of a long text, and without half of a character", async () => {
    await done(gm, "settings", { rules: `R${"🧟".repeat(250)}` });
    const [{ details }] = await logsOf(gm, "settings");
    expect(details.after).toEqual({ rules: `R${"🧟".repeat(199)}…` });
  });

  it("are checked together with those that are set already", async () => {
    const [start, reveal_originals_at] = ["2026-11-24T07:00:00Z", "2026-11-24T08:00:00Z"];
    expect((await set({ hide_originals: true, reveal_originals_at })).status).toBe(200);
    for (const body of [{ ends_at: start }, { reveal_originals_at: rfc3339(s.now - 1) }])
      expect((await set(body)).body.errors).toMatchObject([{ path: "reveal_originals_at" }]);
    // Switching the setting off reveals the original zombies, and needs no second field.
    const off = { hide_originals: false, reveal_originals_at: null };
    expect((await set({ hide_originals: false })).body).toMatchObject(off);
    // The end reveals them too, so a later time goes with it.
    await set({ hide_originals: true, reveal_originals_at });
    expect((await set({ ends_at: "now" })).body).toMatchObject({ reveal_originals_at: null });
  });

  it("decide how long a feeding lasts, how many share it, and how late a hunt can be reported", async () => {
    const [zed, zoe, ada] = [await s.join("Zed"), await s.join("Zoe"), await s.join("Ada")];
    await set({ feeding_period_seconds: 3600, sharers: 1, report_window_seconds: 600 });
    for (const zombie of [zed, zoe]) await s.outbreak(gm, zombie);
    expect((await s.see(zed)).starves_at).toBe("2026-11-23T10:00:00.000Z");
    s.now += 20 * MINUTE;
    const late = await s.hunt(zed, ada, { hunted_at: rfc3339(s.now - 11 * MINUTE) });
    expect(late.body.errors).toMatchObject([{ code: "too_late", params: { seconds: 600 } }]);
    const { errors } = (await s.hunt(zed, ada, { share_with: ["Zoe", "Ben"] })).body;
    expect(errors).toMatchObject([{ message: expect.stringContaining("at most 1 entry") }]);
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

  // The deadlines of more schedules are in tests/unit/clock.test.ts and tests/battery/time.test.ts.
  it("lets nobody hunt at night, and zombies keep the time that they have left", async () => {
    await set({ ...DAYTIME, feeding_period_seconds: 20 * 3600 });
    const ben = await s.join("Ben");
    s.now = at("23T20:55");
    await s.must("POST /player/report_tagged/{url_id}", { as: ben, body: {} });
    s.now = at("23T21:30");
    expect(await phase()).toEqual(["running", false, "2026-11-24T07:00:00.000Z"]);
    const atNight = await hunt();
    await expectRefused(atNight, "not_running");
    const detail = "The game is not played now: tags count again from 2026-11-24T07:00:00.000Z.";
    expect(atNight.body.detail).toBe(detail);
    // A tag of the evening can be reported at night, and the next morning: the window is one of play time.
    s.now = at("24T07:10");
    expect((await hunt({ hunted_at: "2026-11-23T20:50:00Z" })).status).toBe(200);
    expect((await s.hunt(on.zed, ben)).status).toBe(200);
    // A new zombie has its whole period: what is left of 14 hours on Tuesday, and the rest on Wednesday.
    expect((await s.see(on.ada)).starves_at).toBe("2026-11-25T13:10:00.000Z");
    // A pause over a night moves it by the hours of play in it.
    s.now = at("24T20:00");
    gm = await s.login(gm.alias, gm.password);
    await done(gm, "pause_game");
    s.now = at("25T08:00");
    gm = await s.login(gm.alias, gm.password);
    await done(gm, "resume_game");
    expect((await s.see(on.ada)).starves_at).toBe("2026-11-25T15:10:00.000Z");
    s.now = at("25T12:59");
    gm = await s.login(gm.alias, gm.password);
    // What is left of Wednesday, and Thursday's hours up to the same time.
    expect(await done(gm, "zombies_add_day")).toEqual({ zombies: 3, added_seconds: 14 * 3600 });
  });

  it("begins and ends by itself, and nobody starves afterwards", async () => {
    await set({ starts_at: "2026-11-23T12:00:00Z", ends_at: "2026-11-24T12:00:00Z" });
    expect(await phase()).toEqual(["registration", false, "2026-11-23T12:00:00.000Z"]);
    await expectRefused(hunt(), "not_running");
    expect((await s.see(on.zed)).starves_at).toBeNull();
    s.now = at("23T12:00");
    expect(await phase()).toEqual(["running", true, "2026-11-24T12:00:00.000Z"]);
    s.now = at("24T12:00") + 5 * 24 * HOUR;
    expect(await phase()).toEqual(["ended", false, null]);
    expect((await hunt()).body.detail).toBe("The game has ended: a tag after its end does not count.");
    const left = { next_feeding: null, seconds_left: 24 * 3600 };
    expect(await read(on.zed, "/zombie/next_feeding")).toMatchObject(left);
  });
});

let other: TestPlayer;
beforeEach(async () => {
  other = await s.admin("Grace", true);
});

const CONFLICT = [409, "changed_meanwhile"];
const discord = (name: string) => ({
  ...{ url: `https://discord.com/api/webhooks/${name}/secret`, format: "discord" },
});
const code = (text: string, uses: number | null = null) => ({ code: text, uses, ends_at: null });

describe("a list in the settings that two game masters change", () => {
  it("keeps the first one's change until the second has read it", async () => {
    const { versions } = await read(gm, "/admin/settings");
    const wanted = { join_codes: [code("mine")], versions: { join_codes: versions.join_codes } };
    await done(other, "settings", { join_codes: [code("theirs")] });
    const late = await admin(gm, "settings", wanted);
    expect(outcomeOf(late)).toEqual(CONFLICT);
    expect(late.body.detail).toBe("Somebody else has changed the list of join codes meanwhile.");
    const { join_codes, versions: next } = await read(gm, "/admin/settings");
    expect(join_codes).toMatchObject([{ code: "theirs" }]);
    const again = { ...wanted, versions: { join_codes: next.join_codes } };
    expect((await admin(gm, "settings", again)).body.join_codes).toMatchObject([{ code: "mine" }]);
    // An older client names no versions.
    expect((await admin(gm, "settings", { join_codes: [] })).status).toBe(200);
  });

  it("does not conflict with other settings, with the same wish, or with what the service counts", async () => {
    await done(gm, "settings", { join_codes: [code("campus", 5)], rules: "Be kind." });
    const { versions } = await read(gm, "/admin/settings");
    await done(other, "settings", { name: "Spring", rules: "Be kinder." });
    await s.must("POST /new", { body: { alias: "Ada", password: gm.password, join_code: "campus" } });
    const texts = { rules: "Be kinder.", stun: "Ten minutes." };
    const join_codes = [code("campus", 5), code("club")];
    const { body } = await admin(gm, "settings", { join_codes, ...texts, versions });
    expect(body).toMatchObject({ name: "Spring", ...texts });
    expect(body.join_codes).toMatchObject([{ code: "campus", uses_left: 4 }, { code: "club" }]);
  });

  it.each([
    ["join codes", "join_codes", [[code("code-1")], [code("code-2")]]],
    ["play hours", "play_hours", [{ monday: [["08:00", "22:00"]] }, { friday: [["18:00", "24:00"]] }]],
    ["texts", "rules", ["Be kind.", "Be quiet."]],
    ["webhooks", "webhooks", ["one", "two"].map((name) => [discord(name)])],
  ] as const)("lets one of two win who save %s at the same time", async (_, name, [one, two]) => {
    const { versions } = await read(gm, "/admin/settings");
    const known = { versions: { [name]: versions[name] } };
    const save = (as: TestPlayer, value: unknown) => admin(as, "settings", { [name]: value, ...known });
    const results = await Promise.all([save(gm, one), save(other, two)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [winner] = results.filter(({ status }) => status === 200);
    const now = await read(gm, "/admin/settings");
    expect(now.versions[name]).toBe(winner?.body.versions[name]);
    expect(now.settings_version).toBe(1);
  });

  it("is compared before the rest of the request: a webhook that another has removed is no wrong id", async () => {
    const { webhooks, versions } = await done(gm, "settings", { webhooks: [discord("one")] });
    await done(other, "settings", { webhooks: [] });
    const kept = { webhooks: [{ webhook_id: webhooks[0].webhook_id }], versions };
    expect(outcomeOf(await admin(gm, "settings", kept))).toEqual(CONFLICT);
  });
});

describe("a form that two game masters fill in", () => {
  it("changes a player only where nobody else has", async () => {
    const ada = await s.join("Ada");
    const edit = (as: TestPlayer, body: object) => admin(as, "edit_player", { player_id: ada.id, ...body });
    await edit(other, { note: "Has a car.", first_name: "Ada" });
    const late = await edit(gm, { note: "Has no car.", was: { note: null } });
    await expectRefused(late, "changed_meanwhile");
    expect(late.body.detail).toBe("Somebody else has changed the note meanwhile.");
    const was = { alias_to: "Ada", last_name: null };
    const renamed = await edit(gm, { alias_to: "Adele", last_name: "Lace", was });
    expect(renamed.body).toMatchObject({ alias: "Adele", first_name: "Ada", note: "Has a car." });
    const again = await edit(other, { alias_to: "Adah", was: { alias_to: "Ada" } });
    expect(again.body.detail).toBe("Somebody else has changed the alias meanwhile.");
    expect((await edit(other, { is_moderator: true, was: { is_moderator: false } })).status).toBe(200);
    const roles = { is_admin: false, is_moderator: false };
    expect(outcomeOf(await edit(gm, { ...roles, was: roles }))).toEqual(CONFLICT);
  });

  it("corrects a checkpoint only where nobody else has", async () => {
    const { checkpoint_id } = await done(gm, "set_checkpoint", { name: "Bridge" });
    const correct = (as: TestPlayer, body: object) => admin(as, "set_checkpoint", { checkpoint_id, ...body });
    const closes_at = rfc3339(s.now + HOUR);
    await correct(other, { closes_at });
    const late = await correct(gm, { closes_at: rfc3339(s.now + DAY), was: { closes_at: null } });
    expect(outcomeOf(late)).toEqual(CONFLICT);
    const named = await correct(gm, { name: "Old bridge", was: { name: "Bridge" } });
    expect(named.body).toMatchObject({ name: "Old bridge", closes_at });
  });
});

describe("a button that means now", () => {
  const hidden = () => done(gm, "settings", { hide_originals: true });

  it("reveals the original zombies by the service's clock, also before the game starts", async () => {
    await hidden();
    const reveal = async () =>
      expect((await set({ reveal_originals_at: "now" })).body.reveal_originals_at).toBe(rfc3339(s.now));
    await reveal();
    s.now += 1;
    await set({ starts_at: rfc3339(s.now + DAY) });
    await reveal();
    // Later changes do not fail because of it.
    await done(gm, "settings", { sharers: 1 });
  });

  it("starts and ends the game, also one whose reveal was planned for later", async () => {
    await hidden();
    await set({ starts_at: rfc3339(s.now + DAY), reveal_originals_at: rfc3339(s.now + 2 * DAY) });
    const early = (await admin(gm, "settings", { ends_at: "now" })).body;
    expect(early.errors).toMatchObject([{ path: "ends_at", message: "The end must be after the start." }]);
    const started = { starts_at: rfc3339(s.now), phase: "running" };
    expect((await set({ starts_at: "now" })).body).toMatchObject(started);
    s.now += HOUR;
    const ended = { ends_at: rfc3339(s.now), reveal_originals_at: null, phase: "ended" };
    expect(await done(gm, "settings", { ends_at: "now" })).toMatchObject(ended);
  });
});
