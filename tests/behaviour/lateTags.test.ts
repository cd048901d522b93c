/** Tags that are reported after their hunter has starved or changed: the hunter is judged when it happened (decision 97). */
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { requireConsistency } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";

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

  it("revives the hunter as well if a game master enters it", async () => {
    const { gm, zed, ann, died } = await starvedGame(9 * HOUR);
    await expectRefused(s.hunt(zed, ann, at(died - HOUR)), "invalid_request");
    const entered = await done(gm, "hunt", { hunter: "Zed", prey: "Ann", ...at(died - HOUR) });
    expect(entered.player).toMatchObject({ state: "zombie", kills: 1 });
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
    const [last, before] = await of(gm, zed);
    expect([last?.kind, before?.kind]).toEqual(["void", "starve"]);
  });
});
