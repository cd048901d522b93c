/** New functions from the template pass every check but their own stories, which fail until they are written. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { relative } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { copyTree } from "../support/copiedTree.ts";

const run = promisify(execFile);

/** One of each module, of both methods; the last has the longest name that there may be. */
const MADE = [
  { args: ["admin", "ban"], route: "POST /admin/ban/{url_id}" },
  { args: ["player", "votes", "--get"], route: "GET /votes/{url_id}" },
  { args: ["zombie", "bite"], route: "POST /zombie/bite/{url_id}" },
  { args: ["interactions", "likes", "--get"], route: "GET /interactions/likes/{url_id}" },
  {
    args: ["notifications", "mute_for_the_rest_of_today"],
    route: "POST /notifications/mute_for_the_rest_of_today/{url_id}",
  },
];
const NAMES = MADE.map(({ args }) => args[1] ?? "");

const REFUSED: [args: string[], why: RegExp][] = [
  [[], /^Give one module and one name: npm run new-function/],
  [["admin"], /^Give one module and one name/],
  [["admin", "kick", "out"], /^Give one module and one name/],
  [["masters", "kick"], /^There is no module masters: it is one of admin, .*zombie/],
  [["..", "kick"], /^There is no module/],
  [["admin", "Kick-Out"], /^Kick-Out cannot be a function's name/],
  [["admin", "../kick"], /cannot be a function's name/],
  [["admin", "k".repeat(27)], /cannot be a function's name/],
  [["admin", "ban"], /^functions\/admin\/ban.ts is called ban already/],
  [["zombie", "admin_edit_player"], /^functions\/admin\/edit_player.ts is called admin_edit_player already/],
  // Its story has the name of one that there is.
  [["zombie", "void"], /^tests\/behaviour\/void.test.ts exists already/],
  [["admin", "kick", "--post"], /--post/],
];

/** What vitest tells of each file; one can fail without any of its tests, such as after all of them. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

it("new-function leaves a tree in which only the new stories fail, and refuses the rest in one line", {
  timeout: 400_000,
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
        (fault: { code: number; stdout: string; stderr: string }) => fault,
      );
    for (const { args, route } of MADE) {
      const made = await node("scripts/commands/new-function.ts", ...args);
      expect(made, made.stderr).toMatchObject({ code: 0, stderr: "" });
      for (const named of [route, "docs/api.md", "README.md", "CHANGELOG.md"]) {
        expect(made.stdout).toContain(named);
      }
    }

    const treeNow = async () => {
      await run("git", ["add", "-A"], { cwd: copy });
      return (await run("git", ["write-tree"], { cwd: copy })).stdout;
    };
    const before = await treeNow();
    for (const [args, why] of REFUSED) {
      const { code, stdout, stderr } = await node("scripts/commands/new-function.ts", ...args);
      expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(why);
      expect(stderr.trim().split("\n"), stderr).toHaveLength(1);
    }
    expect(await treeNow()).toBe(before);

    const lint = await node("node_modules/@biomejs/biome/bin/biome", "check", "functions", "tests");
    expect(lint, lint.stdout).toMatchObject({ code: 0 });
    const types = await node("node_modules/typescript/bin/tsc", "-p", ".");
    expect(types, types.stdout).toMatchObject({ code: 0 });
    const { stdout, stderr } = await node(
      ...["node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--maxWorkers=2"],
      ...["--project", "behaviour", "--project", "contract", "tests/contract/"],
      ...NAMES.map((name) => `tests/behaviour/${name}.test.ts`),
    );
    const { testResults } = Report.parse(JSON.parse(stdout || stderr));
    const stories = NAMES.map((name) => `tests/behaviour/${name}.test.ts`);
    const contract = globSync("tests/contract/*.test.ts", { cwd: copy });
    const files = testResults.map(({ name }) => relative(copy, name));
    expect(files.toSorted()).toEqual([...contract, ...stories].toSorted());
    const failed = testResults.filter(({ status }) => status === "failed");
    expect(failed.map(({ name }) => relative(copy, name)).toSorted()).toEqual(stories.toSorted());
    expect(
      failed.flatMap(({ assertionResults }) => assertionResults.map(({ fullName }) => fullName)).toSorted(),
    ).toEqual(NAMES.map((name) => `${name} does what it is for`).toSorted());
  } finally {
    await remove();
  }
});
