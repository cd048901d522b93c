/** Items with DynamoDB's type descriptors. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** An item with the type descriptor of each value, so that no value is converted. */
export type RawItem = Record<string, AttributeValue>;
