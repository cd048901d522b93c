/** Options of commands whose value is a number. */
import { UserError } from "./userError.ts";

/**
 * Parses the number that an option was given.
 * @param pattern what the number may look like: a whole number by default
 * @throws UserError if it is missing, no such number, or out of range
 */
export const numberOption = (
  name: string,
  text: string | undefined,
  least: number,
  most: number,
  pattern = /^\d{1,10}$/,
): number => {
  const kind = pattern.test("1.5") ? "a number" : "a whole number";
  const range = `${kind} from ${least} to ${most.toLocaleString("en")}`;
  if (text === undefined) throw new UserError(`The option --${name} is missing: it takes ${range}.`);
  const value = pattern.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UserError(`--${name} ${text} is invalid: use ${range}.`);
};
