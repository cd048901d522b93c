/** The rule of the login throttle: who waits how long, that every wait ends, and how many guesses it allows. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { isKnownAddress, rememberAddress } from "../../lib/auth/devices.ts";
import {
  type FailureHistory,
  type LoginSource,
  loginWait,
  SITE_MARK_LENGTH,
  THROTTLES,
  withFailedLogin,
  withSuccessfulLogin,
} from "../../lib/domain/backoff.ts";
import { NO_MAILS, withConfirmation, withInvitation } from "../../lib/domain/mail/account.ts";
import type { KnownAddress } from "../../lib/store/accounts/accountItems.ts";
import { deepFreeze } from "./support.ts";
import { DAY, HOUR, MINUTE, SECOND, T0 } from "./times.ts";

const marks = new Map<string, string>();

/** A source whose mark differs from that of every other address in these tests. */
const sourceFrom = (from: string, known = false): LoginSource => {
  const site = marks.get(from) ?? String(marks.size).padStart(SITE_MARK_LENGTH, "0");
  marks.set(from, site);
  return { from, site, known };
};

const wait = (history: FailureHistory, from: string, now: number, known = false): number =>
  loginWait(history, sourceFrom(from, known), now, THROTTLES);

const fail = (history: FailureHistory, from: string, now: number, known = false): FailureHistory =>
  deepFreeze(withFailedLogin(history, sourceFrom(from, known), now, THROTTLES));

