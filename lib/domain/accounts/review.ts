/** Why game masters have to decide about a player, for example before a newcomer may play (decision 85). */
import * as z from "zod/mini";
import { optionalTrue, text } from "../schemas.ts";

/**
 * A reason for a decision:
 * - `returns`: somebody who has left in this season had the alias or the address; `of` is the id of their departure
 * - `banned`: somebody who is banned had it; `of` is the id of the ban
 * - `address_in_use`: another account has the address, although addresses are unique; `of` is its player's id
 */
export const ReviewReason = z.lazy(() =>
  z.looseObject({
    kind: z.enum(["returns", "banned", "address_in_use"]),
    by: z.enum(["alias", "address"]),
    of: text,
    /** Whether it is by an address that the other player had confirmed, or that was banned itself (decision 142). */
    confirmed: optionalTrue,
  }),
);
export type ReviewReason = z.infer<typeof ReviewReason>;

/**
 * Whether a newcomer waits until game masters have decided. Where mail is sent, an address that nobody has confirmed may be
 * the newcomer's, whoever else has typed it: they play meanwhile.
 */
export const mustWait = (review: readonly ReviewReason[], sendsMail: boolean): boolean =>
  review.some(({ by, confirmed }) => by === "alias" || confirmed === true || !sendsMail);

/** The maximum number of open reasons of a player. Game masters decide about all of them at once. */
const MAX_REASONS = 20;

/** Adds reasons to those that game masters have not decided about yet, each once. */
export const withReasons = (
  open: readonly ReviewReason[] | undefined,
  found: readonly ReviewReason[],
): ReviewReason[] => {
  const all = [...(open ?? []), ...found];
  const isSame = (one: ReviewReason, other: ReviewReason): boolean =>
    one.kind === other.kind && one.by === other.by && one.of === other.of;
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at).slice(0, MAX_REASONS);
};
