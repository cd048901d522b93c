/** Progress of work that takes a while: as a bar at a terminal, and otherwise as lines, as in a log file or a container. */
import { formatNumber } from "./format.ts";

const WIDTH = 24;
const PAUSE_MS = 100;
/** How often a line is printed where there is no terminal. */
const LINE_MS = 3_000;

export interface Progress {
  /** Adds to the number of items that are done. */
  add: (count: number) => void;
  /** Removes the bar. */
  end: () => void;
}

/** Where progress is shown. */
interface Output {
  isTTY?: boolean;
  /** 0 if the terminal does not say. */
  columns?: number;
  write: (text: string) => unknown;
}

const bar = (done: number, total: number, what: string, unit: string): string => {
  const count = formatNumber(done);
  // The total may be hours old and too small.
  if (total <= 0 || done > total) return `${what}: ${count} ${unit}`;
  const share = done / total;
  const filled = Math.floor(share * WIDTH);
  const drawn = `${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}`;
  return `${what} [${drawn}] ${Math.floor(share * 100)} % of ${formatNumber(total)} ${unit}`;
};

/**
 * Starts a progress bar.
 * @param how.asLines whether to print a line every few seconds if standard error is not a terminal; otherwise nothing
 */
export const startProgress = (
  what: string,
  total: number,
  unit = "items",
  { to = process.stderr, asLines = false }: { to?: Output; asLines?: boolean } = {},
): Progress => {
  let done = 0;
  let drawnAt = to.isTTY ? 0 : performance.now();
  return {
    add(count) {
      done += count;
      const now = performance.now();
      if (!(to.isTTY || asLines) || now - drawnAt < (to.isTTY ? PAUSE_MS : LINE_MS)) return;
      drawnAt = now;
      // A bar that is longer than the terminal's line could not be replaced.
      const drawn = bar(done, total, what, unit).slice(0, to.isTTY ? (to.columns || 80) - 1 : undefined);
      to.write(to.isTTY ? `\r\x1b[K${drawn}` : `${drawn}\n`);
    },
    end() {
      if (to.isTTY) to.write("\r\x1b[K");
    },
  };
};

/** Runs work with its name; see {@link announcer}. */
export type During = <T>(what: string, work: Promise<T>) => Promise<T>;

/**
 * Where there is no terminal, says at once what has begun, and every few seconds what is still being worked on.
 * @returns the function that runs work with its name, such as `Starting the database`
 */
export const announcer = (to: NodeJS.WriteStream = process.stdout): During => {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const since = performance.now();
  const remind = (): void => {
    const seconds = Math.round((performance.now() - since) / 1_000);
    to.write(`Still after ${seconds} s: ${[...pending].join(", ")}.\n`);
  };
  return async (what, work) => {
    if (to.isTTY) return work;
    to.write(`${what} ...\n`);
    pending.add(what);
    timer ??= setInterval(remind, LINE_MS).unref();
    try {
      return await work;
    } finally {
      pending.delete(what);
      if (pending.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    }
  };
};
