/**
 * Game masters and moderators who play (decision 90): what they may not see, how a game master is shown it, how they come
 * back into play, and how many tag codes they can try. That lists tell game masters who play nothing of a hidden original
 * is proved by tests/battery/visibility.test.ts.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { MINUTE } from "../../lib/domain/time.ts";
import { playerItem } from "../../lib/store/items.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { requireConsistency } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, outcomeOf, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment({ at: Date.parse("2026-11-23T09:00:00Z") });
requireConsistency(s);
const { newFile, openTable } = archives(s);
const { read, admin, done, edit, enrol, leave, logsOf } = shortRequests(s);

let gm: TestPlayer;
let gus: TestPlayer;
let ada: TestPlayer;
const begin = playedOnce(
  s,
  async () => [await s.admin(), await s.admin("Gus", true), await s.join("Ada")] as const,
);
beforeEach(async () => {
  [gm, gus, ada] = await begin();
});

const WRONG = [409, "wrong_state"];
/** The players whose tag codes a list shows. */
const codesSeenBy = async (as: TestPlayer): Promise<string[]> =>
  (await read(as, "/admin/get_players")).players.flatMap(({ tag_code, alias }: Result["body"]) =>
    tag_code === null ? [] : [alias],
  );
const show = (as: TestPlayer, alias = "Ada", key?: string) => admin(as, "show_secrets", { alias }, key);
const statement = (id: string) => ({
  statement: `SELECT * FROM "game" WHERE pk = 'PLAYER#${id}' AND sk = 'PROFILE'`,
});

/** Statements that look for a tag code. */
const guesses = ({ id, code }: TestPlayer) => {
  const where = `FROM "game" WHERE pk = 'PLAYER#${id}' AND sk = 'PROFILE'`;
  return [
    { statement: `SELECT tag_code ${where}` },
    { statement: `SELECT "tag_code" ${where}` },
    { statement: `SELECT alias ${where} AND begins_with(tag_code, 'A')` },
    { statement: `SELECT * FROM "game" WHERE pk = 'CODE#${code}'` },
    { statement: 'SELECT * FROM "game" WHERE pk = ?', parameters: [`CODE#${code}`] },
  ];
};

