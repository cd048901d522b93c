/** Records of the table's stream, as Lambda passes them on, made from the items of a test's table. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import type { TestEnvironment } from "./service.ts";
import { scan } from "./table.ts";

// The types of Lambda and of the SDK name the same things.
const asLambda = (image: Record<string, AttributeValue>) =>
  image as unknown as NonNullable<NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"]>;

/** When DynamoDB wrote an item, in whole seconds since 1970. */
const createdAt = ({ recorded_at, at, resolved_at, opened_at }: StoredItem, later: number): number =>
  Math.floor((Date.parse(String(recorded_at ?? at ?? resolved_at ?? opened_at)) + later) / 1_000);

/** The record of an inserted item. @param later how long after the item was recorded, in milliseconds */
export const insertRecord = (item: StoredItem, later = 0): DynamoDBRecord => ({
  eventName: "INSERT",
  eventSource: "aws:dynamodb",
  dynamodb: {
    ApproximateCreationDateTime: createdAt(item, later),
    Keys: asLambda(marshall({ pk: item.pk, sk: item.sk })),
    NewImage: asLambda(marshall(item, { removeUndefinedValues: true })),
    SequenceNumber: item.sk,
    StreamViewType: "NEW_IMAGE",
  },
});

/** The records of all interactions, disputes and log entries, in the order of their recording. */
export const streamRecords = async (s: Pick<TestEnvironment, "place">, later = 0) => {
  const items = (await scan(s)).filter(({ pk }) => /^(DISPUTE|INTERACTIONS|LOGS)#/.test(pk));
  return items
    .toSorted((one, other) => (one.sk < other.sk ? -1 : 1))
    .map((item) => insertRecord(item, later));
};
