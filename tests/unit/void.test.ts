/** Voids a hunt whose meals and kills were not all recorded. The battery's model voids hunts after random histories. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDayToClock, feedingDeadlineFrom } from "../../lib/domain/game/clock.ts";
import { hunt } from "../../lib/domain/hunts/hunt.ts";
import type { Interaction } from "../../lib/domain/hunts/interaction.ts";
import { MAX_REMEMBERED_KILLS, withKill, withoutKill } from "../../lib/domain/hunts/kills.ts";
import { voidHunt } from "../../lib/domain/hunts/void.ts";
import type { Outcome } from "../../lib/domain/outcome.ts";
import { asHunter } from "../../lib/domain/players/lives.ts";
import type { Player, PlayerIn, Zombie } from "../../lib/domain/players/player.ts";
import { asFed, MAX_REMEMBERED_HUNTS, withoutFeeding } from "../../lib/domain/starvation/feeding.ts";
import { aContext, aCorpse, aGame, aHuman, aZombie, CODE } from "./builders.ts";
import { deepFreeze, present } from "./support.ts";
import { DAY, HOUR, iso, MINUTE, PERIOD, T0 } from "./times.ts";

const LIFE = "01800000-0000-7000-8000-00000000aaaa";
const SHARERS_LIFE = "01800000-0000-7000-8000-00000000bbbb";

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

const huntBy = (hunter: Zombie, now: number, prey = aPrey(), ...sharers: Zombie[]) => {
  const named = sharers.map((player) => ({ alias: player.alias, player }));
  const given = { game: aGame(), hunter: asHunter(hunter), prey, code: CODE, sharers: named };
  return hunt(deepFreeze(given), { huntedAt: now }, aContext({ now }));
};

/** A hunt at T0 that was shared with one zombie, and its three players as it left them. */
const aHunt = () => {
  const [hunter, prey, sharer] = [aHunter(), aPrey(), aHunter({ infection_id: SHARERS_LIFE })];
  const outcome = huntBy(hunter, T0, prey, sharer);
  const [after, preyAfter, sharerAfter] = [hunter, prey, sharer].map((one) => zombieAfter(outcome, one));
  return {
    interaction: outcome.interaction,
    ...{ hunter: present(after), prey: present(preyAfter), sharer: present(sharerAfter) },
  };
};

/** Voids a hunt of these players, of whom some have changed meanwhile. */
const voided = (hunted: Interaction, players: Player[]) => {
  const named = new Map(players.map((player) => [player.player_id, player]));
  const given = { game: aGame(), hunt: hunted, named, infected: [], actor: "gm", reason: "They lied." };
  return voidHunt(deepFreeze(given), aContext({ now: T0 + HOUR }));
};

const effectsOn = ({ effects }: ReturnType<typeof voidHunt>, { player_id }: Player) =>
  effects.filter(({ player }) => player === player_id).map(({ player: _, ...effect }) => effect);

describe("voiding a hunt of which an earlier version recorded no meals and kills", () => {
  const forget = (zombie: Zombie): Zombie => ({ ...zombie, meals: [], latest_kills: [] });

  it("keeps the meals, and reports that", () => {
    const tag = aHunt();
    const { interaction, prey } = tag;
    const outcome = voided(interaction, [forget(tag.hunter), forget(prey), forget(tag.sharer)]);
    expect(afterOf(outcome, tag.hunter)).toMatchObject({ kills: 0, deadline: T0 + PERIOD });
    const none = { ...forget(tag.hunter), kills: 0 };
    expect(afterOf(voided(interaction, [none, prey, tag.sharer]), none).kills).toBe(0);
    expect(outcome.interactions).toEqual([outcome.interaction]);
    const kept = { effect: "meal_kept", state: "zombie", deadline: T0 + PERIOD };
    for (const player of [tag.hunter, tag.sharer]) expect(effectsOn(outcome, player)).toContainEqual(kept);
  });

  it("keeps no meal of another life, and none when a recorded hunt lasts longer", () => {
    const tag = aHunt();
    const [another, human] = [
      { ...forget(tag.hunter), infection_id: "f1900000-0000-7000-8000-000000000000" },
      { ...aHuman(), player_id: tag.sharer.player_id },
    ];
    const relived = voided(tag.interaction, [tag.prey, another, human]);
    expect(effectsOn(relived, tag.hunter).map(({ effect }) => effect)).toEqual(["kill_taken_back"]);
    expect(effectsOn(relived, tag.sharer).map(({ effect }) => effect)).toEqual(["unchanged"]);
    const next = huntBy(forget(tag.hunter), T0 + MINUTE);
    const outcome = voided(tag.interaction, [next.hunter, tag.prey, tag.sharer]);
    expect(effectsOn(outcome, tag.hunter)).toMatchObject([{ effect: "kill_taken_back", kills: 1 }]);
    const left = { deadline: T0 + MINUTE + PERIOD, last_kill_at: iso(T0 + MINUTE) };
    expect(afterOf(outcome, tag.hunter)).toMatchObject(left);
  });

  it("takes a kill of an earlier hidden life, which is known since the reveal, from what others see in the next", () => {
    const { interaction, hunter, prey, sharer } = aHunt();
    const since = iso(T0 + MINUTE);
    const cover = {
      ...{ since, infection_id: "next", state: "human" as const, tag_code: "", code_since: since },
      ...{ human_since: since, infected_at: hunter.infected_at, kills: 1 },
      ...{ last_kill_at: hunter.last_kill_at, latest_kills: hunter.latest_kills },
    };
    const again = { ...hunter, infection_id: "next", cover };
    const hidden = { ...interaction, cover: { since: iso(T0), kind: "hunt" as const } };
    const after = afterOf(voided(hidden, [again, prey, sharer]), again);
    expect(after).toMatchObject({ kills: 0, cover: { kills: 0, last_kill_at: null } });
  });

  it("keeps a deadline and the time of a kill that are in no list", () => {
    const { interaction, hunter, prey, sharer } = aHunt();
    const [deadline, last_kill_at] = [T0 + 3 * PERIOD, iso(T0 + MINUTE)];
    const fed = { ...hunter, deadline, last_fed_at: last_kill_at };
    expect(afterOf(voided(interaction, [fed, prey, sharer]), fed)).toMatchObject({ deadline, kills: 0 });
    const killed = { ...hunter, kills: 2, last_kill_at };
    const after = afterOf(voided(interaction, [killed, prey, sharer]), killed);
    expect(after).toMatchObject({ kills: 1, last_kill_at });
    const older = withKill(killed, { hunt: "h", at: iso(T0) });
    expect(older).toMatchObject({ kills: 3, last_kill_at, latest_kills: [] });
  });
});

