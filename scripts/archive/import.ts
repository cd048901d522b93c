/**
 * Imports a game. The whole file is read and checked before anything is written. The game item is written last, in
 * one transaction with the removal of the import marker, so an interrupted import can be detected.
 */
import { randomUUID } from "node:crypto";
import {
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import type { SweepClock } from "../../lib/domain/starvation/sweepClock.ts";
import { instantOf } from "../../lib/domain/time.ts";
import type { Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { type RawItem, rawKey } from "../../lib/dynamodb/rawItem.ts";
import { foldJoinCode, readJoinCodes } from "../../lib/store/accounts/joinCodes.ts";
import { isAt } from "../../lib/store/archiveItems.ts";
import { keys } from "../../lib/store/keys.ts";
import { quoteSafely } from "../cli/format.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { openBatchWriter } from "./batches.ts";
import { readGame, type Verified } from "./read.ts";
import { hasGame } from "./scan.ts";
import type { Target } from "./target.ts";

export interface ImportOptions {
  file: string;
  /** Whether to continue an interrupted import. Items that it wrote are written again. */
  resume: boolean;
  /** RFC 3339. */
  at: string;
  /** Called with the number of items when the file has been checked. */
  onVerified?: (items: number) => void;
  /** Called with the number of items of each batch that was written. */
  onItems?: (count: number) => void;
}

const Importing = z.object({ sha256: z.string() });

/** Checks that the table has no game, or holds an interrupted import of the same file. @throws UserError */
const requireRoom = async (
  target: Target,
  { file, resume }: Pick<ImportOptions, "file" | "resume">,
  { trailer: { sha256 } }: Verified,
): Promise<void> => {
  const mark = await target.db.get(keys.importing);
  if (mark !== undefined && Importing.parse(mark).sha256 !== sha256) {
    throw new UserError(
      `An import of another file into ${target.name} is unfinished. Resume that import first.`,
    );
  }
  if (mark !== undefined && !resume) {
    throw new UserError(
      `An import of ${file} into ${target.name} was interrupted. Continue it with --resume.`,
    );
  }
  if (mark === undefined && (await hasGame(target))) {
    throw new UserError(
      `${target.name} already contains items, and import needs an empty table. Choose another GAME_FILE or another table. (Log entries, rate limits and failed logins are allowed in an empty table.)`,
    );
  }
};

/**
 * Writes the import marker, or continues with the existing one. Sweeps do nothing while it exists, because without
 * the game item they would use the clock of a new game.
 */
const mark = async ({ db }: Target, sha256: string, at: string): Promise<void> => {
  try {
    await db.put({ ...keys.importing, sha256, at }, "absent");
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
  await db.put({ ...keys.sweepClock, at: instantOf(at), importing: true } satisfies SweepClock & Key);
};

/** Removes what holds `JOIN_CODE` in a table without a game: the imported game has its own settings. */
const removeSeeds = async ({ db }: Target): Promise<void> => {
  const codes = await readJoinCodes(db);
  await db.transact(
    [
      { remove: keys.game },
      ...codes.map(({ code }): Write => ({ remove: keys.joinCode(foldJoinCode(code)) })),
    ],
    randomUUID(),
  );
};

/** Items that are written last, in one transaction. */
interface Last {
  game: RawItem | null;
  /** The sweep clock; files of an earlier version have none. */
  swept: RawItem | null;
}

/** Writes the game item and the sweep clock, and removes the import marker. */
const finish = async ({ client, table, name }: Target, { game, swept }: Last): Promise<void> => {
  const put: TransactWriteItem[] =
    game === null
      ? []
      : [{ Put: { TableName: table, Item: game, ConditionExpression: "attribute_not_exists(pk)" } }];
  const clock: TransactWriteItem =
    swept === null
      ? { Delete: { TableName: table, Key: rawKey(keys.sweepClock) } }
      : { Put: { TableName: table, Item: swept } };
  const remove: TransactWriteItem = {
    Delete: { TableName: table, Key: rawKey(keys.importing), ConditionExpression: "attribute_exists(pk)" },
  };
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: [...put, clock, remove] }));
  } catch (error) {
    if (!(error instanceof Error && error.name === "TransactionCanceledException")) throw error;
    throw new UserError(
      `A service used ${name} during the import and started its own game there. Import again into an empty table.`,
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

/**
 * Switches the stream of a local table off while it is filled: the embedded engine then writes several times faster
 * (docs/decisions/0009-local-stream.md).
 */
const withoutStream = async (target: Target, fill: () => Promise<void>): Promise<void> => {
  if (!target.isLocal) return fill();
  await stream(target, false).catch(() => {});
  try {
    await fill();
  } finally {
    await stream(target, true);
  }
};

/**
 * Reads and checks a file, and checks that it can be imported into the table.
 * @throws UserError if the file is incomplete or invalid, or the table contains a game
 */
export const previewImport = async (
  target: Target,
  options: Pick<ImportOptions, "file" | "resume">,
): Promise<Verified> => {
  const verified = await readGame(options.file);
  await requireRoom(target, options, verified);
  return verified;
};

/**
 * Reads and checks a file, then writes its items to the table. Existing log entries stay.
 * @throws UserError if the file is incomplete or invalid, or the table contains a game (nothing is written then); also
 *   if the file changes meanwhile, or a service uses the table
 */
export const importGame = async (target: Target, options: ImportOptions): Promise<Verified> => {
  const { file, at, onItems = () => {} } = options;
  const verified = await previewImport(target, options);
  options.onVerified?.(verified.trailer.items);
  await withoutStream(target, async () => {
    const { sha256 } = verified.trailer;
    // Before the marker: a game that a service begins after it is found at the end.
    await removeSeeds(target);
    await mark(target, sha256, at);
    const last: Last = { game: null, swept: null };
    const writing = openBatchWriter(target, onItems);
    let again: Verified;
    try {
      again = await readGame(file, async (item) => {
        if (isAt(item, keys.game)) last.game = item;
        else if (isAt(item, keys.sweepClock)) last.swept = item;
        else await writing.add({ PutRequest: { Item: item } });
      });
      await writing.end();
    } catch (error) {
      if (!(error instanceof Error && error.name === "ValidationException")) throw error;
      throw new UserError(
        `${file} is invalid: the database refuses an item: ${quoteSafely(messageOf(error), 300)}. Empty the table.`,
      );
    } finally {
      await writing.idle();
    }
    if (again.trailer.sha256 !== sha256) {
      throw new UserError(`${file} changed during the import. Empty the table and import again.`);
    }
    await finish(target, last);
  });
  return verified;
};
