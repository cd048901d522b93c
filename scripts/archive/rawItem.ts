/** An item with DynamoDB's type descriptors, so that no value changes on the way. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** An item as the table has it: each value with its type, so that none is changed on the way. */
export type RawItem = Record<string, AttributeValue>;
