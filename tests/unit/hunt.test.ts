/** The hunt: the order of its checks, and the limit on unknown codes. What it changes is tested in tests/battery/model. */
import { expect, it } from "vitest";
import type { DomainError, ErrorCode } from "../../lib/domain/domainError.ts";
import {
  type HuntContext,
  hunt,
  recordMiss,
  reportingHunter,
  requireInPlay,
  requireNoLockout,
} from "../../lib/domain/hunts/hunt.ts";
import type { Human, Player, Zombie } from "../../lib/domain/players/player.ts";
import { aContext, aCorpse, aGame, aHuman, aZombie, CODE } from "./builders.ts";
import { deepFreeze, errorOf, present } from "./support.ts";
import { DAY, HOUR, iso, MINUTE, SECOND, T0 } from "./times.ts";

const LIFE = "01900000-0000-7000-8000-0000000000aa";

const aHunter = (more: Partial<Zombie> = {}): Zombie =>
  aZombie({ infection_id: LIFE, infected_at: iso(T0 - 5 * HOUR), deadline: T0 + 2 * HOUR, ...more });

const aPrey = (more: Partial<Human> = {}): Human => aHuman({ code_since: iso(T0 - 4 * HOUR), ...more });

type Given = Partial<Omit<HuntContext, "hunter"> & { hunter: Player }>;

/** In the order of the service: the hunter is judged before the code is looked up. */
const report = async (more: Given = {}, huntedAt = T0, now = T0) => {
  const usual = { game: aGame(), hunter: aHunter(), prey: aPrey(), code: CODE, sharers: [] };
  const { hunter: player, ...given } = deepFreeze({ ...usual, ...more });
  const command = aContext({ now });
  requireInPlay(given.game, huntedAt, now);
  const hunter = await reportingHunter(player, huntedAt, given.game, command, async () => []);
  return hunt({ ...given, hunter }, { huntedAt }, command);
};

const failureOf = async (more: Given, huntedAt = T0, now = T0): Promise<DomainError> => {
  const result = await report(more, huntedAt, now).catch((error: unknown) => error);
  return errorOf(() => {
    if (result instanceof Error) throw result;
    return result;
  });
};

const TEN_MISSES = Array.from({ length: 10 }, (_, at) => iso(T0 - 9 * MINUTE + at));

const CODES = { tag_code: CODE, code_since: iso(T0 - 4 * HOUR) };
/** In the order in which the contract has them checked: a reason, the code, and what causes it. */
const REASONS: [string, ErrorCode, Given & { hunts?: Partial<Zombie> }][] = [
  ["the game is paused", "paused", { game: aGame({ paused_at: T0 - MINUTE }) }],
  ["the hunter has starved", "wrong_state", { hunts: { deadline: T0 - HOUR } }],
  ["ten unknown codes were reported", "too_many_attempts", { hunts: { misses: TEN_MISSES } }],
  ["nobody has the code", "unknown_tag_code", { prey: "unknown" }],
  ["the code was already used", "already_tagged", { prey: aZombie() }],
  ["the prey died otherwise", "wrong_state", { prey: aCorpse(CODES) }],
  ["the hunter was no zombie then", "too_early", { hunts: { infected_at: iso(T0 - MINUTE) } }],
  ["a sharer does not exist", "player_not_found", { sharers: [{ alias: "Nobody", player: null }] }],
];
const contextWith = (causes: (typeof REASONS)[number][2][]): Given => {
  const hunter = aHunter(Object.assign({}, ...causes.map(({ hunts }) => hunts)));
  // Of two causes in one field, the first counts.
  return Object.assign({}, ...causes.toReversed(), { hunter });
};

it.each(REASONS.map(([reason, code], at) => ({ reason, code, at })))(
  "a hunt is rejected because $reason, before any later check",
  async ({ code, at }) => {
    const causes = REASONS.slice(at).map(([, , cause]) => cause);
    for (const some of [causes, causes.slice(0, 1)])
      expect((await failureOf(contextWith(some), T0 - 2 * MINUTE)).code).toBe(code);
  },
);

it("unknown codes are limited to ten in ten minutes, also with the right code afterwards", async () => {
  const check = (hunter: Zombie, now: number) => () => requireNoLockout(hunter, aContext({ now }));
  const miss = (hunter: Zombie, now: number): Zombie => {
    const after = present(recordMiss(deepFreeze(hunter), aContext({ now })).players[0]?.after);
    expect({ ...after, misses: hunter.misses }).toEqual(hunter);
    return { ...hunter, misses: after.misses };
  };
  let hunter = aHunter({ deadline: T0 + DAY });
  for (let now = T0; now < T0 + 100 * SECOND; now += 10 * SECOND) {
    expect(check(hunter, now)).not.toThrow();
    hunter = miss(hunter, now);
  }
  const now = T0 + 2 * MINUTE;
  expect(errorOf(check(hunter, now))).toMatchObject({ code: "too_many_attempts", retryAfter: 480 });
  expect((await failureOf({ hunter }, now, now)).code).toBe("too_many_attempts");
  expect(errorOf(check(hunter, now + 479 * SECOND)).retryAfter).toBe(1);
  expect(check(hunter, now + 480 * SECOND)).not.toThrow();
  expect(miss(aHunter({ misses: TEN_MISSES }), T0).misses).toEqual([...TEN_MISSES.slice(1), iso(T0)]);
});
