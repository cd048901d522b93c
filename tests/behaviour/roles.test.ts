/** Administrators and moderators, aliases that nobody else may take, labels, notes and the reasons of commands. */
import { describe, expect, it } from "vitest";
import { createAdministrator, promoteToAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { makeSetUpSecret } from "../../lib/app/accounts/setUp.ts";
import { seedJoinCode } from "../../lib/app/game/seedJoinCode.ts";
import { NO_ROLES, setRoles } from "../../lib/auth/roles.ts";
import { NEW_GAME } from "../../lib/domain/game/game.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { isPosing } from "../../lib/store/accounts/aliasGuards.ts";
import { gameItem } from "../../lib/store/items.ts";
import { logLines } from "../support/logLines.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, expectRefused, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment();
const { read, admin, done, edit, register, logsOf, pushed } = shortRequests(s);

describe("a moderator", () => {
  it("is made and unmade by an administrator, at once", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const player_id = ada.id;
    for (const is_moderator of [true, false, true]) {
      const [status, role] = is_moderator ? [200, "moderator"] : [401, "player"];
      const edited = await done(gm, "edit_player", { player_id, is_moderator });
      const [listed] = (await read(ada, "/users")).users;
      for (const one of [edited, listed, await s.see(ada)]) expect(one.role).toBe(role);
      expect((await s.call("GET /admin/get_players/{url_id}", { as: ada })).status).toBe(status);
    }
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    expect((await s.store.administrators()).moderators).toEqual([]);
  });

  it("finds and feeds players, sees no last name, address or code, and is named in the log", async () => {
    const [gm, zed] = await s.game("O'Neil Zed");
    const mod = await s.moderator("Mo");
    await edit(zed, { first_name: "Anna", last_name: "Zimmer", email: "zimmer@example.org" });
    const find = async (as: TestPlayer, search: string) =>
      (await read(as, "/admin/get_players", { search })).players;
    for (const search of ["o’neil", "ZED", "anna", "an o'n", " ann  ze "])
      expect(aliasesIn(await find(mod, search)), search).toEqual(["O'Neil Zed"]);
    for (const search of ["zimmer", "example", "nna", "anna x"])
      expect(await find(mod, search), search).toEqual([]);
    const hidden = { first_name: "Anna", last_name: null, email: null, tag_code: null };
    expect(await find(mod, "zed")).toMatchObject([hidden]);
    for (const search of ["zimmer", "zimmer@ex"])
      expect(await find(gm, search), search).toMatchObject([{ last_name: "Zimmer" }]);
    const fed = await admin(mod, "feed_player", { alias: "O'Neil Zed" });
    expect(fed.body).toMatchObject({ player: hidden, interaction: { kind: "feed", actor: "Mo" } });
    expect(await logsOf(gm, "feed_player")).toMatchObject([{ actor: "Mo", outcome: "done" }]);
  });
});

describe("an alias", () => {
  const POSING =
    "admin, Administrator, mod, MODERATOR, g.m, gm2, GM 2, g_m-7, Game Master, Game_Master.12, hvz, H.v.Z 2026, аdmin, adm1n";
  it("that poses as a game master is refused: a reserved one, and one like that of an administrator", async () => {
    expect(POSING.split(", ").filter((alias) => !isPosing(alias, []))).toEqual([]);
    const older = await s.join("Ben 1");
    const [gm, eve] = [await s.admin("Ben"), await s.join("Eve")];
    const asMaster = (more: object) => admin(gm, "edit_player", { player_id: eve.id, ...more });
    for (const alias of ["gm2", "Bеn 77"])
      for (const request of [register(alias), edit(eve, { alias }), asMaster({ alias_to: alias })]) {
        await expectRefused(request, "alias_taken", alias);
        expect((await request).body.detail).toContain("a game master's");
      }
    expect((await register("Benno 2")).status).toBe(201);
    // One who has such a name already keeps it, and can change other fields.
    expect((await edit(older, { alias: "Ben 1", first_name: "B" })).body.alias).toBe("Ben 1");
    // An administrator may have such a name, and anybody a form of their own.
    for (const [alias_to, is_admin] of Object.entries({ "Ben 2": true, Eve: true, EVE: false }))
      expect((await asMaster({ alias_to, is_admin })).body.alias).toBe(alias_to);
  });
});

