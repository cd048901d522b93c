/** Requests and responses about the waiver. */
import * as z from "zod/mini";
import { WAIVER_ASK } from "../domain/game/settings.ts";
import {
  text as anyText,
  boolean,
  integer,
  nullableInteger,
  nullableText,
  type Prose,
} from "../domain/schemas.ts";
import { text } from "./textFields.ts";
import { Timestamp } from "./views.ts";

/** The version of a waiver. Any text is allowed: another than the present one has changed meanwhile. */
const WaiverVersion = z.string().check(z.minLength(1), z.maxLength(64));

/** A name as somebody signs with it, in NFC. */
const FullName = z.lazy(() =>
  z.pipe(
    text(1, 120, "name"),
    z.transform((name) => name.normalize("NFC")),
  ),
);

/** What a signature may be asked besides the name. */
const answers = () => ({
  birth_date: z.optional(z.iso.date("must be a date, such as 2005-02-28").check(z.maxLength(10))),
  emergency_contact: z.optional(text(1, 200, "line")),
  photo_consent: z.optional(boolean),
});

/** A signature in a request. */
export const NewSignature = z.lazy(() =>
  z.strictObject({ version: WaiverVersion, full_name: FullName, ...answers() }),
);

/** The fields of a signature on paper, besides those that name the player. */
export const paperFields = () => ({
  full_name: FullName,
  guardian_name: z.optional(FullName),
  ...answers(),
});

const Asked = z.array(z.enum(WAIVER_ASK));

/** The waiver as somebody without an account reads it. */
export const PublicWaiver = z.lazy(() =>
  z.object({
    version: anyText,
    text: anyText,
    waiver_ask: Asked,
    minimum_age: nullableInteger,
    keep_signatures_days: integer,
  }),
);

/** The waiver as a player reads it, with their signature. */
export const WaiverView = z.lazy(() =>
  z.object({
    version: nullableText,
    text: nullableText,
    waiver_ask: Asked,
    minimum_age: nullableInteger,
    keep_signatures_days: integer,
    signed_at: z.nullable(Timestamp),
    signature: z.nullable(
      z.object({
        version: anyText,
        full_name: anyText,
        signed_at: Timestamp,
        guardian_name: nullableText,
        on_paper: boolean,
        photo_consent: z.nullable(boolean),
        photo_consent_at: z.nullable(Timestamp),
      }),
    ),
  }),
);

/** What the API document says of these fields. */
export const WAIVER_PROSE: Prose<{ [K in (typeof FIELD_NAMES)[number]]: unknown }> = {
  version: "The version of a waiver: a hash of its text.",
  full_name: "The name as it is typed to sign.",
  birth_date: "The date of birth; encrypted at rest, for game masters only.",
  emergency_contact: "Whom to call; encrypted at rest, for game masters only.",
  photo_consent: "Whether photos of the player may be shown; `null` if that was not asked.",
  photo_consent_at: "When the player said so.",
  guardian_name: "The guardian who signed on paper for somebody under age.",
  on_paper: "Whether it was signed on paper.",
  signed_at: "When it was signed; of `GET /waiver`, `null` unless that counts for the present version.",
  signature: "The player's latest signature; `null` if there is none.",
};

const FIELD_NAMES = [
  ...["version", "full_name", "birth_date", "emergency_contact", "photo_consent"],
  ...["photo_consent_at", "guardian_name", "on_paper", "signed_at", "signature"],
] as const;
