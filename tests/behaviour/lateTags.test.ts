/** Tags that are reported after their hunter has starved or changed: the hunter is judged when it happened (decision 97). */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { randomFrom, SEED } from "../support/battery.ts";
import { requireConsistency } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, idOf, outcomeOf, shortRequests } from "../support/shortRequests.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const PERIOD = 2 * DAY;
const s = testEnvironment({ at: START });
requireConsistency(s);
const { done, read, pushed } = shortRequests(s);

const at = (instant: number) => ({ hunted_at: rfc3339(instant) });
/** Lets time pass. Sessions of game masters are shorter than a feeding period. */
const goTo = async (instant: number, ...all: TestPlayer[]): Promise<void> => {
  s.now = instant;
  for (const player of all)
    Object.assign(player, { token: (await s.login(player.alias, player.password)).token });
};
const diesAt = async (zombie: TestPlayer): Promise<number> => Date.parse((await s.see(zombie)).starves_at);
const of = (as: TestPlayer, player: TestPlayer, query: object = {}): Promise<Result["body"][]> =>
  read(as, "/interactions", { player: player.alias, ...query }).then(({ interactions }) => interactions);
/** A game whose zombie Zed has starved some time ago, while Ann and Bob are human. */
const starvedGame = async (ago: number, { swept = true } = {}) => {
  const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
  const died = await diesAt(zed);
  await goTo(died + ago, gm, zed, ann, bob);
  if (swept) await s.sweep();
  return { gm, zed, ann, bob, died };
};

