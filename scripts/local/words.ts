/** Numbers as people read them. */

/** A number with its thousands apart. */
export const words = (count: number): string => count.toLocaleString("en");

/** So many of a thing: `1 item`, `1,234 items`. */
export const many = (count: number, one: string): string =>
  `${words(count)} ${count === 1 ? one : `${one}s`}`;
