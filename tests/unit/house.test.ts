/** The house rules: which floor may import what, and what the domain may not know. The linter must really bite. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { LONGEST_CALL } from "../../lib/runtime/awsClient.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";

const ROOT = join(import.meta.dirname, "../..");

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .toSorted();

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** Code without its comments, so that what a comment says of a rule does not break it. */
const codeOf = (file: string): string =>
  read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(^|\s)\/\/.*$/gm, "$1");

/** Imports planted in each room, which the linter must refuse. */
const FORBIDDEN: Record<string, string[]> = {
  "lib/domain": [
    "../store/keys.ts",
    "../http/replies.ts",
    "../auth/token.ts",
    "../env.ts",
    "../log.ts",
    "node:crypto",
    "node:fs",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "@middy/core",
    "@aws-lambda-powertools/metrics",
    "uuid",
    "unhomoglyph",
    "web-push",
    "undici",
    "sharp",
    "zod",
  ],
  "lib/store": [
    "../http/replies.ts",
    "../auth/token.ts",
    "../push/deliver.ts",
    "../queue/messages.ts",
    "../picture/decode.ts",
    "../../functions/player/new.ts",
    "@middy/core",
    "web-push",
    "undici",
    "sharp",
    "zod",
  ],
  "lib/auth": [
    "../http/replies.ts",
    "../push/deliver.ts",
    "../queue/messages.ts",
    "../picture/decode.ts",
    "../../functions/player/new.ts",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "@middy/core",
    "web-push",
    "undici",
    "sharp",
    "zod",
  ],
  "lib/push": [
    "../http/replies.ts",
    "../auth/token.ts",
    "../store/keys.ts",
    "../queue/messages.ts",
    "../../functions/player/new.ts",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "@middy/core",
    "sharp",
    "zod",
  ],
  "lib/queue": [
    "../http/replies.ts",
    "../auth/token.ts",
    "../store/keys.ts",
    "../push/deliver.ts",
    "../picture/picture.ts",
    "../../functions/player/new.ts",
    "@middy/core",
    "web-push",
    "undici",
    "sharp",
    "zod",
  ],
  "lib/secrets": [
    "../http/replies.ts",
    "../auth/token.ts",
    "../store/keys.ts",
    "../push/deliver.ts",
    "../queue/messages.ts",
    "../picture/picture.ts",
    "../../functions/player/new.ts",
    "@middy/core",
    "web-push",
    "undici",
    "sharp",
    "zod",
  ],
  "lib/picture": [
    "../http/replies.ts",
    "../auth/token.ts",
    "../store/keys.ts",
    "../push/deliver.ts",
    "../../functions/player/new.ts",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "@middy/core",
    "web-push",
    "undici",
    "zod",
  ],
  "lib/http": [
    "../../functions/player/new.ts",
    "sharp",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "web-push",
    "undici",
    "zod",
  ],
  lib: [
    "./http/replies.ts",
    "../functions/player/new.ts",
    "@aws-sdk/client-dynamodb",
    "@middy/core",
    "web-push",
    "undici",
    "sharp",
    "zod",
  ],
  "functions/player": [
    "./new.ts",
    "../admin/feed.ts",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "@middy/core",
    "web-push",
    "undici",
    "sharp",
    "zod",
  ],
};

