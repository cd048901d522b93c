/** Tags that are reported after their hunter has starved or changed: the hunter is judged when it happened (decision 97). */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { requireConsistency } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, outcomeOf, shortRequests } from "../support/shortRequests.ts";

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
});

describe("what has happened to the hunter since a late tag stays, and the kill counts", () => {
  it.each([
    ["corpsify", "corpse"],
    ["cure", "human"],
    ["make_spectator", "spectator"],
  ])("after %s", async (command, state) => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    const [life] = await of(gm, zed, { kind: "revive_zombie" });
    const died = await diesAt(zed);
    await goTo(died - HOUR, gm, zed, ann, bob);
    const hunted = s.now - MINUTE;
    await done(gm, command, { alias: "Zed" });
    s.now += MINUTE;
    const before = await s.see(zed);
    const { body, status } = await s.hunt(zed, ann, at(hunted));
    expect(status).toBe(200);
    expect(body.hunter).toEqual({ kills: 1, starves_at: null });
    expect(body.interaction.details.parent_infection_id).toBe(life.interaction_id);
    expect(await s.see(zed)).toEqual({ ...before, kills: 1, last_fed_at: before.last_fed_at });
    expect(before.state).toBe(state);
    expect((await read(gm, "/admin/alerts")).alerts).toEqual([]);
    // After it, the hunter is no zombie.
    s.now += MINUTE;
    await expectRefused(s.hunt(zed, bob, at(s.now - 1)), "wrong_state");
  });
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
  });
});