describe("a new alias", () => {
  it("may be taken once a day, and is in the log with the one before", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    expect((await edit(ada, { alias: "Augusta" })).status).toBe(200);
    s.now += HOUR;
    await expectRefused(edit(ada, { alias: "Countess" }), "too_many_attempts");
    await done(gm, "edit_player", { alias: "Augusta", alias_to: "Byron" });
    const logs = await logsOf(gm, "edit_player");
    expect(logs.map(({ actor, details }: Result["body"]) => [actor, details.alias_before])).toEqual([
      ["Game Master", "Augusta"],
      ["Byron", "Ada"],
    ]);
    expect(logs[0].details.alias_after).toBe("Byron");
    s.now += DAY - HOUR;
    expect((await edit(ada, { alias: "Countess" })).status).toBe(200);
  });
});

it("a reason is in the log, and is shown to the players concerned and to game masters", async () => {
  const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben");
  await done(gm, "set_checkpoint", { name: "The bridge" });
  await done(gm, "player_at_checkpoint", { alias: "Ben" });
  const commands: [action: string, body?: object][] = [
    ["feed_player", { alias: "Zed" }],
    ["feed", { n: 1 }],
    ["zombies_add_day"],
    ["pause_game"],
    ["resume_game"],
    ["settings", { name: "Autumn" }],
    ["corpsify", { alias: "Ada" }],
    ["revive_z", { alias: "Ada" }],
    ["cure", { alias: "Ada" }],
    ["kill_all_not_at_checkpoint"],
    ["revive_h", { alias: "Ada" }],
  ];
  for (const [n, [action, body]] of commands.entries()) {
    await done(gm, action, { ...body, reason: `  because of ${n} ` });
    const [{ details }] = await logsOf(gm, action);
    expect(details, action).toMatchObject({ reason: `because of ${n}` });
  }
  const seenBy = async (as: TestPlayer): Promise<string[]> =>
    (await read(as, "/interactions", { limit: 200 })).interactions.flatMap(
      ({ kind, target, details: { reason } }: Result["body"]) => (reason ? `${kind} ${target}` : []),
    );
  const kinds = ["revive_human", "checkpoint_kill", "cure", "revive_zombie", "corpsify"];
  const forAda = kinds.map((kind) => `${kind} Ada`);
  const forZed = ["checkpoint_kill Zed", "feed Zed", "feed Zed"];
  expect([await seenBy(ada), await seenBy(zed), await seenBy(ben)]).toEqual([forAda, forZed, []]);
  const ofGame = ["add_day null", "pause null", "resume null"];
  expect((await seenBy(gm)).toSorted()).toEqual([...forAda, ...forZed, ...ofGame].toSorted());
});

const create = (alias: string, more: { password?: string; playing?: boolean } = {}) =>
  createAdministrator(
    s.services,
    { alias, password: PASSWORD, playing: false, ...more },
    commandContext(s.services, s.now),
  );

describe("an administrator who is created", () => {
  it("is a spectator unless they play, has the right immediately, and is kept when others are created concurrently", async () => {
    const { player_id } = await create("gm");
    const right = { alias: "gm", is_admin: true };
    expect(await s.store.player(player_id)).toMatchObject({ ...right, state: "spectator", tag_code: null });
    const as = await s.login("gm", PASSWORD);
    expect((await s.call("GET /admin/player_count/{url_id}", { as })).status).toBe(200);
    const others = ["One", "Two", "Three"].map((alias) => create(alias, { playing: true }));
    const ids = (await Promise.all(others)).map((one) => one.player_id);
    const human = { is_admin: true, state: "human", tag_code: expect.any(String) };
    for (const one of (await s.store.players(ids)).values()) expect(one).toMatchObject(human);
    expect((await s.store.administrators()).ids.toSorted()).toEqual([player_id, ...ids].toSorted());
  });

  it.each<[alias: string, password: string, error: object]>([
    ["g", PASSWORD, { code: "invalid_request", issues: [{ path: "alias" }] }],
    ["gm", "iloveyou", { code: "invalid_request", issues: [{ path: "password" }] }],
    ["correct horse", "Correct Horse", { code: "invalid_request", issues: [{ path: "password" }] }],
    ["ADA", PASSWORD, { code: "alias_taken" }],
  ])("is rejected as %s with the password %s", async (alias, password, error) => {
    await s.join("Ada");
    await expect(create(alias, { password })).rejects.toMatchObject(error);
    expect((await s.store.administrators()).ids).toEqual([]);
  });
});

