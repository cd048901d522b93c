/**
 * What fields are made of. A schema takes fifteen microseconds of a cold process to make, and may be in as many others as
 * there are: what says the same everywhere is made once.
 */
import * as z from "zod/mini";

export const text = z.string();
export const number = z.number();
export const whole = z.int();
export const flag = z.boolean();
export const texts = z.array(text);

export const maybeText = z.nullable(text);
export const maybeNumber = z.nullable(number);
export const maybeWhole = z.nullable(whole);

export const optionalText = z.optional(text);
export const optionalNumber = z.optional(number);
