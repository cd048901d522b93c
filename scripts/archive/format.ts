/**
 * The export file format: one JSON document per line. The first line is a header. The items follow, each value with
 * its DynamoDB type descriptor and bytes as base64. The last line is a trailer with the number of items and the
 * SHA-256 of all lines before it.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { base64, type RawItem } from "../../lib/dynamodb/rawItem.ts";
import { FORMAT } from "../../lib/store/archiveItems.ts";

export const Header = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  /** RFC 3339. */
  at: z.string(),
  table: z.string(),
  /** The awards of a season that a reset has closed, for people who read the file; no command reads them. */
  awards: z.optional(z.unknown()),
  /** Whether the file is of the page, which gives no password hashes and other secrets. */
  partial: z.optional(z.boolean()),
});
export type Header = z.infer<typeof Header>;

export const Trailer = z.strictObject({ items: z.int(), sha256: z.string() });
export type Trailer = z.infer<typeof Trailer>;

/** Bytes as canonical base64. */
const Bytes = z.pipe(
  z.string().check(z.refine((text) => base64(Buffer.from(text, "base64")) === text)),
  z.transform((text): Uint8Array => Buffer.from(text, "base64")),
);

const text = z.string();
const texts = z.array(z.string());

/** A value with exactly one type descriptor. */
const Value: z.ZodMiniType<AttributeValue> = z.lazy(() =>
  z.union([
    z.strictObject({ S: text }),
    z.strictObject({ N: text }),
    z.strictObject({ BOOL: z.boolean() }),
    z.strictObject({ NULL: z.literal(true) }),
    z.strictObject({ B: Bytes }),
    z.strictObject({ SS: texts }),
    z.strictObject({ NS: texts }),
    z.strictObject({ BS: z.array(Bytes) }),
    z.strictObject({ L: z.array(Value) }),
    z.strictObject({ M: z.record(z.string(), Value) }),
  ]),
);

const Keyed = z.looseObject({ pk: z.object({ S: text }), sk: z.object({ S: text }) });
const Values = z.record(z.string(), Value);

/** JavaScript treats an attribute of this name as the prototype and loses it. */
const UNSAFE_NAME = "__proto__";

const rejectUnsafeName = (name: string, value: unknown): unknown => {
  if (name === UNSAFE_NAME) throw new Error(`an attribute has the name ${UNSAFE_NAME}`);
  return value;
};

/** Parses the item in a line. @throws Error if the line is not an item */
export const itemOf = (line: string): RawItem => {
  // The reviver makes parsing several times slower, so it is used only when the name may occur.
  const mayHoldIt = line.includes(UNSAFE_NAME) || /\\u005f/i.test(line);
  const json: unknown = mayHoldIt ? JSON.parse(line, rejectUnsafeName) : JSON.parse(line);
  Keyed.parse(json);
  return Values.parse(json);
};
