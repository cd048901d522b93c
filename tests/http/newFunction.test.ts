/** `npm run new-function` creates endpoints that pass all checks and tests, except their own tests. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { relative } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { copyTree } from "../support/copiedTree.ts";

const run = promisify(execFile);

/** Both methods, and the longest possible name. */
const CREATED = [
  { args: ["admin", "praise"], route: "POST /admin/praise/{url_id}" },
  { args: ["player", "votes", "--get"], route: "GET /votes/{url_id}" },
  {
    args: ["notifications", "mute_for_the_rest_of_today"],
    route: "POST /notifications/mute_for_the_rest_of_today/{url_id}",
  },
];
const NAMES = CREATED.map(({ args }) => args[1] ?? "");
const NEW_TESTS = NAMES.map((name) => `tests/behaviour/${name}.test.ts`);

const REJECTED: [args: string[], message: RegExp][] = [
  [["admin"], /^Give a module and a name, as in: npm run new-function/],
  [["admin", "kick", "out"], /^Give a module and a name/],
  [["masters", "kick"], /^There is no module masters\. The modules are admin, .*zombie/],
  [["admin", "../kick"], /is not a valid function name/],
  [["admin", "k".repeat(27)], /is not a valid function name/],
  [
    ["zombie", "admin_edit_player"],
    /^functions\/admin\/edit_player.ts already has the name admin_edit_player/,
  ],
  // Its test would have the name of an existing one.
  [["zombie", "stream"], /^tests\/behaviour\/stream.test.ts already exists/],
  [["admin", "kick", "--post"], /--post/],
];

/** The parts of vitest's report that are used here. A file can fail without a failed test. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

it("new functions pass all checks, only their own tests fail, and invalid names change nothing", {
  timeout: 900_000,
}, async () => {
  const { root: copy, remove } = await copyTree();
  try {
    const node = (...args: string[]) =>
      run(process.execPath, args, {
        cwd: copy,
        env: { ...process.env, TRANSPORT: "", TEST_SCALE: "quick" },
        maxBuffer: 64 * 1024 * 1024,
      }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
    for (const { args, route } of CREATED) {
      const created = await node("scripts/commands/new-function.ts", ...args);
      expect(created, created.stderr).toMatchObject({ code: 0, stderr: "" });
      for (const text of [route, "docs/api.md", "npm run openapi", "CHANGELOG.md"]) {
        expect(created.stdout).toContain(text);
      }
    }

    const treeHash = async () => {
      await run("git", ["add", "-A"], { cwd: copy });
      return (await run("git", ["write-tree"], { cwd: copy })).stdout;
    };
    const before = await treeHash();
    for (const [args, message] of REJECTED) {
      const { code, stdout, stderr } = await node("scripts/commands/new-function.ts", ...args);
      expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(message);
      expect(stderr.trim().split("\n"), stderr).toHaveLength(1);
    }
    expect(await treeHash()).toBe(before);

    const generated = await node(
      ...["node_modules/vitest/vitest.mjs", "run", "--project", "contract"],
      ...["tests/contract/openapi.test.ts", "--update"],
    );
    expect(generated, generated.stdout + generated.stderr).toMatchObject({ code: 0 });
    const lint = await node("node_modules/@biomejs/biome/bin/biome", "check", "functions", "tests");
    expect(lint, lint.stdout + lint.stderr).toMatchObject({ code: 0 });
    const types = await node("node_modules/typescript/bin/tsc", "-p", ".");
    expect(types, types.stdout).toMatchObject({ code: 0 });
    const { stdout, stderr } = await node(
      ...["node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--maxWorkers=1"],
      ...["--project", "behaviour", "--project", "contract", "tests/contract/", ...NEW_TESTS],
      // Without the tests of endpoints that are not new.
      ...["-t", NAMES.join("|")],
    );
    const { testResults } = Report.parse(JSON.parse(stdout || stderr));
    const pathsOf = (results: typeof testResults) =>
      results.map(({ name }) => relative(copy, name)).toSorted();
    const contract = globSync("tests/contract/*.test.ts", { cwd: copy });
    expect(pathsOf(testResults)).toEqual([...contract, ...NEW_TESTS].toSorted());
    const failed = testResults.filter(({ status }) => status === "failed");
    expect(pathsOf(failed)).toEqual(NEW_TESTS.toSorted());
    expect(
      failed.flatMap(({ assertionResults }) => assertionResults.map(({ fullName }) => fullName)).toSorted(),
    ).toEqual(NAMES.map((name) => `${name} is implemented`).toSorted());
  } finally {
    await remove();
  }
});
