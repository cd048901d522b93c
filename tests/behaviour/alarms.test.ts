/** Somebody registers many accounts and eats them: game masters are told, and void all of it with one command. */
import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { drift } from "../support/recount.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { scan } from "../support/table.ts";

const { s, push, disturbed, subscribe, announce } = pushEnvironment();

const FROM = "192.0.2.44";
const SOCKS = 8;
const MISSING = "01900000-0000-7000-8000-000000000000";

/** Registers newcomers from one address. @returns their tag codes */
const register = async (count: number, from: string, name = "Sock"): Promise<string[]> => {
  const codes: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const body = { alias: `${name} ${n} x`, password: "correct horse battery" };
    codes.push((await s.must("POST /new", { body, from })).body.tag_code);
  }
  return codes;
};

/** Lets the workers process what has been recorded since. */
const work = async (): Promise<void> => {
  await announce(2);
  await s.work({ hurry: true });
};
const alertsFor = async (gm: TestPlayer): Promise<Result["body"][]> =>
  (await s.must("GET /admin/alerts/{url_id}", { as: gm })).body.alerts;
const voidAll = (gm: TestPlayer, body: Record<string, unknown>): Promise<Result> =>
  s.call("POST /admin/void_hunts/{url_id}", { as: gm, body });

it("alarms game masters of accounts that one zombie made and ate, and voids all of it", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await subscribe(gm, "/gm");
  // A moderator is not told.
  await subscribe(await s.moderator("Mo"), "/mo");
  const codes = await register(SOCKS, FROM);
  expect((await s.hunt(zed, ada)).status).toBe(200);
  for (const code of codes) expect((await s.hunt(zed, code)).status).toBe(200);
  expect((await s.see(zed)).kills).toBe(SOCKS + 1);
  await work();
  const [alert, ...others] = await alertsFor(gm);
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ kind: "newcomers", hunter: "Zed", resolved_at: null });
  expect(alert.hunts).toHaveLength(SOCKS);
  expect(alert.hunts.map(({ alias }: { alias: string }) => alias)).not.toContain("Ada");
  expect(push().received("/gm")).toHaveLength(1);
  expect(push().received("/mo")).toHaveLength(0);

  const { alert_id } = alert;
  const trial = await voidAll(gm, { alert_id, dry_run: true });
  expect(trial.body).toMatchObject({ dry_run: true, voided: SOCKS });
  expect((await s.see(zed)).kills).toBe(SOCKS + 1);
  const request = { as: gm, key: "once", body: { alert_id, reason: "His own accounts." } };
  const done = await s.call("POST /admin/void_hunts/{url_id}", request);
  expect((await s.call("POST /admin/void_hunts/{url_id}", request)).text).toBe(done.text);
  expect(done.body).toMatchObject({ dry_run: false, voided: SOCKS });
  expect((await s.see(zed)).kills).toBe(1);
  const { body } = await s.must("GET /admin/get_players/{url_id}", { as: gm, query: { search: "Sock" } });
  expect(body.players.map(({ state }: { state: string }) => state)).toEqual(Array(SOCKS).fill("human"));
  expect((await alertsFor(gm))[0].resolved_at).toEqual(expect.any(String));
  // The same request again changes nothing.
  const again = (await voidAll(gm, { alert_id })).body;
  expect([again.voided, again.hunts[0].outcome]).toEqual([0, "wrong_state"]);
  expect((await voidAll(gm, { alert_id: MISSING })).body.code).toBe("not_found");
  expect((await voidAll(gm, { alert_id, interaction_ids: [MISSING] })).status).toBe(400);
  // The address is nowhere.
  expect(JSON.stringify(await scan(s)).replaceAll(/THROTTLE#\w+#[^"]*/g, "")).not.toContain(FROM);
  expect(await drift(s)).toEqual([]);
});

it("is not alarmed by four of them, by several addresses or zombies, or over more than an hour", async () => {
  const [gm, zed, ada, bob] = await s.game("Zed", "Ada", "Bob");
  for (const prey of [ada, bob]) await s.hunt(zed, prey);
  const [one, other] = [await register(6, FROM, "One"), await register(4, "192.0.2.45", "Other")];
  for (const code of [...one.slice(0, 4), ...other]) await s.hunt(zed, code);
  await work();
  disturbed.passed = 61 * MINUTE;
  await s.hunt(zed, one[4] ?? "");
  await work();
  expect(await alertsFor(gm)).toEqual([]);
  // After a day the address is forgotten.
  const late = await register(6, "192.0.2.46", "Late");
  disturbed.passed = 26 * HOUR;
  for (const code of late) expect((await s.hunt(zed, code)).status).toBe(200);
  await work();
  expect(await alertsFor(await s.login(gm.alias, gm.password))).toEqual([]);
});

it("continues to void chosen hunts after an interruption, as far as they can be voided", async () => {
  const [gm, zed, ada, bob] = await s.game("Zed", "Ada", "Bob");
  const interaction_ids = [MISSING];
  for (const prey of [ada, bob])
    interaction_ids.unshift((await s.hunt(zed, prey)).body.interaction.interaction_id);
  let calls = 0;
  disturbed.beforeCall = (call, keys) => {
    if (call === "transact" && keys.some(({ pk }) => pk.startsWith("INTERACTIONS"))) calls += 1;
    if (calls === 2) throw new Error("the process dies");
  };
  expect((await voidAll(gm, { interaction_ids })).status).toBe(500);
  calls = 3;
  const { hunts } = (await voidAll(gm, { interaction_ids })).body;
  const outcomes = hunts.map(({ outcome }: { outcome: string }) => outcome);
  expect(outcomes.toSorted()).toEqual(["not_found", "voided", "wrong_state"]);
  expect((await s.see(zed)).kills).toBe(0);
  expect(await drift(s)).toEqual([]);
});
