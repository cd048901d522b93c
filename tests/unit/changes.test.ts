/** Changes as writes: each on condition that nothing read has moved, in every index where it belongs and no other. */
import { describe, expect, it } from "vitest";
import type { Interaction } from "../../lib/domain/interaction.ts";
import type { Player } from "../../lib/domain/player.ts";
import { type Changes, writesOf } from "../../lib/store/changes.ts";
import { Stale, type Write } from "../../lib/store/database.ts";
import { playerItem } from "../../lib/store/items.ts";
import { aGame, aPlayer, DAY, iso, T0 } from "./support.ts";

const pkOf = (write: Write): string => {
  if ("put" in write) return write.put.pk;
  if ("remove" in write) return write.remove.pk;
  return "check" in write ? write.check.pk : write.increase.pk;
};

const to = (changes: Changes, pk: string): Write[] =>
  writesOf(changes, 1).filter((write) => pkOf(write).startsWith(pk));

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

  it("is written over what was read alone, with the next number", () => {
    const [write] = change({ ...before, kills: 9 });
    expect(write).toMatchObject({ put: { rev: 8, kills: 9 }, expect: { rev: 7 } });
  });

  it("that is new is written where nobody is", () => {
    const [write] = to({ players: [{ before: null, after: before }] }, "PLAYER#");
    expect(write).toMatchObject({ put: { rev: 1 }, expect: "absent" });
  });

  it("who leaves is removed as read", () => {
    expect(change(null)).toEqual([
      { remove: { pk: `PLAYER#${before.player_id}`, sk: "PROFILE" }, expect: { rev: 7 } },
    ]);
  });

  it("remember the newest game that any of their writers had read, and none that is older", () => {
    const seen = (rev: number | undefined) =>
      change({ ...before, kills: 9 }, rev === undefined ? {} : { seen: rev });
    expect(seen(5)).toMatchObject([{ put: { seen: 5 } }]);
    expect(seen(2)).toMatchObject([{ put: { seen: 3 } }]);
    expect(seen(undefined)).toMatchObject([{ put: { seen: 3 } }]);
  });

  it("who has not changed is not written", () => {
    expect(writesOf({ players: [{ before, after: { ...before } }] }, 1)).toEqual([]);
  });

  it("met under two names is no reason to write: one player twice is read again", () => {
    const changes = {
      players: [before, { ...before, kills: 9 }].map((one) => ({ before: one, after: one })),
    };
    expect(() => writesOf(changes, 1)).toThrow(Stale);
    const joins = { before: null, after: before };
    expect(() => writesOf({ players: [joins, joins] }, 1)).toThrow(Stale);
  });
});

describe("a tag code", () => {
  it("is given to one player, for ever", () => {
    const before = aZombie();
    const after = aHuman({ player_id: before.player_id, tag_code: "WXYZ6789" });
    expect(to({ players: [{ before, after }] }, "CODE#")).toEqual([
      { put: { pk: "CODE#WXYZ6789", sk: "CODE", player_id: before.player_id }, expect: "absent" },
    ]);
    expect(to({ players: [{ before: after, after: { ...after, kills: 9 } }] }, "CODE#")).toEqual([]);
    expect(to({ players: [{ before: after, after: before }] }, "CODE#")).toEqual([]);
  });
});

describe("the guards of an alias", () => {
  const ada = aHuman({ alias: "Ada" });
  const guards = (before: Player | null, after: Player | null) =>
    writesOf({ players: [{ before, after }] }, 1).filter((write) => /^(ALIAS|LOOK)#/.test(pkOf(write)));

  it("are taken where nobody has them", () => {
    const taken = guards(null, ada);
    expect(taken.map(pkOf)).toContain("ALIAS#ada");
    expect(taken.length).toBeGreaterThan(1);
    for (const write of taken) {
      expect(write).toMatchObject({ put: { player_id: ada.player_id }, expect: "absent" });
    }
  });

  it("are let go with the alias, and those that stay are left alone", () => {
    const ben = { ...ada, alias: "Ben" };
    const moved = guards(ada, ben);
    expect(moved.filter((write) => "remove" in write).map(pkOf)).toEqual(guards(null, ada).map(pkOf));
    expect(moved.filter((write) => "put" in write)).toEqual(guards(null, ben));
    expect(guards(ada, null).map(pkOf)).toEqual(guards(null, ada).map(pkOf));
    expect(guards(ada, { ...ada, kills: 9 })).toEqual([]);
    // Folded, it is the same name: only its look may differ.
    expect(guards(ada, { ...ada, alias: "ADA" }).map(pkOf)).not.toContain("ALIAS#ada");
  });
});

describe("the counters", () => {
  const changed = (...players: Changes["players"] & object) =>
    to({ players }, "COUNT#").map((write) => ("increase" in write ? write.by : null));

  it("take off what a player was and add what they are, in one write", () => {
    expect(changed({ before: aHuman(), after: aZombie() })).toEqual([{ humans: -1, zombies: 1 }]);
    expect(changed({ before: null, after: aHuman() })).toEqual([{ humans: 1 }]);
    expect(changed({ before: aPlayer({ state: "corpse" }), after: null })).toEqual([{ corpses: -1 }]);
    expect(
      changed(
        { before: aHuman(), after: aZombie() },
        { before: aZombie(), after: aPlayer({ state: "corpse" }) },
      ),
    ).toEqual([{ humans: -1, corpses: 1 }]);
  });

  it("are left alone where nobody has become another", () => {
    const zombie = aZombie();
    expect(changed({ before: zombie, after: { ...zombie, kills: 9 } })).toEqual([]);
    expect(changed({ before: aHuman(), after: aZombie() }, { before: aZombie(), after: aHuman() })).toEqual(
      [],
    );
  });
});

describe("the game", () => {
  it("is written over what was read alone", () => {
    const before = aGame({ rev: 4 });
    expect(to({ game: { before, after: { ...before, offset: DAY } } }, "GAME")).toMatchObject([
      { put: { pk: "GAME", sk: "STATE", rev: 5, offset: DAY }, expect: { rev: 4 } },
    ]);
    expect(to({ game: { before: aGame(), after: aGame({ offset: DAY }) } }, "GAME")).toMatchObject([
      { put: { rev: 1 }, expect: "absent" },
    ]);
  });
});

describe("an item of a player", () => {
  const indexed = (player: Player): string[] =>
    Object.entries(playerItem(player)).flatMap(([name, value]) =>
      /^gsi\dpk$/.test(name) ? [String(value).split("#", 1)[0] ?? ""] : [],
    );

  it("is on the roster, among the zombies while one lives as one, and among the hunters from then on", () => {
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

  it("is written without its note, which lies with its hunter", () => {
    const [record, note, ...more] = writesOf({ interactions: [hunt] }, 1);
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

it("what else is to be written comes with it, and nothing comes to nothing", () => {
  const write: Write = { remove: { pk: "a", sk: "b" } };
  expect(writesOf({ writes: [write] }, 1)).toEqual([write]);
  expect(writesOf({}, 1)).toEqual([]);
});
