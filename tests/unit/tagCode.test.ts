/** Tag codes: how they are made, and how they are read. */
import { expect, it } from "vitest";
import { isTagCode, makeTagCode, normalizeTagCode } from "../../lib/domain/hunts/tagCode.ts";

it("a tag code has eight unambiguous characters, each equally likely", () => {
  const seen = new Map<string, number>();
  let bytes = 0;
  // Each byte value occurs equally often.
  const nextByte = () => bytes++ % 256;
  for (let count = 0; count < 4_096; count += 1) {
    const code = makeTagCode(nextByte);
    expect(code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
    expect(isTagCode(code)).toBe(true);
    for (const letter of code) seen.set(letter, (seen.get(letter) ?? 0) + 1);
  }
  expect(seen.size).toBe(31);
  expect(Math.max(...seen.values()) - Math.min(...seen.values())).toBeLessThanOrEqual(8);
});

it("a tag code is read in any case, with spaces and dashes; other texts are invalid", () => {
  for (const typed of ["abcd2345", "ABCD 2345", " AB-CD 23-45 ", "A B C D 2 3 4 5", "abcd\t2345"])
    expect(normalizeTagCode(typed)).toBe("ABCD2345");
  const others = [..."0O1ILÄ"].map((letter) => `ABCD234${letter}`);
  for (const typed of ["", "ABCD234", "ABCD23456", "👻👻👻👻", ...others])
    expect(isTagCode(normalizeTagCode(typed)), typed).toBe(false);
});
