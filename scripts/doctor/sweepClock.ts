/** Checks whether the sweeps of a game are held. */
import { existsSync } from "node:fs";
import { type DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import {
  describeHold,
  describeHoldOptions,
  isHeld,
  SweepClock,
} from "../../lib/domain/starvation/sweepClock.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { rawKey } from "../../lib/dynamodb/rawItem.ts";
import { keys } from "../../lib/store/keys.ts";
import { openTarget } from "../archive/target.ts";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { Stage } from "../cloud/stage.ts";
import { gameOf } from "../local/gameLock.ts";
import { readRecord } from "../local/runFile.ts";
import { readSettings } from "../local/settings.ts";
import { type Check, note, ok, type Result, wrong } from "./findings.ts";

/** Returns the finding for a sweep clock. @param options the options that select the game in other commands */
const findingOf = (known: SweepClock | null, options: string): Result => {
  if (known === null) return ok("No sweep has run yet.");
  if (known.importing === true) {
    const text = "A game is being imported. Until that has finished, no starvation is recorded.";
    return note(text, "If the import was interrupted, run it again with --resume.");
  }
  return isHeld(known)
    ? wrong(describeHold(known), describeHoldOptions(options))
    : ok(`The last sweep ran at ${rfc3339(known.at)}; none is held.`);
};

const readClock = async (client: DynamoDBClient, TableName: string): Promise<SweepClock | null> => {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: rawKey(keys.sweepClock), ConsistentRead: true }),
  );
  return Item === undefined ? null : SweepClock.parse(unmarshall(Item));
};

/** The check of a deployment's sweeps. */
export const sweepCheck = ({ dynamodb, region }: Clients, { name, options }: Stage): Check => ({
  what: "sweep",
  run: async () => {
    const known = await explainingErrors(region, `read the table ${name}`, () => readClock(dynamodb, name));
    return [findingOf(known, options)];
  },
});

/** Whether there is a local game; the check does not create one. */
const hasLocalGame = async (): Promise<boolean> => {
  const settings = readSettings();
  if (settings.place.kind === "file") return existsSync(settings.place.file);
  return (await readRecord(gameOf(settings).record)) !== null;
};

/** The check of the local game's sweeps; it has no finding without a local game. */
export const localSweepCheck: Check = {
  what: "sweep",
  run: async () => {
    if (!(await hasLocalGame())) return [];
    const target = await openTarget({});
    try {
      return [findingOf(await readClock(target.client, target.table), "")];
    } finally {
      await target.close();
    }
  },
};
