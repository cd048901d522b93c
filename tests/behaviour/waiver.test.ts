/** The waiver: who signs it, who waits for that, what is stored of it, and who sees it (decisions 128 and 129). */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { openStore } from "../../lib/store/store.ts";
import { waiverVersion } from "../../lib/store/waiver/texts.ts";
import { missionAt } from "../support/constants.ts";
import { requireConsistency } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const NOW = Date.parse("2026-11-23T09:00:00Z");
const STARTS = "2026-11-25T09:00:00Z";
const s = testEnvironment({ at: NOW });
requireConsistency(s);
const { done, admin, edit, read, register, leave, logsOf, enter } = shortRequests(s);

const TEXT = "I play at **my own** risk.";
const VERSION = waiverVersion(TEXT);

const sign = (as: TestPlayer, more: object = {}): Promise<Result> =>
  s.call("POST /player/sign/{url_id}", { as, body: { version: VERSION, full_name: "Ann Example", ...more } });

const signs = async (as: TestPlayer, more: object = {}): Promise<Result["body"]> => {
  const result = await sign(as, more);
  expect(result.status, result.text).toBe(200);
  return result.body;
};

const paper = (as: TestPlayer, alias: string, more: object = {}) =>
  admin(as, "paper_signature", { alias, full_name: "Ann Example", ...more });

/** The game before its start, with a waiver. */
const withWaiver = async (more: object = {}): Promise<TestPlayer> => {
  const gm = await s.admin();
  await done(gm, "settings", { waiver: TEXT, time_zone: "Europe/Zurich", starts_at: STARTS, ...more });
  return gm;
};

/** Logs in again, because sessions of game masters end soon. */
const again = async (as: TestPlayer): Promise<void> => {
  Object.assign(as, await s.login(as.alias, PASSWORD));
};

const birth = (birth_date: string) => ({ signature: { version: VERSION, full_name: "Kim", birth_date } });

const human = async (as: TestPlayer): Promise<boolean> => (await s.see(as)).state === "human";

