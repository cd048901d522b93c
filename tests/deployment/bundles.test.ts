/** One small zip for each function, with all that it needs and nothing else. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { writeZips } from "../../scripts/bundle/zips.ts";
import { listedFunctions } from "../../scripts/local/functions.ts";
import { makeScratch } from "../../scripts/local/scratch.ts";
import { type Entry, unzip } from "../support/zip.ts";

const MB = 1024 * 1024;
const { forTests } = inject("packages");

/** Loads a function as Lambda does, and says what it would call. */
const LOAD =
  "const m = await import(process.argv[1]);" +
  // What is loaded later finds its parts here.
  "console.log(Object.keys(m).filter((name) => !/^part\\d+_/.test(name)).join(), typeof m.handler);";

let scratch = "";
beforeAll(async () => {
  scratch = await makeScratch();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const zipOf = (name: string): Buffer => readFileSync(join(forTests, `${name}.zip`));

const layDown = (entries: Map<string, Entry>, folder: string): void => {
  for (const [path, { contents }] of entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
};

it("there is one for each function, and none beside", () => {
  const zips = readdirSync(forTests).filter((file) => file.endsWith(".zip"));
  expect(zips.toSorted()).toEqual(
    listedFunctions()
      .map(({ name }) => `${name}.zip`)
      .toSorted(),
  );
});

// Most of it is the start of a process that loads it.
describe.concurrent.each(listedFunctions())("the zip of $name", ({ name, file }) => {
  it("is small, holds code with its source maps alone, and is loaded as it stands", async () => {
    const zip = zipOf(name);
    const entries = unzip(zip);
    const main = file.replace(/\.ts$/, ".mjs");
    const paths = [...entries.keys()];
    expect(paths).toContain(main);
    expect(paths).toContain(`${main}.map`);
    const beside = paths.filter((path) => !/^(chunks\/|functions\/).*\.mjs(\.map)?$/.test(path));
    if (name === "set_pfp") {
      expect(zip.length).toBeLessThan(12 * MB);
      expect(beside.every((path) => path.startsWith("node_modules/"))).toBe(true);
      expect(beside.some((path) => /linux-arm64\/.*\.node$/.test(path))).toBe(true);
      expect(beside.filter((path) => /x64|darwin|win32|musl/.test(path))).toEqual([]);
    } else {
      expect(zip.length).toBeLessThan(MB);
      expect(beside).toEqual([]);
    }
    for (const [path, { mode }] of entries) expect(mode & 0o444, path).toBe(0o444);
    const folder = join(scratch, name);
    layDown(entries, folder);
    const args = ["--enable-source-maps", "--input-type=module", "-e", LOAD, join(folder, main)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
    expect(stdout).toBe("handler function\n");
  });
});

it("a stack names the lines of the repository", async () => {
  const folder = join(scratch, "stack");
  layDown(unzip(zipOf("hunt")), folder);
  const code = "const { handler } = await import(process.argv[1]); await handler({}, {}).catch(() => {});";
  const args = ["--enable-source-maps", "--input-type=module", "-e", code];
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [...args, join(folder, "functions/zombie/hunt.mjs")],
    { env: { TABLE_NAME: "no" } },
  );
  expect(stderr).toMatch(/lib\/env\.ts:\d+/);
});

it("the same sources give the same bytes", async () => {
  const sources = listedFunctions()
    .filter(({ name }) => ["hunt", "deliver", "set_pfp"].includes(name))
    .map(({ name, file }) => ({ name, entry: file }));
  const written = async (folder: string): Promise<Buffer[]> => {
    mkdirSync(join(scratch, folder));
    const files = await writeZips(sources, join(scratch, folder));
    return [...files.values()].map((file) => readFileSync(file));
  };
  const [one, other] = await Promise.all([written("one"), written("other")]);
  expect(one).toHaveLength(3);
  expect(one.map((zip, at) => zip.equals(other[at] ?? Buffer.alloc(0)))).toEqual([true, true, true]);
});
