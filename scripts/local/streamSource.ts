/**
 * Polls the table's stream for a worker as Lambda does: in order, filtered, and retried from the record that failed.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as Read,
  type Shard,
} from "@aws-sdk/client-dynamodb-streams";
import * as z from "zod/mini";
import { sleep } from "../cli/sleep.ts";
import { messageOf } from "../cli/userError.ts";
import { type Invoke, parseFailedIds } from "./invocation.ts";
import { isSelected } from "./patterns.ts";
import { PRIVATE_FILE_MODE } from "./privateFiles.ts";
import type { StreamWorker } from "./sources.ts";

const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
const REFRESH_MS = 2_000;

/** The last processed sequence number, by shard. */
const Position = z.record(z.string(), z.string());
type Position = z.infer<typeof Position>;

/** Stores the position in the stream. */
export interface Checkpoint {
  read(): Promise<Position>;
  write(position: Position): Promise<void>;
}

/** Stores the position in a file, atomically; without a file, in memory. */
export const openCheckpoint = (file: string | null): Checkpoint => {
  let inMemory: Position = {};
  if (file === null) {
    return {
      read: async () => inMemory,
      write: async (position) => {
        inMemory = position;
      },
    };
  }
  return {
    async read() {
      try {
        return Position.parse(JSON.parse(await readFile(file, "utf8")));
      } catch {
        // Without a position it starts from the beginning. Announcing an event twice has no effect.
        return {};
      }
    },
    async write(position) {
      await mkdir(dirname(file), { recursive: true });
      const draft = `${file}.new`;
      await writeFile(draft, `${JSON.stringify(position)}\n`, { mode: PRIVATE_FILE_MODE });
      await rename(draft, file);
    },
  };
};

export interface StreamPlace {
  endpoint: string;
  region: string;
  table: string;
}

export interface StreamOptions {
  worker: Omit<StreamWorker, "name" | "timeout">;
  checkpoint: Checkpoint;
  /** Called when a batch is skipped after the last attempt. */
  onLost: (first: string, last: string, fault: string) => void;
  /** Called with the position in a shard up to which everything is processed. */
  onRead?: (shard: string, position: string) => void;
  /** Multiplies the pauses between attempts. */
  pace?: number;
}

export interface StreamSource {
  /**
   * Reads a batch of each shard and processes it, until it is done or skipped.
   * @returns the number of records
   * @throws Error if the engine cannot be reached
   */
  takeBatch(invoke: Invoke, signal?: AbortSignal): Promise<number>;
  close(): void;
}

/** A record as a worker receives it: JSON, with the time in seconds and bytes in base64. */
interface Delivered {
  sequence: string;
  keys: NonNullable<NonNullable<Read["dynamodb"]>["Keys"]>;
  record: unknown;
}

const deliveredOf = (read: Read, arn: string): Delivered => {
  const { ApproximateCreationDateTime: at, ...dynamodb } = read.dynamodb ?? {};
  const record: unknown = JSON.parse(
    JSON.stringify(
      {
        ...read,
        dynamodb: {
          ...dynamodb,
          ...(at === undefined ? {} : { ApproximateCreationDateTime: at.getTime() / 1_000 }),
        },
        eventSourceARN: arn,
      },
      (_name, value) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value),
    ),
  );
  return { sequence: dynamodb.SequenceNumber ?? "", keys: dynamodb.Keys ?? {}, record };
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "");

/** Processing was aborted because the poller stops. */
class Stopped extends Error {
  override readonly name = "Stopped";
}

/** An open stream: its shards, and the next iterator of each. */
interface OpenStream {
  arn: string;
  /** Shards that can be read, because their parents are finished. */
  shards: readonly string[];
  next: Map<string, string>;
  finished: Set<string>;
  /** When to refresh the list of shards, in milliseconds since 1970. */
  until: number;
}

