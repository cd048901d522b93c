/** The machine that a bench runs on: its cores, and how much of it goes to others meanwhile. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

/** How long the kernel's ticks are, in milliseconds. */
const TICK = 10;

/** What the whole machine has done, in milliseconds of a core; what it was kept from doing counts too. */
const busy = (): number => {
  const [, user = 0, nice = 0, system = 0, _idle, _waiting, interrupts = 0, soft = 0, stolen = 0] =
    readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/\s+/).map(Number) ?? [];
  return (user + nice + system + interrupts + soft + stolen) * TICK;
};

interface Running {
  parent: number;
  time: number;
}

/** A process, with the time that it and its ended children have had. */
const running = (pid: string): Running | null => {
  try {
    // After the name, which may hold anything in its parentheses: state, parent, …
    const fields =
      readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ").map(Number) ?? [];
    return {
      parent: fields[1] ?? 0,
      time: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK,
    };
  } catch {
    return null;
  }
};

/** What this process and all that it has started have done, in milliseconds of a core. */
const ours = (): number => {
  const processes = new Map<number, Running>();
  for (const name of readdirSync("/proc")) {
    const one = /^\d+$/.test(name) ? running(name) : null;
    if (one !== null) processes.set(Number(name), one);
  }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (processes.has(pid) && isOurs(processes.get(pid)?.parent ?? 0));
  let sum = 0;
  for (const [pid, { time }] of processes) if (isOurs(pid)) sum += time;
  return sum;
};

/** Watches from now on. @returns tells what part of the machine has gone to whatever else runs on it */
export const watchOthers = (): (() => number) => {
  const [started, all, own] = [performance.now(), busy(), ours()];
  return () => {
    const wall = performance.now() - started;
    return Math.max(0, busy() - all - (ours() - own)) / (wall * cpus().length);
  };
};

/** A core for whoever asks, with the database that answers, and one for whoever is measured. */
interface Cores {
  driver: number;
  subject: number;
}

const allowed = (): number[] => {
  const [, list = ""] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
};

const findCores = (): Cores | null => {
  const [driver, subject] = allowed();
  if (driver === undefined || subject === undefined) return null;
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    return { driver, subject };
  } catch {
    return null;
  }
};

/** Where two are to be had, and `taskset` is there. */
const CORES: Cores | null = findCores();

export type Side = keyof Cores;

let isPinned = false;

/** Moves this process to a core; what it starts from now on is there too. */
export const moveTo = (side: Side): void => {
  if (CORES === null) return;
  execFileSync("taskset", ["-acp", String(CORES[side]), String(process.pid)], { stdio: "ignore" });
  isPinned = true;
};

/** A command that runs on a core. */
export const commandOn = (side: Side, command: readonly string[]): string[] =>
  CORES === null ? [...command] : ["taskset", "-c", String(CORES[side]), ...command];

/** What the results were measured on. */
export const machine = () => ({
  cpu: cpus()[0]?.model ?? "",
  cores: cpus().length,
  node: process.version,
  pinned: isPinned,
});
