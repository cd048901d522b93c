/** The schemas of stored items. Their fields, defaults and fields of later versions are in tests/behaviour/versions.test.ts. */
import { expect, it } from "vitest";
import { Checkpoint } from "../../lib/domain/game/game.ts";
import { readState, State } from "../../lib/domain/players/player.ts";
import { aPlayer } from "./builders.ts";
import { iso, T0 } from "./times.ts";

const at = iso(T0);

it("a checkpoint keeps fields that a later version has added", () => {
  const checkpoint = {
    ...{ checkpoint_id: "c", name: "The bridge", description: null, latitude: 48.2, longitude: 16.3 },
    ...{ closes_at: null, applies_to: "humans", set_at: at, enforced_at: null, undone_at: null },
  };
  const later = { ...checkpoint, colour: "green" };
  expect(Checkpoint.parse(later)).toEqual(later);
});

it("a player who lacks a field that the state needs is read as a corpse, and keeps all other fields", () => {
  const zombie = { infection_id: "i", infected_at: at, deadline: 1.5, epoch: 0 };
  const complete = { tag_code: "ABCD2345", code_since: at, ...zombie };
  const stored = { ...aPlayer(), ...complete, colour: "green" };
  const needs: Record<State, string[]> = {
    ...{ human: ["tag_code", "code_since"], zombie: Object.keys(zombie), corpse: [], spectator: [] },
  };
  for (const state of State.options) {
    const player = { ...stored, state };
    expect(readState(player)).toBe(player);
    for (const name of Object.keys(complete)) {
      const read = needs[state].includes(name) ? "corpse" : state;
      expect(readState({ ...player, [name]: null })).toEqual({ ...player, [name]: null, state: read });
    }
    // An index entry has some of the fields.
    const { deadline, epoch } = player;
    expect(readState({ state, deadline, epoch })).toEqual({ state, deadline, epoch });
    const read = state === "zombie" ? "corpse" : state;
    expect(readState({ state, deadline: null, epoch })).toEqual({ state: read, deadline: null, epoch });
  }
});
