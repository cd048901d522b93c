/** Writing and removing by the thousand: in batches, some of them at once, each again until all of it is taken. */
import { setTimeout as pause } from "node:timers/promises";
import { BatchWriteItemCommand, type WriteRequest } from "@aws-sdk/client-dynamodb";
import { UserError } from "../cli/userError.ts";
import type { Target } from "./target.ts";

/** What DynamoDB takes in one write, and how many of them at once. */
const AT_ONCE = 25;
const BATCHES_AT_ONCE = 4;
const MOST_TRIES = 10;
const FIRST_PAUSE_MS = 50;

const writeAll = async ({ client, table }: Target, all: readonly WriteRequest[]): Promise<void> => {
  let requests = [...all];
  for (let tries = 0; requests.length > 0; tries += 1) {
    if (tries === MOST_TRIES)
      throw new UserError("The table does not take what is written to it: go on later with --resume.");
    if (tries > 0) await pause(Math.random() * FIRST_PAUSE_MS * 2 ** tries);
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
    requests = answer.UnprocessedItems?.[table] ?? [];
  }
};

/** Batches of a table; no item may be in them twice. @param onItems hears of each that was taken */
export const openBatchWriter = (target: Target, onItems: (count: number) => void) => {
  const running = new Set<Promise<void>>();
  let batch: WriteRequest[] = [];
  const flush = async (): Promise<void> => {
    const requests = batch;
    batch = [];
    const writing: Promise<void> = writeAll(target, requests).then(() => {
      running.delete(writing);
      onItems(requests.length);
    });
    running.add(writing);
    // A fault is heard where it is waited for.
    writing.catch(() => {});
    if (running.size >= BATCHES_AT_ONCE) await Promise.race(running);
  };
  return {
    async add(request: WriteRequest): Promise<void> {
      batch.push(request);
      if (batch.length === AT_ONCE) await flush();
    },
    async end(): Promise<void> {
      if (batch.length > 0) await flush();
      await Promise.all(running);
    },
    /** Passes when nothing is being written any more, however it ended. */
    async idle(): Promise<void> {
      await Promise.allSettled(running);
    },
  };
};
