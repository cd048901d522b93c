/** The record of a running service, beside its game: for the tools, and for a start after a `kill -9`. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod/mini";
import type { Child } from "../cli/childProcess.ts";

const Process = z.object({ pid: z.number(), command: z.array(z.string()) });

const RunRecord = z.object({
  /** The process of `npm start`. */
  pid: z.number(),
  /** Where the service answers. */
  url: z.string(),
  /** The settings of its functions: DYNAMODB_ENDPOINT, TABLE_NAME and the others by name. */
  settings: z.record(z.string(), z.string()),
  /** What it has started. */
  children: z.array(Process),
  /** The folder of what ends with the service: its socket, and a game in memory. */
  scratch: z.optional(z.string()),
});
export type RunRecord = z.infer<typeof RunRecord>;

const draftOf = (file: string): string => `${file}.new`;

/** Writes the record, readable by nobody else since it holds keys. */
export const writeRecord = async (file: string, record: RunRecord): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const draft = draftOf(file);
  await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
};

/** The record; null when there is none that can be read. */
export const readRecord = async (file: string): Promise<RunRecord | null> => {
  try {
    return RunRecord.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null;
  }
};

export const removeRecord = async (file: string): Promise<void> => {
  await Promise.all([rm(file, { force: true }), rm(draftOf(file), { force: true })]);
};

/** What the record keeps of a child. */
export const childRecord = ({ pid, command }: Child): RunRecord["children"][number] => ({
  pid,
  command: [...command],
});

/** Whether the process of this number still is the one that was started, and not another that got it since. */
const stillRuns = async ({ pid, command }: RunRecord["children"][number]): Promise<boolean> => {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")) === `${command.join("\0")}\0`;
  } catch {
    return false;
  }
};

const waitUntilGone = async (
  process: RunRecord["children"][number],
  patienceMs: number,
): Promise<boolean> => {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    if (!(await stillRuns(process))) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // Gone in this moment.
  }
};

/**
 * Ends what a killed start has left running, and removes its record. Only for whoever holds the game, since
 * then the process that wrote the record is gone.
 */
export const stopLeftovers = async (file: string): Promise<void> => {
  const record = await readRecord(file);
  for (const leftover of record?.children ?? []) {
    if (!(await stillRuns(leftover))) continue;
    signal(leftover.pid, "SIGTERM");
    if (await waitUntilGone(leftover, 3_000)) continue;
    signal(leftover.pid, "SIGKILL");
    await waitUntilGone(leftover, 2_000);
  }
  if (record?.scratch !== undefined) await rm(record.scratch, { recursive: true, force: true });
  await removeRecord(file);
};
