/**
 * Bans, e-mail addresses and changes of aliases: nobody evades a ban by what they were called before, and nobody is kept out
 * by an address that somebody else has entered.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { emailHash } from "../../lib/store/accounts/emails.ts";
import { keys } from "../../lib/store/keys.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { requireConsistency } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, expectRefused, outcomeOf, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const s = testEnvironment({ at: START });
requireConsistency(s);
const { newFile, openTable } = archives(s);
const { read, admin, edit, register, enter, leave } = shortRequests(s);

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});

const BANNED = [403, "banned"];
const login = (alias: string, password = PASSWORD) => s.call("POST /login", { body: { alias, password } });
const master = (name: string, body: unknown) => admin(gm, name, body);
const set = (body: unknown) => s.must("POST /admin/settings/{url_id}", { as: gm, body });
const listBans = async () => (await read(gm, "/admin/bans")).bans;
const reviewOf = async ({ id }: Pick<TestPlayer, "id">) => (await s.store.player(id))?.review;
/** A day later, on which the game master logs in again. */
const nextDay = async (): Promise<void> => {
  s.now += DAY;
  gm = { ...gm, token: (await s.login(gm.alias, gm.password)).token };
};
/**
 * Whether somebody else who registers waits for a game master, and why. That they may be a player who has left is not said
 * here, but in returning.test.ts.
 */
const arrival = async (alias: string, more: object = {}) => {
  const { status, body } = await register(alias, { ...more, password: "somebody else's horse" });
  const review = (await reviewOf({ id: body.player_id })) ?? [];
  const reasons = review.filter(({ kind }) => kind !== "returns").map(({ kind, by }) => `${kind} by ${by}`);
  return [status, body.state, body.pending, ...reasons];
};
const WAITS = [201, "spectator", true];
const PLAYS = [201, "human", false];

