/** The responses of a whole game: their fields, times, headers and problems, and what they say. */
import { afterAll, describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { blackPng } from "../support/pictures.ts";
import type { RequestOptions, Result, Someone } from "../support/service.ts";
import { createGame } from "./bodies.ts";
import { expectConforms } from "./conforms.ts";
import { ENDPOINTS } from "./seed.ts";
import { expectProblem, watchedEnvironment } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

const PASSWORD = "correct horse battery";

const requestIds = new Set<string>();
let checked = 0;

/** Sends a request, and checks what holds for every response. */
const ask = async (route: string, options: RequestOptions = {}): Promise<Result> => {
  const result = await s.call(route, options);
  expectConforms(route, result);
  checked += 1;
  requestIds.add(result.headers["x-request-id"] ?? "");
  return result;
};

const ok = async (route: string, options: RequestOptions = {}): Promise<Result["body"]> => {
  const result = await ask(route, options);
  expect(result.status, `${route}: ${result.text}`).toBeLessThan(300);
  return result.body;
};

const join = async (alias: string, more: Record<string, unknown> = {}): Promise<Someone> => {
  const made = await ok("POST /new", { body: { alias, password: PASSWORD, ...more } });
  expect(made).toMatchObject({ alias, is_admin: false, state: "human", kills: 0, has_pfp: false });
  expect(made.tag_code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
  const login = await ok("POST /login", { body: { alias: alias.toUpperCase(), password: PASSWORD } });
  expect(login).toMatchObject({ player_id: made.player_id, alias, is_admin: false, token_type: "Bearer" });
  return { id: login.player_id, alias, password: PASSWORD, token: login.token, code: made.tag_code };
};

it("a tag that its prey reports has the declared fields, and then its hunter", async () => {
  const { gm, ada, zed } = await createGame(s);
  const reported = await ok("POST /player/report_tagged/{url_id}", { as: ada, body: { by_alias: "zed" } });
  expect(reported.interaction).toMatchObject({ kind: "hunt", actor: null, target: "Ada" });
  const tag = { interaction_id: reported.interaction.interaction_id };
  const body = { ...tag, player_id: zed.id };
  const named = await ok("POST /admin/name_hunter/{url_id}", { as: gm, body });
  expect(named.interaction).toMatchObject({ ...tag, actor: "Zed", target: "Ada" });
});

it("who may play has the declared fields: admitted, taken out of play, enrolled, and banned", async () => {
  const { gm } = await createGame(s);
  const upon = (word: string, body: Record<string, unknown>) =>
    ok(`POST /admin/${word}/{url_id}`, { as: gm, body });
  await upon("settings", { registration: "approval", join_codes: [{ code: "brains" }] });
  const eve = await ok("POST /new", { body: { alias: "Eve", password: PASSWORD, join_code: "brains" } });
  expect(eve).toMatchObject({ state: "spectator", pending: true, tag_code: null });
  const { admitted, skipped } = await upon("admit", { aliases: ["Eve", "Ada"] });
  expect([admitted.length, skipped.length]).toEqual([1, 1]);
  const { interaction } = await upon("make_spectator", { alias: "Eve" });
  expect(interaction).toMatchObject({ kind: "corpsify", details: { withdrawn: true } });
  expect(await upon("ban", { alias: "Eve" })).toMatchObject({ alias: "Eve", has_account: true, until: null });
  expect((await ok("GET /admin/bans/{url_id}", { as: gm })).bans).toHaveLength(1);
  expect(await upon("unban", { alias: "eve" })).toEqual({ lifted: 1 });
  await upon("settings", { registration: "open", join_codes: null });
  expect(await ok("POST /player/enrol/{url_id}", { as: await s.admin("Gus") })).toMatchObject({
    state: "human",
  });
});

it("a dispute that is void voids its hunt, which a game master has entered", async () => {
  const { gm, ben, zed } = await createGame(s);
  const upon = (word: string, body: Record<string, unknown>) =>
    ok(`POST /admin/${word}/{url_id}`, { as: gm, body });
  const { interaction } = await upon("hunt", { hunter: "Zed", prey: ben.id, share_with: [] });
  const { interaction_id: dispute_id } = interaction;
  const body = { interaction_id: dispute_id, reason: "I was at home." };
  await ok("POST /interactions/dispute/{url_id}", { as: zed, body });
  await upon("comment_dispute", { dispute_id, comment: "Ada saw it." });
  await upon("resolve_dispute", { dispute_id, outcome: "void", note: "Ada saw it." });
  const { disputes } = await ok("GET /admin/disputes/{url_id}", { as: gm });
  expect(disputes).toMatchObject([{ dispute_id, status: "void", resolved_by: "Game Master" }]);
});

describe("a game played through every endpoint", () => {
  it("has the declared fields in every response, and the contract's values", async () => {
    const gm = await s.admin();
    const ada = await join("Ada", { first_name: "Ada", last_name: "Lovelace", email: "ada@example.org" });
    const [ben, cleo, dan] = [await join("Ben"), await join("Cléo"), await join("Dan")];
    const upon = (word: string, body: Record<string, unknown> = {}) =>
      ok(`POST /admin/${word}/{url_id}`, { as: gm, body });
    const hunt = (as: Someone, body: Record<string, unknown>) =>
      ok("POST /zombie/hunt/{url_id}", { as, body });
    const read = (path: string, query: Record<string, string | number | boolean> = {}, as = dan) =>
      ok(`GET ${path}/{url_id}`, { as, query });

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
      const { player, interaction } = await upon(
        word,
        word === "cure" ? { player_id: ada.id } : { alias: "ADA" },
      );
      expect(player).toMatchObject({ alias: "Ada", state });
      expect(interaction).toMatchObject({ kind, actor: "Game Master", target: "Ada" });
      expect(player.tag_code === null).toBe(state !== "human");
      expect(player.starves_at === null).toBe(state !== "zombie");
      expect(player.last_fed_at === null).toBe(kind !== "feed");
      const infection = { infection_id: interaction.interaction_id, parent_infection_id: null };
      expect(interaction.details).toEqual(kind === "revive_zombie" ? infection : {});
    }

    // Who am I, and what a registration answers that logs in.
    expect(await ok("GET /session/me", { as: ada })).toMatchObject({ alias: "Ada", role: "player" });
    const faye = await ok("POST /new", { body: { alias: "Faye", password: PASSWORD, login: true } });
    expect(faye).toMatchObject({ alias: "Faye", token_type: "Bearer" });
    await upon("remove_player", { alias: "Faye" });

    // Hunts: plain, shared, and taken back.
    const place = { note: "by the library", latitude: 47.3, longitude: 8.5 };
    const plain = await hunt(ada, { tag_code: ben.code, ...place });
    expect(plain.prey).toEqual({ alias: "Ben", state: "zombie" });
    expect(plain.interaction.details).toMatchObject({ ...place, shared_with: [] });
    const spaced = ` ${cleo.code?.toLowerCase().slice(0, 4)}-${cleo.code?.slice(4)} `;
    const shared = await hunt(ben, { tag_code: spaced, share_with: ["ada"] });
    expect(shared.interaction.details).toEqual({
      shared_with: ["Ada"],
      parent_infection_id: plain.interaction.interaction_id,
      infection_id: shared.interaction.interaction_id,
    });
    const eve = await join("Eve");
    const { interaction_id } = (await hunt(ada, { tag_code: eve.code })).interaction;
    for (const dry_run of [true, false]) {
      const undone = await upon("void_hunt", { interaction_id, reason: "She was not there.", dry_run });
      expect(undone.interaction === null).toBe(dry_run);
      expect(undone.effects.map((effect: object) => Object.keys(effect).join(" "))).toEqual([
        "alias effect state",
        "alias effect state kills",
        "alias effect state starves_at",
      ]);
    }
    const [{ details }] = (await read("/interactions", { kind: "void" })).interactions;
    expect(details).toEqual({ voided_interaction_id: interaction_id });
    await upon("remove_player", { alias: "Eve" });

    // What everyone may read.
    await read("/zombie/next_feeding", {}, ada);
    expect((await read("/zombie/starvation")).counts).toEqual({ fed: 3, hungry: 0, starving: 0 });
    const other = await ok("POST /get_player/{url_id}", { as: dan, body: { alias: "ＣＬＥ́Ｏ" } });
    expect(other).toMatchObject({ alias: "Cléo", state: "zombie", kills: 0, has_pfp: false });
    await read("/users");
    await read("/interactions/leaderboard");
    const tree = await read("/interactions/tree");
    const { infection_id } = plain.interaction.details;
    expect(await read("/interactions/tree", { root: infection_id, depth: 1 })).toMatchObject({
      ...{ size: 1, truncated: true, roots: [{ alias: "Ben", kills: 1, children: [] }] },
    });
    await read("/interactions");

    // What game masters read.
    const counts = { total: 5, humans: 1, zombies: 3, corpses: 0, spectators: 1 };
    expect(await read("/admin/player_count", {}, gm)).toEqual(counts);
    expect((await read("/admin/find", { q: "cle" }, gm)).players).toMatchObject([{ alias: "Cléo" }]);
    const found = await read("/admin/get_players", { state: "zombie", passed: false }, gm);
    expect(found.players).toHaveLength(3);

    // The checkpoint.
    const none = { checkpoint: null, passed: false, passed_at: null };
    expect(await read("/checkpoint")).toEqual(none);
    const bridge = await upon("set_checkpoint", { name: "The bridge" });
    const unsaid = { description: null, latitude: null, closes_at: null, applies_to: "all" };
    expect(bridge).toMatchObject({ name: "The bridge", ...unsaid });
    const { passed_at } = await upon("player_at_checkpoint", { tag_code: dan.code });
    expect(await read("/checkpoint")).toEqual({ checkpoint: bridge, passed: true, passed_at });
    expect((await read("/player")).passed_at).toBe(passed_at);
    expect(await upon("kill_all_not_at_checkpoint", { dry_run: true })).toMatchObject({
      ...{ killed: 3, spared: 1, complete: true },
    });
    expect(await upon("set_checkpoint", { clear: true })).toBeNull();

    const settings = await upon("settings", { name: "Autumn" });
    expect(await read("/admin/settings", {}, gm)).toEqual(settings);

    // Accounts in a game master's hand.
    await upon("edit_player", { alias: "dan", alias_to: "Daniel" });
    await upon("edit_player", { alias: "daniel", alias_to: "Dan" });
    expect(await upon("label", { aliases: ["dan"], add: ["waiver"] })).toEqual({
      players: [{ alias: "Dan", labels: ["waiver"] }],
    });
    const { recovery_code } = await upon("recover_password", { alias: "dan" });
    const statement = `SELECT alias, kills FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND gsi1sk = ?`;
    const selected = await upon("inject_sql", { statement, parameters: ["ben"] });
    expect(selected).toEqual({ items: [{ alias: "Ben", kills: 1 }], next_cursor: null });
    await join("Leaver");
    await upon("remove_player", { alias: "Leaver" });
    const { logs } = await read("/admin/get_logs", {}, gm);
    expect(logs[0]).toMatchObject({ action: "remove_player", actor: "Game Master", target: null });
    expect(JSON.stringify(logs)).not.toContain(recovery_code);

    // The clock.
    const fed = await upon("feed", { n: 2 });
    expect(fed).toEqual({ fed: [expect.anything(), expect.anything()], count: 2 });
    expect(await upon("zombies_add_day")).toEqual({ zombies: 3, added_seconds: 86_400 });
    const running = { paused: false, paused_since: null, feeding_period_seconds: 172_800, checkpoint: null };
    expect(await read("/game")).toMatchObject(running);
    const paused = await upon("pause_game");
    expect(await upon("pause_game")).toEqual(paused);
    expect(await read("/game")).toMatchObject({ paused: true, paused_since: paused.since });
    for (const _times of [1, 2]) expect(await upon("resume_game")).toEqual({ paused: false, since: null });

    // Those who starve are corpses in every answer before any sweep.
    await s.pass(80 * HOUR);
    expect(await read("/player", {}, cleo)).toMatchObject({ state: "corpse", starves_at: null });
    const seen = await ok("POST /get_player/{url_id}", { as: dan, body: { alias: "cléo" } });
    expect(seen.state).toBe("corpse");
    expect((await read("/zombie/starvation")).zombies).toEqual([]);
    expect((await read("/users", { state: "zombie" })).users).toEqual([]);
    expect((await read("/users", { state: "corpse" })).users).toHaveLength(3);
    expect((await read("/interactions/leaderboard")).players[0].state).toBe("corpse");
    for (const { state } of (await read("/interactions/tree")).roots) expect(state).toBe("corpse");
    await s.sweep();
    const { interactions } = await read("/interactions", { kind: "starve" });
    expect(interactions).toHaveLength(3);
    for (const one of interactions) expect(one).toMatchObject({ actor: null, details: {} });

    // Accounts.
    const edited = await ok("POST /edit_player/{url_id}", { as: ada, body: { alias: "ADA", email: null } });
    expect(edited).toMatchObject({ alias: "ADA", email: null, first_name: "Ada" });
    const image = blackPng(3, 2).toString("base64");
    const picture = await ok("POST /set_pfp/{url_id}", { as: ada, body: { image } });
    expect(picture).toMatchObject({ content_type: "image/webp", width: 3, height: 2 });
    const { picture_url } = await ok("GET /player/{url_id}", { as: ada });
    expect(await ok("GET /public")).toMatchObject({ phase: "running", board: null });
    for (const shown of [
      await ask("GET /pictures/{picture_id}", { id: picture_url.slice("/pictures/".length) }),
      await ask("GET /pfp/{url_id}", { as: ada }),
      await ask("POST /get_pfp/{url_id}", { as: ben, body: { alias: "ada" } }),
    ]) {
      expect(shown.headers.etag).toBe(picture.etag);
      expect(shown.bytes).toHaveLength(picture.bytes);
    }
    expectProblem(await ask("GET /pfp/{url_id}", { as: ben }), 404, "no_picture");
    await ok("DELETE /delete_player/{url_id}", { as: ben });
    const after = await read("/interactions/tree");
    expect(JSON.stringify(after)).not.toContain("Ben");
    expect(after.size).toBe(tree.size);
    await ok("POST /logout", { as: dan, body: { everywhere: false } });
    const change = (body: Record<string, unknown>) =>
      ok("POST /change_password", { body: { alias: "dan", new_password: `${PASSWORD}!`, ...body } });
    expect(await change({ current_password: PASSWORD })).toBeUndefined();
    const again = await upon("recover_password", { alias: "dan" });
    expect(await change({ recovery_code: again.recovery_code })).toHaveProperty("token");
  });

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

afterAll(() => {
  expect(requestIds.size).toBe(checked);
  expect(checked).toBeGreaterThan(150);
});
