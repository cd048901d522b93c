/**
 * Importing a game: the file is read to its end before anything is written, and the game's own item is written last,
 * with the end of the mark that an import is under way, so that half an import is known for one.
 */
import {
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { Stale } from "../../lib/store/database.ts";
import { keys } from "../../lib/store/keys.ts";
import { UserError } from "../local/userError.ts";
import { batches } from "./batches.ts";
import { isAt, rawKey } from "./format.ts";
import { readGame, type Verified } from "./read.ts";
import { isEmpty, type RawItem } from "./scan.ts";
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

/** Passes for an empty table, or for one that an import of the same file has half filled. */
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
  if (mark === undefined && !(await isEmpty(target))) {
    throw new UserError(
      `In ${target.name} there is something already, and a game is imported into an empty table only: choose another GAME_FILE, or another table.`,
    );
  }
};

/** Begins, or goes on. */
const mark = async ({ db }: Target, sha256: string, at: string): Promise<void> => {
  try {
    await db.put({ ...keys.importing, sha256, at }, "absent");
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
  }
};

/** The last writes: the game, and the end of the mark. */
const finish = async ({ client, table, name }: Target, game: RawItem | null): Promise<void> => {
  const put: TransactWriteItem[] =
    game === null
      ? []
      : [{ Put: { TableName: table, Item: game, ConditionExpression: "attribute_not_exists(pk)" } }];
  const remove: TransactWriteItem = {
    Delete: { TableName: table, Key: rawKey(keys.importing), ConditionExpression: "attribute_exists(pk)" },
  };
  try {
    await client.send(new TransactWriteItemsCommand({ TransactItems: [...put, remove] }));
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

/** Fills a local table unheard: otherwise the next start would tell everybody anew what happened long ago. */
const unheard = async (target: Target, fill: () => Promise<void>): Promise<void> => {
  if (!target.isLocal) return fill();
  await stream(target, false).catch(() => {});
  try {
    await fill();
  } finally {
    await stream(target, true);
  }
};

/**
 * Reads a file to its end, and looks whether a table can take it.
 * @throws UserError when the file is not whole, or the table not empty
 */
export const prospectOfImport = async (
  target: Target,
  options: Pick<ImportOptions, "file" | "resume">,
): Promise<Verified> => {
  const verified = await readGame(options.file, () => {});
  await requireRoom(target, options, verified);
  return verified;
};

/**
 * Reads a file to its end, and then fills an empty table with it.
 * @throws UserError when the file is not whole or the table not empty: then nothing was written
 */
export const importGame = async (target: Target, options: ImportOptions): Promise<Verified> => {
  const { file, at, onItems = () => {} } = options;
  const verified = await prospectOfImport(target, options);
  options.onVerified?.(verified.trailer.items);
  await unheard(target, async () => {
    const { sha256 } = verified.trailer;
    await mark(target, sha256, at);
    let game: RawItem | null = null;
    const writing = batches(target, onItems);
    let again: Verified;
    try {
      again = await readGame(file, async (item) => {
        if (isAt(item, keys.game)) game = item;
        else await writing.add({ PutRequest: { Item: item } });
      });
      await writing.end();
    } finally {
      await writing.idle();
    }
    if (again.trailer.sha256 !== sha256) {
      throw new UserError(`${file} was changed while it was read: empty the table, and import again.`);
    }
    await finish(target, game);
  });
  return verified;
};
