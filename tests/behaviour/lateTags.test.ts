/** Tags that are reported after their hunter has starved or changed: the hunter is judged when it happened (decision 97). */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { randomFrom, SEED } from "../support/battery.ts";
import { drift } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { outcomeOf, shortRequests } from "../support/shortRequests.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
const PERIOD = 2 * DAY;
const s = testEnvironment({ at: START });
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
const kindsOf = async (as: TestPlayer, player: TestPlayer): Promise<string[]> =>
  (await of(as, player)).map(
    ({ kind, at, details }) => `${kind} ${at.slice(8, 19)}${details.voided === true ? " undone" : ""}`,
  );

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
    const result = await s.hunt(zed, ann, at(hunted));
    expect(outcomeOf(result)).toEqual([200, undefined]);
    expect(result.body.hunter).toEqual({ kills: 1, starves_at: rfc3339(hunted + PERIOD) });
    expect(result.body.interaction).toMatchObject({ at: rfc3339(hunted), recorded_at: rfc3339(s.now) });
    expect(await s.see(zed)).toMatchObject({
      state: "zombie",
      last_fed_at: rfc3339(hunted),
      starves_at: rfc3339(hunted + PERIOD),
    });
    expect(await s.see(ann)).toMatchObject({ state: "zombie", infected_by: "Zed" });

    const [revival, ...others] = await of(ann, zed, { kind: "revived_by_late_tag" });
    const [starved] = await of(ann, zed, { kind: "starve" });
    expect(others).toEqual([]);
    expect(starved).toMatchObject({ at: rfc3339(died), details: { voided: true } });
    expect(revival).toMatchObject({
      at: rfc3339(s.now),
      target: "Zed",
      details: {
        voided_interaction_id: starved.interaction_id,
        late_tag_id: result.body.interaction.interaction_id,
      },
    });
    expect(await of(ann, zed, { kind: "void" })).toEqual([]);
    const { alerts } = await read(gm, "/admin/alerts");
    expect(alerts).toMatchObject([
      {
        kind: "revived_by_late_tag",
        hunter: "Zed",
        happened_at: rfc3339(hunted),
        starved_at: rfc3339(died),
        at: rfc3339(s.now),
        hunts: [{ interaction_id: result.body.interaction.interaction_id, alias: "Ann" }],
        resolved_at: null,
      },
    ]);
    // The player is told that they live; not that they starved, unless they were told before.
    const events = (await pushed()).filter((one) => one.endsWith(zed.id));
    expect(events).toEqual(expect.arrayContaining([`revived_zombie ${zed.id}`]));
    const { notifications } = await read(zed, "/notifications/inbox");
    const titles = notifications.map(({ title }: { title: string }) => title);
    expect(titles).toContain("You live again");
    expect(titles).not.toContain("You starved");

    const counts = (await read(gm, "/admin/player_count")) as object;
    expect(counts).toMatchObject({ zombies: 2, corpses: 0 });
    const { points } = await read(gm, "/interactions/stats");
    expect(points.map(({ corpses }: { corpses: number }) => corpses)).toEqual(points.map(() => 0));
    expect((await s.sweep()).starved).toBe(0);
    expect(await drift(s)).toEqual([]);
    // A day later nobody needs the alert any more.
    await goTo(s.now + DAY, gm);
    expect((await read(gm, "/admin/alerts")).alerts).toEqual([]);
  });

  it("is refused if it happened when the hunter had starved, or without a time, which is now", async () => {
    const { zed, ann, bob, died } = await starvedGame(HOUR);
    for (const more of [{}, at(died), at(died + 1), at(s.now)])
      expect(outcomeOf(await s.hunt(zed, ann, more))).toEqual([409, "wrong_state"]);
    expect(outcomeOf(await s.hunt(bob, ann, at(died - MINUTE)))).toEqual([409, "wrong_state"]);
    expect(outcomeOf(await s.hunt(zed, ann, at(died - 6 * HOUR)))).toEqual([400, "invalid_request"]);
    expect(await s.see(zed)).toMatchObject({ state: "corpse", kills: 0 });
    expect((await s.hunt(zed, ann, at(died - 1))).status).toBe(200);
  });

  it("moves the starvation to the end of its meal if that has passed too", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { feeding_period_seconds: 3_600 } });
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
    const starvations = await of(gm, yan, { kind: "starve" });
    expect(starvations).toMatchObject([
      { at: rfc3339(hunted + HOUR) },
      { at: rfc3339(died), details: { voided: true } },
    ]);
    expect((await read(gm, "/admin/alerts")).alerts).toEqual([]);
    // Of what followed, only what he did before he starved can still be reported.
    const bob = await s.join("Bob");
    expect((await s.see(zed)).state).toBe("zombie");
    expect(outcomeOf(await s.hunt(yan, bob, at(hunted + HOUR)))).toEqual([409, "wrong_state"]);
    expect(await drift(s)).toEqual([]);
  });

  it("feeds those who share at the request, and none who has starved", async () => {
    const { gm, zed, ann, bob, died } = await starvedGame(HOUR);
    const [yan, xan] = await s.joinAll("Yan", "Xan");
    await s.outbreak(gm, yan);
    expect(outcomeOf(await s.hunt(yan, xan, { share_with: ["Zed"] }))).toEqual([409, "wrong_state"]);
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
    const [ofAnn] = [await s.must("POST /player/report_tagged/{url_id}", { as: ann, body: {} })];
    await s.must("POST /player/report_tagged/{url_id}", { as: bob, body: {} });
    await goTo(died + HOUR);
    await s.sweep();
    expect((await s.hunt(zed, bob, at(died - 3 * HOUR))).status).toBe(200);
    expect((await s.see(zed)).starves_at).toBe(rfc3339(died - 3 * HOUR + PERIOD));
    const { interaction_id } = ofAnn?.body.interaction ?? expect.unreachable();
    const named = await done(gm, "name_hunter", { interaction_id, alias: "Yan" });
    expect(named.player).toMatchObject({
      state: "zombie",
      kills: 1,
      starves_at: rfc3339(died - 2 * HOUR + PERIOD),
    });
    const { alerts } = await read(gm, "/admin/alerts");
    expect(alerts.map(({ hunter }: { hunter: string }) => hunter).toSorted()).toEqual(["Yan", "Zed"]);
    expect(await drift(s)).toEqual([]);
  });

  it("revives the hunter as well if a game master enters it", async () => {
    const { gm, zed, ann, died } = await starvedGame(9 * HOUR);
    expect(outcomeOf(await s.hunt(zed, ann, at(died - HOUR)))).toEqual([400, "invalid_request"]);
    const entered = await done(gm, "hunt", { hunter: "Zed", prey: "Ann", ...at(died - HOUR) });
    expect(entered.player).toMatchObject({ state: "zombie", kills: 1 });
    expect(await drift(s)).toEqual([]);
  });

  it("is taken by one of two reports at the same instant, and again if the starvation is recorded meanwhile", async () => {
    const { zed, ann, bob, died } = await starvedGame(HOUR, { swept: false });
    s.beforeTransaction(() => s.sweep());
    expect((await s.hunt(zed, ann, at(died - HOUR))).status).toBe(200);
    const results: Result[] = [];
    s.beforeTransaction(async () => results.push(await s.hunt(zed, bob, at(died - 2 * HOUR))));
    results.push(await s.hunt(zed, bob, at(died - MINUTE)));
    expect(results.map(outcomeOf)).toEqual([
      [200, undefined],
      [409, "already_tagged"],
    ]);
    expect(await s.see(zed)).toMatchObject({ kills: 2, starves_at: rfc3339(died - HOUR + PERIOD) });
    expect(await drift(s)).toEqual([]);
  });
});

