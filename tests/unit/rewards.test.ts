/** What effects do not give. tests/behaviour/codes.test.ts has what they give and take back. */
import { expect, it } from "vitest";
import type { Player } from "../../lib/domain/players/player.ts";
import { applyEffect, type EffectContext } from "../../lib/domain/rewards/effect.ts";
import { type Effect, MAX_BADGES } from "../../lib/domain/rewards/reward.ts";
import { takeBackReward } from "../../lib/domain/rewards/takeBack.ts";
import { NewEffect } from "../../lib/http/rewards.ts";
import { aContext, aGame, aHuman, aZombie } from "./builders.ts";
import { deepFreeze } from "./support.ts";
import { iso, PERIOD, T0 } from "./times.ts";

const game = aGame();
const badge = { name: "Medic", symbol: "✚" };

const give = (player: Player, effect: Effect, more: Partial<EffectContext> = {}) =>
  applyEffect(
    deepFreeze({ game, player, effect, audience: "all", source: { kind: "code", id: "b" }, ...more }),
    aContext(),
  );

const takeBack = ({ interaction: rewarded, player }: NonNullable<ReturnType<typeof give>>) =>
  takeBackReward({ game, rewarded, infection: null, player, actor: "gm" }, aContext());

it("food does nothing to a full zombie, to a human and to one who has starved", () => {
  for (const player of [aZombie({ deadline: T0 + PERIOD }), aHuman(), aZombie({ deadline: T0 })])
    expect(give(player, { feed_seconds: 60 })).toBeNull();
});

it("an antidote makes no original human unless the game says so; a reported tag and a checkpoint make no original", () => {
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

it("what is taken back leaves the antidote of the season, and another badge of the same name", () => {
  const first = give(aZombie({ infected_by: "eve", antidote: "earlier" }), { points: 1, badge });
  const second = first && give(first.player, { points: 1, badge });
  if (first === null || second === null) throw new Error("nothing was given");
  const { player } = takeBack({ ...first, player: second.player });
  expect(player).toMatchObject({ antidote: "earlier", points: 1, badges: [badge] });
});

it("an antidote that is taken back leaves those alone who have begun another life since", () => {
  const cured = give(aZombie({ infected_by: "eve" }), { cure: true });
  if (cured === null) throw new Error("nobody was cured");
  const life = { infected_by: "eve", infection_id: "later", infected_at: iso(T0 + 1) };
  const another = aZombie({ antidote: cured.interaction.interaction_id, ...life });
  const { player, effects } = takeBack({ ...cured, player: another });
  expect(player).toMatchObject({ state: "zombie", infection_id: "later", antidote: null });
  expect(effects).toEqual([{ player: another.player_id, effect: "unchanged", state: "zombie" }]);
});

it("badges stop at the most that a player can have", () => {
  const badges = Array.from({ length: MAX_BADGES }, (_, n) => ({ ...badge, by: String(n) }));
  const given = give(aHuman({ badges }), { points: 1, badge });
  expect([given?.player.badges.length, given?.given.badge]).toEqual([MAX_BADGES, null]);
});

it("an effect gives something, and does not both feed and cure", () => {
  const accepts = (effect: object) => NewEffect.safeParse(effect).success;
  expect([{}, { cure: true, feed_seconds: 60 }, { points: 0 }, { cure: false }].some(accepts)).toBe(false);
  expect([{ cure: true, points: 1 }, { badge }, { message: "Well done." }].every(accepts)).toBe(true);
});
