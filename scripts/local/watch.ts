/** Changes of the sources that the service runs. */
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.ts";

const FOLDERS = ["functions", "lib", "resources"];
const FILES = ["serverless.yml"];
const SOURCE = /^[^.].*\.(ts|yml|cjs|json)$/;
/** An editor writes a file in several steps, and a checkout many files. */
const SETTLE_MS = 100;

/** Yields the names of changed files, once they have settled; what changes meanwhile comes next. */
export async function* watchSources(): AsyncGenerator<string[]> {
  const changed = new Set<string>();
  let wake = (): void => {};
  const note = (name: string): void => {
    if (!SOURCE.test(name.split("/").at(-1) ?? "")) return;
    changed.add(name);
    wake();
  };
  const watchers: FSWatcher[] = [
    ...FOLDERS.map((folder) =>
      watch(join(ROOT, folder), { recursive: true }, (_, name) => note(`${folder}/${name ?? ""}`)),
    ),
    // The folder, since an editor may replace the file itself.
    watch(ROOT, (_, name) => {
      if (name !== null && FILES.includes(name)) note(name);
    }),
  ];
  try {
    while (true) {
      if (changed.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const names = [...changed].toSorted();
      changed.clear();
      yield names;
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}