/** Imports that each room needs, and that the linter must let pass. */
const ALLOWED: Record<string, string[]> = {
  "lib/domain": ["./clock.ts", "zod/mini"],
  "lib/store": [
    "../domain/clock.ts",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/lib-dynamodb",
    "node:crypto",
    "unhomoglyph",
  ],
  "lib/auth": ["../domain/player.ts", "../store/store.ts", "node:crypto", "zod/mini"],
  "lib/push": ["../domain/push.ts", "../env.ts", "web-push", "undici", "ipaddr.js", "zod/mini"],
  "lib/queue": ["../domain/announcement.ts", "../env.ts", "@aws-sdk/client-sqs", "zod/mini"],
  "lib/secrets": ["../domain/rotation.ts", "../calls.ts", "@aws-sdk/client-ssm", "zod/mini"],
  "lib/picture": ["../domain/refusal.ts", "node:buffer", "sharp"],
  "lib/http": [
    "../auth/admit.ts",
    "../store/store.ts",
    "../domain/player.ts",
    "../env.ts",
    "@middy/core",
    "uuid",
  ],
  lib: ["zod/mini", "@aws-lambda-powertools/metrics"],
  "functions/player": ["../../lib/http/endpoint.ts", "../../lib/domain/clock.ts", "zod/mini"],
};

const Report = z.object({
  diagnostics: z.array(
    z.object({ category: z.nullish(z.string()), location: z.object({ path: z.string() }) }),
  ),
});

describe("the linter", () => {
  let house = "";
  const bitten = new Set<string>();
  const planted = (room: string, what: string): string =>
    join(room, `planted-${what.replaceAll(/[^a-z0-9]+/gi, "-")}.ts`);

  beforeAll(() => {
    house = mkdtempSync(join(tmpdir(), "house-rules-"));
    const { $schema: _, ...rules } = JSON.parse(read("biome.json"));
    writeFileSync(join(house, "biome.json"), JSON.stringify({ ...rules, vcs: { enabled: false } }));
    for (const table of [FORBIDDEN, ALLOWED]) {
      for (const [room, imports] of Object.entries(table)) {
        mkdirSync(join(house, room), { recursive: true });
        for (const what of imports) {
          writeFileSync(
            join(house, planted(room, what)),
            `import { x } from "${what}";\n\nexport const y = x;\n`,
          );
        }
      }
    }
    const biome = join(ROOT, "node_modules/.bin/biome");
    const ran = spawnSync(biome, ["lint", "--reporter=json", "--max-diagnostics=none", "."], {
      cwd: house,
      encoding: "utf8",
    });
    expect(ran.status, ran.stderr).toBe(1);
    for (const { category, location } of Report.parse(JSON.parse(ran.stdout)).diagnostics) {
      if (category === "lint/style/noRestrictedImports") bitten.add(location.path);
    }
  });

  afterAll(() => rmSync(house, { recursive: true, force: true }));

  it.each(Object.entries(FORBIDDEN).flatMap(([room, imports]) => imports.map((what) => ({ room, what }))))(
    "refuses $what in $room",
    ({ room, what }) => {
      expect(bitten).toContain(planted(room, what));
    },
  );

  it.each(Object.entries(ALLOWED).flatMap(([room, imports]) => imports.map((what) => ({ room, what }))))(
    "lets $what into $room",
    ({ room, what }) => {
      expect(bitten).not.toContain(planted(room, what));
    },
  );

  it("is asked about every room there is: a new one is to be added above", () => {
    const rooms = readdirSync(join(ROOT, "lib"), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`lib/${entry.name}`] : [],
    );
    expect(Object.keys(FORBIDDEN)).toEqual(expect.arrayContaining(rooms));
  });
});

