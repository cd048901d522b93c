/** Progress at a terminal. */
import { expect, it } from "vitest";
import { startProgress } from "../../scripts/cli/progress.ts";

it.each([40, 80, 0])(
  "a bar fits into a line of %i columns, where it is replaced; 0 is an unknown width",
  (columns) => {
    const drawn: string[] = [];
    const to = { isTTY: true, columns, write: (text: string) => drawn.push(text) > 0 };
    const progress = startProgress("Calling all functions", 123_456, "items", { to });
    progress.add(100_000);
    progress.end();
    const [bar = ""] = drawn;
    expect(bar).toContain("Calling all functions [#");
    expect(bar.length - "\r\x1b[K".length).toBeLessThan(columns || 80);
  },
);
