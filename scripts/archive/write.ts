/** Writes export files. A file has a temporary name until it is complete. */
import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { lineOf } from "../../lib/dynamodb/rawItem.ts";
import { exportFilter, FORMAT, VERSION } from "../../lib/store/archiveItems.ts";
import { parseGame } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { PRIVATE_FILE_MODE } from "../local/privateFiles.ts";
import type { Header, Trailer } from "./format.ts";
import { scanAll } from "./scan.ts";
import type { Target } from "./target.ts";

export interface ExportOptions {
  file: string;
  withSessions: boolean;
  /** Whether an existing file may be replaced. */
  force: boolean;
  /** What else to do if it may not, for the message; default `--force`. */
  instead?: string;
  /** RFC 3339. */
  at: string;
  awards?: unknown;
  /** Called with the number of items of each page that was read. */
  onItems?: (count: number) => void;
}

export interface Exported {
  items: number;
  sha256: string;
}

const exists = async (file: string): Promise<boolean> => {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
};

/** Converts an error of the file system, such as a full disk. */
const cannotWrite =
  (file: string) =>
  (error: unknown): never => {
    throw new UserError(`${file} cannot be written: ${messageOf(error)}`);
  };

const requireFree = async ({
  file,
  force,
  instead = "replace it with --force",
}: ExportOptions): Promise<void> => {
  if (!force && (await exists(file)))
    throw new UserError(`${file} already exists. Name another file, or ${instead}.`);
};

type Source = Pick<Target, "client" | "db" | "table" | "name">;

/** Checks that no import is in progress or was interrupted. @throws UserError */
export const requireNoImport = async ({ db, name }: Pick<Source, "db" | "name">): Promise<void> => {
  if ((await db.get(keys.importing)) === undefined) return;
  throw new UserError(
    `An import into ${name} is unfinished. Finish it with npm run import -- --file FILE --resume first.`,
  );
};

/** Checks that no reset is in progress or was interrupted: it has renewed a part of the game. @throws UserError */
const requireNoReset = async ({ db, name }: Source): Promise<void> => {
  if ((await db.get(keys.resetting)) === undefined) return;
  throw new UserError(`A reset of ${name} is unfinished. Finish it with npm run reset -- --resume first.`);
};

/** Returns the id of the job that the game item refers to. Without that job no new checkpoint could be set. */
const awaitedJob = async (source: Source): Promise<string | null> => {
  await requireNoImport(source);
  await requireNoReset(source);
  const item = await source.db.get(keys.game);
  return item === undefined ? null : parseGame(item).enforcing;
};

const writeAll = async (source: Source, to: FileHandle, options: ExportOptions): Promise<Exported> => {
  const fail = cannotWrite(options.file);
  const isExported = exportFilter({ ...options, job: await awaitedJob(source) });
  const hash = createHash("sha256");
  let items = 0;
  let last = Promise.resolve();
  const write = (lines: readonly string[]): Promise<void> => {
    const block = lines.map((line) => `${line}\n`).join("");
    // Segments are read concurrently, so their lines are written one block at a time.
    last = last.then(async () => {
      hash.update(block);
      await to.appendFile(block).catch(fail);
    });
    return last;
  };
  const { at, awards } = options;
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    at,
    table: source.table,
    ...(awards === undefined ? {} : { awards }),
  };
  await write([JSON.stringify(header)]);
  await scanAll(source, async (page) => {
    const wanted = page.filter(isExported);
    items += wanted.length;
    await write(wanted.map(lineOf));
    options.onItems?.(page.length);
  });
  await requireNoReset(source);
  const trailer: Trailer = { items, sha256: hash.digest("hex") };
  await to.appendFile(`${JSON.stringify(trailer)}\n`).catch(fail);
  await to.sync().catch(fail);
  return trailer;
};

/** Whether a path still leads to an open file: another export to it begins with one of its own. */
const isAt = async (path: string, opened: FileHandle): Promise<boolean> => {
  const [there, own] = await Promise.all([stat(path).catch(() => null), opened.stat()]);
  return there?.ino === own.ino && there.dev === own.dev;
};

/**
 * Exports a complete game to a file.
 * @throws UserError if the file exists or cannot be written, or if another export to it has begun meanwhile
 */
export const exportGame = async (source: Source, options: ExportOptions): Promise<Exported> => {
  const { file } = options;
  await requireFree(options);
  const partial = `${file}.partial`;
  // A partial file of an interrupted export may be readable by other accounts.
  await rm(partial, { force: true }).catch(cannotWrite(file));
  const to = await open(partial, "wx", PRIVATE_FILE_MODE).catch(cannotWrite(file));
  try {
    const done = await writeAll(source, to, options);
    await requireFree(options);
    if (!(await isAt(partial, to)))
      throw new UserError(`Another export to ${file} has begun meanwhile. Wait until it has ended.`);
    await rename(partial, file).catch(cannotWrite(file));
    return done;
  } catch (error) {
    if (await isAt(partial, to)) await rm(partial, { force: true });
    throw error;
  } finally {
    await to.close();
  }
};
