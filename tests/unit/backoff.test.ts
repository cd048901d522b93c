/** The throttles' rule: who waits how long, that nobody waits for ever, and how many guesses that leaves. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  allowanceWait,
  type FailureHistory,
  failed,
  type LoginSource,
  MARK_LENGTH,
  succeeded,
  THROTTLES,
  tooMany,
  waitOf,
} from "../../lib/domain/backoff.ts";
import { clientAddress } from "../../lib/http/clientAddress.ts";
import { deepFreeze, HOUR, MINUTE, SECOND, T0 } from "./support.ts";

const { newAddresses, registrations, failures: failuresOfOne } = THROTTLES;

/** An address; the marks of no two of these are the same. */
const sourceFrom = (from: string, known = false): LoginSource => {
  const site = createHash("sha256").update(from).digest("base64url").slice(0, MARK_LENGTH);
  return { from, site, known };
};

const wait = (history: FailureHistory, from: string, now: number, known = false): number =>
  waitOf(history, sourceFrom(from, known), now, THROTTLES);

const fail = (history: FailureHistory, from: string, now: number, known = false): FailureHistory =>
  deepFreeze(failed(history, sourceFrom(from, known), now, THROTTLES));

const succeed = (history: FailureHistory, from: string, now = T0): FailureHistory =>
  succeeded(history, from, now, THROTTLES);

/** Failures from one address, each as soon as it may be. */
const failTimes = (times: number, from = "home"): { failures: FailureHistory; now: number } => {
  let failures: FailureHistory = {};
  let now = T0;
  for (let n = 0; n < times; n += 1) {
    now += wait(failures, from, now);
    failures = fail(failures, from, now);
  }
  return { failures, now };
};

describe("failures from one address", () => {
  it.each([
    [0, 0],
    [1, 0],
    [4, 0],
    [5, 1],
    [6, 2],
    [7, 4],
    [10, 32],
    [11, 60],
    [12, 60],
    [2_000, 60],
  ])("%i of them make it wait %i seconds", (times, seconds) => {
    const { failures, now } = failTimes(times);
    expect(wait(failures, "home", now)).toBe(seconds * SECOND);
    expect(wait(failures, "home", now + seconds * SECOND)).toBe(0);
    if (seconds > 0) expect(wait(failures, "home", now + seconds * SECOND - 1)).toBe(1);
    // Whoever is elsewhere does not wait for them, however many they are.
    expect(wait(failures, "elsewhere", now)).toBe(0);
  });

  it("make nobody wait before there is a wait, not even a request that is older than they are", () => {
    const { failures, now } = failTimes(4);
    expect(wait(failures, "home", now - 200)).toBe(0);
    expect(wait(failures, "elsewhere", now - 200)).toBe(0);
  });

  it("are forgotten after an hour without one, and after a success", () => {
    const { failures, now } = failTimes(12);
    expect(fail(failures, "home", now + HOUR - 1).failures).toEqual([
      { from: "home", count: 13, last: now + HOUR - 1 },
    ]);
    expect(fail(failures, "home", now + HOUR).failures).toEqual([
      { from: "home", count: 1, last: now + HOUR },
    ]);
    const both = fail(failures, "elsewhere", now);
    expect(succeed(both, "home").failures).toEqual([{ from: "elsewhere", count: 1, last: now }]);
    expect(wait(succeed(both, "home"), "home", now, true)).toBe(0);
  });

  it("leave 69 guesses in the first hour and 60 in each other", () => {
    const guesses: number[] = [];
    let failures: FailureHistory = {};
    for (let now = T0; now < T0 + 3 * HOUR; ) {
      failures = fail(failures, "home", now);
      guesses.push(now);
      now += wait(failures, "home", now);
    }
    const within = (hour: number) =>
      guesses.filter((at) => at >= T0 + hour * HOUR && at < T0 + (hour + 1) * HOUR).length;
    expect([within(0), within(1), within(2)]).toEqual([69, 60, 60]);
  });

  it("of a clock that is ahead hold nobody longer than the longest wait", () => {
    const ahead = fail(failTimes(20).failures, "home", T0 + 30 * MINUTE);
    expect(wait(ahead, "home", T0)).toBe(MINUTE);
  });
});

