/** Polls the table's stream for its worker as Lambda does: in order, filtered, and retried until the worker succeeds. */
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from "@aws-sdk/client-dynamodb-streams";
import { LOCAL_CREDENTIALS } from "../../lib/runtime/awsClient.ts";
import { sleep } from "../cli/sleep.ts";
import type { Positions } from "./backlog.ts";
import { isSelected } from "./patterns.ts";
import type { StreamWorker } from "./sources.ts";
import type { StreamRecords } from "./streamRecords.ts";

const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** How long the list of shards is valid: the table may have been replaced. */
const REFRESH_MS = 2_000;

export interface StreamPlace {
  endpoint: string;
  region: string;
  table: string;
}

export interface StreamOptions {
  worker: Pick<StreamWorker, "batchSize" | "patterns">;
  positions: Positions;
  /** The records of the embedded engine, which it is asked for only after a write. Other engines are asked each time. */
  records?: StreamRecords | null;
  /** Multiplies the pauses between attempts. */
  pace?: number;
}

/** Passes records to the worker. @throws Error if it fails */
type Work = (event: { Records: unknown[] }) => Promise<unknown>;

export interface StreamSource {
  /**
   * Reads what is new and passes it to the worker in batches. A batch at which it throws is halved, and a single record
   * is tried until it succeeds.
   * @returns the number of records
   * @throws Error if the engine cannot be reached, or if it was stopped by the signal
   */
  read(work: Work, signal?: AbortSignal): Promise<number>;
  close(): void;
}

/** A record as a worker receives it: JSON, with the time in seconds and bytes in base64. */
const deliveredOf = ({ dynamodb, ...record }: StreamRecord, eventSourceARN: string): unknown => {
  const seconds = (dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) / 1_000;
  const text = JSON.stringify(
    { ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime: seconds }, eventSourceARN },
    (_name, value) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value),
  );
  return JSON.parse(text);
};

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;

/** A shard that has not been read to its end, and where to go on. */
interface Reading {
  arn: string;
  shard: string;
  /** Undefined at its end. */
  iterator: string | undefined;
}

/** Opens a table's stream for polling. */
export const openStreamSource = (
  { endpoint, region, table }: StreamPlace,
  { worker, positions, records = null, pace = 1 }: StreamOptions,
): StreamSource => {
  const options = { endpoint, region, maxAttempts: 2, credentials: LOCAL_CREDENTIALS };
  const tables = new DynamoDBClient(options);
  const streams = new DynamoDBStreamsClient(options);
  let open: { shards: Reading[]; until: number; version: number | undefined } | undefined;

  const advance = (reading: Reading, batch: readonly StreamRecord[]): void => {
    const sequence = batch.at(-1)?.dynamodb?.SequenceNumber ?? "";
    positions.set(reading.shard, sequence);
    records?.remove(sequence);
  };

  /** Where to go on. A position beyond the end is of a later state of the game, of which an older copy was put back. */
  const positionOf = (shard: string): string | undefined => {
    const position = positions.get(shard);
    return position === undefined || records?.reaches(position) === false ? undefined : position;
  };

  const iteratorOf = async (reading: Reading, sequence: string | undefined): Promise<string | undefined> => {
    const command = new GetShardIteratorCommand({
      ...{ StreamArn: reading.arn, ShardId: reading.shard },
      ...(sequence === undefined
        ? { ShardIteratorType: "TRIM_HORIZON" }
        : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: sequence }),
    });
    try {
      return (await streams.send(command)).ShardIterator;
    } catch (error) {
      if (sequence === undefined || !isNamed(error, "TrimmedDataAccessException")) throw error;
      return iteratorOf(reading, undefined);
    }
  };

  /** The shards, each after its parent; none without a table or a stream. */
  const readShards = async (): Promise<Reading[]> => {
    const { Table } = await tables.send(new DescribeTableCommand({ TableName: table }));
    const arn = Table?.LatestStreamArn;
    if (arn === undefined || Table?.StreamSpecification?.StreamEnabled !== true) return [];
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: arn }));
    return Promise.all(
      (StreamDescription?.Shards ?? []).map(async ({ ShardId: shard = "" }) => {
        const reading: Reading = { arn, shard, iterator: undefined };
        reading.iterator = await iteratorOf(reading, positionOf(shard));
        return reading;
      }),
    );
  };

  /** Passes records on; a failed batch by its halves, and a failed record again. */
  const processBatch = async (
    batch: readonly StreamRecord[],
    reading: Reading,
    work: Work,
    signal?: AbortSignal,
  ): Promise<void> => {
    for (let tries = 0; batch.length > 0; tries += 1) {
      try {
        await work({ Records: batch.map((record) => deliveredOf(record, reading.arn)) });
        return advance(reading, batch);
      } catch (error) {
        if (batch.length === 1) await sleep(Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** tries) * pace, signal);
        if (signal?.aborted === true) throw error;
        if (batch.length === 1) continue;
        const half = Math.ceil(batch.length / 2);
        await processBatch(batch.slice(0, half), reading, work, signal);
        return processBatch(batch.slice(half), reading, work, signal);
      }
    }
  };

  /** Reads a shard as far as it is written. */
  const readShard = async (reading: Reading, work: Work, signal?: AbortSignal): Promise<number> => {
    let count = 0;
    while (reading.iterator !== undefined) {
      const { Records = [], NextShardIterator } = await streams.send(
        new GetRecordsCommand({ ShardIterator: reading.iterator, Limit: worker.batchSize }),
      );
      const selected = Records.filter(({ dynamodb }) => isSelected(worker.patterns, dynamodb?.Keys ?? {}));
      await processBatch(selected, reading, work, signal);
      if (selected.at(-1) !== Records.at(-1)) advance(reading, Records);
      reading.iterator = NextShardIterator;
      count += Records.length;
      if (Records.length === 0 || signal?.aborted === true) break;
    }
    return count;
  };

  return {
    async read(work, signal) {
      try {
        const version = records?.version();
        // The shards were read after they were listed, and nothing was written since.
        if (version !== undefined && version === open?.version) return 0;
        open ??= { shards: await readShards(), until: Date.now() + REFRESH_MS, version };
        let count = 0;
        for (const reading of open.shards) count += await readShard(reading, work, signal);
        // They are listed again the next time, so that this does not delay what was just written.
        if (Date.now() > open.until) open = undefined;
        return count;
      } catch (error) {
        // The next time it goes on from the stored positions.
        open = undefined;
        if (isNamed(error, "ResourceNotFoundException")) return 0;
        throw error;
      }
    },
    close() {
      tables.destroy();
      streams.destroy();
    },
  };
};
