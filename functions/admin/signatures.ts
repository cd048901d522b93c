/** GET /admin/signatures/{url_id}: the signatures of the waiver. */
import * as z from "zod/mini";
import { listSignatures } from "../../lib/app/waiver/listSignatures.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerId, pagingFields } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";

const OptionalTime = z.nullable(Timestamp);
const optionalText = z.nullable(z.string());

const SignatureView = z.lazy(() =>
  z.object({
    player_id: optionalText,
    alias: optionalText,
    version: z.string(),
    counts: z.boolean(),
    full_name: z.string(),
    guardian_name: optionalText,
    signed_at: Timestamp,
    on_paper: z.boolean(),
    entered_by: optionalText,
    photo_consent: z.nullable(z.boolean()),
    photo_consent_at: OptionalTime,
    deleted_at: OptionalTime,
    kept_until: OptionalTime,
    birth_date: z.optional(optionalText),
    emergency_contact: z.optional(optionalText),
    address: z.optional(optionalText),
  }),
);

export const handler = endpoint({
  route: "GET /admin/signatures/{url_id}",
  access: "administrator",
  request: {
    query: z.strictObject({
      ...pagingFields(100, 500),
      player_id: z.optional(PlayerId),
      contacts: z.optional(z.enum(["true", "false"])),
    }),
  },
  response: {
    schema: z.object({
      signatures: z.array(SignatureView),
      waivers: z.array(z.object({ version: z.string(), text: optionalText })),
      next_cursor: optionalText,
    }),
  },
  read: (call) => {
    const { limit, cursor, player_id, contacts } = call.query;
    const scope = { list: "signatures", filters: { player_id, contacts } };
    const query = { limit, player_id, contacts: contacts === "true" };
    return paged(call.services, scope, cursor, (after) => listSignatures(call, query, after));
  },
});

export const docs: EndpointDocs = {
  summary: "List signatures",
  description:
    "The latest signature of each player, or with `player_id` all of one; those of deleted accounts, which have no player, come with the first page. The log has who has read them. With `contacts=true` also what is encrypted: birth date, emergency contact and the address of the request.",
  fields: {
    player_id: "The player; `null` of a deleted account. In the query, only this player's.",
    contacts: "Whether to decrypt birth dates, emergency contacts and addresses.",
    signatures: "A page of signatures.",
    waivers: "The texts that these signatures are of.",
    text: "The text, in Markdown; `null` if it is not stored.",
    alias: "The alias now; `null` of a deleted account.",
    version: "The version of the waiver that was signed.",
    counts: "Whether it counts for the present waiver.",
    signed_at: "When it was signed, or entered.",
    entered_by: "The alias of who entered it from paper; `null` if the player typed it, or they have left.",
    deleted_at: "When the account was deleted; `null` if it was not.",
    kept_until: "When the signature of a deleted account is removed.",
    birth_date: "The date of birth; `null` if it was not asked, is not kept, or its key is gone.",
    emergency_contact: "Whom to call; `null` like `birth_date`.",
    address: "The address of the request; `null` on paper.",
  },
  example: { query: ({ sue }) => ({ player_id: sue.id }) },
};
