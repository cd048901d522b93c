/** Changes as writes: each on condition that nothing read has moved, in every index where it belongs and no other. */
import { describe, expect, it } from "vitest";
import type { Interaction } from "../../lib/domain/interaction.ts";
import type { Player } from "../../lib/domain/player.ts";
import { keyOfWrite, type Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { type Changes, writesOf } from "../../lib/store/changes.ts";
import { playerItem } from "../../lib/store/items.ts";
import { aGame, aPlayer, DAY, iso, T0 } from "./support.ts";

const pkOf = (write: Write): string => keyOfWrite(write).pk;

const to = async (changes: Changes, pk: string): Promise<Write[]> =>
  (await writesOf(changes, 1)).filter((write) => pkOf(write).startsWith(pk));

const aHuman = (more: Partial<Player> = {}): Player =>
  aPlayer({ state: "human", tag_code: "ABCD2345", code_since: iso(T0), ...more });
const aZombie = (more: Partial<Player> = {}): Player =>
  aPlayer({
    state: "zombie",
    infection_id: "i",
    infected_at: iso(T0),
    deadline: T0 + DAY,
    epoch: 0,
    ...more,
  });

describe("a player", () => {
  const before = aHuman({ rev: 7, seen: 3 });
  const change = (after: Player | null, more: Changes = {}) =>
    to({ players: [{ before, after }], ...more }, "PLAYER#");

  it("is written over what was read alone, with the next number", async () => {
    const [write] = await change({ ...before, kills: 9 });
    expect(write).toMatchObject({ put: { rev: 8, kills: 9 }, expect: { rev: 7 } });
  });

  it("that is new is written where nobody is", async () => {
    const [write] = await to({ players: [{ before: null, after: before }] }, "PLAYER#");
    expect(write).toMatchObject({ put: { rev: 1 }, expect: "absent" });
  });

  it("who leaves is removed as read", async () => {
    expect(await change(null)).toEqual([
      { remove: { pk: `PLAYER#${before.player_id}`, sk: "PROFILE" }, expect: { rev: 7 } },
    ]);
  });

  it("remember the newest game that any of their writers had read, and none that is older", async () => {
    const seen = (rev: number | undefined) =>
      change({ ...before, kills: 9 }, rev === undefined ? {} : { seen: rev });
    expect(await seen(5)).toMatchObject([{ put: { seen: 5 } }]);
    expect(await seen(2)).toMatchObject([{ put: { seen: 3 } }]);
    expect(await seen(undefined)).toMatchObject([{ put: { seen: 3 } }]);
  });

  it("who has not changed is not written", async () => {
    expect(await writesOf({ players: [{ before, after: { ...before } }] }, 1)).toEqual([]);
  });

  it("met under two names is no reason to write: one player twice is read again", async () => {
    const changes = {
      players: [before, { ...before, kills: 9 }].map((one) => ({ before: one, after: one })),
    };
    await expect(writesOf(changes, 1)).rejects.toThrow(ConditionFailed);
    const joins = { before: null, after: before };
    await expect(writesOf({ players: [joins, joins] }, 1)).rejects.toThrow(ConditionFailed);
  });
});

describe("a tag code", () => {
  it("is given to one player, for ever", async () => {
    const before = aZombie();
    const after = aHuman({ player_id: before.player_id, tag_code: "WXYZ6789" });
    expect(await to({ players: [{ before, after }] }, "CODE#")).toEqual([
      { put: { pk: "CODE#WXYZ6789", sk: "CODE", player_id: before.player_id }, expect: "absent" },
    ]);
    expect(await to({ players: [{ before: after, after: { ...after, kills: 9 } }] }, "CODE#")).toEqual([]);
    expect(await to({ players: [{ before: after, after: before }] }, "CODE#")).toEqual([]);
  });
});

describe("the guards of an alias", () => {
  const ada = aHuman({ alias: "Ada" });
  const guards = async (before: Player | null, after: Player | null) =>
    (await writesOf({ players: [{ before, after }] }, 1)).filter((write) =>
      /^(ALIAS|LOOK)#/.test(pkOf(write)),
    );

  it("are taken where nobody has them", async () => {
    const taken = await guards(null, ada);
    expect(taken.map(pkOf)).toContain("ALIAS#ada");
    expect(taken.length).toBeGreaterThan(1);
    for (const write of taken) {
      expect(write).toMatchObject({ put: { player_id: ada.player_id }, expect: "absent" });
    }
  });

  it("are let go with the alias, and those that stay are left alone", async () => {
    const ben = { ...ada, alias: "Ben" };
    const moved = await guards(ada, ben);
    expect(moved.filter((write) => "remove" in write).map(pkOf)).toEqual((await guards(null, ada)).map(pkOf));
    expect(moved.filter((write) => "put" in write)).toEqual(await guards(null, ben));
    expect((await guards(ada, null)).map(pkOf)).toEqual((await guards(null, ada)).map(pkOf));
    expect(await guards(ada, { ...ada, kills: 9 })).toEqual([]);
    // Folded, it is the same name: only its look may differ.
    expect((await guards(ada, { ...ada, alias: "ADA" })).map(pkOf)).not.toContain("ALIAS#ada");
  });
});

describe("the counters", () => {
  const changed = async (...players: Changes["players"] & object) =>
    (await to({ players }, "COUNT#")).map((write) => ("increase" in write ? write.by : null));

  it("take off what a player was and add what they are, in one write", async () => {
    expect(await changed({ before: aHuman(), after: aZombie() })).toEqual([{ humans: -1, zombies: 1 }]);
    expect(await changed({ before: null, after: aHuman() })).toEqual([{ humans: 1 }]);
    expect(await changed({ before: aPlayer({ state: "corpse" }), after: null })).toEqual([{ corpses: -1 }]);
    expect(
      await changed(
        { before: aHuman(), after: aZombie() },
        { before: aZombie(), after: aPlayer({ state: "corpse" }) },
      ),
    ).toEqual([{ humans: -1, corpses: 1 }]);
  });

  it("are left alone where nobody has become another", async () => {
    const zombie = aZombie();
    expect(await changed({ before: zombie, after: { ...zombie, kills: 9 } })).toEqual([]);
    expect(
      await changed({ before: aHuman(), after: aZombie() }, { before: aZombie(), after: aHuman() }),
    ).toEqual([]);
  });
});

describe("the game", () => {
  it("is written over what was read alone", async () => {
    const before = aGame({ rev: 4 });
    expect(await to({ game: { before, after: { ...before, offset: DAY } } }, "GAME")).toMatchObject([
      { put: { pk: "GAME", sk: "STATE", rev: 5, offset: DAY }, expect: { rev: 4 } },
    ]);
    expect(await to({ game: { before: aGame(), after: aGame({ offset: DAY }) } }, "GAME")).toMatchObject([
      { put: { rev: 1 }, expect: "absent" },
    ]);
  });
});

describe("an item of a player", () => {
  const indexed = (player: Player): string[] =>
    Object.entries(playerItem(player)).flatMap(([name, value]) =>
      /^gsi\dpk$/.test(name) ? [String(value).split("#", 1)[0] ?? ""] : [],
    );

  it("is on the roster, among the zombies while one lives as one, and among the hunters from then on", async () => {
    expect(indexed(aHuman())).toEqual(["ROSTER"]);
    expect(indexed(aZombie())).toEqual(["ROSTER", "ZOMBIES", "KILLS"]);
    expect(indexed(aPlayer({ state: "corpse", infected_at: iso(T0) }))).toEqual(["ROSTER", "KILLS"]);
    expect(indexed(aPlayer({ state: "corpse", infected_at: iso(T0), deadline: T0 }))).toEqual([
      "ROSTER",
      "KILLS",
    ]);
    expect(indexed(aHuman({ infected_at: iso(T0) }))).toEqual(["ROSTER", "KILLS"]);
    expect(indexed(aPlayer({ state: "spectator" }))).toEqual(["ROSTER"]);
  });
});

describe("an interaction", () => {
  const hunt: Interaction = {
    interaction_id: "h",
    kind: "hunt",
    at: iso(T0),
    recorded_at: iso(T0),
    actor: "ada",
    target: "ben",
    parent: "i",
    note: "By the bridge.",
  };

  it("is written without its note, which lies with its hunter", async () => {
    const [record, note, ...more] = await writesOf({ interactions: [hunt] }, 1);
    expect(more).toEqual([]);
    const { note: _, ...bare } = hunt;
    expect(record).toEqual({
      put: {
        ...{ ...bare, annotated: true, pk: "INTERACTIONS#0", sk: "h" },
        ...{ gsi1pk: "INFECTIONS#0", gsi1sk: "h", gsi2pk: "INFECTED_BY#i", gsi2sk: "h" },
      },
    });
    expect(note).toEqual({ put: { pk: "PLAYER#ada", sk: "NOTE#h", note: "By the bridge." } });
  });
});

it("what else is to be written comes with it, and nothing comes to nothing", async () => {
  const write: Write = { remove: { pk: "a", sk: "b" } };
  expect(await writesOf({ writes: [write] }, 1)).toEqual([write]);
  expect(await writesOf({}, 1)).toEqual([]);
});
