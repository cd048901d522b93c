/**
 * Hidden original zombies: the settings, the draw, the reveal, and what game masters and the original see. That nobody else
 * learns of them is proved by tests/battery/visibility.test.ts.
 */
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../support/service.ts";

const START = Date.parse("2026-11-02T12:00:00Z");
let now = START;
const s = testEnvironment({ services: () => ({ clock: () => now }) });

type Cast = Record<"gm" | "ova" | "hal" | "ida" | "zoe", Someone>;
let cast: Cast;

const post = (path: string, as: Someone, body: RequestOptions["body"] = {}): Promise<Result> =>
  s.call(`POST ${path}/{url_id}`, { as, body });
const master = (word: string, body: RequestOptions["body"] = {}) => post(`/admin/${word}`, cast.gm, body);
const read = async (
  path: string,
  as: Someone,
  query: RequestOptions["query"] = {},
): Promise<Result["body"]> => (await s.must(`GET ${path}/{url_id}`, { as, query })).body;
const stateOf = async (alias: string, as: Someone): Promise<string> =>
  (await post("/get_player", as, { alias })).body.state;
const issues = ({ body }: Result) =>
  body.errors.map(({ path, message }: Record<string, string>) => [path, message]);
/** Everybody wants to be an original zombie, and originals are hidden. */
const volunteer = async (...players: Someone[]): Promise<void> => {
  for (const as of players) await post("/edit_player", as, { wants_original: true });
};

beforeEach(async () => {
  now = START;
  const [gm, zoe, ova, hal, ida] = await s.game("Zoe", "Ova", "Hal", "Ida");
  cast = { gm, zoe, ova, hal, ida };
});

describe("the settings", () => {
  it("name what contradicts itself", async () => {
    await master("settings", { starts_at: rfc3339(START + HOUR), ends_at: rfc3339(START + DAY) });
    const reveal = (at: number, hide_originals = true) =>
      master("settings", { hide_originals, reveal_originals_at: rfc3339(at) });
    const wrong: [Result, string][] = [
      [await reveal(START + 2 * DAY), "reveal_originals_at must not be after ends_at."],
      [await reveal(START + 1), "reveal_originals_at must not be before starts_at."],
      [
        await reveal(START + HOUR, false),
        "reveal_originals_at needs hide_originals: original zombies are not hidden.",
      ],
    ];
    for (const [result, message] of wrong) {
      expect(result.status).toBe(400);
      expect(result.body.detail.toLowerCase()).toContain(message.split(" ").slice(1).join(" ").toLowerCase());
      expect(issues(result)[0][0]).toBe("reveal_originals_at");
    }
    expect((await reveal(START + DAY)).body).toMatchObject({
      hide_originals: true,
      reveal_originals_at: rfc3339(START + DAY),
    });
    expect((await master("settings", { ends_at: rfc3339(START + 2 * HOUR) })).status).toBe(400);
    // To reveal them is to switch the setting off, which needs no second field.
    expect((await master("settings", { hide_originals: false })).body).toMatchObject({
      hide_originals: false,
      reveal_originals_at: null,
    });
  });

  it("hide nobody who was known before, also when they are switched on again", async () => {
    const { zoe, hal, ova } = cast;
    await volunteer(ova);
    await master("settings", { hide_originals: true });
    expect(await stateOf("Zoe", hal)).toBe("zombie");
    await master("draw_originals", { n: 1 });
    expect(await stateOf("Ova", hal)).toBe("human");
    expect((await read("/users", hal, { state: "zombie" })).users).toMatchObject([{ alias: "Zoe" }]);
    await master("settings", { hide_originals: false });
    expect(await stateOf("Ova", zoe)).toBe("zombie");
    now += 1_000;
    await master("settings", { hide_originals: true });
    expect(await stateOf("Ova", zoe)).toBe("zombie");
  });
});

