/** The mark of an unfinished reset, and the stored state of the job that works on one. */
import * as z from "zod/mini";
import { ENROLMENTS } from "../domain/game/settings.ts";
import { StoredKey } from "../dynamodb/key.ts";
import { keys } from "../store/keys.ts";
import { ResetCounts } from "../store/seasonCounts.ts";
import type { Store } from "../store/store.ts";
import { LeasedJob } from "./lease.ts";

/** The mark exists from the start of a reset until its end. Each transaction of the reset checks it. */
export const ResetMark = z.object({
  /** The start of the season, RFC 3339. */
  at: z.string(),
  /** The archive of the old season; empty for a reset from the page, which keeps none on the service. */
  file: z.string(),
  /** The checksum of the archive, or the id of the job: no two resets have the same. */
  sha256: z.string(),
  shards: z.int(),
  enrolment: z._default(z.enum(ENROLMENTS), "everyone"),
  /** The id for the season that ends, if its recap is stored before anything is removed. Absent of earlier versions. */
  season_id: z.optional(z.string()),
  /** The job of a reset from the page, and the id of the game master who has asked for it. */
  job_id: z.optional(z.string()),
  actor: z.optional(z.string()),
});
export type ResetMark = z.infer<typeof ResetMark>;

/** Returns the mark of an unfinished reset, or `null`. */
export const findUnfinishedReset = async ({ db }: Pick<Store, "db">): Promise<ResetMark | null> => {
  const item = await db.get(keys.resetting);
  return item === undefined ? null : ResetMark.parse(item);
};

export const ResetJob = z.extend(LeasedJob, {
  /** The start of the season, RFC 3339. */
  at: z.string(),
  reason: z.optional(z.string()),
  counts: ResetCounts,
  /** The key after which the current pass continues. */
  after: z.nullable(StoredKey),
  /** Whether the current pass has changed anything, so that another one must follow. */
  found: z.boolean(),
});
export type ResetJob = z.infer<typeof ResetJob>;
