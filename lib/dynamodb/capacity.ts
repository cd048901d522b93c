/** Reports the capacity that each request has consumed. */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { addCapacity as tookInInvocation } from "../runtime/invocation.ts";
import { property } from "./errors.ts";

/** What a call has consumed, in capacity units; of each index just where that was asked for. */
export interface Consumption {
  /** Which kind of units they are. */
  what: "read" | "write";
  units: number;
  indexes: Readonly<Record<string, number>>;
}

/** Hears what each call of the database has consumed; of one that failed DynamoDB does not tell. */
export interface Meter {
  detail: "TOTAL" | "INDEXES";
  consumed: (consumption: Consumption) => void;
}

const unitsOf = (capacity: unknown): number => {
  const units = property(capacity, "CapacityUnits");
  return typeof units === "number" ? units : 0;
};

const isRead = (command: string, input: unknown): boolean =>
  /^(Get|BatchGet|Query)/.test(command) || /^\s*select\b/i.test(String(property(input, "Statement") ?? ""));

const consumptionOf = (asked: Consumption["what"], told: unknown): Consumption[] =>
  (Array.isArray(told) ? told : told === undefined ? [] : [told]).map((capacity: unknown) => {
    // A transaction that is asked for again, after an answer was lost, only reads.
    const what = property(capacity, "ReadCapacityUnits") === undefined ? asked : "read";
    const indexes = property(capacity, "GlobalSecondaryIndexes") ?? {};
    const byIndex = Object.entries(indexes).map(([name, units]) => [name, unitsOf(units)]);
    return { what, units: unitsOf(capacity), indexes: Object.fromEntries(byIndex) };
  });

/** Has every call of a client say what it consumed: for the line of the invocation that made it, and for the meter. */
export const metered = (client: DynamoDBClient, { detail, consumed }: Meter): void => {
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const input = { ...args.input, ReturnConsumedCapacity: detail };
        const result = await next({ ...args, input });
        const asked = isRead(commandName, args.input) ? "read" : "write";
        for (const one of consumptionOf(asked, property(result.output, "ConsumedCapacity"))) {
          tookInInvocation(one.what, one.units);
          consumed(one);
        }
        return result;
      },
    { step: "initialize", name: "meter" },
  );
};

export const NO_METER: Meter = { detail: "TOTAL", consumed: () => {} };
