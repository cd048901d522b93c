/** A new function from the template passes every check but its own story, which fails until it is written. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/endpoints.ts";

const run = promisify(execFile);

it("new-function writes a handler, its YAML and a failing story", async () => {
  const copy = await mkdtemp(join(tmpdir(), "new-function-"));
  try {
    const { stdout: files } = await run("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT });
    for (const file of files.trim().split("\n")) {
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await cp(join(ROOT, file), join(copy, file)).catch(() => {});
    }
    await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
    // The linter asks git which files there are.
    await run("git", ["init", "-q"], { cwd: copy });
    const node = (...args: string[]) =>
      run(process.execPath, args, { cwd: copy, env: { ...process.env, DOOR: "" } }).then(
        ({ stdout }) => ({ code: 0, stdout }),
        (fault: { code: number; stdout: string; stderr: string }) => fault,
      );
    const made = await node("scripts/new-function.ts", "admin", "ban");
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining("POST /admin/ban/{url_id}") });
    const lint = await node("node_modules/@biomejs/biome/bin/biome", "check", "functions", "tests");
    expect(lint, lint.stdout).toMatchObject({ code: 0 });
    const types = await node("node_modules/typescript/bin/tsc", "-p", ".");
    expect(types, types.stdout).toMatchObject({ code: 0 });
    const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project"];
    const story = await node(...vitest, "behaviour", "tests/behaviour/ban.test.ts");
    expect(story.code).toBe(1);
    expect(story.stdout).toContain("ban does what it is for");
    const lists = await node(...vitest, "contract", "tests/contract/lists.test.ts");
    expect(lists, lists.stdout).toMatchObject({ code: 0 });
    expect(await node("scripts/new-function.ts", "admin", "ban")).toMatchObject({ code: 1 });
  } finally {
    await rm(copy, { recursive: true });
  }
});
