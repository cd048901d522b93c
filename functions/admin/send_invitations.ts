/** POST /admin/send_invitations/{url_id}: invites imported players by mail. */
import * as z from "zod/mini";
import { NOT_INVITED } from "../../lib/domain/mail/invitation.ts";
import { text } from "../../lib/domain/schemas.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, exactlyOneOf } from "../../lib/http/fields.ts";

const MAX_ALIASES = 500;

export const handler = endpoint({
  route: "POST /admin/send_invitations/{url_id}",
  access: "administrator",
  request: {
    body: z
      .strictObject({
        aliases: z.optional(z.array(AliasRef).check(z.minLength(1), z.maxLength(MAX_ALIASES))),
        everyone_not_accepted: z.optional(z.literal(true)),
        dry_run: z.optional(z.boolean()),
      })
      .check(exactlyOneOf("aliases", "everyone_not_accepted")),
  },
  response: {
    schema: z.object({
      count: z.int(),
      skipped: z.int(),
      complete: z.boolean(),
      job_id: z.nullable(z.string()),
      /** `left_out` and `sample` are only in the response to a dry run. */
      left_out: z.optional(
        z.array(z.object({ reason: z.enum(NOT_INVITED), count: z.int(), aliases: z.array(text) })),
      ),
      sample: z.optional(z.nullable(z.object({ alias: text, subject: text, text }))),
    }),
    incompleteStatus: 202,
  },
  idempotency: { scope: "player" },
  run: async (call) => {
    // Imported on demand, so that rejected requests do not load it.
    const useCase = await import("../../lib/app/mail/sendInvitations.ts");
    return call.body.dry_run === true
      ? call.respond(await useCase.previewInvitations(call, call.body))
      : useCase.sendInvitations(call, call.body);
  },
});

export const docs: EndpointDocs = {
  summary: "Invite players by mail",
  description:
    "Sends a link to imported players who have not set a password: it leads to the page where they set their first one, is valid once, for seven days, and until another one is sent, and its use confirms the address. Give exactly one of `aliases` and `everyone_not_accepted`. Who cannot get one is left out, and so is whose last invitation still waits to be sent, was sent within a minute, or was the fifth within an hour. So a repeated call sends nothing twice. What becomes of each is in `/admin/mail`. The job stores its progress and resumes after an interruption.",
  errors: ["wrong_state", "in_progress"],
  success: {
    200: "All invitations are in the outbox or, with `dry_run`, would be.",
    202: "The job continues in the background.",
  },
  fields: {
    aliases: "Only these players; in a dry run, the first 200 of those who are left out.",
    everyone_not_accepted: "`true` for all imported players who have not set a password.",
    dry_run: "`true` sends nothing.",
    count: "How many get an invitation; of a reason, how many it leaves out.",
    skipped: "How many others were chosen.",
    complete: "`false` while the job continues.",
    left_out: "Only in a dry run: who gets none.",
    reason:
      "`deleted`: nobody has the alias. `accepted`: they have a password. `banned`. `no_address`. `suppressed`: a server has refused the address. `email_taken`: another account has confirmed it. `waiting`: an earlier invitation is not sent yet. `too_many`: one was sent within a minute, or five within an hour.",
    sample:
      "Only in a dry run: the mail to one of the players, without a link that works; `null` if nobody gets one.",
    subject: "The subject of the mail.",
    text: "Its plain text.",
  },
  example: { body: { everyone_not_accepted: true, dry_run: true } },
};