describe("failures from many addresses", () => {
  const from = (addresses: number): FailureHistory => {
    let failures: FailureHistory = {};
    for (let n = 0; n < addresses; n += 1) failures = fail(failures, `bot ${n}`, T0);
    return failures;
  };

  /** Fails as often at once as costs nothing: from then on it waits for others. */
  const spend = (history: FailureHistory, address: string, now = T0): FailureHistory => {
    let spent = history;
    const isSpent = () => spent.failures?.some(({ from, count }) => from === address && count === 4) === true;
    while (!isSpent()) spent = fail(spent, address, now);
    return spent;
  };

  it.each([
    [3, 0],
    [4, 1],
    [5, 2],
    [9, 32],
    [10, 60],
    [200, 60],
  ])(
    "%i of them make one that has failed wait %i seconds, and neither a known one nor a new one",
    (bots, seconds) => {
      const failures = spend(from(bots), "bot 0");
      expect(failures.failures?.length).toBeLessThanOrEqual(10);
      expect(wait(failures, "bot 0", T0)).toBe(seconds * SECOND);
      expect(wait(failures, "bot 0", T0 + seconds * SECOND)).toBe(0);
      expect(wait(failures, "new phone", T0)).toBe(0);
      expect(wait(failures, "bot 0", T0, true)).toBe(0);
      // One who mistypes is not one of them yet.
      expect(wait(fail(failures, "new phone", T0), "new phone", T0)).toBe(0);
    },
  );

  it("make the rest wait when they use up what all new addresses may fail, ten seconds for each place", () => {
    const { atOnce, every } = newAddresses.failures;
    const half = from(atOnce / 2);
    // With half of it left somebody may mistype; after that only those come in who have not failed.
    expect(wait(fail(half, "new phone", T0), "new phone", T0)).toBe(MINUTE);
    expect(wait(half, "new phone", T0)).toBe(0);
    const all = from(atOnce);
    expect(wait(all, "new phone", T0)).toBe(every);
    expect(wait(all, "new phone", T0 + every)).toBe(0);
    expect(wait(fail(all, "bot", T0 + every), "new phone", T0 + every)).toBe(every);
    expect(wait(all, "new phone", T0, true)).toBe(0);
  });

  it("draw once each, and not while they wait, so that some hundreds keep no new address waiting", () => {
    let failures: FailureHistory = {};
    let longest = 0;
    const bots = Array.from({ length: 300 }, (_, n) => `bot ${n}`);
    for (let now = T0; now < T0 + 24 * HOUR; now += 10 * MINUTE) {
      for (const bot of bots) {
        const left = wait(failures, bot, now);
        if (left === 0) failures = fail(failures, bot, now);
        longest = Math.max(longest, wait(failures, "new phone", now));
      }
    }
    expect(longest).toBe(0);
  });

  it("are remembered for six hours at least and for twelve at most, and so many of them", () => {
    const site = MARK_LENGTH;
    const first = fail({}, "bot", T0);
    const isNew = (history: FailureHistory, now: number, address = "bot") => {
      // Ten others have failed just now: who is not new waits.
      let others = history;
      for (let n = 0; n < 10; n += 1) others = fail(others, `other ${n}`, now);
      return wait(others, address, now) === 0;
    };
    expect(isNew(first, T0 + 12 * HOUR - 1)).toBe(false);
    expect(isNew(first, T0 + 12 * HOUR)).toBe(true);
    const later = fail(first, "next", T0 + 6 * HOUR);
    expect(later.new_addresses?.recent).toHaveLength(site);
    expect(isNew(later, T0 + 12 * HOUR - 1)).toBe(false);
    expect(isNew(later, T0 + 12 * HOUR)).toBe(true);
    expect(isNew(fail(first, "next", T0 + 13 * HOUR), T0 + 13 * HOUR)).toBe(true);
    let many: FailureHistory = {};
    for (let n = 0; n < 5_000; n += 1) many = fail(many, `bot ${n}`, T0);
    const { recent = "", earlier = "" } = many.new_addresses ?? {};
    expect([recent.length / site, earlier.length / site]).toEqual([200, 400]);
    expect(isNew(many, T0, "bot 4999")).toBe(false);
    expect(isNew(many, T0, "bot 4400")).toBe(false);
    // Back among the new ones, and their places are all taken.
    expect(wait(many, "bot 4399", T0)).toBe(wait(many, "new phone", T0));
  });

  it("are forgotten by a success when they are past", () => {
    const { new_addresses: kept } = succeed(fail({}, "bot", T0), "home", T0 + 12 * HOUR - 1);
    expect(kept?.recent).toHaveLength(MARK_LENGTH);
    expect(succeed(fail({}, "bot", T0), "home", T0 + 12 * HOUR).new_addresses).toBeUndefined();
  });

  it("keep what another version has added to them", () => {
    const history = {
      failures: [{ from: "home", count: 1, last: T0, later: 1 }],
      new_addresses: { full_at: T0, recent: "", earlier: "", since: T0, later: 2 },
    };
    expect(fail(history, "home", T0)).toMatchObject({
      failures: [{ count: 2, later: 1 }],
      new_addresses: { later: 2 },
    });
  });

  /** The guesses of each hour when so many addresses each fail as soon as one of them may. */
  const guessesFrom = (addresses: number): number[] => {
    const hours = [0, 0, 0];
    const bots = Array.from({ length: addresses }, (_, n) => `bot ${n}`);
    let failures: FailureHistory = {};
    for (let now = T0; now < T0 + 3 * HOUR; ) {
      const waits = bots.map((bot) => wait(failures, bot, now));
      const shortest = Math.min(...waits);
      now += shortest;
      if (shortest > 0) continue;
      failures = fail(failures, bots[waits.indexOf(0)] ?? "", now);
      const hour = Math.floor((now - T0) / HOUR);
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    return hours;
  };

  it("leave 455 guesses in the first hour and 420 in each other to twenty addresses and fewer", () => {
    const numbers = Array.from({ length: 20 }, (_, n) => guessesFrom(n + 1));
    const most = [0, 1, 2].map((hour) => Math.max(...numbers.map((hours) => hours[hour] ?? 0)));
    expect(most).toEqual([455, 420, 420]);
    expect(numbers[0]).toEqual([69, 60, 60]);
  });

  it("leave 859 guesses in the first hour and 360 in each other to as many new addresses as anybody has", () => {
    const hours = [0, 0, 0];
    let failures: FailureHistory = {};
    for (let now = T0, n = 0; now < T0 + 3 * HOUR; n += 1) {
      const left = wait(failures, `bot ${n}`, now);
      now += left;
      if (now >= T0 + 3 * HOUR) break;
      failures = fail(failures, `bot ${n}`, now);
      const hour = Math.floor((now - T0) / HOUR);
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    expect(hours).toEqual([859, 360, 360]);
  });
});

describe("an allowance", () => {
  it.each([
    ["registrations", registrations, 200, 1_000, HOUR],
    ["failures", failuresOfOne, 300, 300, 10 * MINUTE],
  ])("of %s is taken at once, and grows again by the hour", (_of, allowance, atOnce, many, within) => {
    const takeAll = (fullAt: number, now: number): [taken: number, fullAt: number] => {
      let [taken, full] = [0, fullAt];
      while (allowanceWait(full, allowance, now) === 0) {
        full = Math.max(full, now) + allowance.every;
        taken += 1;
      }
      return [taken, full];
    };
    let [taken, fullAt] = takeAll(0, T0);
    expect(taken).toBe(atOnce);
    expect(allowanceWait(fullAt, allowance, T0)).toBe(allowance.every);
    let later = 0;
    for (let now = T0 + SECOND; now <= T0 + within; now += SECOND) {
      [taken, fullAt] = takeAll(fullAt, now);
      later += taken;
    }
    expect(later).toBe(many);
  });
});

it("a refusal names whole seconds, one at least", () => {
  expect([1, 999, 1_000, 1_001].map((ms) => tooMany(ms, "Wait.").retryAfter)).toEqual([1, 1, 1, 2]);
  expect(tooMany(1, "Wait.").code).toBe("too_many_attempts");
});

describe("an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7", false],
    ["127.0.0.1", "127.0.0.1", true],
    ["127.8.9.1", "127.8.9.1", true],
    ["::1", "0:0:0:0::/64", true],
    ["::2", "0:0:0:0::/64", false],
    ["::ffff:203.0.113.7", "203.0.113.7", false],
    ["::ffff:7f00:1", "127.0.0.1", true],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false],
    ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64", false],
    ["2001:db8::9", "2001:db8:0:0::/64", false],
    ["fe80::1%eth0", "fe80:0:0:0::/64", false],
    ["", "unknown", false],
    ["127.1", "unknown", false],
    ["localhost", "unknown", false],
    ["203.0.113.7, 127.0.0.1", "unknown", false],
    [undefined, "unknown", false],
  ])("%s counts as %s", (written, address, isLoopback) => {
    expect(clientAddress(written)).toEqual({ address, isLoopback });
  });
});

