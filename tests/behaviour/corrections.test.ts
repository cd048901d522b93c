/** What game masters correct without SQL: names, tag codes, lock-outs, and tags that nobody could report. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { drift } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { snapshot } from "../support/snapshot.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
let now = START;
const s = testEnvironment({ services: () => ({ clock: () => now }) });

interface People {
  gm: Someone;
  zed: Someone;
  ann: Someone;
  bob: Someone;
}
let on: People;
beforeEach(async () => {
  now = START;
  const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
  on = { gm, zed, ann, bob };
  now += HOUR;
});

const admin = (word: string, body: Record<string, unknown>, key?: string): Promise<Result> =>
  s.call(`POST /admin/${word}/{url_id}`, { as: on.gm, body, key });
const enter = (body: Record<string, unknown>) => admin("hunt", body);
const ago = (milliseconds: number): string => rfc3339(now - milliseconds);
const logOf = async (action: string): Promise<Result["body"]> =>
  (await s.must("GET /admin/get_logs/{url_id}", { as: on.gm, query: { action } })).body.logs[0];

describe("names and address", () => {
  it("are changed by a game master, with both values in the log as long as the account exists", async () => {
    const names = { first_name: "Anna", last_name: "Lovelace", email: "ann@example.org" };
    const edited = await admin("edit_player", { alias: "ann", ...names, reason: "She asked." });
    expect(edited).toMatchObject({ status: 200, body: { alias: "Ann", ...names } });
    await admin("edit_player", { alias: "ann", first_name: "Ann", last_name: null });
    expect(await s.see(on.ann)).toMatchObject({ first_name: "Ann", last_name: null, email: names.email });
    expect((await logOf("edit_player")).details).toEqual({
      ...{ alias_changed: false, right_changed: false, picture_cleared: false },
      ...{ changed: ["first_name", "last_name"], first_name_before: "Anna", first_name_after: "Ann" },
      ...{ last_name_before: "Lovelace", last_name_after: null },
    });
    await s.must("DELETE /delete_player/{url_id}", { as: on.ann });
    expect((await logOf("edit_player")).details).toMatchObject({ changed: ["first_name", "last_name"] });
    expect(JSON.stringify([...(await snapshot(s)).values()])).not.toMatch(/Lovelace|ann@example/);
    expect(await drift(s)).toEqual([]);
  });
});

describe("a new tag code", () => {
  it("replaces a leaked one, which is refused from then on, also at a checkpoint", async () => {
    const given = await admin("new_tag_code", { alias: "Ann", reason: "It was on a photo." }, "once");
    const code = given.body.tag_code;
    expect(code).not.toBe(on.ann.code);
    expect(
      (await admin("new_tag_code", { alias: "Ann", reason: "It was on a photo." }, "once")).body,
    ).toEqual(given.body);
    expect((await s.see(on.ann)).tag_code).toBe(code);
    expect(await s.hunt(on.zed, on.ann)).toMatchObject({ status: 409, body: { code: "code_replaced" } });
    await admin("set_checkpoint", { name: "Bridge" });
    const pass = (tag_code: unknown) => admin("player_at_checkpoint", { tag_code });
    expect((await pass(on.ann.code)).body.code).toBe("code_replaced");
    expect((await pass(code)).status).toBe(200);
    // The life is the same: a tag of before counts with the new code.
    expect((await s.hunt(on.zed, code, { hunted_at: ago(30 * MINUTE) })).status).toBe(200);
    expect((await s.hunt(on.zed, on.ann)).body.code).toBe("code_replaced");
    expect((await admin("new_tag_code", { alias: "Ann" })).body.code).toBe("wrong_state");
    expect(await drift(s)).toEqual([]);
  });
});

it("a lock-out of mistyped codes is lifted", async () => {
  for (let n = 0; n < 10; n += 1) await s.hunt(on.zed, "ZZZZZZZZ");
  expect((await s.hunt(on.zed, on.ann)).status).toBe(429);
  for (let n = 0; n < 2; n += 1) {
    expect((await admin("lift_lockout", { alias: "Zed", reason: "Bad light." })).status).toBe(200);
  }
  expect((await s.hunt(on.zed, on.ann)).status).toBe(200);
});

describe("a tag that a game master enters", () => {
  it("is a hunt of its hunter, in the open record as entered by a game master", async () => {
    const { body: bitten } = await s.hunt(on.zed, on.bob);
    for (let n = 0; n < 10; n += 1) await s.hunt(on.zed, "ZZZZZZZZ");
    const body = { hunter: "zed", prey: on.ann.id, hunted_at: ago(10 * MINUTE), share_with: ["Bob"] };
    const done = await enter({ ...body, reason: "No phone." });
    expect(done).toMatchObject({
      status: 200,
      body: {
        player: { alias: "Zed", kills: 2 },
        interaction: {
          ...{ kind: "hunt", actor: "Zed", target: "Ann", at: ago(10 * MINUTE) },
          details: { shared_with: ["Bob"], entered_by_game_master: true, reason: "No phone." },
        },
      },
    });
    expect(await s.see(on.ann)).toMatchObject({ state: "zombie", infected_by: "Zed", tag_code: null });
    expect((await s.see(on.bob)).last_fed_at).toBe(ago(10 * MINUTE));
    const newest = async (as: Someone) =>
      (await s.must("GET /interactions/{url_id}", { as, query: { limit: 1 } })).body.interactions[0].details;
    // Its hunter and its prey are told why, and nobody else.
    for (const as of [on.zed, on.ann]) expect((await newest(as)).reason).toBe("No phone.");
    const others = await newest(on.bob);
    expect(others).toMatchObject({ entered_by_game_master: true });
    expect(others.reason).toBeUndefined();
    expect(bitten.interaction.details.entered_by_game_master).toBeUndefined();
    const { interaction_id } = done.body.interaction;
    expect(await logOf("hunt")).toMatchObject({
      ...{ actor: on.gm.alias, target: "Zed", details: { interaction_id, reason: "No phone." } },
    });
    expect((await admin("void_hunt", { interaction_id, reason: "No." })).body.effects).toHaveLength(4);
    expect(await drift(s)).toEqual([]);
  });

  it("completes the prey's own report, also after the report window", async () => {
    const reported = await s.must("POST /player/report_tagged/{url_id}", { as: on.ann });
    now += 7 * HOUR;
    const done = await enter({ hunter: "Zed", prey: "Ann" });
    expect(done.body.interaction).toMatchObject({
      interaction_id: reported.body.interaction.interaction_id,
      actor: "Zed",
      at: ago(7 * HOUR),
    });
    expect((await enter({ hunter: "Zed", prey: "Ann" })).body.code).toBe("wrong_state");
    expect(await drift(s)).toEqual([]);
  });

  it("counts for a hunter who was a zombie then, whatever has become of them, and does not raise the dead", async () => {
    const life = (await s.see(on.zed)).infected_at;
    now += 40 * HOUR;
    const then = now;
    now += 10 * HOUR;
    on.gm = await s.login(on.gm.alias, on.gm.password);
    // The starvation is not recorded yet.
    expect((await s.see(on.zed)).state).toBe("corpse");
    const done = await enter({ hunter: "Zed", prey: "Ann", hunted_at: rfc3339(then) });
    expect(done.body.player).toMatchObject({ alias: "Zed", state: "corpse", kills: 1, infected_at: life });
    await admin("revive_h", { alias: "Zed" });
    now += HOUR;
    const second = await enter({ hunter: "Zed", prey: "Bob", hunted_at: rfc3339(then) });
    expect(second.body.player).toMatchObject({ state: "human", kills: 2, starves_at: null });
    const { details } = second.body.interaction;
    expect(details.parent_infection_id).toBe(done.body.interaction.details.parent_infection_id);
    expect(await drift(s)).toEqual([]);
  });
});
