/** Identity by confirmed addresses: bans, `unique_email` and returns, where the service sends mail (decision 142). */
import { beforeEach, describe, expect, it } from "vitest";
import { awaitedAddress } from "../../lib/domain/mail/awaited.ts";
import { keys } from "../../lib/store/keys.ts";
import { makeConfirmation, WITH_MAIL } from "../support/confirmation.ts";
import { requireConsistency } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, outcomeOf, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment({ services: (usual) => ({ ...usual, mail: WITH_MAIL }) });
requireConsistency(s);
const { read, admin, done, edit, enter, leave } = shortRequests(s);

const email = "ada@example.com";
const OTHER = "somebody else's horse";
const BANNED = [403, "banned"];
const DONE = [204, undefined];

let gm: TestPlayer;
beforeEach(async () => {
  gm = await s.admin();
});
const set = (body: object) => done(gm, "settings", body);
const ban = (body: object): Promise<Result> => admin(gm, "ban", body);
const confirm = (token: string): Promise<Result> => s.call("POST /confirm_email", { body: { token } });
/** The token of a link to the address that a player has to confirm. */
const link = async ({ id }: Pick<TestPlayer, "id">): Promise<string> => {
  const player = await s.store.player(id);
  const address = player === null ? null : awaitedAddress(player);
  if (address === null) throw new Error("nothing is to be confirmed");
  return makeConfirmation(s.store, id, address, s.now);
};
/** Registers somebody who confirms the address. */
const enterConfirmed = async (alias: string, address = email): Promise<TestPlayer> => {
  const me = await enter(alias, { email: address });
  expect(outcomeOf(await confirm(await link(me)))).toEqual(DONE);
  return me;
};
/** What game masters have to decide about a player, and whether they wait. */
const story = async ({ id }: Pick<TestPlayer, "id">): Promise<string[]> => {
  const player = await s.store.player(id);
  const reasons = (player?.review ?? []).map(
    ({ kind, by, confirmed }) => `${kind} by ${confirmed === true ? "confirmed " : ""}${by}`,
  );
  return [player?.held === "pending" ? "waits" : "plays", ...reasons];
};
const reviewsShown = async () =>
  (await read(gm, "/admin/alerts")).reviews.map(({ alias, pending, reasons }: Result["body"]) => [
    alias,
    pending,
    ...reasons.map(({ kind, confirmed }: Result["body"]) => [kind, confirmed]),
  ]);

describe("an address that somebody else has typed", () => {
  it("keeps nobody from playing: neither by `unique_email`, nor a ban, nor a departure; game masters see what was typed", async () => {
    await set({ unique_email: true });
    await enter("Eve", { email });
    const ada = await enter("Ada", { email });
    expect(await story(ada)).toEqual(["plays"]);
    await ban({ alias: "Eve" });
    const ben = await enter("Ben", { email });
    expect(await story(ben)).toEqual(["plays", "banned by address"]);
    const zed = await enter("Zed", { email: "zed@example.com" });
    await s.outbreak(gm, zed);
    await leave(zed);
    const cid = await enter("Cid", { email: "zed@example.com", password: OTHER });
    expect(await story(cid)).toEqual(["plays", "returns by address"]);
    expect(await reviewsShown()).toEqual([
      ["Ben", false, ["banned", false]],
      ["Cid", false, ["returns", false]],
    ]);
    // Who reads the mails confirms the address, whatever others have typed.
    for (const player of [ben, cid]) {
      expect(outcomeOf(await confirm(await link(player)))).toEqual(DONE);
      expect((await s.see(player)).email_confirmed).toBe(true);
    }
  });

  it("can be given to a player by a game master, or imported, until it is confirmed", async () => {
    await set({ unique_email: true });
    await enter("Eve", { email });
    const ada = await s.join("Ada");
    expect((await admin(gm, "edit_player", { alias: "Ada", email })).status).toBe(200);
    const rows = [{ alias: "Ida", email }];
    expect((await done(gm, "import_players", { rows })).rows).toMatchObject([{ status: "created" }]);
    await edit(ada, { email });
    expect(outcomeOf(await confirm(await link(ada)))).toEqual(DONE);
    await s.join("Ben");
    await expectRefused(admin(gm, "edit_player", { alias: "Ben", email }), "email_taken");
  });

  it("counts as before where the service sends no mail, also who had confirmed it", async () => {
    await enterConfirmed("Eve");
    Object.assign(s.services, { mail: null });
    await set({ unique_email: true });
    const inUse = await enter("Ada", { email });
    expect(await story(inUse)).toEqual(["waits", "address_in_use by address"]);
    expect((await ban({ email })).body).toMatchObject({ alias: null, has_account: false });
    expect(await story(await enter("Ben", { email }))).toEqual([
      ...["waits", "banned by confirmed address", "address_in_use by address"],
    ]);
  });
});