const secrets = async (): Promise<string> =>
  JSON.stringify((await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#")));

const lacking = async (gm: TestPlayer, lacks: string): Promise<string[]> =>
  (await read(gm, "/admin/readiness", { lacks })).players.map(({ alias }: { alias: string }) => alias);

const contactsOf = async (gm: TestPlayer, { id }: TestPlayer): Promise<Result["body"]> =>
  (await read(gm, "/admin/signatures", { player_id: id, contacts: true })).signatures[0];

describe("a newcomer", () => {
  it("who does not sign waits, and plays as soon as they have signed", async () => {
    await withWaiver();
    const ann = await enter("Ann");
    expect(await s.see(ann)).toMatchObject({
      state: "spectator",
      pending: true,
      must_sign: true,
      tag_code: null,
    });
    await expectRefused(s.call("POST /player/enrol/{url_id}", { as: ann }), "wrong_state");
    const { player, signed_at, repeated } = await signs(ann);
    expect(player).toMatchObject({
      state: "human",
      pending: false,
      tag_code: expect.stringMatching(/^\w{8}$/),
    });
    expect(player).not.toHaveProperty("must_sign");
    expect([signed_at, repeated]).toEqual([rfc3339(NOW), false]);
    expect(await signs(ann, { full_name: "Another Name" })).toMatchObject({
      ...{ full_name: "Ann Example", signed_at, repeated: true },
    });
  });

  it("who signs twice at once reads in both responses that they play", async () => {
    const gm = await withWaiver();
    for (const [alias, again] of [
      ["Ann", (as: TestPlayer) => sign(as)],
      ["Ben", () => paper(gm, "Ben")],
    ] as const) {
      const as = await enter(alias);
      const { store } = s.services;
      let isFirst = true;
      s.services.store = openStore({
        ...store.db,
        async get(key, options) {
          // The player of the other request has been read.
          if (isFirst && key.sk === keys.signature(as.id).sk) {
            isFirst = false;
            await signs(as);
          }
          return store.db.get(key, options);
        },
      });
      const { body } = await again(as);
      s.services.store = store;
      expect([isFirst, body.repeated]).toEqual([false, true]);
      expect(body.player ?? body).toMatchObject({ state: "human", pending: false });
    }
  });

  it("reads the waiver before registering, and signs in the same request, with accents as typed", async () => {
    const gm = await withWaiver({ waiver_ask: ["emergency_contact"] });
    const { body } = await s.must("GET /public", { query: { waiver: true } });
    expect(body).toMatchObject({ has_waiver: true, waiver: { version: VERSION, text: TEXT } });
    expect((await s.must("GET /public", {})).body).not.toHaveProperty("waiver");
    // Ł has no decomposition, and é is typed as two characters.
    const full_name = "Zoe\u0301 Łukasz O’Brien-Åström";
    const signature = { version: VERSION, full_name, emergency_contact: "Mum, +41 44 000 00 00" };
    const zoe = await enter("Zoe", { signature });
    expect((await s.see(zoe)).state).toBe("human");
    const own = await read(zoe, "/waiver");
    expect(own.signature.full_name).toBe("Zoé Łukasz O’Brien-Åström");
    expect(own.signed_at).toBe(rfc3339(NOW));
    expect(JSON.stringify(own)).not.toContain("Mum");
    expect(await contactsOf(gm, zoe)).toMatchObject({ ...signature, full_name: own.signature.full_name });
  });

  it("is told which answers are missing or were not asked for", async () => {
    await withWaiver({ waiver_ask: ["emergency_contact", "photo_consent"] });
    const ann = await enter("Ann");
    const paths = ({ body }: Result) => body.errors.map(({ path }: { path: string }) => path);
    expect(paths(await sign(ann, { birth_date: "2000-01-01" }))).toEqual([
      ...["birth_date", "emergency_contact", "photo_consent"],
    ]);
    const signature = { version: VERSION, full_name: "Ben", photo_consent: false };
    expect(paths(await register("Ben", { signature }))).toEqual(["signature.emergency_contact"]);
  });

  it("who has seen secrets as a game master does not enter play by signing", async () => {
    const gm = await withWaiver({ minimum_age: 18 });
    const born = (birth_date: string) => ({ birth_date });
    const [ann, kim] = [await enter("Ann"), await enter("Kim")];
    await signs(kim, born("2008-11-28"));
    for (const alias of ["Ann", "Kim"]) await done(gm, "edit_player", { alias, is_admin: true });
    expect((await signs(ann, born("2000-01-01"))).player).toMatchObject({
      state: "spectator",
      pending: true,
    });
    await done(gm, "edit_player", { alias: "Ann", is_admin: false });
    s.now = Date.parse("2026-11-28T09:00:00Z");
    await s.sweep();
    for (const one of [ann, kim]) {
      await again(one);
      expect(await s.see(one)).toMatchObject({ state: "spectator", pending: true });
    }
    await again(gm);
    await done(gm, "admit", { aliases: ["Ann", "Kim"] });
    for (const one of [ann, kim]) expect((await s.see(one)).state).toBe("human");
  });

  it("who needs approval signs first, and is admitted only then", async () => {
    const gm = await withWaiver({ registration: "approval" });
    const ann = await enter("Ann");
    await expectRefused(admin(gm, "admit", { alias: "Ann" }), "wrong_state");
    expect((await done(gm, "admit", { aliases: ["Ann"] })).skipped).toMatchObject([{ alias: "Ann" }]);
    expect((await signs(ann)).player).toMatchObject({ state: "spectator", pending: true });
    await done(gm, "admit", { alias: "Ann" });
    expect((await s.see(ann)).state).toBe("human");
  });

  it("of an import signs at the first login", async () => {
    const gm = await withWaiver();
    const { rows } = await done(gm, "import_players", { rows: [{ alias: "Ann" }, { alias: "Ben" }] });
    expect(await lacking(gm, "signature")).toEqual(["Ann", "Ben"]);
    const [{ alias, recovery_code }] = rows;
    await s.must("POST /change_password", { body: { alias, recovery_code, new_password: PASSWORD } });
    await signs(await s.login(alias, PASSWORD));
    expect(await lacking(gm, "signature")).toEqual(["Ben"]);
    expect((await read(gm, "/admin/player_count")).humans).toBe(1);
  });
});

describe("a changed waiver", () => {
  const CHANGED = `${TEXT} Also at night.`;

  it("is signed again; until then nobody is ready, and what was signed stays with its text", async () => {
    const gm = await withWaiver();
    const ann = await enter("Ann", { signature: { version: VERSION, full_name: "Ann Example" } });
    await done(gm, "settings", { waiver: CHANGED });
    expect(await s.see(ann)).toMatchObject({ state: "human", pending: true, must_sign: true });
    expect(await lacking(gm, "signature")).toEqual(["Ann"]);
    const ben = await enter("Ben");
    await expectRefused(sign(ben), "changed_meanwhile");
    await expectRefused(
      register("Cleo", { signature: { version: VERSION, full_name: "Cleo" } }),
      "changed_meanwhile",
    );
    // A volunteer who has not signed is not drawn.
    await s.must("POST /edit_player/{url_id}", { as: ann, body: { wants_original: true } });
    await expectRefused(admin(gm, "draw_originals", { n: 1 }), "too_few_volunteers");
    s.now += HOUR;
    const code = (await s.see(ann)).tag_code;
    expect((await signs(ann, { version: waiverVersion(CHANGED) })).player).toMatchObject({
      ...{ pending: false, tag_code: code },
    });
    const { signatures, waivers } = await read(gm, "/admin/signatures", { player_id: ann.id });
    expect(signatures).toMatchObject([{ counts: true }, { counts: false, version: VERSION }]);
    expect(waivers).toContainEqual({ version: VERSION, text: TEXT });
  });

  it("needs no new signature after a small correction, if a game master says so", async () => {
    const gm = await withWaiver();
    const ann = await enter("Ann", { signature: { version: VERSION, full_name: "Ann Example" } });
    await done(gm, "settings", { waiver: CHANGED, waiver_keeps_signatures: true });
    expect(await s.see(ann)).toMatchObject({ pending: false });
    // Also after another change.
    await done(gm, "settings", { name: "Autumn" });
    expect((await read(ann, "/waiver")).signed_at).toBe(rfc3339(NOW));
    expect((await logsOf(gm, "settings"))[1].details).toMatchObject({ waiver_keeps_signatures: true });
    await expectRefused(admin(gm, "settings", { waiver_keeps_signatures: true }), "invalid_request");
    await done(gm, "settings", { waiver: TEXT });
    expect((await s.see(ann)).pending).toBe(false);
    // A game master who does not play need not sign again, but the signature does not count either.
    await signs(gm, { version: VERSION });
    await done(gm, "settings", { waiver: `${TEXT} Again.` });
    expect(await read(gm, "/waiver")).toMatchObject({ signed_at: null, signature: { version: VERSION } });
    await done(gm, "settings", { waiver: null });
    expect(await read(ann, "/waiver")).toMatchObject({ version: null, text: null, waiver_ask: [] });
  });

  it("throws nobody out of a running game, where everybody is asked", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    await done(gm, "settings", { waiver: TEXT });
    expect(await s.see(ann)).toMatchObject({ state: "human", pending: false, must_sign: true });
    expect((await s.hunt(zed, ann)).status).toBe(200);
    expect((await signs(ann)).player.state).toBe("zombie");
    expect(await s.see(gm)).not.toHaveProperty("must_sign");
    // A game without a start has not begun while it is paused.
    await done(gm, "pause_game");
    expect(await s.see(zed)).toMatchObject({ state: "zombie", pending: true });
  });
});

describe("who is under age", () => {
  it("waits for their birthday, by the calendar of the game, and then plays without anybody's act", async () => {
    const gm = await withWaiver({ minimum_age: 18 });
    const kim = await enter("Kim", birth("2008-11-28"));
    const old = await enter("Old", birth("2008-11-23"));
    expect([await human(kim), await human(old)]).toEqual([false, true]);
    expect(await s.see(kim)).toMatchObject({ pending: true, under_age: true });
    expect(await lacking(gm, "age")).toEqual(["Kim"]);
    // During the game, at midnight in Zurich.
    s.now = Date.parse("2026-11-27T22:59:00Z");
    await s.sweep();
    expect(await human(kim)).toBe(false);
    s.now = Date.parse("2026-11-27T23:00:00Z");
    await s.sweep();
    expect(await s.see(kim)).toMatchObject({ state: "human", pending: false });
    await s.sweep();
    await again(gm);
    // Whoever has to sign again meanwhile waits for that, too.
    const ned = await enter("Ned", birth("2008-11-29"));
    await done(gm, "settings", { waiver: "Another text." });
    s.now += DAY;
    await s.sweep();
    expect(await human(ned)).toBe(false);
    const signature = { version: waiverVersion("Another text."), birth_date: "2008-11-29" };
    expect((await signs(ned, signature)).player.state).toBe("human");
    await again(gm);
    expect((await logsOf(gm, "of_age")).map(({ target }: { target: string }) => target)).toEqual(["Kim"]);
  });

  it("plays from their birthday on also if the waiver is removed meanwhile", async () => {
    const gm = await withWaiver({ minimum_age: 18 });
    const kim = await enter("Kim", birth("2008-11-28"));
    await done(gm, "settings", { waiver: null });
    await s.sweep();
    expect(await human(kim)).toBe(false);
    s.now = Date.parse("2026-11-28T09:00:00Z");
    await s.sweep();
    expect(await human(kim)).toBe(true);
  });

  it("plays when the waiver and the minimum age are removed", async () => {
    const gm = await withWaiver({ minimum_age: 18 });
    const kim = await enter("Kim", birth("2010-01-01"));
    await done(gm, "settings", { waiver: null, minimum_age: null });
    await s.sweep();
    expect(await human(kim)).toBe(true);
  });

  it("and was born on 29 February is of age on 1 March of other years", async () => {
    await withWaiver({ minimum_age: 18 });
    s.now = Date.parse("2026-02-27T12:00:00Z");
    const leap = await enter("Leap", birth("2008-02-29"));
    s.now = Date.parse("2026-02-28T12:00:00Z");
    await s.sweep();
    expect(await human(leap)).toBe(false);
    s.now = Date.parse("2026-03-01T12:00:00Z");
    await s.sweep();
    expect(await human(leap)).toBe(true);
  });

  it("plays once a game master enters or confirms a guardian's signature; a moderator's entry is not enough", async () => {
    const gm = await withWaiver({ minimum_age: 18 });
    const mo = await enter("Mo", birth("2000-01-01"));
    await done(gm, "edit_player", { alias: "Mo", is_moderator: true });
    const [kim, lou] = [await enter("Kim", birth("2010-01-01")), await enter("Lou", birth("2010-01-01"))];
    const entered = await paper(mo, "Kim", { full_name: "Kim", guardian_name: "Pat" });
    expect(entered.body).toMatchObject({ guardian_name: "Pat", state: "spectator", pending: true });
    // A game master confirms what the moderator has entered.
    const confirmed = await paper(gm, "Kim", { full_name: "Kim", guardian_name: "Pat" });
    expect(confirmed.body).toMatchObject({ guardian_name: "Pat", state: "human", repeated: false });
    expect((await paper(gm, "Lou", { full_name: "Lou", guardian_name: "Pat" })).body.state).toBe("human");
    expect([await human(kim), await human(lou)]).toEqual([true, true]);
    await s.sweep();
    // A player cannot make themselves older by signing again.
    await done(gm, "settings", { waiver: "Another text." });
    const again = { version: waiverVersion("Another text."), birth_date: "1990-01-01" };
    await expectRefused(sign(kim, again), "ask_game_master");
    expect((await signs(kim, { ...again, birth_date: "2010-01-01" })).player.state).toBe("human");
    await expectRefused(paper(mo, "Mo"), "ask_game_master");
  });

  it("and needs approval is marked for game masters until the birthday, and plays only once admitted", async () => {
    const gm = await withWaiver({ minimum_age: 18, registration: "approval" });
    const kim = await enter("Kim", birth("2008-11-28"));
    const lou = await enter("Lou");
    await signs(lou, { birth_date: "2010-01-01" });
    await enter("Max", birth("2010-01-01"));
    expect(await lacking(gm, "age")).toEqual(["Kim", "Lou", "Max"]);
    const { players } = await read(gm, "/admin/get_players", { pending: true });
    expect(players.map((one: Result["body"]) => one.under_age)).toEqual([true, true, true]);
    // What the player reads of a birthday does not count for them.
    expect(await s.see(kim)).not.toHaveProperty("under_age");
    await paper(gm, "Max", { full_name: "Max", guardian_name: "Pat" });
    s.now = Date.parse("2026-11-28T09:00:00Z");
    await s.sweep();
    await again(gm);
    expect(await lacking(gm, "age")).toEqual(["Lou"]);
    expect((await read(gm, "/admin/player_count")).humans).toBe(0);
    await done(gm, "admit", { aliases: ["Kim", "Lou", "Max"] });
    expect(await lacking(gm, "age")).toEqual([]);
  });

  it("waits again if they had no need to say it before, unless the game has begun", async () => {
    const gm = await s.admin();
    const [kim, lou] = [await s.join("Kim"), await s.join("Lou")];
    await done(gm, "settings", { waiver: TEXT, starts_at: STARTS, minimum_age: 18 });
    const { player } = await signs(kim, { birth_date: "2010-01-01" });
    expect(player).toMatchObject({ state: "spectator", pending: true, under_age: true, tag_code: null });
    s.now = Date.parse(STARTS);
    expect((await signs(lou, { birth_date: "2010-01-01" })).player.state).toBe("human");
    await again(gm);
    // Without a minimum age nobody waits for one.
    await done(gm, "settings", { minimum_age: null });
    await s.sweep();
    expect(await human(kim)).toBe(true);
  });
});

describe("in a season that is over", () => {
  it("nobody becomes human by signing or by coming of age, and may enrol when it is reopened", async () => {
    const gm = await s.admin();
    await s.outbreak(gm, await s.join("Zed"));
    await done(gm, "settings", { waiver: TEXT, minimum_age: 18 });
    const [ann, kim] = [await enter("Ann"), await enter("Kim", birth("2008-11-24"))];
    s.now = Date.parse("2026-11-23T23:00:00Z");
    for (const grace_seconds of [600, 0]) {
      await again(gm);
      await done(gm, "finish_season", { result: "zombies", grace_seconds });
      expect((await signs(ann, { birth_date: "2000-01-01" })).player).toMatchObject({ state: "spectator" });
      s.now += 2 * HOUR;
      await s.sweep();
      expect(await human(kim)).toBe(false);
      await done(gm, "reopen_season");
    }
    // So it is from a planned end on, before a game master has finished the season.
    const bea = await enter("Bea");
    await done(gm, "settings", { ends_at: "now" });
    await signs(bea, { birth_date: "2000-01-01" });
    await s.sweep();
    expect([await human(bea), await human(kim)]).toEqual([false, false]);
    await done(gm, "settings", { ends_at: null });
    await s.must("POST /player/enrol/{url_id}", { as: ann });
    await s.sweep();
    expect([await human(ann), await human(kim)]).toEqual([true, true]);
  });
});

describe("what is stored", () => {
  it("is encrypted, in no archive of the page, and shown to game masters alone, with an entry of the log", async () => {
    const gm = await withWaiver({ waiver_ask: ["birth_date", "emergency_contact"] });
    const signature = { version: VERSION, full_name: "Ann Example", birth_date: "2001-02-03" };
    const ann = await enter("Ann", { signature: { ...signature, emergency_contact: "Call Bob" } });
    await enter("Ben", {
      signature: { ...signature, full_name: "Ben", emergency_contact: "Call Ann" },
    });
    const stored = JSON.stringify(await scan(s));
    for (const word of ["2001-02-03", "Call Bob"]) expect(stored).not.toContain(word);
    const open = (await scan(s)).filter(({ pk }) => !pk.startsWith("SECRET#"));
    expect(JSON.stringify(open)).not.toContain("Ann Example");
    const statement = "SELECT * FROM \"game\" WHERE pk = 'SECRET#SIGNATURES'";
    expect((await admin(gm, "inject_sql", { query: statement })).text).not.toContain("Ann Example");
    const plain = await read(gm, "/admin/signatures", { player_id: ann.id });
    expect(JSON.stringify(plain)).not.toMatch(/Call Bob|2001-02-03|127\.0\.0\.1/);
    expect(await contactsOf(gm, ann)).toMatchObject({
      ...{ birth_date: "2001-02-03", emergency_contact: "Call Bob", address: "127.0.0.1" },
    });
    // A guardian's signature keeps what the player has answered.
    await paper(gm, "Ann", { guardian_name: "Pat" });
    expect(await contactsOf(gm, ann)).toMatchObject({ guardian_name: "Pat", emergency_contact: "Call Bob" });
    expect((await logsOf(gm, "signatures"))[0]).toMatchObject({ target: "Ann", details: { contacts: true } });
  });

  it("of a deleted account is kept apart from the game for some days, also of one whose paper was entered", async () => {
    const waiver_ask = ["emergency_contact", "photo_consent"];
    const gm = await withWaiver({ waiver_ask, keep_signatures_days: 30 });
    const ann = await enter("Ann");
    await signs(ann, { emergency_contact: "Call Bob", photo_consent: true });
    const ben = await enter("Ben");
    await paper(gm, "Ben", { full_name: "Ben Bell", photo_consent: true });
    await s.must("POST /edit_player/{url_id}", { as: ben, body: { photo_consent: false } });
    await leave(ann);
    await leave(ben);
    expect(await secrets()).not.toContain(ann.id);
    const kept = async () => (await read(gm, "/admin/signatures", { contacts: true })).signatures;
    expect(await kept()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          ...{ full_name: "Ann Example", player_id: null, alias: null, emergency_contact: null },
          ...{ deleted_at: rfc3339(NOW), kept_until: rfc3339(NOW + 30 * DAY) },
        }),
        expect.objectContaining({ full_name: "Ben Bell", on_paper: true, photo_consent: false }),
        expect.objectContaining({ full_name: "Ben Bell", photo_consent: true }),
      ]),
    );
    s.now += 30 * DAY;
    await again(gm);
    expect(await kept()).toEqual([]);
    await done(gm, "settings", { keep_signatures_days: 0 });
    const cleo = await enter("Cleo");
    await signs(cleo, { emergency_contact: "Call Bob", photo_consent: true });
    await leave(cleo);
    expect(await kept()).toEqual([]);
  });

  it("of consent to photos has its time, and a withdrawal removes the picture", async () => {
    const gm = await withWaiver({ waiver_ask: ["photo_consent"] });
    const ann = await enter("Ann");
    await expectRefused(
      s.call("POST /edit_player/{url_id}", { as: ann, body: { photo_consent: false } }),
      "wrong_state",
    );
    await signs(ann, { photo_consent: true });
    const { blackPng } = await import("../support/pictures.ts");
    await s.must("POST /set_pfp/{url_id}", { as: ann, body: { image: blackPng(1, 1).toString("base64") } });
    const { picture_url } = await s.see(ann);
    s.now += HOUR;
    const { body } = await s.must("POST /edit_player/{url_id}", { as: ann, body: { photo_consent: false } });
    expect(body).toMatchObject({ has_pfp: false, picture_url: null });
    expect((await s.call("GET /pictures/{picture_id}", { id: picture_url.split("/").at(-1) })).status).toBe(
      404,
    );
    const { signature } = await read(ann, "/waiver");
    expect(signature).toMatchObject({
      photo_consent: false,
      photo_consent_at: rfc3339(NOW + HOUR),
      signed_at: rfc3339(NOW),
    });
    expect((await read(gm, "/admin/readiness")).players).toMatchObject([
      { alias: "Ann", photo_consent: false },
    ]);
    // What was signed stays, however often the answer changes.
    for (const photo_consent of [true, false]) {
      s.now += HOUR;
      await edit(ann, { photo_consent });
    }
    expect((await read(gm, "/admin/signatures", { player_id: ann.id })).signatures).toMatchObject([
      { photo_consent: false, photo_consent_at: rfc3339(NOW + 3 * HOUR) },
      { photo_consent: true, photo_consent_at: rfc3339(NOW) },
    ]);
    // So does an answer with another signature, or on paper; a picture that is set after a refusal stays.
    const show = () =>
      s.must("POST /set_pfp/{url_id}", { as: ann, body: { image: blackPng(1, 1).toString("base64") } });
    await show();
    for (const [photo_consent, isShown] of [
      [true, true],
      [false, false],
      [false, true],
    ] as const) {
      if (isShown) await show();
      const waiver = `${TEXT} ${photo_consent} ${isShown}.`;
      await done(gm, "settings", { waiver });
      const { player } = await signs(ann, { version: waiverVersion(waiver), photo_consent });
      expect(player.has_pfp).toBe(isShown);
    }
    await paper(gm, "Ann", { photo_consent: true });
    await paper(gm, "Ann", { photo_consent: false });
    expect((await s.see(ann)).has_pfp).toBe(false);
  });
});

