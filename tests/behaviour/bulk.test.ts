/**
 * Bulk work that runs out of time is continued through the queue, from where it stopped, until it is complete; and the import
 * of players. Work whose process dies is in `tests/battery/faults`, previews are compared in `tests/battery/previews.test.ts`.
 */
import { v7 } from "uuid";
import { beforeEach, expect, it } from "vitest";
import { GROUP_BATCH_SIZE } from "../../lib/app/game/groupJob.ts";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { MAX_SUBSCRIPTIONS } from "../../lib/domain/notifications/push.ts";
import type { Player } from "../../lib/domain/players/player.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { keys, TOMBSTONES } from "../../lib/store/keys.ts";
import { IS_LARGE, IS_WHOLE, share } from "../support/battery.ts";
import { missionAt } from "../support/constants.ts";
import { limitedRuns } from "../support/limitedRuns.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { PASSWORD, type TestPlayer } from "../support/service.ts";
import { aliasesIn, shortRequests } from "../support/shortRequests.ts";
import { fillSubscriptions } from "../support/subscribers.ts";
import { fill, scan } from "../support/table.ts";

const { s, limits, timeLeft } = limitedRuns();
const { read, admin, done, enter, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

type Log = { details: Record<string, unknown> };
const counts = async () => (await read(gm, "/game")).counts;
/** The interactions of a kind. */
const recorded = async (kind: string) => {
  const interactions: StoredItem[] = [];
  for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000))
    if (item.kind === kind) interactions.push(item);
  return interactions;
};

/** So many players that the work takes several runs, each of several transactions. */
const MANY = IS_LARGE ? share(50_000) : 250;
/** Puts zombies into the table, all infected at one instant. */
const putZombies = async (count: number, since = Date.now() - HOUR): Promise<void> =>
  s.crowd(await makeCrowd(s, count, "zombie", since));

/** Puts `count` labelled players into the table, and as many without the label, who must not change. */
const putLabelled = async (state: "zombie" | "corpse", count: number): Promise<void> => {
  const crowd = await makeCrowd(s, 2 * count, state === "zombie" ? "zombie" : "human", Date.now() - MINUTE);
  await s.crowd(crowd.map((one, n) => ({ ...one, state, labels: n < count ? ["late"] : [] }) as Player));
};

/** Sets a checkpoint that `missing` humans have not passed, and half as many have passed. */
const setUpCheckpoint = async (missing: number): Promise<void> => {
  const { checkpoint_id } = await done(gm, "set_checkpoint", { name: "Library" });
  const pass = { checkpoint_id, passed_at: rfc3339(Date.now()) };
  const humans = await makeCrowd(s, missing * 1.5, "human", Date.now() - MINUTE);
  await s.crowd(humans.map((human, n) => (n < missing ? human : { ...human, ...pass })));
};

/** Wrong counters, list entries, meals, kills and states. A crowd lacks guards, passwords and infections. */
const relevantDrift = async () =>
  (await drift(s)).filter(({ kind }) => ["counter", "list entry", "meals", "kills", "state"].includes(kind));

const FEW = 100;
const LATE = { label: "late" };
it.each<
  [
    ...[action: string, body: { label?: string; n?: number; reason?: string }, field: string, n: number],
    ...[arrange: (n: number) => Promise<void>, kind: string],
  ]