/** Opens a table's stream for polling. */
export const openStreamSource = (
  { endpoint, region, table }: StreamPlace,
  { worker, checkpoint, onLost, onRead = () => {}, pace = 1 }: StreamOptions,
): StreamSource => {
  const options = {
    endpoint,
    region,
    maxAttempts: 2,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  };
  const tables = new DynamoDBClient(options);
  const streams = new DynamoDBStreamsClient(options);
  let position: Position | undefined;
  let open: OpenStream | undefined;

  const currentArn = async (): Promise<string | undefined> => {
    try {
      const { Table } = await tables.send(new DescribeTableCommand({ TableName: table }));
      return Table?.StreamSpecification?.StreamEnabled === true ? Table.LatestStreamArn : undefined;
    } catch (error) {
      if (nameOf(error) === "ResourceNotFoundException") return undefined;
      throw error;
    }
  };

  const iteratorOf = async (
    StreamArn: string,
    ShardId: string,
    ShardIteratorType: "TRIM_HORIZON" | "AT_SEQUENCE_NUMBER" | "AFTER_SEQUENCE_NUMBER",
    SequenceNumber?: string,
  ): Promise<string> => {
    const command = { StreamArn, ShardId, ShardIteratorType, ...(SequenceNumber ? { SequenceNumber } : {}) };
    return (await streams.send(new GetShardIteratorCommand(command))).ShardIterator ?? "";
  };

  /** Whether the stream still contains the record of the position; the stream may have been replaced. */
  const has = async (arn: string, shard: string, sequence: string): Promise<boolean> => {
    try {
      const ShardIterator = await iteratorOf(arn, shard, "AT_SEQUENCE_NUMBER", sequence);
      const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 1 }));
      return Records[0]?.dynamodb?.SequenceNumber === sequence;
    } catch (error) {
      if (/^(TrimmedDataAccess|Validation|ResourceNotFound)Exception$/.test(nameOf(error))) return false;
      throw error;
    }
  };

  const firstIterator = async (arn: string, shard: string, sequence: string | undefined): Promise<string> =>
    sequence !== undefined && (await has(arn, shard, sequence))
      ? iteratorOf(arn, shard, "AFTER_SEQUENCE_NUMBER", sequence)
      : iteratorOf(arn, shard, "TRIM_HORIZON");

  const advance = async (shard: string, sequence: string): Promise<void> => {
    position = { ...position, [shard]: sequence };
    await checkpoint.write(position);
    onRead(shard, sequence);
  };

  /**
   * Invokes the worker with a batch. @returns null on success; otherwise the reason and the index of the first failed
   * record, or -1 if the worker did not report which records failed
   */
  const attempt = async (
    batch: readonly Delivered[],
    invoke: Invoke,
    signal: AbortSignal | undefined,
  ): Promise<{ from: number; fault: string } | null> => {
    const ids = batch.map(({ sequence }) => sequence);
    try {
      const answer = await invoke({ Records: batch.map(({ record }) => record) });
      const failed = worker.reportsFailures ? parseFailedIds(answer, ids) : new Set();
      const from = ids.findIndex((id) => failed.has(id));
      return from === -1 ? null : { from, fault: "reported by the worker" };
    } catch (error) {
      if (signal?.aborted === true) throw new Stopped();
      return { from: -1, fault: messageOf(error) };
    }
  };

  /** Processes a batch until all of it is done or skipped. */
  const processBatch = async (
    batch: readonly Delivered[],
    shard: string,
    invoke: Invoke,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    let left = batch;
    for (let tries = 0; left.length > 0; ) {
      const result = await attempt(left, invoke, signal);
      const done = result === null ? left.length : Math.max(0, result.from);
      const last = left[done - 1];
      if (last !== undefined) {
        await advance(shard, last.sequence);
        left = left.slice(done);
        tries = 0;
      }
      if (result === null) return;
      if (result.from === -1 && worker.bisects && left.length > 1) {
        const half = Math.ceil(left.length / 2);
        await processBatch(left.slice(0, half), shard, invoke, signal);
        left = left.slice(half);
        continue;
      }
      // A failure after successful records counts as the first attempt.
      tries += 1;
      if (tries > worker.mostRetries) {
        const end = left.at(-1)?.sequence ?? "";
        onLost(left[0]?.sequence ?? "", end, result.fault);
        await advance(shard, end);
        return;
      }
      await sleep(Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (tries - 1)) * pace, signal);
      if (signal?.aborted === true) throw new Stopped();
    }
  };

  const readShard = async (
    { arn, next, finished }: OpenStream,
    shard: string,
    invoke: Invoke,
    signal: AbortSignal | undefined,
  ): Promise<number> => {
    const iterator = next.get(shard) ?? (await firstIterator(arn, shard, position?.[shard]));
    const { Records = [], NextShardIterator } = await streams.send(
      new GetRecordsCommand({ ShardIterator: iterator, Limit: worker.batchSize }),
    );
    const delivered = Records.map((read) => deliveredOf(read, arn));
    // On an error it is read again from the stored position.
    next.delete(shard);
    await processBatch(
      delivered.filter(({ keys }) => isSelected(worker.patterns, keys)),
      shard,
      invoke,
      signal,
    );
    const last = delivered.at(-1);
    if (last !== undefined && position?.[shard] !== last.sequence) await advance(shard, last.sequence);
    if (NextShardIterator === undefined) finished.add(shard);
    else next.set(shard, NextShardIterator);
    return Records.length;
  };

  const refresh = async (): Promise<OpenStream | undefined> => {
    const arn = await currentArn();
    if (arn === undefined) return undefined;
    const { next, finished } = open?.arn === arn ? open : { next: new Map(), finished: new Set<string>() };
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: arn }));
    const all: readonly Shard[] = StreamDescription?.Shards ?? [];
    const unread = new Set(all.map(({ ShardId = "" }) => ShardId)).difference(finished);
    // Parents are read before their children.
    const shards = all.flatMap(({ ShardId = "", ParentShardId = "" }) =>
      unread.has(ShardId) && !unread.has(ParentShardId) ? [ShardId] : [],
    );
    return { arn, shards, next, finished, until: Date.now() + REFRESH_MS };
  };

  return {
    async takeBatch(invoke, signal) {
      try {
        position ??= await checkpoint.read();
        if (open === undefined || Date.now() > open.until) open = await refresh();
        let read = 0;
        for (const shard of open?.shards ?? []) {
          if (open !== undefined && !open.finished.has(shard)) {
            read += await readShard(open, shard, invoke, signal);
          }
        }
        return read;
      } catch (error) {
        open = undefined;
        // The table may have been removed; the next poll checks that.
        if (error instanceof Stopped || nameOf(error) === "ResourceNotFoundException") return 0;
        throw error;
      }
    },
    close() {
      tables.destroy();
      streams.destroy();
    },
  };
};
