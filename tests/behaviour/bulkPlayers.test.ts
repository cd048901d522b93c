/** Commands on groups of players: whom they select, what a preview shows, and that they end; and the import of players. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

/** How many transactions fit into a run before its time is up. */
let perRun = Number.POSITIVE_INFINITY;
let used = 0;
let diesAfter = Number.POSITIVE_INFINITY;

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

beforeEach(() => {
  perRun = Number.POSITIVE_INFINITY;
  used = 0;
});

const upon = (as: Someone, word: string, body: object, key?: string) =>
  s.call(`POST /admin/${word}/{url_id}`, { as, body, key });
/** The entries of the log that say what a command has done. */
const endsOf = async (as: Someone, action: string): Promise<{ details: Record<string, unknown> }[]> => {
  const { logs } = (await s.must("GET /admin/get_logs/{url_id}", { as, query: { action } })).body;
  return logs.filter(({ details }: { details: { complete?: boolean } }) => details.complete === true);
};
const aliasesIn = async (as: Someone, query: Record<string, string>): Promise<string[]> =>
  (
    await s.must("GET /admin/get_players/{url_id}", { as, query: { limit: "1000", ...query } })
  ).body.players.map(({ alias }: { alias: string }) => alias);

describe("a group", () => {
  const corpses = async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben", "Cid", "Dan", "Eve"]) await s.join(alias);
    await upon(gm, "label", { aliases: ["Ada", "Ben", "Dan", "Game Master"], add: ["late"] });
    for (const alias of ["Ada", "Ben", "Cid"]) await upon(gm, "corpsify", { alias });
    return gm;
  };
  const SELECTIONS: [selection: object, count: string[], skipped: number][] = [
    [{ state: "corpse" }, ["Ada", "Ben", "Cid"], 0],
    [{ label: "Late" }, ["Ada", "Ben"], 2],
    [{ label: "late", state: "corpse" }, ["Ada", "Ben"], 0],
    [{ aliases: ["cid", "EVE", "Ada", "ada"] }, ["Ada", "Cid"], 1],
    [{ aliases: ["Cid", "Ada"], label: "late" }, ["Ada"], 0],
    [{ label: "late", state: "spectator" }, ["Game Master"], 0],
  ];
  it.each(SELECTIONS)("selected by %j is revived as the preview shows", async (selection, names, skipped) => {
    const gm = await corpses();
    const counts = { count: names.length, skipped, complete: true };
    const shown = await upon(gm, "revive_all", { ...selection, dry_run: true, limit: 2 });
    expect(shown.body).toMatchObject({ ...counts, job_id: null });
    const { players, next_cursor } = shown.body;
    const rest =
      next_cursor === null
        ? []
        : (await upon(gm, "revive_all", { ...selection, dry_run: true, cursor: next_cursor })).body.players;
    expect([...players, ...rest].map(({ alias }: { alias: string }) => alias)).toEqual(names);
    const before = await aliasesIn(gm, { state: "human" });
    expect(before).toEqual(["Dan", "Eve"]);
    const done = await upon(gm, "revive_all", { ...selection, reason: "The storm." }, "a-key");
    expect(done.body).toEqual({ ...counts, job_id: null });
    expect(await aliasesIn(gm, { state: "human" })).toEqual([...names, ...before].toSorted());
    // Sent again, it changes nothing.
    expect((await upon(gm, "revive_all", { ...selection, reason: "The storm." }, "a-key")).body).toEqual(
      done.body,
    );
    const [log, ...others] = await endsOf(gm, "revive_all");
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      actor: "Game Master",
      details: { ...counts, reason: "The storm.", as: "human" },
    });
    const { interactions } = (
      await s.must("GET /interactions/{url_id}", { as: gm, query: { kind: "revive_human" } })
    ).body;
    expect(interactions).toHaveLength(names.length);
    for (const { details } of interactions) expect(details.reason).toBe("The storm.");
    expect(await drift(s)).toEqual([]);
  });

  it("is refused whole for an unknown alias, and needs something that selects it", async () => {
    const gm = await corpses();
    const unknown = await upon(gm, "revive_all", { aliases: ["Ada", "Nobody"] });
    expect([unknown.status, unknown.body.detail]).toEqual([404, "There is no player with the alias Nobody."]);
    expect(await aliasesIn(gm, { state: "corpse" })).toHaveLength(3);
    for (const body of [{}, { as: "zombie" }, { state: "zombie" }, { label: "late", limit: 3 }])
      expect((await upon(gm, "revive_all", body)).status, JSON.stringify(body)).toBe(400);
    for (const body of [{}, { state: "corpse" }, { label: "late", as: "human" }])
      expect((await upon(gm, "feed_group", body)).status, JSON.stringify(body)).toBe(400);
  });

  it("of corpses becomes original zombies, those too who have starved by the clock alone", async () => {
    const [gm, zed] = await s.game("Zed");
    await s.pass(49 * HOUR);
    const revived = await upon(gm, "revive_all", { state: "corpse", as: "zombie" });
    expect(revived.body).toMatchObject({ count: 1, skipped: 0 });
    expect(await s.see(zed)).toMatchObject({ state: "zombie", infected_by: null, tag_code: null });
    const { interactions } = (await s.must("GET /interactions/{url_id}", { as: gm, query: { limit: "2" } }))
      .body;
    expect(interactions.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
      "revive_zombie",
      "starve",
    ]);
    await s.pass(10 * HOUR);
    const hungry = await s.see(zed);
    await upon(gm, "label", { aliases: ["Zed"], add: ["crew"] });
    expect((await upon(gm, "feed_group", { label: "crew" })).body).toMatchObject({ count: 1, skipped: 0 });
    expect((await s.see(zed)).starves_at > hungry.starves_at).toBe(true);
  });
});

