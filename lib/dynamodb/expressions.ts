/** Builds the expressions of DynamoDB requests: conditions, transaction items, projections, key conditions. */
import type { QueryCommand, TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { type Expectation, type Item, keyOfWrite, type Range, type Write } from "./database.ts";

interface Condition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

export const condition = (expect: Expectation): Condition => {
  if (expect === "absent") return { ConditionExpression: "attribute_not_exists(pk)" };
  if ("rev" in expect) {
    return { ConditionExpression: "rev = :rev", ExpressionAttributeValues: { ":rev": expect.rev } };
  }
  if ("is" in expect) {
    const bounds = Object.entries(expect.atMost ?? {});
    const fields = [...Object.entries(expect.is), ...bounds];
    const values = fields.flatMap(([, value], at) => (value === undefined ? [] : [[`:is${at}`, value]]));
    const isBound = (at: number): boolean => at >= fields.length - bounds.length;
    return {
      ConditionExpression: fields
        .map(([, value], at) => {
          if (value === undefined) return `attribute_not_exists(#is${at})`;
          return `#is${at} ${isBound(at) ? "<=" : "="} :is${at}`;
        })
        .join(" AND "),
      ExpressionAttributeNames: Object.fromEntries(fields.map(([name], at) => [`#is${at}`, name])),
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
  const fields = Object.entries(write.by);
  const expected = write.expect && condition(write.expect);
  const given = "set" in write ? Object.entries(write.to) : [];
  const setTo = given.filter(([, value]) => value !== undefined);
  const gone = given.filter(([, value]) => value === undefined);
  const { pk, sk } = keyOfWrite(write);
  return {
    Update: {
      TableName,
      Key: { pk, sk },
      UpdateExpression: [
        `ADD ${fields.map((_, at) => `#f${at} :v${at}`).join(", ")}`,
        ...(setTo.length === 0 ? [] : [`SET ${setTo.map((_, at) => `#s${at} = :s${at}`).join(", ")}`]),
        ...(gone.length === 0 ? [] : [`REMOVE ${gone.map((_, at) => `#g${at}`).join(", ")}`]),
      ].join(" "),
      ...expected,
      ExpressionAttributeNames: {
        ...expected?.ExpressionAttributeNames,
        ...Object.fromEntries(fields.map(([name], at) => [`#f${at}`, name])),
        ...Object.fromEntries(setTo.map(([name], at) => [`#s${at}`, name])),
        ...Object.fromEntries(gone.map(([name], at) => [`#g${at}`, name])),
      },
      ExpressionAttributeValues: {
        ...expected?.ExpressionAttributeValues,
        ...Object.fromEntries(fields.map(([, by], at) => [`:v${at}`, by])),
        ...Object.fromEntries(setTo.map(([, value], at) => [`:s${at}`, value])),
      },
    },
  };
};

export const projection = (attributes: readonly string[]) => ({
  ProjectionExpression: attributes.map((_, at) => `#a${at}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(attributes.map((name, at) => [`#a${at}`, name])),
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
  const bounded = bounds.length > 1;
  const { ExpressionAttributeNames: attributes, ...only } =
    range.only === undefined ? {} : projection(["pk", "sk", ...range.only]);
  return {
    KeyConditionExpression: bounds.join(" AND "),
    ...only,
    ExpressionAttributeNames: { "#pk": pk, ...(bounded ? { "#sk": sk } : {}), ...attributes },
    ExpressionAttributeValues: {
      ":pk": range.pk,
      ...(after === undefined ? {} : { ":after": after }),
      ...(before === undefined ? {} : { ":before": before }),
    },
  };
};

type QueryInput = ConstructorParameters<typeof QueryCommand>[0];
