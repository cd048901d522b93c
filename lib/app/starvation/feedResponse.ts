/** The response of `POST /admin/feed`. */
import * as z from "zod/mini";
import { nullableText } from "../../domain/schemas.ts";
import { Timestamp } from "../../http/views.ts";

export const FeedResponse = z.object({
  /** In a repeated response, `alias` is `null` if the account has been deleted since. Empty if `isHidden`. */
  fed: z.array(z.object({ alias: z.nullable(z.string()), starves_at: z.nullable(Timestamp) })),
  count: z.int(),
  /** `false` while the job continues through the queue; absent otherwise. */
  complete: z.optional(z.boolean()),
  /** The job, if it continues. */
  job_id: z.optional(z.string()),
});
export type FeedResponse = z.infer<typeof FeedResponse>;

/** A player that was fed, as the rule returns it and the job stores it. */
export const FedPlayer = z.object({ player_id: z.string(), starves_at: nullableText });
export type FedPlayer = z.infer<typeof FedPlayer>;

/**
 * The response for these players, without deleted ones, who have no alias.
 * @param isHidden whether original zombies are hidden from the game master, so that nobody is named
 */
export const feedResponse = (
  fed: readonly FedPlayer[],
  aliases: ReadonlyMap<string, string>,
  isHidden: boolean,
): FeedResponse => {
  const named = fed.flatMap(({ player_id, starves_at }) => {
    const alias = aliases.get(player_id);
    return alias === undefined ? [] : [{ alias, starves_at }];
  });
  return { fed: isHidden ? [] : named, count: named.length };
};
