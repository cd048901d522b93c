/** Fields of requests that forms of game masters send: what was read before, and times that mean now. */
import * as z from "zod/mini";
import { ZonedTime } from "./fields.ts";

/** The time of the request by the service's clock, in a field that takes it. The clock of a page may be wrong. */
export const NOW = "now";

/** Like `ZonedTime`, or `now`. What is neither is described as a time. */
export const ZonedTimeOrNow = z.lazy(() =>
  z.union([ZonedTime, z.literal(NOW)], {
    error: ({ errors }) => (Array.isArray(errors) ? errors[0]?.[0]?.message : undefined),
  }),
);

/** A stored text as it was read, to which no rule for new texts applies. */
export const EarlierText = z.lazy(() => z.nullable(z.string().check(z.maxLength(2_000))));