describe("a tag that happened before its hunter starved and arrives afterwards", () => {
  it.each([
    ["recorded by the sweep", true],
    ["not recorded yet", false],
  ])("counts and undoes the starvation, %s", async (_, swept) => {
    const { gm, zed, ann, died } = await starvedGame(SECOND, { swept });
    expect((await s.see(zed)).state).toBe("corpse");
    const hunted = died - 4 * SECOND;
    const { status, body } = await s.hunt(zed, ann, at(hunted));
    const { interaction_id } = body.interaction;
    expect([status, body.hunter]).toEqual([200, { kills: 1, starves_at: rfc3339(hunted + PERIOD) }]);
    expect(await s.see(zed)).toMatchObject({ state: "zombie", last_fed_at: rfc3339(hunted) });

    const [revival, ...others] = await of(ann, zed, { kind: "revived_by_late_tag" });
    const [starved] = await of(ann, zed, { kind: "starve" });
    expect(others).toEqual([]);
    expect(starved).toMatchObject({ at: rfc3339(died), details: { voided: true } });
    const details = { voided_interaction_id: starved.interaction_id, late_tag_id: interaction_id };
    expect(revival).toMatchObject({ at: rfc3339(s.now), target: "Zed", details });
    expect((await read(gm, "/admin/alerts")).alerts).toMatchObject([
      {
        ...{ kind: "revived_by_late_tag", hunter: "Zed", hunts: [{ interaction_id, alias: "Ann" }] },
        ...{ happened_at: rfc3339(hunted), starved_at: rfc3339(died), at: rfc3339(s.now), resolved_at: null },
      },
    ]);
    // The player is told that they live; not that they starved, unless they were told before.
    expect(await pushed()).toContain(`revived_zombie ${zed.id}`);
    const { notifications } = await read(zed, "/notifications/inbox");
    const titles = notifications.map(({ title }: { title: string }) => title);
    expect(titles).toContain("You live again");
    expect(titles).not.toContain("You starved");
    const { points } = await read(gm, "/interactions/stats");
    for (const { corpses } of points) expect(corpses).toBe(0);
    expect((await s.sweep()).starved).toBe(0);
    // A day later nobody needs the alert any more.
    await goTo(s.now + DAY, gm);
    expect((await read(gm, "/admin/alerts")).alerts).toEqual([]);
  });

  it("is refused if it happened when the hunter had starved, or without a time, which is now", async () => {
    const { zed, ann, bob, died } = await starvedGame(HOUR);
    for (const more of [{}, at(died), at(died + 1), at(s.now)])
      await expectRefused(s.hunt(zed, ann, more), "wrong_state");
    await expectRefused(s.hunt(bob, ann, at(died - MINUTE)), "wrong_state");
    await expectRefused(s.hunt(zed, ann, at(died - 6 * HOUR)), "invalid_request");
    expect(await s.see(zed)).toMatchObject({ state: "corpse", kills: 0 });
    expect((await s.hunt(zed, ann, at(died - 1))).status).toBe(200);
  });

  it("moves the starvation to the end of its meal if that has passed too", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    await done(gm, "settings", { feeding_period_seconds: 3_600 });
    const yan = await s.join("Yan");
    await s.outbreak(gm, yan);
    const died = await diesAt(yan);
    expect(died).toBe(s.now + HOUR);
    await goTo(died + 2 * HOUR);
    await s.sweep();
    const hunted = died - 10 * MINUTE;
    const { body } = await s.hunt(yan, ann, at(hunted));
    expect(body.hunter).toEqual({ kills: 1, starves_at: null });
    expect(await s.see(yan)).toMatchObject({ state: "corpse", last_fed_at: rfc3339(hunted) });
    expect(await of(gm, yan, { kind: "starve" })).toMatchObject([
      { at: rfc3339(hunted + HOUR) },
      { at: rfc3339(died), details: { voided: true } },
    ]);
    expect((await read(gm, "/admin/alerts")).alerts).toEqual([]);
    // Of what followed, only what he did before he starved can still be reported.
    const bob = await s.join("Bob");
    expect((await s.see(zed)).state).toBe("zombie");
    await expectRefused(s.hunt(yan, bob, at(hunted + HOUR)), "wrong_state");
  });

  it("feeds those who share at the request, and none who has starved", async () => {
    const { gm, zed, ann, bob, died } = await starvedGame(HOUR);
    const [yan, xan] = await s.joinAll("Yan", "Xan");
    await s.outbreak(gm, yan);
    await expectRefused(s.hunt(yan, xan, { share_with: ["Zed"] }), "wrong_state");
    expect((await s.hunt(zed, ann, { ...at(died - HOUR), share_with: ["Yan"] })).status).toBe(200);
    expect((await s.see(yan)).last_fed_at).toBe(rfc3339(died - HOUR));
    expect((await s.hunt(yan, bob, { share_with: ["Zed"] })).status).toBe(200);
    expect((await s.see(zed)).starves_at).toBe(rfc3339(s.now + PERIOD));
  });

  it("that its prey reported first revives the hunter with the hunter's time, also if a game master names them", async () => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    const yan = await s.join("Yan");
    await s.outbreak(gm, yan);
    const died = await diesAt(zed);
    await goTo(died - 2 * HOUR, gm, zed, yan, ann, bob);
    const report = (as: TestPlayer) => s.must("POST /player/report_tagged/{url_id}", { as, body: {} });
    const interaction_id = idOf(await report(ann));
    await report(bob);
    await goTo(died + HOUR);
    await s.sweep();
    expect((await s.hunt(zed, bob, at(died - 3 * HOUR))).status).toBe(200);
    expect((await s.see(zed)).starves_at).toBe(rfc3339(died - 3 * HOUR + PERIOD));
    const { player } = await done(gm, "name_hunter", { interaction_id, alias: "Yan" });
    const starves_at = rfc3339(died - 2 * HOUR + PERIOD);
    expect(player).toMatchObject({ state: "zombie", kills: 1, starves_at });
    const { alerts } = await read(gm, "/admin/alerts");
    expect(alerts.map(({ hunter }: { hunter: string }) => hunter).toSorted()).toEqual(["Yan", "Zed"]);
  });
});

