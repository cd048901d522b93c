/** Zombies whom game masters and checkpoints make: whether others know of them, and how they get a hunter (decision 98). */
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { requireConsistency } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const PERIOD = 2 * DAY;
const s = testEnvironment({ at: START });
requireConsistency(s);
const { admin, done, edit, pushed, read, shown } = shortRequests(s);

let cast: Record<"gm" | "zed" | "ann" | "bob" | "cat", TestPlayer>;
const begin = playedOnce(s, () => s.game("Zed", "Ann", "Bob", "Cat"));
beforeEach(async () => {
  const [gm, zed, ann, bob, cat] = await begin();
  cast = { gm, zed, ann, bob, cat };
});

const seen = async (alias: string, as: TestPlayer = cast.cat): Promise<string> =>
  (await shown(as, alias)).state;
const newest = async (kind: string, as: TestPlayer = cast.gm): Promise<Result["body"]> =>
  (await read(as, "/interactions", { kind })).interactions[0];

describe("while original zombies are hidden", () => {
  beforeEach(() => done(cast.gm, "settings", { hide_originals: true }));

  it("a revived zombie is hidden unless the game master says otherwise, or others have known them as one", async () => {
    const { gm, zed, ann, bob } = cast;
    await s.hunt(zed, ann);
    for (const alias of ["Ann", "Bob", "Cat"]) await done(gm, "corpsify", { alias });
    await done(gm, "revive_z", { alias: "Ann" });
    await done(gm, "revive_z", { alias: "Bob" });
    await done(gm, "revive_z", { alias: "Cat", hidden: false });
    expect(await Promise.all(["Ann", "Bob", "Cat"].map((alias) => seen(alias, zed)))).toEqual([
      "zombie",
      "human",
      "zombie",
    ]);
    expect((await newest("revive_zombie", zed)).target).toBe("Cat");
    expect(await s.see(bob)).toMatchObject({ state: "zombie", shown_as: "human" });
  });

  it("a cure, a death and a void leave somebody known as a zombie, and what was hidden before stays hidden", async () => {
    const { gm, zed, ann, bob, cat } = cast;
    await done(gm, "corpsify", { alias: "Ann" });
    await done(gm, "revive_z", { alias: "Ann" });
    await s.hunt(ann, bob);
    await done(gm, "cure", { alias: "Ann" });
    s.now += HOUR;
    await s.hunt(zed, (await s.see(ann)).tag_code);
    const { interaction_id } = await newest("hunt");
    await done(gm, "void_hunt", { interaction_id, reason: "a mistake" });
    await done(gm, "corpsify", { alias: "Ann" });
    await done(gm, "revive_z", { alias: "Ann", hidden: true });
    expect(await seen("Ann")).toBe("zombie");
    expect([(await shown(cat, "Ann")).kills, (await shown(gm, "Ann")).kills]).toEqual([0, 1]);
  });

  it("a group is revived hidden or not, and draws stay hidden", async () => {
    const { gm, zed, ann } = cast;
    for (const alias of ["Bob", "Cat"]) await done(gm, "corpsify", { alias });
    const revive = { as: "zombie", aliases: ["Bob"] };
    await done(gm, "revive_all", revive);
    await done(gm, "revive_all", { ...revive, aliases: ["Cat"], hidden: false });
    expect([await seen("Bob", zed), await seen("Cat", zed)]).toEqual(["human", "zombie"]);
    const asHumans = await admin(gm, "revive_all", { state: "corpse", hidden: false });
    expect(asHumans.body.errors[0].path).toBe("hidden");
    await s.hunt(zed, ann);
    await done(gm, "cure", { alias: "Ann" });
    await edit(ann, { wants_original: true });
    await done(gm, "draw_originals", { n: 1 });
    expect([await seen("Ann", zed), (await s.see(ann)).state]).toEqual(["human", "zombie"]);
  });

  it("neither the code of a hidden original nor their infection says that they are a zombie", async () => {
    const { gm, zed, ann } = cast;
    const code = ann.code ?? "";
    await done(gm, "corpsify", { alias: "Ann" });
    await done(gm, "revive_z", { alias: "Ann" });
    const refused = await s.hunt(zed, code);
    expect(refused.body.detail).toBe("This tag code has been used: its player was tagged before.");
    const { interaction_id } = await newest("revive_zombie");
    const named = await admin(gm, "name_hunter", { interaction_id, alias: "Zed" });
    await expectRefused(named, "wrong_state");
    expect(named.body.detail).toContain("name the hunter after the reveal.");
    await done(gm, "settings", { hide_originals: false });
    expect((await s.hunt(zed, code)).body.detail).toContain("was made a zombie by a game master at ");
    await done(gm, "name_hunter", { interaction_id, alias: "Zed" });
    expect((await s.see(zed)).kills).toBe(1);
  });
});

