/** Changes as conditional writes. Index entries are compared with their items by the recount, in many other tests. */
import { v7 } from "uuid";
import { expect, it } from "vitest";
import type { PlayerChange } from "../../lib/domain/outcome.ts";
import { keyOfWrite } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { type Changes, writesOf } from "../../lib/store/changes.ts";
import { aGame, aHuman, anInteraction } from "./builders.ts";

it("a player is written on condition of the rev that was read, with the newest rev of the game that any writer had read", async () => {
  const before = aHuman({ rev: 7, seen: 3 });
  const after = { ...before, kills: 9 };
  const playerWrite = async (change: PlayerChange, more: Changes = {}) =>
    (await writesOf({ players: [change], ...more })).find((write) =>
      keyOfWrite(write).pk.startsWith("PLAYER#"),
    );
  const newer = { basedOn: aGame({ rev: 5 }) };
  expect(await playerWrite({ before, after }, newer)).toMatchObject({ put: { seen: 5 }, expect: { rev: 7 } });
  for (const older of [{ basedOn: aGame({ rev: 2 }) }, {}])
    expect(await playerWrite({ before, after }, older)).toMatchObject({ put: { rev: 8, kills: 9, seen: 3 } });
  // The count of a player who has come back continues.
  const restored = await playerWrite({ before: null, after: before });
  expect(restored).toMatchObject({ put: { rev: 8 }, expect: "absent" });
  expect(await playerWrite({ before, after: null })).toMatchObject({ expect: { rev: 7 } });
});

it("a player who occurs twice is a failed condition, so that everything is read again", async () => {
  const before = aHuman({ rev: 7, seen: 3 });
  const twice = [before, { ...before, kills: 9 }].map((one) => ({ before: one, after: one }));
  const joins = { before: null, after: before };
  for (const players of [twice, [joins, joins]])
    await expect(writesOf({ players })).rejects.toThrow(ConditionFailed);
});

it("new list entries are spread over the shards of the game that the decision is based on", async () => {
  const shardsOf = async (changes: Changes): Promise<Set<string>> => {
    const interactions = Array.from({ length: 90 }, () => anInteraction({ interaction_id: v7() }));
    return new Set((await writesOf({ ...changes, interactions })).map((write) => keyOfWrite(write).pk));
  };
  expect([...(await shardsOf({}))]).toEqual(["INTERACTIONS#0"]);
  const three = ["INTERACTIONS#0", "INTERACTIONS#1", "INTERACTIONS#2"];
  expect([...(await shardsOf({ basedOn: aGame({ shards: 3 }) }))].toSorted()).toEqual(three);
});
