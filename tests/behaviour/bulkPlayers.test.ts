/** The import of players. Previews are compared with imports in `tests/battery/previews.test.ts`. */
import { beforeEach, expect, it } from "vitest";
import { DAY } from "../../lib/domain/time.ts";
import { IS_WHOLE } from "../support/battery.ts";
import { limitedRuns } from "../support/limitedRuns.ts";
import { requireConsistency } from "../support/recount.ts";
import { PASSWORD, type TestPlayer } from "../support/service.ts";
import { aliasesIn, shortRequests } from "../support/shortRequests.ts";

const { s, limits } = limitedRuns();
requireConsistency(s);
const { read, admin, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

const aliases = async () => aliasesIn((await read(gm, "/admin/get_players")).players);
const humans = async (): Promise<number> => (await read(gm, "/game")).counts.humans;

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
  expect(await humans()).toBe(2);
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
  expect(await setPassword("Ada", ada.recovery_code)).toBe(200);
  const renewed = (await start([...ROWS, { alias: "ada" }], { renew_invitations: true })).body;
  expect(renewed).toMatchObject({ created: 0, invited: 1, exists: 1, rejected: 1 });
  expect(await setPassword("Ben", ben.recovery_code)).toBe(401);
  expect(await setPassword("Ben", renewed.rows[1].recovery_code)).toBe(200);
  // A row for another person with the alias Ada is rejected.
  const other = await start([{ alias: "Ada", email: "other@example.org" }]);
  expect(other.body).toMatchObject({ rejected: 1 });
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

const SIZE = IS_WHOLE ? 500 : 150;
it(`an import of ${SIZE} rows ends in one call, or reports as pending the rows that time did not allow`, async () => {
  const more = { first_name: "Alexandra", last_name: "Featherstonehaugh", labels: ["waiver", "first-years"] };
  const rows = Array.from({ length: SIZE }, (_, n) => ({
    ...{ alias: `Player ${n} of many`, email: `alexandra.featherstonehaugh.${n}@students.example.org` },
    ...more,
  }));
  Object.assign(limits, { used: 0, perRun: 20 });
  const { body } = await start(rows);
  expect(body).toMatchObject({ created: 80, complete: false });
  expect(body.rows[80]).toEqual({ row: 81, alias: "Player 80 of many", status: "pending" });
  // The log has the rows that were processed before the process died.
  Object.assign(limits, { used: 0, perRun: Number.POSITIVE_INFINITY, diesAfter: 2 });
  expect((await start(rows.slice(0, 100))).status).toBe(500);
  limits.diesAfter = Number.POSITIVE_INFINITY;
  const [{ details }] = await logsOf(gm, "import_players");
  expect(details).toMatchObject({ rows: 100, exists: 8, complete: false });
  expect((await start(rows)).body).toMatchObject({ created: SIZE - 80, exists: 80, complete: true });
  expect(await humans()).toBe(SIZE);
});