describe("an import", () => {
  const PASSWORD = "correct horse battery";
  const ROWS = [
    {
      alias: "Ada",
      first_name: "Ada",
      last_name: "Lovelace",
      email: "ada@example.org",
      labels: ["Waiver", "new"],
    },
    { alias: "Ben", first_name: "", email: null },
  ];
  const setPassword = (alias: string, recovery_code: string) =>
    s.call("POST /change_password", { body: { alias, recovery_code, new_password: PASSWORD } });
  const start = (as: Someone, rows: object[], more: object = {}) =>
    upon(as, "import_players", { rows, ...more });

  it("creates humans whose invitations set a password, once, within two weeks", async () => {
    const gm = await s.admin();
    const { body } = await start(gm, ROWS);
    expect(body).toMatchObject({ dry_run: false, created: 2, exists: 0, rejected: 0, complete: true });
    const [ada, ben] = body.rows;
    expect(ada).toEqual({
      ...{ row: 1, alias: "Ada", status: "created", player_id: expect.any(String) },
      ...{ recovery_code: expect.stringMatching(/^(....-){6}....$/), expires_at: expect.any(String) },
    });
    const days = (Date.parse(ada.expires_at) - s.services.clock()) / (24 * HOUR);
    expect(Math.round(days)).toBe(14);
    const [shown] = (await s.must("GET /admin/get_players/{url_id}", { as: gm, query: { label: "waiver" } }))
      .body.players;
    expect(shown).toMatchObject({
      alias: "Ada",
      last_name: "Lovelace",
      state: "human",
      labels: ["new", "waiver"],
    });
    for (const password of [PASSWORD, "", "A".repeat(43)])
      expect((await s.call("POST /login", { body: { alias: "Ada", password } })).status).not.toBe(200);
    expect((await setPassword("Ada", ben.recovery_code)).status).toBe(401);
    expect((await setPassword("Ada", ada.recovery_code)).status).toBe(200);
    expect((await setPassword("Ada", ada.recovery_code)).status).toBe(401);
    expect((await s.login("Ada", PASSWORD)).id).toBe(ada.player_id);
    expect((await s.call("GET /game/{url_id}", { as: gm })).body.counts.humans).toBe(2);
    const [log] = await endsOf(gm, "import_players");
    expect(log?.details).toMatchObject({ rows: 2, created: 2 });
    expect(JSON.stringify(log)).not.toContain("Ada");
    expect(await drift(s)).toEqual([]);
  });

  it("names the fault of each row that it cannot create, and creates the others", async () => {
    const gm = await s.admin("Gus");
    await s.join("Cid");
    await s.join("Kim");
    const rows = [
      { alias: "!", email: "nowhere", shoe_size: 43 },
      { alias: "cid" },
      { alias: "ⲔIM" },
      { alias: "Moderator" },
      { alias: "Ada" },
      { alias: "ADA" },
      { email: "x@example.org" },
      { alias: "Dan", labels: ["two words"] },
    ];
    const shown = (await start(gm, rows, { dry_run: true })).body;
    expect(await aliasesIn(gm, {})).toEqual(["Cid", "Gus", "Kim"]);
    const done = (await start(gm, rows)).body;
    type Fault = { path: string; code: string };
    const faults = done.rows.map(
      ({ row, status, errors = [] }: { row: number; status: string; errors?: Fault[] }) => [
        ...[row, status],
        ...errors.map(({ path, code }) => `${path} ${code}`),
      ],
    );
    expect(faults).toEqual([
      [1, "rejected", "alias invalid", "email invalid", "shoe_size invalid"],
      [2, "rejected", "alias alias_taken"],
      [3, "rejected", "alias look_alike"],
      [4, "rejected", "alias look_alike"],
      [5, "created"],
      [6, "rejected", "alias duplicate"],
      [7, "rejected", "alias invalid"],
      [8, "rejected", "labels.0 invalid"],
    ]);
    const messages = [0, 5, 6].map((at) => done.rows[at].errors.at(-1).message);
    expect(messages).toEqual([
      'There is no field "shoe_size" here.',
      "The alias is that of row 5, or looks like it.",
      "The alias is missing.",
    ]);
    // The preview was the same, but for what only a new account has.
    const { player_id, recovery_code, expires_at, ...created } = done.rows[4];
    const expected = { ...done, dry_run: true, rows: done.rows.with(4, created) };
    expect(shown).toEqual(expected);
    expect(await aliasesIn(gm, {})).toEqual(["Ada", "Cid", "Gus", "Kim"]);
  });

  it("creates nobody twice, and renews invitations that are unused, if asked to", async () => {
    const gm = await s.admin();
    const [ada, ben] = (await start(gm, ROWS)).body.rows;
    const again = (await start(gm, [...ROWS, { alias: "Cid" }])).body;
    expect(again).toMatchObject({ created: 1, exists: 2, rejected: 0 });
    expect(again.rows[0]).toEqual({ row: 1, alias: "Ada", status: "exists", player_id: ada.player_id });
    expect((await setPassword("Ada", ada.recovery_code)).status).toBe(200);
    const renewed = (await start(gm, [...ROWS, { alias: "ada" }], { renew_invitations: true })).body;
    expect(renewed).toMatchObject({ created: 0, invited: 1, exists: 1, rejected: 1 });
    expect((await setPassword("Ben", ben.recovery_code)).status).toBe(401);
    expect((await setPassword("Ben", renewed.rows[1].recovery_code)).status).toBe(200);
    // Somebody else who is called Ada by now.
    expect((await start(gm, [{ alias: "Ada", email: "other@example.org" }])).body).toMatchObject({
      rejected: 1,
    });
    expect((await start(gm, [])).status).toBe(400);
  });

  it("of 500 rows ends in one call, and what time did not allow is pending", async () => {
    const gm = await s.admin();
    const rows = Array.from({ length: 500 }, (_, n) => ({
      ...{ alias: `Player ${n} of many`, first_name: "Alexandra", last_name: "Featherstonehaugh" },
      ...{
        email: `alexandra.featherstonehaugh.${n}@students.example.org`,
        labels: ["waiver", "first-years"],
      },
    }));
    used = 0;
    perRun = 20;
    const { body } = await start(gm, rows);
    expect(body).toMatchObject({ created: 80, complete: false });
    expect(body.rows[80]).toEqual({ row: 81, alias: "Player 80 of many", status: "pending" });
    perRun = Number.POSITIVE_INFINITY;
    // The log has what was done by a process that died.
    [used, diesAfter] = [0, 2];
    expect((await start(gm, rows.slice(0, 100))).status).toBe(500);
    diesAfter = Number.POSITIVE_INFINITY;
    const query = { action: "import_players", limit: "1" };
    const { logs } = (await s.must("GET /admin/get_logs/{url_id}", { as: gm, query })).body;
    expect(logs[0].details).toMatchObject({ rows: 100, exists: 8, complete: false });
    expect((await start(gm, rows)).body).toMatchObject({ created: 420, exists: 80, complete: true });
    expect((await s.call("GET /game/{url_id}", { as: gm })).body.counts.humans).toBe(500);
  });
});

