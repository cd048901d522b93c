/** Every response of every endpoint: the contract's fields and no other, its times, headers and problems. */
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { HOUR } from "../../lib/domain/time.ts";
import type { Handler } from "../../lib/http/definition.ts";
import { loadEndpoints } from "../support/endpoints.ts";
import { blackPng } from "../support/pictures.ts";
import type { RequestOptions, Result, Someone } from "../support/service.ts";
import { createGame, goodBody } from "./bodies.ts";
import { ENDPOINTS } from "./seed.ts";
import { expectProblem, expectSecurityHeaders, watchedEnvironment } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

const PASSWORD = "correct horse battery";

/** The fields of the contract's structures, as it names them. */
const PLAYER_RETURN_INFO =
  "player_id alias first_name last_name email is_admin state tag_code kills infected_at infected_by last_fed_at starves_at passed_at has_pfp push_kinds created_at";
const PUBLIC_PLAYER = "alias state kills has_pfp created_at";
const INTERACTION = "interaction_id kind at recorded_at actor target details";
const COUNTS = "total humans zombies corpses spectators";

/** Endpoints whose response is an image. */
const PICTURES = new Set(["GET /pfp/{url_id}", "POST /get_pfp/{url_id}"]);

const fieldsOf = (value: unknown): string[] =>
  typeof value === "object" && value !== null ? Object.keys(value).toSorted() : [];

const expectFields = (value: unknown, fields: string): void => {
  expect(fieldsOf(value)).toEqual(fields.split(" ").filter(Boolean).toSorted());
};

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Every scalar of a response with its key, without recursion. */
const scalarsOf = (body: unknown): [key: string, value: unknown][] => {
  const found: [string, unknown][] = [];
  const pending: [string, unknown][] = [["", body]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [key, value] = next;
    if (Array.isArray(value)) pending.push(...value.map((inner): [string, unknown] => [key, inner]));
    else if (typeof value === "object" && value !== null) pending.push(...Object.entries(value));
    else found.push([key, value]);
  }
  return found;
};

const expectConventions = (body: unknown): void => {
  for (const [key, value] of scalarsOf(body)) {
    expect(key, "snake_case").toMatch(/^[a-z0-9_]*$/);
    const isTime = /(^at|_at|^now|^since|_since|^next_feeding)$/.test(key);
    if (isTime && value !== null) expect(value, key).toMatch(RFC_3339);
    if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) expect(value, key).toMatch(RFC_3339);
    if (key === "player_id") expect(value).toMatch(UUID_4);
    if (/^(interaction_id|infection_id)$/.test(key)) expect(value).toMatch(UUID_7);
    if (key.endsWith("_seconds") || key === "seconds_left") expect(Number.isInteger(value), key).toBe(true);
    if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  }
};

/** The fields of a value that a schema does not declare, and those that it requires and are not there. */
const undeclared = (schema: unknown, value: unknown, path = "$"): string[] => {
  const { def } = (schema as { _zod: { def: Record<string, unknown> & { type: string } } })._zod;
  if (value === null || value === undefined) return [];
  switch (def.type) {
    case "object": {
      const shape: Record<string, unknown> = { ...(def.shape as Record<string, unknown>) };
      return Object.entries(value).flatMap(([key, inner]) =>
        key in shape ? undeclared(shape[key], inner, `${path}.${key}`) : [`${path}.${key}`],
      );
    }
    case "array":
      return (value as unknown[]).flatMap((inner, at) => undeclared(def.element, inner, `${path}.${at}`));
    case "nullable":
    case "optional":
    case "default":
      return undeclared(def.innerType, value, path);
    default:
      return [];
  }
};

let handlers = new Map<string, Handler>();
const succeeded = new Set<string>();
const requestIds = new Set<string>();
let checked = 0;

