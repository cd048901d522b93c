/** Each function has a small zip with everything that it needs and nothing else. */
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
import { gzipSync } from "node:zlib";
import { describe, expect, inject, it, vi } from "vitest";
import { CACHE } from "../../scripts/bundle/cache.ts";
import { earlierPages } from "../../scripts/bundle/earlierPages.ts";
import { budgetOf } from "../../scripts/bundle/sizes.ts";
import { type Entry, unzip } from "../../scripts/bundle/unzip.ts";
import { writeZips, zipped } from "../../scripts/bundle/zips.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { leavesOut } from "../support/battery.ts";
import { blackPng } from "../support/pictures.ts";
import { testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";

const MB = 1024 * 1024;
const { forTests } = inject("packages");
const pathOf = useTempDir();

/** Runs code as an ES module. @returns its output */
const runCode = (code: string, args: readonly string[], env: Record<string, string> = {}) =>
  promisify(execFile)(
    process.execPath,
    ["--enable-source-maps", "--input-type=module", "-e", code, ...args],
    { env },
  );

/** Loads functions as Lambda does and prints the exports of each, except those for files that are loaded later. */
const LOAD =
  "for (const path of process.argv.slice(1)) { const m = await import(path);" +
  "console.log(Object.keys(m).filter((name) => !/^part\\d+_/.test(name)).join(), typeof m.handler); }";

const entriesOf = (name: string): Promise<Map<string, Entry>> =>
  unzip(readFileSync(join(forTests, `${name}.zip`)));

const extract = (entries: Iterable<[string, Entry]>, folder: string): void => {
  for (const [path, { contents }] of entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
};

it("there is one for each function, and no other", () => {
  const zips = readdirSync(forTests).filter((file) => file.endsWith(".zip"));
  expect(zips.toSorted()).toEqual(
    listedFunctions()
      .map(({ name }) => `${name}.zip`)
      .toSorted(),
  );
});

const mainOf = (file: string): string => file.replace(/\.ts$/, ".mjs");

it.each(listedFunctions())(
  "the zip of $name is small, within its budget at the start, and contains only code with source maps",
  async (listed) => {
    const { name, file, isPage } = listed;
    const size = readFileSync(join(forTests, `${name}.zip`)).length;
    const entries = await entriesOf(name);
    const main = mainOf(file);
    const paths = [...entries.keys()];
    expect(paths).toEqual(expect.arrayContaining([main, `${main}.map`]));
    const atStart = String(entries.get(main)?.contents).replace(/^\/\/# sourceMappingURL=.*$/m, "");
    expect(gzipSync(atStart, { level: 9 }).length, "bytes that are loaded at the start").toBeLessThanOrEqual(
      budgetOf(listed),
    );
    const others = paths.filter((path) => !/^(chunks\/|functions\/).*\.mjs(\.map)?$/.test(path));
    if (name === "set_pfp") {
      expect(size).toBeLessThan(12 * MB);
      expect(others.filter((path) => !path.startsWith("node_modules/"))).toEqual([]);
      expect(others.some((path) => /linux-arm64\/.*\.node$/.test(path))).toBe(true);
      expect(others.filter((path) => /x64|darwin|win32|musl/.test(path))).toEqual([]);
    } else {
      // The script of the pages at /docs is part of the bundle that serves it.
      expect(size).toBeLessThan(name === "scalar" ? 2 * MB : MB);
      expect(others.filter((path) => !(isPage && path.startsWith("web/dist/")))).toEqual([]);
    }
    for (const [path, { mode, contents }] of entries) {
      expect(mode & 0o444, path).toBe(0o444);
      expect(contents.includes(ROOT), `${path} contains the build folder`).toBe(false);
    }
  },
);

it("every function can be loaded from its zip", async () => {
  const mains = await Promise.all(
    listedFunctions().map(async ({ name, file }) => {
      extract(await entriesOf(name), pathOf(name));
      return join(pathOf(name), mainOf(file));
    }),
  );
  const { stdout } = await runCode(LOAD, mains);
  expect(stdout).toBe("handler function\n".repeat(mains.length));
});

it("the deployed web app finds its files", async () => {
  const folder = pathOf("deployed app");
  extract(await entriesOf("app"), folder);
  const code = `const { handler } = await import(process.argv[1]);
    const event = { headers: {}, rawPath: "/app/me", pathParameters: { path: "me" } };
    const { body } = await handler(event, { awsRequestId: "1", getRemainingTimeInMillis: () => 1000 });
    console.log(body.match(/src="[^"]*/)[0]);`;
  const { stdout } = await runCode(code, [join(folder, "functions/web/app.mjs")]);
  expect(stdout).toMatch(/src="\/app\/assets\/index-.*\.js/);
});

it("the next deployment keeps the assets of three builds for open pages, and is the same for the same build", async () => {
  const source = [{ name: "app", entry: "functions/web/app.ts" }];
  const [before, folder] = [pathOf("before.zip"), pathOf("with earlier pages")];
  mkdirSync(folder);
  vi.stubEnv("EARLIER_PAGES", before);
  const running = new Map([...(await entriesOf("app"))].map(([path, { contents }]) => [path, contents]));
  writeFileSync(
    before,
    await zipped(new Map([...running, ["web/dist/assets/old-1.js", Buffer.from("old")]])),
  );
  const [file = ""] = (await writeZips(source, folder)).values();
  const first = readFileSync(file);
  writeFileSync(before, first);
  await writeZips(source, folder);
  expect(readFileSync(file).equals(first)).toBe(true);

  extract(await unzip(first), folder);
  const code = `const { handler } = await import(process.argv[1]);
    for (const path of ["assets/old-1.js", "assets/old-2.js"]) {
      const event = { headers: {}, rawPath: "/app/" + path, pathParameters: { path } };
      const { statusCode, headers } = await handler(event, { awsRequestId: "1", getRemainingTimeInMillis: () => 1000 });
      console.log(statusCode, headers["cache-control"]);
    }`;
  const { stdout } = await runCode(code, [join(folder, "functions/web/app.mjs")], { LOG_LEVEL: "SILENT" });
  expect(stdout).toBe("200 public, max-age=31536000, immutable\n404 no-store\n");

  const build = (name: string) => new Map([[`web/dist/assets/${name}.js`, Buffer.from(name)]]);
  let zip = await zipped(build("a"));
  for (const name of ["b", "a", "c", "d"]) {
    zip = await zipped(new Map([...build(name), ...(await earlierPages(build(name), zip))]));
  }
  const kept = ["dist/assets/d", "earlier/1/assets/c", "earlier/2/assets/a", "earlier/3/assets/b"];
  expect([...(await unzip(zip)).keys()]).toEqual(kept.map((path) => `web/${path}.js`));
});

it("a stack trace names the lines of the sources", async () => {
  const folder = pathOf("stack");
  extract(await entriesOf("hunt"), folder);
  const code = "const { handler } = await import(process.argv[1]); await handler({}, {}).catch(() => {});";
  const { stderr } = await runCode(code, [join(folder, "functions/zombie/hunt.mjs")], { TABLE_NAME: "no" });
  expect(stderr).toMatch(/lib\/runtime\/env\.ts:\d+/);
});

describe("the child process that decodes pictures", () => {
  const s = testEnvironment();

  it("is a separate file in the zip of set_pfp only, and imports nothing but the decoder", async () => {
    for (const { name } of listedFunctions()) {
      const children = [...(await entriesOf(name))].filter(([path]) =>
        /^chunks\/decodeChild-.*\.mjs$/.test(path),
      );
      expect(children.length, name).toBe(name === "set_pfp" ? 1 : 0);
      for (const [, { contents }] of children) {
        expect(contents.toString().match(/\bfrom\s*"|\bimport\s*[("][^)]*/g)).toEqual(['import("sharp"']);
      }
    }
  });

  it("decodes a picture for the deployed function, on this machine's processor", async () => {
    const { id, token } = await s.join("Ada");
    const folder = pathOf("deployed set_pfp");
    const own = [...(await entriesOf("set_pfp"))].filter(([path]) => !path.startsWith("node_modules/"));
    extract(own, folder);
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
    const args = [join(folder, "functions/player/set_pfp.mjs"), JSON.stringify(event)];
    const { stdout } = await runCode(call, args, { DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: table });
    const response = stdout.trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(response)).toMatchObject({ content_type: "image/webp", width: 512, height: 256 });
  });
});

/** Bundles functions in another copy of the project. Its arguments: the copy, the target folder, the functions. */
const BUNDLE =
  "const [project, to, sources] = process.argv.slice(1);" +
  "const { writeZips } = await import(project + '/scripts/bundle/zips.ts');" +
  "await writeZips(JSON.parse(sources), to);";

it.skipIf(leavesOut(0, 4))(
  "the same sources in another folder give the same bytes, which do not contain the folder's name",
  async () => {
    const sources = listedFunctions()
      .filter(({ name }) => ["hunt", "deliver", "set_pfp"].includes(name))
      .map(({ name, file }) => ({ name, entry: file }));
    const [here, elsewhere] = [pathOf("here"), pathOf("elsewhere")];
    for (const folder of [here, elsewhere]) mkdirSync(folder);
    // On the same disk as the project, so that large folders can be linked instead of copied.
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
        // Links the files, or shares their blocks on macOS.
        const links = process.platform === "darwin" ? "-cR" : "-al";
        await promisify(execFile)("cp", [links, join(ROOT, large), join(copy, large)]);
      }
      await Promise.all([
        writeZips(sources, here),
        runCode(BUNDLE, [copy, elsewhere, JSON.stringify(sources)]),
      ]);
      for (const { name } of sources) {
        const zip = readFileSync(join(elsewhere, `${name}.zip`));
        for (const [path, { contents }] of await unzip(zip)) {
          expect(contents.includes(basename(copy)), `${name}: ${path}`).toBe(false);
        }
        expect(zip.equals(readFileSync(join(here, `${name}.zip`))), name).toBe(true);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  },
);
