/**
 * Changes as writes. That each is conditional on what was read is tested in tests/battery/races.test.ts, and that index
 * entries agree with their items by the recount, in many tests.
 */
import { v7 } from "uuid";
import { expect, it } from "vitest";
import { keyOfWrite } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { type Changes, writesOf } from "../../lib/store/changes.ts";
import { aGame, aHuman, anInteraction } from "./builders.ts";

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