describe("at random", () => {
  const RUNS = 500;
  let [walks, refused, told] = [0, 0, 0];

  it("waits are kept, end by themselves within a minute, and are not made longer by trying", () => {
    const step = fc.record({
      pause: fc.oneof(
        { weight: 19, arbitrary: fc.nat(2 * SECOND) },
        { weight: 1, arbitrary: fc.nat(90 * MINUTE) },
      ),
      from: fc.nat(20).map((n) => `a${n}`),
      known: fc.boolean(),
      right: fc.nat(9).map((n) => n === 0),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), (steps) => {
        let failures: FailureHistory = {};
        let now = T0;
        for (const { pause, from, known, right } of steps) {
          now += pause;
          const left = wait(failures, from, now, known);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual(MINUTE);
          expect(wait(failures, from, now + left, known)).toBe(0);
          // Where the account is known one waits for nobody else.
          expect(wait(failures, from, now, true)).toBeLessThanOrEqual(wait(failures, from, now, false));
          if (!failures.failures?.some((one) => one.from === from)) {
            expect(wait(failures, from, now, true)).toBe(0);
          }
          if (left > 0) {
            refused += 1;
            continue;
          }
          told += 1;
          failures = right ? succeed(failures, from, now) : fail(failures, from, now, known);
          if (right) expect(wait(failures, from, now, true)).toBe(0);
          const { failures: all = [] } = failures;
          expect(all.length).toBeLessThanOrEqual(10);
          expect(new Set(all.map((one) => one.from)).size).toBe(all.length);
        }
        walks += 1;
      }),
      { numRuns: RUNS },
    );
  });

  afterAll(() => {
    expect(walks).toBe(RUNS);
    expect(refused).toBeGreaterThan(500);
    expect(told).toBeGreaterThan(2_000);
  });
});
