/** The run file of a service, next to its game: for commands, and for cleaning up after a `kill -9`. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod/mini";
import type { Child } from "../cli/childProcess.ts";
import { runsCommand } from "../cli/processes.ts";
import { sleep } from "../cli/sleep.ts";
import { PRIVATE_FILE_MODE } from "./privateFiles.ts";

const Process = z.object({ pid: z.number(), command: z.array(z.string()) });

const RunRecord = z.object({
  /** The process id of `npm start`. */
  pid: z.number(),
  url: z.string(),
  /** The settings of its functions by name, such as DYNAMODB_ENDPOINT and TABLE_NAME. */
  settings: z.record(z.string(), z.string()),
  children: z.array(Process),
  /** The temporary directory, with the socket and a game in memory. */
  scratch: z.optional(z.string()),
});
export type RunRecord = z.infer<typeof RunRecord>;

const draftOf = (file: string): string => `${file}.new`;

/** Writes the run file, readable only by its owner because it contains keys. */
export const writeRecord = async (file: string, record: RunRecord): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const draft = draftOf(file);
  await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE_MODE });
  await rename(draft, file);
};

/** Reads the run file; null if it is missing or invalid. */
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

/** Describes a child process in the run file. */
export const childRecord = ({ pid, command }: Child): RunRecord["children"][number] => ({
  pid,
  command: [...command],
});

const waitUntilGone = async (
  process: RunRecord["children"][number],
  patienceMs: number,
): Promise<boolean> => {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    if (!(await runsCommand(process))) return true;
    await sleep(20);
  }
  return false;
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
};

/**
 * Stops processes that a killed service left running, and removes its run file. The caller must hold the game's lock,
 * so that the service itself has ended.
 */
export const stopLeftovers = async (file: string): Promise<void> => {
  const record = await readRecord(file);
  for (const leftover of record?.children ?? []) {
    if (!(await runsCommand(leftover))) continue;
    signal(leftover.pid, "SIGTERM");
    if (await waitUntilGone(leftover, 3_000)) continue;
    signal(leftover.pid, "SIGKILL");
    await waitUntilGone(leftover, 2_000);
  }
  if (record?.scratch !== undefined) await rm(record.scratch, { recursive: true, force: true });
  await removeRecord(file);
};
