/** The fields of stored interactions that awards depend on. */
import * as z from "zod/mini";
import type { AwardEvent } from "../../domain/hunts/awards.ts";
import { Kind } from "../../domain/hunts/interaction.ts";
import {
  nullableText,
  optionalBoolean,
  optionalNullableText,
  optionalText,
  text,
  textList,
} from "../../domain/schemas.ts";
import type { StoredItem } from "../../dynamodb/database.ts";

/** These fields, besides the id. */
export const AWARD_ATTRIBUTES = [
  "kind",
  "at",
  "hunted_at",
  "actor",
  "target",
  "parent",
  "shared_with",
  "voided_by",
  "checkpoint_id",
  "drawn",
] as const;
const AwardEntry = z.lazy(() =>
  z.object({
    sk: text,
    kind: Kind,
    at: text,
    hunted_at: optionalText,
    actor: nullableText,
    target: nullableText,
    parent: optionalNullableText,
    shared_with: z.optional(textList),
    voided_by: optionalText,
    checkpoint_id: optionalText,
    drawn: optionalBoolean,
  }),
);
export const parseAwardEvent = (item: StoredItem): AwardEvent => {
  const { sk, ...event } = AwardEntry.parse(item);
  return { ...event, interaction_id: sk };
};
