/**
 * What waits for the workers of a local service, in a SQLite file next to the game: the messages of its queue, and how far
 * the table's stream has been read.
 */
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { messageOf, UserError } from "../cli/userError.ts";
import { PRIVATE_FILE_MODE } from "./privateFiles.ts";

/** As in `resources/queue.yml`, which tests/unit/localWorkers.test.ts compares. */
export const HIDDEN_MS = 360_000;
export const MAX_RECEIVES = 5;

const TABLES = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY, body TEXT NOT NULL, sent INTEGER NOT NULL, due INTEGER NOT NULL,
    receives INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS positions (shard TEXT PRIMARY KEY, sequence TEXT NOT NULL) STRICT`;

const Message = z.object({
  id: z.string(),
  body: z.string(),
  /** When it was sent, and when it can be received, in milliseconds since 1970. */
  sent: z.number(),
  due: z.number(),
  /** How often it was received. */
  receives: z.number(),
});
export type Message = z.infer<typeof Message>;

const Position = z.optional(z.object({ sequence: z.string() }));

/** How far each shard of a stream has been read. */
export interface Positions {
  get(shard: string): string | undefined;
  set(shard: string, sequence: string): unknown;
}

export interface Backlog {
  /** Stores a message. @param delay how long it cannot be received, in milliseconds. @returns its id */
  send(body: string, delay: number): string;
  /** Takes messages that are due. They become due again after the visibility timeout, unless they are removed. */
  take(most: number): Message[];
  /** Removes taken messages, unless they have been taken again since. */
  remove(taken: readonly Message[]): void;
  /** All messages. Those that were received five times and are due again are dead letters: they are kept. */
  inspect(): (Message & { state: "ready" | "delayed" | "in flight" | "dead" })[];
  /** Makes all delayed and failed messages due. */
  hurry(): void;
  /** Removes all messages. */
  purge(): void;
  readonly positions: Positions;
  close(): void;
}

/** Opens the file, with other processes. @throws UserError if it cannot be used */
const openFile = (file: string): DatabaseSync => {
  try {
    if (file !== ":memory:") {
      mkdirSync(dirname(file), { recursive: true });
      closeSync(openSync(file, "a", PRIVATE_FILE_MODE));
    }
    const database = new DatabaseSync(file, { timeout: 10_000 });
    database.exec(TABLES);
    return database;
  } catch (error) {
    throw new UserError(`The queue in ${file} cannot be opened: ${messageOf(error)}. Move that file away.`);
  }
};

/** Opens a backlog. What was accepted survives the end of the process. @param file `:memory:` for none */
export const openBacklog = (file: string): Backlog => {
  const database = openFile(file);
  const insert = database.prepare("INSERT INTO messages (id, body, sent, due) VALUES (?, ?, ?, ?)");
  const take =
    database.prepare(`UPDATE messages SET due = ? + ${HIDDEN_MS}, receives = receives + 1 WHERE id IN (
    SELECT id FROM messages WHERE due <= ? AND receives < ${MAX_RECEIVES} ORDER BY due, rowid LIMIT ?) RETURNING *`);
  const isDue = database.prepare(`SELECT 1 FROM messages WHERE due <= ? AND receives < ${MAX_RECEIVES}`);
  const remove = database.prepare("DELETE FROM messages WHERE id = ? AND receives = ?");
  const all = database.prepare("SELECT * FROM messages ORDER BY rowid");
  const read = database.prepare("SELECT sequence FROM positions WHERE shard = ?");
  const write = database.prepare("INSERT OR REPLACE INTO positions VALUES (?, ?)");
  const parse = (rows: unknown[]): Message[] => rows.map((row) => Message.parse(row));
  const stateOf = ({ due, receives }: Message, now: number) => {
    if (due > now) return receives > 0 ? "in flight" : "delayed";
    return receives < MAX_RECEIVES ? "ready" : "dead";
  };
  return {
    send(body, delay) {
      const [id, now] = [randomUUID(), Date.now()];
      insert.run(id, body, now, now + delay);
      return id;
    },
    take(most) {
      const now = Date.now();
      // Most of the time nothing is due, and reading costs less than writing nothing.
      return isDue.get(now) === undefined ? [] : parse(take.all(now, now, most));
    },
    remove(taken) {
      for (const { id, receives } of taken) remove.run(id, receives);
    },
    inspect() {
      const now = Date.now();
      return parse(all.all()).map((message) => ({ ...message, state: stateOf(message, now) }));
    },
    hurry: () => database.exec("UPDATE messages SET due = 0"),
    purge: () => database.exec("DELETE FROM messages"),
    positions: {
      get: (shard) => Position.parse(read.get(shard))?.sequence,
      set: (shard, sequence) => write.run(shard, sequence),
    },
    close: () => database.close(),
  };
};
