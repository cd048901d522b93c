/** `npm run new-function` creates endpoints that pass all checks and tests, except their own tests. The copy may have other changes. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { expectError, expectSuccess, type ScriptResult, startScript } from "../../support/runScript.ts";

const run = promisify(execFile);

const LONGEST = "mute_for_the_rest_of_today";
/** Both methods, and the longest possible name. */
const CREATED = [
  { args: ["admin", "praise"], route: "POST /admin/praise/{url_id}" },
  { args: ["admin", "last_words", "--get"], route: "GET /admin/last_words/{url_id}" },
  { args: ["player", "votes", "--get"], route: "GET /votes/{url_id}" },
  { args: ["notifications", LONGEST], route: `POST /notifications/${LONGEST}/{url_id}` },
];
const NAMES = CREATED.map(({ args }) => args[1] ?? "");

const REJECTED: [args: string[], message: RegExp][] = [
  [["admin"], /^Give a module and a name, as in: npm run new-function/],
  [["masters", "kick"], /^There is no module masters\. The modules are admin, .*zombie/],
  [["admin", "../kick"], /is not a valid function name/],
  [["admin", "k".repeat(27)], /is not a valid function name/],
  [["zombie", "admin_edit_player"], /^functions\/admin\/edit_player.ts already has the name admin_edit/],
  // Its test would have the name of an existing one.
  [["zombie", "stream"], /^tests\/behaviour\/stream.test.ts already exists/],
];

/**
 * Declares the tests.
 * @param root the folder of a copy of the project
 * @param page declares a test in between, which runs `npm run openapi` in the copy
 */
export const declareNewFunction = (root: () => string, page: () => void): void => {
  const node = async (...args: string[]): Promise<ScriptResult> => {
    const scale = { TEST_SCALE: "quick", QUICK_ROUTES: `(${NAMES.join("|")})/` };
    const env = { ...process.env, ...scale, TESTS: "", TRANSPORT: "", NO_COLOR: "1" };
    const { ended, output } = startScript(args, env, root());
    return { code: await ended, output: output().trim() };
  };

  const git = async (...args: string[]): Promise<string> =>
    (await run("git", args, { cwd: root() })).stdout.trim();
  /** The hash of all files. */
  const treeHash = async (): Promise<string> => {
    await git("add", "-A");
    return git("write-tree");
  };
  let original: string;

  it("new functions are created, and invalid names change nothing", async () => {
    original = await treeHash();
    const newFunction = (args: readonly string[]) => node("scripts/commands/new-function.ts", ...args);
    for (const { args, route } of CREATED) {
      const output = expectSuccess(await newFunction(args));
      for (const text of [route, "docs/api.md", "npm run openapi", "CHANGELOG.md"])
        expect(output).toContain(text);
    }

    const before = await treeHash();
    for (const [args, message] of REJECTED) expectError(await newFunction(args), message);
    expect(await treeHash()).toBe(before);
  });

  page();

  it("new functions pass all checks, and only their own tests fail", async () => {
    // Tests of all endpoints, and the new ones.
    const files = ["contract/lists", "contract/access", "unit/webTexts"].map(
      (name) => `tests/${name}.test.ts`,
    );
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "service", "--project", "unit"];
    // Beside other tests, further workers or threads would only do the same work again.
    const { code, output } = await node(...vitest, "--maxWorkers=1", ...files, ...NAMES);
    expect(code, output).toBe(1);
    for (const name of NAMES) expect(output).toContain(`× ${name} is implemented`);
    expect(output).toMatch(/Tests +4 failed \| \d+ passed \(\d+\)/);
    const folders = ["bench", "functions", "lib", "tests", "web"];
    const names = await git("diff", "--name-only", original, await treeHash(), "--", ...folders);
    const written = names.split("\n");
    expect(written).toContain("functions/admin/praise.ts");
    expectSuccess(await node("node_modules/@biomejs/biome/bin/biome", "check", ...written));
    for (const project of [".", "web"])
      expectSuccess(await node("node_modules/typescript/bin/tsc", "--singleThreaded", "-p", project));
  });
};
