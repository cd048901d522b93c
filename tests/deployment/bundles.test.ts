/** Each function has a small zip with everything that it needs and nothing else. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, inject, it, vi } from "vitest";
import { chunk } from "../../lib/runtime/chunk.ts";
import { earlierPages } from "../../scripts/bundle/earlierPages.ts";
import { REPLACED_FILES } from "../../scripts/bundle/sdkParts.ts";
import { budgetOf } from "../../scripts/bundle/sizes.ts";
import { type Entry, unzip } from "../../scripts/bundle/unzip.ts";
import { writeZips, zipped } from "../../scripts/bundle/zips.ts";
import { gatewayEvent } from "../../scripts/local/inProcess.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { blackPng } from "../support/pictures.ts";
import { testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";

const MB = 1024 * 1024;
const { forTests } = inject("packages");
const pathOf = useTempDir();

const NODE_ARGS = ["--enable-source-maps", "--input-type=module", "-e"];
/** Runs code as an ES module. @returns its output */
const runCode = (code: string, args: readonly string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [...NODE_ARGS, code, ...args], { env });

/** Loads functions as Lambda does and prints the exports of each, except those for files that are loaded later. */
const LOAD =
  "for (const path of process.argv.slice(1)) { const m = await import(path);" +
  "console.log(Object.keys(m).filter((name) => !/^part\\d+_/.test(name)).join(), typeof m.handler); }";

const unzipped = new Map<string, Promise<Map<string, Entry>>>();
const entriesOf = (name: string): Promise<Map<string, Entry>> => {
  const entries = unzipped.get(name) ?? unzip(readFileSync(join(forTests, `${name}.zip`)));
  unzipped.set(name, entries);
  return entries;
};

const extract = (entries: Iterable<[string, Entry]>, folder: string): void => {
  for (const [path, { contents }] of entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
};

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
    expect(atStart, "modules that few requests need").not.toMatch(/from\s*"node:zlib"/);
    const others = paths.filter((path) => !/^(chunks\/|functions\/).*\.mjs(\.map)?$/.test(path));
    const isFile = (path: string): boolean => isPage && path.startsWith("web/dist/");
    const decodes = name === "set_pfp" || name === "mission_picture";
    if (decodes || name === "preview") {
      expect(size).toBeLessThan(12 * MB);
      expect(others.filter((path) => !isFile(path) && !path.startsWith("node_modules/"))).toEqual([]);
      expect(others.some((path) => /linux-arm64\/.*\.node$/.test(path))).toBe(true);
      expect(others.filter((path) => /x64|darwin|win32|musl/.test(path))).toEqual([]);
    } else {
      // The script of the pages at /docs is part of the bundle that serves it, in two encodings. Only the worker sends mail.
      const isLarger = name === "deliver";
      expect(size).toBeLessThan(name === "scalar" ? 3 * MB : isLarger ? 1.25 * MB : MB);
      const sendsMail = [...entries.values()].some(({ contents }) => contents.includes("maxRequeues"));
      expect(sendsMail, "nodemailer in the bundle").toBe(isLarger);
      expect(others.filter((path) => !isFile(path))).toEqual([]);
    }
    for (const [path, { mode, contents }] of entries) {
      expect(mode & 0o444, path).toBe(0o444);
      expect(contents.includes(ROOT), `${path} contains the build folder`).toBe(false);
    }
    // The process that decodes pictures imports nothing but the decoder.
    const children = [...entries].filter(([path]) => /^chunks\/decodeChild-.*\.mjs$/.test(path));
    const imports = children.map(([, { contents }]) =>
      contents.toString().match(/\bfrom\s*"|\bimport\s*[("][^)]*/g),
    );
    expect(imports).toEqual(decodes ? [['import("sharp"']] : []);
  },
);

