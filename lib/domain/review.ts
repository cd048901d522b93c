/** Why game masters have to decide about a player, for example before a newcomer may play (decision 85). */
import * as z from "zod/mini";
import { text } from "./schemas.ts";

/**
 * A reason for a decision:
 * - `returns`: somebody who has left in this season had the alias or the address; `of` is the id of their departure
 * - `banned`: somebody who is banned had it; `of` is the id of the ban
 * - `address_in_use`: another account has the address, although addresses are unique; `of` is its player's id
 */
export const ReviewReason = z.looseObject({
  kind: z.enum(["returns", "banned", "address_in_use"]),
  by: z.enum(["alias", "address"]),
  of: text,
});
export type ReviewReason = z.infer<typeof ReviewReason>;