describe("a ban", () => {
  it("ends the sessions and the login of an account, until it is lifted or ends; not of administrators", async () => {
    const eve = await enter("Eve");
    await expectRefused(master("ban", { alias: gm.alias }), "wrong_state");
    const past = { alias: "Eve", until: rfc3339(s.now) };
    expect((await master("ban", past)).body.errors).toMatchObject([{ path: "until" }]);
    const until = rfc3339(s.now + HOUR);
    const { body } = await master("ban", { alias: "eve", until, reason: "Threw a stone." });
    expect(body).toMatchObject({ alias: "Eve", covers_email: false, has_account: true, until });
    expect((await s.call("GET /player/{url_id}", { as: eve })).status).toBe(403);
    const refused = await login("Eve");
    expect([outcomeOf(refused), refused.body.detail]).toEqual([BANNED, expect.stringContaining("a stone.")]);
    await expectRefused(login("Eve", "not the password"), "bad_credentials");
    // The right password does not count as a failure, however often it is sent.
    for (let n = 0; n < 12; n += 1) expect(outcomeOf(await login("Eve"))).toEqual(BANNED);
    const { recovery_code } = (await master("recover_password", { alias: "Eve" })).body;
    const by = { alias: "Eve", recovery_code, new_password: "another horse battery" };
    expect(outcomeOf(await s.call("POST /change_password", { body: by }))).toEqual(BANNED);
    s.now += HOUR;
    // A new ban wins over a concurrent login.
    const [entered, banned] = await Promise.all([login("Eve"), master("ban", { alias: "Eve" })]);
    expect(banned.status).toBe(200);
    const as = { ...eve, token: entered.body.token ?? eve.token };
    expect((await s.call("GET /player/{url_id}", { as })).status).toBe(403);
    expect((await login("Eve")).body.detail).toBe("A game master has banned you from the game.");
    expect(await listBans()).toMatchObject([{ alias: "Eve", until: null, reason: null }]);
    expect((await master("unban", { alias: "EVE" })).body).toEqual({ lifted: 1 });
    expect((await login("Eve")).status).toBe(200);
    await expectRefused(master("unban", { alias: "Eve" }), "not_found");
  });

  it("outlasts the account and the season, is evaded by no alias that looks like the banned one, and keeps nobody out by an address alone", async () => {
    await enter("Mallory", { email: "eve@example.org" });
    await master("ban", { alias: "Mallory" });
    await master("remove_player", { alias: "Mallory" });
    // The next who has the alias is banned in addition: the ban keeps the address of the first.
    await enter("Ann", { email: "ann@example.org" });
    expect((await master("edit_player", { alias: "Ann", alias_to: "Mallory" })).status).toBe(200);
    for (const ban of [{ alias: "Mallory" }, { email: "trudy@example.org" }]) await master("ban", ban);
    for (const alias of ["oscar", "Oscar"]) await master("ban", { alias });
    await master("remove_player", { alias: "Mallory" });
    await resetGame(openTable(), { file: newFile(), force: false, clock: () => s.now });
    const bans = await listBans();
    expect(aliasesIn(bans)).toEqual(["Oscar", null, "Mallory"]);
    const bob = await enter("Bob");
    // More such aliases are in tests/unit/alias.test.ts; the first one has a capital I for an l.
    for (const alias of ["MaIlory", "Mallory 2"]) {
      expect(outcomeOf(await register(alias)), alias).toEqual(BANNED);
      expect(outcomeOf(await edit(bob, { alias })), alias).toEqual(BANNED);
    }
    for (const [n, email] of ["EVE@example.org", "trudy@example.org"].entries()) {
      expect(await arrival(`Somebody ${n}x`, { email })).toEqual([...WAITS, "banned by address"]);
      // Whoever plays goes on playing.
      expect((await edit(bob, { email })).body).toMatchObject({ state: "human", email });
    }
    expect(await reviewOf(bob)).toMatchObject([
      { kind: "banned", by: "address", of: bans[2].ban_id },
      { kind: "banned", by: "address", of: bans[1].ban_id },
    ]);
    // A game master who imports somebody is told.
    const rows = [{ alias: "Row", email: "eve@example.org" }];
    const imported = (await master("import_players", { rows })).body.rows;
    expect(imported).toMatchObject([{ status: "rejected", errors: [{ code: "banned" }] }]);
    const hashes = (await scan(s)).filter(({ pk }) => pk === "SECRET#BANS");
    expect(JSON.stringify(hashes)).not.toContain("@");
    await enter("Malory");
    for (const [by, left] of [
      [{ ban_id: bans[0].ban_id }, [null, "Mallory"]],
      [{ alias: "mallory" }, [null]],
      [{ email: "Trudy@example.org" }, []],
    ] as const) {
      expect((await master("unban", by)).body).toEqual({ lifted: 1 });
      expect(aliasesIn(await listBans())).toEqual(left);
    }
    expect(await arrival("Trudy", { email: "trudy@example.org" })).toEqual(PLAYS);
  });

  it("reaches whoever takes the alias at the same time, and an account that is just becoming another", async () => {
    const ban = (alias: string) => master("ban", { alias });
    s.beforeTransaction(() => ban("Bob"));
    expect(outcomeOf(await register("Bob"))).toEqual(BANNED);
    const cid = await enter("Cid");
    s.beforeTransaction(() => ban("Dan"));
    expect(outcomeOf(await edit(cid, { alias: "Dan" }))).toEqual(BANNED);
    s.beforeTransaction(() => enter("Eve"));
    expect((await ban("Eve")).body).toMatchObject({ has_account: true });
    const fay = await enter("Fay", { email: "fay@example.org" });
    await s.outbreak(gm, fay);
    await leave(fay);
    await register("Gil", { email: "fay@example.org", password: "somebody else's horse" });
    s.beforeTransaction(() => master("admit", { alias: "Gil", decision: "returned" }));
    expect((await ban("Gil")).status).toBe(200);
    expect(outcomeOf(await login("Gil", "somebody else's horse"))).toEqual(BANNED);
  });

  it("by an alias that a player has given up locks that player's account, and covers all their aliases and addresses", async () => {
    const eve = await enter("Eve", { email: "one@example.org" });
    await nextDay();
    await edit(eve, { alias: "Fay", email: "two@example.org" });
    // Clearing the address does not help.
    await edit(eve, { email: null });
    const { body } = await master("ban", { alias: "EVE" });
    const shown = { alias: "Fay", former_aliases: ["Eve"], covers_email: true, has_account: true };
    expect(body).toMatchObject(shown);
    expect((await s.call("GET /player/{url_id}", { as: eve })).status).toBe(403);
    expect(outcomeOf(await login("Fay"))).toEqual(BANNED);
    await expectRefused(login("Eve"), "bad_credentials");

    // A second ban replaces the first, and knows what it knew, even without the account.
    await master("remove_player", { alias: "Fay" });
    expect((await master("ban", { alias: "Fay" })).body).toMatchObject({ ...shown, has_account: false });
    expect(await listBans()).toHaveLength(1);
    expect(outcomeOf(await register("Fay"))).toEqual(BANNED);
    const byAddress = [...WAITS, "banned by address"];
    expect(await arrival("Gil", { email: "One@example.org" })).toEqual(byAddress);
    expect(await arrival("Hal", { email: "two@example.org" })).toEqual(byAddress);
    expect(await arrival("Eve 2")).toEqual([...WAITS, "banned by alias"]);
    const both = [...WAITS, "banned by alias", "banned by address"];
    expect(await arrival("Eve", { email: "two@example.org" })).toEqual(both);
    expect((await master("unban", { alias: "eve" })).body).toEqual({ lifted: 1 });
  });

  it("of a player who entered somebody else's address lets that person register, and wait", async () => {
    const email = "victim@example.org";
    await edit(await enter("Eve"), { email });
    await master("ban", { alias: "Eve" });
    expect(await arrival("Victim", { email })).toEqual([...WAITS, "banned by address"]);
    // Each way into play ends the review.
    for (const [command, state] of Object.entries({
      admit: "human",
      revive_h: "human",
      revive_z: "zombie",
    })) {
      const alias = `Victim ${command.slice(-1)}`;
      const { player_id: id } = (await register(alias, { email })).body;
      expect(await reviewOf({ id })).toHaveLength(1);
      expect((await master(command, { alias })).status).toBe(200);
      expect(await s.see(await s.login(alias, PASSWORD))).toMatchObject({ pending: false, state });
      expect(await reviewOf({ id })).toBeUndefined();
    }
  });

  describe("of a player who has left in the season", () => {
    it("follows the names of before, also when they are back", async () => {
      const [eve, fay] = [await enter("Eve", { email: "eve@example.org" }), await enter("Fay")];
      await s.outbreak(gm, await enter("Zed"));
      await edit(eve, { email: null });
      await nextDay();
      expect((await edit(fay, { alias: "Faye" })).status).toBe(200);
      for (const one of [eve, await s.login("Faye", PASSWORD)]) await leave(one);
      for (const alias of ["Eve", "Faye"]) await enter(alias);
      await master("ban", { alias: "Eve" });
      expect(await arrival("Fresh", { email: "eve@example.org" })).toEqual([...WAITS, "banned by address"]);
      // An alias that they had before they left leads to them.
      const { body } = await master("ban", { alias: "Fay" });
      expect(body).toMatchObject({ alias: "Faye", former_aliases: ["Fay"], has_account: true });
      expect(outcomeOf(await login("Faye"))).toEqual(BANNED);
      expect(await arrival("Fay")).toEqual([...WAITS, "banned by alias"]);
      expect((await master("unban", { alias: "Fay" })).body).toEqual({ lifted: 1 });
    });

    it("keeps them from coming back under another name, also if somebody else has taken theirs", async () => {
      const zed = await enter("Zed", { email: "zed@example.org" });
      const yan = await enter("Yan", { email: "yan@example.org" });
      await s.outbreak(gm, zed);
      for (const one of [zed, yan]) await leave(one);
      expect((await master("ban", { alias: "Zed" })).body).toMatchObject({ has_account: false });
      await register("Yan", { password: "an accomplice's horse" });
      await master("ban", { alias: "Yan" });
      await nextDay();
      for (const email of ["zed@example.org", "yan@example.org"]) {
        const { status, body } = await register(`Fresh ${email.slice(0, 3)}`, { email });
        expect([status, body.state, body.pending], email).toEqual(WAITS);
        const banned = expect.objectContaining({ kind: "banned", by: "address" });
        expect(await reviewOf({ id: body.player_id }), email).toContainEqual(banned);
      }
    });

    it("by their address covers all their names", async () => {
      const zed = await enter("Zed", { email: "zed@example.org" });
      await s.outbreak(gm, zed);
      await leave(zed);
      await master("ban", { email: "zed@example.org" });
      expect(await arrival("Zed")).toEqual([...WAITS, "banned by alias"]);
    });
  });

  it("is refused when there is no room for another; bans of an earlier version are read, without what it did not store", async () => {
    const one = { player_id: null, until: null, reason: null, created_at: rfc3339(s.now), of_email: false };
    const earlier = { ...one, ban_id: "0", alias: "Name 0", email_hash: emailHash("zero@example.org") };
    const former_addresses = [emailHash("one@example.org")];
    const later = { ...one, ban_id: "1", alias: "Name 1", email_hash: null, former_addresses };
    const reason = "x".repeat(280);
    const others = Array.from({ length: 60 }, (_, n) => ({
      ...one,
      ...{ ban_id: `other ${n}`, alias: `Other ${n}x`, email_hash: null, reason },
    }));
    await s.store.db.put({ pk: "SECRET#BANS", sk: "BANS", rev: 1, bans: [earlier, later, ...others] });
    expect((await listBans())[0]).toMatchObject({ alias: "Name 0", former_aliases: [], covers_email: true });
    expect(outcomeOf(await register("Name 0"))).toEqual(BANNED);
    for (const word of ["Zero", "One"])
      expect(await arrival(word, { email: `${word}@example.org` })).toEqual([...WAITS, "banned by address"]);
    // Registrations read at most nine units of them, also after all that a ban can remember.
    const refused: Result[] = [];
    for (let n = 0; refused.length === 0; n += 1) {
      const given = await master("ban", { alias: `More ${n}x`, reason });
      if (given.status !== 200) refused.push(given);
    }
    expect(refused.map(outcomeOf)).toEqual([[400, "invalid_request"]]);
    expect(refused[0]?.body.detail).toContain("The list of bans is full. Lift a ban first");
    const [item] = (await scan(s)).filter(({ pk }) => pk === "SECRET#BANS");
    const size = Buffer.byteLength(JSON.stringify(item));
    expect([size > 30_000, size < 9 * 4_096]).toEqual([true, true]);
    expect(JSON.stringify(item).includes(emailHash("one@example.org"))).toBe(false);
    expect((await master("ban", { alias: "Other 0x", reason: "Short." })).status).toBe(200);
    expect((await master("unban", { email: "zero@example.org" })).status).toBe(404);
    expect((await master("unban", { alias: "Other 0x" })).body).toEqual({ lifted: 1 });
  });
});

