/** Rules for every source file of lib and functions, and the drawing of their folders. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAX_CALL_MS } from "../../lib/runtime/awsClient.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { ARCHITECTURE_FILE, drawArchitecture, drawingIn } from "../../scripts/project/architecture.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { GROUPS } from "../mutants/stryker.ts";

const read = (file: string): string => fs.readFileSync(join(ROOT, file), "utf8");

const sources = (folder: string): string[] =>
  fs
    .readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file))
    .toSorted();

const PRODUCT = [...sources("lib"), ...sources("functions")];

const codeOf = (file: string): string =>
  read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(^|\s)\/\/.*$/gm, "$1");

/** Forbidden imports: the file, what it imports, and the rule. */
const FORBIDDEN = [
  ["lib/domain/a.ts", "../store/keys.ts", "domain-is-pure"],
  ["lib/domain/b.ts", "node:crypto", "domain-is-pure"],
  ["lib/store/a.ts", "../http/responses.ts", "lib-store-imports-downwards"],
  ["lib/http/a.ts", "../app/lookups.ts", "lib-http-imports-downwards"],
  ["lib/store/b.ts", "@aws-sdk/lib-dynamodb", "packages-of-aws-sdk-only-where-they-belong"],
  ["lib/app/a.ts", "@middy/core", "packages-of-middy-only-where-they-belong"],
  ["lib/http/b.ts", "undici", "packages-of-push-only-where-they-belong"],
  ["lib/app/b.ts", "sharp", "packages-of-sharp-only-where-they-belong"],
  ["lib/app/c.ts", "../../scripts/cli/sleep.ts", "lib-and-functions-import-lib-only"],
  ["lib/masks/a.ts", "../domain/time.ts", "lib-has-known-folders"],
  ["functions/player/a.ts", "./new.ts", "lib-and-functions-import-lib-only"],
  ["lib/app/d.ts", "../../functions/player/new.ts", "lib-and-functions-import-lib-only"],
  ["scripts/cli/a.ts", "../commands/start.ts", "commands-are-entry-points"],
  ["lib/domain/c.ts", "./c.ts", "no-circular"],
] as const;

it("the import rules reject every import that they forbid", async () => {
  const folder = await makeTempDir();
  const at = (...names: string[]): string => join(folder, ...names);
  try {
    for (const name of ["package.json", ".dependency-cruiser.cjs", "tsconfig.json"]) {
      fs.copyFileSync(join(ROOT, name), at(name));
    }
    fs.symlinkSync(join(ROOT, "node_modules"), at("node_modules"));
    const write = (path: string, text: string): void => {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, text);
    };
    for (const [file, imported] of FORBIDDEN) {
      if (imported.startsWith(".")) write(join(dirname(at(file)), imported), "export {};\n");
      write(at(file), `import "${imported}";\n`);
    }
    const program = at("node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const options = ["lib", "functions", "scripts", "--preserve-symlinks", "--output-type", "json"];
    const report = execFileSync(process.execPath, [program, ...options], {
      ...{ cwd: folder, maxBuffer: 64 * 1024 * 1024, encoding: "utf8" },
    });
    const violations: { from: string; rule: { name: string } }[] = JSON.parse(report).summary.violations;
    const found = violations.map(({ from, rule }) => `${from}: ${rule.name}`);
    expect(found).toEqual(expect.arrayContaining(FORBIDDEN.map(([file, , rule]) => `${file}: ${rule}`)));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

describe("the product's code", () => {
  it("is drawn in docs/architecture.md: npm run architecture updates the drawing", async () => {
    expect(drawingIn(fs.readFileSync(ARCHITECTURE_FILE, "utf8"))).toBe(await drawArchitecture());
  });

  it("has no file of more than 350 lines", () => {
    const long = PRODUCT.filter((file) => read(file).split("\n").length > 351);
    expect(long).toEqual([]);
  });

  it.each(sources("lib/domain"))("%s uses no clock, no randomness and no process", (file) => {
    expect(codeOf(file)).not.toMatch(
      /\bDate\.now\b|\bDate\(\s*\)|\bprocess\b\s*[.[]|\bMath\.random\b|\bglobalThis\b/,
    );
    expect(codeOf(file)).not.toMatch(/\b(crypto|setTimeout|setInterval|fetch|performance)\b\s*[.(]/);
  });

  it("reads the environment in lib/runtime only", () => {
    const readers = PRODUCT.filter((file) => /\bprocess\.env\b/.test(codeOf(file)));
    expect(readers).toEqual(["lib/runtime/awsClient.ts", "lib/runtime/env.ts", "lib/runtime/log.ts"]);
  });

  it("casts only in lib/http/endpoint.ts, where `access` decides the type of the call", () => {
    const casts = PRODUCT.flatMap((file) => {
      const code = codeOf(file)
        .replaceAll(/(import|export)\s[^;]*?from\s+"[^"]*"/g, "")
        .replaceAll(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g, '""')
        .replaceAll("as unknown as", "as");
      return [...code.matchAll(/(?<=[\w)\]}"]\s+)as\s+(?!const\b)[\w{[(]/g)].map(() => file);
    });
    expect(casts).toEqual(Array.from({ length: 3 }, () => "lib/http/endpoint.ts"));
  });

  it("silences no checker", () => {
    for (const file of PRODUCT) {
      expect(read(file), file).not.toMatch(/@ts-(ignore|expect-error|nocheck)|biome-ignore/);
    }
  });

  it("gives every endpoint the time for its three slowest database calls", () => {
    for (const { name, route, timeout } of listedFunctions()) {
      if (route === undefined) continue;
      expect(timeout * 1_000, name).toBeGreaterThanOrEqual(3 * MAX_CALL_MS);
      // API Gateway ends a request after 30 seconds.
      expect(timeout, name).toBeLessThan(30);
    }
  });
});

it("SECURITY.md names tests that exist", () => {
  const named = [...read("SECURITY.md").matchAll(/`(tests\/[\w/.]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(15);
  for (const file of named) expect(fs.existsSync(join(ROOT, file)), file).toBe(true);
});

it("the mutation tests name sources and tests that exist", () => {
  for (const { name, mutate, tests } of GROUPS) {
    for (const test of tests) expect(fs.existsSync(join(ROOT, test)), test).toBe(true);
    for (const glob of mutate) expect(fs.globSync(glob, { cwd: ROOT }), name).not.toEqual([]);
  }
});
