/**
 * What is announced although it is no new interaction, as the transaction that causes it stores it (decision 74). The
 * stream worker announces what these items say, and nothing else. Never rename a cause: items contain the names.
 */
import * as z from "zod/mini";
import { nullableText, text } from "../../domain/schemas.ts";
import { DAY, instantOf, SECOND } from "../../domain/time.ts";
import type { Put } from "../../dynamodb/database.ts";
import { keys } from "../keys.ts";

/** When it was caused, RFC 3339, and the player id of the game master who caused it. */
const origin = { at: text, actor: nullableText };

/** What concerns no interaction. It is an item of its own. */
export const Announcement = z.lazy(() =>
  z.discriminatedUnion("cause", [
    z.object({ cause: z.literal("set_checkpoint"), ...origin, checkpoint_id: text }),
    z.object({ cause: z.literal("test_webhooks"), ...origin }),
    z.object({
      cause: z.literal("give_role"),
      ...origin,
      target: text,
    }),
  ]),
);
type Announcement = z.infer<typeof Announcement>;

/**
 * What a change of a hunt announces: the hunter of a reported tag became known, or a dispute was resolved for the hunter.
 * It is the attribute `announces` of the interaction, in the image of that one change (see `interactionRewrite`).
 */
export const HuntAnnouncement = z.lazy(() =>
  z.discriminatedUnion("cause", [
    z.object({ cause: z.literal("hunter_known"), at: text }),
    z.object({ cause: z.literal("dispute_stands"), ...origin }),
  ]),
);
export type HuntAnnouncement = z.infer<typeof HuntAnnouncement>;

/**
 * The write that announces. Its item expires after a day, in which the stream has its record.
 * @param id a new id
 */
export const announcementWrite = (id: string, announcement: Announcement): Put => ({
  put: {
    ...keys.event(id),
    ...announcement,
    expires: Math.ceil((instantOf(announcement.at) + DAY) / SECOND),
  },
  hasNewKey: true,
});