describe("a large group", () => {
  const MANY = 130;
  const setUp = async () => {
    const gm = await s.admin();
    const humans = await makeCrowd(s, MANY, "human", Date.now() - MINUTE);
    await s.crowd(humans.map((human) => ({ ...human, state: "corpse", labels: ["late"] })));
    return gm;
  };

  it("is 202 while the queue continues it, and the same request then returns its end", async () => {
    const gm = await setUp();
    const body = { label: "late" };
    used = 0;
    perRun = 3;
    const begun = await upon(gm, "revive_all", body, "a-key");
    expect(begun.status, begun.text).toBe(202);
    expect(begun.body).toMatchObject({ complete: false, skipped: MANY - begun.body.count });
    expect(begun.body.count).toBeLessThan(MANY);
    await s.work({ hurry: true });
    perRun = Number.POSITIVE_INFINITY;
    const ended = await upon(gm, "revive_all", body, "a-key");
    expect(ended).toMatchObject({ status: 200, body: { count: MANY, skipped: 0, complete: true } });
    expect((await s.call("GET /game/{url_id}", { as: gm })).body.counts).toMatchObject({ humans: MANY });
    const ends = await endsOf(gm, "revive_all");
    expect(ends).toHaveLength(1);
    expect(ends[0]?.details).toMatchObject({ label: "late", count: MANY, asked_by: expect.any(String) });
  });
});
