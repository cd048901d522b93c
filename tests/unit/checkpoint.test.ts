/** The checkpoint: who passes, who dies for not having passed, and whom it does not concern. */
import { describe, expect, it } from "vitest";
import { enforceCheckpoint, passCheckpoint, withCheckpoint } from "../../lib/domain/checkpoint.ts";
import type { Checkpoint, Game } from "../../lib/domain/clock.ts";
import type { Player } from "../../lib/domain/player.ts";
import { aGame, aMoment, aPlayer, DAY, deepFreeze, HOUR, iso, refusalOf, T0 } from "./support.ts";

const aCheckpoint = (more: Partial<Checkpoint> = {}): Checkpoint => ({
  checkpoint_id: "the-bridge",
  name: "The bridge",
  description: null,
  latitude: null,
  longitude: null,
  closes_at: null,
  applies_to: "all",
  set_at: iso(T0 - DAY),
  ...more,
});

const aHuman = (more: Partial<Player> = {}): Player =>
  aPlayer({ state: "human", tag_code: "ABCD2345", code_since: iso(T0 - DAY), ...more });
const aZombie = (more: Partial<Player> = {}): Player =>
  aPlayer({ state: "zombie", infection_id: "i", infected_at: iso(T0), deadline: T0 + 1, epoch: 0, ...more });
const aStarved = (): Player => aZombie({ deadline: T0 });
const PASSED = { checkpoint_id: "the-bridge", passed_at: iso(T0 - HOUR) };

describe("setting a checkpoint", () => {
  it("puts it in the place of any other, or none, and touches nothing else", () => {
    const game = deepFreeze(aGame({ checkpoint: aCheckpoint(), offset: 5 }));
    const next = aCheckpoint({ checkpoint_id: "the-tower" });
    expect(withCheckpoint(game, next)).toEqual({ ...game, checkpoint: next });
    expect(withCheckpoint(game, null)).toEqual({ ...game, checkpoint: null });
  });

  it("is refused while the one before is being enforced: it is not changed while players die for it", () => {
    const game = aGame({ checkpoint: aCheckpoint(), enforcing: "a-job" });
    expect(refusalOf(() => withCheckpoint(game, null)).code).toBe("busy");
  });
});

describe("passing the checkpoint", () => {
  const pass = (player: Player, checkpoint: Checkpoint | null, now = T0): Player =>
    passCheckpoint(deepFreeze(player), deepFreeze(aGame({ checkpoint })), aMoment({ now }));

  it.each([
    ["human", aHuman()],
    ["zombie", aZombie()],
  ])("is for a %s", (_state, player) => {
    expect(pass(player, aCheckpoint())).toEqual({
      ...player,
      checkpoint_id: "the-bridge",
      passed_at: iso(T0),
    });
  });

  it.each([
    ["corpse", aPlayer({ state: "corpse" })],
    ["spectator", aPlayer({ state: "spectator" })],
    ["zombie that has starved", aStarved()],
  ])("is not for a %s, whatever else is wrong", (_state, player) => {
    const closed = aCheckpoint({ closes_at: iso(T0) });
    const refusal = refusalOf(() => pass({ ...player, ...PASSED }, closed));
    expect(refusal.code).toBe("wrong_state");
    expect(refusal.detail).toContain("pass the checkpoint");
  });

  it("needs one that is set", () => {
    expect(refusalOf(() => pass(aPlayer({ state: "corpse" }), null)).code).toBe("no_checkpoint");
  });

  it("twice changes nothing, also after it has closed; a pass for another checkpoint is none", () => {
    const before = aHuman(PASSED);
    expect(pass(before, aCheckpoint({ closes_at: iso(T0 - HOUR) }))).toEqual(before);
    const another = aCheckpoint({ checkpoint_id: "the-tower" });
    expect(pass(before, another)).toMatchObject({ checkpoint_id: "the-tower", passed_at: iso(T0) });
    const unpassed = aHuman({ checkpoint_id: "the-bridge", passed_at: null });
    expect(pass(unpassed, aCheckpoint()).passed_at).toBe(iso(T0));
  });

  it("ends when it closes, to the millisecond", () => {
    const closes = aCheckpoint({ closes_at: iso(T0) });
    expect(pass(aHuman(), closes, T0 - 1).passed_at).toBe(iso(T0 - 1));
    const refusal = refusalOf(() => pass(aHuman(), closes));
    expect(refusal.code).toBe("closed");
    expect(refusal.detail).toContain("The bridge");
    expect(refusal.detail).toContain(iso(T0));
  });
});

describe("enforcing the checkpoint", () => {
  const ENFORCEMENT = {
    checkpoint_id: "the-bridge",
    applies_to: "all",
    began_at: iso(T0 - HOUR),
    actor: "a-game-master",
  } as const;
  const game: Game = deepFreeze(aGame({ checkpoint: aCheckpoint() }));
  const judge = (player: Player, more: { applies_to?: "all" | "humans" | "zombies" } = {}) =>
    enforceCheckpoint(deepFreeze(player), game, { ...ENFORCEMENT, ...more }, aMoment());

  it.each([
    ["human", aHuman()],
    ["zombie", aZombie()],
  ])("kills a %s who has not passed, and says who did it", (_state, before) => {
    const moment = aMoment();
    const outcome = enforceCheckpoint(before, game, ENFORCEMENT, moment);
    expect(outcome).toEqual({
      players: [{ before, after: { ...before, state: "corpse", deadline: null, epoch: null } }],
      interactions: [
        {
          interaction_id: moment.ids[0],
          kind: "checkpoint_kill",
          at: iso(T0),
          recorded_at: iso(T0),
          actor: "a-game-master",
          target: before.player_id,
        },
      ],
    });
  });

  it("spares who has passed, and nobody for having passed another checkpoint", () => {
    expect(judge(aHuman(PASSED))).toBe("spared");
    expect(judge(aHuman({ ...PASSED, checkpoint_id: "the-tower" }))).toBeTypeOf("object");
    expect(judge(aHuman({ checkpoint_id: "the-bridge", passed_at: null }))).toBeTypeOf("object");
  });

  it.each([
    ["corpse", aPlayer({ state: "corpse" })],
    ["spectator", aPlayer({ state: "spectator" })],
    ["zombie that has starved", aStarved()],
  ])("does not concern a %s", (_state, player) => {
    expect(judge(player)).toBe("unconcerned");
    expect(judge({ ...player, ...PASSED })).toBe("unconcerned");
  });

  it("does not concern who joined after it began, and does who joined in that very instant", () => {
    expect(judge(aHuman({ created_at: iso(T0 - HOUR + 1) }))).toBe("unconcerned");
    expect(judge(aHuman({ created_at: iso(T0 - HOUR) }))).toBeTypeOf("object");
  });

  it("concerns humans or zombies alone where it applies to them", () => {
    expect(judge(aHuman(), { applies_to: "zombies" })).toBe("unconcerned");
    expect(judge(aHuman(), { applies_to: "humans" })).toBeTypeOf("object");
    expect(judge(aZombie(), { applies_to: "humans" })).toBe("unconcerned");
    expect(judge(aZombie(), { applies_to: "zombies" })).toBeTypeOf("object");
  });
});
