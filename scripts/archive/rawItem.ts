/** An item as the table has it: each value with its type, so that none is changed on the way. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
export type RawItem = Record<string, AttributeValue>;