>([
  ["kill_all_not_at_checkpoint", {}, "killed", MANY, setUpCheckpoint, "checkpoint_kill"],
  ["feed", { n: FEW }, "count", FEW, (n) => putZombies(n + 20), "feed"],
  ["feed_group", LATE, "count", FEW, (n) => putLabelled("zombie", n), "feed"],
  ["revive_all", { ...LATE, reason: "Storm" }, "count", FEW, (n) => putLabelled("corpse", n), "revive_human"],
])(
  "%s responds 202, is completed through the queue, responds to a retry with the total, and is logged",
  async (...row) => {
    const [action, body, field, n, arrange, kind] = row;
    await arrange(n);
    if (action !== "feed") {
      const preview = { ...body, dry_run: true, limit: 1 };
      const shown = (await admin(gm, action, preview)).body;
      expect(shown).toMatchObject({ [field]: n, next_cursor: expect.any(String) });
      const next = (await admin(gm, action, { ...preview, cursor: shown.next_cursor })).body;
      expect(next.players).not.toEqual(shown.players);
    }
    Object.assign(limits, { used: 0, perRun: Math.max(3, Math.ceil(n / 200)) });
    const command = () => admin(gm, action, body, "a-key");
    const begun = await command();
    expect(begun, begun.text).toMatchObject({ status: 202, body: { complete: false } });
    expect(begun.body[field]).toBeGreaterThan(0);
    expect(begun.body[field]).toBeLessThan(n);
    if (action === "revive_all") expect((await command()).status).toBe(202);
    await s.work({ hurry: true });
    const again = await command();
    expect(again).toMatchObject({ status: 200, body: { [field]: n } });
    expect(again.body.complete).not.toBe(false);
    const all = await recorded(kind);
    expect([all.length, new Set(all.map(({ target }) => target)).size]).toEqual([n, n]);
    expect([...new Set(all.map(({ reason }) => reason))]).toEqual([body.reason]);
    const logs: Log[] = await logsOf(gm, action);
    const ends = logs.filter(({ details }) => details[field] === n && details.dry_run !== true);
    const by = action === "kill_all_not_at_checkpoint" ? {} : { asked_by: expect.any(String) };
    expect(ends).toMatchObject([{ outcome: "done", details: { ...body, ...by } }]);
    expect((await s.store.game()).enforcing).toBeNull();
    expect(await s.queued()).toEqual([]);
    expect(await relevantDrift()).toEqual([]);
  },
);

it("closing and reopening a mission of many are 202, go on after their process dies, and reward each player once", async () => {
  await s.crowd(
    (await makeCrowd(s, FEW, "human", s.now - 2 * HOUR)).map((one) => ({ ...one, labels: ["late"] })),
  );
  const rewards = [{ audience: "humans", effect: { points: 5 } }];
  const { mission_id } = await done(gm, "set_mission", missionAt(s.now, { required: true, rewards }));
  const entered = await done(gm, "mission_attendance", { mission_id, all_with_label: "late" });
  expect(entered).toMatchObject({ count: FEW, repeated_count: 0 });
  const points = async () => (await scan(s)).map(({ parent }) => parent).filter((n) => n === 5).length;
  const rewarded = async () => (await scan(s)).filter(({ rewarded: by }) => by !== undefined).length;
  for (const [word, body, given] of [
    ["close_mission", { result: "both" }, FEW],
    ["reopen_mission", {}, 0],
    ["close_mission", { result: "humans" }, FEW],
  ] as const) {
    const command = (key?: string) => admin(gm, word, { mission_id, ...body }, key);
    Object.assign(limits, { used: 0, perRun: 4 });
    const key = v7();
    expect(await command(key)).toMatchObject({ status: 202, body: { complete: false } });
    expect((await command()).body.code).toBe("wrong_state");
    // The next process dies, and the one after it takes the job over when its lease has expired.
    Object.assign(limits, { used: 0, perRun: Number.POSITIVE_INFINITY, diesAfter: 3 });
    await s.work();
    limits.diesAfter = Number.POSITIVE_INFINITY;
    expect((await command(key)).body.code).toBe("in_progress");
    s.now += MINUTE;
    await s.work({ hurry: true });
    expect(await command(key)).toMatchObject({ status: 200, body: { count: FEW, complete: true } });
    expect([await points(), await rewarded()]).toEqual([given, given]);
  }
  expect((await recorded("feed")).length + (await recorded("void")).length).toBe(3 * FEW);
  // So does enforcing the missions: everybody has attended one.
  await done(gm, "set_checkpoint", { name: "The gate" });
  const enforce = (key?: string) => admin(gm, "enforce_missions", { min: 2 }, key);
  Object.assign(limits, { used: 0, perRun: 2 });
  const key = v7();
  const begun = await enforce(key);
  expect(begun).toMatchObject({ status: 202, body: { complete: false } });
  // It is not taken for an enforcement of the checkpoint, of fewer missions, or one that exempts somebody.
  for (const [word, body] of [
    ["kill_all_not_at_checkpoint", {}],
    ["enforce_missions", { min: 1 }],
    ["enforce_missions", { min: 2, exempt: [gm.alias] }],
  ] as const)
    expect((await admin(gm, word, body)).body.code).toBe("busy");
  limits.used = 0;
  const joined = await enforce();
  expect(joined).toMatchObject({ status: 202, body: { needed: 2, job_id: begun.body.job_id } });
  Object.assign(limits, { used: 0, perRun: Number.POSITIVE_INFINITY, diesAfter: 2 });
  await s.work();
  limits.diesAfter = Number.POSITIVE_INFINITY;
  expect((await enforce(key)).body.code).toBe("in_progress");
  s.now += MINUTE;
  await s.work({ hurry: true });
  expect(await enforce(key)).toMatchObject({ status: 200, body: { killed: FEW, complete: true } });
  Object.assign(limits, { used: 0, perRun: 2 });
  const undone = await admin(gm, "undo_checkpoint", {
    checkpoint_id: begun.body.job_id,
    reason: "The list was late.",
  });
  expect(undone).toMatchObject({ status: 202 });
  limits.perRun = Number.POSITIVE_INFINITY;
  expect((await enforce()).body.code).toBe("busy");
  await s.work({ hurry: true });
  expect(await relevantDrift()).toEqual([]);
});

