/** Views: what a player is shown of themselves and of others. */
import { describe, expect, it } from "vitest";
import type { Interaction } from "../../lib/domain/interaction.ts";
import type { Player } from "../../lib/domain/player.ts";
import {
  interactionView,
  PlayerReturnInfo,
  PublicPlayer,
  playerInfo,
  publicPlayer,
} from "../../lib/http/views.ts";
import { aGame, aPlayer, DAY, HOUR, iso, T0 } from "./support.ts";

const aHuman = (more: Partial<Player> = {}): Player =>
  aPlayer({ state: "human", tag_code: "ABCD2345", code_since: iso(T0), ...more });
const aZombie = (more: Partial<Player> = {}): Player =>
  aPlayer({
    ...{ state: "zombie", infection_id: "i", infected_at: iso(T0), infected_by: "eve" },
    ...{ deadline: T0 + DAY, epoch: 0, ...more },
  });

describe("a player", () => {
  it("is shown its code to a human alone: who died with it is shown none", () => {
    expect(playerInfo(aHuman(), aGame(), T0, null).tag_code).toBe("ABCD2345");
    expect(playerInfo(aHuman({ state: "corpse" }), aGame(), T0, null).tag_code).toBeNull();
  });

  it("is shown when they starve while they live as a zombie, on the wall's clock", () => {
    const game = aGame({ offset: HOUR });
    expect(playerInfo(aZombie(), game, T0, null).starves_at).toBe(iso(T0 + DAY + HOUR));
    expect(playerInfo(aZombie({ deadline: T0 }), aGame(), T0, null)).toMatchObject({
      state: "corpse",
      starves_at: null,
    });
    expect(playerInfo(aHuman(), game, T0, null).starves_at).toBeNull();
  });

  it("is shown who infected them while that is the life they live, or died of", () => {
    const infected = { infected_at: iso(T0), infected_by: "Eve" };
    expect(playerInfo(aZombie(), aGame(), T0, "Eve")).toMatchObject(infected);
    expect(playerInfo(aZombie({ state: "corpse" }), aGame(), T0, "Eve")).toMatchObject(infected);
    const cured = aHuman({ infected_at: iso(T0), infected_by: "eve" });
    expect(playerInfo(cured, aGame(), T0, "Eve")).toMatchObject({ infected_at: null, infected_by: null });
  });

  it("has every kind of push unless they say which", () => {
    expect(playerInfo(aHuman(), aGame(), T0, null).push_kinds).toHaveLength(8);
    const some = aHuman({ push_kinds: ["game", "tagged", "of a later version"] });
    expect(playerInfo(some, aGame(), T0, null).push_kinds).toEqual(["tagged", "game"]);
  });

  it("is answered with what is declared alone", () => {
    const shown = PlayerReturnInfo.parse(playerInfo(aZombie(), aGame(), T0, null));
    for (const field of ["rev", "seen", "shard", "misses", "meals", "deadline", "code_since"]) {
      expect(shown).not.toHaveProperty(field);
    }
  });
});

it("another player is shown by five fields, and as dead once they have starved", () => {
  const starved = aZombie({ deadline: T0, alias: "Ada", kills: 3, has_pfp: true });
  const shown = publicPlayer(starved, aGame(), T0);
  expect(shown).toEqual({
    alias: "Ada",
    state: "corpse",
    kills: 3,
    has_pfp: true,
    created_at: starved.created_at,
  });
  expect(PublicPlayer.parse({ ...starved, ...shown })).toEqual(shown);
});

describe("a hunt", () => {
  const tag: Interaction = {
    ...{ interaction_id: "h", kind: "hunt", at: iso(T0), recorded_at: iso(T0), actor: "ada", target: "ben" },
    ...{ parent: "i", shared_with: ["cid", "gone"], note: "By the bridge.", latitude: 1, longitude: 2 },
  };
  const names = new Map(["ada", "ben", "cid"].map((id) => [id, id.toUpperCase()]));
  const seenBy = (player_id: string, is_admin = false, more: Partial<Interaction> = {}) =>
    interactionView({ ...tag, ...more }, names, aPlayer({ player_id, is_admin })).details;

  it("names those who are there still, and shows note and place to its hunter and to administrators", () => {
    const bare = { infection_id: "h", parent_infection_id: "i", shared_with: ["CID", null] };
    const whole = { ...bare, note: "By the bridge.", latitude: 1, longitude: 2 };
    expect(seenBy("ada")).toEqual(whole);
    expect(seenBy("eve", true)).toEqual(whole);
    expect(seenBy("ben")).toEqual(bare);
    expect(seenBy("cid")).toEqual(bare);
  });

  it("that was taken back says so, and why to those whom it was about", () => {
    expect(seenBy("ben", false, { voided_by: "v" })).toMatchObject({ voided: true });
    const back: Partial<Interaction> = {
      kind: "void",
      actor: "gm",
      voids: "h",
      hunter: "ada",
      reason: "A lie.",
    };
    for (const [who, isAdmin, why] of [
      ["ben", false, "A lie."],
      ["ada", false, "A lie."],
      ["eve", true, "A lie."],
      ["cid", false, undefined],
    ] as const) {
      const details = seenBy(who, isAdmin, back);
      expect([who, details.reason, details.voided_interaction_id]).toEqual([who, why, "h"]);
    }
  });
});