describe("an e-mail address", () => {
  const email = "ada@example.org";

  it("of another account is accepted with `unique_email` and decided by game masters; they are told at once", async () => {
    const TAKEN = [409, "email_taken"];
    const [ada, ben] = [await enter("Ada", { email }), await enter("Ben", { email })];
    const cid = await enter("Cid");
    await set({ unique_email: true });
    expect((await s.see(ben)).email).toBe(email);
    const both = await Promise.all(["Eve", "Fay"].map((one) => arrival(one, { email: "one@example.org" })));
    const inUse = [...WAITS, "address_in_use by address"];
    expect(both.toSorted((one, other) => one.length - other.length)).toEqual([PLAYS, inUse]);
    expect(await arrival("Dee", { email: "ADA@example.org" })).toEqual(inUse);
    expect((await edit(cid, { email })).body).toMatchObject({ state: "human", email });
    const [reason, ...others] = (await reviewOf(cid)) ?? [];
    expect([reason, others]).toEqual([{ kind: "address_in_use", by: "address", of: expect.any(String) }, []]);
    expect([ada.id, ben.id]).toContain(reason?.of);
    const wanted = { alias: "Cid", email: "ONE@example.org" };
    expect(outcomeOf(await master("edit_player", wanted))).toEqual(TAKEN);
    const addresses = ["ada@example.org", "two@example.org", "Two@example.org"];
    const rows = addresses.map((address, n) => ({ alias: `Row ${n + 1} x`, email: address }));
    expect((await master("import_players", { rows })).body.rows).toMatchObject([
      { status: "rejected", errors: [{ path: "email", code: "email_taken" }] },
      { status: "created" },
      { status: "rejected", errors: [{ path: "email", code: "duplicate" }] },
    ]);
    // A game master may enter again what a player has.
    expect((await master("edit_player", { alias: "Ben", email: "ADA@example.org" })).status).toBe(200);
    // Whoever waits does not get the address when the other account frees it.
    for (const one of [ada, ben]) await leave(one);
    expect(await reviewOf(cid)).toHaveLength(1);
    expect(await arrival("Gus", { email })).toEqual(WAITS);
    // A changed or deleted account frees its address.
    for (const address of ["cid@example.org", "new@example.org"])
      expect((await edit(cid, { email: address })).status).toBe(200);
    expect(await arrival("Hal", { email: "cid@example.org" })).toEqual(PLAYS);
    await leave(cid);
    expect(await arrival("Ida", { email: "new@example.org" })).toEqual(WAITS);
    await set({ unique_email: false });
    expect(await arrival("Jon", { email: "one@example.org" })).toEqual(PLAYS);
  });

  it("that another account takes at the same time is noticed, by whoever comes second", async () => {
    await set({ unique_email: true });
    const cid = await enter("Cid");
    s.beforeTransaction(() => enter("Ada", { email }));
    expect((await edit(cid, { email })).status).toBe(200);
    expect(await reviewOf(cid)).toMatchObject([{ kind: "address_in_use" }]);
    // The other account takes it after the review has found it free, and before its guard is read.
    let reads = 0;
    s.beforeCall = async (call, keys) => {
      if (call !== "getMany" || !keys.some(({ pk }) => pk.startsWith("SECRET#EMAIL#"))) return;
      reads += 1;
      if (reads !== 1) return;
      s.beforeCall = undefined;
      await enter("Ben", { email: "two@example.org" });
    };
    const inUse = [...WAITS, "address_in_use by address"];
    expect(await arrival("Dee", { email: "two@example.org" })).toEqual(inUse);
  });

  it("that its owner gives up at the same time keeps nobody waiting", async () => {
    await set({ unique_email: true });
    const eve = await enter("Eve", { email: "eve@example.org" });
    let reads = 0;
    s.beforeCall = async (_, concerned) => {
      reads += concerned.filter(({ pk }) => pk === keys.email(emailHash("eve@example.org")).pk).length;
      if (reads < 2) return;
      s.beforeCall = undefined;
      await edit(eve, { email: null });
    };
    expect(await arrival("Bob", { email: "eve@example.org" })).toEqual(PLAYS);
  });

  it("is reserved when `unique_email` is switched on, whatever happens to its account meanwhile", async () => {
    const changes: [string, (as: TestPlayer) => Promise<unknown>][] = [
      ["Ada", () => master("edit_player", { alias: "Ada", note: "Paid." })],
      ["Ben", (as) => edit(as, { email: "other@example.org" })],
    ];
    for (const [alias, change] of changes) {
      const player = await enter(alias, { email: `${alias}@example.org` });
      await set({ unique_email: false });
      s.beforeCall = async (call, keys) => {
        if (call !== "transact" || !keys.some(({ pk }) => pk.startsWith("SECRET#EMAIL#"))) return;
        s.beforeCall = undefined;
        await change(player);
      };
      await set({ unique_email: true });
      expect(s.beforeCall).toBeUndefined();
      const newcomer = await enter(`Not ${alias}`, { email: (await s.see(player)).email });
      expect(await reviewOf(newcomer), alias).toMatchObject([{ kind: "address_in_use", of: player.id }]);
    }
  });

  it("tells nothing: a free one, one in use, and banned ones get the same response after the same database calls", async () => {
    const eve = await enter("Eve", { email: "old@example.org" });
    await edit(eve, { email: "banned@example.org" });
    await enter("Ada", { email });
    await set({ unique_email: true, registration: "approval" });
    for (const ban of [{ alias: "Eve" }, { email: "listed@example.org" }]) await master("ban", ban);
    const addresses = ["nobody", "ada", "old", "banned", "listed"].map((name) => `${name}@example.org`);
    const watched = async (request: () => Promise<Result>) => {
      const calls: string[] = [];
      s.beforeCall = (call, keys) => {
        calls.push(call === "transact" ? call : `${call} ${keys.length}`);
      };
      const { status, text, headers } = await request();
      s.beforeCall = undefined;
      const { "x-request-id": _, date: _1, "content-length": length, ...shown } = headers;
      const steady = text
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
        .replaceAll(/"player_ref":"[^"]+"/g, "ref")
        .replaceAll(/[a-z]+@example.org/g, "address")
        .replaceAll(/"alias":"[^"]+"/g, "name");
      return { status, steady, shown, calls };
    };
    const [registered, edited]: [unknown[], unknown[]] = [[], []];
    for (const [n, address] of addresses.entries()) {
      const alias = `Name ${"abcde".charAt(n)}`;
      registered.push(await watched(() => register(alias, { email: address })));
      const player = await s.join(`Player ${n}x`);
      edited.push(await watched(() => edit(player, { email: address })));
    }
    for (const seen of [registered, edited]) for (const one of seen) expect(one).toEqual(seen[0]);
  });

  it("can be changed three times at once, and one more time every eight hours", async () => {
    await set({ unique_email: true });
    await enter("Ada", { email });
    const eve = await enter("Eve", { email: "eve@example.org" });
    const guess = async (address: string | null) => (await edit(eve, { email: address })).status;
    expect([await guess("one@example.org"), await guess(email)]).toEqual([200, 200]);
    // Neither other letters nor none are an address to find out.
    expect([await guess("ADA@example.org"), await guess(null)]).toEqual([200, 200]);
    // A request that is decided again counts once.
    s.beforeTransaction(() => master("edit_player", { alias: "Eve", note: "Guesses." }));
    expect(await guess("three@example.org")).toBe(200);
    for (const address of ["four@example.org", email, "three-a@example.org"]) {
      const refused = await edit(eve, { email: address, alias: "Somebody" });
      await expectRefused(refused, "too_many_attempts");
      expect(Number(refused.headers["retry-after"])).toBe(8 * 3_600);
    }
    expect(await guess("three@EXAMPLE.org")).toBe(200);
    s.now += 8 * HOUR;
    expect([await guess("five@example.org"), await guess("six@example.org")]).toEqual([200, 429]);
  });

  it("is remembered when it is given up: the fifteen latest, after which only a game master changes it", async () => {
    const eve = await enter("Eve", { email: "0@example.org" });
    const former = async () => (await s.store.player(eve.id))?.former_addresses ?? [];
    for (let n = 1; n <= 15; n += 1)
      await master("edit_player", { alias: "Eve", email: n === 15 ? null : `${n}@example.org` });
    expect(await former()).toHaveLength(15);
    expect(JSON.stringify(await former())).not.toContain("@");
    // One that is taken back leaves the list.
    expect((await edit(eve, { email: "0@EXAMPLE.org" })).status).toBe(200);
    expect(await former()).toHaveLength(14);
    expect((await edit(eve, { email: "15@example.org" })).status).toBe(200);
    for (const address of ["16@example.org", null])
      await expectRefused(edit(eve, { email: address }), "ask_game_master");
    await master("edit_player", { alias: "Eve", email: "16@example.org" });
    expect(await former()).toHaveLength(15);
    await resetGame(openTable(), { file: newFile(), force: false, clock: () => s.now });
    expect(await former()).toEqual([]);
  });
});

