/**
 * The filter of the stream's event source, as AWS documents it and `functions.yml` may use it: at most five patterns, of
 * keys alone (docs/decisions/0074-announced-events.md).
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";

// https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
const FILTERED = "can be filtered by the field dynamodb alone: AWS documents no other";
const OF_KEYS = "is filtered by Keys alone: a record that a filter drops raises no alarm";
const OF_PK = "must be { pk }: other keys are not supported locally";
const OF_TEXT = "must be { S: a list of rules }";
const LIST = "must be a list that is not empty";
const RULE = "must be a text or { prefix: a text }: other rules are not supported locally";
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
const MAX_PATTERNS = 5;
const COUNT = "must be one to five patterns: AWS allows more only on request";

const Prefix = z.strictObject({ prefix: z.string(RULE).check(z.minLength(1, RULE)) }, RULE);
const Rule = z.union([z.string(), Prefix], RULE);
type Rule = z.infer<typeof Rule>;

const Keys = z.strictObject(
  { pk: z.strictObject({ S: z.array(Rule, LIST).check(z.minLength(1, LIST)) }, OF_TEXT) },
  OF_PK,
);
const Pattern = z.strictObject({ dynamodb: z.strictObject({ Keys }, OF_KEYS) }, FILTERED);

/** The patterns of an event source; a record must match one of them. */
export const FilterPatterns = z
  .array(Pattern, COUNT)
  .check(z.minLength(1, COUNT), z.maxLength(MAX_PATTERNS, COUNT));
export type FilterPatterns = z.infer<typeof FilterPatterns>;

const fits = (rule: Rule, value: string | undefined): boolean =>
  typeof rule === "string" ? value === rule : value?.startsWith(rule.prefix) === true;

/** Whether a filter selects the record of an item with these keys. Without patterns, it selects all. */
export const isSelected = (
  patterns: Readonly<FilterPatterns>,
  { pk }: Readonly<Record<string, AttributeValue>>,
): boolean =>
  patterns.length === 0 ||
  patterns.some(({ dynamodb }) => dynamodb.Keys.pk.S.some((rule) => fits(rule, pk?.S)));