it("a hunter who turns up late is told who made the zombie and when, and is named as the hunter with kill and meal", async () => {
  const { gm, zed, ann, bob } = cast;
  const code = ann.code ?? "";
  await done(gm, "corpsify", { alias: "Ann" });
  s.now += HOUR;
  const made = (await done(gm, "revive_z", { alias: "Ann", reason: "They told me." })).interaction;
  await s.hunt(ann, bob);
  s.now += HOUR;
  const refused = await s.hunt(zed, code);
  await expectRefused(refused, "already_tagged");
  expect(refused.body.detail).toContain(`was made a zombie by a game master at ${made.at}. If you tagged`);
  const { interaction_id } = made;
  const hunted_at = rfc3339(START + HOUR / 2);
  // Who followed from the infection did not cause it.
  const cycle = await admin(gm, "name_hunter", { interaction_id, alias: "Bob", hunted_at: rfc3339(s.now) });
  await expectRefused(cycle, "too_early");
  const named = await done(gm, "name_hunter", { interaction_id, alias: "Zed", hunted_at });
  expect(named.player).toMatchObject({ kills: 1, starves_at: rfc3339(START + HOUR / 2 + PERIOD) });
  expect(named.interaction).toMatchObject({ interaction_id, kind: "hunt", actor: "Zed", target: "Ann" });
  expect(named.interaction.details).toMatchObject({ entered_by_game_master: true, hunted_at });
  expect((await s.see(ann)).infected_by).toBe("Zed");
  const { roots } = await read(gm, "/interactions/tree");
  expect(roots).toMatchObject([{ alias: "Zed", children: [{ alias: "Ann", children: [{ alias: "Bob" }] }] }]);
  expect(await pushed()).toContain(`tagged ${ann.id}`);
  const again = await admin(gm, "name_hunter", { interaction_id, alias: "Zed" });
  await expectRefused(again, "wrong_state");
  await done(gm, "void_hunt", { interaction_id, reason: "It was not Zed." });
  expect([(await s.see(zed)).kills, (await s.see(ann)).state]).toEqual([0, "human"]);
});

it("without a time, the tag of a made zombie counts from when they were made; drawn originals get no hunter", async () => {
  const { gm, zed, bob } = cast;
  s.now += HOUR;
  await done(gm, "corpsify", { alias: "Ann" });
  const { interaction_id, at } = (await done(gm, "revive_z", { alias: "Ann" })).interaction;
  s.now += HOUR;
  await done(gm, "name_hunter", { interaction_id, alias: "Zed" });
  expect((await s.see(zed)).starves_at).toBe(rfc3339(Date.parse(at) + PERIOD));
  await edit(bob, { wants_original: true });
  await done(gm, "draw_originals", { n: 1 });
  const drawn = await newest("revive_zombie");
  expect(drawn.details.drawn).toBe(true);
  const refused = await admin(gm, "name_hunter", { interaction_id: drawn.interaction_id, alias: "Ann" });
  expect(refused.body.detail).toBe("A drawn original zombie has no hunter.");
});

it("a zombie whom a checkpoint made keeps the hunter when the checkpoint is undone", async () => {
  const { gm, zed, ann, bob } = cast;
  await done(gm, "settings", { checkpoint_outcome: "zombie" });
  const { checkpoint_id } = await done(gm, "set_checkpoint", { name: "Bridge", applies_to: "humans" });
  s.now += HOUR;
  await done(gm, "kill_all_not_at_checkpoint");
  expect((await s.hunt(zed, ann)).body.detail).toContain("was made a zombie by a game master at ");
  const { interactions } = await read(gm, "/interactions", { target: "Ann", kind: "revive_zombie" });
  const { interaction_id } = interactions[0];
  const { interaction } = await done(gm, "name_hunter", { interaction_id, alias: "Zed" });
  expect(interaction.details.checkpoint_id).toBeUndefined();
  await done(gm, "undo_checkpoint", { checkpoint_id, reason: "a mistake" });
  expect([(await s.see(ann)).state, (await s.see(bob)).state]).toEqual(["zombie", "human"]);
});
