/** One small zip for each function, with all that it needs and nothing else. */
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { CACHE } from "../../scripts/bundle/cache.ts";
import { writeZips } from "../../scripts/bundle/zips.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../support/endpoints.ts";
import { blackPng } from "../support/pictures.ts";
import { stage } from "../support/service.ts";
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
  scratch = await makeTempDir();
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
    for (const [path, { mode, contents }] of entries) {
      expect(mode & 0o444, path).toBe(0o444);
      expect(contents.includes(ROOT), `${path} names the folder that it was built in`).toBe(false);
    }
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

describe("the child process that decodes pictures", () => {
  const s = stage();
  const CHILD = /^chunks\/child-.*\.mjs$/;

  it("is a file of its own in the zip of set_pfp alone, and imports nothing but the decoder", () => {
    for (const { name } of listedFunctions()) {
      const children = [...unzip(zipOf(name))].filter(([path]) => CHILD.test(path));
      expect(children.length, name).toBe(name === "set_pfp" ? 1 : 0);
      for (const [, { contents }] of children) {
        expect(contents.toString().match(/\bfrom\s*"|\bimport\s*[("][^)]*/g)).toEqual(['import("sharp"']);
      }
    }
  });

  it("makes a picture for the function as it is deployed, on this machine's processor", async () => {
    const { id, token } = await s.join("Ada");
    const folder = join(scratch, "set_pfp as it is deployed");
    layDown(
      new Map([...unzip(zipOf("set_pfp"))].filter(([path]) => !path.startsWith("node_modules/"))),
      folder,
    );
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const event = {
      headers: { authorization: `Bearer ${token}`, "content-type": "image/png" },
      pathParameters: { url_id: id },
      requestContext: { http: { sourceIp: "127.0.0.1" } },
      isBase64Encoded: true,
      body: blackPng(1_000, 500).toString("base64"),
    };
    const call =
      "const { handler } = await import(process.argv[1]);" +
      "const context = { awsRequestId: 'id', getRemainingTimeInMillis: () => 29_000 };" +
      "const { body } = await handler(JSON.parse(process.argv[2]), context); console.log(body);";
    const { endpoint, table } = s.place();
    const args = ["--input-type=module", "-e", call, join(folder, "functions/player/set_pfp.mjs")];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, JSON.stringify(event)], {
      env: { DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: table },
    });
    const [answer = ""] = stdout.trim().split("\n").toReversed();
    expect(JSON.parse(answer)).toMatchObject({ content_type: "image/webp", width: 512, height: 256 });
  });
});

/** Bundles functions in the project of a folder. Its arguments: the project, where to put the zips, the functions. */
const BUNDLE =
  "const [project, to, sources] = process.argv.slice(1);" +
  "const { writeZips } = await import(project + '/scripts/bundle/zips.ts');" +
  "await writeZips(JSON.parse(sources), to);";

it("the same sources in another folder give the same bytes, which do not name the folder", async () => {
  const sources = listedFunctions()
    .filter(({ name }) => ["hunt", "deliver", "set_pfp"].includes(name))
    .map(({ name, file }) => ({ name, entry: file }));
  const [here, elsewhere] = [join(scratch, "here"), join(scratch, "elsewhere")];
  for (const folder of [here, elsewhere]) mkdirSync(folder);
  // On the same disk as the project, so that what is large can be linked instead of copied.
  const copy = mkdtempSync(join(CACHE, "project-elsewhere-"));
  try {
    for (const part of [
      "functions",
      "lib",
      "scripts",
      "package.json",
      "package-lock.json",
      "tsconfig.json",
    ]) {
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    }
    mkdirSync(join(copy, ".cache"));
    const [sharp = ""] = readdirSync(CACHE).filter((name) => name.startsWith("sharp-"));
    for (const large of ["node_modules", join(".cache", sharp)]) {
      await promisify(execFile)("cp", ["-al", join(ROOT, large), join(copy, large)]);
    }
    const args = ["--input-type=module", "-e", BUNDLE, copy, elsewhere, JSON.stringify(sources)];
    await Promise.all([writeZips(sources, here), promisify(execFile)(process.execPath, args)]);
    for (const { name } of sources) {
      const zip = readFileSync(join(elsewhere, `${name}.zip`));
      for (const [path, { contents }] of unzip(zip)) {
        expect(contents.includes(basename(copy)), `${name}: ${path}`).toBe(false);
      }
      expect(zip.equals(readFileSync(join(here, `${name}.zip`))), name).toBe(true);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
