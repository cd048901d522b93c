/** The checkpoint: when it closes, and whom its enforcement does not concern. The model plays the rest. */
import { describe, expect, it } from "vitest";
import { type Enforcement, enforceCheckpoint, passCheckpoint } from "../../lib/domain/checkpoint.ts";
import type { Checkpoint } from "../../lib/domain/game.ts";
import type { Player } from "../../lib/domain/player.ts";
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

  const AFTER = iso(T0 - HOUR + 1);
  it.each<[string, Player, boolean]>([
    ["human who joined", aHuman({ created_at: AFTER }), false],
    ["human who joined as it began", aHuman({ created_at: iso(T0 - HOUR) }), true],
    ["human who was revived or cured", aHuman({ code_since: AFTER }), false],
    ["zombie who was revived", aZombie({ infected_by: null, infected_at: AFTER }), false],
    ["human who has lived since before", aHuman({ code_since: iso(T0 - HOUR) }), true],
    ["original zombie from before", aZombie({ infected_by: null, infected_at: iso(T0 - HOUR) }), true],
    ["zombie who reported a tag meanwhile", aZombie({ reported: true, infected_at: AFTER }), true],
    ["zombie whom another tagged meanwhile", aZombie({ infected_by: "a-zombie", infected_at: AFTER }), true],
  ])("after it began, a %s is concerned: %#", (_, player, isConcerned) => {
    if (isConcerned) expect(enforce(player)).toBeTypeOf("object");
    else expect(enforce(player)).toBe("exempt");
  });

  it("kills a zombie where it makes zombies of humans, but none of its own, even if the infection has the very time at which it began", () => {
    const before = aZombie({ infected_by: null, infected_at: iso(T0 - DAY) });
    expect(enforce(before, { outcome: "zombie" })).toMatchObject({
      players: [{ after: { state: "corpse" } }],
    });
    const result = enforce(aHuman(), { outcome: "zombie" });
    const infected = typeof result === "string" ? null : result.players[0]?.after;
    expect(infected?.state).toBe("zombie");
    expect(enforce(present(infected), { outcome: "zombie", began_at: iso(T0) })).toBe("exempt");
  });
});
