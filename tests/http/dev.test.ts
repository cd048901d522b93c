/** `npm run dev` restarts the functions after each save, also by an editor that replaces the file. */
import { readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { copyTree } from "../support/copiedTree.ts";
import { npmStart } from "../support/npmStart.ts";
import { runScript } from "../support/runScript.ts";

const healthHandler = (saved: number): string => `import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /health",
  access: "public",
  response: { schema: z.object({ ok: z.boolean(), saved: z.number() }) },
  run: async (call) => call.respond({ ok: true, saved: ${saved} }),
});
`;

it("npm run dev serves each save, also after one that cannot be loaded", async () => {
  const copy = await copyTree();
  onTestFinished(copy.remove);
  await writeFile(join(copy.root, ".env"), "PROT=1\nALLOWED_ORIGINS=example.org\n");
  const wrong = await runScript([join(copy.root, "scripts/commands/start.ts")], { GAME_FILE: ":memory:" });
  expect(wrong.output).toMatch(/ALLOWED_ORIGINS must be.*\nWarning: PROT in \.env is not a setting/);
  await writeFile(join(copy.root, ".env"), "PROT=1\n");
  const service = await npmStart({ GAME_FILE: ":memory:" }, { root: copy.root, args: ["--watch"] });
  const record = await service.runRecord(join(copy.root, `.local/memory-${service.port}`));
  const { scratch: folder = "", settings } = record;
  const save = async (text: string): Promise<void> => {
    const file = join(copy.root, "functions/player/health.ts");
    await writeFile(`${file}.tmp`, text);
    await rename(`${file}.tmp`, file);
  };
  const waitFor = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 100 });
  const expectServed = (saved: number): Promise<void> =>
    waitFor(async () => {
      const response = await fetch(`${service.base}/health`);
      expect(await response.json()).toEqual({ ok: true, saved });
    });
  try {
    expect(service.output()).toContain("Warning: PROT in .env is not a setting");
    expect(await readdir(folder)).toContain("game.db");
    expect(settings.QUEUE_URL).toMatch(/^http:/);
    await save(healthHandler(1));
    await expectServed(1);
    await save("export const handler = nothing;\n");
    await waitFor(async () => expect(service.output()).toContain("Waiting for the next change"));
    await save(healthHandler(2));
    await expectServed(2);
  } finally {
    expect(await service.stop()).toBe(0);
  }
  // A game in memory has a queue too, and leaves no files behind.
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});
