/**
 * Commands on groups of players that continue, and the import of players. Whom a group selects, and what a preview shows, is in
 * `tests/battery/model` and `tests/battery/previews.test.ts`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { IS_WHOLE } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, shortRequests } from "../support/shortRequests.ts";

/** How many transactions fit into a run before its time is up, and before its process dies. */
let [perRun, diesAfter, used] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];

const s = testEnvironment({
  database: (usual) => ({
    ...usual,
    transact: async (writes, token) => {
      used += 1;
      if (used > diesAfter) throw new Error("the process was killed here");
      await usual.transact(writes, token);
    },
  }),
  timeLeft: () => (used >= perRun ? 2 * SECOND : 20 * SECOND),
  services: (usual) => ({
    queue: {
      async send(messages) {
        await usual.queue.send(messages);
        used = 0;
      },
    },
  }),
});
const { read, admin, done, logsOf } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  [perRun, diesAfter, used] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  gm = await s.admin();
});

const upon = (word: string, body: object, key?: string) => admin(gm, word, body, key);
/** The details of the log's entries that say what a command has done. */
const endsOf = async (action: string): Promise<Record<string, unknown>[]> =>
  (await logsOf(gm, action))
    .map(({ details }: { details: { complete?: boolean } }) => details)
    .filter(({ complete }: { complete?: boolean }) => complete === true);
const aliases = async () => aliasesIn((await read(gm, "/admin/get_players")).players);
const humans = async (): Promise<number> => (await read(gm, "/game")).counts.humans;

describe("a group", () => {
  it("is revived for a reason, which is logged once and shown with each, and is refused whole for an unknown alias", async () => {
    for (const alias of ["Ada", "Ben", "Dan"]) await s.join(alias);
    for (const alias of ["Ada", "Ben"]) await done(gm, "corpsify", { alias });
    const unknown = await upon("revive_all", { aliases: ["Ada", "Nobody"] });
    expect([unknown.status, unknown.body.detail]).toEqual([404, "There is no player with the alias Nobody."]);
    const body = { aliases: ["Ada", "Ben", "Dan"], reason: "The storm." };
    const dry = (await upon("revive_all", { ...body, dry_run: true, limit: 1 })).body;
    expect(dry).toMatchObject({ count: 2, players: [{ alias: "Ada" }], next_cursor: expect.any(String) });
    const rest = { ...body, dry_run: true, cursor: dry.next_cursor };
    expect((await upon("revive_all", rest)).body).toMatchObject({
      players: [{ alias: "Ben" }],
      next_cursor: null,
    });
    const counts = { count: 2, skipped: 1, complete: true };
    for (let n = 0; n < 2; n += 1)
      expect((await upon("revive_all", body, "a-key")).body).toEqual({ ...counts, job_id: null });
    const ends = await endsOf("revive_all");
    expect(ends).toMatchObject([{ ...counts, reason: "The storm.", as: "human" }]);
    const { interactions } = await read(gm, "/interactions", { kind: "revive_human" });
    const reasons = interactions.map(({ details }: { details: { reason: string } }) => details.reason);
    expect(reasons).toEqual(["The storm.", "The storm."]);
  });

  it.each([
    ...[{}, { as: "zombie" }, { state: "zombie" }, { label: "late", limit: 3 }].map((body) => [
      "revive_all",
      body,
    ]),
    ...[{}, { state: "corpse" }, { label: "late", as: "human" }].map((body) => ["feed_group", body]),
  ] as [string, object][])("needs something that selects it, and nothing else: %s %j", async (word, body) => {
    expect((await upon(word, body)).status).toBe(400);
  });

  it("that is large is 202 while the queue continues it, and the same request then returns its end", async () => {
    const MANY = 130;
    const crowd = await makeCrowd(s, MANY, "human", Date.now() - MINUTE);
    await s.crowd(crowd.map((human) => ({ ...human, state: "corpse", labels: ["late"] })));
    [used, perRun] = [0, 3];
    const revive = () => upon("revive_all", { label: "late" }, "a-key");
    const begun = await revive();
    expect(begun.status, begun.text).toBe(202);
    expect(begun.body).toMatchObject({ complete: false, skipped: MANY - begun.body.count });
    expect(begun.body.count).toBeLessThan(MANY);
    await s.work({ hurry: true });
    perRun = Number.POSITIVE_INFINITY;
    const end = { count: MANY, skipped: 0, complete: true };
    expect(await revive()).toMatchObject({ status: 200, body: end });
    expect(await humans()).toBe(MANY);
    expect(await endsOf("revive_all")).toMatchObject([
      { label: "late", count: MANY, asked_by: expect.any(String) },
    ]);
  });
});

