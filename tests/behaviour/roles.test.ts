/** Roles, and what nobody may pose as: moderators, game masters' names, given-up aliases, and reasons. */
import { describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { playerItem } from "../../lib/store/items.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

let passed = 0;
const s = testEnvironment({ services: (usual) => ({ clock: () => usual.clock() + passed }) });

const PASSWORD = "correct horse battery";

const register = (alias: string) => s.call("POST /new", { body: { alias, password: PASSWORD } });
const rename = (as: Someone, alias: string) => s.call("POST /edit_player/{url_id}", { as, body: { alias } });
const logsOf = async (as: Someone, action: string): Promise<Record<string, unknown>[]> =>
  (await s.must("GET /admin/get_logs/{url_id}", { as, query: { action } })).body.logs;

/** Fills in what only administrators and the player see. */
const describePerson = (as: Someone, last_name: string) =>
  s.must("POST /edit_player/{url_id}", {
    as,
    body: { first_name: "Anna", last_name, email: `${last_name}@example.org`.toLowerCase() },
  });

describe("a moderator", () => {
  it("is made and unmade by an administrator, at once", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const edit = (is_moderator: boolean) =>
      s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { alias: "Ada", is_moderator } });
    const list = async (as: Someone) => (await s.call("GET /admin/get_players/{url_id}", { as })).status;
    const roles = async () => {
      const { users } = (await s.must("GET /users/{url_id}", { as: ada })).body;
      const seen = (await s.must("POST /get_player/{url_id}", { as: gm, body: { alias: "Ada" } })).body;
      const inRoster = users.find(({ alias }: { alias: string }) => alias === "Ada");
      return [(await s.see(ada)).role, seen.role, inRoster.role];
    };
    expect(await list(ada)).toBe(401);
    expect((await edit(true)).body.role).toBe("moderator");
    expect([await list(ada), ...(await roles())]).toEqual([200, "moderator", "moderator", "moderator"]);
    expect((await s.see(gm)).role).toBe("game_master");
    await edit(false);
    expect([await list(ada), ...(await roles())]).toEqual([401, "player", "player", "player"]);
    await edit(true);
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    expect((await s.store.administrators()).moderators).toEqual([]);
  });

  it("finds players by alias and first name, and sees no last name, address or code", async () => {
    const [gm, mod, zed] = [await s.admin(), await s.moderator("Mo"), await s.join("O'Neil Zed")];
    await describePerson(zed, "Zimmer");
    const find = async (as: Someone, search: string) =>
      (await s.must("GET /admin/get_players/{url_id}", { as, query: { search } })).body.players;
    const aliases = async (as: Someone, search: string) =>
      (await find(as, search)).map(({ alias }: { alias: string }) => alias);
    for (const search of ["o’neil", "ZED", "anna", "an o'n", " ann  ze "])
      expect(await aliases(mod, search), search).toEqual(["O'Neil Zed"]);
    for (const search of ["zimmer", "example", "nna", "anna x"])
      expect(await aliases(mod, search), search).toEqual([]);
    for (const search of ["zimmer", "zimmer@ex"]) expect(await aliases(gm, search), search).toHaveLength(1);
    const [shown] = await find(mod, "zed");
    expect(shown).toMatchObject({ first_name: "Anna", last_name: null, email: null, tag_code: null });
    expect((await find(gm, "zed"))[0]).toMatchObject({ last_name: "Zimmer", tag_code: zed.code });
  });

  it("registers and feeds players, in the log as their own, and does nothing else", async () => {
    const [gm, zed, ben] = await s.game("Zed", "Ben");
    const mod = await s.moderator("Mo");
    await describePerson(zed, "Zimmer");
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
    await s.must("POST /admin/player_at_checkpoint/{url_id}", { as: mod, body: { tag_code: ben.code } });
    const fed = await s.must("POST /admin/feed_player/{url_id}", { as: mod, body: { alias: "Zed" } });
    expect(fed.body.player).toMatchObject({ alias: "Zed", last_name: null, email: null });
    expect(fed.body.interaction).toMatchObject({ kind: "feed", actor: "Mo", target: "Zed" });
    for (const action of ["player_at_checkpoint", "feed_player"])
      expect((await logsOf(gm, action))[0]).toMatchObject({ actor: "Mo", outcome: "done" });
    // Every other endpoint of the game masters is in tests/battery/access.test.ts.
    const refused = await s.call("POST /admin/corpsify/{url_id}", { as: mod, body: { alias: "Ben" } });
    expect([refused.status, refused.body.code]).toEqual([401, "not_administrator"]);
  });
});