describe("the draw", () => {
  it("takes the volunteers with the lowest lots, as its seed and the log show", async () => {
    const { ova, hal, ida, gm } = cast;
    const few = await master("draw_originals", { n: 2, dry_run: true });
    expect(few).toMatchObject({ status: 409, body: { code: "too_few_volunteers" } });
    expect(few.body.detail).toBe("0 humans want to be an original zombie, fewer than 2.");
    const eve = await s.must("POST /new", {
      body: { alias: "Eve", password: "correct horse", wants_original: true },
    });
    expect(eve.body.wants_original).toBe(true);
    await volunteer(ova, hal, ida);
    // Neither a zombie nor somebody who has changed their mind is drawn.
    await volunteer(cast.zoe);
    await post("/edit_player", hal, { wants_original: false });

    const preview = (await master("draw_originals", { n: 2, dry_run: true })).body;
    expect(preview).toMatchObject({ volunteers: 3, dry_run: true });
    expect((await read("/game", gm)).counts.zombies).toBe(1);
    const { seed } = preview;
    const lots = [ova.id, ida.id, eve.body.player_id].map((id) => ({
      id,
      lot: createHash("sha256").update(`${seed} ${id}`).digest("hex"),
    }));
    const expected = lots
      .toSorted((one, other) => (one.lot < other.lot ? -1 : 1))
      .map(({ id }) => id)
      .slice(0, 2);
    const drawn = (await master("draw_originals", { n: 2, seed, reason: "the opening" })).body;
    expect(drawn).toEqual({ ...preview, dry_run: false });
    expect((await read("/game", gm)).counts).toMatchObject({ zombies: 3, humans: 2 });
    const [entry] = (await read("/admin/get_logs", gm, { action: "draw_originals" })).logs;
    expect(entry.details).toEqual({
      ...{ n: 2, volunteers: 3, seed, dry_run: false, drawn: expected },
      reason: "the opening",
    });

    // They begin with a full feeding period, by an interaction like that of a revival.
    const id = expected[0] ?? "";
    const player = await s.store.player(id);
    expect(player).toMatchObject({ state: "zombie", deadline: START + 48 * HOUR, infected_by: null });
    const { interactions } = await read("/interactions", gm, { kind: "revive_zombie", limit: 2 });
    expect(interactions[0]).toMatchObject({
      actor: gm.alias,
      details: { drawn: true, parent_infection_id: null, reason: "the opening" },
    });
  });
});

