/**
 * Players who delete their accounts during play and register again (decision 85): a return neither helps nor harms, and
 * tells nothing. Random ones are in `tests/battery/model`.
 */
import crypto from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { MAX_SUBSCRIPTIONS } from "../../lib/domain/notifications/push.ts";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { emailHash } from "../../lib/store/accounts/emails.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { departedAccount, keys } from "../../lib/store/keys.ts";
import { waiverVersion } from "../../lib/store/waiver/texts.ts";
import { exportGame } from "../../scripts/archive/write.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { CRATES, missionAt } from "../support/constants.ts";
import { requireConsistency } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, expectRefused, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";
import { fillSubscriptions } from "../support/subscribers.ts";
import { scan } from "../support/table.ts";

/** The hashes of passwords that this process has made. Files share modules, so the function itself is replaced. */
const hashes = { count: 0 };
const { argon2 } = crypto;
// Not imported: knip takes each `register(…)` of a file that imports the module for that of Node.js.
const { syncBuiltinESMExports } = process.getBuiltinModule("node:module");
beforeAll(() => {
  crypto.argon2 = (...given) => {
    hashes.count += 1;
    argon2(...given);
  };
  syncBuiltinESMExports();
});
afterAll(() => {
  crypto.argon2 = argon2;
  syncBuiltinESMExports();
});

const START = Date.parse("2026-11-23T09:00:00Z");
const s = testEnvironment({ at: START });
requireConsistency(s);
const { newFile, openTable } = archives(s);
const { read, admin, edit, register, enter, leave, enrol, shown, pushed } = shortRequests(s);

/** The password of somebody who is not the player. */
const OTHER = "somebody else's horse";
const email = "zed@example.org";
const FEEDING = 48 * HOUR;

let gm: TestPlayer;
let zed: TestPlayer;
const begin = playedOnce(s, async () => {
  const master = await s.admin();
  const zombie = await enter("Zed", { email });
  await s.outbreak(master, zombie);
  return [master, zombie] as const;
});
beforeEach(async () => {
  [gm, zed] = await begin();
});

const master = (name: string, body: unknown) => admin(gm, name, body);
const done = (name: string, body: unknown) => s.must(`POST /admin/${name}/{url_id}`, { as: gm, body });
const set = (body: unknown) => done("settings", body);
/** A game master's decision about somebody who waits. */
const admit = (alias: string, more: object = {}) => master("admit", { alias, ...more });
const expectAdmitted = async (state: string, alias: string, more: object = {}) =>
  expect((await admit(alias, more)).body.admitted).toEqual([{ alias, state }]);
/** Somebody registers who is not the player, or does not know the password. */
const claim = (alias: string, more: object = {}, options = {}) =>
  register(alias, { password: OTHER, ...more }, options);
const backIn = (alias: string) => s.login(alias, PASSWORD);
/** Makes addresses those that a player has given up. */
const rememberAddresses = async ({ id }: TestPlayer, ...addresses: string[]) => {
  const before = await s.store.player(id);
  if (before === null) throw new Error("no such player");
  const after = { ...before, former_addresses: addresses.map(emailHash) };
  await s.store.commit(await writesOf({ players: [{ before, after }] }), () => 10_000);
};
/** Lets time pass; the game master logs in again, whose sessions end early. */
const pass = async (milliseconds: number) => {
  s.now += milliseconds;
  gm = await s.login(gm.alias, PASSWORD);
};
const reviews = async () => (await read(gm, "/admin/alerts")).reviews;
const secrets = async (part: string) => (await scan(s)).filter(({ pk, sk }) => `${pk} ${sk}`.includes(part));
const starving = { state: "zombie", starves_at: rfc3339(START + FEEDING) };
const waits = { state: "spectator", pending: true, tag_code: null, infected_by: null };