describe("an import", () => {
  const PASSWORD = "correct horse battery";
  const names = { first_name: "Ada", last_name: "Lovelace", email: "ada@example.org" };
  const ROWS = [
    { alias: "Ada", ...names, labels: ["Waiver", "new"] },
    { alias: "Ben", first_name: "", email: null },
  ];
  const setPassword = async (alias: string, recovery_code: string): Promise<number> => {
    const body = { alias, recovery_code, new_password: PASSWORD };
    return (await s.call("POST /change_password", { body })).status;
  };
  const start = (rows: object[], more: object = {}) => upon("import_players", { rows, ...more });

  it("creates humans whose invitations set a password, once, within two weeks", async () => {
    const { body } = await start(ROWS);
    expect(body).toMatchObject({ dry_run: false, created: 2, exists: 0, rejected: 0, complete: true });
    const [ada, ben] = body.rows;
    expect(ada).toEqual({
      ...{ row: 1, alias: "Ada", status: "created", player_id: expect.any(String) },
      ...{ recovery_code: expect.stringMatching(/^(....-){6}....$/), expires_at: expect.any(String) },
    });
    const days = (Date.parse(ada.expires_at) - s.services.clock()) / (24 * HOUR);
    expect(Math.round(days)).toBe(14);
    const { players } = await read(gm, "/admin/get_players", { label: "waiver" });
    expect(players).toMatchObject([{ alias: "Ada", ...names, state: "human", labels: ["new", "waiver"] }]);
    for (const password of [PASSWORD, "", "A".repeat(43)])
      expect((await s.call("POST /login", { body: { alias: "Ada", password } })).status).not.toBe(200);
    expect(await setPassword("Ada", ben.recovery_code)).toBe(401);
    expect(await setPassword("Ada", ada.recovery_code)).toBe(200);
    expect(await setPassword("Ada", ada.recovery_code)).toBe(401);
    expect((await s.login("Ada", PASSWORD)).id).toBe(ada.player_id);
    expect(await humans()).toBe(2);
    const [log] = await endsOf("import_players");
    expect(log).toMatchObject({ rows: 2, created: 2 });
    expect(JSON.stringify(log)).not.toContain("Ada");
    expect(await drift(s)).toEqual([]);
  });

  it("names the fault of each row that it cannot create, and creates the others", async () => {
    for (const alias of ["Cid", "Kim"]) await s.join(alias);
    const rows = [
      { alias: "!", email: "nowhere", shoe_size: 43 },
      ...["cid", "ⲔIM", "Moderator", "Ada", "ADA"].map((alias) => ({ alias })),
      { email: "x@example.org" },
      { alias: "Dan", labels: ["two words"] },
    ];
    const shown = (await start(rows, { dry_run: true })).body;
    expect(await aliases()).toEqual(["Cid", "Game Master", "Kim"]);
    const { body } = await start(rows);
    type Row = { status: string; errors?: { path: string; code: string }[] };
    const faults = body.rows.map(({ status, errors = [] }: Row) =>
      [status, ...errors.map(({ path, code }) => `${path} ${code}`)].join(", "),
    );
    expect(faults).toEqual([
      "rejected, alias invalid, email invalid, shoe_size invalid",
      "rejected, alias alias_taken",
      "rejected, alias look_alike",
      "rejected, alias look_alike",
      "created",
      "rejected, alias duplicate",
      "rejected, alias invalid",
      "rejected, labels.0 invalid",
    ]);
    const messages = [0, 5, 6].map((at) => body.rows[at].errors.at(-1).message);
    expect(messages).toEqual([
      'There is no field "shoe_size" here.',
      "The alias is that of row 5, or looks like it.",
      "The alias is missing.",
    ]);
    // The preview was the same, but for what only a new account has.
    const { player_id, recovery_code, expires_at, ...created } = body.rows[4];
    expect(shown).toEqual({ ...body, dry_run: true, rows: body.rows.with(4, created) });
    expect(await aliases()).toEqual(["Ada", "Cid", "Game Master", "Kim"]);
  });

  it("creates nobody twice, and renews invitations that are unused, if asked to", async () => {
    const [ada, ben] = (await start(ROWS)).body.rows;
    const again = (await start([...ROWS, { alias: "Cid" }])).body;
    expect(again).toMatchObject({ created: 1, exists: 2, rejected: 0 });
    expect(again.rows[0]).toEqual({ row: 1, alias: "Ada", status: "exists", player_id: ada.player_id });
    expect(await setPassword("Ada", ada.recovery_code)).toBe(200);
    const renewed = (await start([...ROWS, { alias: "ada" }], { renew_invitations: true })).body;
    expect(renewed).toMatchObject({ created: 0, invited: 1, exists: 1, rejected: 1 });
    expect(await setPassword("Ben", ben.recovery_code)).toBe(401);
    expect(await setPassword("Ben", renewed.rows[1].recovery_code)).toBe(200);
    // Somebody else who is called Ada by now.
    const other = await start([{ alias: "Ada", email: "other@example.org" }]);
    expect(other.body).toMatchObject({ rejected: 1 });
    expect((await start([])).status).toBe(400);
  });

  const SIZE = IS_WHOLE ? 500 : 150;
  it(`of ${SIZE} rows ends in one call, and what time did not allow is pending`, async () => {
    const names = {
      first_name: "Alexandra",
      last_name: "Featherstonehaugh",
      labels: ["waiver", "first-years"],
    };
    const rows = Array.from({ length: SIZE }, (_, n) => ({
      ...{ alias: `Player ${n} of many`, ...names },
      email: `alexandra.featherstonehaugh.${n}@students.example.org`,
    }));
    [used, perRun] = [0, 20];
    const { body } = await start(rows);
    expect(body).toMatchObject({ created: 80, complete: false });
    expect(body.rows[80]).toEqual({ row: 81, alias: "Player 80 of many", status: "pending" });
    perRun = Number.POSITIVE_INFINITY;
    // The log has what was done by a process that died.
    [used, diesAfter] = [0, 2];
    expect((await start(rows.slice(0, 100))).status).toBe(500);
    diesAfter = Number.POSITIVE_INFINITY;
    const [{ details }] = await logsOf(gm, "import_players");
    expect(details).toMatchObject({ rows: 100, exists: 8, complete: false });
    expect((await start(rows)).body).toMatchObject({ created: SIZE - 80, exists: 80, complete: true });
    expect(await humans()).toBe(SIZE);
  });
});