it("each file of a package that bundles replace is there, so that none is forgotten when a package changes", () => {
  const files = Object.keys(REPLACED_FILES).map((file) => join(ROOT, "node_modules", file));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

it("each function can be loaded from its zip, and a stack trace names the lines of the sources", async () => {
  const mains = await Promise.all(
    listedFunctions().map(async ({ name, file }, at) => {
      const entries = await entriesOf(name);
      // Source maps are as large as the code, and only the first function's are read.
      extract(at === 0 ? entries : [...entries].filter(([path]) => !path.endsWith(".map")), pathOf(name));
      return join(pathOf(name), mainOf(file));
    }),
  );
  for (const some of chunk(mains, 24)) {
    const { stdout } = await runCode(LOAD, some);
    expect(stdout).toBe("handler function\n".repeat(some.length));
  }
  const code = "const { handler } = await import(process.argv[1]); await handler({}, {}).catch(() => {});";
  const { stderr } = await runCode(code, mains.slice(0, 1), { TABLE_NAME: "no" });
  expect(stderr).toMatch(/lib\/runtime\/env\.ts:\d+/);
});

it("the next deployment keeps the assets of three builds for open pages, and is the same for the same build", async () => {
  const source = [{ name: "app", entry: "functions/web/app.ts" }];
  const [before, folder] = [pathOf("before.zip"), pathOf("with earlier pages")];
  mkdirSync(folder);
  vi.stubEnv("EARLIER_PAGES", before);
  const running = new Map([...(await entriesOf("app"))].map(([path, { contents }]) => [path, contents]));
  running.set("web/dist/assets/old-1.js", Buffer.from("old"));
  writeFileSync(before, await zipped(running));
  const [file = ""] = (await writeZips(source, folder)).values();
  const first = readFileSync(file);
  writeFileSync(before, first);
  await writeZips(source, folder);
  expect(readFileSync(file).equals(first)).toBe(true);
  // The files' date is fixed, to 1980, so that the same sources give the same bytes at any time.
  expect([first.readUInt16LE(10), first.readUInt16LE(12)]).toEqual([0, 0x21]);

  extract(await unzip(first), folder);
  const code = `const { handler } = await import(process.argv[1]);
    for (const path of ["me", "assets/old-1.js", "assets/old-2.js"]) {
      const event = { headers: {}, rawPath: "/app/" + path, pathParameters: { path } };
      const context = { awsRequestId: "1", getRemainingTimeInMillis: () => 1000 };
      const { statusCode, headers, body, isBase64Encoded } = await handler(event, context);
      const text = Buffer.from(body, isBase64Encoded ? "base64" : "utf8").toString();
      console.log(statusCode, headers["cache-control"], text.match(/"\\/app\\/assets\\/[^"]*/)?.[0]);
    }`;
  const { stdout } = await runCode(code, [join(folder, "functions/web/app.mjs")], { LOG_LEVEL: "SILENT" });
  const [page, asset, absent] = stdout.split("\n");
  expect(page).toMatch(/^200 .* "\/app\/assets\/index-.*\.js/);
  expect(asset).toMatch(/^200 public, max-age=31536000, immutable/);
  expect(absent).toMatch(/^404 no-store/);

  const build = (name: string) => new Map([[`web/dist/assets/${name}.js`, Buffer.from(name)]]);
  let zip = await zipped(build("a"));
  for (const name of ["b", "a", "c", "d"]) {
    zip = await zipped(new Map([...build(name), ...(await earlierPages(build(name), zip))]));
  }
  const kept = ["dist/assets/d", "earlier/1/assets/c", "earlier/2/assets/a", "earlier/3/assets/b"];
  expect([...(await unzip(zip)).keys()]).toEqual(kept.map((path) => `web/${path}.js`));
});

const s = testEnvironment();

it("the function that stores pictures decodes one, on this machine's processor", async () => {
  const { id, token } = await s.join("Ada");
  const folder = pathOf("deployed set_pfp");
  const own = [...(await entriesOf("set_pfp"))].filter(([path]) => !path.startsWith("node_modules/"));
  extract(own, folder);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const event = gatewayEvent({
    ...{ route: "POST /set_pfp/{url_id}", path: `/set_pfp/${id}`, address: "127.0.0.1" },
    headers: { authorization: `Bearer ${token}`, "content-type": "image/png" },
    body: blackPng(1_000, 500),
  });
  const call = `const { handler } = await import(process.argv[1]);
    const context = { awsRequestId: "id", getRemainingTimeInMillis: () => 29_000 };
    console.log((await handler(JSON.parse(process.argv[2]), context)).body);`;
  const { endpoint, table } = s.place();
  const args = [join(folder, "functions/player/set_pfp.mjs"), JSON.stringify(event)];
  const { stdout } = await runCode(call, args, { DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: table });
  const response = stdout.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(response)).toMatchObject({ content_type: "image/webp", width: 512, height: 256 });
});
