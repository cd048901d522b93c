/** Voiding a hunt whose meals and kills were not all recorded. The model in tests/battery/model plays it after any history. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_REMEMBERED_HUNTS } from "../../lib/domain/feeding.ts";
import { hunt } from "../../lib/domain/hunt.ts";
import type { Interaction } from "../../lib/domain/interaction.ts";
import { MAX_REMEMBERED_KILLS, withKill, withoutKill } from "../../lib/domain/kills.ts";
import type { Outcome } from "../../lib/domain/outcome.ts";
import type { Player, PlayerIn, Zombie } from "../../lib/domain/player.ts";
import { voidHunt } from "../../lib/domain/void.ts";
import { aContext, aCorpse, aGame, aHuman, aZombie, CODE } from "./builders.ts";
import { deepFreeze, present } from "./support.ts";
import { DAY, HOUR, iso, MINUTE, PERIOD, T0 } from "./times.ts";

const LIFE = "01900000-0000-7000-8000-00000000aaaa";
const SHARERS_LIFE = "01900000-0000-7000-8000-00000000bbbb";

let ids = 0;
const contextAt = (now: number) => {
  const newId = () => {
    ids += 1;
    return `01900000-0000-7000-9000-${String(ids).padStart(12, "0")}`;
  };
  return aContext({ now, newId });
};

const aHunter = (more: Partial<Zombie> = {}): Zombie =>
  aZombie({
    ...{ infection_id: LIFE, infected_at: iso(T0 - 2 * DAY), deadline: T0 + 2 * HOUR },
    ...{ kills: 0, last_kill_at: null, last_fed_at: iso(T0 - DAY), ...more },
  });

const aPrey = () => aHuman({ kills: 0, last_kill_at: null });

const afterOf = ({ players }: Outcome, { player_id }: Player): Player =>
  present(players.find(({ before }) => before?.player_id === player_id)?.after);

const zombieAfter = (outcome: Outcome, player: Player): Zombie => {
  const after = afterOf(outcome, player);
  if (after.state !== "zombie") throw new Error(`${after.alias} is a ${after.state}`);
  return after;
};

type Named = Map<string, Player>;
const nameAll = (...players: Player[]): Named => new Map(players.map((player) => [player.player_id, player]));

/** A hunt at T0 that was shared with one zombie, and its three players as it left them. */
const aHunt = () => {
  const before = { hunter: aHunter(), prey: aPrey(), sharer: aHunter({ infection_id: SHARERS_LIFE }) };
  const sharers = [{ alias: "S", player: before.sharer }];
  const outcome = hunt(
    deepFreeze({ game: aGame(), hunter: before.hunter, prey: before.prey, code: CODE, sharers }),
    { huntedAt: T0 },
    contextAt(T0),
  );
  const { interaction } = outcome;
  const [hunter, prey, sharer] = [
    zombieAfter(outcome, before.hunter),
    zombieAfter(outcome, before.prey),
    zombieAfter(outcome, before.sharer),
  ];
  return { interaction, hunter, prey, sharer };
};

const voided = ({ interaction, hunter, prey, sharer }: ReturnType<typeof aHunt>, changed: Player[] = []) => {
  const named = nameAll(hunter, prey, sharer, ...changed);
  const given = { game: aGame(), hunt: interaction, named, infected: [], actor: "gm", reason: "They lied." };
  return voidHunt(deepFreeze(given), contextAt(T0 + HOUR));
};

const effectsOn = ({ effects }: ReturnType<typeof voidHunt>, { player_id }: Player) =>
  effects.filter(({ player }) => player === player_id).map(({ player: _, ...effect }) => effect);

it("a void lists the players whom the prey infected and who are still zombies of that infection", () => {
  const { interaction, prey } = aHunt();
  const infected = [
    { infection_id: "1", player: aHunter({ infection_id: "1" }) },
    { infection_id: "2", player: aCorpse({ infection_id: "2" }) },
    { infection_id: "3", player: aHunter({ infection_id: "3", deadline: T0 }) },
    { infection_id: "5", player: aHunter({ infection_id: LIFE }) },
  ];
  const given = {
    game: aGame(),
    hunt: interaction,
    named: nameAll(prey),
    infected,
    actor: "gm",
    reason: "No.",
  };
  const { effects } = voidHunt(given, contextAt(T0 + HOUR));
  expect(effects.filter(({ effect }) => effect === "stays_zombie")).toEqual([
    { player: infected[0]?.player.player_id, effect: "stays_zombie", state: "zombie" },
  ]);
});

