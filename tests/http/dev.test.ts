/** `npm run dev` starts the functions anew after each save, also of an editor that replaces the file. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { copyTree } from "../support/copiedTree.ts";
import { npmStart } from "../support/npmStart.ts";

const healthSaying = (saved: number): string => `import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /health",
  access: "public",
  response: { schema: z.object({ ok: z.boolean(), saved: z.number() }) },
  run: async (call) => call.respond({ ok: true, saved: ${saved} }),
});
`;

it("npm run dev serves each of two saves, and the one after a save that does not load", {
  timeout: 300_000,
}, async () => {
  const copy = await copyTree();
  await writeFile(join(copy.root, ".env"), "PROT=1\n");
  const service = await npmStart({ GAME_FILE: ":memory:" }, { root: copy.root, args: ["--watch"] }).catch(
    async (error: unknown) => {
      await copy.remove();
      throw error;
    },
  );
  const save = async (text: string): Promise<void> => {
    const file = join(copy.root, "functions/player/health.ts");
    await writeFile(`${file}.tmp`, text);
    await rename(`${file}.tmp`, file);
  };
  const patiently = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 60_000, interval: 100 });
  const expectServed = (saved: number): Promise<void> =>
    patiently(async () => {
      const answer = await fetch(`${service.base}/health`);
      expect(await answer.json()).toEqual({ ok: true, saved });
    });
  try {
    expect(service.said()).toContain("Warning: PROT in .env is not a setting");
    for (const saved of [1, 2]) {
      await save(healthSaying(saved));
      await expectServed(saved);
    }
    await save("export const handler = nothing;\n");
    await patiently(async () => expect(service.said()).toContain("Waiting for the next change"));
    await save(healthSaying(3));
    await expectServed(3);
  } finally {
    expect(await service.stop()).toBe(0);
    await copy.remove();
  }
});
