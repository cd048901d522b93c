/** Nothing that was acknowledged is lost when everything is killed in the middle. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRecord } from "../../scripts/local/runFile.ts";
import { npmStart } from "../support/npmStart.ts";

const register = async (base: string, alias: string): Promise<number> => {
  const reply = await fetch(`${base}/new`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ alias, password: "correct horse battery" }),
  });
  return reply.status;
};

it("a start after kill -9 finds every acknowledged change", async () => {
  const folder = await mkdtemp(join(tmpdir(), "killed-"));
  const GAME_FILE = join(folder, "game.db");
  try {
    const acknowledged: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const service = await npmStart({ GAME_FILE });
      let killed = false;
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; !killed; n += 1) {
          const alias = `Player ${round} ${writer} ${n}`;
          const status = await register(service.base, alias).catch(() => 0);
          if (status === 201) acknowledged.push(alias);
        }
      });
      while (acknowledged.length < 20 * (round + 1)) await new Promise((resolve) => setTimeout(resolve, 5));
      const record = await readRecord(`${GAME_FILE}.run.json`);
      expect(record?.children.length).toBeGreaterThan(1);
      for (const { pid } of record?.children ?? []) process.kill(pid, "SIGKILL");
      service.process.kill("SIGKILL");
      killed = true;
      await Promise.all(writers);
    }

    const service = await npmStart({ GAME_FILE });
    try {
      expect(acknowledged.length).toBeGreaterThanOrEqual(40);
      const again = await Promise.all(acknowledged.map((alias) => register(service.base, alias)));
      expect(new Set(again)).toEqual(new Set([409]));
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
