/** The machine that a bench runs on: its cores, and the share that other programs use. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

const TICK_MS = 10;

/** Idle time of all cores, in milliseconds. */
const idleTime = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** Processor time of a process, of its ended children, and of its descendants, in milliseconds; 0 if it has ended. */
const processTime = (pid: number | string): number => {
  try {
    // The fields after the name, which may contain any character.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean);
    const times = [
      ...fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_MS),
      ...children.map(processTime),
    ];
    return times.reduce((sum, time) => sum + time, 0);
  } catch {
    return 0;
  }
};

/** @returns a function that returns the share of the machine that other programs have used since then */
export const watchOtherPrograms = (): (() => number) => {
  const [started, idle, own] = [performance.now(), idleTime(), processTime(process.pid)];
  return () => {
    const total = (performance.now() - started) * cpus().length;
    const notOthers = idleTime() - idle + processTime(process.pid) - own;
    return Math.max(0, 1 - notOthers / total);
  };
};

/** The driver sends requests and runs the database; the subject is measured. */
export type Side = "driver" | "subject";

/** Returns a core for each side, or `null` unless there are two cores and `taskset` is installed. */
const findCores = (): Record<Side, number> | null => {
  try {
    const shown = execFileSync("taskset", ["-cp", String(process.pid)], { encoding: "utf8" });
    const [driver, subject] = (shown.split(": ")[1] ?? "").split(",").flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, n) => first + n);
    });
    return driver === undefined || subject === undefined ? null : { driver, subject };
  } catch {
    return null;
  }
};

const CORES = findCores();
let isPinned = false;

/** Pins this process, and processes that it starts later, to the core of a side. */
export const pinProcessTo = (side: Side): void => {
  if (CORES === null) return;
  execFileSync("taskset", ["-acp", String(CORES[side]), String(process.pid)], { stdio: "ignore" });
  isPinned = true;
};

/** Returns the command that runs another command on the core of a side. */
export const commandOn = (side: Side, command: readonly string[]): string[] =>
  CORES === null ? [...command] : ["taskset", "-c", String(CORES[side]), ...command];

export const machine = () => ({
  cpu: cpus()[0]?.model ?? "",
  cores: cpus().length,
  node: process.version,
  pinned: isPinned,
});
