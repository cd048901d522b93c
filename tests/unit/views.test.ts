/**
 * Views: what players see of themselves and of a hunt. What they see of others, and that no view has other fields, is
 * tested in tests/contract/answers.test.ts.
 */
import { describe, expect, it } from "vitest";
import type { Interaction } from "../../lib/domain/interaction.ts";
import type { Player } from "../../lib/domain/player.ts";
import { interactionView, playerInfo } from "../../lib/http/views.ts";
import { aCorpse, aGame, aHuman, anInteraction, aPlayer, aZombie, CODE } from "./builders.ts";
import { DAY, HOUR, iso, T0 } from "./times.ts";

describe("a player's own view", () => {
  const infection = { infected_at: iso(T0), infected_by: "eve" };
  const zombie = aZombie(infection);
  const view = (player: Player = aHuman(), game = aGame()) => playerInfo(player, player, game, T0, "Eve");

  it("shows the tag code to a living human only", () => {
    expect(view().tag_code).toBe(CODE);
    expect(view(aCorpse({ tag_code: CODE })).tag_code).toBeNull();
  });

  it("shows a living zombie's deadline in wall-clock time", () => {
    const game = aGame({ offset: HOUR });
    expect(view(zombie, game).starves_at).toBe(iso(T0 + DAY + HOUR));
    expect(view(aZombie({ deadline: T0 }))).toMatchObject({ state: "corpse", starves_at: null });
    expect(view(aHuman(), game).starves_at).toBeNull();
  });

  it("shows who infected them in the life they live, or died in", () => {
    const shown = { infected_at: iso(T0), infected_by: "Eve" };
    for (const player of [zombie, { ...zombie, state: "corpse" as const }]) {
      expect(view(player)).toMatchObject(shown);
    }
    expect(view(aHuman(infection))).toMatchObject({ infected_at: null, infected_by: null });
  });

  it("shows all push kinds unless the player has chosen some", () => {
    expect(view().push_kinds).toHaveLength(8);
    const chosen = aHuman({ push_kinds: ["game", "tagged", "of a later version"] });
    expect(view(chosen).push_kinds).toEqual(["tagged", "game"]);
  });
});

describe("the view of a hunt", () => {
  const place = { note: "By the bridge.", latitude: 1, longitude: 2 };
  const hunt = anInteraction({ interaction_id: "h", parent: "i", shared_with: ["cid", "gone"], ...place });
  const names = new Map(["ada", "ben", "cid"].map((id) => [id, id.toUpperCase()]));
  const seenBy = (player_id: string, is_admin = false, more: Partial<Interaction> = {}) =>
    interactionView({ ...hunt, ...more }, names, aPlayer({ player_id, is_admin })).details;

  it.each([
    ["ada", false, place],
    ["eve", true, place],
    ["ben", false, {}],
    ["cid", false, {}],
  ])("shows note and place to its hunter and to administrators: %s", (who, isAdmin, more) => {
    const bare = { infection_id: "h", parent_infection_id: "i", shared_with: ["CID", null] };
    expect(seenBy(who, isAdmin)).toEqual({ ...bare, ...more });
  });

  it.each([
    ["ben", false, "A lie."],
    ["ada", false, "A lie."],
    ["eve", true, "A lie."],
    ["cid", false, undefined],
  ])("shows the reason of a void to those involved and to administrators: %s", (who, isAdmin, reason) => {
    expect(seenBy(who, isAdmin, { voided_by: "v" })).toMatchObject({ voided: true });
    const back = { kind: "void", actor: "gm", voids: "h", hunter: "ada", reason: "A lie." } as const;
    const details = seenBy(who, isAdmin, back);
    expect([details.reason, details.voided_interaction_id]).toEqual([reason, "h"]);
  });
});