describe("an alias", () => {
  it("that poses as a game master is refused", async () => {
    const posing =
      "admin, Administrator, mod, MODERATOR, g.m, gm2, GM 2, g_m-7, Game Master, Game_Master.12, hvz, H.v.Z 2026, аdmin, adm1n";
    for (const alias of posing.split(", ")) {
      const { status, body } = await register(alias);
      expect([status, body.code], alias).toEqual([409, "alias_taken"]);
      expect(body.detail).toContain("a game master's");
    }
  });

  it("like that of an administrator is refused", async () => {
    const [gm, eve] = [await s.admin("Ben"), await s.join("Eve")];
    const asMaster = (more: Record<string, unknown>) =>
      s.call("POST /admin/edit_player/{url_id}", { as: gm, body: { player_id: eve.id, ...more } });
    for (const alias of ["b.e.n", "BEN_77", "Bеn3", "Ben 2"]) {
      expect((await register(alias)).status, alias).toBe(409);
      expect((await rename(eve, alias)).status, alias).toBe(409);
      expect((await asMaster({ alias_to: alias })).status, alias).toBe(409);
    }
    expect((await register("Benno 2")).status).toBe(201);
    // An administrator may have such a name.
    expect((await asMaster({ alias_to: "Ben 2", is_admin: true })).body.alias).toBe("Ben 2");
  });

  it("of a player who poses already stays, and other fields can be changed", async () => {
    const gm = await s.admin();
    const eve = await s.join("Eve");
    const player = await s.store.player(eve.id);
    if (player === null) throw new Error("no player");
    await s.store.db.put(playerItem({ ...player, alias: "gm2" }), { rev: player.rev });
    const edited = await s.must("POST /edit_player/{url_id}", {
      as: eve,
      body: { alias: "gm2", first_name: "E" },
    });
    expect(edited.body).toMatchObject({ alias: "gm2", first_name: "E", role: "player" });
    expect((await s.see(gm)).alias).toBe("Game Master");
  });

  it("is trimmed, and an apostrophe is one however it is typed", async () => {
    expect((await register(" O’Neil\t")).body.alias).toBe("O'Neil");
    expect((await s.login("  o’neil ", PASSWORD)).alias).toBe("O'Neil");
    expect((await register("O'Neil")).body.code).toBe("alias_taken");
    const { status, body } = await register("A!a");
    expect(status).toBe(400);
    expect(body.detail).toContain("must not have the character ! (U+0021)");
  });
});

describe("a new alias", () => {
  it("may be taken once a day, and is in the log with the one before", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    expect((await rename(ada, "Augusta")).status).toBe(200);
    passed += HOUR;
    const tooSoon = await rename(ada, "Countess");
    expect([tooSoon.status, tooSoon.body.code]).toEqual([429, "too_many_attempts"]);
    expect(Number(tooSoon.headers["retry-after"])).toBeGreaterThan(22 * 3_600);
    // The same alias again, and other fields, are no renaming.
    const same = { alias: "Augusta", first_name: "A" };
    await s.must("POST /edit_player/{url_id}", { as: ada, body: same });
    const byMaster = { alias: "Augusta", alias_to: "Byron" };
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: byMaster });
    passed += DAY - HOUR;
    expect((await rename(ada, "Countess")).status).toBe(200);
    const again = await s.login("Game Master", PASSWORD);
    const steps = (await logsOf(again, "edit_player")).map(({ actor, details }) => [actor, details]);
    expect(steps).toMatchObject([
      ["Countess", { alias_before: "Byron", alias_after: "Countess" }],
      ["Game Master", { alias_before: "Augusta", alias_after: "Byron" }],
      ["Countess", { alias_before: "Ada", alias_after: "Augusta" }],
    ]);
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    expect(JSON.stringify(await logsOf(again, "edit_player"))).not.toMatch(/Byron|Countess|Augusta|Ada/);
    for (const alias of ["Ada", "Augusta", "Byron", "Countess"])
      expect((await register(alias)).status, alias).toBe(201);
  });

  it("leaves the old one reserved for its owner, who cannot log in by it", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    await rename(ada, "Augusta");
    for (const alias of ["Ada", "ADA", "Аda"]) {
      expect((await register(alias)).body.code, alias).toBe("alias_taken");
      expect((await rename(ben, alias)).body.code, alias).toBe("alias_taken");
    }
    const login = (alias: string) => s.call("POST /login", { body: { alias, password: ada.password } });
    expect([(await login("Ada")).status, (await login("Augusta")).status]).toEqual([401, 200]);
    passed += DAY;
    expect((await rename(ada, "Ada")).status).toBe(200);
    expect([(await login("Ada")).status, (await login("Augusta")).status]).toEqual([200, 401]);
    expect((await rename(ben, "Augusta")).body.code).toBe("alias_taken");
    await s.freeAliases(ada);
    expect((await rename(ben, "Augusta")).status).toBe(200);
  });

  it("keeps the fifteen latest, which are all free when the account is deleted", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ilia 0")];
    const names = Array.from({ length: 17 }, (_, n) => `Ilia ${"x".repeat(n + 1)}`);
    for (const alias_to of names.slice(0, -1))
      await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { player_id: ada.id, alias_to } });
    expect((await rename(ada, names.at(-1) ?? "")).status).toBe(200);
    expect((await register("Ilia 0")).status).toBe(201);
    expect((await register(names[0] ?? "")).status).toBe(201);
    expect((await register(names[1] ?? "")).status).toBe(409);
    await s.must("POST /admin/remove_player/{url_id}", { as: gm, body: { player_id: ada.id } });
    for (const alias of names.slice(1)) expect((await register(alias)).status, alias).toBe(201);
  });
});

