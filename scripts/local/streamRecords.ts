/**
 * Cleans up the stream records of the embedded engine in the game's file, and detects new ones. At each write the engine
 * searches all records for the last one, and it never removes any, so this adds an index and removes records that were
 * read (docs/decisions/0009-local-stream.md).
 */
import { DatabaseSync } from "node:sqlite";

/** How long opening waits while the engine is writing. */
const START_MS = 30_000;
/** A removal blocks the process, so it waits for the engine for a short time only. */
const REMOVE_MS = 20;

export interface StreamRecords {
  /** Removes the records before this position, unless the engine is writing: then they are removed with the next ones. */
  remove(position: string): void;
  /** Whether the stream has come as far as this position. */
  reaches(position: string): boolean;
  /** A number that changes when the engine writes. Reading it takes microseconds. */
  version(): number;
  close(): void;
}

/**
 * Opens the stream records of a table, next to the engine that uses the file.
 * @throws Error if the file cannot be opened or has no stream records
 */
export const openStreamRecords = (file: string, table: string): StreamRecords => {
  const database = new DatabaseSync(file, { timeout: START_MS });
  // Durability does not matter for removals, and the engine maintains its own log.
  database.exec(`PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;
    CREATE INDEX IF NOT EXISTS stream_records_by_sequence
      ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
    PRAGMA busy_timeout = ${REMOVE_MS}`);
  // The last record stays, because the engine derives the next number from it.
  const remove = database.prepare(`DELETE FROM _stream_records
    WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)`);
  const reached = database.prepare(`SELECT 1 FROM _stream_records
    WHERE table_name = ? AND CAST(sequence_number AS INTEGER) >= CAST(? AS INTEGER) LIMIT 1`);
  const version = database.prepare("PRAGMA data_version");
  return {
    remove(position) {
      try {
        remove.run(table, position);
      } catch {
        // The engine is writing.
      }
    },
    reaches: (position) => reached.get(table, position) !== undefined,
    version: () => Number(version.get()?.data_version),
    close: () => database.close(),
  };
};
