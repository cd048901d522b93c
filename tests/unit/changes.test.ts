/** Changes as conditional writes. Index entries are compared with their items by the recount, in many other tests. */
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import type { Player } from "../../lib/domain/players/player.ts";
import { keyOfWrite, type Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { type Changes, writesOf } from "../../lib/store/changes.ts";
import { aGame, aHuman, anInteraction } from "./builders.ts";

const pkOf = (write: Write): string => keyOfWrite(write).pk;

const writesTo = async (changes: Changes, pk: string): Promise<Write[]> =>
  (await writesOf(changes)).filter((write) => pkOf(write).startsWith(pk));

describe("a player", () => {
  const before = aHuman({ rev: 7, seen: 3 });
  const write = (after: Player | null, more: Changes = {}) =>
    writesTo({ players: [{ before, after }], ...more }, "PLAYER#");

  it("is written on condition of the rev that was read", async () => {
    expect(await write({ ...before, kills: 9 })).toMatchObject([
      { put: { rev: 8, kills: 9 }, expect: { rev: 7 } },
    ]);
    const newcomer = { ...before, rev: 0 };
    const created = await writesTo({ players: [{ before: null, after: newcomer }] }, "PLAYER#");
    expect(created).toMatchObject([{ put: { rev: 1 }, expect: "absent" }]);
    // The count of a player who has come back continues.
    const restored = await writesTo({ players: [{ before: null, after: before }] }, "PLAYER#");
    expect(restored).toMatchObject([{ put: { rev: 8 }, expect: "absent" }]);
    const [guard] = await writesTo({ players: [{ before: null, after: before }] }, "LOOK#");
    expect(guard).toMatchObject({ expect: "absent" });
    const key = { pk: `PLAYER#${before.player_id}`, sk: "PROFILE" };
    expect(await write(null)).toEqual([{ remove: key, expect: { rev: 7 } }]);
  });

  it("stores the newest rev of the game that any of its writers had read", async () => {
    const after = { ...before, kills: 9 };
    expect(await write(after, { basedOn: aGame({ rev: 5 }) })).toMatchObject([{ put: { seen: 5 } }]);
    for (const older of [{ basedOn: aGame({ rev: 2 }) }, {}]) {
      expect(await write(after, older)).toMatchObject([{ put: { seen: 3 } }]);
    }
  });

  it("that occurs twice is a failed condition, so that it is read again", async () => {
    const twice = [before, { ...before, kills: 9 }].map((one) => ({ before: one, after: one }));
    const joins = { before: null, after: before };
    for (const players of [twice, [joins, joins]]) {
      await expect(writesOf({ players })).rejects.toThrow(ConditionFailed);
    }
  });
});

it("new list entries are spread over the shards of the game that the decision is based on", async () => {
  const shardsOf = async (changes: Changes): Promise<Set<string>> => {
    const interactions = Array.from({ length: 90 }, () => anInteraction({ interaction_id: v7() }));
    return new Set((await writesOf({ ...changes, interactions })).map(pkOf));
  };
  expect([...(await shardsOf({}))]).toEqual(["INTERACTIONS#0"]);
  const three = ["INTERACTIONS#0", "INTERACTIONS#1", "INTERACTIONS#2"];
  expect([...(await shardsOf({ basedOn: aGame({ shards: 3 }) }))].toSorted()).toEqual(three);
});
