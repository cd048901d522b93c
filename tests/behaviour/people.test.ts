/** Who may join, and who plays: registration, join codes, admission, spectators and enrolment. */
import { beforeEach, describe, expect, it } from "vitest";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { HOUR, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { gameEventsOf } from "../../lib/store/stream.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { drift } from "../support/recount.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../support/service.ts";
import { streamRecords } from "../support/streamRecords.ts";
import { scan } from "../support/table.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const PASSWORD = "correct horse battery";
let now = START;
const s = testEnvironment({
  services: ({ throttles }) => ({
    clock: () => now,
    throttles: { ...throttles, registrations: { burst: 3, intervalMs: SECOND } },
  }),
});
const { newFile, at } = archives(s);

let gm: Someone;
beforeEach(async () => {
  now = START;
  gm = await s.admin();
});

const register = (alias: string, more: Record<string, unknown> = {}, options: RequestOptions = {}) =>
  s.call("POST /new", { body: { alias, password: PASSWORD, ...more }, ...options });
const enter = async (alias: string, more: Record<string, unknown> = {}): Promise<Someone> => {
  const { status, text, body } = await register(alias, more);
  if (status !== 201) throw new Error(text);
  return { ...(await s.login(alias, PASSWORD)), code: body.tag_code };
};
const master = (name: string, body: Record<string, unknown>, as = gm) =>
  s.call(`POST /admin/${name}/{url_id}`, { as, body });
const set = async (settings: Record<string, unknown>) =>
  (await s.must("POST /admin/settings/{url_id}", { as: gm, body: settings })).body;
const outcomeOf = ({ status, body }: Result) => [status, body?.code];
const listed = async (query: Record<string, string>, as = gm) =>
  (await s.must("GET /admin/get_players/{url_id}", { as, query })).body.players as Result["body"][];
const eventsTo = async (who: Someone) =>
  (await streamRecords(s))
    .flatMap(({ dynamodb }) => gameEventsOf(dynamodb?.NewImage, true)?.events ?? [])
    .filter(({ to }) => to === who.id)
    .map(({ event }) => event.what);

describe("registration", () => {
  it("is closed by a game master, or from a time on", async () => {
    await set({ registration_closes_at: rfc3339(now + HOUR) });
    expect((await register("Ada")).status).toBe(201);
    now += HOUR;
    expect(outcomeOf(await register("Ben"))).toEqual([409, "registration_closed"]);
    await set({ registration_closes_at: null });
    expect((await register("Ben")).status).toBe(201);
    await set({ registration: "closed" });
    expect(outcomeOf(await register("Cid"))).toEqual([409, "registration_closed"]);
  });

  it("makes spectators with approval, whom a game master admits: one or a list", async () => {
    await set({ registration: "approval" });
    const [ada, ben, cid] = [await enter("Ada"), await enter("Ben"), await enter("Cid")];
    expect(await s.see(ada)).toMatchObject({ state: "spectator", pending: true, tag_code: null });
    expect((await listed({ pending: "true" })).map(({ alias }) => alias)).toEqual(["Ada", "Ben", "Cid"]);
    const mo = await s.moderator("Mo");
    expect(await listed({ pending: "true" }, mo)).toEqual([]);
    expect((await listed({ search: "ada" }, mo))[0]).toMatchObject({ alias: "Ada", pending: null });
    expect((await listed({ pending: "false" })).map(({ alias }) => alias)).not.toContain("Ada");
    expect((await s.call("POST /player/enrol/{url_id}", { as: ada })).body.code).toBe("wrong_state");

    expect((await master("admit", { alias: "Ada", reason: "Knows the rules." })).body).toEqual({
      admitted: [{ alias: "Ada", state: "human" }],
      skipped: [],
    });
    expect(await s.see(ada)).toMatchObject({ state: "human", pending: false, tag_code: expect.any(String) });
    expect(outcomeOf(await master("admit", { alias: "Ada" }))).toEqual([409, "wrong_state"]);
    expect(outcomeOf(await master("admit", { alias: "Nobody" }))).toEqual([404, "player_not_found"]);
    const key = { as: gm, key: "list", body: { aliases: ["ben", "Ada", "Nobody", "Cid", "BEN"] } };
    const [first, again] = [
      await s.must("POST /admin/admit/{url_id}", key),
      await s.must("POST /admin/admit/{url_id}", key),
    ];
    expect(first.body).toEqual({
      admitted: [
        { alias: "Ben", state: "human" },
        { alias: "Cid", state: "human" },
      ],
      skipped: [
        { alias: "Ada", code: "wrong_state" },
        { alias: "Nobody", code: "player_not_found" },
      ],
    });
    expect(again.body).toMatchObject({ admitted: first.body.admitted });
    for (const one of [ada, ben, cid]) expect(await eventsTo(one)).toEqual(["admitted"]);
    const logs = await s.must("GET /admin/get_logs/{url_id}", { as: gm, query: { action: "admit" } });
    expect(logs.body.logs.at(-1)).toMatchObject({
      target: "Ada",
      details: { reason: "Knows the rules." },
    });
    expect(await drift(s)).toEqual([]);
  });

  it("lets a zombie who registers fifty humans hunt none of them, with approval or codes for one use", async () => {
    const zed = await enter("Zed");
    await s.outbreak(gm, zed);
    const puppets = async (join_code?: string) => {
      const all = Array.from({ length: 50 }, (_, n) =>
        register(`Puppet ${n}${join_code ?? ""}`, join_code === undefined ? {} : { join_code }),
      );
      return (await Promise.all(all)).map(({ body }) => body.tag_code ?? null);
    };
    await set({ registration: "approval" });
    expect((await puppets()).filter((code) => code !== null)).toEqual([]);
    const join_codes = [{ code: "for-Zed", uses: 1 }];
    await set({ registration: "open", join_codes });
    await enter("Zoe", { join_code: "for-Zed" });
    expect((await puppets("for-Zed")).filter((code) => code !== null)).toEqual([]);
    expect((await s.see(zed)).kills).toBe(0);
  });
});

describe("a join code", () => {
  const codes = async () => (await s.must("GET /admin/settings/{url_id}", { as: gm })).body.join_codes;

  it("has uses and an end, and tells no more than why it does not work", async () => {
    const ends_at = rfc3339(now + 6 * HOUR);
    await set({
      join_codes: [{ code: "Staple", uses: 1 }, { code: "battery", ends_at }, { code: "all in" }],
    });
    const message = async (join_code?: string) =>
      (await register("Eve", join_code === undefined ? {} : { join_code })).body.errors?.[0]?.message;
    expect(await message()).toBe("The join code is needed to join this game.");
    expect(await message("horse")).toBe("The join code is not one of this game.");
    await enter("Ada", { join_code: " STAPLE " });
    expect(await message("staple")).toBe("The join code has been used up.");
    now += 6 * HOUR;
    expect(await message("battery")).toBe("The join code is not valid any more.");
    await enter("Ben", { join_code: "All In" });
    expect(await codes()).toEqual([
      { code: "all in", uses: null, uses_left: null, ends_at: null },
      { code: "battery", uses: null, uses_left: null, ends_at },
      { code: "Staple", uses: 1, uses_left: 0, ends_at: null },
    ]);
    // A code that stays keeps its uses.
    await set({ join_codes: [{ code: "staple", uses: 3 }] });
    expect(await codes()).toMatchObject([{ code: "staple", uses: 3, uses_left: 2 }]);
    await set({ join_codes: [] });
    await enter("Cid");
    const twice = { join_codes: [{ code: "Horse" }, { code: "horse " }] };
    expect((await master("settings", twice)).body.errors).toMatchObject([{ path: "join_codes.1.code" }]);
  });

  it("is the deployment's as long as the game has none of its own", async () => {
    s.services.joinCode = "brains";
    expect(await codes()).toEqual([{ code: "brains", uses: null, uses_left: null, ends_at: null }]);
    await enter("Ada", { join_code: "brains" });
    await set({ join_codes: [{ code: "more brains" }] });
    expect((await register("Ben", { join_code: "brains" })).status).toBe(400);
    await enter("Ben", { join_code: "more brains" });
    await set({ join_codes: null });
    await enter("Cid", { join_code: "brains" });
    expect((await register("Dee")).status).toBe(400);
  });

  it("with one use left lets exactly one of two in, and a retry in once", async () => {
    await set({ join_codes: [{ code: "only two", uses: 2 }] });
    const join_code = "only two";
    const first = await register("Ada", { join_code }, { key: "once" });
    expect((await register("Ada", { join_code }, { key: "once" })).body).toEqual(first.body);
    expect(await codes()).toMatchObject([{ uses_left: 1 }]);
    const both = await Promise.all(["Ben", "Cid"].map((alias) => register(alias, { join_code })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    // A retry is answered when nothing is left, too, and when registration has been closed meanwhile.
    expect((await register("Ada", { join_code }, { key: "once" })).status).toBe(201);
    await set({ registration: "closed" });
    expect((await register("Ada", { join_code }, { key: "once" })).status).toBe(201);
    expect(await codes()).toMatchObject([{ uses_left: 0 }]);
  });

  it("is guessed as often as one may register, and seen by administrators only", async () => {
    await set({ join_codes: [{ code: "the right one" }] });
    const guess = (join_code: string) => register("Ada", { join_code }, { from: "192.0.2.9" });
    for (const code of ["one", "two", "three"]) expect((await guess(code)).status).toBe(400);
    expect(outcomeOf(await guess("the right one"))).toEqual([429, "too_many_attempts"]);
    now += SECOND;
    expect((await guess("the right one")).status).toBe(201);
    const ada = await s.login("Ada", PASSWORD);
    await master("edit_player", { alias: "Ada", is_moderator: true });
    expect((await s.call("GET /admin/settings/{url_id}", { as: ada })).status).toBe(401);
  });
});

describe("a player whom a game master takes out of play", () => {
  it.each(["human", "zombie", "corpse"])("was a %s, and keeps their record", async (state) => {
    const [ada, ben] = [await enter("Ada"), await enter("Ben")];
    if (state !== "human") {
      await s.outbreak(gm, ada);
      await s.hunt(ada, ben);
    }
    if (state === "corpse") await master("corpsify", { alias: "Ada" });
    const before = await s.see(ada);
    const { status, body } = await master("make_spectator", { alias: "Ada", reason: "Injured." });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      player: { state: "spectator", kills: before.kills, tag_code: null, starves_at: null, pending: false },
      interaction: { kind: "corpsify", target: "Ada", details: { withdrawn: true, reason: "Injured." } },
    });
    expect(await eventsTo(ada)).toContain("withdrawn");
    expect(outcomeOf(await master("make_spectator", { alias: "Ada" }))).toEqual([409, "wrong_state"]);
    expect((await s.call("POST /player/enrol/{url_id}", { as: ada })).body.code).toBe("wrong_state");
    if (state === "human") {
      const zed = await enter("Zed");
      await s.outbreak(gm, zed);
      const { body: refused } = await s.hunt(zed, ada);
      expect(refused.detail).toBe("The player with this tag code is a spectator, but was not tagged.");
    }
    expect(await drift(s)).toEqual([]);
    expect((await master("revive_h", { alias: "Ada" })).status).toBe(200);
    expect(await drift(s)).toEqual([]);
  });

  it("stays a spectator when the hunt that infected them is voided", async () => {
    const [zed, ada] = [await enter("Zed"), await enter("Ada")];
    await s.outbreak(gm, zed);
    const { interaction_id } = (await s.hunt(zed, ada)).body.interaction;
    await master("make_spectator", { alias: "Ada" });
    const { effects } = (await master("void_hunt", { interaction_id, reason: "No." })).body;
    expect(effects[0]).toEqual({ alias: "Ada", effect: "unchanged", state: "spectator" });
    expect((await s.see(ada)).state).toBe("spectator");
  });
});

describe("a new season", () => {
  const reset = (more: { enrolment?: "everyone" | "opt_in" } = {}) =>
    resetGame(at(), { file: newFile(), force: false, clock: () => now, ...more });

  it("enrols who asks for it, until the start unless registration is open", async () => {
    const [ada, ben, cid, dee] = [
      await enter("Ada"),
      await enter("Ben"),
      await enter("Cid"),
      await enter("Dee"),
    ];
    await s.outbreak(gm, ben);
    await master("make_spectator", { alias: "Cid" });
    await set({ enrolment: "opt_in", registration_closes_at: rfc3339(now + HOUR) });
    now += 1;
    expect(await reset()).toMatchObject({ humans: 0, unenrolled: 3 });
    expect(await drift(s)).toEqual([]);
    const enrol = (as: Someone) => s.call("POST /player/enrol/{url_id}", { as });
    await set({ starts_at: rfc3339(now + 2 * HOUR), registration: "closed" });
    for (const one of [ada, cid]) {
      expect((await s.see(one)).state).toBe("spectator");
      expect((await enrol(one)).body).toMatchObject({
        state: "human",
        tag_code: expect.any(String),
        kills: 0,
      });
      expect(outcomeOf(await enrol(one))).toEqual([409, "wrong_state"]);
    }
    now += 2 * HOUR;
    expect(outcomeOf(await enrol(ben))).toEqual([409, "registration_closed"]);
    await set({ registration: "open" });
    expect((await enrol(ben)).status).toBe(200);
    expect(await drift(s)).toEqual([]);
    now += 1;
    expect(await reset({ enrolment: "everyone" })).toMatchObject({ humans: 3, unenrolled: 0 });
    expect((await s.see(dee)).state).toBe("spectator");
  });
});

describe("a game master who plays", () => {
  it("sees the tag codes of others only while they do not", async () => {
    const ada = await enter("Ada");
    const codesSeen = async (as: Someone) =>
      (await listed({}, as)).flatMap(({ alias, tag_code }) => (tag_code === null ? [] : [alias]));
    expect(await codesSeen(gm)).toEqual(["Ada"]);
    const gus = await s.admin("Gus", true);
    expect(await codesSeen(gus)).toEqual(["Gus"]);
    expect((await master("edit_player", { alias: "Ada", alias_to: "Ava" }, gus)).body.tag_code).toBeNull();
    await master("corpsify", { alias: "Ava" });
    expect((await master("revive_h", { alias: "Ava" }, gus)).body.player.tag_code).toBeNull();
    const ask = (what: string, more = "") => {
      const statement = `SELECT ${what} FROM "game" WHERE pk = 'PLAYER#${ada.id}' AND sk = 'PROFILE'${more}`;
      return master("inject_sql", { statement }, gus);
    };
    expect((await ask("*")).body.items).toMatchObject([{ alias: "Ava", tag_code: null }]);
    for (const refused of [
      ask("tag_code"),
      ask('"tag_code"'),
      ask("alias", " AND begins_with(tag_code, 'A')"),
    ])
      expect(outcomeOf(await refused)).toEqual([400, "invalid_request"]);
    await master("make_spectator", { alias: "Gus" });
    expect(await codesSeen(gus)).toEqual(["Ava"]);
    expect((await ask("tag_code")).body.items).toMatchObject([{ tag_code: expect.any(String) }]);
    expect((await s.see(ada)).tag_code).not.toBeNull();
  });
});

describe("a player who leaves during play", () => {
  const leave = (as: Someone) => s.call("DELETE /delete_player/{url_id}", { as });
  const email = "zed@example.org";
  let zed: Someone;
  let ann: Someone;
  beforeEach(async () => {
    zed = await enter("Zed", { email });
    ann = await enter("Ann");
    await s.outbreak(gm, zed);
    now += 2 * HOUR;
  });

  it.each<[string, string, Record<string, string>]>([
    ["alias, in another spelling", "ZED", {}],
    ["address", "Somebody else", { email: "Zed@Example.org" }],
  ])("and registers again with the %s comes back as the zombie who left", async (_, alias, more) => {
    const { infection_id } = (await s.must("GET /interactions/tree/{url_id}", { as: gm })).body.roots[0];
    expect((await leave(zed)).status).toBe(204);
    now += 10 * HOUR;
    const { body } = await register(alias, more);
    expect(body).toMatchObject({
      state: "zombie",
      tag_code: null,
      kills: 0,
      starves_at: rfc3339(now + 46 * HOUR),
    });
    const { roots } = (await s.must("GET /interactions/tree/{url_id}", { as: gm })).body;
    expect(roots).toMatchObject([{ infection_id, alias: null, children: [{ alias, state: "zombie" }] }]);
    const again = await s.login(alias, PASSWORD);
    expect((await s.hunt(again, ann)).status).toBe(200);
    expect(await drift(s)).toEqual([]);
    // Neither the alias nor the address is in the table in the clear.
    await leave(again);
    const left = (await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#TOMBSTONES"));
    expect(JSON.stringify(left)).not.toMatch(/zed|somebody/i);
    expect(await drift(s)).toEqual([]);
  });

  it("is a corpse who stays one, also if starved in the meantime or taken out of play", async () => {
    await master("corpsify", { alias: "Ann" });
    await leave(ann);
    expect((await register("Ann")).body.state).toBe("corpse");
    const bea = await enter("Bea");
    await master("make_spectator", { alias: "Bea" });
    await leave(bea);
    const { body } = await register("Bea", { login: true });
    expect(body).toMatchObject({ state: "spectator", pending: false });
    const as = { ...bea, id: body.player_id, token: body.token };
    expect((await s.call("POST /player/enrol/{url_id}", { as })).body.code).toBe("wrong_state");
    now += 47 * HOUR;
    await leave(await s.login("Zed", PASSWORD));
    expect((await register("Zed")).body).toMatchObject({ state: "corpse", starves_at: null });
    expect(await drift(s)).toEqual([]);
  });

  it("comes back as a human with the same code, so that a tag before that still counts", async () => {
    await set({ registration: "approval" });
    await leave(ann);
    expect((await register("Ann")).body).toMatchObject({
      state: "human",
      tag_code: ann.code,
      pending: false,
    });
    const hunted_at = rfc3339(now - HOUR);
    expect((await s.hunt(zed, ann, { hunted_at })).body).toMatchObject({
      interaction: { at: hunted_at, target: "Ann" },
      hunter: { kills: 1 },
      prey: { alias: "Ann", state: "zombie" },
    });
    expect(await drift(s)).toEqual([]);
  });

  it("comes back as a zombie if they were tagged, and the hunter reported it since", async () => {
    await leave(ann);
    const { interaction } = (await s.hunt(zed, ann)).body;
    const starves_at = rfc3339(now + 48 * HOUR);
    expect((await register("Ann")).body).toMatchObject({ state: "zombie", infected_by: "Zed", starves_at });
    const { roots } = (await s.must("GET /interactions/tree/{url_id}", { as: gm })).body;
    const { interaction_id: infection_id } = interaction;
    expect(roots[0].children).toMatchObject([{ infection_id, alias: null, children: [{ alias: "Ann" }] }]);
    expect(await drift(s)).toEqual([]);
  });

  it("left when they asked for it, also if the deletion is continued later", async () => {
    const at = { player_id: zed.id, action: "delete_player", actor: zed.id, left_at: now };
    now += 47 * HOUR;
    const run = { services: s.services, requestId: "later", timeLeft: () => 60_000 };
    await processMessage(run, { kind: "removal", ...at });
    expect((await register("Zed")).body).toMatchObject({
      state: "zombie",
      starves_at: rfc3339(now + 46 * HOUR),
    });
  });

  it("is shown as the human that others took them for, if they are a hidden original zombie", async () => {
    await set({ hide_originals: true });
    const oda = await enter("Oda");
    await master("corpsify", { alias: "Oda" });
    await master("revive_z", { alias: "Oda" });
    await leave(oda);
    const { body } = await register("Oda", { login: true });
    expect(body).toMatchObject({ state: "zombie", shown_as: "human" });
    const { interactions } = (await s.must("GET /interactions/{url_id}", { as: ann })).body;
    expect(interactions[0]).toMatchObject({ kind: "revive_human", target: null });
    const shown = await s.must("POST /get_player/{url_id}", { as: ann, body: { alias: "Oda" } });
    expect(shown.body.state).toBe("human");
    // Their time is over, which nobody else sees.
    now += 50 * HOUR;
    await leave(await s.login("Oda", PASSWORD));
    expect((await register("Oda")).body).toMatchObject({ state: "corpse", shown_as: "human" });
    expect(await drift(s)).toEqual([]);
  });

  it("comes back as anybody after the end, and in a new season", async () => {
    await set({ ends_at: rfc3339(now + HOUR) });
    now += HOUR;
    await leave(zed);
    expect((await register("Zed")).body.state).toBe("human");
    await set({ ends_at: null });
    await s.outbreak(gm, await s.login("Zed", PASSWORD));
    await leave(await s.login("Zed", PASSWORD));
    await resetGame(at(), { file: newFile(), force: false, clock: () => now });
    expect((await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#TOMBSTONES"))).toEqual([]);
    expect((await register("Zed")).body.state).toBe("human");
  });

  it("asks a game master where the settings say so, unless the game is not on", async () => {
    await set({ leaving: "with_game_master" });
    expect(outcomeOf(await leave(zed))).toEqual([409, "ask_game_master"]);
    expect((await master("remove_player", { alias: "Zed" })).status).toBe(204);
    expect((await register("Zed")).body.state).toBe("zombie");
    await set({ starts_at: rfc3339(now + HOUR) });
    expect((await leave(ann)).status).toBe(204);
  });

  it("and is hunted at the same time is a zombie when they come back, whoever was first", async () => {
    const [hunted] = await Promise.all([s.hunt(zed, ann), leave(ann)]);
    expect(hunted?.status).toBe(200);
    expect((await register("Ann")).body.state).toBe("zombie");
    expect(await drift(s)).toEqual([]);
  });
});

describe("an address for one account", () => {
  it("is guarded from the moment that it is required; accounts that share one stay", async () => {
    const email = "ada@example.org";
    const [ada, ben, cid] = [
      await enter("Ada", { email }),
      await enter("Ben", { email }),
      await enter("Cid"),
    ];
    await set({ unique_email: true });
    expect((await s.see(ben)).email).toBe(email);
    expect(outcomeOf(await register("Dee", { email: "ADA@example.org" }))).toEqual([409, "email_taken"]);
    const edit = (as: Someone, address: string) =>
      s.call("POST /edit_player/{url_id}", { as, body: { email: address } });
    expect(outcomeOf(await edit(cid, email))).toEqual([409, "email_taken"]);
    const both = await Promise.all(["Eve", "Fay"].map((one) => register(one, { email: "one@example.org" })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const taken = { alias: "Cid", email: "ONE@example.org" };
    expect(outcomeOf(await master("edit_player", taken))).toEqual([409, "email_taken"]);
    const rows = ["ada@example.org", "two@example.org", "Two@example.org"].map((address, n) => ({
      alias: `Row ${n + 1} x`,
      email: address,
    }));
    const imported = (await master("import_players", { rows })).body.rows;
    expect(imported.map(({ status, errors }: Result["body"]) => [status, errors?.[0]])).toMatchObject([
      ["rejected", { path: "email", code: "email_taken" }],
      ["created", undefined],
      ["rejected", { path: "email", code: "duplicate" }],
    ]);
    // Also who comes back: the address is another's by now.
    const lea = await enter("Lea", { email: "lea@example.org" });
    await s.must("DELETE /delete_player/{url_id}", { as: lea });
    await enter("Max", { email: "lea@example.org" });
    expect(outcomeOf(await register("Lea", { email: "lea@example.org" }))).toEqual([409, "email_taken"]);
    // The guard moves with the address, and goes with the account.
    expect((await edit(cid, "cid@example.org")).status).toBe(200);
    expect((await edit(cid, "new@example.org")).status).toBe(200);
    await enter("Gus", { email: "cid@example.org" });
    await s.must("DELETE /delete_player/{url_id}", { as: cid });
    await enter("Hal", { email: "new@example.org" });
    for (const as of [ada, ben]) await s.must("DELETE /delete_player/{url_id}", { as });
    await set({ unique_email: false });
    await enter("Ida", { email: "new@example.org" });
    expect(await drift(s)).toEqual([]);
  });
});

describe("a ban", () => {
  const login = (alias: string) => s.call("POST /login", { body: { alias, password: PASSWORD } });
  const listBans = async () => (await s.must("GET /admin/bans/{url_id}", { as: gm })).body.bans;

  it("ends the sessions and the login of an account, until it is lifted or ends", async () => {
    const eve = await enter("Eve");
    const until = rfc3339(now + HOUR);
    const { body } = await master("ban", { alias: "eve", until, reason: "Threw a stone." });
    expect(body).toMatchObject({ alias: "Eve", covers_email: false, has_account: true, until });
    expect((await s.call("GET /player/{url_id}", { as: eve })).status).toBe(403);
    const refused = await login("Eve");
    expect(outcomeOf(refused)).toEqual([403, "banned"]);
    expect(refused.body.detail).toContain("Threw a stone.");
    const wrong = await s.call("POST /login", { body: { alias: "Eve", password: "not the password" } });
    expect(outcomeOf(wrong)).toEqual([401, "bad_credentials"]);
    const { recovery_code } = (await master("recover_password", { alias: "Eve" })).body;
    const by = { alias: "Eve", recovery_code, new_password: "another horse battery" };
    expect(outcomeOf(await s.call("POST /change_password", { body: by }))).toEqual([403, "banned"]);
    now += HOUR;
    expect((await login("Eve")).status).toBe(200);
    await master("ban", { alias: "Eve" });
    expect(await listBans()).toMatchObject([{ alias: "Eve", until: null, reason: null }]);
    expect((await master("unban", { alias: "EVE" })).body).toEqual({ lifted: 1 });
    expect((await login("Eve")).status).toBe(200);
    expect(outcomeOf(await master("unban", { alias: "Eve" }))).toEqual([404, "not_found"]);
    expect(await drift(s)).toEqual([]);
  });

  it("outlasts the account and the season, and is evaded by no alias that looks like the banned one", async () => {
    const email = "eve@example.org";
    await enter("Mallory", { email });
    await master("ban", { alias: "Mallory" });
    await master("ban", { email: "trudy@example.org" });
    await master("remove_player", { alias: "Mallory" });
    await resetGame(at(), { file: newFile(), force: false, clock: () => now });
    expect((await listBans()).map(({ alias }: { alias: string }) => alias)).toEqual([null, "Mallory"]);
    const bob = await enter("Bob");
    // The second one has a Cyrillic a, the third a capital I for an l.
    for (const alias of ["MALLORY", "M\u0430llory", "MaIlory", "M.a.llory", "Mallory 2", "\uff2dallory"]) {
      expect([alias, ...outcomeOf(await register(alias))]).toEqual([alias, 403, "banned"]);
    }
    for (const address of ["EVE@example.org", "trudy@example.org"]) {
      expect(outcomeOf(await register("Somebody", { email: address }))).toEqual([403, "banned"]);
      const body = { email: address };
      expect(outcomeOf(await s.call("POST /edit_player/{url_id}", { as: bob, body }))).toEqual([
        403,
        "banned",
      ]);
    }
    const rename = { as: bob, body: { alias: "mallory" } };
    expect(outcomeOf(await s.call("POST /edit_player/{url_id}", rename))).toEqual([403, "banned"]);
    const hashes = (await scan(s)).filter(({ pk }) => pk === "SECRET#BANS");
    expect(JSON.stringify(hashes)).not.toContain("@");
    expect((await register("Malory")).status).toBe(201);
    expect((await master("unban", { email: "Trudy@example.org" })).body).toEqual({ lifted: 1 });
    expect((await register("Trudy", { email: "trudy@example.org" })).status).toBe(201);
  });

  it("is refused for administrators and for a time in the past, and wins over a login at the same time", async () => {
    expect(outcomeOf(await master("ban", { alias: gm.alias }))).toEqual([409, "wrong_state"]);
    const past = await master("ban", { alias: "Eve", until: rfc3339(now) });
    expect(past.body.errors).toMatchObject([{ path: "until" }]);
    const eve = await enter("Eve");
    const [banned, entered] = await Promise.all([master("ban", { alias: "Eve" }), login("Eve")]);
    expect(banned.status).toBe(200);
    const as = { ...eve, token: entered.body.token ?? eve.token };
    expect((await s.call("GET /player/{url_id}", { as })).status).toBe(403);
  });
});