describe("the set-up secret", () => {
  const lines = logLines();
  const use = (alias: string, setup: string | null, more: object = {}) =>
    s.call("POST /new", { body: { alias, password: PASSWORD, setup, login: true }, ...more });
  const codeOf = ({ body }: Result) => body.code;

  it("makes its first user the game master, who is logged in; it is useless afterwards, and nowhere to be read", async () => {
    const secret = await makeSetUpSecret(s.store);
    await seedJoinCode(s.store, "for newcomers", s.now);
    const [gm, again] = [await use("Gil", secret, { key: "k" }), await use("Gil", secret, { key: "k" })];
    expect(gm).toMatchObject({ status: 201, body: { is_admin: true, state: "spectator" } });
    // Only the first response may have been lost.
    expect(again).toMatchObject({ status: 201, body: { player_id: gm.body.player_id } });
    expect(codeOf(await use("Mal", secret))).toBe("already_set_up");
    expect(codeOf(await use("Mal", "wrong"))).toBe("already_set_up");
    expect(await makeSetUpSecret(s.store)).toBeNull();
    const as = await s.login("Gil", PASSWORD);
    await s.must("GET /admin/player_count/{url_id}", { as });
    for (const text of [lines.join(""), JSON.stringify(await scan(s))])
      expect(text).not.toContain(secret ?? "");
  });

  it("is replaced by the next start, ends when a game master is created otherwise, and lets one of two in", async () => {
    const [old, latest] = [await makeSetUpSecret(s.store), await makeSetUpSecret(s.store)];
    expect(codeOf(await use("Gil", old))).toBe("bad_credentials");
    const both = await Promise.all([use("Gil", latest), use("Mal", latest)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect((await s.store.administrators()).ids).toHaveLength(1);
    expect((await scan(s)).map(({ pk }) => pk)).not.toContain("SECRET#SETUP");
  });

  it("does not outlast the creation of a game master at the same time", async () => {
    const secret = await makeSetUpSecret(s.store);
    const [made] = await Promise.all([use("Gil", secret), create("gm")]);
    const { ids } = await s.store.administrators();
    expect(ids).toHaveLength(made.status === 201 ? 2 : 1);
  });
});

it("an account that is promoted gets the right once", async () => {
  const { id: player_id } = await s.join("Ada");
  const before = await s.store.player(player_id);
  const NOW = s.now;
  const promote = (alias: string) =>
    promoteToAdministrator(s.services, { alias }, commandContext(s.services, NOW));
  expect(await promote("ada")).toEqual({ player_id, alias: "Ada", already: false });
  const appointed = { is_admin: true, appointed_at: rfc3339(NOW), rev: (before?.rev ?? 0) + 1 };
  expect(await s.store.player(player_id)).toEqual({ ...before, ...appointed });
  expect(await promote("Ada")).toMatchObject({ player_id, already: true });
  expect(await s.store.administrators()).toMatchObject({ rev: 1, ids: [player_id] });
});

it("only a current administrator can give the right, and a request that changes no role needs no right", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  const player = (await s.store.player(ada.id)) ?? expect.unreachable();
  const right = { ...NO_ROLES, is_admin: true };
  const refused = { code: "not_administrator" };
  await expect(setRoles(s.store, player, right, ada.id)).rejects.toMatchObject(refused);
  const { player: after, writes } = await setRoles(s.store, player, right, gm.id);
  expect([after.is_admin, writes.length]).toEqual([true, 1]);
  expect(await setRoles(s.store, player, NO_ROLES, ada.id)).toEqual({ player, writes: [] });
});

it("a new player is put into a random shard", async () => {
  await s.store.db.put(gameItem({ ...NEW_GAME, rev: 1, shards: 16 }));
  const joined = await s.joinAll(...Array.from({ length: 20 }, (_, n) => `Newcomer ${n} x`));
  const players = await s.store.players(joined.map(({ id }) => id));
  const shards = new Set([...players.values()].map(({ shard }) => shard));
  // Fewer have a chance of one in a hundred billion.
  expect(shards.size).toBeGreaterThan(3);
  for (const shard of shards) expect(shard).toBeLessThan(16);
});

it("a repeated request returns its stored result with the player's current alias, and is logged without a target", async () => {
  const [gm, zed, ann] = await s.game("Zed", "Ann");
  const cure = () => admin(gm, "cure", { alias: "Zed" }, "cure-of-zed");
  const { player, interaction } = (await cure()).body;
  // Meanwhile somebody else has that alias, who could be cured.
  for (const [as, alias] of [
    [zed, "Zoe"],
    [ann, "Zed"],
  ] as const) {
    expect((await edit(as, { alias })).status).toBe(200);
    await s.freeAliases(as);
  }
  await s.outbreak(gm, ann);
  const body = { player: { ...player, alias: "Zoe" }, interaction: { ...interaction, target: "Zoe" } };
  expect(await cure()).toMatchObject({ status: 200, body });
  expect(await logsOf(gm, "cure")).toMatchObject([
    { outcome: "done", target: null },
    { outcome: "done", target: "Zoe" },
  ]);
});

it("labels are folded and sorted without duplicates, change for all players of a request or for none, and are logged", async () => {
  const [gm, ada, ben] = [await s.admin(), ...(await s.joinAll("Ada", "Ben"))];
  const label = (aliases: string[], change: object) => admin(gm, "label", { aliases, ...change });
  const listed = async (query: Record<string, string>) =>
    aliasesIn((await read(gm, "/admin/get_players", query)).players);
  const { body } = await label(["ada", "BEN", "Ada"], { add: [" Waiver", "briefing", "waiver"] });
  expect(body.players).toEqual(["Ada", "Ben"].map((alias) => ({ alias, labels: ["briefing", "waiver"] })));
  const [{ details }] = await logsOf(gm, "label");
  const player_ids = [ada.id, ben.id];
  expect(details).toEqual({ add: ["waiver", "briefing", "waiver"], remove: [], player_ids });
  expect(await listed({ label: "Waiver" })).toEqual(["Ada", "Ben"]);
  expect(await listed({ label: "waiver", search: "be" })).toEqual(["Ben"]);
  const unknown = await label(["Ada", "Nobody", "Nemo"], { add: ["late"] });
  await expectRefused(unknown, "player_not_found");
  expect(unknown.body.detail).toBe("There is no player with the alias Nobody, Nemo.");
  await label(["Ada"], { add: Array.from({ length: 18 }, (_, n) => `label-${n + 1}`) });
  const many = await label(["Ben", "Ada"], { add: ["late"] });
  expect(many.body.detail).toBe("A player has at most 20 labels: Ada would have 21");
  expect(await listed({ label: "late" })).toEqual([]);
  await label(["Ada", "Ben"], { add: ["late"], remove: ["label-7"] });
  expect([await listed({ label: "late" }), await listed({ label: "label-7" })]).toEqual([["Ada", "Ben"], []]);
});

it("a new moderator or game master is told by a push and in the inbox, until the role is taken away", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  const titles = async (as: TestPlayer): Promise<string[]> =>
    (await read(as, "/notifications/inbox")).notifications.map(({ title }: { title: string }) => title);
  const give = (roles: object) => done(gm, "edit_player", { alias: "Ada", ...roles });
  await give({ first_name: "Ada" });
  expect(await titles(ada)).toEqual([]);
  s.now += 1_000;
  await give({ is_moderator: true });
  expect(await titles(ada)).toEqual(["You are a moderator now"]);
  s.now += 1_000;
  await give({ is_admin: true });
  const again = await s.login(ada.alias, ada.password);
  const inbox = await read(again, "/notifications/inbox", { limit: 1 });
  const told = { title: "You are a game master now", kind: "game", navigate: "/app/gm/now" };
  expect(inbox.notifications).toMatchObject([told]);
  expect(inbox.unread).toBe(1);
  expect(await pushed()).toContain(`role_given ${ada.id}`);
  expect(await titles(await s.join("Ben"))).toEqual([]);
  await give({ is_admin: false, is_moderator: false });
  expect(await titles(again)).toEqual([]);
});

