/** The hunt: the order of its checks, and the limit on unknown codes. What it changes is tested in tests/battery/model. */
import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../lib/domain/domainError.ts";
import { type HuntContext, hunt, recordMiss, requireCanHunt } from "../../lib/domain/hunt.ts";
import type { Human, Player, Zombie } from "../../lib/domain/player.ts";
import { aContext, aGame, aHuman, aZombie, CODE } from "./builders.ts";
import { deepFreeze, errorOf, present } from "./support.ts";
import { DAY, HOUR, iso, MINUTE, SECOND, T0 } from "./times.ts";

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
    const { misses } = miss(aHunter({ misses: TEN_MISSES }), T0);
    expect(misses).toEqual([...TEN_MISSES.slice(1), iso(T0)]);
    expect(report({ hunter: aHunter({ misses: TEN_MISSES.slice(1) }) }).hunter.misses).toHaveLength(9);
  });
});
