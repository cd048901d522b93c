/** The record of the game: tag codes, ranks of the leaderboard, the ancestry tree, and times. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AncestryNode,
  families,
  growTree,
  MOST_GENERATIONS,
  MOST_NODES,
} from "../../lib/domain/ancestry.ts";
import type { Infection } from "../../lib/domain/interaction.ts";
import { withRanks } from "../../lib/domain/leaderboard.ts";
import { isTagCode, makeTagCode, normalizeTagCode } from "../../lib/domain/tagCode.ts";
import { instantOf, later, rfc3339 } from "../../lib/domain/time.ts";
import { killsOrder } from "../../lib/store/keys.ts";
import { deepFreeze, iso, T0 } from "./support.ts";

describe("a tag code", () => {
  const FORBIDDEN = /[01ILO]/;

  it("has eight letters of the alphabet, none of which is mistaken for another", () => {
    const seen = new Map<string, number>();
    let bytes = 0;
    for (let at = 0; at < 4_096; at += 1) {
      // Every byte equally often: so must be every letter.
      const code = makeTagCode(() => {
        bytes += 1;
        return bytes % 256;
      });
      expect(code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
      expect(code).not.toMatch(FORBIDDEN);
      expect(isTagCode(code)).toBe(true);
      for (const letter of code) seen.set(letter, (seen.get(letter) ?? 0) + 1);
    }
    expect(seen.size).toBe(31);
    const counts = [...seen.values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(8);
  });

  it.each(["abcd2345", "ABCD 2345", "abcd-2345", " AB-CD 23-45 ", "A B C D 2 3 4 5", "abcd\t2345"])(
    "is read from %j",
    (written) => {
      expect(normalizeTagCode(written)).toBe("ABCD2345");
      expect(isTagCode(normalizeTagCode(written))).toBe(true);
    },
  );

  it.each([
    "",
    "ABCD234",
    "ABCD23456",
    "ABCD2340",
    "ABCD234O",
    "ABCD2341",
    "ABCD234I",
    "ABCD234L",
    "ABCD234Ä",
    "👻".repeat(4),
  ])("is not %j", (written) => {
    expect(isTagCode(normalizeTagCode(written))).toBe(false);
  });
});

describe("the leaderboard's ranks", () => {
  const ranksOf = (standings: [kills: number, last: string | null][]) =>
    withRanks(standings.map(([kills, last_kill_at]) => ({ kills, last_kill_at }))).map(({ rank }) => rank);

  it("are shared by equal kills at an equal time, and then one is passed over", () => {
    expect(ranksOf([])).toEqual([]);
    expect(ranksOf([[1, iso(T0)]])).toEqual([1]);
    expect(
      ranksOf([
        [3, iso(T0)],
        [3, iso(T0)],
        [2, iso(T0)],
      ]),
    ).toEqual([1, 1, 3]);
    expect(
      ranksOf([
        [3, iso(T0)],
        [3, iso(T0 + 1)],
        [3, iso(T0 + 1)],
        [3, iso(T0 + 2)],
      ]),
    ).toEqual([1, 2, 2, 4]);
    expect(
      ranksOf([
        [3, iso(T0)],
        [2, iso(T0)],
      ]),
    ).toEqual([1, 2]);
  });

  it("are one for all who have killed nobody", () => {
    expect(
      ranksOf([
        [1, iso(T0)],
        [0, null],
        [0, null],
        [0, null],
      ]),
    ).toEqual([1, 2, 2, 2]);
    expect(
      ranksOf([
        [0, null],
        [0, null],
      ]),
    ).toEqual([1, 1]);
    // Whatever is remembered of a kill that was taken back.
    expect(
      ranksOf([
        [0, iso(T0)],
        [0, null],
      ]),
    ).toEqual([1, 1]);
  });

  it("follow the order in which the table sorts", () => {
    let cases = 0;
    const standing = fc.record({
      kills: fc.nat(12_000),
      last: fc.integer({ min: 0, max: 5 }),
      id: fc.uuid(),
    });
    fc.assert(
      fc.property(fc.array(standing, { maxLength: 30, size: "max" }), (all) => {
        const lastOf = (kills: number, last: number) => (kills === 0 ? null : iso(T0 + last));
        const byTable = all.toSorted((one, other) =>
          killsOrder(one.kills, lastOf(one.kills, one.last), one.id) <
          killsOrder(other.kills, lastOf(other.kills, other.last), other.id)
            ? -1
            : 1,
        );
        const ranked = withRanks(
          byTable.map(({ kills, last }) => ({ kills, last_kill_at: lastOf(kills, last) })),
        );
        for (const one of ranked) {
          const better = ranked.filter(
            (other) =>
              other.kills > one.kills ||
              (other.kills === one.kills && (other.last_kill_at ?? "") < (one.last_kill_at ?? "")),
          );
          expect(one.rank).toBe(better.length + 1);
        }
        cases += 1;
      }),
      { numRuns: 500 },
    );
    expect(cases).toBe(500);
  });
});

const infection = (id: number, parent: number | null, at = id): Infection => ({
  infection_id: `i${String(id).padStart(6, "0")}`,
  parent: parent === null ? null : `i${String(parent).padStart(6, "0")}`,
  target: `p${id}`,
  at: iso(T0 + at * 1_000),
  voided: false,
});

const grow = (all: readonly Infection[], depth = MOST_GENERATIONS, mostNodes = MOST_NODES) => {
  const byParent = families(all);
  return growTree(byParent.get(null) ?? [], byParent, depth, mostNodes);
};

/** Nodes of a tree, without recursion: it may be deep. */
const nodesOf = (roots: readonly AncestryNode[]): AncestryNode[] => {
  const found: AncestryNode[] = [];
  const pending = [...roots];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    found.push(node);
    pending.push(...node.children);
  }
  return found;
};