it("a group that fits into one transaction needs no job", async () => {
  await putLabelled("zombie", GROUP_BATCH_SIZE);
  expect((await admin(gm, "feed_group", LATE)).body.count).toBe(GROUP_BATCH_SIZE);
  expect((await scan(s)).filter(({ pk }) => pk.startsWith("JOB#"))).toEqual([]);
});

it("feeding is 503 without the queue, and leaves out zombies that have starved by the time it continues", async () => {
  await putZombies(FEW + 20);
  const feed = () => admin(gm, "feed", { n: FEW }, "supper");
  Object.assign(limits, { used: 0, perRun: 1 });
  s.hasQueue = false;
  expect((await feed()).status).toBe(503);
  limits.used = 0;
  s.hasQueue = true;
  expect((await feed()).status).toBe(202);
  const before = await recorded("feed");
  limits.perRun = Number.POSITIVE_INFINITY;
  s.now += 47 * HOUR + MINUTE;
  await s.work({ hurry: true });
  expect(await recorded("feed")).toEqual(before);
  expect(await s.queued()).toEqual([]);
  expect(await relevantDrift()).toEqual([]);
});

it("a message that meets a job under a lease is queued again until that has expired", async () => {
  await putZombies(FEW + 20);
  Object.assign(limits, { used: 0, perRun: 1 });
  expect((await admin(gm, "feed", { n: FEW })).status).toBe(202);
  limits.perRun = Number.POSITIVE_INFINITY;
  const [job] = (await scan(s)).filter(({ lease_until }) => lease_until !== undefined);
  // Another process works on it, and dies.
  await s.store.db.put({ ...job, pk: job?.pk ?? "", sk: job?.sk ?? "", lease_until: s.now + MINUTE });
  const messages = await s.queued();
  const run = { services: s.services, requestId: "x", timeLeft };
  await processMessage(run, { kind: "feed", job_id: String(job?.job_id) });
  expect(await s.queued()).toHaveLength(messages.length + 1);
  s.now += 2 * MINUTE;
  await s.work({ hurry: true });
  expect(await recorded("feed")).toHaveLength(FEW);
});

it.each(["delete_player", "remove_player"])(
  "the deletion of a player with many items is 202 while the queue continues it: %s",
  async (action) => {
    const ITEMS = 300;
    const ada = await s.join("Ada");
    const notes = Array.from({ length: ITEMS }, (_, n) => ({ ...keys.note(ada.id, v7()), note: `${n}` }));
    await fill(s.place(), notes);
    Object.assign(limits, { used: 0, perRun: 3 });
    const response =
      action === "delete_player"
        ? await s.call("DELETE /delete_player/{url_id}", { as: ada })
        : await admin(gm, "remove_player", { player_id: ada.id });
    expect(response).toMatchObject({ status: 202, body: { complete: false } });
    // What is stored about a departure is not of the account.
    const isLeft = ({ pk }: { pk: string }): boolean => pk.includes(ada.id) && !pk.startsWith(TOMBSTONES);
    const itemsLeft = async () => (await scan(s)).filter(isLeft).length;
    expect((await s.see(ada)).alias).toBe("Ada");
    expect(await itemsLeft()).toBeGreaterThan(ITEMS / 4);
    await s.work({ hurry: true });
    expect(await itemsLeft()).toBe(0);
    expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(403);
    const [end, beginning] = await logsOf(gm, action);
    expect(end).toMatchObject({ outcome: "done", target: null, details: {} });
    expect(beginning.details).toMatchObject({ complete: false });
    expect(await drift(s)).toEqual([]);
    expect(await s.queued()).toEqual([]);
  },
);

