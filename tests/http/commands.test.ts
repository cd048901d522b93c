/** The commands as a user runs them, each in its own process: their output, exit code and effects. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { asZombie } from "../../lib/domain/transitions.ts";
import { commandContext, makeServices } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { keys } from "../../lib/store/keys.ts";
import { localTarget } from "../../scripts/archive/target.ts";
import { freePort } from "../../scripts/cli/ports.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { REGION } from "../../scripts/local/settings.ts";
import { ROOT } from "../support/endpoints.ts";
import { npmStart } from "../support/npmStart.ts";
import { expectError, expectSuccess, runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();
type Settings = Record<string, string>;
const command = (name: string, settings: Settings, args: readonly string[] = [], input = "") =>
  runScript([`scripts/commands/${name}.ts`, ...args], settings, input);

const PASSWORD = "masters of the game";
const createAdmin = (settings: Settings, ...args: string[]) =>
  command("create-admin", settings, args, `${PASSWORD}\n`);

/** The settings of a game without a running service. */
const newGame = async (name: string) => ({ GAME_FILE: pathOf(name), PORT: String(await freePort()) });

/** Starts the service of a game, and returns the settings for commands alongside it. */
const serve = async (GAME_FILE: string) => {
  const service = await npmStart({ GAME_FILE });
  return { service, settings: { GAME_FILE, PORT: String(service.port) } };
};

const Login = z.object({ player_id: z.string(), token: z.string(), is_admin: z.boolean() });

const login = async ({ service }: Awaited<ReturnType<typeof serve>>, alias: string, password = PASSWORD) =>
  Login.parse(await (await service.post("/login", { alias, password })).json());

describe("npm start", () => {
  it.each<[Settings, RegExp]>([
    [{ PORT: "abc", LOG_LEVEL: "LOUD" }, /PORT must be a port.*LOG_LEVEL/],
    [
      { PORT: "70000", ALLOWED_ORIGINS: "example.org" },
      /PORT must be at most 65535.*ALLOWED_ORIGINS must be/,
    ],
    [{ FEEDING_PERIOD_SECONDS: "0" }, /FEEDING_PERIOD_SECONDS must be at least 1/],
    [{ CURSOR_KEY: "short" }, /CURSOR_KEY must be 32 bytes/],
    [{ DYNAMODB_ENDPOINT: "nowhere" }, /DYNAMODB_ENDPOINT must be a URL/],
    [{ VAPID_PUBLIC_KEY: "A".repeat(87) }, /VAPID/],
    [{ GAME_FILE: ROOT }, /GAME_FILE/],
    [{ GAME_FILE: "package.json/game.db" }, /GAME_FILE.*cannot be written/],
  ])("rejects %j in one line that says how to fix it", async (settings, message) => {
    expectError(await command("start", { GAME_FILE: pathOf("wrong.db"), ...settings }), message);
  });

  it("reports a port or a game that is in use, and leaves the other services alone", async () => {
    const occupied = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => occupied.once("listening", resolve));
    const address = occupied.address();
    const PORT = String(typeof address === "object" ? address?.port : "");
    expectError(await command("start", { PORT, GAME_FILE: pathOf("first.db") }), `Port ${PORT} is in use`);
    occupied.close();

    const [first, second] = [await serve(pathOf("first.db")), await serve(pathOf("second.db"))];
    const again = { ...first.settings, PORT: String(await freePort()) };
    expectError(await command("start", again), "in use by the service");
    for (const { service } of [first, second]) {
      expect((await fetch(`${service.base}/health`)).status).toBe(200);
    }
    expect(await Promise.all([first.service.stop(), second.service.stop()])).toEqual([0, 0]);
    await expect(fetch(`${first.service.base}/health`)).rejects.toThrow();
    expect((await stat(`${pathOf("first.db")}.keys.json`)).mode & 0o077).toBe(0);
  });
});

