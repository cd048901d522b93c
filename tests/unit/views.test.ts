/** Views of a hunt, by who sees it, and of push kinds. All other views are compared by the model in tests/battery/model. */
import { describe, expect, it } from "vitest";
import type { Interaction } from "../../lib/domain/interaction.ts";
import type { Player } from "../../lib/domain/player.ts";
import { interactionView, playerInfo } from "../../lib/http/views.ts";
import { aGame, aHuman, anInteraction, aPlayer } from "./builders.ts";
import { T0 } from "./times.ts";

it("a player's own view shows all push kinds unless the player has chosen some", () => {
  const view = (player: Player) => playerInfo(player, player, aGame(), T0, "Eve");
  expect(view(aHuman()).push_kinds).toHaveLength(8);
  const chosen = aHuman({ push_kinds: ["game", "tagged", "of a later version"] });
  expect(view(chosen).push_kinds).toEqual(["tagged", "game"]);
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