it("an account with as much as a player can have is deleted, although a transaction has at most 100 writes", async () => {
  const AT_MOST = 20;
  const last_name = "King Countess of Lovelace Noel Milbanke";
  const ada = await enter("Ada.of-Lovelace_Byron", { first_name: "Augusta Ada Maria", last_name });
  const { id } = ada;
  const before = await s.store.player(id);
  if (before === null) throw new Error("nobody");
  const after = { ...before, former_aliases: ["Ada Kıng", "Ill Lady", "O'Neil-Ada"], signed: "second" };
  await s.store.commit(await writesOf({ players: [{ before, after }] }), timeLeft);
  const numbers = Array.from({ length: AT_MOST }, (_, n) => n);
  const paths = numbers.slice(0, MAX_SUBSCRIPTIONS).map((n) => ({ playerId: id, path: `/${n}` }));
  await fillSubscriptions(s.place(), "https://fcm.googleapis.com", paths);
  const signature = (version: string) => ({
    ...{ signature_id: version, rev: 1, player_id: id, version, full_name: "Ada", sealed: "" },
    ...{ signed_at: rfc3339(s.now), entered_by: null },
  });
  const response = { fingerprint: "", status: 200, body: null, expires: s.now };
  await fill(s.place(), [
    { ...signature("second"), ...keys.signature(id) },
    { ...signature("first"), ...keys.earlierSignature(id, "first") },
    ...numbers.map((n) => ({ ...keys.note(id, v7()), note: `${n}` })),
    ...numbers.map((n) => ({ ...keys.response(id, `${n}`), ...response })),
  ]);
  expect((await s.call("DELETE /delete_player/{url_id}", { as: ada })).status).toBe(204);
  expect(await drift(s)).toEqual([]);
});

it("the sweep continues through the queue until everybody due has starved once, one run at a time", async () => {
  await putZombies(MANY, Date.now() - 49 * HOUR);
  Object.assign(limits, { used: 0, perRun: Math.ceil(MANY / 200) });
  const run = { services: s.services, requestId: "x", timeLeft };
  expect(await sweep(run)).toMatchObject({ complete: false });
  limits.used = limits.perRun;
  expect(await sweep(run)).toMatchObject({ starved: 0, complete: false });
  const [message, ...others] = await s.queued();
  expect(others).toEqual([]);
  // A message that is delivered twice queues one continuation: the second time, the fencing token has changed.
  for (let n = 0; n < 2; n += 1) {
    limits.used = limits.perRun;
    await sweep(run, { fencingToken: message?.message.fencingToken });
  }
  expect(await s.queued()).toHaveLength(2);
  // After a time without a further run, another chain may begin.
  s.now += 2 * MINUTE;
  limits.used = limits.perRun;
  await sweep(run);
  expect(await s.queued()).toHaveLength(3);
  await s.work({ hurry: true });
  expect(await counts()).toMatchObject({ zombies: 0, corpses: MANY });
  expect(await recorded("starve")).toHaveLength(MANY);
});

const aliases = async () => aliasesIn((await read(gm, "/admin/get_players")).players);

const names = { first_name: "Ada", last_name: "Lovelace", email: "ada@example.org" };
const ROWS = [
  { alias: "Ada", ...names, labels: ["Waiver", "new"] },
  { alias: "Ben", first_name: "", email: null },
];
const setPassword = async (alias: string, recovery_code: string): Promise<number> => {
  const body = { alias, recovery_code, new_password: PASSWORD };
  return (await s.call("POST /change_password", { body })).status;
};
const start = (rows: object[], more: object = {}) => admin(gm, "import_players", { rows, ...more });

it("an import creates humans whose invitations set a password, once, within two weeks", async () => {
  const { body } = await start(ROWS);
  expect(body).toMatchObject({ dry_run: false, created: 2, exists: 0, rejected: 0, complete: true });
  const [ada, ben] = body.rows;
  expect(ada).toEqual({
    ...{ row: 1, alias: "Ada", status: "created", player_id: expect.any(String) },
    ...{ recovery_code: expect.stringMatching(/^(....-){6}....$/), expires_at: expect.any(String) },
  });
  expect(Math.round((Date.parse(ada.expires_at) - s.now) / DAY)).toBe(14);
  const { players } = await read(gm, "/admin/get_players", { label: "waiver" });
  expect(players).toMatchObject([{ alias: "Ada", ...names, state: "human", labels: ["new", "waiver"] }]);
  for (const password of [PASSWORD, "", "A".repeat(43)])
    expect((await s.call("POST /login", { body: { alias: "Ada", password } })).status).not.toBe(200);
  expect(await setPassword("Ada", ben.recovery_code)).toBe(401);
  expect(await setPassword("Ada", ada.recovery_code)).toBe(200);
  expect(await setPassword("Ada", ada.recovery_code)).toBe(401);
  expect((await s.login("Ada", PASSWORD)).id).toBe(ada.player_id);
  expect((await counts()).humans).toBe(2);
  const [{ details }] = await logsOf(gm, "import_players");
  expect(details).toMatchObject({ rows: 2, created: 2, complete: true });
  expect(JSON.stringify(details)).not.toContain("Ada");
});

