/** Independent tools check the API document, and the responses of the service against it: npm run test:api. */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { GameClient } from "../../client/src/index.ts";
import { freePort } from "../../scripts/cli/ports.ts";
import { sleep } from "../../scripts/cli/sleep.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { running } from "../support/running.ts";
import { testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";

const s = testEnvironment();
const pathOf = useTempDir();

const HERE = import.meta.dirname;
const DOCUMENT = join(ROOT, "docs/openapi.json");

const TOOLS = {
  redocly: join(HERE, "node_modules/@redocly/cli/bin/cli.js"),
  spectral: join(HERE, "node_modules/@stoplight/spectral-cli/dist/index.js"),
  prism: join(HERE, "node_modules/@stoplight/prism-cli/dist/index.js"),
};

/** Nothing is reported to anybody, and no new version is looked for. */
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };

const run = async (tool: keyof typeof TOOLS, ...args: string[]) => {
  const options = { cwd: HERE, env: { ...process.env, ...QUIET }, maxBuffer: 64 * 1024 ** 2 };
  return promisify(execFile)(process.execPath, [TOOLS[tool], ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
};

/** Calls `use` with the address of a proxy that answers with an error where a response is not as the document says. */
const withProxy = async (document: string, use: (base: string) => Promise<void>): Promise<void> => {
  const port = await freePort();
  const args = ["proxy", document, running().base, "--errors", "--port", String(port), "-v", "error"];
  const proxy = spawn(process.execPath, [TOOLS.prism, ...args], {
    stdio: "ignore",
    env: { ...process.env, ...QUIET },
  });
  try {
    const base = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${base}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isUp())) {
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
    const lint = await run("redocly", "lint", DOCUMENT, "--extends", "recommended", "--format", "json");
    expect(lint.code, lint.text).toBe(0);
    expect(lint.text).toMatch(/"warnings": 0/);
    const spectral = await run(
      "spectral",
      "lint",
      DOCUMENT,
      "--ruleset",
      join(HERE, ".spectral.yaml"),
      "-F",
      "warn",
    );
    expect(spectral.code, spectral.text).toBe(0);
  });

  it("is what the client's types say: npm run types, in client/", async () => {
    const types = join(ROOT, "client/node_modules/openapi-typescript/bin/cli.js");
    const made = pathOf("openapi.ts");
    await promisify(execFile)(process.execPath, [types, DOCUMENT, "--output", made]);
    expect(await readFile(join(ROOT, "client/src/openapi.ts"), "utf8")).toBe(await readFile(made, "utf8"));
  });

  it("describes each response of a game, as Prism sees it", async () => {
    const { token } = await s.admin();
    await withProxy(DOCUMENT, async (baseUrl) => {
      const gm = new GameClient({ baseUrl, token });
      const join = async (alias: string) => {
        const body = { alias, password: "correct horse battery", login: true };
        const { token: own = "", tag_code } = await new GameClient({ baseUrl }).post("/new", { body });
        return { game: new GameClient({ baseUrl, token: own }), tag_code: tag_code ?? "" };
      };
      const [zed, ada, ben] = [await join("Zed"), await join("Ada"), await join("Ben")];
      await gm.post("/admin/corpsify/{url_id}", { body: { alias: "Zed" } });
      await gm.post("/admin/revive_z/{url_id}", { body: { alias: "Zed" } });
      const hunt = () => zed.game.post("/zombie/hunt/{url_id}", { body: { tag_code: ada.tag_code } });
      const { interaction } = await hunt();
      await expect(hunt()).rejects.toMatchObject({ status: 409, code: "already_tagged" });
      const missing = ben.game.post("/get_player/{url_id}", { body: { alias: "Nobody" } });
      await expect(missing).rejects.toMatchObject({ status: 404, code: "player_not_found" });
      const forbidden = ben.game.get("/admin/player_count/{url_id}");
      await expect(forbidden).rejects.toMatchObject({ status: 401, code: "not_administrator" });
      const taken = ben.game.post("/edit_player/{url_id}", { body: { alias: "Ada" } });
      await expect(taken).rejects.toMatchObject({ status: 409, code: "alias_taken" });
      await ben.game.post("/player/report_tagged/{url_id}", { body: { by_alias: "Zed" } });
      const { interaction_id } = interaction;
      await gm.post("/admin/void_hunt/{url_id}", { body: { interaction_id, reason: "It rained." } });
      await gm.post("/admin/set_checkpoint/{url_id}", { body: { name: "The bridge" } });
      await gm.post("/admin/player_at_checkpoint/{url_id}", { body: { alias: "Ada" } });
      await gm.post("/admin/kill_all_not_at_checkpoint/{url_id}", { body: { dry_run: true } });
      await gm.post("/admin/settings/{url_id}", { body: { name: "Autumn", ends_at: null } });
      await gm.post("/admin/feed/{url_id}", { body: { n: 2 } });
      const content = { title: "Run", content: "They come.", player_groups: "All" };
      await gm.post("/notifications/send/{url_id}", { body: content });
      for (const reader of [zed.game, gm]) {
        await reader.get("/player/{url_id}");
        await reader.get("/game/{url_id}");
        await reader.get("/live/{url_id}");
        await reader.get("/users/{url_id}");
        await reader.get("/interactions/{url_id}");
        await reader.get("/interactions/leaderboard/{url_id}");
        await reader.get("/interactions/stats/{url_id}");
        await reader.get("/interactions/tree/{url_id}");
        await reader.get("/zombie/starvation/{url_id}");
        await reader.get("/notifications/inbox/{url_id}");
        await reader.get("/session/me");
      }
      await zed.game.get("/zombie/next_feeding/{url_id}");
      await gm.get("/admin/get_logs/{url_id}");
      await gm.get("/admin/get_players/{url_id}");
      await gm.get("/admin/settings/{url_id}");
      await gm.get("/public");
      await zed.game.post("/logout");
      await ben.game.delete("/delete_player/{url_id}");
    });
  });

  it("that lacks a field is caught", async () => {
    const { token } = await s.admin();
    const mutated = pathOf("openapi.json");
    const text = await readFile(DOCUMENT, "utf8");
    await writeFile(mutated, text.replaceAll("idle_expires_at", "idle_expires_in"));
    await withProxy(mutated, async (baseUrl) => {
      const game = new GameClient({ baseUrl, token, attempts: 1 });
      await expect(game.get("/session/me")).rejects.toMatchObject({ status: 500 });
    });
  });

  it("has the workflow of a whole game, which Respect carries out", async () => {
    const { token } = await s.admin();
    const { code, text } = await run(
      ...["redocly" as const, "respect", "game.arazzo.yaml"],
      ...["--input", JSON.stringify({ token }), "--server", `game=${running().base}`],
    );
    expect(code, text).toBe(0);
  });
});
