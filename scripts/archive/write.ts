/** Writing a game into a file: line by line as it is read, under another name until it is whole. */
import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { parseGame } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { exportFilter, FORMAT, type Header, lineOf, type Trailer, VERSION } from "./format.ts";
import { scanAll } from "./scan.ts";
import type { Target } from "./target.ts";

export interface ExportOptions {
  file: string;
  withSessions: boolean;
  /** Whether a file of that name may be replaced. */
  force: boolean;
  /** RFC 3339. */
  at: string;
  /** Hears of each page read. */
  onItems?: (count: number) => void;
}

export interface Exported {
  items: number;
  sha256: string;
}

/** For its owner alone: it holds password hashes. */
const MODE = 0o600;

const exists = async (file: string): Promise<boolean> => {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
};

const requireFree = async ({ file, force }: ExportOptions): Promise<void> => {
  if (!force && (await exists(file))) {
    throw new UserError(`${file} exists: name another file, or give --force to replace it.`);
  }
};

type Source = Pick<Target, "client" | "db" | "table" | "name">;

/** The job that the game waits for, without which nobody could set a checkpoint again. */
const awaitedJob = async ({ db, name }: Source): Promise<string | null> => {
  if ((await db.get(keys.importing)) !== undefined) {
    throw new UserError(`An import into ${name} has not ended: finish it with --resume first.`);
  }
  if ((await db.get(keys.resetting)) !== undefined) {
    throw new UserError(`A reset of ${name} has not ended: finish it with npm run reset -- --resume first.`);
  }
  const item = await db.get(keys.game);
  return item === undefined ? null : parseGame(item).enforcing;
};

const writeAll = async (source: Source, to: FileHandle, options: ExportOptions): Promise<Exported> => {
  const isExported = exportFilter({ ...options, job: await awaitedJob(source) });
  const hash = createHash("sha256");
  let items = 0;
  let last = Promise.resolve();
  const write = (lines: readonly string[]): Promise<void> => {
    const block = lines.map((line) => `${line}\n`).join("");
    // Several stretches are read at once, and their lines follow one another.
    last = last.then(async () => {
      hash.update(block);
      await to.appendFile(block);
    });
    return last;
  };
  const header: Header = { format: FORMAT, version: VERSION, at: options.at, table: source.table };
  await write([JSON.stringify(header)]);
  await scanAll(source, async (page) => {
    const wanted = page.filter(isExported);
    items += wanted.length;
    await write(wanted.map(lineOf));
    options.onItems?.(page.length);
  });
  const trailer: Trailer = { items, sha256: hash.digest("hex") };
  await to.appendFile(`${JSON.stringify(trailer)}\n`);
  await to.sync();
  return trailer;
};

/**
 * Writes a whole game into a file.
 * @throws UserError when the file exists, or cannot be written
 */
export const exportGame = async (source: Source, options: ExportOptions): Promise<Exported> => {
  const { file } = options;
  await requireFree(options);
  const partial = `${file}.partial`;
  // What an export that was cut off has left may be readable by others.
  await rm(partial, { force: true });
  const to = await open(partial, "wx", MODE).catch((error: unknown) => {
    throw new UserError(`${file} cannot be written: ${messageOf(error)}`);
  });
  try {
    const done = await writeAll(source, to, options);
    await requireFree(options);
    await rename(partial, file);
    return done;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await to.close();
  }
};