describe("what has happened to the hunter since a late tag stays, and the kill counts", () => {
  const LATER: [string, (gm: TestPlayer) => Promise<unknown>, object][] = [
    ["killed by a game master", (gm) => done(gm, "corpsify", { alias: "Zed" }), { state: "corpse" }],
    ["cured", (gm) => done(gm, "cure", { alias: "Zed" }), { state: "human" }],
    ["taken out of play", (gm) => done(gm, "make_spectator", { alias: "Zed" }), { state: "spectator" }],
    [
      "killed at a checkpoint",
      async (gm) => {
        await done(gm, "set_checkpoint", { name: "The bridge", applies_to: "zombies" });
        await done(gm, "kill_all_not_at_checkpoint");
      },
      { state: "corpse" },
    ],
    [
      "starved and revived as a human",
      async (gm) => {
        await goTo(s.now + 2 * HOUR, gm);
        await done(gm, "revive_h", { alias: "Zed" });
      },
      { state: "human" },
    ],
    [
      "starved and taken out of play",
      async (gm) => {
        await goTo(s.now + 2 * HOUR, gm);
        await done(gm, "make_spectator", { alias: "Zed" });
      },
      { state: "spectator" },
    ],
  ];
  it.each(LATER)("%s", async (_, change, expected) => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    const [life] = await of(gm, zed, { kind: "revive_zombie" });
    const died = await diesAt(zed);
    await goTo(died - HOUR, gm, zed, ann, bob);
    const hunted = s.now - MINUTE;
    await change(gm);
    s.now += MINUTE;
    const before = await s.see(zed);
    const { body, status } = await s.hunt(zed, ann, at(hunted));
    expect(status).toBe(200);
    expect(body.hunter).toEqual({ kills: 1, starves_at: null });
    expect(body.interaction.details.parent_infection_id).toBe(life.interaction_id);
    expect(await s.see(zed)).toEqual({ ...before, kills: 1, last_fed_at: before.last_fed_at });
    expect(before).toMatchObject(expected);
    expect(await s.see(ann)).toMatchObject({ state: "zombie", infected_by: "Zed" });
    expect((await read(gm, "/admin/alerts")).alerts).toEqual([]);
    expect((await read(gm, "/interactions/leaderboard")).players[0]).toMatchObject({
      alias: "Zed",
      kills: 1,
    });
    // After it, the hunter is no zombie.
    s.now += MINUTE;
    expect(outcomeOf(await s.hunt(zed, bob, at(s.now - 1)))).toEqual([409, "wrong_state"]);
    expect(await drift(s)).toEqual([]);
  });

  it("judges a hunter who was cured and infected again in the life of the tag", async () => {
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
    expect(outcomeOf(await s.hunt(zed, bob, at(hunted + 90 * MINUTE)))).toEqual([409, "too_early"]);
    expect(outcomeOf(await s.hunt(zed, "QQQQQQQQ", at(hunted + 90 * MINUTE)))).toEqual([
      404,
      "unknown_tag_code",
    ]);
    expect(outcomeOf(await s.hunt(yan, bob, at(START - 1)))).toEqual([409, "too_early"]);
    expect(await drift(s)).toEqual([]);
  });

  it("does not read the past for a tag of now, for somebody who never was a zombie, or for a living zombie", async () => {
    const { zed, ann, bob } = await starvedGame(HOUR);
    const yan = await s.join("Yan");
    let lists = 0;
    s.beforeCall = (call, touched) => {
      if (call === "query" && touched.some(({ pk }) => pk.startsWith("INTERACTIONS#"))) lists += 1;
    };
    expect((await s.hunt(zed, ann)).status).toBe(409);
    expect((await s.hunt(bob, ann, at(s.now - HOUR))).status).toBe(409);
    expect((await s.hunt(yan, ann, at(s.now - HOUR))).status).toBe(409);
    expect(lists).toBe(0);
  });
});

