/**
 * Hidden original zombies: the settings, the draw, the reveal, and what game masters and the original see. That nobody else
 * learns of them is proved by tests/battery/visibility.test.ts.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, expectRefused, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";

const START = Date.parse("2026-11-02T12:00:00Z");
const s = testEnvironment({ at: START });
const { read, admin, edit, register, shown, logsOf } = shortRequests(s);

let cast: Record<"gm" | "ova" | "hal" | "zoe", TestPlayer>;
const begin = playedOnce(s, async () => {
  const [gm, zoe, ova, hal] = await s.game("Zoe", "Ova", "Hal", "Ida");
  await edit(ova, { wants_original: true });
  return { gm, zoe, ova, hal };
});
beforeEach(async () => {
  cast = await begin();
});

const master = (word: string, body: object = {}) => admin(cast.gm, word, body);
const leader = async (as: TestPlayer) => (await read(as, "/interactions/leaderboard")).players[0];

it("hide_originals hides nobody who was known before, also when it is switched on again", async () => {
  const hide = (hide_originals: boolean) => master("settings", { hide_originals });
  await hide(true);
  expect((await shown(cast.hal, "Zoe")).state).toBe("zombie");
  await master("draw_originals", { n: 1 });
  expect((await shown(cast.hal, "Ova")).state).toBe("human");
  await hide(false);
  s.now += 1_000;
  await hide(true);
  expect((await shown(cast.zoe, "Ova")).state).toBe("zombie");
  await edit(cast.hal, { wants_original: true });
  await master("draw_originals", { n: 1 });
  expect((await shown(cast.zoe, "Hal")).state).toBe("human");
  await s.must("DELETE /delete_player/{url_id}", { as: cast.ova });
  await s.join("Ova");
  expect((await shown(cast.zoe, "Ova")).state).toBe("zombie");
});

it("the draw takes humans who volunteered at registration too, by a seed that nobody knows or chooses before, and logs", async () => {
  const few = (await master("draw_originals", { n: 3, dry_run: true })).body;
  expect(few.detail).toBe("1 human wants to be an original zombie, fewer than 3.");
  const eve = await register("Eve", { wants_original: true });
  expect(eve.body.wants_original).toBe(true);
  const ids = [cast.ova.id, eve.body.player_id];
  const dry = (await master("draw_originals", { n: 1, dry_run: true })).body;
  expect(dry).toEqual({ volunteers: 2, drawn: [], seed: null, dry_run: true });
  const chosen = await master("draw_originals", { n: 1, seed: "0".repeat(32) });
  expect(chosen).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  const { seed } = (await master("draw_originals", { n: 2, reason: "Opening" })).body;
  const [{ details }, , { details: tried }] = await logsOf(cast.gm, "draw_originals");
  expect(tried).toEqual({ n: 1, volunteers: 2, dry_run: true });
  const drawn = expect.toSatisfy((found: string[]) => found.toSorted().join() === ids.toSorted().join());
  expect(details).toEqual({ n: 2, volunteers: 2, seed, dry_run: false, reason: "Opening", drawn });
  for (let n = 0; n < 33; n += 1) await register(`V ${n}`, { wants_original: true });
  await master("settings", { hide_originals: true });
  expect((await master("draw_originals", { n: 33 })).body.detail).toContain("at most 32 while");
  expect((await admin(cast.gm, "draw_originals", { n: 32 }, "key")).body.drawn).toHaveLength(32);
});

describe("a hidden original zombie", () => {
  beforeEach(async () => {
    await master("settings", { hide_originals: true, reveal_originals_at: rfc3339(START + 10 * HOUR) });
    await master("draw_originals", { n: 1 });
  });

  it("is seen by game masters and themselves, and by everybody at once at the reveal", async () => {
    const { gm, ova, hal, zoe } = cast;
    expect(await s.see(ova)).toMatchObject({ state: "zombie", shown_as: "human", tag_code: null });
    const [listed] = (await read(gm, "/admin/get_players", { search: "Ova" })).players;
    expect(listed).toMatchObject({ state: "zombie", shown_as: "human", wants_original: true });
    const { body } = await s.hunt(ova, hal, { share_with: ["Zoe"], note: "at the pond" });
    expect(body.hunter.kills).toBe(1);
    const huntSeenBy = async (as: TestPlayer) =>
      (await read(as, "/interactions", { kind: "hunt" })).interactions[0];
    const details = { parent_infection_id: null, shared_with: ["Zoe"] };
    for (const as of [hal, zoe]) {
      expect(await huntSeenBy(as)).toMatchObject({ actor: null, hidden: true, target: "Hal", details });
      expect((await read(as, "/game")).counts).toMatchObject({ humans: 2, zombies: 2, total: 5 });
      const { users } = await read(as, "/users", { state: "zombie" });
      expect(aliasesIn(users).toSorted()).toEqual(["Hal", "Zoe"]);
      const { roots } = await read(as, "/interactions/tree");
      const unnamed = { infection_id: null, alias: null, state: null, infected_at: null, hidden: true };
      expect(roots[0]).toMatchObject({ ...unnamed, kills: 1, children: [{ alias: "Hal" }] });
    }
    expect(await s.see(hal)).toMatchObject({ infected_by: null, infected_by_hidden: true });
    const named = { actor: "Ova", target: "Hal" };
    for (const as of [gm, ova]) {
      expect(await huntSeenBy(as)).toMatchObject({ ...named, details: { note: "at the pond" } });
      expect(await leader(as)).toMatchObject({ alias: "Ova", kills: 1 });
      expect((await read(as, "/game")).counts).toMatchObject({ humans: 1, zombies: 3 });
    }
    s.now = START + 10 * HOUR;
    expect(await huntSeenBy(zoe)).toMatchObject(named);
    expect((await shown(zoe, "Ova")).state).toBe("zombie");
    expect(await leader(zoe)).toMatchObject({ alias: "Ova", kills: 1 });
    expect((await read(zoe, "/game")).counts).toMatchObject({ humans: 1, zombies: 3 });
    expect((await s.see(hal)).infected_by).toBe("Ova");
    const { roots } = await read(zoe, "/interactions/tree");
    expect(aliasesIn(roots).toSorted()).toEqual(["Ova", "Zoe"]);
    expect(await s.see(ova)).not.toHaveProperty("shown_as");
  });

  it("cannot be found out by sharing, by an old code, at a moderator's desk, or after a cure", async () => {
    const { ova, hal, zoe } = cast;
    const mia = await s.moderator("Mia");
    for (const refused of [
      await s.hunt(zoe, hal, { share_with: ["Ova"] }),
      await admin(mia, "feed_player", { alias: "Ova" }),
    ]) {
      await expectRefused(refused, "wrong_state");
      expect(refused.body.detail).toContain("Ova is a human");
    }
    await expectRefused(s.hunt(zoe, ova), "unknown_tag_code");
    await master("feed_player", { alias: "Ova" });
    const [listed] = (await read(mia, "/admin/get_players", { search: "Ova" })).players;
    const unfed = { starves_at: null, infected_at: null, last_fed_at: null };
    expect(listed).toMatchObject({ state: "human", kills: 0, ...unfed });
    for (const name of ["shown_as", "wants_original"]) expect(listed).not.toHaveProperty(name);
    await master("set_checkpoint", { name: "Bridge", applies_to: "humans" });
    expect((await admin(mia, "player_at_checkpoint", { tag_code: ova.code })).status).toBe(200);
    const foundByCode = async () =>
      aliasesIn((await read(mia, "/admin/find", { q: ova.code ?? "" })).players);
    expect(await foundByCode()).toEqual(["Ova"]);
    // The kills of the hidden life stay hidden.
    await s.hunt(ova, hal);
    await master("cure", { alias: "Ova" });
    expect(await shown(hal, "Ova")).toMatchObject({ state: "human", kills: 0 });
    await expectRefused(s.hunt(zoe, ova), "code_replaced");
    expect(await foundByCode()).toEqual([]);
    await s.hunt(zoe, (await s.see(ova)).tag_code);
    const { players } = await read(hal, "/interactions/leaderboard");
    expect(players[0]).toMatchObject({ alias: "Zoe", kills: 1 });
    const ofOva = expect.objectContaining({ alias: "Ova", kills: 0, state: "zombie", rank: 2 });
    expect(players).toContainEqual(ofOva);
  });

  it("cannot be found out by their code or by a dispute when a game master kills and revives them", async () => {
    const { ova, hal, zoe } = cast;
    for (const alias of ["Ova", "Hal"]) expect((await master("corpsify", { alias })).status).toBe(200);
    const refused = await s.hunt(zoe, hal);
    await expectRefused(refused, "wrong_state");
    expect((await s.hunt(zoe, ova)).body.detail).toBe(refused.body.detail);
    await master("revive_z", { alias: "Ova" });
    const { interactions } = await read(zoe, "/interactions", { limit: 1 });
    expect(interactions[0]).toMatchObject({ kind: "revive_human", target: "Ova" });
    const body = { interaction_id: interactions[0].interaction_id, reason: "No." };
    const disputed = await s.call("POST /interactions/dispute/{url_id}", { as: zoe, body });
    expect(disputed.body.detail).toContain("has the kind revive_human");
  });

  it("is spared at a checkpoint that they have passed as a human", async () => {
    await master("set_checkpoint", { name: "Bridge", applies_to: "humans" });
    await master("player_at_checkpoint", { tag_code: cast.ova.code });
    expect((await master("kill_all_not_at_checkpoint")).body).toMatchObject({ killed: 2, spared: 1 });
    expect((await s.see(cast.ova)).state).toBe("zombie");
  });
});
