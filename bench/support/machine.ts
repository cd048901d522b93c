/** The machine that a bench runs on: its cores, and the share that other programs use. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

const TICK_MS = 10;

/** Processor time of the whole machine in milliseconds, including steal time. */
const totalTime = (): number => {
  const [, user = 0, nice = 0, system = 0, _idle, _waiting, interrupts = 0, soft = 0, stolen = 0] =
    readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/\s+/).map(Number) ?? [];
  return (user + nice + system + interrupts + soft + stolen) * TICK_MS;
};

/** The parent of a process, and the processor time of the process and its ended children, in milliseconds. */
const statOf = (pid: string): { parent: number; time: number } | null => {
  try {
    // The fields after the name, which may contain any character: state, parent, …
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ").map(Number);
    const ticks = fields?.slice(11, 15).reduce((sum, one) => sum + one, 0) ?? 0;
    return { parent: fields?.[1] ?? 0, time: ticks * TICK_MS };
  } catch {
    return null;
  }
};

/** Processor time of this process and its descendants, in milliseconds. */
const ownTime = (): number => {
  const stats = new Map(
    readdirSync("/proc").flatMap((name) => {
      const stat = /^\d+$/.test(name) ? statOf(name) : null;
      return stat === null ? [] : [[Number(name), stat] as const];
    }),
  );
  const isOwn = (pid: number): boolean =>
    pid === process.pid || (stats.has(pid) && isOwn(stats.get(pid)?.parent ?? 0));
  return [...stats].reduce((sum, [pid, { time }]) => (isOwn(pid) ? sum + time : sum), 0);
};

/** @returns a function that returns the share of the machine that other programs have used since then */
export const watchOtherPrograms = (): (() => number) => {
  const [started, total, own] = [performance.now(), totalTime(), ownTime()];
  return () => {
    const wall = performance.now() - started;
    return Math.max(0, totalTime() - total - (ownTime() - own)) / (wall * cpus().length);
  };
};

/** The driver sends requests and runs the database; the subject is measured. */
export type Side = "driver" | "subject";

/** Returns a core for each side, or `null` unless there are two cores and `taskset` is installed. */
const findCores = (): Record<Side, number> | null => {
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const [driver, subject] = list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
  if (driver === undefined || subject === undefined) return null;
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    return { driver, subject };
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
