/** A node of the tree of infections as players see it. */
import * as z from "zod/mini";
import { State } from "../../domain/players/player.ts";
import { Timestamp } from "../../http/views.ts";

export const ZombieTree = z.object({
  /** `null` for the root above the infections of hidden original zombies. */
  infection_id: z.nullable(z.string()),
  player_ref: z.nullable(z.string()),
  alias: z.nullable(z.string()),
  state: z.nullable(State),
  picture_url: z.nullable(z.string()),
  infected_at: z.nullable(Timestamp),
  kills: z.int(),
  /** Whether the hunt was voided. The players whom this zombie infected stay below it. */
  voided: z.boolean(),
  /** Whether it represents the hidden original zombies. */
  hidden: z.optional(z.literal(true)),
  get children() {
    return z.array(ZombieTree);
  },
});
