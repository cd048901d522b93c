/**
 * What the embedded engine keeps of streams, in the file of the game. It looks up the last record at each write, over
 * all that it keeps, and keeps them for ever: an index and the removal of what has been read make that cost nothing
 * (docs/decisions/0009-local-stream.md).
 */
import { DatabaseSync } from "node:sqlite";

const START_MS = 2_000;
/** Nobody waits for a removal: what the engine is in the way of is removed next time. */
const REMOVE_MS = 20;
const MOST_AT_ONCE = 500;
const PACE_MS = 1_000;

const INDEX = `CREATE INDEX IF NOT EXISTS stream_records_by_sequence
  ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`;

// The last one that was read stays: the engine counts on from it.
const REMOVE = `DELETE FROM _stream_records WHERE id IN (
  SELECT id FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < CAST(? AS INTEGER)
  ORDER BY CAST(sequence_number AS INTEGER) LIMIT ${MOST_AT_ONCE})`;

export interface StreamRecords {
  /** Removes records before this one, once it has been read; not at each call, and never for long. */
  read(position: string): void;
  close(): void;
}

/**
 * Opens the records of a table's stream, beside the engine that has the file open.
 * @throws Error when the file cannot be opened, or holds no such records
 */
export const openStreamRecords = (file: string, table: string): StreamRecords => {
  const database = new DatabaseSync(file, { timeout: START_MS });
  // Neither is ours to do: a removal that a power cut undoes is done again, and the engine tidies its own log.
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
      if (Number(changes) === MOST_AT_ONCE) timer = setTimeout(removeSome, PACE_MS / 20);
    } catch {
      // Most likely the engine is writing: they can go at any time.
      timer = setTimeout(removeSome, PACE_MS);
    }
    timer?.unref();
  };

  return {
    read(position) {
      latest = position;
      timer ??= setTimeout(removeSome, PACE_MS).unref();
    },
    close() {
      clearTimeout(timer);
      database.close();
    },
  };
};