it("of a hidden original zombie shows others neither the starvation nor the revival, and no alert", async () => {
  const gm = await s.admin();
  const plays = await s.admin("Pam", true);
  const [zed, ann, bob] = await s.joinAll("Zed", "Ann", "Bob");
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { hide_originals: true } });
  await done(gm, "corpsify", { alias: "Zed" });
  await done(gm, "revive_z", { alias: "Zed" });
  const died = await diesAt(zed);
  await goTo(died + HOUR, gm, plays, zed, ann, bob);
  await s.sweep();
  const kinds = async (as: TestPlayer) =>
    (await read(as, "/interactions")).interactions.map(({ kind }: { kind: string }) => kind);
  const before = await kinds(bob);
  const counts = await read(bob, "/game");
  expect((await s.hunt(zed, ann, at(died - HOUR))).status).toBe(200);
  for (const as of [bob, plays]) {
    expect(await kinds(as)).toEqual(["hunt", ...before]);
    expect((await read(as, "/interactions")).interactions[0]).toMatchObject({ actor: null, hidden: true });
  }
  expect((await read(bob, "/game")).counts).toEqual({ ...counts.counts, humans: 3, zombies: 1 });
  expect((await read(plays, "/admin/alerts")).alerts).toEqual([]);
  expect((await read(gm, "/admin/alerts")).alerts).toMatchObject([{ hunter: "Zed" }]);
  expect(await kinds(zed)).toEqual(expect.arrayContaining(["starve", "revived_by_late_tag"]));
  expect((await s.see(zed)).state).toBe("zombie");
  expect(await drift(s)).toEqual([]);
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
    expect(await kindsOf(gm, zed)).toMatchObject({
      0: expect.stringMatching(/^void/),
      1: expect.stringMatching(/^starve/),
    });
    expect(await drift(s)).toEqual([]);
  });

  it("keeps the hunter alive by what they have eaten since, and works from the alert", async () => {
    const { gm, zed, ann, bob, died } = await starvedGame(HOUR);
    expect((await s.hunt(zed, ann, at(died - HOUR))).status).toBe(200);
    s.now += HOUR;
    expect((await s.hunt(zed, bob)).status).toBe(200);
    const [{ alert_id }] = (await read(gm, "/admin/alerts")).alerts;
    expect(await done(gm, "void_hunts", { alert_id })).toMatchObject({ voided: 1 });
    expect(await s.see(zed)).toMatchObject({
      state: "zombie",
      kills: 1,
      starves_at: rfc3339(s.now + PERIOD),
    });
    const [alert] = (await read(gm, "/admin/alerts")).alerts;
    expect(alert.resolved_at).toBe(rfc3339(s.now));
    expect(await drift(s)).toEqual([]);
  });
});

