/** Throttles: whoever guesses has to wait, and whoever knows the password gets in when the wait is over. */
import { describe, expect, it } from "vitest";
import { type Result, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const guess = (alias: string, n = 0): Promise<Result> =>
  s.call("POST /login", { body: { alias, password: `wrong password ${n}` } });

/** Guesses until one is refused; the waits grow, so that this ends on any machine. */
const guessUntilRefused = async (alias: string): Promise<Result> => {
  for (let n = 0; n < 50; n += 1) {
    const result = await guess(alias, n);
    if (result.status !== 401) return result;
  }
  throw new Error("fifty guesses were all answered");
};

const seconds = (result: Result): number => Number(result.headers["retry-after"]);

describe("whoever guesses a password", () => {
  it("has to wait, and its owner gets in afterwards", async () => {
    const ada = await s.join("Ada");
    const refused = await guessUntilRefused("Ada");
    expect(refused).toMatchObject({ status: 429, body: { code: "too_many_attempts", status: 429 } });
    expect(seconds(refused)).toBeGreaterThanOrEqual(1);
    expect(seconds(refused)).toBeLessThanOrEqual(60);
    // Nor does the right password open the door during the wait.
    const early = await s.call("POST /login", { body: { alias: "Ada", password: ada.password } });
    if (early.status === 429) {
      await new Promise((resolve) => setTimeout(resolve, seconds(early) * 1_000));
      await s.login("Ada", ada.password);
    }
    // The success was the end of it.
    expect((await guess("Ada")).status).toBe(401);
  });

  it("of an alias that nobody has waits too", async () => {
    expect(await guessUntilRefused("Nobody")).toMatchObject({
      status: 429,
      body: { code: "too_many_attempts" },
    });
  });

  it("fifty times at once hears of a handful", async () => {
    await s.join("Ada");
    const started = performance.now();
    const results = await Promise.all(Array.from({ length: 50 }, (_, n) => guess("Ada", n)));
    // What a second or more opens again is allowed for: 1, 3, 7, 15 s after the fifth.
    const opened = Math.floor(Math.log2((performance.now() - started) / 1_000 + 1));
    const counted = Map.groupBy(results, ({ status }) => status);
    expect([...counted.keys()].toSorted()).toEqual([401, 429]);
    expect(counted.get(401)?.length).toBeLessThanOrEqual(5 + opened);
  });
});