describe("a signature on paper", () => {
  it("needs a waiver", async () => {
    const gm = await s.admin();
    await enter("Ann");
    await expectRefused(paper(gm, "Ann"), "wrong_state");
  });

  it("shows a moderator no hidden original zombie, and says who starves or was taken out of play", async () => {
    const gm = await s.admin();
    const [zed, yan] = [await s.join("Zed"), await s.join("Yan")];
    await s.join("Mo");
    await done(gm, "edit_player", { alias: "Mo", is_moderator: true });
    await s.outbreak(gm, yan);
    await done(gm, "settings", { waiver: TEXT, hide_originals: true });
    await s.outbreak(gm, zed);
    const mo = await s.login("Mo", PASSWORD);
    expect((await paper(mo, "Zed")).body).toMatchObject({ state: "human", repeated: false });
    expect((await paper(mo, "Zed")).body).toMatchObject({ state: "human", repeated: true });
    expect((await paper(gm, "Zed")).body.state).toBe("zombie");
    s.now += 3 * DAY;
    await again(gm);
    expect((await paper(gm, "Yan")).body.state).toBe("corpse");
    await done(gm, "make_spectator", { alias: "Yan" });
    expect((await paper(gm, "Yan")).body).toMatchObject({ state: "spectator", pending: false });
  });
});