/** Sends a request, and checks what holds for every response. */
const ask = async (route: string, options: RequestOptions = {}): Promise<Result> => {
  if (handlers.size === 0) handlers = await loadEndpoints();
  const result = await s.call(route, options);
  const own = handlers.get(route)?.endpoint;
  if (own === undefined) throw new Error(`no endpoint ${route}`);
  const say = `${route}: ${result.status} ${result.text.slice(0, 400)}`;
  checked += 1;
  expect(result.headers["x-request-id"], say).toMatch(/^[\w-]{8,}$/);
  requestIds.add(result.headers["x-request-id"] ?? "");
  const isPicture = result.status === 200 && PICTURES.has(route);
  expect(result.headers["cache-control"], say).toBe(isPicture ? "private, no-cache" : "no-store");
  expectSecurityHeaders(result, say);
  for (const name of Object.keys(result.headers)) expect(name, say).toBe(name.toLowerCase());
  if (result.status >= 400) {
    expectProblem(result, result.status, result.body.code, say);
    return result;
  }
  succeeded.add(route);
  // A change of password is empty, unless a recovery code has opened a session.
  const isEmpty = route === "POST /change_password" && result.status === 204;
  if (!isEmpty) expect(result.status, say).toBe(own.response.status);
  if (own.response.schema === null || isEmpty) {
    expect(result.text, say).toBe("");
    expect(result.headers["content-type"], say).toBeUndefined();
    return result;
  }
  if (isPicture) {
    expect(result.headers, say).toMatchObject({ "content-type": "image/webp", etag: expect.any(String) });
    expect(z.safeParse(own.response.schema, result.bytes).success, say).toBe(true);
    return result;
  }
  expect(result.headers["content-type"], say).toBe("application/json; charset=utf-8");
  expect(z.safeParse(own.response.schema, result.body).error?.issues ?? [], say).toEqual([]);
  expect(undeclared(own.response.schema, result.body), say).toEqual([]);
  expectConventions(result.body);
  return result;
};

const LOGIN_RETURN = "player_id alias is_admin token token_type expires_at device_token";

const ok = async (route: string, options: RequestOptions = {}): Promise<Result["body"]> => {
  const result = await ask(route, options);
  expect(result.status, `${route}: ${result.text}`).toBeLessThan(300);
  return result.body;
};

