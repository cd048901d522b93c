/** Independent tools check the API document, and the responses of the service against it: npm run test:api. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { GameClient } from "../../client/src/index.ts";
import { freePort } from "../../scripts/cli/ports.ts";
import { sleep } from "../../scripts/cli/sleep.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { running } from "../support/running.ts";
import { expectSuccess, type ScriptResult, startScript } from "../support/runScript.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const HERE = import.meta.dirname;
const DOCUMENT = join(ROOT, "docs/openapi.json");

const TOOLS = {
  redocly: join(HERE, "node_modules/@redocly/cli/bin/cli.js"),
  spectral: join(HERE, "node_modules/@stoplight/spectral-cli/dist/index.js"),
  prism: join(HERE, "node_modules/@stoplight/prism-cli/dist/index.js"),
};

/** The tools send no telemetry, and do not look for new versions. */
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };

const run = async (tool: keyof typeof TOOLS, ...args: string[]): Promise<ScriptResult> => {
  const { ended, output } = startScript([TOOLS[tool], ...args], { ...process.env, ...QUIET }, HERE);
  return { code: await ended, output: output() };
};

const READS = [
  "/player/{url_id}",
  "/game/{url_id}",
  "/live/{url_id}",
  "/users/{url_id}",
  "/session/me",
  "/interactions/{url_id}",
  "/interactions/leaderboard/{url_id}",
  "/interactions/stats/{url_id}",
  "/interactions/tree/{url_id}",
  "/zombie/starvation/{url_id}",
  "/notifications/inbox/{url_id}",
] as const;

/** Calls `use` with the address of a proxy that returns an error in place of a response that violates the document. */
const withProxy = async (use: (base: string) => Promise<void>): Promise<void> => {
  const port = await freePort();
  const args = ["proxy", DOCUMENT, running().base, "--errors", "--port", String(port), "-v", "error"];
  const { child: proxy } = startScript([TOOLS.prism, ...args], { ...process.env, ...QUIET });
  try {
    const base = `http://127.0.0.1:${port}`;
    while ((await fetch(`${base}/health`).catch(() => null))?.ok !== true) {
      if (proxy.exitCode !== null) throw new Error("Prism has ended");
      await sleep(100);
    }
    await use(base);
  } finally {
    proxy.kill();
  }
};

describe.skipIf(!existsSync(TOOLS.prism))("the API document", () => {
  it("is clean under Redocly's and Spectral's recommended rules", async () => {
    const linted = await run("redocly", "lint", DOCUMENT, "--extends", "recommended", "--format", "json");
    expectSuccess(linted, /"warnings": 0/);
    const ruleset = join(HERE, ".spectral.yaml");
    expectSuccess(await run("spectral", "lint", DOCUMENT, "--ruleset", ruleset, "-F", "warn"));
  });

  it("describes every response of a whole game, which Respect plays, and of further requests", async () => {
    const { token } = await s.admin();
    await withProxy(async (baseUrl) => {
      const input = ["--input", JSON.stringify({ token }), "--server", `game=${baseUrl}`];
      expectSuccess(await run("redocly", "respect", "game.arazzo.yaml", ...input));
      const gm = new GameClient({ baseUrl, token, attempts: 1 });
      const login = { alias: "Arazzo Zombie", password: "correct horse battery" };
      const zombie = gm.withToken((await gm.post("/login", { body: login })).token);
      for (const reader of [zombie, gm]) {
        for (const path of READS) await reader.get(path);
      }
      await gm.get("/admin/get_logs/{url_id}");
      await gm.get("/admin/get_players/{url_id}");
      await zombie.get("/zombie/next_feeding/{url_id}");
      await zombie.delete("/delete_player/{url_id}");
    });
  });
});
