/** Two game masters who change the same: the second one learns of it, and nothing of the first is lost. */
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { outcomeOf, shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment({ at: Date.parse("2026-11-23T09:00:00Z") });
const { read, admin, done } = shortRequests(s);

let gm: TestPlayer;
let other: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
  other = await s.admin("Grace", true);
});

const CONFLICT = [409, "changed_meanwhile"];
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
    const { body } = await admin(gm, "settings", {
      ...{ join_codes: [code("campus", 5), code("club")], rules: "Be kinder.", stun: "Ten minutes." },
      versions,
    });
    expect(body).toMatchObject({ name: "Spring", rules: "Be kinder.", stun: "Ten minutes." });
    expect(body.join_codes).toMatchObject([{ code: "campus", uses_left: 4 }, { code: "club" }]);
  });

  it.each([
    ["join codes", "join_codes", [[code("code-1")], [code("code-2")]]],
    ["play hours", "play_hours", [{ monday: [["08:00", "22:00"]] }, { friday: [["18:00", "24:00"]] }]],
    ["texts", "rules", ["Be kind.", "Be quiet."]],
    [
      "webhooks",
      "webhooks",
      ["one", "two"].map((name) => [
        { url: `https://discord.com/api/webhooks/${name}/secret`, format: "discord" },
      ]),
    ],
  ] as const)("lets one of two win who save %s at the same time", async (_, name, [one, two]) => {
    const { versions } = await read(gm, "/admin/settings");
    const known = { versions: { [name]: versions[name] } };
    const results = await Promise.all([
      admin(gm, "settings", { [name]: one, ...known }),
      admin(other, "settings", { [name]: two, ...known }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [winner] = results.filter(({ status }) => status === 200);
    const now = await read(gm, "/admin/settings");
    expect(now.versions[name]).toBe(winner?.body.versions[name]);
    expect(now.settings_version).toBe(1);
  });

  it("is compared before the rest of the request: a webhook that another has removed is no wrong id", async () => {
    const url = "https://discord.com/api/webhooks/1/secret";
    const { webhooks, versions } = await done(gm, "settings", { webhooks: [{ url, format: "discord" }] });
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
    expect([outcomeOf(late), late.body.detail]).toEqual([
      CONFLICT,
      "Somebody else has changed the note meanwhile.",
    ]);
    const renamed = await edit(gm, {
      alias_to: "Adele",
      last_name: "Lace",
      was: { alias_to: "Ada", last_name: null },
    });
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
    expect((await done(gm, "settings", { reveal_originals_at: "now" })).reveal_originals_at).toBe(
      rfc3339(s.now),
    );
    s.now += 1;
    await done(gm, "settings", { starts_at: rfc3339(s.now + DAY) });
    const { reveal_originals_at } = await done(gm, "settings", { reveal_originals_at: "now" });
    expect(reveal_originals_at).toBe(rfc3339(s.now));
    // Later changes do not fail because of it.
    await done(gm, "settings", { sharers: 1 });
  });

  it("starts and ends the game, also one whose reveal was planned for later", async () => {
    await hidden();
    await done(gm, "settings", {
      starts_at: rfc3339(s.now + DAY),
      reveal_originals_at: rfc3339(s.now + 2 * DAY),
    });
    const early = (await admin(gm, "settings", { ends_at: "now" })).body;
    expect(early.errors).toMatchObject([{ path: "ends_at", message: "The end must be after the start." }]);
    expect(await done(gm, "settings", { starts_at: "now" })).toMatchObject({
      starts_at: rfc3339(s.now),
      phase: "running",
    });
    s.now += HOUR;
    const ended = { ends_at: rfc3339(s.now), reveal_originals_at: null, phase: "ended" };
    expect(await done(gm, "settings", { ends_at: "now" })).toMatchObject(ended);
  });

  it("is the only word that is a time", async () => {
    const { errors } = (await admin(gm, "settings", { ends_at: "soon", starts_at: "1970-01-01T00:00:00Z" }))
      .body;
    expect(errors).toMatchObject([
      { path: "starts_at", message: "The start must be within ten years of now." },
      { path: "ends_at", message: expect.stringContaining("must be an RFC 3339 time with a zone") },
    ]);
  });
});
