/** GET /admin/mail/{url_id}: lists mails and suppressed addresses. */
import * as z from "zod/mini";
import { listMails } from "../../lib/app/mail/manageMails.ts";
import { MAIL_STATES, mailKinds } from "../../lib/domain/mail/mail.ts";
import { boolean, integer, nullableText, text } from "../../lib/domain/schemas.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";

const Message = z.object({ from: text, to: text, subject: text, text, html: text });

const MailView = z.object({
  mail_id: text,
  kind: z.enum(mailKinds()),
  alias: nullableText,
  state: z.enum(MAIL_STATES),
  tries: integer,
  reason: nullableText,
  at: Timestamp,
  done_at: z.nullable(Timestamp),
  can_send_again: boolean,
  message: z.optional(z.nullable(Message)),
});

const Suppressed = z.object({ alias: text, at: Timestamp, reason: text });

export const handler = endpoint({
  route: "GET /admin/mail/{url_id}",
  access: "administrator",
  request: { query: z.strictObject(pagingFields()) },
  response: {
    schema: z.object({
      mails: z.array(MailView),
      suppressed: z.optional(z.array(Suppressed)),
      next_cursor: nullableText,
    }),
  },
  read: (call) => {
    const { limit, cursor } = call.query;
    return paged(call.services, { list: "mail" }, cursor, (before) => listMails(call, limit, before));
  },
});

export const docs: EndpointDocs = {
  summary: "List mails",
  description:
    "The mails of the last 30 days, newest first: to whom, and what became of each. Their texts and links are not stored, except by a local service that stores mails as files instead of sending them. Addresses that a server has refused get no mail until they are changed or a game master lifts that.",
  fields: {
    mails: "A page of the mails.",
    mail_id: "The id of the mail.",
    kind: "What it is about: `test`, `confirm` (the link that confirms an address), `recover` (the link for a new password), `invite` (the link with which an imported player sets the first password), `password_changed`, `address_change`, `announcement`.",
    alias:
      "The recipient; `null` if they have left, or if a mail for a forgotten password was not sent, because only the worker finds out whose it is.",
    state:
      "`queued`: it waits for an attempt. `sending`. `sent`: the server has accepted it. `failed`: the server has refused it, or it could not be sent in time, or its sending was interrupted and is not tried again. `bounced`: the server has refused the address. `dropped`: it must not or need not be sent.",
    tries: "How often sending was begun.",
    reason: "Why the last attempt has failed, or why it was not sent.",
    at: "When it was caused; of an address, when it was refused.",
    done_at: "When it was sent or given up; `null` while it waits.",
    can_send_again: "Whether `/admin/send_mail` sends it again.",
    message:
      "What would have been sent. Only a local service with `MAIL_URL=outbox:` has it; `null` for a mail that is not stored there.",
    from: "The name and address of the sender.",
    to: "The address of the recipient.",
    subject: "The subject.",
    text: "The plain text.",
    html: "The same as HTML, which loads nothing.",
    suppressed: "Only on the first page: who has an address that a server has refused, the latest first.",
  },
  example: {},
};