describe("a hidden original zombie", () => {
  beforeEach(async () => {
    await volunteer(cast.ova);
    await master("settings", { hide_originals: true, reveal_originals_at: rfc3339(START + 10 * HOUR) });
    await master("draw_originals", { n: 1 });
  });

  it("is seen by game masters and themselves, and by everybody at once at the reveal", async () => {
    const { gm, ova, hal, ida, zoe } = cast;
    const own = await read("/player", ova);
    expect(own).toMatchObject({ state: "zombie", shown_as: "human", tag_code: null });
    const [listed] = (await read("/admin/get_players", gm, { search: "Ova" })).players;
    expect(listed).toMatchObject({ state: "zombie", shown_as: "human", wants_original: true });
    const { body: hunt } = await s.hunt(ova, hal, { share_with: ["Zoe"], note: "at the pond" });
    expect(hunt.hunter.kills).toBe(1);
    const id = hunt.interaction.interaction_id;

    const hidden = { actor: null, actor_ref: null, hidden: true, target: "Hal" };
    const shown = { actor: "Ova", target: "Hal" };
    const huntSeenBy = async (as: Someone) =>
      (await read("/interactions", as, { kind: "hunt" })).interactions.find(
        ({ interaction_id }: { interaction_id: string }) => interaction_id === id,
      );
    const own_infection = (await s.store.player(ova.id))?.infection_id;
    for (const as of [hal, ida, zoe]) {
      const seen = await huntSeenBy(as);
      expect(seen).toMatchObject({ ...hidden, details: { parent_infection_id: null, shared_with: ["Zoe"] } });
      expect(await stateOf("Ova", as)).toBe("human");
      expect(
        (await read("/interactions/leaderboard", as)).players.map(({ alias }: Someone) => alias),
      ).not.toContain("Ova");
      expect((await read("/zombie/starvation", as)).zombies).toHaveLength(2);
      expect((await read("/game", as)).counts).toMatchObject({ humans: 2, zombies: 2, total: 5 });
      expect((await read("/interactions", as, { kind: "revive_zombie" })).interactions).toHaveLength(1);
      const { roots } = await read("/interactions/tree", as);
      const unnamed = {
        infection_id: null,
        alias: null,
        state: null,
        infected_at: null,
        hidden: true,
        kills: 1,
      };
      expect(roots[0]).toMatchObject({ ...unnamed, children: [{ alias: "Hal" }] });
      const query = { root: own_infection ?? "" };
      expect((await s.call("GET /interactions/tree/{url_id}", { as, query })).status).toBe(404);
    }
    expect(await read("/player", hal)).toMatchObject({ infected_by: null, infected_by_hidden: true });
    for (const as of [gm, ova]) {
      expect(await huntSeenBy(as)).toMatchObject({ ...shown, details: { note: "at the pond" } });
      expect(await huntSeenBy(as)).not.toHaveProperty("hidden");
      expect((await read("/interactions/leaderboard", as)).players[0]).toMatchObject({
        alias: "Ova",
        kills: 1,
      });
      expect((await read("/game", as)).counts).toMatchObject({ humans: 1, zombies: 3 });
    }

    const before = await s.call("GET /interactions/{url_id}", { as: ida });
    now = START + 10 * HOUR;
    const after = await s.call("GET /interactions/{url_id}", { as: ida });
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(await huntSeenBy(ida)).toMatchObject(shown);
    expect(await stateOf("Ova", ida)).toBe("zombie");
    expect((await read("/interactions/leaderboard", ida)).players[0]).toMatchObject({
      alias: "Ova",
      kills: 1,
    });
    expect((await read("/zombie/starvation", ida)).zombies).toHaveLength(3);
    expect((await read("/game", ida)).counts).toMatchObject({ humans: 1, zombies: 3 });
    expect((await read("/player", hal)).infected_by).toBe("Ova");
    const { roots } = await read("/interactions/tree", ida);
    expect(roots.map(({ alias }: Someone) => alias).toSorted()).toEqual(["Ova", "Zoe"]);
    expect(await read("/player", ova)).not.toHaveProperty("shown_as");
  });

  it("cannot be found out by sharing, by an old code, or at a moderator's desk", async () => {
    const { ova, hal, zoe } = cast;
    const mia = await s.moderator("Mia");
    const refused = await s.hunt(zoe, hal, { share_with: ["Ova"] });
    expect(refused).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    expect(refused.body.detail).toContain("Ova is a human");
    expect(await s.hunt(zoe, ova)).toMatchObject({ status: 404, body: { code: "unknown_tag_code" } });
    const fed = await post("/admin/feed_player", mia, { alias: "Ova" });
    expect(fed).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    expect(fed.body.detail).toContain("Ova is a human");
    const [listed] = (await read("/admin/get_players", mia, { search: "Ova" })).players;
    expect(listed).toMatchObject({ state: "human", starves_at: null, infected_at: null, kills: 0 });
    for (const name of ["shown_as", "wants_original"]) expect(listed).not.toHaveProperty(name);
    await master("set_checkpoint", { name: "Bridge", applies_to: "humans" });
    expect((await post("/admin/player_at_checkpoint", mia, { tag_code: ova.code })).status).toBe(200);
    // Whoever has passed is spared; the zombie is not concerned.
    expect((await master("kill_all_not_at_checkpoint")).body).toMatchObject({ killed: 3, spared: 1 });
    expect(await read("/player", ova)).toMatchObject({ state: "zombie" });
  });

  it("stays a human to others when they starve, are fed or cured, and dies to them when killed", async () => {
    const { ova, hal, zoe, ida } = cast;
    const seen = async () => (await read("/interactions", hal)).interactions.length;
    const first = await seen();
    await master("feed_player", { alias: "Ova" });
    await s.hunt(ova, ida);
    now += HOUR;
    await master("cure", { alias: "Ova" });
    expect(await seen()).toBe(first + 1);
    // The kill of the hidden life stays hidden.
    expect((await post("/get_player", hal, { alias: "Ova" })).body).toMatchObject({
      state: "human",
      kills: 0,
    });
    const { code } = { code: (await read("/player", ova)).tag_code };
    expect((await s.hunt(zoe, code)).status).toBe(200);
    const { players } = await read("/interactions/leaderboard", hal);
    expect(players[0]).toMatchObject({ alias: "Zoe", kills: 1 });
    const ofOva = expect.objectContaining({ alias: "Ova", kills: 0, state: "zombie", rank: 2 });
    expect(players).toContainEqual(ofOva);
    await master("corpsify", { alias: "Ova" });
    const death = await seen();
    await master("revive_z", { alias: "Ova" });
    const [revival] = (await read("/interactions", hal, { limit: 1 })).interactions;
    expect(revival).toMatchObject({ kind: "revive_human", target: "Ova" });
    expect(revival.details).toEqual({});
    await s.pass(49 * HOUR);
    await s.sweep();
    expect(await read("/player", ova)).toMatchObject({ state: "corpse", shown_as: "human" });
    expect(await stateOf("Ova", hal)).toBe("human");
    // Both other zombies have starved.
    expect(await seen()).toBe(death + 3);
    await master("revive_z", { alias: "Ova" });
    await master("corpsify", { alias: "Ova" });
    expect(await stateOf("Ova", hal)).toBe("corpse");
  });

  it("gets the messages for humans and for zombies", async () => {
    for (const audience of ["humans", "zombies", "corpses"]) {
      const body = { title: audience, content: "Come.", player_groups: "All", audience };
      await post("/notifications/send", cast.gm, body);
    }
    const titles = async (as: Someone) =>
      (await read("/notifications/inbox", as)).notifications.map(({ title }: { title: string }) => title);
    expect(await titles(cast.ova)).toEqual(["zombies", "humans", "You are an original zombie"]);
    expect(await titles(cast.hal)).toEqual(["humans"]);
  });
});