describe("a player who comes back with the password of then", () => {
  it("is who they would be if they had stayed, by each alias and address of the season", async () => {
    expect((await edit(zed, { alias: "Zoe", email: null })).status).toBe(200);
    await rememberAddresses(zed, email);
    // The old alias and address are free, and lead to the same zombie, whose time runs on.
    await leave(await backIn("Zoe"));
    s.now += 25 * HOUR;
    const back = { player_id: zed.id, ...starving };
    for (const [alias, more] of [
      ["Zed", {}],
      ["Zac", { email }],
      ["Zoe", {}],
    ] as const) {
      expect((await register(alias, more)).body, alias).toMatchObject(back);
      await s.freeAliases(zed);
      await leave(await backIn(alias));
    }
    s.now += 23 * HOUR;
    expect((await register("Zed")).body).toMatchObject({ player_id: zed.id, state: "corpse" });
  });

  it("has starved while they were away if they had no more time: that is recorded, and no news", async () => {
    await leave(zed);
    await pass(50 * HOUR);
    expect((await register("Zed")).body).toMatchObject({ player_id: zed.id, state: "corpse" });
    const [starved] = (await read(gm, "/interactions")).interactions;
    const details = { returned: true };
    expect(starved).toMatchObject({ kind: "starve", at: rfc3339(START + FEEDING), target: "Zed", details });
    expect(await pushed()).not.toContain(`starved ${zed.id}`);
  });

  it("keeps history, tree, kills and tag code; a corpse and a withdrawn player stay what they were", async () => {
    const [ann, bea, cid, dan] = await s.joinAll("Ann", "Bea", "Cid", "Dan");
    await s.hunt(zed, ann);
    await done("corpsify", { alias: "Bea" });
    await done("make_spectator", { alias: "Cid" });
    for (const one of [zed, ann, bea, cid, dan]) await leave(one);
    s.now += HOUR;
    for (const [alias, as] of Object.entries({
      Zed: { state: "zombie", kills: 1, player_id: zed.id },
      Ann: { state: "zombie", infected_by: "Zed" },
      Bea: { state: "corpse" },
      Cid: { state: "spectator", pending: false },
      Dan: { state: "human", tag_code: dan.code },
    }))
      expect((await register(alias)).body, alias).toMatchObject(as);
    const { roots } = await read(gm, "/interactions/tree");
    const branch = [{ alias: "Zed", children: [{ alias: "Ann", children: [] }] }];
    expect(roots).toMatchObject(branch);
    const root = roots[0].infection_id;
    expect((await read(gm, "/interactions/tree", { root })).roots).toMatchObject(branch);
    await expectRefused(enrol(await backIn("Cid")), "wrong_state");
    expect((await s.hunt(await backIn("Zed"), dan)).body).toMatchObject({ hunter: { kills: 2 } });
    // The code is used up, as that of anybody who is here.
    await expectRefused(s.hunt(await backIn("Ann"), dan), "already_tagged");
  });

  it("does not dodge a tag: it counts from the hunter's report, and a void takes it back", async () => {
    const [ann, bea] = await s.joinAll("Ann", "Bea");
    s.now += HOUR;
    for (const one of [ann, bea]) await leave(one);
    const at = { hunted_at: rfc3339(s.now - MINUTE) };
    const { interaction_id } = (await s.hunt(zed, ann, at)).body.interaction;
    const { interaction_id: wrong } = (await s.hunt(zed, bea, at)).body.interaction;
    s.now += 10 * HOUR;
    const tagged = { state: "zombie", infected_by: "Zed", starves_at: rfc3339(s.now + 38 * HOUR) };
    expect((await register("Ann")).body).toMatchObject({ player_id: ann.id, ...tagged });
    await done("void_hunt", { interaction_id: wrong, reason: "Not her." });
    const human = (await register("Bea")).body;
    expect(human).toMatchObject({ player_id: bea.id, state: "human", tag_code: expect.any(String) });
    expect(human.tag_code).not.toBe(bea.code);
    await expectRefused(s.hunt(zed, bea), "already_tagged");
    await done("void_hunt", { interaction_id, reason: "Not her either." });
    expect((await s.see(await backIn("Ann"))).state).toBe("human");
  });

  it("loses a kill and a meal that were taken back meanwhile, and is human if their own tag was", async () => {
    const [ann, bea] = await s.joinAll("Ann", "Bea");
    const { interaction_id: first } = (await s.hunt(zed, ann)).body.interaction;
    s.now += HOUR;
    const { interaction_id: second } = (await s.hunt(zed, bea)).body.interaction;
    for (const one of [zed, ann]) await leave(one);
    for (const interaction_id of [first, second])
      await done("void_hunt", { interaction_id, reason: "Took part in no hunt." });
    s.now += HOUR;
    expect((await register("Zed")).body).toMatchObject({ ...starving, kills: 0 });
    expect((await register("Ann")).body).toMatchObject({ state: "human" });
  });

  it("is what a void and an undone cure had made of them before they left", async () => {
    const ben = await enter("Ben");
    const { interaction } = (await s.hunt(zed, ben)).body;
    const { codes } = (await done("create_codes", { ...CRATES, effect: { cure: true } })).body;
    const redeemed = (
      await s.must("POST /player/redeem/{url_id}", { as: ben, body: { code: codes[0].code } })
    ).body;
    await done("void_hunt", { interaction_id: interaction.interaction_id, reason: "He was not near." });
    await done("undo_redemption", { redemption_id: redeemed.redemption_id });
    s.now += MINUTE;
    const { state } = await s.see(ben);
    await leave(ben);
    expect((await register("Ben")).body.state).toBe(state);
  });

  it("has missed a checkpoint that was enforced meanwhile, unless it was undone, or they had passed", async () => {
    const [ann, bea, cid] = await s.joinAll("Ann", "Bea", "Cid");
    const { checkpoint_id } = (await done("set_checkpoint", { name: "The bridge" })).body;
    await done("player_at_checkpoint", { alias: "Bea" });
    for (const one of [zed, ann, bea, cid]) await leave(one);
    s.now += HOUR;
    const killed = rfc3339(s.now);
    await done("kill_all_not_at_checkpoint", {});
    s.now += HOUR;
    expect((await register("Ann")).body).toMatchObject({ player_id: ann.id, state: "corpse" });
    const { interactions } = await read(gm, "/interactions");
    expect(interactions[0]).toMatchObject({ kind: "checkpoint_kill", at: killed, target: "Ann" });
    expect((await register("Bea")).body).toMatchObject({ state: "human", tag_code: bea.code });
    await expectRefused(s.hunt(await enter("Eve"), ann), "wrong_state");
    // Ann, who is back, and Zed, who is not, are restored; Zed has as much time left as at the enforcement.
    await done("undo_checkpoint", { checkpoint_id, reason: "The bridge was closed." });
    expect(await s.see(await backIn("Ann"))).toMatchObject({ state: "human", tag_code: ann.code });
    const starves_at = rfc3339(START + FEEDING + HOUR);
    expect((await register("Zed")).body).toMatchObject({ state: "zombie", starves_at });
    // Cid has missed a second one after that.
    s.now += HOUR;
    await done("set_checkpoint", { name: "The mill" });
    await done("kill_all_not_at_checkpoint", {});
    expect((await register("Cid")).body).toMatchObject({ player_id: cid.id, state: "corpse" });
  });

  it("is restored also if they left while an enforcement was being undone", async () => {
    const ann = await enter("Ann");
    const { checkpoint_id } = (await done("set_checkpoint", { name: "The bridge" })).body;
    await done("kill_all_not_at_checkpoint", {});
    let hasBegun = false;
    s.beforeCall = async (_, concerned) => {
      if (hasBegun) {
        s.beforeCall = undefined;
        await leave(ann);
      }
      hasBegun = concerned.some(({ sk }) => sk.startsWith("UNDONE#"));
    };
    await done("undo_checkpoint", { checkpoint_id, reason: "The bridge was closed." });
    expect((await register("Ann")).body).toMatchObject({ player_id: ann.id, state: "human" });
  });

  it.each([
    ["a kill of theirs is voided", "Zed", { state: "zombie", kills: 0 }],
    ["the checkpoint is enforced", "Bea", { state: "corpse" }],
    ["an enforcement is undone", "Cid", { state: "human" }],
  ] as const)("is what they would be also if %s while they come back", async (_, alias, as) => {
    const [ann, bea, cid] = await s.joinAll("Ann", "Bea", "Cid");
    const { interaction_id } = (await s.hunt(zed, ann)).body.interaction;
    const { checkpoint_id } = (await done("set_checkpoint", { name: "The bridge" })).body;
    for (const one of [zed, bea, cid]) await leave(one);
    s.now += MINUTE;
    const reason = "It was closed.";
    if (alias === "Cid") await done("kill_all_not_at_checkpoint", {});
    s.beforeTransaction(() => {
      if (alias === "Zed") return done("void_hunt", { interaction_id, reason });
      if (alias === "Bea") return done("kill_all_not_at_checkpoint", {});
      return done("undo_checkpoint", { checkpoint_id, reason });
    });
    expect((await register(alias)).body).toMatchObject(as);
  });

  it("loses a kill also if they come back while it is voided, and can be tagged while they come back", async () => {
    const [ann, bea] = await s.joinAll("Ann", "Bea");
    const { interaction_id } = (await s.hunt(zed, ann)).body.interaction;
    for (const one of [zed, bea]) await leave(one);
    s.beforeTransaction(() => register("Zed"));
    await done("void_hunt", { interaction_id, reason: "It was somebody else." });
    const back = await backIn("Zed");
    expect(await s.see(back)).toMatchObject({ kills: 0 });
    let reads = 0;
    s.beforeCall = async (_, concerned) => {
      if (!concerned.some(({ pk }) => pk === keys.code(bea.code ?? "").pk)) return;
      reads += 1;
      if (reads < 2) return;
      s.beforeCall = undefined;
      await register("Bea");
    };
    expect((await s.hunt(back, bea)).body.prey).toEqual({ alias: "Bea", state: "zombie" });
  });

  it("is a volunteer if they were one, or say so when they come back", async () => {
    const [ann, bea] = await s.joinAll("Ann", "Bea");
    await edit(ann, { wants_original: true });
    for (const one of [ann, bea]) await leave(one);
    expect((await register("Ann")).body).toMatchObject({ player_id: ann.id, wants_original: true });
    const more = { wants_original: true };
    expect((await register("Bea", more)).body).toMatchObject({ player_id: bea.id, ...more });
  });

  it("keeps points, badges and attendance, and is short of missions that were enforced meanwhile unless it was undone", async () => {
    const [ann, bea, cid, dan] = await s.joinAll("Ann", "Bea", "Cid", "Dan");
    const badge = { name: "There", symbol: "✓" };
    const rewards = [{ audience: "all", effect: { points: 2, badge } }];
    const starts_at = rfc3339(s.now);
    const drop = missionAt(s.now, { starts_at, required: true, rewards });
    const { mission_id } = (await done("set_mission", drop)).body;
    await done("mission_attendance", { mission_id, alias: "Bea" });
    await done("close_mission", { mission_id, result: "humans" });
    for (const one of [zed, ann, bea, cid]) await leave(one);
    s.now += HOUR;
    const killed = rfc3339(s.now);
    const exempt = ["Dan"];
    const { job_id: checkpoint_id } = (await done("enforce_missions", { min: 1, exempt })).body;
    s.now += HOUR;
    expect((await register("Ann")).body).toMatchObject({ player_id: ann.id, state: "corpse" });
    const [first] = (await read(gm, "/interactions")).interactions;
    expect(first).toMatchObject({ kind: "checkpoint_kill", at: killed, target: "Ann" });
    expect(first.details).toMatchObject({ of_missions: true, returned: true });
    expect((await register("Bea")).body).toMatchObject({ state: "human", tag_code: bea.code });
    const back = await backIn("Bea");
    expect(await s.see(back)).toMatchObject({ points: 2, badges: [badge] });
    const [mission] = (await read(back, "/missions")).missions;
    expect(mission).toMatchObject({ attended: true, earned: [{ points: 2, badge }] });
    await done("undo_checkpoint", { checkpoint_id, reason: "The list was late." });
    expect(await s.see(await backIn("Ann"))).toMatchObject({ state: "human", tag_code: ann.code });
    expect((await register("Cid")).body).toMatchObject({ state: "human", tag_code: cid.code });
    await leave(await backIn("Cid"));
    s.now += HOUR;
    // Dan is exempt, and leaves before the job reaches anybody.
    s.timeLeft = () => 0;
    expect((await done("enforce_missions", { min: 1, exempt })).body.complete).toBe(false);
    s.timeLeft = undefined;
    await leave(dan);
    expect((await register("Cid")).body).toMatchObject({ state: "corpse" });
    expect((await register("Dan")).body).toMatchObject({ state: "human" });
  });

  it("becomes a zombie by a missed checkpoint if the settings say so, from that time on; an undo restores who left after it", async () => {
    const [ann, bea] = await s.joinAll("Ann", "Bea");
    await set({ checkpoint_outcome: "zombie" });
    const { checkpoint_id } = (await done("set_checkpoint", { name: "The bridge" })).body;
    await leave(ann);
    s.now += HOUR;
    await done("kill_all_not_at_checkpoint", {});
    await leave(bea);
    s.now += HOUR;
    const turned = { state: "zombie", starves_at: rfc3339(s.now + 47 * HOUR) };
    expect((await register("Ann")).body).toMatchObject(turned);
    await done("undo_checkpoint", { checkpoint_id, reason: "The bridge was closed." });
    expect((await register("Bea")).body).toMatchObject({ state: "human", tag_code: bea.code });
  });

  it("gains nothing from pauses and added days that the others do not, however long ago", async () => {
    const bea = await enter("Bea");
    await s.outbreak(gm, bea);
    await leave(zed);
    s.now += HOUR;
    await done("pause_game", {});
    s.now += 3 * HOUR;
    await done("resume_game", {});
    await pass(50 * HOUR);
    // Both have starved before the day is added, and the clock has forgotten that.
    await s.sweep();
    await done("zombies_add_day", {});
    s.now += 2 * HOUR;
    await s.sweep();
    expect((await s.store.game()).cuts).toEqual([]);
    expect((await register("Zed")).body.state).toBe("corpse");
    const { interactions } = await read(gm, "/interactions", { kind: "starve" });
    const at = rfc3339(START + FEEDING + 3 * HOUR);
    expect(interactions.map((death: Result["body"]) => [death.at, death.target])).toEqual([
      [at, "Zed"],
      [at, "Bea"],
    ]);
  });

  it("does not starve by a change of the clock that those who stayed do not depend on any more", async () => {
    const ada = await s.join("Ada");
    await pass(FEEDING - HOUR);
    zed = await backIn("Zed");
    const { body } = await s.hunt(zed, ada);
    // What they had eaten before ends just before a day is added, which the clock forgets.
    await pass(HOUR + 1);
    await done("zombies_add_day", {});
    await pass(2 * HOUR);
    await s.sweep();
    const { interaction_id } = body.interaction;
    await done("void_hunt", { interaction_id, reason: "He was not near her." });
    const before = await s.see(zed);
    expect(before.state).toBe("zombie");
    await leave(zed);
    await pass(MINUTE);
    expect((await register("Zed", { email })).body).toMatchObject({
      ...{ state: "zombie", starves_at: before.starves_at },
    });
  });

  it("is still shown as a human after coming back, if they are a hidden original zombie; also after they have starved", async () => {
    const [ann, oda] = [await enter("Ann"), await enter("Oda", { wants_original: true })];
    await set({ hide_originals: true });
    await done("draw_originals", { n: 1 });
    const before = await read(ann, "/interactions");
    await leave(oda);
    const hidden = { state: "zombie", shown_as: "human", player_id: oda.id };
    expect((await register("Oda")).body).toMatchObject(hidden);
    expect((await shown(ann, "Oda")).state).toBe("human");
    await leave(await backIn("Oda"));
    await pass(50 * HOUR);
    expect((await register("Oda")).body).toMatchObject({ state: "corpse", shown_as: "human" });
    expect((await shown(ann, "Oda")).state).toBe("human");
    expect(await read(ann, "/interactions")).toEqual(before);
    // Her tag code still identifies her.
    await done("set_checkpoint", { name: "The bridge" });
    expect((await master("player_at_checkpoint", { tag_code: oda.code })).status).toBe(200);
  });

  it("comes back also under approval, not while registration is closed, and once by two requests at a time", async () => {
    await leave(zed);
    await set({ registration: "closed" });
    await expectRefused(register("Zed"), "registration_closed");
    await set({ registration: "approval" });
    const once = (alias: string) => register(alias, { email }, { key: "once" });
    const both = (await Promise.all(["Zed", "Zoe"].map(once))).map(({ body }) => body);
    expect(both.map(({ state }) => state).toSorted()).toEqual(["spectator", "zombie"]);
    const [back, ...others] = both.filter(({ player_id }) => player_id === zed.id);
    expect(others).toEqual([]);
    expect((await once(back.alias)).body).toMatchObject({ player_id: zed.id, ...starving });
  });

  it("under another alias, has changed it, which is possible once a day", async () => {
    await leave(zed);
    expect((await register("Zoe", { email })).body).toMatchObject({ player_id: zed.id, ...starving });
    const zoe = await backIn("Zoe");
    await expectRefused(edit(zoe, { alias: "Zac" }), "too_many_attempts");
    await leave(zoe);
    await expectRefused(register("Zac", { email }), "too_many_attempts");
    expect((await register("Zoe")).body).toMatchObject({ player_id: zed.id });
  });

  it("counts as absent from the time of the request, also if the deletion is continued later; a late message deletes nobody who is back", async () => {
    const ann = await enter("Ann");
    const action = "delete_player" as const;
    const message = { player_id: zed.id, action, actor: zed.id, left_at: s.now };
    s.now += 7 * HOUR;
    const run = { services: s.services, requestId: "later", timeLeft: () => 60_000 };
    await processMessage(run, { kind: "removal", ...message, player_id: ann.id });
    // More than the report window after Ann had left.
    await expectRefused(s.hunt(zed, ann), "wrong_state");
    s.now += 40 * HOUR;
    await processMessage(run, { kind: "removal", ...message });
    expect((await register("Zed")).body).toMatchObject(starving);
    await processMessage(run, { kind: "removal", ...message });
    const back = await backIn("Zed");
    expect(await s.see(back)).toMatchObject(starving);
    // The same of a message from between two departures.
    await leave(back);
    await register("Zed");
    await processMessage(run, { kind: "removal", ...message, returns: 1 });
    expect(await s.see(await backIn("Zed"))).toMatchObject(starving);
  });

  it("needs a game master to leave if the settings say so, until the game has ended; then they leave alone", async () => {
    const [ann] = [await enter("Ann"), await enter("Bob")];
    await set({ leaving: "with_game_master", ends_at: rfc3339(s.now + HOUR) });
    await expectRefused(s.call("DELETE /delete_player/{url_id}", { as: zed }), "ask_game_master");
    expect((await master("remove_player", { alias: "Bob" })).status).toBe(204);
    s.now += HOUR;
    for (const one of [zed, ann]) await leave(one);
    await set({ ends_at: rfc3339(s.now + HOUR) });
    expect((await register("Zed")).body).toMatchObject({ player_id: zed.id });
    // Who was no zombie begins anew.
    const { player_id, state } = (await register("Ann")).body;
    expect([player_id === ann.id, state]).toEqual([false, "human"]);
  });

  it("comes back also when the start of the game is postponed, or its end", async () => {
    await leave(zed);
    await set({ starts_at: rfc3339(s.now + 24 * HOUR) });
    expect((await register("Zed")).body).toMatchObject({ player_id: zed.id, state: "zombie" });
    // Who is no plain human, and no plain spectator, was made that before the start.
    const [ova, wes, ann] = await s.joinAll("Ova", "Wes", "Ann");
    await done("corpsify", { alias: "Ova" });
    await done("revive_z", { alias: "Ova" });
    await done("make_spectator", { alias: "Wes" });
    for (const one of [ova, wes, ann]) await leave(one);
    expect((await register("Ova")).body).toMatchObject({ player_id: ova.id, state: "zombie" });
    expect((await register("Wes")).body).toMatchObject({ player_id: wes.id, state: "spectator" });
    expect((await register("Ann")).body.player_id).not.toBe(ann.id);
    await set({ starts_at: rfc3339(s.now), ends_at: rfc3339(s.now + HOUR) });
    s.now += 2 * HOUR;
    await leave(await backIn("Ova"));
    await set({ ends_at: rfc3339(s.now + HOUR) });
    expect((await register("Ova")).body).toMatchObject({ player_id: ova.id, state: "zombie" });
  });

  it("who had waited for admission as a game master has still seen what players may not know", async () => {
    await set({ registration: "approval" });
    await enter("Pen");
    await done("edit_player", { alias: "Pen", is_admin: true });
    const pen = await backIn("Pen");
    await read(pen, "/admin/get_players");
    await set({ registration: "open" });
    await leave(pen);
    expect((await register("Pen")).body).toMatchObject({ player_id: pen.id, state: "spectator" });
  });
});