describe("npm run create-admin", () => {
  it("creates and promotes game masters, with and without a running service", async () => {
    const alone = await newGame("admins.db");
    expect(expectSuccess(await createAdmin(alone, "--alias", "gm"), "gm is an administrator")).not.toContain(
      PASSWORD,
    );

    const running = await serve(alone.GAME_FILE);
    const { service, settings } = running;
    try {
      expectSuccess(await createAdmin(settings, "--alias", "Zoe", "--playing"), "plays as a human");
      for (const alias of ["gm", "zoe"])
        expect(await login(running, alias)).toMatchObject({ is_admin: true });
      await service.post("/new", { alias: "Ada", password: PASSWORD });
      expectError(await createAdmin(settings, "--alias", "ada"), "--yes");
      expectSuccess(await createAdmin(settings, "--alias", "ada", "--yes"), "is now an administrator");
      for (const [args, alias] of [
        [["--alias", "GM"], "gm"],
        [["--alias", "Zoe", "--dry-run"], "Zoe"],
      ] as const) {
        expect(await command("create-admin", settings, args, "not the password\n")).toEqual({
          code: 0,
          output: `${alias} is already an administrator in the local game. Nothing has been changed, including the password.`,
        });
      }
      expect(await login(running, "gm")).toMatchObject({ is_admin: true });
      for (const [args, input, message] of [
        [[], PASSWORD, /--alias is missing/],
        [["--alias", "x", "--dry-run"], "", /The alias x /],
        [["--alias", "Newbie"], "short\n", /8 to 128/],
        [["--alias", "Аda"], PASSWORD, /taken/],
        [["--nonsense"], "", /nonsense/],
      ] as const) {
        expectError(await command("create-admin", settings, args, input), message);
      }
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });
});

describe("npm run export, import and recount", () => {
  it("move a game to another file, where it can be played, and reject invalid files", async () => {
    const [from, to] = [await newGame("from.db"), await newGame("to.db")];
    const [file, changed] = [pathOf("game.ndjson"), pathOf("changed.ndjson")];
    // Exports contain secrets and must not be committed by mistake.
    await promisify(execFile)("git", ["check-ignore", "game.ndjson"], { cwd: ROOT });
    await createAdmin(from, "--alias", "gm");

    expectSuccess(await command("export", from, ["--file", file]), "KEEP IT SECRET");
    expectError(await command("export", from, ["--file", file]), "--force");
    expectError(await command("import", from, ["--file", file]), "needs an empty table");
    await writeFile(changed, (await readFile(file)).subarray(0, -9));
    expectError(await command("import", to, ["--file", changed]), "is incomplete");
    const preview = /items, exported at .*, would be written .*Nothing has been changed\.$/;
    expectSuccess(await command("import", to, ["--file", file, "--dry-run"]), preview);
    // Control characters in a file are not printed.
    const [first = "", ...rest] = (await readFile(file, "utf8")).split("\n").slice(0, -2);
    const header = { ...JSON.parse(first), at: "\u001b[2J\u202egnitekram" };
    const text = [JSON.stringify(header), ...rest].map((line) => `${line}\n`).join("");
    const sha256 = createHash("sha256").update(text).digest("hex");
    await writeFile(changed, `${text}${JSON.stringify({ items: rest.length, sha256 })}\n`);
    const hostile = expectSuccess(await command("import", to, ["--file", changed, "--dry-run"]));
    expect(hostile).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expectSuccess(await command("import", to, ["--file", file]), "are now in the local game");

    const running = await serve(to.GAME_FILE);
    try {
      expect(await login(running, "gm")).toMatchObject({ is_admin: true });
      expectSuccess(await command("recount", running.settings), "no difference");
      const json = expectSuccess(await command("recount", running.settings, ["--json", "--fix"]));
      expect(JSON.parse(json)).toMatchObject({ differences: [], moving: [] });
    } finally {
      expect(await running.service.stop()).toBe(0);
    }
    for (const [name, args, message] of [
      ["export", [], /--file is missing/],
      ["import", [], /--file is missing/],
      ["recount", ["--region", "eu-west-1"], /--table/],
      ["recount", ["--nonsense"], /nonsense/],
    ] as const) {
      expectError(await command(name, from, args), message);
    }
  });
});

describe("npm run reset", () => {
  it("starts a new season while the service is running, after a confirmation", async () => {
    const running = await serve(pathOf("season.db"));
    const reset = (...args: string[]) => command("reset", running.settings, args);
    try {
      const created = await running.service.post("/new", { alias: "Ada", password: PASSWORD });
      const { tag_code } = z.object({ tag_code: z.string() }).parse(await created.json());
      const file = pathOf("spring.ndjson");
      for (const [args, message] of [
        [[], /Give --yes/],
        [["--yes", "--resume"], /no interrupted reset .*Leave out --resume/],
        [["--yes", "--shards", "0"], /--shards 0 is invalid: use a whole number from 1 to 256/],
        [["--region", "eu-west-1"], /--region needs --stage or --table/],
      ] as const) {
        expectError(await reset(...args), message);
      }
      expect((await reset("--dry-run")).output).toMatch(
        /^Stays: 1 player, .*\n.*human with a new tag code: 1 .*\nGoes: 1 old tag code\.\nNothing has been changed\.$/ims,
      );
      const output = expectSuccess(
        await reset("--yes", "--file", file, "--shards", "2"),
        "Humans with a new tag code: 1. Removed: 1 old tag code.",
      );
      expect(output).toContain(`${file}. KEEP IT SECRET`);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const { token, player_id } = await login(running, "Ada");
      const response = await fetch(`${running.service.base}/player/${player_id}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const player = z.object({ state: z.string(), tag_code: z.string() }).parse(await response.json());
      expect(player.state).toBe("human");
      expect(player.tag_code).not.toBe(tag_code);
      expectError(await reset("--yes", "--file", file), "--force");
    } finally {
      expect(await running.service.stop()).toBe(0);
    }
  });
});

describe("npm run sweep", () => {
  it("records starvations, and holds sweeps after a gap until a game master decides", async () => {
    const settings = { ...(await newGame("held.db")), FEEDING_PERIOD_SECONDS: "1" };
    const sweep = (...args: string[]) => command("sweep", settings, args);
    expectSuccess(await sweep(), "Starvations recorded: 0");
    await createAdmin(settings, "--alias", "gm");
    const engine = await startEngine({ file: settings.GAME_FILE });
    try {
      const game = { endpoint: engine.endpoint, table: "zombie-game-local", region: REGION };
      const { db, close } = localTarget(game);
      const services = makeServices(parseEnv({ DYNAMODB_ENDPOINT: engine.endpoint }));
      const { store } = services;
      const gm = await store.playerByAlias("gm");
      if (gm === null) throw new Error("no game master");
      const now = Date.now();
      const context = { ...commandContext(services, now - 3 * HOUR), feedingPeriod: () => HOUR };
      const infection = { id: context.newId(), at: rfc3339(context.now), by: null };
      const after = asZombie(gm, await store.game(), context, infection);
      await store.commit(await writesOf({ players: [{ before: gm, after }] }, 1), () => 60_000);
      // With --table, as for a deployment.
      await db.put({ ...keys.sweepClock, at: now - 9 * HOUR, held: { since: now, until: now, due: 1 } });
      const remote = {
        AWS_ENDPOINT_URL: engine.endpoint,
        ...{ AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" },
      };
      const decide = () =>
        command("sweep", remote, ["--accept-gap", "--table", game.table, "--region", REGION]);
      expectSuccess(
        await decide(),
        /^The time from .* to .* is accepted: .* Sweeps continue within a minute\.$/,
      );
      expectSuccess(await decide(), "nothing has been changed");
      await db.put({ ...keys.sweepClock, at: now - 9 * HOUR });
      await close();
    } finally {
      await engine.stop();
    }
    expectError(await sweep("--accept-gap", "--pause-gap"), "Give only one of");
    expectError(await sweep("--table", "elsewhere"), "--accept-gap or --pause-gap");
    const held = await sweep();
    expect(held.code).toBe(1);
    expect(held.output).toMatch(/^Sweeps are held .* 9 hours later, and 1 zombie would .*--pause-gap/);
    const doctor = await command("doctor", { ...settings, AWS_ACCESS_KEY_ID: "" });
    expect(doctor.output).toMatch(
      /^WRONG sweep {9}Sweeps are held .*\n +-> If the clock is wrong, .*--accept-gap/m,
    );
    expectSuccess(await sweep("--accept-gap"), / is accepted.*\nStarvations recorded: 1\./);
    expectSuccess(await sweep("--pause-gap"), "No sweep is held");
  });
});

describe("serverless invoke local", () => {
  it("invokes a function with each event in events/, as the README says", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const [, example = ""] = /`npx serverless (invoke local [^`]*)`/.exec(readme) ?? [];
    const running = await serve(pathOf("invoked.db"));
    const invoke = async (args: string) => {
      const script = ["node_modules/serverless/bin/serverless.js", ...args.split(" ")];
      const output = expectSuccess(await runScript(script, running.settings));
      // After the lines of the log.
      return JSON.parse(output.slice(output.search(/^\{$/m)));
    };
    try {
      const post = JSON.parse(await readFile(join(ROOT, "events/http-post.json"), "utf8"));
      const { alias, password } = JSON.parse(post.body);
      expect(await invoke(example)).toMatchObject({ statusCode: 201 });
      const { player_id, token } = await login(running, alias, password);
      const get = await readFile(join(ROOT, "events/http-get.json"), "utf8");
      const filled = pathOf("get.json");
      await writeFile(filled, get.replaceAll("PLAYER_ID", player_id).replaceAll("TOKEN", token));
      const [player, sweep, deliver] = await Promise.all([
        invoke(`invoke local --function player --path ${filled}`),
        invoke("invoke local --function sweep --path events/schedule.json"),
        invoke("invoke local --function deliver --path events/queue.json"),
      ]);
      expect(player).toMatchObject({ statusCode: 200, body: expect.stringContaining(`"alias":"${alias}"`) });
      expect(sweep).toMatchObject({ starved: 0, complete: true });
      expect(deliver).toEqual({ batchItemFailures: [] });
    } finally {
      expect(await running.service.stop()).toBe(0);
    }
  });
});

describe("every command", () => {
  it("says that npm ci comes first", async () => {
    const bare = pathOf("bare/scripts");
    await mkdir(bare, { recursive: true });
    await cp(join(ROOT, "scripts/node.sh"), join(bare, "node.sh"));
    await expect(promisify(execFile)("sh", [join(bare, "node.sh"), "start.ts"])).rejects.toMatchObject({
      code: 1,
      stderr: "The packages are not installed. Run npm ci.\n",
    });
  });

  it("has a help text", { timeout: 300_000 }, async () => {
    const scripts = (await readdir(join(ROOT, "scripts/commands"))).map((name) => `scripts/commands/${name}`);
    for (const script of [...scripts, "bench/main.ts"]) {
      if (script.endsWith("/architecture.ts")) continue;
      expectSuccess(await runScript([script, "--help"], {}), /npm (run [\w:-]+|start)/);
    }
  });
});
