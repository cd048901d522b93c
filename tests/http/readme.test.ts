/** The README is correct: its example game, the state diagram, its table of endpoints and its layout. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { STATES } from "../../lib/domain/player.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { npmStart } from "../support/npmStart.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();

const run = promisify(execFile);
const readme = () => readFile(join(ROOT, "README.md"), "utf8");

it("the example game can be run as it is, also twice", async () => {
  const [, lines = ""] = /<!-- first-game[^\n]*\n```sh\n([\s\S]*?)```/.exec(await readme()) ?? [];
  expect(lines.match(/curl -sS/g)?.length).toBe(10);
  const GAME_FILE = pathOf("game.db");
  const service = await npmStart({ GAME_FILE });
  try {
    const env = { ...process.env, PORT: String(service.port), GAME_FILE };
    for (const times of [1, 2]) {
      const { stdout, stderr } = await run("bash", ["--norc", "-euo", "pipefail", "-c", lines], {
        cwd: ROOT,
        env,
      });
      expect(stderr).toBe("");
      const responses = stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line));
      const states = responses.map(({ player, prey }) => player?.state ?? prey?.state);
      expect(states).toEqual(["corpse", "zombie", "zombie", undefined, "human", undefined]);
      const [, , , tree, , board] = responses;
      const outbreak = { alias: "Ada", children: [{ alias: "Ben" }] };
      expect(tree).toMatchObject({ size: 2 * times, roots: Array.from({ length: times }, () => outbreak) });
      expect(board.players).toMatchObject([
        { rank: 1, alias: "Ada", kills: times, state: "zombie" },
        { rank: 2, alias: "Ben", state: "human" },
      ]);
    }
  } finally {
    expect(await service.stop()).toBe(0);
  }
});

it("the state diagram shows exactly the existing transitions", async () => {
  const [, drawing = ""] =
    /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(
      await readFile(join(ROOT, "docs/architecture.md"), "utf8"),
    ) ?? [];
  const drawn = drawing
    .trim()
    .split(/\s*\n\s*/)
    .toSorted();
  const table = Object.entries(STATES).flatMap(([state, { next }]) =>
    Object.entries(next).map(([by, to]) => `${state} --> ${to}: ${by}`),
  );
  expect(drawn).toEqual(["[*] --> human: new", ...table].toSorted());
});

it("README.md and docs/architecture.md name every file and folder of the root", async () => {
  const text = `${await readme()}${await readFile(join(ROOT, "docs/architecture.md"), "utf8")}`;
  const { stdout } = await run("git", ["ls-files"], { cwd: ROOT });
  const tops = new Set(stdout.split("\n").map((file) => file.split("/")[0] ?? ""));
  const conventional = [
    ...[".gitignore", ".gitattributes", ".npmrc", ".nvmrc", "README.md", "package.json", "package-lock.json"],
    ...["tsconfig.json", "biome.json", "knip.json", "vitest.config.ts", ".dependency-cruiser.cjs"],
  ];
  for (const top of tops) if (!conventional.includes(top)) expect(text).toContain(top);
});
