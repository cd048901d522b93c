/** A request to import players, and its response. */
import * as z from "zod/mini";
import type { CommandCall as Call } from "../../http/definition.ts";
import { Timestamp } from "../../http/views.ts";

const MAX_ROWS = 500;

/** An error in a row. */
const RowError = z.object({
  path: z.string(),
  message: z.string(),
  code: z.string(),
  /** The values in the message, and of an alias the nearest valid one. */
  params: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
});
export type RowError = z.infer<typeof RowError>;

export const ImportRequest = z.strictObject({
  /** Each row is validated by itself, so that an invalid row does not reject the others. */
  rows: z.array(z.record(z.string(), z.unknown())).check(z.minLength(1), z.maxLength(MAX_ROWS)),
  dry_run: z.optional(z.boolean()),
  /** Whether players whose invitation is still unused get a new one. */
  renew_invitations: z.optional(z.boolean()),
  /** `false` creates nobody, so that a list of players who were read can be invited again without creating one who left. */
  create: z.optional(z.boolean()),
});

const RowResult = z.object({
  row: z.int(),
  alias: z.nullable(z.string()),
  /** `pending` if time ran out or the database was too busy. */
  status: z.enum(["created", "invited", "exists", "rejected", "pending"]),
  player_id: z.optional(z.string()),
  recovery_code: z.optional(z.string()),
  expires_at: z.optional(Timestamp),
  /** Whether the new player waits for a game master's decision: see the `reviews` of the alerts. */
  needs_decision: z.optional(z.literal(true)),
  errors: z.optional(z.array(RowError)),
});
export type RowResult = z.infer<typeof RowResult>;

export const ImportResponse = z.object({
  dry_run: z.boolean(),
  created: z.int(),
  invited: z.int(),
  exists: z.int(),
  rejected: z.int(),
  complete: z.boolean(),
  rows: z.array(RowResult),
});

export type ImportCall = Call<
  "administrator",
  z.infer<typeof ImportRequest>,
  unknown,
  z.infer<typeof ImportResponse>
>;
