/** Builds the expressions of DynamoDB requests: conditions, transaction items, projections, key conditions. */
import type { QueryCommand, TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { type Expectation, type Item, keyOfWrite, type Range, type Write } from "./database.ts";

interface Condition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

/** The condition expression of an expectation. */
export const condition = (expect: Expectation): Condition => {
  if (expect === "absent") return { ConditionExpression: "attribute_not_exists(pk)" };
  if ("rev" in expect) {
    return { ConditionExpression: "rev = :rev", ExpressionAttributeValues: { ":rev": expect.rev } };
  }
  if ("is" in expect) {
    const bounds = Object.entries(expect.atMost ?? {});
    const fields = [...Object.entries(expect.is), ...bounds];
    const values = fields.flatMap(([, value], index) =>
      value === undefined ? [] : [[`:is${index}`, value]],
    );
    const isBound = (index: number): boolean => index >= fields.length - bounds.length;
    return {
      ConditionExpression: fields
        .map(([, value], index) => {
          if (value === undefined) return `attribute_not_exists(#is${index})`;
          return `#is${index} ${isBound(index) ? "<=" : "="} :is${index}`;
        })
        .join(" AND "),
      ExpressionAttributeNames: Object.fromEntries(fields.map(([name], index) => [`#is${index}`, name])),
      ...(values.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(values) }),
    };
  }
  return {
    ConditionExpression: "attribute_not_exists(pk) OR expires <= :now",
    ExpressionAttributeValues: { ":now": expect.absentOrExpiredBy },
  };
};

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

export const transactItem = (TableName: string, write: Write): TransactItem => {
  if ("put" in write) {
    return { Put: { TableName, Item: write.put, ...(write.expect && condition(write.expect)) } };
  }
  if ("remove" in write) {
    return { Delete: { TableName, Key: write.remove, ...(write.expect && condition(write.expect)) } };
  }
  if ("check" in write) {
    return { ConditionCheck: { TableName, Key: write.check, ...condition(write.expect) } };
  }
  const added = Object.entries(write.by);
  const expected = write.expect && condition(write.expect);
  const changes = "set" in write ? Object.entries(write.to) : [];
  const setTo = changes.filter(([, value]) => value !== undefined);
  const removed = changes.filter(([, value]) => value === undefined);
  const { pk, sk } = keyOfWrite(write);
  return {
    Update: {
      TableName,
      Key: { pk, sk },
      UpdateExpression: [
        ...(added.length === 0 ? [] : [`ADD ${added.map((_, index) => `#f${index} :v${index}`).join(", ")}`]),
        ...(setTo.length === 0
          ? []
          : [`SET ${setTo.map((_, index) => `#s${index} = :s${index}`).join(", ")}`]),
        ...(removed.length === 0 ? [] : [`REMOVE ${removed.map((_, index) => `#g${index}`).join(", ")}`]),
      ].join(" "),
      ...expected,
      ExpressionAttributeNames: {
        ...expected?.ExpressionAttributeNames,
        ...Object.fromEntries(added.map(([name], index) => [`#f${index}`, name])),
        ...Object.fromEntries(setTo.map(([name], index) => [`#s${index}`, name])),
        ...Object.fromEntries(removed.map(([name], index) => [`#g${index}`, name])),
      },
      ExpressionAttributeValues: {
        ...expected?.ExpressionAttributeValues,
        ...Object.fromEntries(added.map(([, by], index) => [`:v${index}`, by])),
        ...Object.fromEntries(setTo.map(([, value], index) => [`:s${index}`, value])),
      },
    },
  };
};

export const projection = (attributes: readonly string[]) => ({
  ProjectionExpression: attributes.map((_, index) => `#a${index}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#a${index}`, name])),
});

export const queryOf = (
  range: Range,
): Pick<
  QueryInput,
  "KeyConditionExpression" | "ProjectionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
> => {
  const [pk, sk] = range.index === undefined ? ["pk", "sk"] : [`${range.index}pk`, `${range.index}sk`];
  const { after, before } = range;
  const bounds = [
    "#pk = :pk",
    ...(after !== undefined && before !== undefined ? ["#sk BETWEEN :after AND :before"] : []),
    ...(after !== undefined && before === undefined ? ["#sk > :after"] : []),
    ...(after === undefined && before !== undefined ? ["#sk < :before"] : []),
  ];
  const hasBounds = bounds.length > 1;
  const { ExpressionAttributeNames: attributes, ...only } =
    range.only === undefined ? {} : projection(["pk", "sk", ...range.only]);
  return {
    KeyConditionExpression: bounds.join(" AND "),
    ...only,
    ExpressionAttributeNames: { "#pk": pk, ...(hasBounds ? { "#sk": sk } : {}), ...attributes },
    ExpressionAttributeValues: {
      ":pk": range.pk,
      ...(after === undefined ? {} : { ":after": after }),
      ...(before === undefined ? {} : { ":before": before }),
    },
  };
};

type QueryInput = ConstructorParameters<typeof QueryCommand>[0];
