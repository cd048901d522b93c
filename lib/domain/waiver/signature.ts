/** What is stored of a signature. */
import * as z from "zod/mini";
import { integer, nullableText, optionalText, text } from "../schemas.ts";

/**
 * A signature of a waiver. `sealed` has what is encrypted. Times are RFC 3339.
 */
export const Signature = z.looseObject({
  signature_id: text,
  rev: integer,
  /** Absent once the account is deleted. */
  player_id: optionalText,
  /** The version of the signed text. */
  version: text,
  /** The name as it was typed, in NFC. */
  full_name: text,
  signed_at: text,
  /** Who entered a signature on paper, by player id; `null` for one that the player typed. */
  entered_by: nullableText,
  /** The guardian who signed for somebody under age. */
  guardian_name: z._default(nullableText, null),
  /** Whether photos may be shown, and since when the player has said so; `null` if that was not asked. */
  photo_consent: z._default(z.nullable(z.boolean()), null),
  photo_consent_at: z._default(nullableText, null),
  /** The address of the request; encrypted, like all of {@link SealedAnswers}. */
  sealed: text,
  /** Of a deleted account: when it was deleted, and until when it is kept. */
  deleted_at: optionalText,
  kept_until: optionalText,
});
export type Signature = z.infer<typeof Signature>;

/** What is encrypted of a signature. */
export const SealedAnswers = z.looseObject({
  address: z._default(nullableText, null),
  birth_date: z._default(nullableText, null),
  emergency_contact: z._default(nullableText, null),
});
export type SealedAnswers = z.infer<typeof SealedAnswers>;
