/** Captures the log of a test. */
import { afterEach, beforeEach, vi } from "vitest";
import { log } from "../../lib/runtime/log.ts";

/** Every line, including debug level; emptied before each test. */
export const logLines = (): readonly string[] => {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, "write").mockImplementation((text) => {
        lines.push(String(text));
        return true;
      });
    }
    log.setLevel("DEBUG");
  });
  afterEach(() => {
    vi.restoreAllMocks();
    log.setLevel("SILENT");
  });
  return lines;
};