describe("a confirmed address", () => {
  it("is its owner's with `unique_email`: who types it waits, and cannot confirm it", async () => {
    await set({ unique_email: true });
    await enterConfirmed("Ada");
    const ben = await enter("Ben", { email: "ADA@example.com" });
    const cid = await s.join("Cid");
    await edit(cid, { email });
    expect([await story(ben), await story(cid)]).toEqual([
      ["waits", "address_in_use by confirmed address"],
      ["plays", "address_in_use by confirmed address"],
    ]);
    await expectRefused(confirm(await link(cid)), "email_taken");
  });

  it("of a banned player is banned with them: who types it waits, and who confirms it is refused", async () => {
    const eve = await enterConfirmed("Eve");
    await ban({ alias: "Eve" });
    const ann = await enter("Ann", { email });
    expect(await story(ann)).toEqual(["waits", "banned by confirmed address"]);
    // While the banned account exists, it has the address.
    await expectRefused(confirm(await link(ann)), "email_taken");
    await done(gm, "remove_player", { player_id: eve.id });
    await edit(ann, { email });
    const used = await link(ann);
    await expectRefused(confirm(used), "banned");
    // Refused once more, by a link that was used; and a game master's admission does not lift the ban.
    await expectRefused(confirm(used), "code_not_valid");
    await done(gm, "admit", { alias: "Ann", decision: "newcomer" });
    await edit(ann, { email });
    await expectRefused(confirm(await link(ann)), "banned");
    expect(await story(ann)).toEqual(["plays", "banned by confirmed address"]);
    await done(gm, "unban", { alias: "Eve" });
    await edit(ann, { email });
    expect(outcomeOf(await confirm(await link(ann)))).toEqual(DONE);
  });

  it("that is banned itself locks out the account that has confirmed it, and nobody who has typed it", async () => {
    const [eve, ada] = [await enter("Eve", { email }), await enter("Ada", { email })];
    const results = await Promise.all([await link(eve), await link(ada)].map(confirm));
    expect(results.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    const [owner, other] = (await s.see(ada)).email_confirmed ? [ada, eve] : [eve, ada];
    expect((await ban({ email })).body).toMatchObject({ alias: owner.alias, has_account: true });
    const login = ({ alias, password }: TestPlayer) => s.call("POST /login", { body: { alias, password } });
    expect([(await login(owner)).status, (await login(other)).status]).toEqual([403, 200]);
    expect((await admin(gm, "unban", { email })).body).toEqual({ lifted: 1 });
    expect((await login(owner)).status).toBe(200);
  });

  it("cannot be confirmed by a link after the account was banned, so nobody makes it theirs for a banned account", async () => {
    const eve = await enter("Eve", { email });
    const token = await link(eve);
    await ban({ alias: "Eve" });
    await expectRefused(confirm(token), "banned");
  });
});

describe("at the same time", () => {
  it("a ban of the address and its confirmation: the account is locked, or the confirmation is refused", async () => {
    for (const first of ["ban", "confirmation"] as const) {
      const alias = first === "ban" ? "Ada" : "Eve";
      const address = `${alias}@example.com`;
      const player = await enter(alias, { email: address });
      const token = await link(player);
      const login = () => s.call("POST /login", { body: { alias, password: player.password } });
      if (first === "ban") {
        s.beforeTransaction(() => ban({ email: address }));
        expect(outcomeOf(await confirm(token))).toEqual(BANNED);
        expect([await story(player), (await login()).status]).toEqual([
          ["plays", "banned by confirmed address"],
          200,
        ]);
      } else {
        s.beforeTransaction(() => confirm(token));
        expect((await ban({ email: address })).body).toMatchObject({ alias, has_account: true });
        expect((await login()).status).toBe(403);
      }
    }
  });

  it("a ban of the player and the confirmation: the ban knows the address, or the confirmation is refused", async () => {
    const eve = await enter("Eve", { email });
    const token = await link(eve);
    s.beforeTransaction(() => confirm(token));
    await ban({ alias: "Eve" });
    expect((await s.store.player(eve.id))?.email_confirmed).toBe(true);
    await done(gm, "remove_player", { player_id: eve.id });
    const ann = await enter("Ann", { email });
    expect(await story(ann)).toEqual([
      ...["waits", "banned by confirmed address", "returns by confirmed address"],
    ]);
    s.beforeTransaction(() => ban({ alias: "Ann" }));
    await expectRefused(confirm(await link(ann)), "banned");
  });

  it("a deletion and a confirmation: a deleted account owns no address", async () => {
    const ada = await enter("Ada", { email });
    const token = await link(ada);
    s.beforeTransaction(() => leave(ada));
    await expectRefused(confirm(token), "code_not_valid");
    const ben = await enterConfirmed("Ben");
    await edit(ben, { email: "ben@example.com", current_password: ben.password });
    const second = await link(ben);
    s.beforeTransaction(() => confirm(second));
    await leave(ben);
    expect((await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#CONFIRMED#"))).toEqual([]);
  });
});

describe("a return", () => {
  const FORMER = "Former";
  /** A zombie who had confirmed the address has left. */
  const departed = async (): Promise<TestPlayer> => {
    const zed = await enterConfirmed(FORMER);
    await s.outbreak(gm, zed);
    await leave(zed);
    return zed;
  };

  it("is proved by the confirmed address: who waits comes back as if they had stayed, with the session of the new account", async () => {
    const zed = await departed();
    const me = await enter("Newcomer", { email, password: OTHER });
    expect(await story(me)).toEqual(["waits", "returns by confirmed address"]);
    const token = await link(me);
    const results = await Promise.all(Array.from({ length: 5 }, () => confirm(token)));
    expect(results.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404]);
    const { player_id, state, alias, email_confirmed } = await s.see(me);
    expect([player_id, state, alias, email_confirmed]).toEqual([zed.id, "zombie", "Newcomer", true]);
    expect(await s.store.player(me.id)).toBeNull();
    expect((await scan(s)).filter(({ pk }) => pk === keys.mailAccount(me.id).pk)).toEqual([
      expect.objectContaining({ moved_to: zed.id }),
    ]);
    // The address is theirs: it logs in, and nobody else confirms it.
    const login = { alias: email, password: OTHER };
    expect((await s.must("POST /login", { body: login })).body.player_id).toBe(zed.id);
    const eve = await enter("Eve", { email });
    await expectRefused(confirm(await link(eve)), "email_taken");
  });

  it("is not proved by an address that the former player had only typed, nor confirmed by the return itself", async () => {
    const zed = await enter(FORMER, { email });
    await s.outbreak(gm, zed);
    await leave(zed);
    const ann = await enter("Ann", { email, password: OTHER });
    expect(outcomeOf(await confirm(await link(ann)))).toEqual(DONE);
    expect(await s.see(ann)).toMatchObject({ player_id: ann.id, state: "human", email_confirmed: true });
  });

  it("by the password brings no confirmation of another address, and leaves nothing of the account that has left", async () => {
    const zed = await enterConfirmed(FORMER);
    await s.outbreak(gm, zed);
    await edit(zed, { email: "pending@example.com", current_password: zed.password });
    await leave(zed);
    const stored = JSON.stringify((await scan(s)).filter(({ pk }) => !pk.startsWith("SECRET#OUTBOX")));
    expect(stored).not.toContain("pending@example.com");
    const back = await enter(FORMER, { email: "victim@example.com" });
    expect(await s.see(back)).toMatchObject({
      player_id: zed.id,
      email_confirmed: false,
      pending_email: null,
    });
  });

  it("waits for game masters if they have more to decide, and moves the confirmed address if they say so", async () => {
    const zed = await departed();
    await set({ registration: "approval" });
    // The alias is that of another player who has left.
    const liz = await enter("Liz", { password: OTHER });
    await done(gm, "admit", { alias: "Liz" });
    await leave(liz);
    const me = await enter("Liz", { email, password: "yet another horse" });
    expect(await story(me)).toEqual(["waits", "returns by alias", "returns by confirmed address"]);
    expect(outcomeOf(await confirm(await link(me)))).toEqual(DONE);
    expect(await s.see(me)).toMatchObject({ player_id: me.id, state: "spectator", email_confirmed: true });
    const decision = { alias: "Liz", decision: "returned", departure_id: zed.id };
    await done(gm, "admit", decision);
    expect(await s.see(me)).toMatchObject({ player_id: zed.id, state: "zombie", email_confirmed: true });
    expect(
      (await s.must("POST /login", { body: { alias: email, password: "yet another horse" } })).status,
    ).toBe(200);
  });

  it("of a player whom a ban follows is refused", async () => {
    await departed();
    await ban({ alias: FORMER });
    const me = await enter("Newcomer", { email, password: OTHER });
    expect(await story(me)).toEqual(["waits", "banned by confirmed address", "returns by confirmed address"]);
    await expectRefused(confirm(await link(me)), "banned");
    expect(await s.see(me)).toMatchObject({ player_id: me.id, state: "spectator" });
  });

  it("that a player who plays already proves is a review", async () => {
    const me = await enter("Newcomer", { email, password: OTHER });
    expect(await story(me)).toEqual(["plays"]);
    await departedWith("second@example.com");
    await edit(me, { email: "second@example.com" });
    await done(gm, "admit", { alias: "Newcomer", decision: "newcomer" });
    expect(outcomeOf(await confirm(await link(me)))).toEqual(DONE);
    expect(await story(me)).toEqual(["plays", "returns by confirmed address"]);
  });

  const departedWith = async (address: string): Promise<void> => {
    const zed = await enterConfirmed(FORMER, address);
    await s.outbreak(gm, zed);
    await leave(zed);
  };
});
