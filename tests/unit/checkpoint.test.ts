/** The checkpoint: who can pass it, who dies for not having passed, and whom it does not concern. */
import { describe, expect, it } from "vitest";
import { enforceCheckpoint, passCheckpoint, withCheckpoint } from "../../lib/domain/checkpoint.ts";
import type { Checkpoint } from "../../lib/domain/clock.ts";
import type { Player } from "../../lib/domain/player.ts";
import { aContext, aCorpse, aGame, aHuman, aPlayer, aZombie } from "./builders.ts";
import { deepFreeze, errorOf } from "./support.ts";
import { DAY, HOUR, iso, T0 } from "./times.ts";

const aCheckpoint = (more: Partial<Checkpoint> = {}): Checkpoint => ({
  ...{ checkpoint_id: "the-bridge", name: "The bridge", description: null, latitude: null, longitude: null },
  ...{ closes_at: null, applies_to: "all", set_at: iso(T0 - DAY) },
  ...more,
});

const PASSED = { checkpoint_id: "the-bridge", passed_at: iso(T0 - HOUR) };

const LIVING: [string, Player][] = [
  ["human", aHuman()],
  ["zombie", aZombie()],
];
const OTHERS: [string, Player][] = [
  ["corpse", aCorpse()],
  ["spectator", aPlayer()],
  ["starved zombie", aZombie({ deadline: T0 })],
];

describe("setting a checkpoint", () => {
  it("replaces the one before, and changes nothing else", () => {
    const game = deepFreeze(aGame({ checkpoint: aCheckpoint(), offset: 5 }));
    for (const checkpoint of [aCheckpoint({ checkpoint_id: "the-tower" }), null]) {
      expect(withCheckpoint(game, checkpoint)).toEqual({ ...game, checkpoint });
    }
  });

  it("is rejected while the one before is being enforced", () => {
    const game = aGame({ checkpoint: aCheckpoint(), enforcing: "a-job" });
    expect(errorOf(() => withCheckpoint(game, null)).code).toBe("busy");
  });
});

describe("passing the checkpoint", () => {
  const pass = (player: Player, checkpoint: Checkpoint | null, now = T0): Player =>
    passCheckpoint(deepFreeze(player), deepFreeze(aGame({ checkpoint })), aContext({ now }));

  it.each(LIVING)("is possible for a %s", (_, player) => {
    const after = { ...player, checkpoint_id: "the-bridge", passed_at: iso(T0) };
    expect(pass(player, aCheckpoint())).toEqual(after);
  });

  it.each(OTHERS)("is rejected for a %s before anything else is checked", (_, player) => {
    const error = errorOf(() => pass({ ...player, ...PASSED }, aCheckpoint({ closes_at: iso(T0) })));
    expect(error.code).toBe("wrong_state");
    expect(error.detail).toContain("pass the checkpoint");
  });

  it("is rejected when no checkpoint is set", () => {
    expect(errorOf(() => pass(aCorpse(), null)).code).toBe("no_checkpoint");
  });

  it("is idempotent, also after it has closed; a pass for another checkpoint does not count", () => {
    const before = aHuman(PASSED);
    expect(pass(before, aCheckpoint({ closes_at: iso(T0 - HOUR) }))).toEqual(before);
    const another = aCheckpoint({ checkpoint_id: "the-tower" });
    expect(pass(before, another)).toMatchObject({ checkpoint_id: "the-tower", passed_at: iso(T0) });
    const unpassed = aHuman({ checkpoint_id: "the-bridge", passed_at: null });
    expect(pass(unpassed, aCheckpoint()).passed_at).toBe(iso(T0));
  });

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
  const enforce = (player: Player, applies_to: Checkpoint["applies_to"] = "all", context = aContext()) =>
    enforceCheckpoint(
      deepFreeze(player),
      game,
      { checkpoint_id: "the-bridge", applies_to, began_at: iso(T0 - HOUR), actor: "a-game-master" },
      context,
    );

  it.each(LIVING)("kills a %s who has not passed, and records who did it", (_, before) => {
    const context = aContext();
    const now = iso(T0);
    const killed = { kind: "checkpoint_kill", at: now, recorded_at: now, actor: "a-game-master" };
    expect(enforce(before, "all", context)).toEqual({
      players: [{ before, after: { ...before, state: "corpse", deadline: null, epoch: null } }],
      interactions: [{ ...killed, interaction_id: context.ids[0], target: before.player_id }],
    });
  });

  it("spares a player who has passed this checkpoint, not another", () => {
    expect(enforce(aHuman(PASSED))).toBe("spared");
    expect(enforce(aHuman({ ...PASSED, checkpoint_id: "the-tower" }))).toBeTypeOf("object");
    expect(enforce(aHuman({ checkpoint_id: "the-bridge", passed_at: null }))).toBeTypeOf("object");
  });

  it.each(OTHERS)("does not concern a %s", (_, player) => {
    expect(enforce(player)).toBe("exempt");
    expect(enforce({ ...player, ...PASSED })).toBe("exempt");
  });

  it("does not concern players who joined after it began", () => {
    expect(enforce(aHuman({ created_at: iso(T0 - HOUR + 1) }))).toBe("exempt");
    expect(enforce(aHuman({ created_at: iso(T0 - HOUR) }))).toBeTypeOf("object");
  });

  it.each([
    ["zombie", aZombie(), "humans"],
    ["human", aHuman(), "zombies"],
  ] as const)("does not concern a %s when it applies to others", (_, player, others) => {
    expect(enforce(player, others)).toBe("exempt");
    expect(enforce(player, others === "humans" ? "zombies" : "humans")).toBeTypeOf("object");
  });
});
