/** What an effect gives a player, and how it is taken back. Redemptions are in tests/behaviour/codes.test.ts. */
import { describe, expect, it } from "vitest";
import type { Player } from "../../lib/domain/players/player.ts";
import { publicPlay } from "../../lib/domain/players/visibility.ts";
import { applyEffect, type EffectContext } from "../../lib/domain/rewards/effect.ts";
import { type Effect, MAX_BADGES, shownBadges } from "../../lib/domain/rewards/reward.ts";
import { takeBackReward } from "../../lib/domain/rewards/takeBack.ts";
import { NewEffect } from "../../lib/http/rewards.ts";
import { aContext, aGame, aHuman, aZombie } from "./builders.ts";
import { deepFreeze } from "./support.ts";
import { DAY, HOUR, iso, PERIOD, T0 } from "./times.ts";

const game = aGame();
const badge = { name: "Medic", symbol: "✚" };
const tagged = { infected_by: "eve" };

const give = (player: Player, effect: Effect, more: Partial<EffectContext> = {}) =>
  applyEffect(
    deepFreeze({ game, player, effect, audience: "all", source: { kind: "code", id: "b" }, ...more }),
    aContext(),
  );

const takeBack = (given: ReturnType<typeof give>, player = given?.player, at = T0) => {
  if (given === null || player === undefined) throw new Error("nothing was given");
  return takeBackReward({ game, rewarded: given.interaction, player, actor: "gm" }, aContext({ now: at }));
};

describe("food", () => {
  it("moves the deadline by its seconds, at most to a full period, and can be taken back", () => {
    const hungry = aZombie({ ...tagged, deadline: T0 + HOUR });
    const fed = give(hungry, { feed_seconds: 7_200 });
    expect(fed?.player).toMatchObject({ deadline: T0 + 3 * HOUR, last_fed_at: iso(T0) });
    expect(fed?.interaction).toMatchObject({ kind: "feed", actor: null, target: hungry.player_id });
    expect(give(hungry, { feed_seconds: 1_000_000 })?.player.deadline).toBe(T0 + PERIOD);
    expect(takeBack(fed).player).toMatchObject({ deadline: T0 + HOUR, state: "zombie" });
    const starved = takeBack(fed, fed?.player, T0 + 2 * HOUR);
    expect([starved.player?.state, starved.effects.map(({ effect }) => effect)]).toEqual([
      "corpse",
      ["meal_taken_back", "starved"],
    ]);
  });

  it("does nothing to a full zombie, to a human and to one who has starved", () => {
    for (const player of [aZombie({ deadline: T0 + PERIOD }), aHuman(), aZombie({ deadline: T0 })])
      expect(give(player, { feed_seconds: 60 })).toBeNull();
  });
});

describe("an antidote", () => {
  it("makes a zombie human once a season, and taken back restores the life with the time that was left", () => {
    const zombie = aZombie({ ...tagged, deadline: T0 + HOUR });
    const cured = give(zombie, { cure: true });
    expect(cured?.player).toMatchObject({ state: "human", deadline: null, infected_by: null });
    expect(cured?.interaction.kind).toBe("cure");
    const again = { ...zombie, antidote: cured?.interaction.interaction_id ?? "" };
    expect(give(again, { cure: true })).toBeNull();
    const back = takeBack(cured, cured?.player, T0 + DAY).player;
    expect(back).toMatchObject({ ...tagged, state: "zombie", infection_id: "i", deadline: T0 + DAY + HOUR });
    expect(back && give(back, { cure: true }, { at: T0 + DAY })?.given.cured).toBe(true);
  });

  it("makes no original human unless the game says so; a reported tag and a checkpoint make no original", () => {
    const settings = { ...game.settings, originals_cured: true };
    const cures = (more: object, play = game) =>
      give(aZombie({ ...more }), { cure: true }, { game: play })?.given.cured ?? false;
    const before_checkpoint = { checkpoint_id: "c", interaction_id: "i", shards: 1, infection_id: "i" };
    const missed = { ...before_checkpoint, tag_code: null, hunger: null, cover_state: null, fields: {} };
    expect(cures({})).toBe(false);
    expect(cures({}, aGame({ settings }))).toBe(true);
    expect(cures({ reported: true })).toBe(true);
    expect(cures({ before_checkpoint: missed })).toBe(true);
  });

  it("taken back leaves those alone who have begun another life since", () => {
    const cured = give(aZombie(tagged), { cure: true });
    const tag = { infection_id: "later", infected_at: iso(T0 + 1) };
    const another = aZombie({ antidote: cured?.interaction.interaction_id ?? "", ...tag });
    const { player, effects } = takeBack(cured, another);
    expect(player).toMatchObject({ state: "zombie", infection_id: "later", antidote: null });
    expect(effects).toEqual([{ player: another.player_id, effect: "unchanged", state: "zombie" }]);
  });
});

describe("points and badges", () => {
  it("add up, are recorded for the player alone, and are taken back by what gave them", () => {
    const first = give(aHuman(), { points: 3, badge });
    const second = first && give(first.player, { points: 4, badge });
    expect(second?.player.points).toBe(7);
    expect(shownBadges(second?.player.badges ?? [])).toEqual([badge]);
    expect(second?.interaction).toMatchObject({
      kind: "reward",
      is_private: true,
      reward: { points: 4, badge },
    });
    const after = takeBack(first, second?.player);
    expect(after.player).toMatchObject({ points: 4, badges: [{ ...badge }] });
    expect(after.interaction).toMatchObject({ kind: "void", is_private: true });
  });

  it("stop at the most badges that a player can have", () => {
    const badges = Array.from({ length: MAX_BADGES }, (_, n) => ({ ...badge, by: String(n) }));
    const given = give(aHuman({ badges }), { points: 1, badge });
    expect([given?.player.badges.length, given?.given.badge]).toEqual([MAX_BADGES, null]);
  });

  it("that zombies alone get are hidden with a hidden original", () => {
    const hiding = aGame({ settings: { ...game.settings, hide_originals_since: iso(T0 - 2 * DAY) } });
    const cover = {
      ...{
        since: iso(T0 - DAY),
        infection_id: "i",
        state: "human" as const,
        tag_code: "",
        code_since: iso(T0),
      },
      ...{ human_since: null, infected_at: null, kills: 0, last_kill_at: null, latest_kills: [] },
    };
    const original = aZombie({ cover });
    const shown = (audience: "all" | "zombies") => {
      const given = give(original, { points: 5, badge }, { game: hiding, audience });
      const { points, badges } = publicPlay(given?.player ?? original, hiding, T0);
      const taken = given && publicPlay(takeBack(given).player ?? original, hiding, T0).points;
      return [given?.player.points, points, badges.length, taken];
    };
    expect([shown("all"), shown("zombies")]).toEqual([
      [5, 5, 1, 0],
      [5, 0, 0, 0],
    ]);
  });
});

it("an effect gives something, and does not both feed and cure", () => {
  const accepts = (effect: object) => NewEffect.safeParse(effect).success;
  expect([{}, { cure: true, feed_seconds: 60 }, { points: 0 }, { cure: false }].some(accepts)).toBe(false);
  expect([{ cure: true, points: 1 }, { badge }, { message: "Well done." }].every(accepts)).toBe(true);
});
