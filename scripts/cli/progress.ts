/** A progress bar on standard error, if that is a terminal. */
import { formatNumber } from "./format.ts";

const WIDTH = 24;
const PAUSE_MS = 100;

export interface Progress {
  /** Adds to the number of items that are done. */
  add: (count: number) => void;
  /** Removes the bar. */
  end: () => void;
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

/** Starts a progress bar. It prints nothing if standard error is not a terminal. */
export const startProgress = (what: string, total: number, unit = "items", to = process.stderr): Progress => {
  let done = 0;
  let drawnAt = 0;
  return {
    add(count) {
      done += count;
      const now = performance.now();
      if (!to.isTTY || now - drawnAt < PAUSE_MS) return;
      drawnAt = now;
      to.write(`\r\x1b[K${bar(done, total, what, unit)}`);
    },
    end() {
      if (to.isTTY) to.write("\r\x1b[K");
    },
  };
};