describe("an alias", () => {
  it("of a registration counts as the change of that day once play has begun; before, a typo can be mended", async () => {
    await set({ starts_at: rfc3339(s.now + HOUR) });
    const ada = await enter("Adaa");
    expect((await edit(ada, { alias: "Ada" })).status).toBe(200);
    s.now += HOUR;
    const ben = await enter("Benn");
    const refused = await edit(ben, { alias: "Ben" });
    await expectRefused(refused, "too_many_attempts");
    expect(Number(refused.headers["retry-after"])).toBe(24 * 3_600);
    s.now += DAY;
    expect((await edit(ben, { alias: "Ben" })).status).toBe(200);
  });

  it("can be changed by its player until fifteen are given up, then by a game master", async () => {
    const ada = await enter("Ilia 0");
    const names = Array.from({ length: 15 }, (_, n) => `Ilia ${"x".repeat(n + 1)}`);
    for (const alias_to of names) await master("edit_player", { player_id: ada.id, alias_to });
    await nextDay();
    const refused = await edit(ada, { alias: "Free" });
    await expectRefused(refused, "ask_game_master");
    expect(refused.body.detail).toContain("Ask a game master");
    // Taking one back gives up no more of them.
    expect((await edit(ada, { alias: "Ilia 0" })).status).toBe(200);
    expect((await master("edit_player", { player_id: ada.id, alias_to: "Free" })).status).toBe(200);
    // The earliest is dropped, and the last one stays reserved.
    expect((await register("Ilia x")).status).toBe(201);
    await master("edit_player", { player_id: ada.id, alias_to: "Freer" });
    expect((await register("Free")).status).toBe(409);
  });
});
