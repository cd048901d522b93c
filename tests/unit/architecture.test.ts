/** Rules for every source file of lib and functions, and the drawing of their folders. */
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAX_CALL_MS } from "../../lib/runtime/awsClient.ts";
import { ARCHITECTURE_FILE, diagramIn, renderDiagram } from "../../scripts/project/architecture.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { GROUPS, TESTS } from "../mutants/stryker.ts";

const read = (file: string): string => fs.readFileSync(join(ROOT, file), "utf8");

const sources = (folder: string): string[] => fs.globSync(`${folder}/**/*.ts`, { cwd: ROOT }).toSorted();

const PRODUCT = [...sources("lib"), ...sources("functions")];

const codeOf = (file: string): string =>
  read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(^|\s)\/\/.*$/gm, "$1");

describe("the product's code", () => {
  it("is drawn in docs/architecture.md: npm run architecture updates the drawing", async () => {
    expect(diagramIn(fs.readFileSync(ARCHITECTURE_FILE, "utf8"))).toBe(await renderDiagram());
  });

  it("uses no clock, no randomness and no process in lib/domain", () => {
    const impure =
      /\bDate\.now\b|\bDate\(\s*\)|\bMath\.random\b|\bglobalThis\b|\b(crypto|setTimeout|setInterval|fetch|performance|process)\b\s*[.([]/;
    expect(sources("lib/domain").filter((file) => impure.test(codeOf(file)))).toEqual([]);
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

  it("silences no checker, and has no file of more than 350 lines", () => {
    const silencing = /@ts-(ignore|expect-error|nocheck)|biome-ignore/;
    const isWrong = (file: string) => silencing.test(read(file)) || read(file).split("\n").length > 351;
    expect(PRODUCT.filter(isWrong)).toEqual([]);
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

it("SECURITY.md and the mutation tests name files that exist", () => {
  const named = [...read("SECURITY.md").matchAll(/`(tests\/[\w/.]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(15);
  const files = [...named, ...GROUPS.flatMap(({ mutate }) => mutate), ...TESTS];
  expect(files.filter((file) => fs.globSync(file, { cwd: ROOT }).length === 0)).toEqual([]);
});