describe("the clock and a late tag", () => {
  it("counts the meal from the last pause or added day since, as that of any tag", async () => {
    const { gm, zed, ann, died } = await starvedGame(HOUR);
    await done(gm, "zombies_add_day");
    const changed = s.now;
    s.now += HOUR;
    const hunt = await s.hunt(zed, ann, at(died - HOUR));
    expect(hunt.body.hunter.starves_at).toBe(rfc3339(changed + PERIOD));
    await done(gm, "pause_game");
    s.now += HOUR;
    await done(gm, "resume_game");
    expect((await s.see(zed)).starves_at).toBe(rfc3339(changed + PERIOD + HOUR));
    const { interaction_id } = hunt.body.interaction;
    // The starvation comes back at its own time, although the clock has changed twice since.
    const { effects } = await done(gm, "void_hunt", { interaction_id, reason: "No." });
    expect(effects.at(-1)).toMatchObject({ effect: "starved", at: rfc3339(died) });
    expect(await drift(s)).toEqual([]);
  });
});

it("two late tags lead to the same end in either order", async () => {
  const random = randomFrom(SEED);
  const [gm] = [await s.admin()];
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { feeding_period_seconds: 7_200 } });
  for (let trial = 0; trial < 6; trial += 1) {
    const names = ["one", "other"].map((order) => `Zed ${trial} ${order}`);
    const hunters = [];
    for (const name of names) hunters.push(await s.join(name));
    for (const hunter of hunters) await s.outbreak(gm, hunter);
    const began = s.now;
    const died = began + 2 * HOUR;
    const times = [0, 1].map(() => began + MINUTE * random.below(120));
    const preys: TestPlayer[][] = [];
    for (const at of hunters.keys()) preys.push(await s.joinAll(`Ann ${trial} ${at}`, `Bob ${trial} ${at}`));
    s.now = died + MINUTE * random.below(240);
    if (random.chance(0.5)) await s.sweep();
    const ends: unknown[] = [];
    const isVoided = random.chance(0.5);
    for (const [n, hunter] of hunters.entries()) {
      const ids: string[] = [];
      for (const which of n === 0 ? [0, 1] : [1, 0]) {
        const result = await s.hunt(hunter, preys[n]?.[which] ?? "", at(times[which] ?? 0));
        ids[which] = result.body.interaction?.interaction_id;
        expect(outcomeOf(result)).toEqual([200, undefined]);
      }
      if (isVoided) await done(gm, "void_hunt", { interaction_id: ids[0], reason: "No." });
      const { state, kills, last_fed_at, starves_at } = await s.see(hunter);
      const { meals: eaten } = (await s.store.player(hunter.id)) ?? expect.unreachable();
      const meals = eaten.map(({ deadline }) => deadline).toSorted((one, two) => one - two);
      const last = (await of(gm, hunter, { kind: "starve" })).filter(
        ({ details }) => details.voided !== true,
      );
      ends.push({ state, kills, last_fed_at, starves_at, meals, died: last.map((one) => one.at) });
    }
    expect(ends[0], `seed ${SEED}, trial ${trial}`).toEqual(ends[1]);
  }
  expect(await drift(s)).toEqual([]);
});