it("the time of the last kill is exact until as many kills were voided as are remembered, and never too early", () => {
  let beyond = 0;
  const step = fc.record({ at: fc.nat(300), undo: fc.boolean(), which: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
      let player: PlayerIn<"corpse"> = aCorpse({ kills: 0, last_kill_at: null });
      // The newest first. One of the first three may be undone.
      let kills: { hunt: string; at: string }[] = [];
      let undone = 0;
      for (const [n, { at, undo, which }] of steps.entries()) {
        const gone = kills[which];
        const kill = { hunt: `h${n}`, at: iso(T0 + at * MINUTE) };
        const isUndone = undo && gone !== undefined;
        player = isUndone ? withoutKill(player, gone.hunt) : withKill(player, kill);
        kills = isUndone
          ? kills.toSpliced(which, 1)
          : [...kills, kill].sort((one, other) => (one.at < other.at ? 1 : -1));
        undone += isUndone ? 1 : 0;
        const latest = kills[0]?.at ?? null;
        const isExact = undone < MAX_REMEMBERED_KILLS || latest === null;
        // Afterwards the time may be too late, but never too early.
        const isRight = isExact ? player.last_kill_at === latest : (player.last_kill_at ?? "") >= latest;
        expect([isRight, player.kills]).toEqual([true, kills.length]);
        expect(player.latest_kills.length).toBeLessThanOrEqual(MAX_REMEMBERED_KILLS);
        beyond += isExact ? 0 : 1;
      }
    }),
    { numRuns: 200 },
  );
  expect(beyond).toBeGreaterThan(200);
});

it("a zombie that has eaten since a day was added lives after the void of an earlier hunt", () => {
  const now = T0 + HOUR;
  const game = addDayToClock(aGame(), now);
  const meals = [
    // It has ended before the day was added, although its game time is still to come.
    { hunt: null, deadline: T0, epoch: 0, at: iso(T0 - DAY) },
    { hunt: "void", deadline: T0 + 10 * HOUR, epoch: 0, at: iso(T0 - HOUR) },
    { hunt: "since", ...feedingDeadlineFrom(game, now, 20 * HOUR), at: iso(now) },
  ];
  const zombie = aHunter({ deadline: T0 + 10 * HOUR, epoch: 0, meals });
  const after = withoutFeeding(deepFreeze(zombie), "void", game, now + HOUR);
  expect(after).toMatchObject({ deadline: now - DAY + 20 * HOUR, epoch: 1 });
  // It stays ended when the clock no longer knows that it had.
  const later = { ...game, cuts: [] };
  const fed = asFed(present(after) as Zombie, later, now + 2 * HOUR, 20 * HOUR);
  const last = feedingDeadlineFrom(later, now + 2 * HOUR, 20 * HOUR);
  expect(withoutFeeding(fed, "since", later, now + 2 * HOUR)).toMatchObject(last);
});

const MANY = Array.from({ length: MAX_REMEMBERED_HUNTS + 3 }, (_, n) => n);
it.each([
  ["in order", MANY],
  ["the latest first", [MANY.length - 1, ...MANY.slice(0, -1)]],
] as const)(
  "a zombie that fed on more hunts than are remembered keeps the deadline of the latest: %s",
  (_, order) => {
    let hunter = aHunter();
    const hunts: Interaction[] = [];
    for (const n of order) {
      const outcome = huntBy(hunter, T0 + n * MINUTE);
      hunter = zombieAfter(outcome, hunter);
      hunts[n] = outcome.interaction;
    }
    expect(hunter.meals).toHaveLength(MAX_REMEMBERED_HUNTS + 1);
    expect(hunter.deadline).toBe(T0 + (MAX_REMEMBERED_HUNTS + 2) * MINUTE + PERIOD);
    // From the latest hunt back: each void leaves the deadline of the hunt before, down to the last that is permanent.
    for (let n = MAX_REMEMBERED_HUNTS + 2; n >= 0; n -= 1) {
      const outcome = voided(present(hunts[n]), [hunter]);
      hunter = zombieAfter(outcome, hunter);
      expect(hunter).toMatchObject({ kills: n, deadline: T0 + Math.max(2, n - 1) * MINUTE + PERIOD });
      expect(outcome.effects.some(({ effect }) => effect === "meal_kept")).toBe(n <= 2);
    }
  },
);
