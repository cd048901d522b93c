/** POST /admin/finish_season/{url_id}: ends the season with a result. */
import * as z from "zod/mini";
import { FINISH_WARNINGS, finishSeason } from "../../lib/app/game/finishSeason.ts";
import { SEASON_RESULTS } from "../../lib/domain/game/seasonResult.ts";
import { AWARDS_PROSE, Awards } from "../../lib/http/awards.ts";
import { CountsView } from "../../lib/http/counts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef } from "../../lib/http/fields.ts";
import { AwardTitle, NoteText } from "../../lib/http/textFields.ts";
import { Timestamp } from "../../lib/http/views.ts";

/** A day: longer, and the awards are given when everybody has gone home. */
const MAX_GRACE_SECONDS = 24 * 60 * 60;
const MAX_AWARDS = 20;

export const handler = endpoint({
  route: "POST /admin/finish_season/{url_id}",
  access: "administrator",
  request: {
    body: z.strictObject({
      result: z.enum(SEASON_RESULTS),
      note: z.optional(NoteText),
      grace_seconds: z.int().check(z.minimum(0), z.maximum(MAX_GRACE_SECONDS)),
      awards: z.optional(
        z
          .array(z.strictObject({ title: AwardTitle, alias: AliasRef, text: NoteText }))
          .check(z.maxLength(MAX_AWARDS)),
      ),
      dry_run: z.optional(z.boolean()),
    }),
  },
  response: {
    schema: z.object({
      result: z.enum(SEASON_RESULTS),
      note: z.nullable(z.string()),
      ended_at: Timestamp,
      final_at: Timestamp,
      counts: CountsView,
      warnings: z.array(z.enum(FINISH_WARNINGS)),
      checkpoint: z.nullable(z.string()),
      missions: z.array(z.object({ mission_id: z.string(), title: z.string() })),
      disputes: z.int(),
      revealed: z.nullable(z.array(z.string())),
      awards: z.nullable(Awards),
      given: z.array(z.object({ title: z.string(), alias: z.string(), text: z.string() })),
    }),
  },
  idempotency: { scope: "player" },
  decide: (call) => finishSeason(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Finish the season",
  description:
    "Ends the season with a result. Play is over at once; if the game is paused, it was over when the pause began, and after the planned end at that end. Tags, reports and codes from before are accepted until the grace is over, by the usual rules. Then the result, the original zombies and the awards are known to everybody, and whatever changes the game is 409 `not_running`. Nobody starves after the end of play. Everybody is told when play is over, if there is a grace, and when the result is known. Open missions, disputes and the checkpoint stay as they are: settle them before the grace is over. It can be reopened (`/admin/reopen_season`).",
  errors: ["wrong_state", "busy"],
  fields: {
    ...AWARDS_PROSE,
    result: "Who has won.",
    note: "What players read beside the result.",
    grace_seconds:
      "For how long tags from before the end are accepted, in seconds. With 0, the result is known at once.",
    awards: "Awards of the game masters, shown before the computed ones; in the response, the computed ones.",
    alias: "Who gets it.",
    dry_run: "`true` changes nothing, and returns what would happen.",
    ended_at: "When play was over.",
    final_at: "When the grace is over.",
    counts: "How many players are in each state now, as far as the caller may know.",
    warnings:
      "What speaks against the result (`no_humans_left`, `humans_left`), that the game is paused, and what is still open.",
    checkpoint: "The checkpoint that was not enforced; `null` if there is none.",
    missions: "The missions that are not closed.",
    disputes: "How many disputes are open, up to 100.",
    revealed:
      "The original zombies who are hidden now, and revealed then; `null` for game masters who may not know them.",
  },
  example: {
    body: {
      result: "humans",
      note: "Twelve made it to the boat.",
      grace_seconds: 3_600,
      awards: [{ title: "Best costume", alias: "Ada", text: "A walking hedge." }],
      dry_run: true,
    },
  },
};
