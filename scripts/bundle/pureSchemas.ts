/** Tells esbuild that a schema which a function does not use can be left out of its bundle. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { ROOT } from "../project/root.ts";

/** A call of Zod, as our code imports it. */
const CALL = /(?<![\w.$])z\.(\w+)\(/g;

/** The functions of Zod that are marked as free of side effects; some are exported without the underscore. */
const pureNames = async (): Promise<Set<string>> => {
  const names = ["mini/schemas", "core/api"].map(async (file) => {
    const code = await readFile(join(ROOT, `node_modules/zod/v4/${file}.js`), "utf8");
    return [...code.matchAll(/@__NO_SIDE_EFFECTS__\n(?:export )?function _?(\w+)/g)].map(
      ([, name = ""]) => name,
    );
  });
  return new Set((await Promise.all(names)).flat());
};

/**
 * Marks the calls of Zod in our code as free of side effects. Zod marks its functions, which esbuild knows only within the
 * same file. In source maps, only columns change.
 */
export const pureSchemas = (): Plugin => ({
  name: "pure-schemas",
  async setup(build) {
    const names = await pureNames();
    build.onLoad({ filter: /\/(?:lib|functions)\/[^.]*\.ts$/ }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      const contents = code.replaceAll(CALL, (call, name: string) =>
        names.has(name.replace("_", "")) ? `/* @__PURE__ */ ${call}` : call,
      );
      return { contents, loader: "ts" };
    });
  },
});
