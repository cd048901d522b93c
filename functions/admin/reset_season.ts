/** POST /admin/reset_season/{url_id}: starts a new season with the existing accounts. */
import * as z from "zod/mini";
import type { ResetResult } from "../../lib/app/game/resetSeason.ts";
import { nullableText } from "../../lib/domain/schemas.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Password } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { ResetCounts } from "../../lib/store/seasonCounts.ts";

/** A cursor holds the key of an item, of up to 3 KB, encrypted, as base64url. */
const MAX_CURSOR_LENGTH = 5_000;

const ResetRequest = z
  .strictObject({
    dry_run: z.optional(z.boolean()),
    cursor: z.optional(z.string().check(z.maxLength(MAX_CURSOR_LENGTH))),
    name: z.optional(z.string().check(z.maxLength(200))),
    password: z.optional(Password),
  })
  .check(
    z.refine(
      ({ dry_run, name, password }) => dry_run === true || (name !== undefined && password !== undefined),
      {
        error: "is required with the password, unless dry_run is true",
        path: ["name"],
      },
    ),
    z.refine(({ dry_run, cursor }) => dry_run === true || cursor === undefined, {
      error: "must be true with cursor, which chooses a part of the dry run",
      path: ["dry_run"],
    }),
  );

const ResetResponse = z.object({
  complete: z.boolean(),
  job_id: nullableText,
  started_at: z.nullable(Timestamp),
  ...ResetCounts.shape,
  removed: z.record(z.string(), z.int()),
  /** Only in a dry run. */
  next_cursor: z.optional(z.nullable(z.string())),
});

export const handler = endpoint({
  route: "POST /admin/reset_season/{url_id}",
  access: "administrator",
  request: { body: ResetRequest },
  response: { schema: ResetResponse, incompleteStatus: 202 },
  idempotency: {
    scope: "player",
    fingerprintedBody: async ({ dry_run, cursor, name }) => ({ dry_run, cursor, name }),
  },
  run: async (call) => {
    // Imported on demand: it is rare, and as large as what starts before it.
    const { previewSeason, resetSeason } = await import("../../lib/app/game/resetSeason.ts");
    const { dry_run, cursor, name = "", password = "" } = call.body;
    if (dry_run !== true) return resetSeason(call, { name, password });
    return call.decide(async (attempt) => {
      const scope = { list: "reset_season" };
      const { humans, unenrolled, removed, next_cursor } = await paged(
        call.services,
        scope,
        cursor,
        (after) => previewSeason(attempt, after),
      );
      const would: ResetResult = {
        ...{ complete: true, job_id: null, started_at: null },
        ...{ humans, unenrolled, removed },
      };
      return { changes: {}, result: { ...would, next_cursor } };
    });
  },
});

export const docs: EndpointDocs = {
  summary: "Start a new season",
  description:
    "Starts a new season: accounts, passwords, pictures, roles and settings stay, and everything that was played is removed. Everybody who played becomes human with a new tag code or, with the setting `enrolment` `opt_in`, a spectator who may enrol. The game must be paused or over, a result must be announced, and nothing brings the old season back: save its archive first. The job stores its progress and resumes after an interruption.",
  errors: ["busy", "wrong_state", "in_progress", "bad_credentials", "too_many_attempts"],
  success: {
    200: "The new season has started or, with `dry_run`, this is what would happen.",
    202: "The job continues in the background, and its end is recorded in the audit log.",
  },
  fields: {
    dry_run:
      "`true` changes nothing, and counts what would be renewed and removed in a part of the table: add up the parts until `next_cursor` is `null`.",
    name: "The name of the game. Required with `password`, unless `dry_run` is `true`.",
    password: "The password of the game master who calls.",
    complete: "`false` while the job continues.",
    started_at: "The start of the new season; `null` in a dry run.",
    humans: "How many players have become human, each with a new tag code.",
    unenrolled: "How many players have become spectators until they enrol.",
    removed: "How many items of each kind were removed.",
  },
  example: { body: { dry_run: true } },
};
