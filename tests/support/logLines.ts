/** What is written to the log while a story is told, to look for what should not be there. */
import { afterEach, beforeEach, vi } from "vitest";
import { log } from "../../lib/runtime/log.ts";

/** Catches every line, debugging ones too; the list is emptied before each story. */
export const logLines = (): readonly string[] => {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, "write").mockImplementation((said) => {
        lines.push(String(said));
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