describe("what has happened to the hunter since a late tag stays, and the kill counts", () => {
  const starvedAnd = (word: string) => async (gm: TestPlayer) => {
    await goTo(s.now + 2 * HOUR, gm);
    await done(gm, word, { alias: "Zed" });
  };
  const missesCheckpoint = async (gm: TestPlayer) => {
    await done(gm, "set_checkpoint", { name: "The bridge", applies_to: "zombies" });
    await done(gm, "kill_all_not_at_checkpoint");
  };
  it.each<[string, (gm: TestPlayer) => Promise<unknown>, state: string]>([
    ["killed by a game master", (gm) => done(gm, "corpsify", { alias: "Zed" }), "corpse"],
    ["cured", (gm) => done(gm, "cure", { alias: "Zed" }), "human"],
    ["taken out of play", (gm) => done(gm, "make_spectator", { alias: "Zed" }), "spectator"],
    ["killed at a checkpoint", missesCheckpoint, "corpse"],
    ["starved and revived as a human", starvedAnd("revive_h"), "human"],
    ["starved and taken out of play", starvedAnd("make_spectator"), "spectator"],
  ])("%s", async (_, change, state) => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    const [life] = await of(gm, zed, { kind: "revive_zombie" });
    const died = await diesAt(zed);
    await goTo(died - HOUR, gm, zed, ann, bob);
    const hunted = s.now - MINUTE;
    await change(gm);
    s.now += MINUTE;
    const before = await s.see(zed);
    expect(before.state).toBe(state);
    const { body, status } = await s.hunt(zed, ann, at(hunted));
    expect([status, body.hunter]).toEqual([200, { kills: 1, starves_at: null }]);
    expect(body.interaction.details.parent_infection_id).toBe(life.interaction_id);
    expect(await s.see(zed)).toEqual({ ...before, kills: 1 });
    expect(await s.see(ann)).toMatchObject({ state: "zombie", infected_by: "Zed" });
    expect((await read(gm, "/admin/alerts")).alerts).toEqual([]);
    const { players } = await read(gm, "/interactions/leaderboard");
    expect(players[0]).toMatchObject({ alias: "Zed", kills: 1 });
    // After it, the hunter is no zombie.
    s.now += MINUTE;
    await expectRefused(s.hunt(zed, bob, at(s.now - 1)), "wrong_state");
  });

  it("cured and infected again: judged in the life of the tag", async () => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    const yan = await s.join("Yan");
    await s.outbreak(gm, yan);
    const [first] = await of(gm, zed, { kind: "revive_zombie" });
    s.now += HOUR;
    const hunted = s.now;
    s.now += HOUR;
    const { player } = await done(gm, "cure", { alias: "Zed" });
    s.now += HOUR;
    expect((await s.hunt(yan, player.tag_code)).status).toBe(200);
    const again = await s.see(zed);
    const { body, status } = await s.hunt(zed, ann, at(hunted));
    expect(status).toBe(200);
    expect(body.interaction.details.parent_infection_id).toBe(first.interaction_id);
    expect(await s.see(zed)).toEqual({ ...again, kills: 1 });
    // Between the two lives they were human. Before the first, with a code that may be wrong, too.
    const between = at(hunted + 90 * MINUTE);
    await expectRefused(s.hunt(zed, bob, between), "too_early");
    await expectRefused(s.hunt(zed, "QQQQQQQQ", between), "unknown_tag_code");
    await expectRefused(s.hunt(yan, bob, at(START - 1)), "too_early");
  });

  it("does not read the past for a tag of now, for somebody who never was a zombie, or for a living zombie", async () => {
    const { zed, ann, bob } = await starvedGame(HOUR);
    const yan = await s.join("Yan");
    let lists = 0;
    s.beforeCall = (call, touched) => {
      if (call === "query" && touched.some(({ pk }) => pk.startsWith("INTERACTIONS#"))) lists += 1;
    };
    expect((await s.hunt(zed, ann)).status).toBe(409);
    for (const as of [bob, yan]) expect((await s.hunt(as, ann, at(s.now - HOUR))).status).toBe(409);
    s.beforeCall = undefined;
    expect(lists).toBe(0);
  });
});

it("of a hidden original zombie shows others neither the starvation nor the revival, and no alert", async () => {
  const [gm, plays] = [await s.admin(), await s.admin("Pam", true)];
  const [zed, ann, bob] = await s.joinAll("Zed", "Ann", "Bob");
  await done(gm, "settings", { hide_originals: true });
  await s.outbreak(gm, zed);
  const died = await diesAt(zed);
  await goTo(died + HOUR, gm, plays, zed, ann, bob);
  await s.sweep();
  expect((await s.hunt(zed, ann, at(died - HOUR))).status).toBe(200);
  const seenBy = async (as: TestPlayer, path: string) => JSON.stringify(await read(as, path));
  for (const [path, says] of Object.entries({ "/interactions": /starve/, "/admin/alerts": /late_tag/ })) {
    expect(await seenBy(gm, path)).toMatch(says);
    expect(await seenBy(plays, path)).not.toMatch(says);
  }
  expect(await seenBy(bob, "/interactions")).not.toMatch(/starve|late_tag/);
});