it("a note is shown to administrators alone, and labels to administrators and moderators alone", async () => {
  const [gm, mod, ada] = [await s.admin(), await s.moderator("Moe"), await s.join("Ada")];
  const change = (body: object, key?: string) => admin(gm, "edit_player", { alias: "Ada", ...body }, key);
  const list = async (search: string, as = gm) => (await read(as, "/admin/get_players", { search })).players;
  const note = "Has asthma.\nCall her brother.";
  const noted = (await change({ note }, "a-key")).body;
  expect(noted).toMatchObject({ alias: "Ada", labels: [], note });
  expect((await change({ note }, "a-key")).body).toEqual(noted);
  // It is stored with the player alone.
  expect((await scan(s)).filter((item) => JSON.stringify(item).includes("asthma"))).toHaveLength(1);
  await done(gm, "label", { aliases: ["Ada"], add: ["waiver"] });
  expect(await list("ada")).toMatchObject([{ note, labels: ["waiver"] }]);
  expect(await list("ada", mod)).toMatchObject([{ note: null, labels: ["waiver"] }]);
  expect(await list("asthma")).toEqual([]);
  for (const seen of [(await edit(ada, { first_name: "A" })).body, await s.see(ada)])
    for (const name of ["note", "labels"]) expect(seen).not.toHaveProperty(name);
  const { details } = (await logsOf(gm, "edit_player")).at(-1);
  expect(details).toMatchObject({ note_changed: true });
  expect(JSON.stringify(details)).not.toContain("asthma");
  expect((await change({ note: null })).body.note).toBeNull();
});