describe("the list of who is ready", () => {
  it("has what each lacks: the signature, orientations, a picture and a printed code", async () => {
    const gm = await withWaiver();
    const ann = await enter("Ann");
    await enter("Ben");
    await signs(ann);
    const times = { starts_at: "2026-11-24T09:00:00Z", ends_at: "2026-11-24T10:00:00Z" };
    const orientation = missionAt(NOW, { title: "Orientation", ...times, required_to_play: true });
    const { mission_id } = await done(gm, "set_mission", orientation);
    expect(await lacking(gm, "orientation")).toEqual(["Ann", "Ben"]);
    await done(gm, "mission_attendance", { mission_id, alias: "Ann" });
    await done(gm, "label", { aliases: ["Ann"], add: ["card-printed"] });
    const { orientations_needed, players } = await read(gm, "/admin/readiness");
    expect(orientations_needed).toBe(1);
    expect(players).toMatchObject([
      { alias: "Ann", signed: true, orientations: 1, lacks: ["picture"], full_name: "Ann Example" },
      { alias: "Ben", signed: false, lacks: ["signature", "orientation", "picture", "code"], pending: true },
    ]);
    // The printed card is void with its code.
    await done(gm, "new_tag_code", { alias: "Ann" });
    expect(await lacking(gm, "code")).toEqual(["Ann", "Ben"]);
    await done(gm, "edit_player", { alias: "Ann", is_moderator: true });
    const seen = (await read(ann, "/admin/readiness")).players[0];
    expect(seen).toMatchObject({ player_id: null, full_name: null });
  });
});

describe("at the same moment", () => {
  it("a change of the text and a signature happen one after the other", async () => {
    const gm = await withWaiver();
    const ann = await enter("Ann");
    s.beforeTransaction(() => done(gm, "settings", { waiver: "Another text." }));
    const signed = await sign(ann);
    const { must_sign } = await s.see(ann);
    expect([signed.status, must_sign]).toEqual([200, true]);
    await expectRefused(sign(await enter("Ben")), "changed_meanwhile");
  });

  it("a deleted account has no signature that is signed meanwhile, by itself or on paper", async () => {
    const gm = await withWaiver();
    const [ann, ben] = [await enter("Ann"), await enter("Ben")];
    s.beforeTransaction(() => leave(ann));
    await expectRefused(sign(ann), "player_not_found");
    s.beforeTransaction(() => leave(ben));
    await expectRefused(paper(gm, "Ben"), "player_not_found");
    expect((await read(gm, "/admin/signatures")).signatures).toEqual([]);
  });
});
