/** Join codes: the codes with which players register, each with a limit of uses and an expiry time. */
import * as z from "zod/mini";
import { foldText, LONGEST_FORM } from "../../domain/accounts/alias.ts";
import { integer, nullableInteger, text } from "../../domain/schemas.ts";
import type { Database, Write } from "../../dynamodb/database.ts";
import { JOIN_CODES, keys } from "../keys.ts";

/** The maximum number of join codes of a game, so that all fit into one transaction with the settings. */
export const MAX_JOIN_CODES = 50;

const JoinCode = z.lazy(() =>
  z.looseObject({
    code: text,
    /** How many players may use the code; `null` for any number. */
    uses: nullableInteger,
    /** How many have used it; not counted if `uses` is `null`. */
    used: integer,
    /** When the code expires, in milliseconds since 1970; `null` if it does not. */
    ends_at: nullableInteger,
  }),
);
export type JoinCode = z.infer<typeof JoinCode>;

/** The form in which join codes are compared: it ignores case and surrounding white space. */
export const foldJoinCode = (code: string): string => foldText(code.trim());

/** A longer text is no join code. Keys of the table have at most a kilobyte. */
const MAX_FOLDED_LENGTH = 256;

/** All join codes of the game. */
export const readJoinCodes = async (db: Database): Promise<JoinCode[]> => {
  const { items } = await db.query({ pk: JOIN_CODES, consistent: true }, MAX_JOIN_CODES);
  return items.map((item) => JoinCode.parse(item));
};

/** The join code as entered by a newcomer; `null` if there is none. */
export const findJoinCode = async (db: Database, entered: string): Promise<JoinCode | null> => {
  if (entered.length > LONGEST_FORM * MAX_FOLDED_LENGTH) return null;
  const folded = foldJoinCode(entered);
  if (folded === "" || folded.length > MAX_FOLDED_LENGTH) return null;
  const item = await db.get(keys.joinCode(folded));
  return item === undefined ? null : JoinCode.parse(item);
};

/** How many players may still use a code; `null` for any number. */
export const usesLeft = ({ uses, used }: JoinCode): number | null =>
  uses === null ? null : Math.max(0, uses - used);

/** The writes that count a use, on condition that one is left. Concurrent registrations do not conflict. */
export const useWrites = ({ code, uses }: JoinCode): Write[] =>
  uses === null
    ? []
    : [
        {
          increase: keys.joinCode(foldJoinCode(code)),
          by: { used: 1 },
          expect: { is: { code, uses }, atMost: { used: uses - 1 } },
        },
      ];

/** The writes that replace the codes. A code that stays keeps the number of its uses. */
export const joinCodeWrites = (before: readonly JoinCode[], after: readonly JoinCode[]): Write[] => {
  const existing = new Map(before.map((one) => [foldJoinCode(one.code), one]));
  const wanted = new Set(after.map(({ code }) => foldJoinCode(code)));
  const put = after.map((one): Write => {
    const key = keys.joinCode(foldJoinCode(one.code));
    const earlier = existing.get(key.sk);
    return {
      put: { ...earlier, ...one, ...key },
      expect: earlier === undefined ? "absent" : { is: { code: earlier.code, used: earlier.used } },
    };
  });
  const removed = [...existing.keys()].filter((folded) => !wanted.has(folded));
  return [...put, ...removed.map((folded): Write => ({ remove: keys.joinCode(folded) }))];
};
