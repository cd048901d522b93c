/** Batches: what is done so many at a time. */

/** All, in batches of up to `size`, in order. */
export const chunk = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