const join = async (alias: string, more: Record<string, unknown> = {}): Promise<Someone> => {
  const made = await ok("POST /new", { body: { alias, password: PASSWORD, ...more } });
  expectFields(made, PLAYER_RETURN_INFO);
  expect(made).toMatchObject({
    alias,
    is_admin: false,
    state: "human",
    kills: 0,
    has_pfp: false,
    passed_at: null,
  });
  expect(made.tag_code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
  const login = await ok("POST /login", { body: { alias: alias.toUpperCase(), password: PASSWORD } });
  expectFields(login, LOGIN_RETURN);
  expect(login).toMatchObject({ player_id: made.player_id, alias, is_admin: false, token_type: "Bearer" });
  return { id: login.player_id, alias, password: PASSWORD, token: login.token, code: made.tag_code };
};

describe("a game played through every endpoint", () => {
  it("has the contract's fields in every response", async () => {
    const gm = await s.admin();
    const ada = await join("Ada", { first_name: "Ada", last_name: "Lovelace", email: "ada@example.org" });
    const ben = await join("Ben");
    const cleo = await join("Cléo");
    const dan = await join("Dan");

    expect(await ok("GET /player/{url_id}", { as: ada })).toMatchObject({
      first_name: "Ada",
      last_name: "Lovelace",
      email: "ada@example.org",
      infected_at: null,
      infected_by: null,
      last_fed_at: null,
      starves_at: null,
    });

    // A game master's commands upon one player.
    for (const [word, kind, state] of [
      ["corpsify", "corpsify", "corpse"],
      ["revive_h", "revive_human", "human"],
      ["corpsify", "corpsify", "corpse"],
      ["revive_z", "revive_zombie", "zombie"],
      ["feed_player", "feed", "zombie"],
      ["cure", "cure", "human"],
      ["corpsify", "corpsify", "corpse"],
      ["revive_z", "revive_zombie", "zombie"],
    ] as const) {
      const body = word === "cure" ? { player_id: ada.id } : { alias: "ADA" };
      const answer = await ok(`POST /admin/${word}/{url_id}`, { as: gm, body });
      expectFields(answer, "player interaction");
      expectFields(answer.player, PLAYER_RETURN_INFO);
      expectFields(answer.interaction, INTERACTION);
      expect(answer.player).toMatchObject({ alias: "Ada", state });
      expect(answer.interaction).toMatchObject({ kind, actor: "Game Master", target: "Ada" });
      const { player } = answer;
      expect(player.tag_code === null).toBe(state !== "human");
      expect(player.starves_at === null).toBe(state !== "zombie");
      expect(player.last_fed_at === null).toBe(kind !== "feed");
      expectFields(
        answer.interaction.details,
        kind === "revive_zombie" ? "infection_id parent_infection_id" : "",
      );
      if (kind === "revive_zombie") {
        expect(answer.interaction.details).toEqual({
          infection_id: answer.interaction.interaction_id,
          parent_infection_id: null,
        });
      }
    }

    // Who am I, and what a registration answers that logs in.
    expectFields(
      await ok("GET /session/me", { as: ada }),
      "player_id alias role is_admin idle_expires_at expires_at",
    );
    const faye = await ok("POST /new", { body: { alias: "Faye", password: PASSWORD, login: true } });
    expectFields(faye, `${PLAYER_RETURN_INFO} token token_type expires_at device_token`);
    await ok("POST /admin/remove_player/{url_id}", { as: gm, body: { alias: "Faye" } });

    // Hunts: plain, shared, in the past.
    const plain = await ok("POST /zombie/hunt/{url_id}", {
      as: ada,
      body: { tag_code: ben.code, note: "by the library", latitude: 47.3, longitude: 8.5 },
    });
    expectFields(plain, "interaction hunter prey");
    expectFields(plain.hunter, "kills starves_at");
    expect(plain.prey).toEqual({ alias: "Ben", state: "zombie" });
    expectFields(plain.interaction, INTERACTION);
    expectFields(
      plain.interaction.details,
      "infection_id parent_infection_id shared_with note latitude longitude",
    );
    const shared = await ok("POST /zombie/hunt/{url_id}", {
      as: ben,
      body: {
        tag_code: ` ${cleo.code?.toLowerCase().slice(0, 4)}-${cleo.code?.slice(4)} `,
        share_with: ["ada"],
      },
    });
    expect(shared.interaction.details).toMatchObject({
      shared_with: ["Ada"],
      parent_infection_id: plain.interaction.interaction_id,
      infection_id: shared.interaction.interaction_id,
    });
    expect(await ok("GET /player/{url_id}", { as: ben })).toMatchObject({
      infected_by: "Ada",
      kills: 1,
      tag_code: null,
    });

    // A tag taken back.
    const eve = await join("Eve");
    const lie = await ok("POST /zombie/hunt/{url_id}", { as: ada, body: { tag_code: eve.code } });
    for (const dry_run of [true, false]) {
      const undone = await ok("POST /admin/void_hunt/{url_id}", {
        as: gm,
        body: { interaction_id: lie.interaction.interaction_id, reason: "She was not there.", dry_run },
      });
      expectFields(undone, "interaction dry_run effects");
      expect(undone.interaction === null).toBe(dry_run);
      const [prey, kill, meal] = undone.effects;
      expectFields(prey, "alias effect state");
      expectFields(kill, "alias effect state kills");
      expectFields(meal, "alias effect state starves_at");
      if (dry_run) continue;
      expectFields(undone.interaction, INTERACTION);
      expectFields(undone.interaction.details, "voided_interaction_id reason");
    }
    expectFields(
      (await ok("GET /interactions/{url_id}", { as: dan, query: { kind: "void" } })).interactions[0].details,
      "voided_interaction_id",
    );
    await ok("POST /admin/remove_player/{url_id}", { as: gm, body: { alias: "Eve" } });

    // What everyone may read.
    const next = await ok("GET /zombie/next_feeding/{url_id}", { as: ada });
    expectFields(next, "next_feeding seconds_left last_fed_at");
    const hungry = await ok("GET /zombie/starvation/{url_id}", { as: dan });
    expectFields(hungry, "zombies next_cursor counts");
    expectFields(hungry.counts, "fed hungry starving");
    expectFields(hungry.zombies[0], "alias starves_at seconds_left");
    expect(hungry.counts).toEqual({ fed: 3, hungry: 0, starving: 0 });

    const other = await ok("POST /get_player/{url_id}", { as: dan, body: { alias: "ＣＬＥ́Ｏ" } });
    expectFields(other, PUBLIC_PLAYER);
    expect(other).toMatchObject({ alias: "Cléo", state: "zombie", kills: 0, has_pfp: false });
    const users = await ok("GET /users/{url_id}", { as: dan });
    expectFields(users, "users next_cursor");
    for (const one of users.users) expectFields(one, PUBLIC_PLAYER);
    expect(users.users.map(({ alias }: { alias: string }) => alias)).toEqual([
      "Ada",
      "Ben",
      "Cléo",
      "Dan",
      "Game Master",
    ]);

    const board = await ok("GET /interactions/leaderboard/{url_id}", { as: dan });
    expectFields(board, "players");
    for (const one of board.players) expectFields(one, "rank alias state kills infected_at last_kill_at");
    const tree = await ok("GET /interactions/tree/{url_id}", { as: dan });
    expectFields(tree, "roots size truncated");
    expectFields(tree.roots[0], "infection_id alias state infected_at kills voided children");
    const branch = await ok("GET /interactions/tree/{url_id}", {
      as: dan,
      query: { root: plain.interaction.interaction_id, depth: 1 },
    });
    expect(branch).toMatchObject({
      size: 1,
      truncated: true,
      roots: [{ alias: "Ben", kills: 1, children: [] }],
    });

    const record = await ok("GET /interactions/{url_id}", { as: dan });
    expectFields(record, "interactions next_cursor");
    for (const one of record.interactions) expectFields(one, INTERACTION);
    const seenBy = async (as: Someone) =>
      (await ok("GET /interactions/{url_id}", { as, query: { kind: "hunt" } })).interactions.find(
        ({ interaction_id }: { interaction_id: string }) =>
          interaction_id === plain.interaction.interaction_id,
      );
    // The note and place of a hunt are shown to administrators and the hunter only; the prey is neither.
    for (const as of [gm, ada])
      expect((await seenBy(as)).details).toMatchObject({ note: "by the library", latitude: 47.3 });
    for (const as of [ben, cleo, dan]) {
      expectFields((await seenBy(as)).details, "infection_id parent_infection_id shared_with");
    }

    // What game masters read.
    const counts = await ok("GET /admin/player_count/{url_id}", { as: gm });
    expectFields(counts, COUNTS);
    expect(counts).toEqual({ total: 5, humans: 1, zombies: 3, corpses: 0, spectators: 1 });
    const players = await ok("GET /admin/get_players/{url_id}", {
      as: gm,
      query: { state: "zombie", passed: false },
    });
    expectFields(players, "players next_cursor");
    for (const one of players.players) expectFields(one, PLAYER_RETURN_INFO);
    expect(players.players).toHaveLength(3);

    // The checkpoint.
    const CHECKPOINT = "checkpoint_id name description latitude longitude closes_at applies_to set_at";
    expect(await ok("GET /checkpoint/{url_id}", { as: dan })).toEqual({
      checkpoint: null,
      passed: false,
      passed_at: null,
    });
    const bridge = await ok("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
    expectFields(bridge, CHECKPOINT);
    expect(bridge).toMatchObject({
      name: "The bridge",
      description: null,
      latitude: null,
      closes_at: null,
      applies_to: "all",
    });
    const registered = await ok("POST /admin/player_at_checkpoint/{url_id}", {
      as: gm,
      body: { tag_code: dan.code },
    });
    expectFields(registered, "alias checkpoint_id passed_at");
    const passed = await ok("GET /checkpoint/{url_id}", { as: dan });
    expect(passed).toEqual({ checkpoint: bridge, passed: true, passed_at: registered.passed_at });
    expect((await ok("GET /player/{url_id}", { as: dan })).passed_at).toBe(registered.passed_at);
    const trial = await ok("POST /admin/kill_all_not_at_checkpoint/{url_id}", {
      as: gm,
      body: { dry_run: true },
    });
    expect(trial).toMatchObject({ killed: 3, spared: 1, complete: true });
    expectFields(trial, "killed spared complete job_id");
    expect(await ok("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { clear: true } })).toBeNull();

    // Accounts in a game master's hand.
    const renamed = await ok("POST /admin/edit_player/{url_id}", {
      as: gm,
      body: { alias: "dan", alias_to: "Daniel" },
    });
    expectFields(renamed, PLAYER_RETURN_INFO);
    await ok("POST /admin/edit_player/{url_id}", { as: gm, body: { alias: "daniel", alias_to: "Dan" } });
    const recovery = await ok("POST /admin/recover_password/{url_id}", { as: gm, body: { alias: "dan" } });
    expectFields(recovery, "alias recovery_code expires_at");
    const requested = await ok("POST /admin/inject_sql/{url_id}", {
      as: gm,
      body: {
        statement: `SELECT alias, kills FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND gsi1sk = ?`,
        parameters: ["ben"],
      },
    });
    expect(requested).toEqual({ items: [{ alias: "Ben", kills: 1 }], next_cursor: null });
    await join("Leaver");
    await ok("POST /admin/remove_player/{url_id}", { as: gm, body: { alias: "Leaver" } });
    const { logs } = await ok("GET /admin/get_logs/{url_id}", { as: gm });
    for (const one of logs) expectFields(one, "log_id at action actor target request_id outcome details");
    expect(logs[0]).toMatchObject({
      action: "remove_player",
      actor: "Game Master",
      target: null,
      outcome: "done",
    });
    expect(JSON.stringify(logs)).not.toContain(recovery.recovery_code);

    // The clock.
    const fed = await ok("POST /admin/feed/{url_id}", { as: gm, body: { n: 2 } });
    expectFields(fed, "fed count");
    for (const one of fed.fed) expectFields(one, "alias starves_at");
    expect(fed.count).toBe(2);
    expect(await ok("POST /admin/zombies_add_day/{url_id}", { as: gm })).toEqual({
      zombies: 3,
      added_seconds: 86_400,
    });
    const game = await ok("GET /game/{url_id}", { as: dan });
    expectFields(game, "now paused paused_since feeding_period_seconds checkpoint counts");
    expectFields(game.counts, COUNTS);
    expect(game).toMatchObject({
      paused: false,
      paused_since: null,
      feeding_period_seconds: 172_800,
      checkpoint: null,
    });
    const paused = await ok("POST /admin/pause_game/{url_id}", { as: gm });
    expectFields(paused, "paused since");
    expect(await ok("POST /admin/pause_game/{url_id}", { as: gm })).toEqual(paused);
    expect(await ok("GET /game/{url_id}", { as: dan })).toMatchObject({
      paused: true,
      paused_since: paused.since,
    });
    expect(await ok("POST /admin/resume_game/{url_id}", { as: gm })).toEqual({ paused: false, since: null });
    expect(await ok("POST /admin/resume_game/{url_id}", { as: gm })).toEqual({ paused: false, since: null });

    // Those who starve are corpses in every answer before any sweep.
    await s.pass(80 * HOUR);
    expect(await ok("GET /player/{url_id}", { as: cleo })).toMatchObject({
      state: "corpse",
      starves_at: null,
      tag_code: null,
    });
    expect(await ok("POST /get_player/{url_id}", { as: dan, body: { alias: "cléo" } })).toMatchObject({
      state: "corpse",
    });
    expect((await ok("GET /zombie/starvation/{url_id}", { as: dan })).zombies).toEqual([]);
    expect((await ok("GET /users/{url_id}", { as: dan, query: { state: "zombie" } })).users).toEqual([]);
    expect((await ok("GET /users/{url_id}", { as: dan, query: { state: "corpse" } })).users).toHaveLength(3);
    expect((await ok("GET /interactions/leaderboard/{url_id}", { as: dan })).players[0].state).toBe("corpse");
    expect(
      (await ok("GET /interactions/tree/{url_id}", { as: dan })).roots.map(
        ({ state }: { state: string }) => state,
      ),
    ).toEqual(tree.roots.map(() => "corpse"));
    await s.sweep();
    const starved = await ok("GET /interactions/{url_id}", { as: dan, query: { kind: "starve" } });
    expect(starved.interactions).toHaveLength(3);
    for (const one of starved.interactions) expect(one).toMatchObject({ actor: null, details: {} });

    // Accounts.
    const edited = await ok("POST /edit_player/{url_id}", { as: ada, body: { alias: "ADA", email: null } });
    expectFields(edited, PLAYER_RETURN_INFO);
    expect(edited).toMatchObject({ alias: "ADA", email: null, first_name: "Ada" });
    const image = blackPng(3, 2).toString("base64");
    const picture = await ok("POST /set_pfp/{url_id}", { as: ada, body: { image } });
    expectFields(picture, "content_type width height bytes etag");
    expect(picture).toMatchObject({ content_type: "image/webp", width: 3, height: 2 });
    for (const shown of [
      await ask("GET /pfp/{url_id}", { as: ada }),
      await ask("POST /get_pfp/{url_id}", { as: ben, body: { alias: "ada" } }),
    ]) {
      expect(shown.headers.etag).toBe(picture.etag);
      expect(shown.bytes).toHaveLength(picture.bytes);
    }
    expectProblem(await ask("GET /pfp/{url_id}", { as: ben }), 404, "no_picture");
    await ok("DELETE /delete_player/{url_id}", { as: ben });
    const after = await ok("GET /interactions/tree/{url_id}", { as: dan });
    expect(JSON.stringify(after)).not.toContain("Ben");
    expect(after.size).toBe(tree.size);
    await ok("POST /logout", { as: dan, body: { everywhere: false } });
    await ok("POST /change_password", {
      body: { alias: "dan", current_password: PASSWORD, new_password: "another horse battery" },
    });
    const { recovery_code } = await ok("POST /admin/recover_password/{url_id}", {
      as: await s.login("Game Master", PASSWORD),
      body: { alias: "dan" },
    });
    const entered = await ok("POST /change_password", {
      body: { alias: "dan", recovery_code, new_password: "a better password" },
    });
    expectFields(entered, LOGIN_RETURN);
  });

  it.each(ENDPOINTS.filter(({ answer }) => answer !== undefined))(
    "has the fields $answer in the response of $route",
    async ({ route, access, answer = "" }) => {
      const on = await createGame(s);
      const as = access === "administrator" ? on.gm : on.ada;
      expectFields(
        await ok(route, { as, ...(route.startsWith("POST ") ? { body: goodBody(route, on) } : {}) }),
        answer,
      );
    },
  );

  it("shows a player only what is public about another, wherever the other is named", async () => {
    const gm = await s.admin();
    const ada = await join("Ada", {
      first_name: "Augusta",
      last_name: "King",
      email: "countess@example.org",
    });
    const [ben, cleo] = [await join("Ben"), await join("Cleo")];
    await s.outbreak(gm, ben);
    await s.hunt(ben, ada, { note: "behind the ice house" });
    const reads = ENDPOINTS.filter(({ route, access }) => route.startsWith("GET ") && access === "player");
    const texts: string[] = [];
    for (const { route } of reads) texts.push((await ask(route, { as: cleo })).text);
    texts.push((await ask("POST /get_player/{url_id}", { as: cleo, body: { alias: "Ada" } })).text);
    const all = texts.join("\n");
    expect(all).toContain("Ada");
    for (const secret of [
      ada.id,
      ben.id,
      gm.id,
      ada.code ?? "?",
      "Augusta",
      "King",
      "countess",
      "ice house",
      ada.token,
      "argon2",
    ]) {
      expect(all, secret).not.toContain(secret);
    }
  });

  it("has full pages but for the last, also when filtered", async () => {
    const gm = await s.admin();
    for (const alias of ["Ann", "Bea", "Cid", "Dot", "Eli", "Fay", "Gus"]) await join(alias);
    for (const alias of ["Bea", "Eli", "Gus"])
      await ok("POST /admin/corpsify/{url_id}", { as: gm, body: { alias } });
    for (const [route, items, query, names] of [
      ["GET /users/{url_id}", "users", {}, ["Ann", "Bea", "Cid", "Dot", "Eli", "Fay", "Game Master", "Gus"]],
      ["GET /users/{url_id}", "users", { state: "corpse" }, ["Bea", "Eli", "Gus"]],
      ["GET /users/{url_id}", "users", { state: "human" }, ["Ann", "Cid", "Dot", "Fay"]],
      ["GET /admin/get_players/{url_id}", "players", { state: "human" }, ["Ann", "Cid", "Dot", "Fay"]],
      ["GET /admin/get_players/{url_id}", "players", { passed: "true" }, []],
    ] as const) {
      for (const limit of [1, 2, 3, 4, 8, 9]) {
        const seen: string[] = [];
        let cursor: string | null = null;
        let pages = 0;
        do {
          const page: Result["body"] = await ok(route, {
            as: gm,
            query: { ...query, limit, ...(cursor === null ? {} : { cursor }) },
          });
          seen.push(...page[items].map(({ alias }: { alias: string }) => alias));
          cursor = page.next_cursor;
          if (cursor !== null) expect(page[items]).toHaveLength(limit);
          pages += 1;
        } while (cursor !== null);
        expect(seen).toEqual(names);
        expect(pages).toBe(Math.max(1, Math.ceil(names.length / limit)));
      }
    }
  });
});

describe("the list of responses", () => {
  afterAll(() => {
    // Notifications have tests of their own, with a push service.
    const expected = ENDPOINTS.filter(
      ({ module, answer }) => module !== "notifications" || answer !== undefined,
    );
    expect([...succeeded].toSorted()).toEqual(expected.map(({ route }) => route).toSorted());
    expect(requestIds.size).toBe(checked);
    expect(checked).toBeGreaterThan(150);
  });

  it("has every endpoint", () => {
    expect(ENDPOINTS.length).toBeGreaterThan(25);
  });
});
