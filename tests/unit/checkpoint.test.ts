/** The checkpoint: when it closes, and whom its enforcement concerns. The battery's model tests the rest. */
import { describe, expect, it } from "vitest";
import {
  type Enforcement,
  enforceCheckpoint,
  passCheckpoint,
} from "../../lib/domain/checkpoint/checkpoint.ts";
import type { Checkpoint } from "../../lib/domain/game/game.ts";
import type { Player } from "../../lib/domain/players/player.ts";
import { asHuman } from "../../lib/domain/players/transitions.ts";
import { coverState, newCover } from "../../lib/domain/players/visibility.ts";
import { isConcerned } from "../../web/src/state/checkpoints.ts";
import { aContext, aGame, aHuman, aZombie } from "./builders.ts";
import { deepFreeze, errorOf, present } from "./support.ts";
import { DAY, HOUR, iso, T0 } from "./times.ts";

const aCheckpoint = (more: Partial<Checkpoint> = {}): Checkpoint => ({
  ...{ checkpoint_id: "the-bridge", name: "The bridge", description: null, latitude: null, longitude: null },
  ...{ closes_at: null, applies_to: "all", set_at: iso(T0 - DAY), enforced_at: null, undone_at: null },
  ...more,
});

it("passing the checkpoint is rejected from the millisecond in which it closes", () => {
  const game = deepFreeze(aGame({ checkpoint: aCheckpoint({ closes_at: iso(T0) }) }));
  const pass = (now: number) => passCheckpoint(deepFreeze(aHuman()), game, aContext({ now }));
  expect(pass(T0 - 1).passed_at).toBe(iso(T0 - 1));
  const detail = expect.stringMatching(/The bridge .*2026-11-21T07:24:00.000Z/);
  expect(errorOf(() => pass(T0))).toMatchObject({ code: "closed", detail });
});

describe("enforcing the checkpoint", () => {
  const game = deepFreeze(aGame({ checkpoint: aCheckpoint() }));
  const enforcement: Enforcement = {
    ...{ checkpoint_id: "the-bridge", began_at: iso(T0 - HOUR), actor: "a-game-master" },
    ...{ outcome: "corpse", applies_to: "all" },
  };
  const enforce = (player: Player, more: Partial<Enforcement> = {}) =>
    enforceCheckpoint(deepFreeze(player), game, { ...enforcement, ...more }, aContext());

  const [BEGAN, AFTER] = [iso(T0 - HOUR), iso(T0 - HOUR + 1)];
  it.each<[does: string, who: string, Player]>([
    ["exempts", "human who joined after it began", aHuman({ created_at: AFTER })],
    ["concerns", "human who joined as it began", aHuman({ created_at: BEGAN })],
    ["exempts", "human who was revived or cured since", aHuman({ code_since: AFTER })],
    ["exempts", "human again by a void", aHuman({ code_since: AFTER, human_since: iso(T0 - DAY) })],
    ["exempts", "zombie who was revived since", aZombie({ infected_by: null, infected_at: AFTER })],
    ["concerns", "human who has lived since it began", aHuman({ code_since: BEGAN })],
    ["concerns", "original zombie since it began", aZombie({ infected_by: null, infected_at: BEGAN })],
    ["concerns", "zombie who reported a tag since", aZombie({ reported: true, infected_at: AFTER })],
    ["concerns", "zombie who was tagged since", aZombie({ infected_by: "a-zombie", infected_at: AFTER })],
  ])("%s a %s", (does, _, player) => {
    if (does === "concerns") expect(enforce(player)).toBeTypeOf("object");
    else expect(enforce(player)).toBe("exempt");
  });

  it("with the outcome zombie kills zombies, but exempts those that it has just made", () => {
    const before = aZombie({ infected_by: null, infected_at: iso(T0 - DAY) });
    expect(enforce(before, { outcome: "zombie" })).toMatchObject({
      players: [{ after: { state: "corpse" } }],
    });
    // It can have begun at the instant of its infections: so can the last mission that is required.
    for (const of of [{}, { of_missions: true }] as const) {
      const result = enforce(aHuman(), { outcome: "zombie", ...of });
      const infected = typeof result === "string" ? null : result.players[0]?.after;
      expect(infected?.state).toBe("zombie");
      expect(enforce(present(infected), { outcome: "zombie", began_at: iso(T0), ...of })).toBe("exempt");
    }
  });

  it("concerns the players to whom the web app says so: a hidden original zombie counts as a human", () => {
    const since = iso(T0 - DAY);
    const hiding = aGame({ ...game, settings: { ...game.settings, hide_originals_since: since } });
    const cover = newCover(aHuman(), { id: "i", at: since }, hiding, T0);
    for (const player of [aHuman(), aZombie({ infected_by: "z" }), aZombie({ cover })]) {
      const shown_as = coverState(player, hiding, T0) ?? player.state;
      for (const applies_to of ["all", "humans", "zombies"] as const) {
        const result = enforceCheckpoint(player, hiding, { ...enforcement, applies_to }, aContext());
        expect(isConcerned({ applies_to }, { ...player, shown_as })).toBe(result !== "exempt");
      }
    }
  });

  it("concerns a hidden original zombie who was cured since: others have seen one life of a human", () => {
    const since = iso(T0 - DAY);
    const settings = { ...game.settings, hide_originals_since: since };
    const cover = newCover(aHuman(), { id: "i", at: since }, aGame({ settings }), T0);
    const cured = asHuman(
      aZombie({ infection_id: "i", infected_at: since, cover }),
      aContext({ now: T0 - 1 }),
    );
    const enforced = (one: typeof game) => enforceCheckpoint(cured, one, enforcement, aContext());
    expect(enforced(aGame({ ...game, settings }))).toBeTypeOf("object");
    expect(enforced(game)).toBe("exempt");
  });
});
