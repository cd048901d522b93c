/** The checkpoint: when it closes, and whom its enforcement does not concern. The model plays the rest. */
import { describe, expect, it } from "vitest";
import { type Enforcement, enforceCheckpoint, passCheckpoint } from "../../lib/domain/checkpoint.ts";
import type { Checkpoint } from "../../lib/domain/clock.ts";
import type { Player } from "../../lib/domain/player.ts";
import { aContext, aGame, aHuman, aZombie } from "./builders.ts";
import { deepFreeze, errorOf } from "./support.ts";
import { DAY, HOUR, iso, T0 } from "./times.ts";

const aCheckpoint = (more: Partial<Checkpoint> = {}): Checkpoint => ({
  ...{ checkpoint_id: "the-bridge", name: "The bridge", description: null, latitude: null, longitude: null },
  ...{ closes_at: null, applies_to: "all", set_at: iso(T0 - DAY), enforced_at: null, undone_at: null },
  ...more,
});

describe("passing the checkpoint", () => {
  const pass = (player: Player, checkpoint: Checkpoint | null, now = T0): Player =>
    passCheckpoint(deepFreeze(player), deepFreeze(aGame({ checkpoint })), aContext({ now }));

  it("is rejected from the millisecond in which it closes", () => {
    const closes = aCheckpoint({ closes_at: iso(T0) });
    expect(pass(aHuman(), closes, T0 - 1).passed_at).toBe(iso(T0 - 1));
    const error = errorOf(() => pass(aHuman(), closes));
    expect(error.code).toBe("closed");
    for (const part of ["The bridge", iso(T0)]) expect(error.detail).toContain(part);
  });
});

describe("enforcing the checkpoint", () => {
  const game = deepFreeze(aGame({ checkpoint: aCheckpoint() }));
  const enforcement: Omit<Enforcement, "applies_to"> = {
    ...{ checkpoint_id: "the-bridge", began_at: iso(T0 - HOUR), actor: "a-game-master", outcome: "corpse" },
  };
  const enforce = (player: Player, applies_to: Checkpoint["applies_to"] = "all", context = aContext()) =>
    enforceCheckpoint(deepFreeze(player), game, { ...enforcement, applies_to }, context);

  it("does not concern players who joined after it began", () => {
    expect(enforce(aHuman({ created_at: iso(T0 - HOUR + 1) }))).toBe("exempt");
    expect(enforce(aHuman({ created_at: iso(T0 - HOUR) }))).toBeTypeOf("object");
  });

  const AFTER = iso(T0 - HOUR + 1);
  it.each<[string, Player, boolean]>([
    ["human who was revived or cured", aHuman({ code_since: AFTER }), false],
    ["zombie who was revived", aZombie({ infected_by: null, infected_at: AFTER }), false],
    ["human who has lived since before", aHuman({ code_since: iso(T0 - HOUR) }), true],
    ["original zombie from before", aZombie({ infected_by: null, infected_at: iso(T0 - HOUR) }), true],
    ["zombie who reported a tag meanwhile", aZombie({ reported: true, infected_at: AFTER }), true],
    ["zombie whom another tagged meanwhile", aZombie({ infected_by: "a-zombie", infected_at: AFTER }), true],
  ])("after it began, a %s is concerned: %#", (_, player, isConcerned) => {
    expect(typeof enforce(player) === "object").toBe(isConcerned);
  });

  it("does not concern a zombie of its own, also where the infection has the very time at which it began", () => {
    const zombieOutcome = { ...enforcement, applies_to: "all", outcome: "zombie" } as const;
    const result = enforceCheckpoint(aHuman(), game, zombieOutcome, aContext());
    if (typeof result === "string") throw new Error(result);
    const after = result.players[0]?.after;
    const sameTime = { ...zombieOutcome, began_at: iso(T0) };
    if (after?.state !== "zombie") throw new Error("no zombie");
    expect(enforceCheckpoint(after, game, sameTime, aContext())).toBe("exempt");
  });
});