it("an import names the faults of each row that it rejects, and creates the others; its preview returns the same", async () => {
  await s.joinAll("Cid", "Kim");
  const ROWS_AND_FAULTS: [row: object, result: string, message?: string][] = [
    [
      { alias: "!", email: "nowhere", shoe_size: 43 },
      "rejected, alias invalid, email invalid, shoe_size invalid",
      'There is no field "shoe_size" here.',
    ],
    [{ alias: "cid" }, "rejected, alias alias_taken"],
    [{ alias: "ⲔIM" }, "rejected, alias look_alike"],
    [{ alias: "Moderator" }, "rejected, alias look_alike"],
    [{ alias: "Ada" }, "created"],
    [{ alias: "ADA" }, "rejected, alias duplicate", "The alias is that of row 5, or looks like it."],
    [{ email: "x@example.org" }, "rejected, alias invalid", "The alias is missing."],
    [{ alias: "Dan", labels: ["two words"] }, "rejected, labels.0 invalid"],
  ];
  const rows = ROWS_AND_FAULTS.map(([row]) => row);
  const shown = (await start(rows, { dry_run: true })).body;
  expect(await aliases()).toEqual(["Cid", "Game Master", "Kim"]);
  const { body } = await start(rows);
  for (const [n, [, result, message]] of ROWS_AND_FAULTS.entries()) {
    const { status, errors = [] } = body.rows[n];
    const faults = errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
    expect([status, ...faults].join(", ")).toBe(result);
    if (message !== undefined) expect(errors.at(-1).message).toBe(message);
  }
  // The preview was the same, except for the attributes of the new account.
  const { player_id, recovery_code, expires_at, ...created } = body.rows[4];
  expect(shown).toEqual({ ...body, dry_run: true, rows: body.rows.with(4, created) });
  expect(await aliases()).toEqual(["Ada", "Cid", "Game Master", "Kim"]);
});

it("an import creates nobody twice, and renews invitations that are unused, if asked to", async () => {
  const [ada, ben] = (await start(ROWS)).body.rows;
  const again = (await start([...ROWS, { alias: "Cid" }])).body;
  expect(again).toMatchObject({ created: 1, exists: 2, rejected: 0 });
  expect(again.rows[0]).toEqual({ row: 1, alias: "Ada", status: "exists", player_id: ada.player_id });
  // Two addresses are two people, also before the first has accepted.
  for (const [alias, email, status] of [
    ["Ada", "other@example.org", "rejected"],
    ["Ada", "ADA@example.org", "exists"],
    ["Ben", "ben@example.org", "exists"],
  ])
    expect((await start([{ alias, email }])).body.rows, email).toMatchObject([{ status }]);
  expect(await setPassword("Ada", ada.recovery_code)).toBe(200);
  const renewed = (await start([...ROWS, { alias: "ada" }], { renew_invitations: true })).body;
  expect(renewed).toMatchObject({ created: 0, invited: 1, exists: 1, rejected: 1 });
  expect(await setPassword("Ben", ben.recovery_code)).toBe(401);
  expect(await setPassword("Ben", renewed.rows[1].recovery_code)).toBe(200);
});

it("the same rows again are of the same players after a game master has corrected an alias", async () => {
  const [{ player_id }] = (await start(ROWS)).body.rows;
  await admin(gm, "edit_player", { player_id, alias_to: "Ada L" });
  const [again] = (await start(ROWS)).body.rows;
  expect(again).toEqual({ row: 1, alias: "Ada L", status: "exists", player_id });
  // A list that has both rows.
  const both = [...ROWS, { alias: "Ada L", ...names }];
  const { body } = await start(both, { renew_invitations: true, create: false });
  const [renewed, , corrected] = body.rows;
  const errors = [{ path: "alias", message: "The alias is of the player of row 1.", code: "duplicate" }];
  expect(corrected).toEqual({ row: 3, alias: "Ada L", status: "rejected", errors });
  expect(await setPassword("Ada L", renewed.recovery_code)).toBe(200);
  const other = { alias: "Ada", email: "other@example.org" };
  expect((await start([other])).body.rows[0].errors).toMatchObject([{ path: "alias", code: "look_alike" }]);
});

