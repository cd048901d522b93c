/** The hunt: the order of its checks, and the limit on unknown codes. What it changes is tested in tests/battery/model. */
import { expect, it } from "vitest";
import type { ErrorCode } from "../../lib/domain/domainError.ts";
import { type HuntContext, hunt, recordMiss, requireCanHunt } from "../../lib/domain/hunt.ts";
import type { Human, Player, Zombie } from "../../lib/domain/player.ts";
import { aContext, aCorpse, aGame, aHuman, aZombie, CODE } from "./builders.ts";
import { deepFreeze, errorOf, present } from "./support.ts";
import { DAY, HOUR, iso, MINUTE, SECOND, T0 } from "./times.ts";

const LIFE = "01900000-0000-7000-8000-0000000000aa";

const aHunter = (more: Partial<Zombie> = {}): Zombie =>
  aZombie({ infection_id: LIFE, infected_at: iso(T0 - 5 * HOUR), deadline: T0 + 2 * HOUR, ...more });

const aPrey = (more: Partial<Human> = {}): Human => aHuman({ code_since: iso(T0 - 4 * HOUR), ...more });

const report = (more: Partial<HuntContext> = {}, huntedAt = T0, now = T0) => {
  const usual = { game: aGame(), hunter: aHunter(), prey: aPrey(), code: CODE, sharers: [] };
  return hunt(deepFreeze({ ...usual, ...more }), { huntedAt }, aContext({ now }));
};

const codeOf = (more: Partial<HuntContext>, huntedAt = T0, now = T0): ErrorCode =>
  errorOf(() => report(more, huntedAt, now)).code;

const TEN_MISSES = Array.from({ length: 10 }, (_, at) => iso(T0 - 9 * MINUTE + at));

const CODES = { tag_code: CODE, code_since: iso(T0 - 4 * HOUR) };
/** In the order in which the contract has them checked: a reason, the code, and what causes it. */
const REASONS: [string, ErrorCode, Partial<HuntContext> & { hunts?: Partial<Zombie> }][] = [
  ["the game is paused", "paused", { game: aGame({ paused_at: T0 - MINUTE }) }],
  ["the hunter has starved", "wrong_state", { hunts: { deadline: T0 - HOUR } }],
  ["ten unknown codes were reported", "too_many_attempts", { hunts: { misses: TEN_MISSES } }],
  ["nobody has the code", "unknown_tag_code", { prey: "unknown" }],
  ["the code was already used", "already_tagged", { prey: aZombie() }],
  ["the prey died otherwise", "wrong_state", { prey: aCorpse(CODES) }],
  ["the hunter was no zombie then", "too_early", { hunts: { infected_at: iso(T0 - MINUTE) } }],
  ["a sharer does not exist", "player_not_found", { sharers: [{ alias: "Nobody", player: null }] }],
];
const contextWith = (causes: (typeof REASONS)[number][2][]): Partial<HuntContext> => {
  const hunter = aHunter(Object.assign({}, ...causes.map(({ hunts }) => hunts)));
  // Of two causes in one field, the first counts.
  return Object.assign({}, ...causes.toReversed(), { hunter });
};

it.each(REASONS.map(([reason, code], at) => ({ reason, code, at })))(
  "a hunt is rejected because $reason, before any later check",
  ({ code, at }) => {
    const causes = REASONS.slice(at).map(([, , cause]) => cause);
    for (const some of [causes, causes.slice(0, 1)])
      expect(codeOf(contextWith(some), T0 - 2 * MINUTE)).toBe(code);
  },
);

it("unknown codes are limited to ten in ten minutes, also with the right code afterwards", () => {
  const check = (hunter: Player, now: number) => () =>
    requireCanHunt(hunter, aGame(), now, aContext({ now }));
  const miss = (hunter: Player, now: number): Player =>
    present(recordMiss(deepFreeze(hunter), aContext({ now })).players[0]?.after);
  const before = aHunter({ deadline: T0 + DAY });
  let hunter: Player = before;
  for (let at = 0; at < 10; at += 1) {
    expect(check(hunter, T0 + at * 10 * SECOND)).not.toThrow();
    hunter = miss(hunter, T0 + at * 10 * SECOND);
  }
  expect({ ...hunter, misses: [] }).toEqual(before);
  const now = T0 + 2 * MINUTE;
  expect(errorOf(check(hunter, now))).toMatchObject({ code: "too_many_attempts", retryAfter: 480 });
  expect(codeOf({ hunter }, now, now)).toBe("too_many_attempts");
  expect(check(hunter, now + 480 * SECOND)).not.toThrow();
  expect(errorOf(check(hunter, now + 479 * SECOND)).retryAfter).toBe(1);
  expect(miss(aHunter({ misses: TEN_MISSES }), T0).misses).toEqual([...TEN_MISSES.slice(1), iso(T0)]);
  expect(report({ hunter: aHunter({ misses: TEN_MISSES.slice(1) }) }).hunter.misses).toHaveLength(9);
});
