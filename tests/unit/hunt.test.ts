/** The hunt: the order of its checks, whom it feeds until when, and the limit on unknown codes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../lib/domain/domainError.ts";
import { type HuntContext, hunt, recordMiss, requireCanHunt } from "../../lib/domain/hunt.ts";
import type { Human, Player, Zombie } from "../../lib/domain/player.ts";
import { aContext, aCorpse, aGame, aHuman, aPlayer, aZombie, CODE } from "./builders.ts";
import { deepFreeze, errorOf, present } from "./support.ts";
import { DAY, HOUR, iso, MINUTE, PERIOD, SECOND, T0 } from "./times.ts";

const LIFE = "01900000-0000-7000-8000-0000000000aa";

const aHunter = (more: Partial<Zombie> = {}): Zombie =>
  aZombie({ infection_id: LIFE, infected_at: iso(T0 - 5 * HOUR), deadline: T0 + 2 * HOUR, ...more });

const aPrey = (more: Partial<Human> = {}): Human => aHuman({ code_since: iso(T0 - 4 * HOUR), ...more });

const huntContextOf = (more: Partial<HuntContext> = {}): HuntContext => ({
  ...{ game: aGame(), hunter: aHunter(), prey: aPrey(), code: CODE, sharers: [] },
  ...more,
});

const report = (more: Partial<HuntContext> = {}, huntedAt = T0, now = T0) =>
  hunt(deepFreeze(huntContextOf(more)), { huntedAt }, aContext({ now }));

const codeOf = (more: Partial<HuntContext>, huntedAt = T0, now = T0): ErrorCode =>
  errorOf(() => report(more, huntedAt, now)).code;

const TEN_MISSES = Array.from({ length: 10 }, (_, at) => iso(T0 - 9 * MINUTE + at));

describe("a hunt is rejected", () => {
  const onPrey =
    (become: (prey: Player) => Player) =>
    (context: HuntContext): Partial<HuntContext> =>
      typeof context.prey === "string" ? {} : { prey: become(context.prey) };
  const onHunter =
    (more: Partial<Zombie>) =>
    ({ hunter }: HuntContext): Partial<HuntContext> => ({
      hunter: hunter.state === "zombie" ? { ...hunter, ...more } : hunter,
    });

  /** In the order in which the contract has them checked: a reason, the code, and how to cause it. */
  const REASONS: [string, ErrorCode, (context: HuntContext) => Partial<HuntContext>][] = [
    ["the game is paused", "paused", ({ game }) => ({ game: { ...game, paused_at: T0 - MINUTE } })],
    ["the hunter has starved", "wrong_state", onHunter({ deadline: T0 - HOUR })],
    ["ten unknown codes were reported", "too_many_attempts", onHunter({ misses: TEN_MISSES })],
    ["nobody has the code", "unknown_tag_code", () => ({ prey: "unknown" })],
    ["the code was already used", "already_tagged", onPrey(({ player_id }) => aZombie({ player_id }))],
    ["the prey died otherwise", "wrong_state", onPrey((prey) => ({ ...prey, state: "corpse" }))],
    ["the hunter was no zombie then", "too_early", onHunter({ infected_at: iso(T0 - MINUTE) })],
    ["a sharer does not exist", "player_not_found", () => ({ sharers: [{ alias: "Nobody", player: null }] })],
  ];

  it.each(REASONS.map(([reason, code, cause], first) => ({ reason, code, cause, first })))(
    "because $reason, before any later check",
    ({ code, cause, first }) => {
      let all = huntContextOf();
      for (const [, , more] of REASONS.slice(first)) all = { ...all, ...more(all) };
      expect(codeOf(all, T0 - 2 * MINUTE)).toBe(code);
      expect(codeOf(cause(huntContextOf()), T0 - 2 * MINUTE)).toBe(code);
    },
  );

  it("for the code of a deleted account, and for one of a former life", () => {
    expect(codeOf({ prey: "gone" })).toBe("wrong_state");
    expect(codeOf({ prey: aPrey({ tag_code: "WXYZ2345" }) })).toBe("already_tagged");
  });

  it("before the hunter's infection and before the prey got the code, to the millisecond", () => {
    const since = iso(T0 - HOUR);
    const begun = [{ hunter: aHunter({ infected_at: since }) }, { prey: aPrey({ code_since: since }) }];
    for (const more of begun) {
      expect(codeOf(more, T0 - HOUR - 1)).toBe("too_early");
      expect(report(more, T0 - HOUR).hunter.kills).toBe(3);
    }
  });

  it.each([
    ["human", aPrey({ tag_code: "WXYZ2345" }), "human"],
    ["corpse", aCorpse(), "corpse"],
    ["spectator", aPlayer(), "spectator"],
    ["starved zombie", aHunter({ deadline: T0 }), "corpse"],
  ])("when one of the sharers is a %s", (_, bad, state) => {
    const sharers = [aHunter(), bad].map((player) => ({ alias: player.alias, player }));
    for (const order of [sharers, sharers.toReversed()]) {
      const error = errorOf(() => report({ sharers: order }));
      expect(error.code).toBe("wrong_state");
      for (const part of [state, bad.alias, "only a zombie can share a feeding."]) {
        expect(error.detail).toContain(part);
      }
    }
  });
});

