/** Builds the web app into `web/dist`, which `npm start` serves and packages contain. */
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { ROOT } from "../project/root.ts";

const WEB = join(ROOT, "web");
const DIST = join(WEB, "dist");
/** The file in a build with the hash of its sources; it is written last. */
const STAMP = ".sources";

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
};

/** The hash of all files that the build reads. */
const hashOfSources = async (): Promise<string> => {
  const files = [
    join(ROOT, "package-lock.json"),
    join(WEB, "index.html"),
    join(WEB, "icons.ts"),
    join(WEB, "letters.ts"),
    join(WEB, "vite.config.ts"),
    join(ROOT, "client/src/index.ts"),
    join(ROOT, "client/src/error.ts"),
    join(ROOT, "client/src/retry.ts"),
    // What pages import of the service.
    ...(await filesBelow(join(ROOT, "lib/domain"))),
    ...(await filesBelow(join(WEB, "public"))),
    ...(await filesBelow(join(WEB, "src"))),
  ];
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    hash.update(`${relative(WEB, file)}\n`).update(await readFile(file));
  }
  return hash.digest("hex");
};

const isBuilt = async (sources: string): Promise<boolean> =>
  (await readFile(join(DIST, STAMP), "utf8").catch(() => null)) === sources;

/**
 * Builds the web app, unless the present build is of the same sources. Each process builds in a folder of its own,
 * which then replaces `web/dist`, unless another process has put the same build there meanwhile.
 * @throws Error of Vite for an invalid source
 */
export const buildWeb = async (): Promise<void> => {
  const sources = await hashOfSources();
  if (await isBuilt(sources)) return;
  // Loaded only when it is needed, because it takes half a second.
  const { build } = await import("vite");
  const fresh = join(WEB, `dist-${process.pid}`);
  const old = `${fresh}-old`;
  try {
    await build({
      configFile: join(WEB, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: fresh },
    });
    await writeFile(join(fresh, STAMP), sources);
    if (await isBuilt(sources)) return;
    // Moved away in one step: while its files are removed, another process may put its build there.
    await rename(DIST, old).catch(() => {});
    await rename(fresh, DIST).catch(async (error: unknown) => {
      if (!(await isBuilt(sources))) throw error;
    });
  } finally {
    for (const folder of [fresh, old]) await rm(folder, { recursive: true, force: true });
  }
};

/** The files of the web app by their path in a function's folder, building them first if necessary. */
export const webFiles = async (): Promise<Map<string, Uint8Array>> => {
  await buildWeb();
  const files = (await filesBelow(DIST)).filter((file) => !file.endsWith(STAMP));
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, Uint8Array]> => [relative(ROOT, file), await readFile(file)]),
    ),
  );
};
