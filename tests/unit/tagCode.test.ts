/** Tag codes, and the times that the game writes. */
import { describe, expect, it } from "vitest";
import { isTagCode, makeTagCode, normalizeTagCode } from "../../lib/domain/tagCode.ts";
import { instantOf, laterOf, rfc3339 } from "../../lib/domain/time.ts";
import { iso, T0 } from "./times.ts";

describe("a tag code", () => {
  it("has eight unmistakable letters, each equally likely", () => {
    const seen = new Map<string, number>();
    let bytes = 0;
    for (let at = 0; at < 4_096; at += 1) {
      // Every byte equally often.
      const code = makeTagCode(() => {
        bytes += 1;
        return bytes % 256;
      });
      expect(code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
      expect(isTagCode(code)).toBe(true);
      for (const letter of code) seen.set(letter, (seen.get(letter) ?? 0) + 1);
    }
    expect(seen.size).toBe(31);
    expect(Math.max(...seen.values()) - Math.min(...seen.values())).toBeLessThanOrEqual(8);
  });

  it("is read from any spelling, and from nothing else", () => {
    for (const typed of ["abcd2345", "ABCD 2345", " AB-CD 23-45 ", "A B C D 2 3 4 5", "abcd\t2345"])
      expect(normalizeTagCode(typed)).toBe("ABCD2345");
    for (const typed of [
      "",
      "ABCD234",
      "ABCD23456",
      ...[..."0O1ILÄ"].map((letter) => `ABCD234${letter}`),
      "👻👻👻👻",
    ])
      expect(isTagCode(normalizeTagCode(typed)), typed).toBe(false);
  });
});

describe("a time", () => {
  it("is written in UTC with milliseconds and read in any time zone", () => {
    expect(rfc3339(T0)).toBe("2026-11-21T07:24:00.000Z");
    expect(instantOf("2026-11-21T08:24:00+01:00")).toBe(T0);
    for (const instant of [0, 1, T0 + 999, 4_102_444_800_000])
      expect(instantOf(rfc3339(instant))).toBe(instant);
  });

  it("is later than none, and than an earlier one", () => {
    expect(laterOf(null, iso(T0))).toBe(iso(T0));
    expect(laterOf(iso(T0 + 1), iso(T0))).toBe(iso(T0 + 1));
    expect(laterOf(iso(T0), iso(T0 + 1))).toBe(iso(T0 + 1));
  });
});