describe("voiding a hunt of which an earlier version recorded no meals and kills", () => {
  const forget = (zombie: Zombie): Zombie => ({ ...zombie, meals: [], latest_kills: [] });

  it("keeps the meals, and reports that", () => {
    const tag = aHunt();
    const outcome = voided(tag, [forget(tag.hunter), forget(tag.prey), forget(tag.sharer)]);
    expect(afterOf(outcome, tag.hunter)).toMatchObject({ kills: 0, deadline: T0 + PERIOD });
    const none = { ...forget(tag.hunter), kills: 0 };
    expect(afterOf(voided(tag, [none]), none).kills).toBe(0);
    expect(outcome.interactions).toEqual([outcome.interaction]);
    const kept = { effect: "meal_kept", state: "zombie", deadline: T0 + PERIOD };
    for (const player of [tag.hunter, tag.sharer]) expect(effectsOn(outcome, player)).toContainEqual(kept);
  });

  const later = { infection_id: "f1900000-0000-7000-8000-000000000000" };
  it.each<[string, (zombie: Zombie) => Player]>([
    ["another zombie", (zombie) => ({ ...zombie, ...later })],
    ["a human", (zombie) => ({ ...aHuman(), player_id: zombie.player_id })],
  ])("keeps no meal of another life, as %s", (_, relive) => {
    const tag = aHunt();
    const outcome = voided(
      tag,
      [tag.hunter, tag.sharer].map((zombie) => relive(forget(zombie))),
    );
    expect(effectsOn(outcome, tag.hunter).map(({ effect }) => effect)).toEqual(["kill_taken_back"]);
    expect(effectsOn(outcome, tag.sharer).map(({ effect }) => effect)).toEqual(["unchanged"]);
  });

  it("keeps no meal when a recorded hunt lasts longer", () => {
    const tag = aHunt();
    const given = { game: aGame(), hunter: forget(tag.hunter), prey: aPrey(), code: CODE, sharers: [] };
    const next = hunt(given, { huntedAt: T0 + MINUTE }, contextAt(T0 + MINUTE));
    const outcome = voided(tag, [next.hunter]);
    expect(effectsOn(outcome, tag.hunter)).toMatchObject([{ effect: "kill_taken_back", kills: 1 }]);
    const left = { deadline: T0 + MINUTE + PERIOD, last_kill_at: iso(T0 + MINUTE) };
    expect(afterOf(outcome, tag.hunter)).toMatchObject(left);
  });

  it("keeps a deadline and the time of a kill that are in no list", () => {
    const tag = aHunt();
    const [deadline, last_kill_at] = [T0 + 3 * PERIOD, iso(T0 + MINUTE)];
    const fed = { ...tag.hunter, deadline, last_fed_at: last_kill_at };
    expect(afterOf(voided(tag, [fed]), fed)).toMatchObject({ deadline, kills: 0 });
    const killed = { ...tag.hunter, kills: 2, last_kill_at };
    expect(afterOf(voided(tag, [killed]), killed)).toMatchObject({ kills: 1, last_kill_at });
    const older = withKill(killed, { hunt: "h", at: iso(T0) });
    expect(older).toMatchObject({ kills: 3, last_kill_at, latest_kills: [] });
  });
});

it("the kills that are remembered give the time of the last until more were voided than are remembered", () => {
  let beyond = 0;
  const step = fc.record({ at: fc.nat(300), undo: fc.boolean(), which: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
      let player: PlayerIn<"corpse"> = aCorpse({ kills: 0, last_kill_at: null });
      let kills: { hunt: string; at: string }[] = [];
      let undone = 0;
      for (const [n, { at, undo, which }] of steps.entries()) {
        // One of the three newest.
        const gone = kills[which];
        if (undo && gone !== undefined) {
          kills = kills.filter((one) => one !== gone);
          player = withoutKill(player, gone.hunt);
          undone += 1;
        } else {
          const kill = { hunt: `h${n}`, at: iso(T0 + at * MINUTE) };
          kills = [...kills, kill].sort((one, other) => (one.at < other.at ? 1 : -1));
          player = withKill(player, kill);
        }
        const latest = kills[0]?.at ?? null;
        const isExact = undone < MAX_REMEMBERED_KILLS || latest === null;
        // Later it may be too late, never too early.
        const isRight = isExact ? player.last_kill_at === latest : (player.last_kill_at ?? "") >= latest;
        const isCounted = player.kills === kills.length && player.latest_kills.length <= MAX_REMEMBERED_KILLS;
        if (!isRight || !isCounted) expect.fail(`${JSON.stringify(player)} after ${JSON.stringify(kills)}`);
        beyond += isExact ? 0 : 1;
      }
    }),
    { numRuns: 500 },
  );
  expect(beyond).toBeGreaterThan(500);
});

it("a zombie that fed on more hunts than are remembered keeps the deadline of the latest", () => {
  let hunter = aHunter();
  const hunts: Interaction[] = [];
  for (let n = 0; n < MAX_REMEMBERED_HUNTS + 3; n += 1) {
    const now = T0 + n * MINUTE;
    const given = { game: aGame(), hunter, prey: aPrey(), code: CODE, sharers: [] };
    const outcome = hunt(given, { huntedAt: now }, contextAt(now));
    hunter = zombieAfter(outcome, hunter);
    hunts.push(outcome.interaction);
  }
  expect(hunter.meals).toHaveLength(MAX_REMEMBERED_HUNTS + 1);
  expect(hunter.deadline).toBe(T0 + (MAX_REMEMBERED_HUNTS + 2) * MINUTE + PERIOD);
  // Voided from the latest back, each leaves the one before, down to the last that is not remembered by itself.
  for (let n = MAX_REMEMBERED_HUNTS + 2; n >= 0; n -= 1) {
    const given = { game: aGame(), hunt: present(hunts[n]), named: nameAll(hunter), infected: [] };
    const outcome = voidHunt({ ...given, actor: "gm", reason: "no" }, contextAt(T0 + HOUR));
    hunter = zombieAfter(outcome, hunter);
    expect(hunter).toMatchObject({ kills: n, deadline: T0 + Math.max(2, n - 1) * MINUTE + PERIOD });
    expect(outcome.effects.some(({ effect }) => effect === "meal_kept")).toBe(n <= 2);
  }
});