describe("a reason", () => {
  it("is in the log of every command, and shown to whom it concerns", async () => {
    const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben");
    await s.join("Cid");
    const commands: [string, Record<string, unknown>][] = [
      ["set_checkpoint", { name: "The bridge" }],
      ["player_at_checkpoint", { alias: "Ben" }],
      ["feed_player", { alias: "Zed" }],
      ["feed", { n: 1 }],
      ["feed", { n: 100 }],
      ["zombies_add_day", {}],
      ["pause_game", {}],
      ["resume_game", {}],
      ["settings", { name: "Autumn" }],
      ["corpsify", { alias: "Ada" }],
      ["revive_z", { alias: "Ada" }],
      ["cure", { alias: "Ada" }],
      ["kill_all_not_at_checkpoint", { dry_run: true }],
      ["kill_all_not_at_checkpoint", {}],
      ["revive_h", { alias: "Ada" }],
      ["edit_player", { alias: "Ada", clear_picture: true }],
      ["recover_password", { alias: "Ada" }],
      ["remove_player", { alias: "Cid" }],
    ];
    for (const [n, [action, body]] of commands.entries()) {
      const reason = `  because of ${n} `;
      await s.must(`POST /admin/${action}/{url_id}`, { as: gm, body: { ...body, reason } });
      const details = (await logsOf(gm, action))[0]?.details;
      expect(details, action).toMatchObject({ reason: `because of ${n}` });
    }
    /** What an interaction is, of whom, and why, as somebody sees it. */
    const reasonsSeenBy = async (as: Someone): Promise<string[]> => {
      const { body } = await s.must("GET /interactions/{url_id}", { as, query: { limit: "200" } });
      return body.interactions.flatMap(({ kind, target, details }: Record<string, Record<string, string>>) =>
        details?.reason === undefined ? [] : [`${kind} ${target} ${details.reason.split(" ").at(-1)}`],
      );
    };
    const ofAda = ["revive_human 14", "checkpoint_kill 13", "cure 11", "revive_zombie 10", "corpsify 9"];
    const ofZed = ["checkpoint_kill 13", "feed 4", "feed 3", "feed 2"];
    const named = (alias: string, all: string[]): string[] =>
      all.map((one) => one.replace(" ", ` ${alias} `));
    const [forAda, forZed] = [named("Ada", ofAda), named("Zed", ofZed)];
    expect(await reasonsSeenBy(ada)).toEqual(forAda);
    expect(await reasonsSeenBy(zed)).toEqual(forZed);
    expect(await reasonsSeenBy(ben)).toEqual([]);
    const ofGame = ["add_day null 5", "pause null 6", "resume null 7", "checkpoint_kill null 13"];
    const every = [...forAda, ...forZed, ...ofGame].toSorted();
    expect((await reasonsSeenBy(gm)).toSorted()).toEqual(every);
  });

  it("is text of up to 280 characters, and of game masters alone", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    for (const reason of ["", " ", "x".repeat(281), 5, null]) {
      const body = { alias: "Ada", nonsense: 1, reason };
      const { status, body: problem } = await s.call("POST /admin/corpsify/{url_id}", { as: gm, body });
      expect(status).toBe(400);
      const paths = problem.errors.map(({ path }: { path: string }) => path);
      expect(paths.toSorted()).toEqual(["nonsense", "reason"]);
    }
    const body = { first_name: "A", reason: "why not" };
    expect((await s.call("POST /edit_player/{url_id}", { as: ada, body })).status).toBe(400);
    expect((await s.see(ada)).state).toBe("human");
  });
});