describe("somebody who registers with another password and the alias or address of a player who has left", () => {
  /** A response without what differs between any two newcomers. */
  const shapeOf = ({ status, body, headers }: Result) => {
    const { player_id: _, alias: _1, email: _2, player_ref: _3, ...rest } = body;
    return { status, body: rest, headers: Object.keys(headers).toSorted() };
  };

  it("learns nothing: the answer is that of any newcomer under approval, after as many hashes", async () => {
    const ann = await enter("Ann", { email: "ann@example.org" });
    await set({ registration: "approval" });
    const send = async (alias: string, more: object) => {
      hashes.count = 0;
      const result = await register(alias, { password: OTHER, ...more });
      return { ...shapeOf(result), hashes: hashes.count };
    };
    const unsuspected = await send("Pia", { email: "pia@example.org" });
    expect(unsuspected).toMatchObject({ status: 201, hashes: 1, body: waits });
    for (const one of [zed, ann]) await leave(one);
    const newcomer = await send("Pam", { email: "pam@example.org" });
    expect(newcomer).toEqual({ ...unsuspected, hashes: 2 });
    for (const [alias, name] of Object.entries({ Zed: "paul", Peg: "ann", Ann: "zed" }))
      expect(await send(alias, { email: `${name}@example.org` }), alias).toEqual(newcomer);
    // A proved return costs as much.
    await leave(await enter("Dora"));
    hashes.count = 0;
    await register("Dora");
    expect(hashes.count).toBe(2);
  });

  it("also under open registration waits, without the state and the infector of the player", async () => {
    const ann = await enter("Ann", { email: "ann@example.org" });
    await s.hunt(zed, ann);
    await leave(ann);
    const { body, text } = await claim("Victim", { email: "ann@example.org" });
    expect(body).toMatchObject({ alias: "Victim", ...waits });
    expect(text).not.toContain("Zed");
    const victim = await s.login("Victim", OTHER);
    expect(await s.see(victim)).toMatchObject(waits);
    // The victim of somebody who had set their address is let in by a game master.
    const departed = { state_then: "zombie", infected_by: "Zed" };
    expect(await reviews()).toMatchObject([
      { alias: "Victim", pending: true, reasons: [{ kind: "returns", by: "address", departed }] },
    ]);
    await expectRefused(admit("Victim"), "wrong_state");
    const skipped = [{ alias: "Victim", code: "needs_decision" }];
    expect((await master("admit", { aliases: ["Victim"] })).body).toEqual({ admitted: [], skipped });
    await expectAdmitted("human", "Victim", { decision: "newcomer" });
    expect(await s.see(victim)).toMatchObject({ state: "human", kills: 0 });
    expect(await reviews()).toEqual([]);
    await expectRefused(admit("Victim", { decision: "newcomer" }), "wrong_state");
    // Ann herself still comes back.
    expect((await register("Ann")).body).toMatchObject({ player_id: ann.id, state: "zombie" });
  });

  it("is the player again if a game master says so: token, picture, names and subscriptions go with them", async () => {
    const ann = await enter("Ann");
    await s.hunt(zed, ann);
    await leave(zed);
    const claimOnce = async () =>
      (await claim("Zed", { first_name: "Zacharias", login: true }, { key: "once" })).body;
    const { player_id, token } = await claimOnce();
    const waiting: TestPlayer = { ...zed, id: player_id, token, password: OTHER };
    const other = await s.login("Zed", OTHER);
    expect(player_id).not.toBe(zed.id);
    s.now += HOUR;
    const departed = { left_at: rfc3339(START), state_then: "zombie", state_now: "zombie", kills: 1 };
    expect(await reviews()).toMatchObject([{ player_id, reasons: [{ by: "alias", departed }] }]);
    const returned = { player_id, decision: "returned", reason: "Forgot the password." };
    const both = await Promise.all([1, 2].map(() => master("admit", returned)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    const now = { player_id: zed.id, first_name: "Zacharias", kills: 1, ...starving };
    for (const id of [player_id, "me"])
      expect((await s.must("GET /player/{url_id}", { as: waiting, id })).body).toMatchObject(now);
    expect(await s.see(await s.login("Zed", OTHER))).toMatchObject(now);
    const login = { alias: "Zed", password: PASSWORD };
    await expectRefused(s.call("POST /login", { body: login }), "bad_credentials");
    expect(await claimOnce()).toMatchObject({ player_id: zed.id });
    for (const [as, body] of [
      [other, {}],
      [waiting, { everywhere: true }],
    ] as const) {
      await s.must("POST /logout", { as, body });
      expect((await s.call("GET /player/{url_id}", { as })).status).toBe(403);
    }
    expect(await reviews()).toEqual([]);
  });

  it("fits into one transaction with fifteen former aliases and addresses on both sides", async () => {
    const crowd = async (alias: string, word: string) => {
      for (let n = 0; n < 15; n += 1)
        await done("edit_player", { alias: n === 0 ? alias : `${word} ${n - 1}`, alias_to: `${word} ${n}` });
      const names = { alias_to: alias, first_name: "A B C D E F G H I J K L M" };
      await done("edit_player", { alias: `${word} 14`, ...names });
      const player = await s.login(alias, alias === "Zed" ? PASSWORD : OTHER);
      await rememberAddresses(player, ...Array.from({ length: 15 }, (_, n) => `${word}${n}@example.org`));
    };
    await crowd("Zed", "Illiilliill");
    await leave(await backIn("Zed"));
    for (const alias of ["Illiilliill 0", "Illiilliill 14"])
      expect((await claim(alias)).body, alias).toMatchObject(waits);
    const waiting = await enter("Zoe", { email: "illiilliill3@example.org", password: OTHER });
    await crowd("Zoe", "Lliilliilli");
    const sign = (version: string) =>
      s.must("POST /player/sign/{url_id}", { as: waiting, body: { version, full_name: "Zoe Z" } });
    for (const waiver of ["At my own risk.", "At nobody else's risk."]) {
      await set({ waiver });
      await sign(waiverVersion(waiver));
    }
    for (let n = 0; n < 35; n += 1)
      await s.must("POST /edit_player/{url_id}", {
        as: waiting,
        body: { last_name: `${n}` },
        key: `key-${n}`,
      });
    await expectAdmitted("zombie", "Zoe", { decision: "returned" });
    // Only the log still names the account, and its old tokens lead on.
    const left = (await scan(s)).filter((item) => JSON.stringify(item).includes(waiting.id));
    expect(left.filter(({ pk }) => !pk.startsWith("LOGS#")).map(({ sk }) => sk)).toEqual(["SESSIONS"]);
    const { signatures } = await read(gm, "/admin/signatures", { player_id: zed.id, contacts: true });
    expect(signatures).toMatchObject([
      { alias: "Zoe", counts: true, address: "127.0.0.1" },
      { counts: false },
    ]);
  });

  it("fits into one transaction with all kills and meals, ten devices and eight rewarded missions", async () => {
    const yan = await enter("Yan");
    await s.outbreak(gm, yan);
    const prey = await s.joinAll(...Array.from("abcdefghijklmnop", (letter) => `Prey ${letter}`));
    for (const [n, one] of prey.entries())
      await (n < 8 ? s.hunt(zed, one) : s.hunt(yan, one, { share_with: ["Zed"] }));
    await leave(zed);
    const { player_id } = (await claim("Zed", { first_name: "A B C D E F", last_name: "G H I J K L M" }))
      .body;
    const rewards = [{ audience: "all", effect: { points: 2 } }];
    for (let n = 0; n < 8; n += 1) {
      const mission = missionAt(s.now, { title: `Mission ${n}`, required: true, rewards });
      const { mission_id } = (await done("set_mission", mission)).body;
      await done("mission_attendance", { mission_id, alias: "Zed" });
      await done("close_mission", { mission_id, result: "both" });
    }
    const devices = Array.from({ length: MAX_SUBSCRIPTIONS }, (_, n) => ({
      playerId: player_id,
      path: `/${n}`,
    }));
    await fillSubscriptions(s.place(), "https://push.example", devices);
    await expectAdmitted("zombie", "Zed", { decision: "returned" });
    expect(await s.see(await s.login("Zed", OTHER))).toMatchObject({ player_id: zed.id, kills: 8 });
  });

  it("has attended what the waiting account attended, too", async () => {
    const missions = await Promise.all(
      ["Orientation", "Both", "Open", "Closed"].map((title) =>
        done("set_mission", missionAt(s.now, { title, required: true })),
      ),
    );
    const [before, both, open, closed] = missions.map(({ body: { mission_id } }) => mission_id);
    const attend = (...attended: string[]) =>
      Promise.all(attended.map((mission_id) => done("mission_attendance", { mission_id, alias: "Zed" })));
    await attend(before, both);
    await leave(zed);
    const waiting = await enter("Zed", { password: OTHER });
    await attend(both, open, closed);
    await done("close_mission", { mission_id: closed, result: "both" });
    s.now += 2 * MINUTE;
    await expectAdmitted("zombie", "Zed", { decision: "returned" });
    const as = await s.login("Zed", OTHER);
    const seen = (await read(as, "/missions")).missions;
    expect(seen.map(({ attended }: { attended: boolean }) => attended)).toEqual([true, true, true, true]);
    expect(as.id).not.toBe(waiting.id);
  });

  it("has what the waiting account got by missions, until one of them is reopened", async () => {
    const badge = { name: "There", symbol: "✓" };
    const rewards = [{ audience: "all", effect: { points: 2, badge } }];
    const missions = await Promise.all(
      ["New", "Both"].map((title) =>
        done("set_mission", missionAt(s.now, { title, required: true, rewards })),
      ),
    );
    const [first, both] = missions.map(({ body: { mission_id } }) => mission_id);
    const attend = (...of: string[]) =>
      Promise.all(of.map((mission_id) => done("mission_attendance", { mission_id, alias: "Zed" })));
    await attend(both);
    await leave(zed);
    await enter("Zed", { password: OTHER });
    await attend(first, both);
    for (const mission_id of [first, both]) await done("close_mission", { mission_id, result: "both" });
    s.now += 2 * MINUTE;
    const closed = await s.store.db.get(keys.mission(first));
    if (closed === undefined) throw new Error("no such mission");
    await s.store.db.put({ ...closed, job: "one that is at work" });
    await expectRefused(admit("Zed", { decision: "returned" }), "wrong_state");
    await s.store.db.put(closed);
    await expectAdmitted("zombie", "Zed", { decision: "returned" });
    const as = await s.login("Zed", OTHER);
    expect(await s.see(as)).toMatchObject({ points: 4, badges: [badge] });
    const earned = { attended: true, earned: [{ points: 2, badge }] };
    expect((await read(as, "/missions")).missions).toMatchObject([earned, earned]);
    await done("enforce_missions", { min: 2 });
    expect((await s.see(as)).state).toBe("zombie");
    for (const mission_id of [first, both])
      expect((await done("reopen_mission", { mission_id })).body).toMatchObject({ count: 1, skipped: 0 });
    expect(await s.see(as)).toMatchObject({ points: 0, badges: [] });
    const own = (await read(as, "/interactions", { player: "me", kind: "void" })).interactions;
    expect(own).toHaveLength(2);
  });

  it("has the reward of a mission once that was closed again for the waiting account", async () => {
    const rewards = [{ audience: "all", effect: { points: 2 } }];
    const { mission_id } = (await done("set_mission", missionAt(s.now, { rewards }))).body;
    const attendAndClose = async () => {
      await done("mission_attendance", { mission_id, alias: "Zed" });
      await done("close_mission", { mission_id, result: "both" });
    };
    await attendAndClose();
    await leave(zed);
    await done("reopen_mission", { mission_id });
    await enter("Zed", { password: OTHER });
    await attendAndClose();
    await expectAdmitted("zombie", "Zed", { decision: "returned" });
    const as = await s.login("Zed", OTHER);
    expect((await s.see(as)).points).toBe(2);
    const own = (await read(as, "/interactions", { player: "me", kind: "reward" })).interactions;
    expect(own).toHaveLength(1);
    const reopened = (await done("reopen_mission", { mission_id })).body;
    expect(reopened).toMatchObject({ count: 1, skipped: 0 });
    expect((await s.see(as)).points).toBe(0);
  });

  it("does not wait for a birthday any more, for which only the waiting account waited", async () => {
    const waiver = "At my own risk.";
    await leave(zed);
    await set({ waiver, minimum_age: 18 });
    const signature = { version: waiverVersion(waiver), full_name: "Kim", birth_date: "2010-01-01" };
    const kim = await enter("Kim", { password: OTHER, signature });
    expect((await edit(kim, { alias: "Zed" })).body).toMatchObject({ state: "spectator", under_age: true });
    await expectAdmitted("zombie", "Zed", { decision: "returned" });
    expect(await s.see(await s.login("Zed", OTHER))).not.toHaveProperty("under_age");
  });

  it("is none of a game master's concern any more when the player is back, or when they leave themselves", async () => {
    await leave(zed);
    const claimant = await enter("Zed", { password: OTHER });
    const another = await enter("Zoe", { email, password: OTHER });
    const listed = await enter("Zola", { email, password: OTHER });
    expect(aliasesIn(await reviews())).toEqual(["Zed", "Zoe", "Zola"]);
    await leave(another);
    expect((await register("Zac", { email })).body).toMatchObject({ player_id: zed.id });
    expect(await reviews()).toEqual([]);
    await expectRefused(admit("Zed", { decision: "returned" }), "wrong_state");
    expect((await master("admit", { aliases: ["Zola"] })).body.admitted).toMatchObject([{ alias: "Zola" }]);
    await expectAdmitted("human", "Zed");
    for (const one of [claimant, listed]) expect((await s.see(one)).state).toBe("human");
  });

  it("does not keep a newcomer waiting who has the same password as the player who is let back in meanwhile", async () => {
    await leave(zed);
    await claim("Zac", { email });
    s.beforeCall = async (_, concerned) => {
      const { pk, sk } = keys.credential(departedAccount(zed.id));
      if (!concerned.some((key) => key.pk === pk && key.sk === sk)) return;
      s.beforeCall = undefined;
      await done("admit", { alias: "Zac", decision: "returned" });
    };
    expect((await register("Zed")).body).toMatchObject({ state: "human" });
  });

  it("may be one of several: the game master names the departure", async () => {
    const ann = await enter("Ann");
    for (const one of [zed, ann]) await leave(one);
    await enter("Ann", { email, password: OTHER });
    expect((await reviews())[0].reasons).toMatchObject([
      { by: "alias", departed: { departure_id: ann.id, state_now: "human" } },
      { by: "address", departed: { departure_id: zed.id, state_now: "zombie" } },
    ]);
    const decision = "returned";
    expect((await admit("Ann", { decision })).body.errors).toMatchObject([{ path: "departure_id" }]);
    await expectRefused(admit("Ann", { decision, departure_id: gm.id }), "wrong_state");
    await expectAdmitted("zombie", "Ann", { decision, departure_id: zed.id });
  });

  it("costs a game master who looks little: the oldest twenty are shown, with three departures, each read once", async () => {
    const shared = { email: "lee@example.org" };
    const leavers = [];
    for (const letter of "ABCDE") leavers.push(await enter(`Lee ${letter}`, shared));
    for (const one of leavers) await leave(one);
    const many = Array.from({ length: 25 }, (_, n) => `Claim ${n}`);
    for (const alias of many) {
      s.now += 1;
      await claim(alias, shared);
    }
    let calls = 0;
    s.beforeCall = () => {
      calls += 1;
    };
    const shown = await reviews();
    s.beforeCall = undefined;
    expect(aliasesIn(shown)).toEqual(many.slice(0, 20));
    for (const { reasons, more } of shown) expect([reasons.length, more]).toEqual([3, 2]);
    expect(calls).toBeLessThan(40);
  });

  it("is let in by no command on a group; a revival of them alone decides", async () => {
    const ann = await enter("Ann");
    for (const one of [zed, ann]) await leave(one);
    for (const alias of ["Zed", "Ann"]) await enter(alias, { password: OTHER });
    const group = { state: "spectator", aliases: ["Zed", "Ann"] };
    expect((await master("revive_all", group)).body).toMatchObject({ count: 0, skipped: 2 });
    expect(await reviews()).toHaveLength(2);
    await done("revive_h", { alias: "Zed" });
    await done("revive_z", { alias: "Ann" });
    expect(await reviews()).toEqual([]);
  });

  it("guesses no password there: failures count as at the login, and a throttled check fails", async () => {
    await leave(zed);
    const names = ["Zed", ...Array.from({ length: 11 }, (_, n) => `Guess ${n}`)];
    for (const alias of names) expect((await claim(alias, { email })).body).toMatchObject(waits);
    // Further guesses within the delay are not even compared.
    const { credential } = await s.store.account(departedAccount(zed.id));
    expect(credential).toMatchObject({ failures: [{ count: 5 }] });
    expect((await register("Right", { email })).body).toMatchObject(waits);
    s.now += HOUR;
    expect((await register("Right 2", { email })).body).toMatchObject({ player_id: zed.id });
  });

  it("waits also if a game master imports them", async () => {
    await leave(zed);
    const rows = [{ alias: "Zed" }, { alias: "Pia" }];
    const { body } = await master("import_players", { rows });
    expect(body.rows).toMatchObject(rows.map((row) => ({ ...row, status: "created" })));
    expect(body.rows.map((row: Result["body"]) => row.needs_decision)).toEqual([true, undefined]);
    await expectAdmitted("zombie", "Zed", { decision: "returned" });
    const { recovery_code } = body.rows[0];
    const redeemed = { alias: "Zed", recovery_code, new_password: "another horse battery" };
    const { player_id } = (await s.must("POST /change_password", { body: redeemed })).body;
    expect(player_id).toBe(zed.id);
  });
});

describe("a player who has left and takes another name first", () => {
  it("is shown to game masters when they take an old name later, and plays on", async () => {
    await leave(zed);
    const zoe = await enter("Zoe");
    await pass(25 * HOUR);
    const edited = await edit(zoe, { alias: "Zed", email });
    expect(edited.body).toMatchObject({ alias: "Zed", state: "human" });
    const reasons = [{ kind: "returns", by: "alias", departed: { departure_id: zed.id } }];
    expect(await reviews()).toMatchObject([{ alias: "Zed", pending: false, reasons }]);
    for (const more of [{ decision: "returned" }, {}]) await expectRefused(admit("Zed", more), "wrong_state");
    expect((await admit("Zed", { decision: "newcomer" })).status).toBe(200);
    expect(await reviews()).toEqual([]);
    expect((await s.see(zoe)).state).toBe("human");
  });

  it.each([
    ["a player takes their name", "alias", { alias: "Zed" }],
    ["a newcomer takes their name", "alias", null],
    ["a newcomer has their address", "address", null],
  ] as const)("is found also if they leave while %s", async (_, by, change) => {
    const zoe = await enter("Zoe");
    await set({ unique_email: true });
    await pass(25 * HOUR);
    const { pk } = by === "alias" ? keys.alias("zed") : keys.email(emailHash(email));
    s.beforeCall = async (_name, concerned) => {
      if (!concerned.some((key) => key.pk === pk)) return;
      s.beforeCall = undefined;
      await leave(zed);
    };
    const alias = by === "alias" ? "Zed" : "Zac";
    if (change !== null) expect((await edit(zoe, change)).body).toMatchObject(change);
    else expect((await claim(alias, by === "alias" ? {} : { email })).body).toMatchObject(waits);
    expect(await reviews()).toMatchObject([{ alias, reasons: [{ kind: "returns", by }] }]);
  });

  it("is found by an alias that looks like theirs", async () => {
    const alice = await enter("Alice");
    await leave(alice);
    expect((await claim("AIice")).body).toMatchObject(waits);
    await leave(await s.login("AIice", OTHER));
    expect((await register("\u0410lice")).body).toMatchObject({ player_id: alice.id });
  });

  it("is still who they may be after the waiting account has left without the address", async () => {
    await leave(zed);
    const claimant = await enter("Zoe", { email, password: OTHER });
    await edit(claimant, { email: null });
    s.now += MINUTE;
    await leave(claimant);
    expect((await claim("Zoe")).body).toMatchObject(waits);
    await leave(await s.login("Zoe", OTHER));
    expect((await register("Zoe", { password: "a third horse battery" })).body).toMatchObject(waits);
    const [{ reasons }] = await reviews();
    const ids = reasons.map(({ departed }: { departed: { departure_id: string } }) => departed.departure_id);
    expect(ids.toSorted()).toEqual([zed.id, claimant.id].toSorted());
    // Nobody keeps the player from coming back by themselves that way.
    expect((await register("Zed", { email })).body).toMatchObject({ player_id: zed.id });
  });
});

describe("what is stored of players who have left", () => {
  it("is nothing if they may not leave: the last game master keeps former aliases", async () => {
    await done("edit_player", { alias: gm.alias, alias_to: "The Boss" });
    await expectRefused(s.call("DELETE /delete_player/{url_id}", { as: gm }), "last_administrator");
    expect((await s.store.player(gm.id))?.former_aliases).toEqual([gm.alias]);
    expect(await secrets("DEPARTED")).toEqual([]);
  });

  it("is nothing personal, and no statement and no export contains their passwords; the season's end removes it all", async () => {
    await edit(zed, { alias: "Zoe", first_name: "Zacharias", named_in_past: true });
    await edit(zed, { email: "zoe@example.org" });
    await rememberAddresses(zed, email);
    await leave(await backIn("Zoe"));
    const kept = await secrets("SECRET#TOMBSTONES");
    expect(kept.map(({ sk }) => sk).toSorted()).toEqual([
      "CREDENTIAL",
      "DEPARTED",
      "KEY",
      // Two aliases, each with what it looks like, and two addresses.
      ...Array.from({ length: 6 }, () => `LEFT#${zed.id}`),
    ]);
    expect(JSON.stringify(kept)).not.toMatch(/example|\bzoe\b|\bzed\b|zacharias|named_in_past/i);
    const hash = String(kept.find(({ sk }) => sk === "CREDENTIAL")?.hash);
    expect(hash).toMatch(/^\$argon2id/);
    const statement = `SELECT * FROM "game" WHERE pk = 'SECRET#TOMBSTONES#${zed.id}'`;
    expect((await master("inject_sql", { statement })).status).toBe(400);
    const file = newFile();
    const { readFile } = await import("node:fs/promises");
    await exportGame(openTable(), { file, withSessions: true, force: false, at: rfc3339(s.now) });
    const text = await readFile(file, "utf8");
    expect(text).toContain("DEPARTED");
    expect(text).not.toContain(hash);
    await enter("Zed", { password: OTHER });
    s.now += 1;
    await resetGame(openTable(), { file: newFile(), force: false, clock: () => s.now });
    expect(await secrets("TOMBSTONES")).toEqual([]);
    expect(await secrets("REVIEWS")).toEqual([]);
    // Who waited then waits on, and nobody comes back from an earlier season.
    await expectAdmitted("human", "Zed");
    expect((await claim("Zoe")).body.state).toBe("human");
  });

  it("of an earlier version leads to a game master, who restores the state of then", async () => {
    const ann = await enter("Ann");
    const left = await s.store.player(zed.id);
    await leave(zed);
    const key = String((await s.store.db.get(keys.departedKey))?.key);
    const { createHmac } = await import("node:crypto");
    const hashOf = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
    const { infection_id } = left ?? {};
    const stored = { left_at: rfc3339(s.now), state: "zombie", hunger: 10 * HOUR, infection_id };
    const none = { infected_by: null, tag_code: null, code_since: null };
    await s.store.db.put({ ...stored, ...none, ...keys.tombstone(hashOf("alias\nulf")) });
    await s.store.db.put({ ...stored, ...none, ...keys.tombstone(hashOf("email\nulf@example.org")) });
    expect((await register("Una", { email: "Ulf@example.org" })).body).toMatchObject(waits);
    expect((await register("Ulf")).body).toMatchObject(waits);
    const [{ reasons }] = (await reviews()).filter(({ alias }: { alias: string }) => alias === "Ulf");
    expect(reasons).toMatchObject([{ by: "alias", departed: { state_then: "zombie", kills: null } }]);
    await expectAdmitted("zombie", "Ulf", { decision: "returned" });
    const ulf = await s.see(await backIn("Ulf"));
    expect(ulf.starves_at).toBe(rfc3339(s.now + 10 * HOUR));
    expect((await s.see(ann)).state).toBe("human");
  });
});
