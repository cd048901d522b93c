/** Measures the capacity units that each database call consumes. */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { addCapacity } from "../runtime/invocation.ts";
import { property } from "../runtime/objects.ts";

/** The capacity units that a call has consumed. `indexes` is filled only with the detail `INDEXES`. */
export interface Consumption {
  what: "read" | "write";
  units: number;
  indexes: Readonly<Record<string, number>>;
}

/** Receives the consumption of each call, except for failed calls, which report none. */
export interface Meter {
  detail: "TOTAL" | "INDEXES";
  consumed: (consumption: Consumption) => void;
}

const unitsOf = (capacity: unknown): number => {
  const units = property(capacity, "CapacityUnits");
  return typeof units === "number" ? units : 0;
};

const isRead = (command: string, input: unknown): boolean =>
  /^(Get|BatchGet|Query|Scan)/.test(command) ||
  /^\s*select\b/i.test(String(property(input, "Statement") ?? ""));

const consumptionOf = (what: Consumption["what"], reported: unknown): Consumption[] =>
  (Array.isArray(reported) ? reported : reported === undefined ? [] : [reported]).map((capacity: unknown) => {
    // If the response to a transaction was lost, the retry with the same token consumes read units only.
    const kind = property(capacity, "ReadCapacityUnits") === undefined ? what : "read";
    const indexes = property(capacity, "GlobalSecondaryIndexes") ?? {};
    const byIndex = Object.entries(indexes).map(([name, units]) => [name, unitsOf(units)]);
    return { what: kind, units: unitsOf(capacity), indexes: Object.fromEntries(byIndex) };
  });

/** Adds the consumption of every call of a client to the current invocation's log line and to the meter. */
export const measureCapacity = (client: DynamoDBClient, { detail, consumed }: Meter): void => {
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const input = { ...args.input, ReturnConsumedCapacity: detail };
        const result = await next({ ...args, input });
        const what = isRead(commandName, args.input) ? "read" : "write";
        for (const consumption of consumptionOf(what, property(result.output, "ConsumedCapacity"))) {
          addCapacity(consumption.what, consumption.units);
          consumed(consumption);
        }
        return result;
      },
    { step: "initialize", name: "meter" },
  );
};

/** A meter that ignores what it receives. */
export const NO_METER: Meter = { detail: "TOTAL", consumed: () => {} };
