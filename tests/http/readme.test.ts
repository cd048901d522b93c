/** The README tells the truth: its first game runs as it stands, its drawing is the table of transitions. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { TRANSITIONS } from "../../lib/domain/transitions.ts";
import { ROOT } from "../support/endpoints.ts";
import { npmStart } from "../support/npmStart.ts";

const run = promisify(execFile);
const readme = () => readFile(join(ROOT, "README.md"), "utf8");

it("the first game can be pasted as it stands", async () => {
  const [, lines = ""] = /<!-- first-game[^\n]*\n```sh\n([\s\S]*?)```/.exec(await readme()) ?? [];
  expect(lines.match(/curl -s/g)?.length).toBe(10);
  const folder = await mkdtemp(join(tmpdir(), "first-game-"));
  const GAME_FILE = join(folder, "game.db");
  const service = await npmStart({ GAME_FILE });
  try {
    const env = { ...process.env, PORT: String(service.port), GAME_FILE };
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", lines], { cwd: ROOT, env });
    const answers = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    expect(answers.map(({ player, prey }) => player?.state ?? prey?.state)).toEqual([
      "corpse",
      "zombie",
      "zombie",
      undefined,
      "human",
      undefined,
    ]);
    const [, , , tree, , board] = answers;
    expect(tree).toMatchObject({ size: 2, roots: [{ alias: "Ada", children: [{ alias: "Ben" }] }] });
    expect(board.players).toMatchObject([
      { rank: 1, alias: "Ada", kills: 1, state: "zombie" },
      { rank: 2, alias: "Ben", state: "human" },
    ]);
  } finally {
    expect(await service.stop()).toBe(0);
    await rm(folder, { recursive: true });
  }
});

it("the drawing shows every transition and no other", async () => {
  const [, drawing = ""] = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(await readme()) ?? [];
  const drawn = drawing
    .trim()
    .split("\n")
    .map((line) => line.trim())
    .toSorted();
  const table = Object.entries(TRANSITIONS).flatMap(([by, { from, to }]) =>
    from.map((state) => `${state} --> ${to}: ${by}`),
  );
  expect(drawn).toEqual(["[*] --> human: new", ...table].toSorted());
});

it("every file is reachable from the layout", async () => {
  const text = await readme();
  const { stdout } = await run("git", ["ls-files"], { cwd: ROOT });
  const tops = new Set(
    stdout
      .trim()
      .split("\n")
      .map((file) => (file.includes("/") ? file.split("/").slice(0, 1).join("/") : file)),
  );
  const conventional = new Set([
    ".gitignore",
    ".gitattributes",
    ".npmrc",
    ".nvmrc",
    "README.md",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "biome.json",
    "knip.json",
    "vitest.config.ts",
  ]);
  for (const top of tops) if (!conventional.has(top)) expect(text).toContain(top);
});