describe("a hunt", () => {
  it("is the prey's infection, whose parent is the hunter's", () => {
    const given = deepFreeze(huntContextOf());
    const details = { note: "by the library", latitude: 47.37, longitude: 0 };
    const outcome = hunt(given, { huntedAt: T0 - HOUR, ...details }, aContext());
    const { interaction, hunter } = outcome;
    const prey = present(outcome.prey);
    expect(outcome.interactions).toEqual([interaction]);
    expect(interaction).toEqual({
      ...{ interaction_id: expect.any(String), kind: "hunt", at: iso(T0 - HOUR), recorded_at: iso(T0) },
      ...{ actor: given.hunter.player_id, target: prey.player_id, parent: LIFE, shared_with: [], ...details },
      human_since: present(outcome.players[1]?.before ?? null).code_since,
    });
    expect(prey).toMatchObject({
      ...{ infection_id: interaction.interaction_id, infected_at: iso(T0 - HOUR), kills: 2 },
      ...{ infected_by: given.hunter.player_id, last_fed_at: null, tag_code: null, code_since: null },
      // A full period from now, not from the hunt.
      ...{ deadline: T0 + PERIOD, epoch: 0 },
    });
    expect(hunter).toMatchObject({ kills: 3, last_kill_at: iso(T0 - HOUR), infection_id: LIFE });
    expect(outcome.players.map(({ before }) => before)).toEqual([given.hunter, given.prey]);
  });

  it("has no fields for a note and a place that were not given", () => {
    const { interaction } = report();
    for (const field of ["note", "latitude", "longitude"]) expect(interaction).not.toHaveProperty(field);
  });

  it("feeds hunter and sharers until the later of their deadline and the hunt plus a period", () => {
    const short = aHunter({ deadline: T0 + MINUTE });
    const long = aHunter({ deadline: T0 + 3 * PERIOD, last_fed_at: iso(T0 - MINUTE) });
    const sharers = [short, long].map((player) => ({ alias: player.alias, player }));
    const { players, interaction, hunter } = report({ sharers }, T0 - HOUR);
    const fed = T0 - HOUR + PERIOD;
    expect(hunter.last_fed_at).toBe(iso(T0 - HOUR));
    expect(players.map(({ after }) => after?.deadline)).toEqual([fed, T0 + PERIOD, fed, T0 + 3 * PERIOD]);
    expect(players[3]?.after?.last_fed_at).toBe(iso(T0 - MINUTE));
    expect(players.slice(2).map(({ after }) => after?.kills)).toEqual([2, 2]);
    expect(interaction.shared_with).toEqual([short.player_id, long.player_id]);
  });

  it("before the last change of the clock feeds from that change on", () => {
    const game = aGame({ offset: DAY, epoch: 1, changed_at: T0 - MINUTE });
    const { hunter } = report({ game, hunter: aHunter({ deadline: T0 - DAY + 2 * HOUR }) }, T0 - 2 * HOUR);
    expect((hunter.deadline ?? 0) + DAY).toBe(T0 - MINUTE + PERIOD);
    expect(hunter).toMatchObject({ last_kill_at: iso(T0 - 2 * HOUR), epoch: 1 });
  });

  it("does not replace the time of a later kill", () => {
    const { hunter } = report({ hunter: aHunter({ last_kill_at: iso(T0 - MINUTE) }) }, T0 - HOUR);
    expect(hunter).toMatchObject({ last_kill_at: iso(T0 - MINUTE), kills: 3 });
  });

  it("does not clear the hunter's unknown codes", () => {
    const misses = TEN_MISSES.slice(0, 9);
    expect(report({ hunter: aHunter({ misses }) }).hunter.misses).toEqual(misses);
  });
});

describe("unknown codes", () => {
  const miss = (hunter: Player, now: number): Player => {
    const { players, interactions } = recordMiss(deepFreeze(hunter), aContext({ now }));
    expect(interactions).toEqual([]);
    expect(players).toHaveLength(1);
    const after = present(players[0]?.after);
    expect({ ...after, misses: [] }).toEqual({ ...hunter, misses: [] });
    return after;
  };
  const check = (hunter: Player, now: number) => () =>
    requireCanHunt(hunter, aGame(), now, aContext({ now }));

  it("are limited to ten in ten minutes, also with the right code afterwards", () => {
    let hunter: Player = aHunter({ deadline: T0 + DAY });
    for (let at = 0; at < 10; at += 1) {
      expect(check(hunter, T0 + at * 10 * SECOND)).not.toThrow();
      hunter = miss(hunter, T0 + at * 10 * SECOND);
    }
    const now = T0 + 2 * MINUTE;
    expect(errorOf(check(hunter, now))).toMatchObject({ code: "too_many_attempts", retryAfter: 480 });
    expect(codeOf({ hunter }, now, now)).toBe("too_many_attempts");
    expect(check(hunter, now + 480 * SECOND)).not.toThrow();
    expect(errorOf(check(hunter, now + 479 * SECOND)).retryAfter).toBe(1);
  });

  it("are remembered ten at most", () => {
    const { misses } = miss(aHunter({ misses: TEN_MISSES }), T0);
    expect(misses).toEqual([...TEN_MISSES.slice(1), iso(T0)]);
  });

  it("are counted in a sliding window", () => {
    let rejected = 0;
    const pauses = fc.array(fc.nat(3 * MINUTE), { minLength: 5, maxLength: 40, size: "max" });
    fc.assert(
      fc.property(pauses, (all) => {
        let now = T0;
        let hunter: Player = aHunter({ deadline: T0 + 300 * DAY });
        const misses: number[] = [];
        for (const pause of all) {
          now += pause;
          const recent = misses.filter((at) => at > now - 10 * MINUTE);
          if (recent.length < 10) {
            check(hunter, now)();
            hunter = miss(hunter, now);
            misses.push(now);
            continue;
          }
          rejected += 1;
          const retryAfter = Math.ceil(((recent.at(-10) ?? 0) + 10 * MINUTE - now) / SECOND);
          expect(errorOf(check(hunter, now))).toMatchObject({ code: "too_many_attempts", retryAfter });
        }
      }),
      { numRuns: 200 },
    );
    expect(rejected).toBeGreaterThan(40);
  });
});
