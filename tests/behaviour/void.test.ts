/** Voiding a hunt through the API; its rules are in `tests/unit/void.test.ts`. */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { recount } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const takeBack = (gm: Someone, interaction_id: string, more: Record<string, unknown> = {}): Promise<Result> =>
  s.call("POST /admin/void_hunt/{url_id}", {
    as: gm,
    body: { interaction_id, reason: "He was not near her.", ...more },
  });

const cast = async (...names: string[]): Promise<Someone[]> => {
  const players: Someone[] = [];
  for (const name of names) players.push(await s.join(name));
  return players;
};

/** A game master, an original zombie, and humans. */
const outbreak = async (...names: string[]) => {
  const gm = await s.admin();
  const [zed, ...humans] = await cast("Zed", ...names);
  if (zed === undefined) throw new Error("nobody came");
  await s.outbreak(gm, zed);
  return { gm, zed, humans };
};

const tag = async (
  hunter: Someone,
  prey: Someone | string,
  more: Record<string, unknown> = {},
): Promise<string> => {
  const { status, text, body } = await s.hunt(hunter, prey, more);
  if (status !== 200) throw new Error(text);
  return body.interaction.interaction_id;
};

const recordOf = async (as: Someone, kind: string): Promise<Result["body"][]> =>
  (await s.call("GET /interactions/{url_id}", { as, query: { kind } })).body.interactions;

const expectNoDrift = async (gm: Someone): Promise<void> => {
  const { body } = await s.call("GET /admin/player_count/{url_id}", { as: gm });
  expect(body).toEqual(await recount(s.store, Date.now()));
};

const minutesBetween = (one: string, other: string): number =>
  Math.abs(Date.parse(one) - Date.parse(other)) / 60_000;

describe("a hunt that is voided", () => {
  it("makes the prey human, takes back the kill and the feedings, and leaves those whom the prey infected", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob", "Cid");
    const [ann, bob, cid] = humans as [Someone, Someone, Someone];
    await tag(zed, bob);
    await s.pass(20 * HOUR);
    const before = { zed: await s.see(zed), bob: await s.see(bob) };
    const id = await tag(zed, ann, { share_with: ["Bob"], note: "by the gate" });
    await tag(ann, cid);

    const trial = await takeBack(gm, id, { dry_run: true });
    expect(trial).toMatchObject({ status: 200, body: { dry_run: true, interaction: null } });
    expect((await s.see(ann)).state).toBe("zombie");
    expect((await s.see(zed)).kills).toBe(2);
    expect(await recordOf(gm, "void")).toEqual([]);

    const { status, body } = await takeBack(gm, id);
    expect(status).toBe(200);
    expect(body.effects).toEqual(trial.body.effects);
    expect(body.effects).toEqual([
      { alias: "Ann", effect: "human_again", state: "human" },
      { alias: "Zed", effect: "kill_taken_back", state: "zombie", kills: 1 },
      { alias: "Zed", effect: "meal_taken_back", state: "zombie", starves_at: expect.any(String) },
      { alias: "Bob", effect: "meal_taken_back", state: "zombie", starves_at: expect.any(String) },
      { alias: "Cid", effect: "stays_zombie", state: "zombie" },
    ]);
    expect(body.interaction).toMatchObject({
      kind: "void",
      actor: "Game Master",
      target: "Ann",
      details: { voided_interaction_id: id, reason: "He was not near her." },
    });

    const seen = await s.see(ann);
    expect(seen).toMatchObject({ state: "human", kills: 1, infected_by: null, starves_at: null });
    expect(seen.tag_code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
    expect(seen.tag_code).not.toBe(ann.code);
    for (const [who, was] of [
      [zed, before.zed],
      [bob, before.bob],
    ] as const) {
      const now = await s.see(who);
      expect(now).toMatchObject({ state: "zombie", kills: was.kills, last_fed_at: was.last_fed_at });
      expect(minutesBetween(now.starves_at, was.starves_at)).toBeLessThan(1);
    }
    expect(await s.see(cid)).toMatchObject({ state: "zombie", infected_by: "Ann" });

    // She has a new code, and can be tagged again.
    expect((await s.hunt(zed, ann)).body.code).toBe("already_tagged");
    await tag(zed, seen.tag_code);
    expect((await s.see(zed)).kills).toBe(2);
    await expectNoDrift(gm);
  });
});

describe("twenty concurrent voids of one hunt", () => {
  it("void it once: one 200, nineteen 409, one interaction, one kill less", async () => {
    const { gm, zed, humans } = await outbreak("Ann", "Bob");
    const [ann, bob] = humans as [Someone, Someone];
    await tag(zed, bob);
    const id = await tag(zed, ann);
    const results = await Promise.all(Array.from({ length: 20 }, () => takeBack(gm, id)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    const rejected = results.filter(({ status }) => status === 409);
    expect(new Set(rejected.map(({ body }) => body.code))).toEqual(new Set(["wrong_state"]));
    expect(rejected).toHaveLength(19);
    expect(await recordOf(gm, "void")).toHaveLength(1);
    expect((await s.see(zed)).kills).toBe(1);
    expect((await s.see(ann)).state).toBe("human");
    await expectNoDrift(gm);
  });
});