describe("the code", () => {
  it.each(sources("lib/domain"))("%s knows no clock, no process and no chance", (file) => {
    const code = codeOf(file);
    expect(code).not.toMatch(/\bDate\.now\b/);
    expect(code).not.toMatch(/\bnew Date\(\s*\)/);
    expect(code).not.toMatch(/\bDate\(\)/);
    expect(code).not.toMatch(/\bprocess\b\s*[.[]/);
    expect(code).not.toMatch(/\bMath\.random\b/);
    expect(code).not.toMatch(/\bcrypto\b\s*\./);
    expect(code).not.toMatch(/\b(setTimeout|setInterval|fetch|performance)\b\s*[.(]/);
    expect(code).not.toMatch(/\bglobalThis\b/);
  });

  it("speaks to AWS from lib/store, lib/queue and lib/secrets alone, and knows middy in lib/http alone", () => {
    const importing = (pattern: RegExp): string[] => [
      ...new Set(
        [...sources("lib"), ...sources("functions")]
          .filter((file) => pattern.test(codeOf(file)))
          .map((file) => (file.startsWith("lib/") ? dirname(file) : "functions")),
      ),
    ];
    for (const room of importing(/from "@aws-sdk\//)) {
      expect(["lib/store", "lib/queue", "lib/secrets"]).toContain(room);
    }
    expect(importing(/from "@middy\//)).toEqual(["lib/http"]);
    expect(importing(/from "zod"/)).toEqual([]);
    expect(importing(/from "node:/)).not.toContain("lib/domain");
  });

  it("reads the environment in lib/runtime/env.ts alone, but for where it runs, and for the log that tells of wrong settings", () => {
    const readers = [...sources("lib"), ...sources("functions")].filter((file) =>
      /\bprocess\.env\b/.test(codeOf(file)),
    );
    expect(readers).toEqual(["lib/runtime/awsClient.ts", "lib/runtime/env.ts", "lib/runtime/log.ts"]);
  });

  it("gives every endpoint the time for three calls at their slowest", () => {
    const endpoints = listedFunctions().filter(({ route }) => route !== undefined);
    expect(endpoints.length).toBeGreaterThan(40);
    for (const { name, timeout } of endpoints) {
      expect(timeout * 1_000, name).toBeGreaterThanOrEqual(3 * LONGEST_CALL);
      // API Gateway waits for thirty seconds and no longer.
      expect(timeout, name).toBeLessThan(30);
    }
  });

  it("imports downwards only", () => {
    const ORDER = ["domain", "secrets", "push", "picture", "queue", "store", "auth", "http"];
    for (const file of sources("lib")) {
      const room = file.split("/")[1] ?? "";
      for (const [, other = ""] of codeOf(file).matchAll(/from "\.\.\/(\w+)\//g)) {
        expect(ORDER.indexOf(other), `${file} imports ${other}`).toBeLessThan(ORDER.indexOf(room));
      }
    }
  });

  /** Where a cast stands, and why it may. */
  const CASTS: Record<string, { times: number; why: string }> = {
    "lib/http/endpoint.ts": {
      times: 3,
      why: "a definition without a schema has Nothing for its type; and `access` decides the type of the call, which TypeScript cannot follow",
    },
  };

  it("casts nowhere but where the list says why", () => {
    const found: Record<string, number> = {};
    for (const file of [...sources("lib"), ...sources("functions")]) {
      const code = codeOf(file)
        // names of imports and exports, and namespaces
        .replaceAll(/(import|export)\s[^;]*?from\s+"[^"]*"/g, "")
        .replaceAll(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g, '""');
      const casts = [...code.matchAll(/(?<=[\w)\]}"]\s+)as\s+(?!const\b)[\w{[(]/g)];
      // `as unknown as X` is one cast
      const doubled = [...code.matchAll(/as\s+unknown\s+as\s/g)].length;
      if (casts.length - doubled > 0) found[file] = casts.length - doubled;
    }
    expect(found).toEqual(
      Object.fromEntries(Object.entries(CASTS).map(([file, { times }]) => [file, times])),
    );
  });

  it("has every test that SECURITY.md names", () => {
    const named = [...read("SECURITY.md").matchAll(/`(tests\/[\w/.]+)`/g)].map(([, file = ""]) => file);
    expect(named.length).toBeGreaterThan(15);
    for (const file of named) expect(existsSync(join(ROOT, file)), file).toBe(true);
  });

  it("silences no checker", () => {
    for (const file of [...sources("lib"), ...sources("functions")]) {
      expect(read(file), file).not.toMatch(/@ts-(ignore|expect-error|nocheck)|biome-ignore/);
    }
  });
});
