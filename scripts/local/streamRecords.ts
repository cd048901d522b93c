/**
 * Cleans up the stream records of the embedded engine in the game's file. At each write the engine searches all
 * records for the last one, and it never removes any, so this adds an index and removes records that were read
 * (docs/decisions/0009-local-stream.md).
 */
import { DatabaseSync } from "node:sqlite";

/** How long opening waits while the engine is writing. */
const START_MS = 30_000;
/** If the engine is busy, records are removed later. */
const REMOVE_MS = 20;
const BATCH_SIZE = 500;
const INTERVAL_MS = 1_000;

const INDEX = `CREATE INDEX IF NOT EXISTS stream_records_by_sequence
  ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`;

// The last record stays, because the engine derives the next number from it.
const REMOVE = `DELETE FROM _stream_records WHERE id IN (
  SELECT id FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)
  ORDER BY CAST(sequence_number AS INTEGER) LIMIT ${BATCH_SIZE})`;

export interface StreamRecords {
  /** Schedules the removal of records before this position; rate-limited and short. */
  read(position: string): void;
  close(): void;
}

/**
 * Opens the stream records of a table, next to the engine that uses the file.
 * @throws Error if the file cannot be opened or has no stream records
 */
export const openStreamRecords = (file: string, table: string): StreamRecords => {
  const database = new DatabaseSync(file, { timeout: START_MS });
  // Durability does not matter for removals, and the engine maintains its own log.
  database.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
  database.exec(INDEX);
  database.exec(`PRAGMA busy_timeout = ${REMOVE_MS}`);
  const remove = database.prepare(REMOVE);
  let timer: NodeJS.Timeout | undefined;
  let latest = "0";

  const removeSome = (): void => {
    timer = undefined;
    try {
      const { changes } = remove.run(table, latest);
      if (Number(changes) === BATCH_SIZE) timer = setTimeout(removeSome, INTERVAL_MS / 20);
    } catch {
      // Probably the engine is writing; retry later.
      timer = setTimeout(removeSome, INTERVAL_MS);
    }
    timer?.unref();
  };

  return {
    read(position) {
      latest = position;
      timer ??= setTimeout(removeSome, INTERVAL_MS).unref();
    },
    close() {
      clearTimeout(timer);
      database.close();
    },
  };
};