describe("a game master who plays", () => {
  it("sees no tag codes of others, by no list, command or statement, also after leaving play", async () => {
    const look = async () => {
      expect(await codesSeenBy(gus)).not.toContain("Ada");
      for (const q of ["ada", String(ada.code)])
        expect((await read(gus, "/admin/find", { q })).players).toMatchObject([{ tag_code: null }]);
      const body = await done(gus, "edit_player", { alias: "Ada", note: `${s.now}` });
      expect(body).toMatchObject({ tag_code: null });
      const { items } = await done(gus, "inject_sql", statement(ada.id));
      expect(items).toMatchObject([{ alias: "Ada", tag_code: null }]);
      for (const guess of guesses(ada))
        await expectRefused(admin(gus, "inject_sql", guess), "invalid_request");
    };
    await look();
    await done(gus, "make_spectator", { alias: "Gus" });
    await look();
    // Nothing was shown, so they may come back.
    await done(gus, "revive_z", { alias: "Gus" });
    await look();
    await done(gm, "corpsify", { alias: "Gus" });
    await look();
    const { items } = await done(gm, "inject_sql", statement(ada.id));
    expect(items).toMatchObject([{ tag_code: ada.code }]);
  });

  it("is shown a player's code by a command, which is logged and takes them out of play", async () => {
    expect(outcomeOf(await show(gus, "Gus"))).toEqual(WRONG);
    expect(await s.see(gus)).toMatchObject({ state: "human" });
    const shown = await show(gus, "Ada", "once");
    expect(shown.body).toMatchObject({ player: { alias: "Ada", tag_code: ada.code }, withdrawn: true });
    expect((await show(gus, "Ada", "once")).text).toBe(shown.text);
    expect(await s.see(gus)).toMatchObject({ state: "spectator" });
    const [newest] = (await read(ada, "/interactions")).interactions;
    expect(newest).toMatchObject({ kind: "corpsify", target: "Gus", details: { withdrawn: true } });
    const [logged] = (await logsOf(gm, "show_secrets")).filter(
      ({ details }: Result["body"]) => details.withdrawn !== undefined,
    );
    expect(logged).toMatchObject({ actor: "Gus", target: "Ada", details: { withdrawn: true } });
    expect((await show(gus)).body).toMatchObject({ withdrawn: false });
    expect(await codesSeenBy(gus)).toContain("Ada");
    expect((await admin(gus, "inject_sql", statement(ada.id))).status).toBe(200);
  });

  it.each(["human", "zombie", "corpse", "spectator"])(
    "who was shown a code as a %s comes back by another game master alone",
    async (state) => {
      if (state === "zombie") await s.outbreak(gm, gus);
      if (state === "corpse") await done(gm, "corpsify", { alias: "Gus" });
      if (state === "spectator") await done(gus, "make_spectator", { alias: "Gus" });
      await done(gus, "show_secrets", { alias: "Ada" });
      const back = async () => {
        const alone = ["revive_h", "revive_z"].map((word) => admin(gus, word, { alias: "Gus" }));
        for (const result of await Promise.all([...alone, enrol(gus)])) {
          expect(outcomeOf(result)).toEqual(WRONG);
          expect(result.body.detail).toContain("only another game master can let you play");
        }
        const group = { aliases: ["Gus"], as: "zombie" };
        for (const dry_run of [true, false])
          expect((await done(gus, "revive_all", { ...group, dry_run })).count).toBe(0);
        expect(await s.see(gus)).toMatchObject({ state: "spectator" });
      };
      await back();
      // Neither does it help to give up the role, or the account.
      await done(gus, "edit_player", { alias: "Gus", is_admin: false });
      expect(outcomeOf(await enrol(gus))).toEqual(WRONG);
      await leave(gus);
      await s.call("POST /new", { body: { alias: "Gus", password: PASSWORD } });
      gus = await s.login("Gus", PASSWORD);
      expect(outcomeOf(await enrol(gus))).toEqual(WRONG);
      await done(gm, "edit_player", { alias: "Gus", is_admin: true });
      await done(gm, "revive_h", { alias: "Gus" });
      expect(await codesSeenBy(gus)).toEqual(["Gus"]);
      await done(gus, "make_spectator", { alias: "Gus" });
      expect(await codesSeenBy(gus)).toEqual([]);
    },
  );

  it("who was shown a code is not revived by the undo of a checkpoint or the void of a tag", async () => {
    await s.outbreak(gm, ada);
    s.now += MINUTE;
    const { interaction_id } = (await s.hunt(ada, (await s.see(gus)).tag_code)).body.interaction;
    const { checkpoint_id } = await done(gm, "set_checkpoint", { name: "The bridge" });
    await done(gm, "kill_all_not_at_checkpoint");
    await done(gus, "show_secrets", { alias: "Ada" });
    const reason = "a mistake";
    await done(gus, "undo_checkpoint", { checkpoint_id, reason });
    await done(gus, "void_hunt", { interaction_id, reason });
    expect(await s.see(gus)).toMatchObject({ state: "spectator" });
  });

  it("who was shown a code plays again in the next season", async () => {
    await done(gus, "show_secrets", { alias: "Ada" });
    await resetGame(openTable(), { file: newFile(), force: false, clock: () => s.now });
    expect(JSON.stringify(await scan(s))).not.toContain("saw_secrets_at");
    await done(gm, "edit_player", { alias: "Game Master", is_admin: false });
    expect((await enrol(gus)).body).toMatchObject({ state: "human" });
    expect(await codesSeenBy(gus)).toEqual(["Gus"]);
  });

  it("counts as not marked once an earlier version of the service has revived them", async () => {
    await done(gus, "show_secrets", { alias: "Ada" });
    const { saw_secrets_at } = (await s.store.player(gus.id)) ?? {};
    await done(gm, "revive_h", { alias: "Gus" });
    const player = (await s.store.player(gus.id)) ?? expect.unreachable();
    await s.store.db.put(playerItem({ ...player, saw_secrets_at }), { rev: player.rev });
    expect(await codesSeenBy(gus)).toEqual(["Gus"]);
  });

  it("learns nothing of a hidden original by commands and pages for game masters", async () => {
    const [ova, zoe] = await s.joinAll("Ova", "Zoe");
    await s.outbreak(gm, zoe);
    await done(gm, "settings", { hide_originals: true });
    expect(outcomeOf(await admin(gus, "draw_originals", { n: 1, dry_run: true }))).toEqual(WRONG);
    expect(outcomeOf(await admin(gus, "inject_sql", statement(ada.id)))).toEqual(WRONG);
    await edit(ova, { wants_original: true });
    await done(gm, "draw_originals", { n: 1, reason: "Ova it is" });
    s.now += MINUTE;
    const { interaction_id } = (await s.hunt(ova, ada, { note: "me, Ova" })).body.interaction;
    const get = (as: TestPlayer, path: string, query = {}) => s.call(`GET ${path}/{url_id}`, { as, query });
    const commands: [word: string, body: object][] = [
      ["void_hunt", { interaction_id, dry_run: true, reason: "?" }],
      ["feed_group", { state: "zombie", dry_run: true }],
      ["feed", { n: 100 }],
    ];
    const pages: [path: string, query?: object][] = [
      ["/interactions/awards", {}],
      ["/admin/get_logs", { action: "draw_originals" }],
      ["/interactions", { actor: "Ova" }],
    ];
    /** The commands and pages whose answers name the original. */
    const tellingTo = async (as: TestPlayer): Promise<unknown[]> => {
      const telling = [];
      for (const [word, body] of commands)
        if ((await admin(as, word, body)).text.includes("Ova")) telling.push([word, body]);
      for (const [path, query] of pages)
        if ((await get(as, path, query)).text.includes("Ova")) telling.push([path, query]);
      return telling;
    };
    expect(await tellingTo(gus)).toEqual([]);
    // Zoe and Ada, in one transaction and in a job; and of a message to zombies, no count.
    for (const n of [3, 100])
      expect([(await done(gus, "feed", { n })).count, (await done(gm, "feed", { n })).count]).toEqual([2, 3]);
    const supplies = {
      title: "Supplies",
      content: "At the library.",
      player_groups: "All",
      audience: "zombies",
    };
    const { body: sent } = await s.must("POST /notifications/send/{url_id}", { as: gus, body: supplies });
    const { notification_id } = sent.notification;
    const { body: status } = await get(gus, "/notifications/status", { notification_id });
    expect([Object.keys(sent), Object.keys(status)]).toEqual([["notification"], ["notification"]]);
    expect((await get(gm, "/notifications/status", { notification_id })).body).toMatchObject({ queued: 0 });
    // The log has the id and the reason.
    const all = [...commands, ...pages];
    expect(await tellingTo(gm)).toEqual(all);
    const { player } = await done(gus, "show_secrets", { alias: "Ova" });
    expect(player).toMatchObject({ state: "zombie", shown_as: "human" });
    expect(await tellingTo(gus)).toEqual(all);
  });

  it("is told by a decision about a newcomer, and by its errors, only what everybody sees of them", async () => {
    const shown = { alias: "Ova", state: "human" };
    const ova = await s.join("Ova");
    await s.outbreak(gm, await s.join("Zoe"));
    await done(gm, "settings", { hide_originals: true });
    await edit(ova, { wants_original: true });
    await done(gm, "draw_originals", { n: 1 });
    s.now += MINUTE;
    const refused = await admin(gus, "admit", { alias: "Ova" });
    expect(outcomeOf(refused)).toEqual(WRONG);
    expect(refused.body.detail).toContain("Ova is a human");
    await done(gm, "ban", { email: "banned@example.org" });
    await edit(ova, { email: "banned@example.org" });
    expect((await done(gus, "admit", { alias: "Ova", decision: "newcomer" })).admitted).toEqual([shown]);
    await leave(ova);
    await s.must("POST /new", { body: { alias: "Ova", password: "another horse battery" } });
    expect((await done(gus, "admit", { alias: "Ova", decision: "returned" })).admitted).toEqual([shown]);
    expect((await read(gm, "/admin/find", { q: "Ova" })).players).toMatchObject([{ state: "zombie" }]);
  });

  it("writes by no statement, also where a deployment allows it: it could take them out of play, and show codes", async () => {
    s.services.injectSqlWrites = true;
    const where = (id: string) => `WHERE pk = 'PLAYER#${id}' AND sk = 'PROFILE'`;
    for (const statement of [
      `UPDATE "game" SET state = 'spectator' ${where(gus.id)}`,
      `DELETE FROM "game" ${where(ada.id)}`,
      `INSERT INTO "game" VALUE {'pk': 'NOTE#1', 'sk': 'NOTE'}`,
    ])
      expect(outcomeOf(await admin(gus, "inject_sql", { statement }))).toEqual(WRONG);
    expect(await codesSeenBy(gus)).toEqual(["Gus"]);
    const statement = `UPDATE "game" SET note = 'checked' ${where(ada.id)}`;
    expect((await admin(gm, "inject_sql", { statement })).status).toBe(200);
    s.services.injectSqlWrites = false;
  });

  it("alone, is told who can draw hidden originals", async () => {
    await edit(ada, { wants_original: true });
    await done(gm, "settings", { hide_originals: true });
    const detail = async () => (await admin(gus, "draw_originals", { n: 1 })).body.detail;
    expect(await detail()).toContain("one who does not play has to draw them");
    await done(gm, "edit_player", { alias: "Game Master", is_admin: false });
    expect(await detail()).toContain("there is no other game master");
  });
});

