/** Voiding a hunt concurrently; its rules are in `tests/unit/void.test.ts`, and random voids in `tests/battery/model`. */
import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { drift } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const takeBack = (gm: Someone, interaction_id: string, more: Record<string, unknown> = {}): Promise<Result> =>
  s.call("POST /admin/void_hunt/{url_id}", {
    as: gm,
    body: { interaction_id, reason: "He was not near her.", ...more },
  });

const recordOf = async (as: Someone, kind: string): Promise<Result["body"][]> =>
  (await s.call("GET /interactions/{url_id}", { as, query: { kind } })).body.interactions;

it("twenty concurrent voids of one hunt take it back once, with the kill, the feedings and the infection", async () => {
  const [gm, zed, ann, bob, cid] = await s.game("Zed", "Ann", "Bob", "Cid");
  await s.hunt(zed, bob);
  await s.pass(20 * HOUR);
  const before = { zed: await s.see(zed), bob: await s.see(bob) };
  const hunt = await s.hunt(zed, ann, { share_with: ["Bob"], note: "by the gate" });
  const id = hunt.body.interaction.interaction_id;
  expect((await s.hunt(ann, cid)).status).toBe(200);
  const trial = await takeBack(gm, id, { dry_run: true });
  expect((await s.see(ann)).state).toBe("zombie");

  const results = await Promise.all(Array.from({ length: 20 }, () => takeBack(gm, id)));
  const done = results.filter(({ status }) => status === 200);
  expect(done).toHaveLength(1);
  expect(done[0]?.body.effects).toEqual(trial.body.effects);
  expect(trial.body.effects).toEqual([
    { alias: "Ann", effect: "human_again", state: "human" },
    { alias: "Zed", effect: "kill_taken_back", state: "zombie", kills: 1 },
    { alias: "Zed", effect: "meal_taken_back", state: "zombie", starves_at: expect.any(String) },
    { alias: "Bob", effect: "meal_taken_back", state: "zombie", starves_at: expect.any(String) },
    { alias: "Cid", effect: "stays_zombie", state: "zombie" },
  ]);
  for (const { status, body } of results) {
    if (status !== 200) expect([status, body.code]).toEqual([409, "wrong_state"]);
  }
  expect(await recordOf(gm, "void")).toHaveLength(1);
  for (const [who, was] of [
    [zed, before.zed],
    [bob, before.bob],
  ] as const) {
    const { kills, last_fed_at, starves_at } = await s.see(who);
    expect({ kills, last_fed_at }).toEqual({ kills: was.kills, last_fed_at: was.last_fed_at });
    expect(Math.abs(Date.parse(starves_at) - Date.parse(was.starves_at))).toBeLessThan(MINUTE);
  }
  expect(await s.see(cid)).toMatchObject({ state: "zombie", infected_by: "Ann" });
  // She has a new code, and can be tagged again.
  const { state, tag_code } = await s.see(ann);
  expect(state).toBe("human");
  expect((await s.hunt(zed, ann)).body.code).toBe("already_tagged");
  expect((await s.hunt(zed, tag_code)).status).toBe(200);
  expect(await drift(s)).toEqual([]);
});
