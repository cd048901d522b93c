/** Any character, as an arbitrary of fast-check, whose own unit `binary` takes seconds to build in each process. */
import fc from "fast-check";

const HALVES = { first: 0xd800, count: 0x800 };

/** Any code point except halves of surrogate pairs. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - HALVES.count)
  .map((point) => String.fromCodePoint(point < HALVES.first ? point : point + HALVES.count));