describe("a game master who does not play", () => {
  it("sees all codes, and comes into play by another game master; alone, by themselves, with a log entry", async () => {
    expect(await codesSeenBy(gm)).toEqual(["Ada", "Gus"]);
    const own = { alias: "Game Master" };
    for (const request of [enrol(gm), admin(gm, "revive_h", own), admin(gm, "revive_z", own)]) {
      await expectRefused(request, "wrong_state");
      expect((await request).body.detail).toContain("ask another game master");
    }
    expect((await done(gm, "revive_all", { state: "spectator" })).count).toBe(0);
    await done(gus, "edit_player", { alias: "Gus", is_admin: false });
    expect((await enrol(gm)).body).toMatchObject({ state: "human" });
    expect(await logsOf(gm, "enrol")).toMatchObject([{ actor: "Game Master", outcome: "done" }]);
    expect(await codesSeenBy(gm)).toEqual(["Game Master"]);
  });

  it("who gives up the role, or the account during play, cannot come back as a player either", async () => {
    const mia = await s.admin("Mia");
    await done(mia, "edit_player", { alias: "Mia", is_admin: false });
    expect(outcomeOf(await enrol(mia))).toEqual(WRONG);
    await done(gm, "revive_h", { alias: "Mia" });
    await leave(await s.admin("Max"));
    const { body } = await s.must("POST /new", { body: { alias: "Max", password: PASSWORD } });
    expect(body).toMatchObject({ state: "spectator" });
    expect(outcomeOf(await enrol(await s.login("Max", PASSWORD)))).toEqual(WRONG);
  });

  it("who waits for admission is admitted by another game master, and not by themselves in a list", async () => {
    await done(gm, "settings", { registration: "approval" });
    await s.must("POST /new", { body: { alias: "Pia", password: PASSWORD } });
    const pia = await s.login("Pia", PASSWORD);
    await done(gm, "edit_player", { alias: "Pia", is_admin: true });
    expect(outcomeOf(await admin(pia, "admit", { alias: "Pia" }))).toEqual(WRONG);
    const { skipped } = await done(pia, "admit", { aliases: ["Pia"] });
    expect(skipped).toEqual([{ alias: "Pia", code: "wrong_state" }]);
    await done(pia, "show_secrets", { alias: "Ada" });
    expect(outcomeOf(await admin(pia, "admit", { alias: "Pia" }))).toEqual(WRONG);
    expect((await done(gm, "admit", { aliases: ["Pia"] })).admitted).toMatchObject([{ alias: "Pia" }]);
    expect(await codesSeenBy(pia)).toEqual(["Pia"]);
  });
});