it("an import names rows by the numbers that the request gives them", async () => {
  const rows = Object.entries({ Ada: 2, ADA: 9, Ben: 0 }).map(([alias, row]) => ({ row, alias }));
  expect((await start(rows)).body.rows).toMatchObject([
    { row: 2, status: "created" },
    { row: 9, errors: [{ message: "The alias is that of row 2, or looks like it." }] },
    { row: 3, errors: [{ path: "row" }] },
  ]);
});

it("those who have not accepted are listed, and invited again in one call that creates nobody", async () => {
  const [ada, ben] = (await start([...ROWS, { alias: "Cid" }])).body.rows;
  const invited = async (as = gm, query: object = {}) =>
    aliasesIn((await read(as, "/admin/get_players", { invited: "true", ...query })).players);
  expect(await invited()).toEqual(["Ada", "Ben", "Cid"]);
  expect(await setPassword("Ada", ada.recovery_code)).toBe(200);
  expect(await invited()).toEqual(["Ben", "Cid"]);
  expect(await invited(gm, { invited: "false" })).toEqual(["Ada", "Game Master"]);
  expect(await invited(gm, { search: "cid" })).toEqual(["Cid"]);
  const first = await read(gm, "/admin/get_players", { invited: "true", limit: 1 });
  expect(await invited(gm, { limit: 1, cursor: first.next_cursor })).toEqual(["Cid"]);
  // A moderator learns from neither filter who has no password.
  await s.joinAll("Max");
  await admin(gm, "edit_player", { alias: "Max", is_moderator: true });
  const max = await s.login("Max", PASSWORD);
  for (const filter of ["true", "false"]) expect(await invited(max, { invited: filter })).toEqual([]);
  await admin(gm, "remove_player", { alias: "Cid" });
  const again = ["Ada", "Ben", "Cid"].map((alias) => ({ alias }));
  const renewal = { renew_invitations: true, create: false };
  const { body } = await start(again, renewal);
  expect(body.rows).toMatchObject([
    { alias: "Ada", status: "exists" },
    { alias: "Ben", status: "invited", recovery_code: expect.any(String) },
    { alias: "Cid", status: "rejected", errors: [{ code: "player_not_found" }] },
  ]);
  expect(body.rows[0]).not.toHaveProperty("recovery_code");
  // The code of a player must not go to the address of somebody else who had the alias in the list.
  await admin(gm, "edit_player", { alias: "Ben", email: "ben@example.org" });
  const moved = await start([{ alias: "Ben", email: "other@example.org" }], renewal);
  const errors = [{ path: "email", code: "alias_taken" }];
  expect(moved.body.rows).toMatchObject([{ alias: "Ben", status: "rejected", errors }]);
  expect(await aliases()).toEqual(["Ada", "Ben", "Game Master", "Max"]);
  expect(await setPassword("Ben", ben.recovery_code)).toBe(401);
  expect(await setPassword("Ben", body.rows[1].recovery_code)).toBe(200);
  expect(await invited()).toEqual([]);
});

const SIZE = IS_WHOLE ? 500 : 60;
it(`an import of ${SIZE} rows ends in one call, or reports as pending the rows that time did not allow`, async () => {
  const more = { first_name: "Alexandra", last_name: "Featherstonehaugh", labels: ["waiver", "first-years"] };
  const rows = Array.from({ length: SIZE }, (_, n) => ({
    ...{ alias: `Player ${n} of many`, email: `alexandra.featherstonehaugh.${n}@students.example.org` },
    ...more,
  }));
  Object.assign(limits, { used: 0, perRun: 10 });
  const { body } = await start(rows);
  expect(body).toMatchObject({ created: 40, complete: false });
  expect(body.rows[40]).toEqual({ row: 41, alias: "Player 40 of many", status: "pending" });
  // The log has the rows that were processed before the process died.
  Object.assign(limits, { used: 0, perRun: Number.POSITIVE_INFINITY, diesAfter: 2 });
  expect((await start(rows)).status).toBe(500);
  limits.diesAfter = Number.POSITIVE_INFINITY;
  const [{ details }] = await logsOf(gm, "import_players");
  expect(details).toMatchObject({ rows: SIZE, exists: 8, complete: false });
  expect((await start(rows)).body).toMatchObject({ created: SIZE - 40, exists: 40, complete: true });
  expect((await counts()).humans).toBe(SIZE);
});
