/** Batched writes: a few batches run concurrently, and unprocessed items are retried. */
import { setTimeout as pause } from "node:timers/promises";
import { BatchWriteItemCommand, type WriteRequest } from "@aws-sdk/client-dynamodb";
import { UserError } from "../cli/userError.ts";
import type { Target } from "./target.ts";

/** The batch size limit of DynamoDB, and how many batches are written concurrently. */
const BATCH_SIZE = 25;
const CONCURRENT_BATCHES = 4;
const MAX_TRIES = 10;
const FIRST_PAUSE_MS = 50;

const writeAll = async ({ client, table }: Target, all: readonly WriteRequest[]): Promise<void> => {
  let requests = [...all];
  for (let tries = 0; requests.length > 0; tries += 1) {
    if (tries === MAX_TRIES)
      throw new UserError("The table is still throttled after all retries. Continue later with --resume.");
    if (tries > 0) await pause(Math.random() * FIRST_PAUSE_MS * 2 ** tries);
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
    requests = answer.UnprocessedItems?.[table] ?? [];
  }
};

/**
 * Collects write requests and sends them in batches. No item may occur twice.
 * @param onItems called with the number of items of each batch that was written
 */
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
    // The error is reported by `end`, which awaits this promise.
    writing.catch(() => {});
    if (running.size >= CONCURRENT_BATCHES) await Promise.race(running);
  };
  return {
    async add(request: WriteRequest): Promise<void> {
      batch.push(request);
      if (batch.length === BATCH_SIZE) await flush();
    },
    async end(): Promise<void> {
      if (batch.length > 0) await flush();
      await Promise.all(running);
    },
    /** Waits until no write is running, whether they succeeded or failed. */
    async idle(): Promise<void> {
      await Promise.allSettled(running);
    },
  };
};