describe("the void of a late tag", () => {
  it("brings the starvation back that it has undone, and resolves the alert", async () => {
    const { gm, zed, ann, died } = await starvedGame(HOUR);
    const interaction_id = (await s.hunt(zed, ann, at(died - HOUR))).body.interaction.interaction_id;
    const body = { interaction_id, reason: "She was not there." };
    const dry = await done(gm, "void_hunt", { ...body, dry_run: true });
    const voided = await done(gm, "void_hunt", body);
    expect(voided.effects).toEqual(dry.effects);
    expect(voided.effects).toMatchObject([
      { alias: "Ann", effect: "human_again" },
      { alias: "Zed", effect: "kill_taken_back", kills: 0 },
      { alias: "Zed", effect: "meal_taken_back" },
      { alias: "Zed", effect: "starved", at: rfc3339(died) },
    ]);
    expect(await s.see(zed)).toMatchObject({ state: "corpse", kills: 0 });
    expect((await read(gm, "/admin/alerts")).alerts).toMatchObject([{ resolved_at: rfc3339(s.now) }]);
    const [last, before] = await of(gm, zed);
    expect([last?.kind, before?.kind]).toEqual(["void", "starve"]);
  });

  it("keeps the hunter alive by what they have eaten since, and works from the alert", async () => {
    const { gm, zed, ann, bob, died } = await starvedGame(HOUR);
    expect((await s.hunt(zed, ann, at(died - HOUR))).status).toBe(200);
    s.now += HOUR;
    expect((await s.hunt(zed, bob)).status).toBe(200);
    const [{ alert_id }] = (await read(gm, "/admin/alerts")).alerts;
    expect(await done(gm, "void_hunts", { alert_id })).toMatchObject({ voided: 1 });
    const alive = { state: "zombie", kills: 1, starves_at: rfc3339(s.now + PERIOD) };
    expect(await s.see(zed)).toMatchObject(alive);
    const [alert] = (await read(gm, "/admin/alerts")).alerts;
    expect(alert.resolved_at).toBe(rfc3339(s.now));
  });
});

it("two late tags lead to the same end in either order", async () => {
  const random = randomFrom(SEED);
  const gm = await s.admin();
  await done(gm, "settings", { feeding_period_seconds: 7_200 });
  for (let trial = 0; trial < 4; trial += 1) {
    const hunters = await s.joinAll(`Zed ${trial} one`, `Zed ${trial} other`);
    for (const hunter of hunters) await s.outbreak(gm, hunter);
    const began = s.now;
    const times = [0, 1].map(() => began + MINUTE * random.below(120));
    const preys: TestPlayer[][] = [];
    for (const n of hunters.keys()) preys.push(await s.joinAll(`Ann ${trial} ${n}`, `Bob ${trial} ${n}`));
    s.now = began + 2 * HOUR + MINUTE * random.below(240);
    if (random.chance(0.5)) await s.sweep();
    const isVoided = random.chance(0.5);
    const ends: unknown[] = [];
    for (const [n, hunter] of hunters.entries()) {
      const ids: string[] = [];
      for (const which of n === 0 ? [0, 1] : [1, 0]) {
        const result = await s.hunt(hunter, preys[n]?.[which] ?? "", at(times[which] ?? 0));
        expect(outcomeOf(result)).toEqual([200, undefined]);
        ids[which] = idOf(result);
      }
      if (isVoided) await done(gm, "void_hunt", { interaction_id: ids[0], reason: "No." });
      const { state, kills, last_fed_at, starves_at } = await s.see(hunter);
      const { meals: eaten } = (await s.store.player(hunter.id)) ?? expect.unreachable();
      const meals = eaten.map(({ deadline }) => deadline).toSorted((one, two) => one - two);
      const starvations = await of(gm, hunter, { kind: "starve" });
      const died = starvations.filter(({ details }) => details.voided !== true).map((one) => one.at);
      ends.push({ state, kills, last_fed_at, starves_at, meals, died });
    }
    expect(ends[0], `seed ${SEED}, trial ${trial}`).toEqual(ends[1]);
  }
});
