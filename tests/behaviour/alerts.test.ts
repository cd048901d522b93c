/** A zombie tags many accounts of its own player: game masters get an alert, and void the tags with one command. */
import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { requireConsistency } from "../support/recount.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { aliasesIn, expectRefused, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const { s, push, subscribe, announce } = pushEnvironment();
requireConsistency(s);
const { read, admin, register } = shortRequests(s);

const FROM = "192.0.2.44";
const SOCKS = 8;
const MISSING = "01900000-0000-7000-8000-000000000000";

const aliasesOf = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n} x`);
/** Registers newcomers from one address. @returns their tag codes */
const newcomers = async (count: number, from: string, name = "Sock"): Promise<string[]> => {
  const codes: string[] = [];
  for (const alias of aliasesOf(name, count)) codes.push((await register(alias, {}, { from })).body.tag_code);
  return codes;
};
const tagAll = async (hunter: TestPlayer, all: readonly (TestPlayer | string)[]): Promise<void> => {
  for (const prey of all) expect((await s.hunt(hunter, prey)).status).toBe(200);
};

/** The alerts, when the workers have processed what was recorded since. */
const alertsFor = async (gm: TestPlayer): Promise<Result["body"][]> => {
  await announce(2);
  await s.work({ hurry: true });
  return (await read(gm, "/admin/alerts")).alerts;
};
const voidAll = (gm: TestPlayer, body: object, key?: string) => admin(gm, "void_hunts", body, key);

it("one zombie's tags of newcomers from one address alert game masters, who can void them together", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await subscribe(gm, "/gm");
  // A moderator is not told.
  await subscribe(await s.moderator("Mo"), "/mo");
  await tagAll(zed, [ada, ...(await newcomers(SOCKS, FROM))]);
  const [alert, ...others] = await alertsFor(gm);
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ kind: "newcomers", hunter: "Zed", resolved_at: null });
  expect(aliasesIn(alert.hunts)).toEqual(aliasesOf("Sock", SOCKS));
  expect(push().received("/gm")).toHaveLength(1);
  expect(push().received("/mo")).toHaveLength(0);

  const { alert_id } = alert;
  const dry = { alert_id, dry_run: true };
  expect((await voidAll(gm, dry)).body).toMatchObject({ dry_run: true, voided: SOCKS });
  expect((await alertsFor(gm))[0]).toEqual(alert);
  expect((await s.see(zed)).kills).toBe(SOCKS + 1);
  // The process dies after it has voided three of them; the same request continues.
  let commits = 0;
  s.beforeCall = (call, keys) => {
    if (call === "transact" && keys.some(({ pk }) => pk.startsWith("INTERACTIONS"))) commits += 1;
    if (commits === 4) throw new Error("the process dies");
  };
  const voidOnce = () => voidAll(gm, { alert_id, reason: "His own accounts." }, "once");
  expect((await voidOnce()).status).toBe(500);
  s.beforeCall = undefined;
  const done = await voidOnce();
  expect((await voidOnce()).text).toBe(done.text);
  expect(done.body).toMatchObject({ dry_run: false, voided: SOCKS - 3 });
  expect((await s.see(zed)).kills).toBe(1);
  const { interactions } = await read(gm, "/interactions", { kind: "void", limit: 1 });
  expect(interactions[0].details.reason).toBe("His own accounts.");
  const { players } = await read(gm, "/admin/get_players", { search: "Sock" });
  expect(players.map(({ state }: { state: string }) => state)).toEqual(Array(SOCKS).fill("human"));
  const [resolved] = await alertsFor(gm);
  expect(resolved.resolved_at).toEqual(expect.any(String));
  s.now += HOUR;
  const again = (await voidAll(gm, { alert_id })).body;
  expect((await alertsFor(gm))[0]).toEqual(resolved);
  expect([again.voided, again.hunts[0].outcome]).toEqual([0, "wrong_state"]);
  await expectRefused(voidAll(gm, { alert_id: MISSING }), "not_found");
  const unknown = (await voidAll(gm, { interaction_ids: [MISSING] })).body;
  expect(unknown).toMatchObject({ voided: 0, hunts: [{ outcome: "not_found" }] });
  // The address is stored in rate limits only.
  expect(JSON.stringify(await scan(s)).replaceAll(/THROTTLE#\w+#[^"]*/g, "")).not.toContain(FROM);
});

it("an alert about a hidden original names them only on the page of a game master who does not play", async () => {
  const [gm, , ova] = await s.game("Zed", "Ova");
  const gus = await s.admin("Gus", true);
  const browser = await subscribe(gus, "/gus");
  await admin(gm, "settings", { hide_originals: true });
  s.now += MINUTE;
  await s.outbreak(gm, ova);
  await tagAll(ova, await newcomers(5, FROM));
  expect(await alertsFor(gm)).toMatchObject([{ hunter: "Ova" }]);
  const [alert] = await alertsFor(gus);
  expect(alert.hunter).toBeNull();
  expect(aliasesIn(alert.hunts)).toHaveLength(5);
  const texts = push()
    .received("/gus")
    .map(({ body }) => browser.decrypt(body));
  expect(texts).toEqual([expect.stringContaining("somebody has tagged several players")]);
});

it("four such tags are no alert, nor are more from several or unknown addresses, by several zombies, over an hour or a day after registration", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await admin(gm, "import_players", { rows: aliasesOf("Guest", 6).map((alias) => ({ alias })) });
  const { players } = await read(gm, "/admin/get_players", { search: "Guest" });
  await tagAll(zed, [ada, ...players.map(({ tag_code }: Result["body"]) => tag_code)]);
  const [one, other] = [await newcomers(6, FROM, "One"), await newcomers(4, "192.0.2.45", "Other")];
  await tagAll(zed, [...one.slice(0, 4), ...other]);
  await tagAll(ada, one.slice(5));
  // Again one of the four.
  await admin(gm, "cure", { alias: "One 0 x" });
  await tagAll(zed, [(await read(gm, "/admin/get_players", { search: "One 0 x" })).players[0].tag_code]);
  expect(await alertsFor(gm)).toEqual([]);
  s.now += 61 * MINUTE;
  await tagAll(zed, one.slice(4, 5));
  expect(await alertsFor(gm)).toEqual([]);
  const late = await newcomers(6, "192.0.2.46", "Late");
  s.now += 25 * HOUR;
  await tagAll(zed, late);
  expect(await alertsFor(await s.login(gm.alias, gm.password))).toEqual([]);
});
