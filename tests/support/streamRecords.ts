/** Records of the table's stream, as Lambda passes them on, made from the items of a test's table. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import { instantOf, SECOND } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { keys } from "../../lib/store/keys.ts";
import { HuntAnnouncement } from "../../lib/store/notifications/announcements.ts";
import type { TestEnvironment } from "./service.ts";
import { scan } from "./table.ts";

// The types of Lambda and of the SDK name the same things.
const asLambda = (image: Record<string, AttributeValue>) =>
  image as unknown as NonNullable<NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"]>;

const OUTBOX = keys.mail("").pk;

/** The id of an item that is announced, which sorts by time. */
const idOf = ({ pk, sk }: StoredItem): string => (sk === "EVENT" ? pk.slice("EVENT#".length) : sk);

const recordOf = (
  eventName: "INSERT" | "MODIFY",
  item: StoredItem,
  { at, later }: { at: string; later: number },
): DynamoDBRecord => ({
  eventName,
  eventSource: "aws:dynamodb",
  dynamodb: {
    // In whole seconds since 1970.
    ApproximateCreationDateTime: Math.floor((instantOf(at) + later) / SECOND),
    Keys: asLambda(marshall({ pk: item.pk, sk: item.sk })),
    NewImage: asLambda(marshall(item, { removeUndefinedValues: true })),
    SequenceNumber: `${idOf(item)} ${eventName} ${eventName === "INSERT" ? "" : item.rev}`,
    StreamViewType: "NEW_IMAGE",
  },
});

/** The record of an inserted item. @param later how long after the item was recorded, in milliseconds */
export const insertRecord = (item: StoredItem, later = 0): DynamoDBRecord =>
  recordOf("INSERT", item, { at: String(item.recorded_at ?? item.at), later });

/** The record of the last change of an item, if it has announced something or is a mail. */
const changeRecords = (item: StoredItem, later: number): DynamoDBRecord[] => {
  if (item.pk === OUTBOX && item.rev !== 1) return [recordOf("MODIFY", item, { at: String(item.at), later })];
  if (item.announces === undefined) return [];
  const { at } = HuntAnnouncement.parse(item.announces);
  return [recordOf("MODIFY", item, { at, later })];
};

/** The records of all interactions, events and mails, in the order of their recording. */
export const streamRecords = async (s: Pick<TestEnvironment, "place">, later = 0) => {
  const items = (await scan(s)).filter(({ pk }) => /^((EVENT|INTERACTIONS)#|SECRET#OUTBOX$)/.test(pk));
  return items
    .toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
    .flatMap((item) => [insertRecord(item, later), ...changeRecords(item, later)]);
};