/** Counts the guesses of each of three hours. @param next the address that guesses next and how long it waits */
const guessesPerHour = (next: (failures: FailureHistory, now: number, n: number) => [string, number]) => {
  const hours = [0, 0, 0];
  let failures: FailureHistory = {};
  for (let now = T0, n = 0; ; n += 1) {
    const [address, left] = next(failures, now, n);
    now += left;
    const hour = Math.floor((now - T0) / HOUR);
    if (hour >= hours.length) return hours;
    failures = fail(failures, address, now);
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
};

it("failures from many addresses are remembered for at least six hours, and for 600 addresses at most", () => {
  const first = fail({}, "bot", T0);
  /** Whether an address counts as new: then it does not wait for ten others that have just failed. */
  const isNew = (history: FailureHistory, now: number, address = "bot") => {
    let others = history;
    for (let n = 0; n < 10; n += 1) others = fail(others, `other ${n}`, now);
    return wait(others, address, now) === 0;
  };
  const later = fail(first, "next", T0 + 6 * HOUR);
  expect(later.new_addresses?.recent).toHaveLength(SITE_MARK_LENGTH);
  for (const history of [first, later]) {
    expect(isNew(history, T0 + 12 * HOUR - 1)).toBe(false);
    expect(isNew(history, T0 + 12 * HOUR)).toBe(true);
  }
  expect(isNew(fail(first, "next", T0 + 13 * HOUR), T0 + 13 * HOUR)).toBe(true);
  let many: FailureHistory = {};
  for (let n = 0; n < 5_000; n += 1) many = fail(many, `bot ${n}`, T0);
  const { recent = "", earlier = "" } = many.new_addresses ?? {};
  expect([recent.length / SITE_MARK_LENGTH, earlier.length / SITE_MARK_LENGTH]).toEqual([200, 400]);
  for (const address of ["bot 4999", "bot 4400"]) expect(isNew(many, T0, address)).toBe(false);
  // A forgotten address counts as a new one, and there were too many of those.
  expect(wait(many, "bot 4399", T0)).toBe(wait(many, "new phone", T0));
});

it("failures keep fields that a later version has added", () => {
  const failures = [{ from: "home", count: 1, last: T0, later: 1 }];
  const history = { failures, new_addresses: { full_at: T0, recent: "", earlier: "", since: T0, later: 2 } };
  const after = { failures: [{ count: 2, later: 1 }], new_addresses: { later: 2 } };
  expect(fail(history, "home", T0)).toMatchObject(after);
});

it("the guesses at one account are limited in each of three hours, from however many addresses", () => {
  const guessesFrom = (addresses: number): number[] => {
    const bots = Array.from({ length: addresses }, (_, n) => `bot ${n}`);
    return guessesPerHour((failures, now) => {
      const waits = bots.map((bot) => wait(failures, bot, now));
      const shortest = Math.min(...waits);
      return [bots[waits.indexOf(shortest)] ?? "", shortest];
    });
  };
  const all = Array.from({ length: 20 }, (_, n) => guessesFrom(n + 1));
  expect(all[0]).toEqual([69, 60, 60]);
  const most = [0, 1, 2].map((hour) => Math.max(...all.map((hours) => hours[hour] ?? 0)));
  expect(most).toEqual([455, 420, 420]);
  // From a new address each.
  expect(guessesPerHour((failures, now, n) => [`bot ${n}`, wait(failures, `bot ${n}`, now)])).toEqual([
    859, 360, 360,
  ]);
});

it("every wait is a minute at most and never longer for known sources; failures of ten sources are stored", () => {
  let rejected = 0;
  const step = fc.record({
    // One pause of twenty is long.
    pause: fc
      .tuple(fc.nat(19), fc.nat(90 * MINUTE))
      .map(([n, long]) => (n === 0 ? long : long % (2 * SECOND))),
    from: fc.nat(20).map((n) => `a${n}`),
    known: fc.boolean(),
    isRight: fc.nat(9).map((n) => n === 0),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), (steps) => {
      let failures: FailureHistory = {};
      let now = T0;
      for (const { pause, from, known, isRight } of steps) {
        now += pause;
        const left = wait(failures, from, now, known);
        expect(left).toBeLessThanOrEqual(MINUTE);
        expect(wait(failures, from, now + left, known)).toBe(0);
        expect(wait(failures, from, now, true)).toBeLessThanOrEqual(wait(failures, from, now, false));
        if (left > 0) rejected += 1;
        else if (isRight) {
          const others = failures.failures?.filter((one) => one.from !== from);
          failures = withSuccessfulLogin(failures, from, now, THROTTLES);
          expect(wait(failures, from, now, true)).toBe(0);
          expect(failures.failures).toEqual(others);
        } else failures = fail(failures, from, now, known);
        const sources = (failures.failures ?? []).map((one) => one.from);
        expect(sources.length).toBeLessThanOrEqual(10);
        expect(new Set(sources).size).toBe(sources.length);
      }
    }),
    { numRuns: 200 },
  );
  expect(rejected).toBeGreaterThan(200);
});

it("an account knows its latest ten addresses, each for 180 days after its last use", () => {
  const all = Array.from({ length: 12 }, (_, n) => `home ${n}`);
  const later = T0 + 12 * HOUR;
  const addresses = all.reduce<KnownAddress[]>(
    (known, from, n) => rememberAddress(known, from, T0 + n * HOUR),
    [],
  );
  const knownAt = (now: number, stored: KnownAddress[]): string[] =>
    all.filter((from) => isKnownAddress({ rev: 1, hash: "", addresses: stored }, from, now));
  expect(knownAt(later, addresses)).toEqual(all.slice(2));
  expect(knownAt(later, rememberAddress(addresses, "home 2", later))).toEqual(all.slice(2));
  expect(knownAt(T0 + 10 * HOUR + 180 * DAY, addresses)).toEqual(["home 11"]);
});

it("links in mails are counted by their kind: another kind does not make one free again", () => {
  const link = { mail_id: "m", email: "ada@example.com" };
  const confirmed = withConfirmation(NO_MAILS, link, T0);
  const invited = confirmed && withInvitation(confirmed, "m", T0);
  expect(invited && withConfirmation(invited, link, T0 + MINUTE - 1)).toBeNull();
  expect(invited && withConfirmation(invited, link, T0 + MINUTE)).not.toBeNull();
});
