/**
 * Shared schemas of fields. Creating a schema takes about 15 µs in a cold process, so common schemas are created once.
 */
import * as z from "zod/mini";

/**
 * What the API document says of the fields of a structure, or of some. Such a constant stands beside the schema, and is not in the
 * bundles, which leave out what they do not use.
 */
export type Prose<T> = Readonly<Partial<Record<keyof T, string>>>;

export const text = z.string();
export const number = z.number();
export const integer = z.int();
export const boolean = z.boolean();
export const textList = z.array(text);

export const nullableText = z.nullable(text);
export const nullableNumber = z.nullable(number);
export const nullableInteger = z.nullable(integer);

export const optionalText = z.optional(text);
export const optionalNumber = z.optional(number);
export const optionalInteger = z.optional(integer);
export const optionalBoolean = z.optional(boolean);
export const optionalTrue = z.optional(z.literal(true));
export const optionalNullableText = z.optional(nullableText);

/** Fields that items of earlier versions lack. */
export const nullTextByDefault = z._default(nullableText, null);
export const nullIntegerByDefault = z._default(nullableInteger, null);
export const falseByDefault = z._default(boolean, false);
export const zeroByDefault = z._default(integer, 0);
export const noTextsByDefault = z._default(textList, []);
