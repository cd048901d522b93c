/** Where two values differ, one line for each place. */
import { isDeepStrictEqual } from "node:util";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

/** Describes each difference in a line. */
export const differ = (where: string, should: unknown, is: unknown): string[] => {
  if (isDeepStrictEqual(should, is)) return [];
  if (!isRecord(should) || !isRecord(is)) return [`${where} should be ${short(should)}, and is ${short(is)}`];
  const names = new Set([...Object.keys(should), ...Object.keys(is)]);
  return [...names].flatMap((name) => differ(`${where} ${name}`, should[name], is[name]));
};
