/** Refusals, batches and the counts of a notification: the small parts that others are made of. */
import { describe, expect, it } from "vitest";
import { DomainError, ERROR_CODES, invalid } from "../../lib/domain/domainError.ts";
import { countsOf, givingWay, isDelivered, MOST_SUBSCRIPTIONS } from "../../lib/domain/push.ts";
import { chunk } from "../../lib/runtime/chunk.ts";

describe("a refusal", () => {
  it("says its code and a sentence, and nothing that it was not given", () => {
    const refusal = new DomainError("busy", "Wait a little.");
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal).toMatchObject({
      name: "DomainError",
      code: "busy",
      detail: "Wait a little.",
      message: "busy: Wait a little.",
      faults: [],
    });
    expect(refusal.retryAfter).toBeUndefined();
    expect(new DomainError("busy", "Wait.", { retryAfter: 5 }).retryAfter).toBe(5);
  });

  it("of a request names every fault, and where it is", () => {
    const faults = [
      { path: "alias", message: "is too short" },
      { path: "", message: "the body is odd" },
    ];
    const refusal = invalid(...faults);
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.detail).toBe("The alias is too short. The body is odd.");
    expect(refusal.faults).toEqual([
      { path: "alias", message: "The alias is too short." },
      { path: "", message: "The body is odd." },
    ]);
  });

  it("has one of twenty-four codes, each once", () => {
    expect(ERROR_CODES).toHaveLength(24);
    expect(new Set(ERROR_CODES).size).toBe(24);
    expect(ERROR_CODES.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });
});

describe("batches", () => {
  it.each([
    [[], []],
    [[1], [[1]]],
    [[1, 2, 3], [[1, 2, 3]]],
    [
      [1, 2, 3, 4, 5, 6, 7],
      [[1, 2, 3], [4, 5, 6], [7]],
    ],
  ])("of three of %j are %j", (all, batches) => {
    expect(chunk(all, 3)).toEqual(batches);
  });
});

describe("a notification", () => {
  const progress = { subscriptions: 10, sent: 4, failed: 2, expired: 1, pages: 2, pages_done: 1 };

  it("has on the queue what is neither sent nor given up, and never less than nothing", () => {
    expect(countsOf(progress)).toEqual({ subscriptions: 10, sent: 4, failed: 2, expired: 1, queued: 3 });
    expect(countsOf({ ...progress, subscriptions: 5 }).queued).toBe(0);
  });

  it("is delivered when every page is done, and there was one", () => {
    expect(isDelivered(progress)).toBe(false);
    expect(isDelivered({ ...progress, pages_done: 2 })).toBe(true);
    expect(isDelivered({ ...progress, pages_done: 3 })).toBe(true);
    expect(isDelivered({ ...progress, pages: 0, pages_done: 0 })).toBe(false);
    expect(isDelivered({ ...progress, pages: 1, pages_done: 1 })).toBe(true);
  });
});

describe("the subscriptions of a player", () => {
  const one = (created_at: string, subscription_id: string) => ({
    subscription_id,
    created_at,
    player_id: "p",
    endpoint: "https://push.example",
    p256dh: "k",
    auth: "a",
  });
  const many = Array.from({ length: 12 }, (_, n) =>
    one(`2026-11-${10 + (n % 4)}`, `s${10 + ((n * 5) % 12)}`),
  );

  it("are ten at most: the oldest give way, of those of one instant the first by name", () => {
    expect(MOST_SUBSCRIPTIONS).toBe(10);
    const oldest = [...many].sort((a, b) =>
      `${a.created_at} ${a.subscription_id}` < `${b.created_at} ${b.subscription_id}` ? -1 : 1,
    );
    expect(givingWay(many)).toEqual(oldest.slice(0, 3));
    expect(givingWay(many.slice(0, 10))).toHaveLength(1);
    expect(givingWay(many.slice(0, 9))).toEqual([]);
    expect(givingWay([])).toEqual([]);
  });
});