const ids = (nodes: readonly AncestryNode[]): string[] => nodes.map(({ infection: { target } }) => target);

describe("the ancestry tree", () => {
  it("is empty before the outbreak", () => {
    expect(grow([])).toEqual({ roots: [], size: 0, truncated: false });
  });

  it("shows roots and children in order of infection, whatever the order they were recorded in", () => {
    const tree = grow(
      deepFreeze([
        infection(5, 1, 2),
        infection(4, 1, 3),
        infection(3, null, 1),
        infection(1, null, 9),
        infection(6, 1, 3),
      ]),
    );
    expect(ids(tree.roots)).toEqual(["p3", "p1"]);
    expect(ids(tree.roots[1]?.children ?? [])).toEqual(["p5", "p4", "p6"]);
    expect(tree).toMatchObject({ size: 5, truncated: false });
    const backwards = grow([
      infection(6, 1, 3),
      infection(4, 1, 3),
      infection(5, 1, 2),
      infection(1, null, 9),
      infection(3, null, 1),
    ]);
    expect(backwards).toEqual(tree);
  });

  it("counts no kill that was taken back, and shows what came of it", () => {
    const voided = { ...infection(2, 1), voided: true };
    const [root] = grow([infection(1, null), voided, infection(3, 1), infection(4, 2)]).roots;
    expect(root).toMatchObject({ kills: 1 });
    expect(root?.children.map(({ kills }) => kills)).toEqual([1, 0]);
    expect(ids(root?.children ?? [])).toEqual(["p2", "p3"]);
  });

  it("shows a player who was cured and infected again as two nodes", () => {
    const again = { ...infection(3, 2), target: "p1" };
    const tree = grow([infection(1, null), infection(2, 1), again]);
    expect(ids(nodesOf(tree.roots)).toSorted()).toEqual(["p1", "p1", "p2"]);
  });

  it.each([
    [1, 1, true],
    [2, 2, true],
    [3, 3, false],
    [200, 3, false],
  ])("of three generations shows with a depth of %i %i nodes, truncated: %s", (depth, size, truncated) => {
    const tree = grow([infection(1, null), infection(2, 1), infection(3, 2)], depth);
    expect(tree).toMatchObject({ size, truncated });
    expect(tree.roots[0]?.kills).toBe(1);
  });

  it("counts the kills of a life also where the children are left out", () => {
    const all = [infection(1, null), ...Array.from({ length: 9 }, (_, at) => infection(at + 2, 1))];
    const [root] = grow(all, 1).roots;
    expect(root).toMatchObject({ kills: 9, children: [] });
    const cut = grow(all, 200, 4);
    expect(cut).toMatchObject({ size: 4, truncated: true });
    expect(cut.roots[0]?.kills).toBe(9);
    expect(ids(cut.roots[0]?.children ?? [])).toEqual(["p2", "p3", "p4"]);
  });

  it("is not called truncated when it fits to the last node", () => {
    const all = [infection(1, null), infection(2, 1), infection(3, 1), infection(4, 2)];
    expect(grow(all, 200, 4)).toMatchObject({ size: 4, truncated: false });
    expect(grow(all, 200, 3)).toMatchObject({ size: 3, truncated: true });
    expect(grow([infection(1, null), infection(2, null)], 200, 1)).toMatchObject({
      size: 1,
      truncated: true,
    });
  });

  it("of ten thousand and one nodes leaves out one", () => {
    const all = [infection(0, null), ...Array.from({ length: MOST_NODES }, (_, at) => infection(at + 1, 0))];
    expect(grow(all)).toMatchObject({ size: MOST_NODES, truncated: true });
    expect(grow(all.slice(0, -1))).toMatchObject({ size: MOST_NODES, truncated: false });
  });

  it("of three thousand generations neither overflows nor ends early", () => {
    const chain = Array.from({ length: 3_000 }, (_, at) => infection(at, at === 0 ? null : at - 1));
    const whole = grow(chain, 5_000);
    expect(whole).toMatchObject({ size: 3_000, truncated: false });
    let depth = 0;
    for (let node = whole.roots[0]; node !== undefined; node = node.children[0]) {
      expect(node.infection.target).toBe(`p${depth}`);
      depth += 1;
    }
    expect(depth).toBe(3_000);
    expect(grow(chain)).toMatchObject({ size: 200, truncated: true });
  });

  it("has every infection once, children after their parents, whatever was infected by whom", () => {
    let cases = 0;
    const forest = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 80, size: "max" });
    fc.assert(
      fc.property(
        forest,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 100 }),
        (parents, depth, most) => {
          const all = parents.map((parent, at) =>
            infection(at, at === 0 || parent % 5 === 0 ? null : parent % at),
          );
          const tree = grow(deepFreeze(all), depth, most);
          const nodes = nodesOf(tree.roots);
          expect(new Set(ids(nodes)).size).toBe(nodes.length);
          expect(tree.size).toBe(nodes.length);
          expect(tree.size).toBeLessThanOrEqual(most);
          expect(tree.truncated).toBe(nodes.length < all.length);
          for (const { infection: one, kills, children } of nodes) {
            expect(kills).toBe(all.filter(({ parent }) => parent === one.infection_id).length);
            for (const child of children) expect(child.infection.parent).toBe(one.infection_id);
          }
          cases += 1;
        },
      ),
      { numRuns: 500 },
    );
    expect(cases).toBe(500);
  });
});

describe("times", () => {
  it("are written in UTC with milliseconds and read back", () => {
    expect(rfc3339(Date.UTC(2026, 10, 21, 7, 24))).toBe("2026-11-21T07:24:00.000Z");
    expect(instantOf("2026-11-21T08:24:00+01:00")).toBe(Date.UTC(2026, 10, 21, 7, 24));
    for (const instant of [0, 1, T0, T0 + 999, 4_102_444_800_000])
      expect(instantOf(rfc3339(instant))).toBe(instant);
  });

  it("are compared, and none at all is before any", () => {
    expect(later(null, iso(T0))).toBe(iso(T0));
    expect(later(iso(T0 + 1), iso(T0))).toBe(iso(T0 + 1));
    expect(later(iso(T0), iso(T0 + 1))).toBe(iso(T0 + 1));
  });
});
