/** Pages of a broadcast: how many there are, and the message by which the next round of one comes. */
import { SECOND } from "../../domain/time.ts";
import type { Page } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import type { Pending, Plan } from "../../store/broadcasts.ts";

/** What a plan adds to the pages of a broadcast: a page more than there is stands for the rest, while that is not planned. */
export const countPages = ({ pages, rest }: Plan): number => pages.length + (rest === null ? 0 : 1);

/** The message for the next round of a page, at the first instant at which something of it may be tried again. */
export const nextRoundMessage = (
  page: Page,
  round: number,
  pending: readonly Pending[],
  now: number,
): Outbound => {
  const notBefore = Math.min(...pending.map(({ at }) => at));
  return { message: { ...page, round, notBefore }, delay: Math.max(SECOND, notBefore - now) };
};
