/**
 * Importing a game: the file is read to its end before anything is written. The game's own item is written last, with
 * the end of the mark that an import is under way, so that half an import is known for one.
 */
import {
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import type { SweepClock } from "../../lib/domain/sweepClock.ts";
import { instantOf } from "../../lib/domain/time.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { keys } from "../../lib/store/keys.ts";
import { UserError } from "../cli/userError.ts";
import { openBatchWriter } from "./batches.ts";
import { isAt, keyOf, rawKey } from "./format.ts";
import { hasGame } from "./hasGame.ts";
import { findItemError, makeDuplicateKeyCheck } from "./limits.ts";
import type { RawItem } from "./rawItem.ts";
import { readGame, type Verified } from "./read.ts";
import type { Target } from "./target.ts";

export interface ImportOptions {
  file: string;
  /** Whether an import that was cut off goes on: what it wrote is written again. */
  resume: boolean;
  /** RFC 3339. */
  at: string;
  /** Hears that the file is whole, and of how many items. */
  onVerified?: (items: number) => void;
  /** Hears of each batch written. */
  onItems?: (count: number) => void;
}

const Importing = z.object({ sha256: z.string() });

/** Passes for a table without a game, or for one that an import of the same file has half filled. @throws UserError */
const requireRoom = async (
  target: Target,
  { file, resume }: Pick<ImportOptions, "file" | "resume">,
  { trailer: { sha256 } }: Verified,
): Promise<void> => {
  const mark = await target.db.get(keys.importing);
  if (mark !== undefined && Importing.parse(mark).sha256 !== sha256) {
    throw new UserError(`An import of another file into ${target.name} has not ended: resume that one.`);
  }
  if (mark !== undefined && !resume) {
    throw new UserError(`An import of ${file} into ${target.name} was cut off: go on with --resume.`);
  }
  if (mark === undefined && (await hasGame(target))) {
    throw new UserError(
      `In ${target.name} there is a game already, and a game is imported into an empty table only: choose another GAME_FILE, or another table. (Log entries, rate limits and failed logins do not count as a game; players, events and settings of a game do.)`,
    );
  }
};

/**
 * Begins, or goes on. From here on sweeps do nothing: without the game's own item, which comes last, they would judge
 * its zombies by the clock of a new game.
 */
const mark = async ({ db }: Target, sha256: string, at: string): Promise<void> => {
  try {
    await db.put({ ...keys.importing, sha256, at }, "absent");
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  await db.put({ ...keys.swept, at: instantOf(at), importing: true } satisfies SweepClock & Key);
};

/** Items of a file that are written last, in one transaction. */
interface Last {
  game: RawItem | null;
  /** The sweep's clock; a file of an earlier version has none. */
  swept: RawItem | null;
}

/** The last writes: the game, the clock of its sweeps, and the end of the mark. */
const finish = async ({ client, table, name }: Target, { game, swept }: Last): Promise<void> => {
  const put: TransactWriteItem[] =
    game === null
      ? []
      : [{ Put: { TableName: table, Item: game, ConditionExpression: "attribute_not_exists(pk)" } }];
  const clock: TransactWriteItem =
    swept === null
      ? { Delete: { TableName: table, Key: rawKey(keys.swept) } }
      : { Put: { TableName: table, Item: swept } };
  const remove: TransactWriteItem = {
    Delete: { TableName: table, Key: rawKey(keys.importing), ConditionExpression: "attribute_exists(pk)" },
  };
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: [...put, clock, remove] }));
  } catch (error) {
    if (!(error instanceof Error && error.name === "TransactionCanceledException")) throw error;
    throw new UserError(
      `A service has used ${name} while it was filled, and began a game of its own there. Import again into an empty table.`,
    );
  }
};

const stream = ({ client, table }: Target, on: boolean): Promise<unknown> =>
  client.send(
    new UpdateTableCommand({
      TableName: table,
      StreamSpecification: on
        ? { StreamEnabled: true, StreamViewType: "NEW_IMAGE" }
        : { StreamEnabled: false },
    }),
  );

/** Fills a local table without its stream: the embedded engine writes several times as fast (docs/decisions/0009-local-stream.md). */
const withoutStream = async (target: Target, fill: () => Promise<void>): Promise<void> => {
  if (!target.isLocal) return fill();
  await stream(target, false).catch(() => {});
  try {
    await fill();
  } finally {
    await stream(target, true);
  }
};

/** Checks the items of a file, one after the other. @throws UserError for one that the table would not take */
const itemChecker = (file: string): ((item: RawItem, line: number) => void) => {
  const isThere = makeDuplicateKeyCheck();
  return (item, line) => {
    const fault = findItemError(item) ?? (isThere(keyOf(item)) ? "an earlier line has the same key" : null);
    if (fault !== null) throw new UserError(`${file} is broken: line ${line}: ${fault}.`);
  };
};

/**
 * Reads a file to its end, and looks whether a table can take it.
 * @throws UserError when the file is not whole, or there is a game in the table
 */
export const previewImport = async (
  target: Target,
  options: Pick<ImportOptions, "file" | "resume">,
): Promise<Verified> => {
  const verified = await readGame(options.file, itemChecker(options.file));
  await requireRoom(target, options, verified);
  return verified;
};

/**
 * Reads a file to its end, and then fills a table without a game with it. Log entries that lie there stay.
 * @throws UserError when the file is not whole or there is a game in the table: then nothing was written
 */
export const importGame = async (target: Target, options: ImportOptions): Promise<Verified> => {
  const { file, at, onItems = () => {} } = options;
  const verified = await previewImport(target, options);
  options.onVerified?.(verified.trailer.items);
  await withoutStream(target, async () => {
    const { sha256 } = verified.trailer;
    await mark(target, sha256, at);
    const last: Last = { game: null, swept: null };
    const writing = openBatchWriter(target, onItems);
    let again: Verified;
    try {
      again = await readGame(file, async (item) => {
        if (isAt(item, keys.game)) last.game = item;
        else if (isAt(item, keys.swept)) last.swept = item;
        else await writing.add({ PutRequest: { Item: item } });
      });
      await writing.end();
    } finally {
      await writing.idle();
    }
    if (again.trailer.sha256 !== sha256) {
      throw new UserError(`${file} was changed while it was read: empty the table, and import again.`);
    }
    await finish(target, last);
  });
  return verified;
};