describe("tag codes at a desk", () => {
  const CODES = Array.from({ length: 20 }, (_, n) => `ZZZZZZ${"23456789AB"[n % 10]}${"CD"[n % 2]}`);
  const find = (as: TestPlayer, q: string) => s.call("GET /admin/find/{url_id}", { as, query: { q } });
  const checkIn = (as: TestPlayer, tag_code: string) => admin(as, "player_at_checkpoint", { tag_code });

  it("that nobody has are limited for moderators and game masters who play, in find and at the checkpoint together", async () => {
    await done(gm, "set_checkpoint", { name: "The bridge" });
    for (const as of [await s.moderator("Mo"), gus]) {
      const right = String(ada.code);
      const attempts = CODES.slice(0, 10);
      // Known codes do not count, before and between.
      for (const [n, code] of attempts.entries()) {
        expect((await find(as, right)).body.players).toMatchObject([{ alias: "Ada" }]);
        expect((await checkIn(as, right)).status).toBe(200);
        const isFind = n % 2 === 0;
        expect((await (isFind ? find(as, code) : checkIn(as, code))).status).toBe(isFind ? 200 : 404);
      }
      for (const result of [await find(as, right), await checkIn(as, right)]) {
        await expectRefused(result, "too_many_attempts");
        expect(Number(result.headers["retry-after"])).toBeGreaterThan(0);
      }
      // Names are found, also one that looks like a tag code; but no code is looked up.
      await s.call("POST /new", { body: { alias: "Margaret", password: PASSWORD } });
      for (const q of ["Ada", "Margaret"])
        expect((await find(as, q)).body.players).toMatchObject([{ alias: q }]);
      s.now += MINUTE;
      expect((await find(as, right)).status).toBe(200);
    }
    for (const code of CODES) expect((await find(gm, code)).status).toBe(200);
  });

  it("cannot be tried without the limit at once, or beside a name that matches", async () => {
    const mo = await s.moderator("Mo");
    // Each of these letters begins a word of the name.
    await edit(mo, { first_name: "Z Z Z", last_name: "2 3 4 5 6 7 8 9" });
    const spread = CODES.map((code) => [...code].join(" "));
    const results = await Promise.all(spread.map((q) => find(mo, q)));
    expect(results.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    await expectRefused(find(mo, String(ada.code)), "too_many_attempts");
  });
});

it("a moderator decides nothing about their own play", async () => {
  const [mo, zoe] = [await s.moderator("Mo"), await s.join("Zoe")];
  await s.outbreak(gm, zoe);
  s.now += MINUTE;
  const ASK = [409, "ask_game_master"];
  await done(gm, "set_checkpoint", { name: "The bridge" });
  const { tag_code } = await s.see(mo);
  for (const body of [{ alias: "Mo" }, { tag_code }])
    expect(outcomeOf(await admin(mo, "player_at_checkpoint", body))).toEqual(ASK);
  const { interaction_id } = (await s.hunt(zoe, tag_code)).body.interaction;
  expect(outcomeOf(await admin(mo, "feed_player", { alias: "Mo" }))).toEqual(ASK);
  const dispute = { interaction_id, reason: "I was in the library." };
  await s.must("POST /interactions/dispute/{url_id}", { as: mo, body: dispute });
  const comment = { dispute_id: interaction_id, comment: "So it was." };
  expect(outcomeOf(await admin(mo, "comment_dispute", comment))).toEqual(ASK);
  const max = await s.moderator("Max");
  await done(max, "comment_dispute", comment);
  await done(max, "feed_player", { alias: "Mo" });
  await done(max, "player_at_checkpoint", { alias: "Mo" });
});
