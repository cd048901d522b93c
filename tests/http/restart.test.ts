/** No acknowledged change is lost when all processes are killed. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { readRecord } from "../../scripts/local/runFile.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();

const register = async ({ post }: RunningService, alias: string): Promise<number> =>
  (await post("/new", { alias, password: "correct horse battery" })).status;

it("a start after kill -9 finds every acknowledged change", { timeout: 300_000 }, async () => {
  const GAME_FILE = pathOf("game.db");
  const acknowledged: string[] = [];
  const killed = await npmStart({ GAME_FILE });
  let isKilled = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; !isKilled; n += 1) {
      const alias = `Player ${writer} ${n}`;
      const status = await register(killed, alias).catch(() => 0);
      if (status === 201) acknowledged.push(alias);
    }
  });
  while (acknowledged.length < 20) await sleep(5);
  const record = await readRecord(`${GAME_FILE}.run.json`);
  expect(record?.children.length).toBeGreaterThan(1);
  for (const { pid } of record?.children ?? []) process.kill(pid, "SIGKILL");
  killed.process.kill("SIGKILL");
  isKilled = true;
  await Promise.all(writers);

  const service = await npmStart({ GAME_FILE });
  try {
    const again = await Promise.all(acknowledged.map((alias) => register(service, alias)));
    expect(new Set(again)).toEqual(new Set([409]));
  } finally {
    await service.stop();
  }
});
