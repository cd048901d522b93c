/** The commands as a user runs them, each in its own process: their output, exit code and effects. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
import { ROOT } from "../../scripts/project/root.ts";
import { drawnFrom } from "../support/battery.ts";
import { listen } from "../support/listen.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
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

const Login = z.object({ player_id: z.string(), token: z.string(), is_admin: z.boolean() });

describe("npm start", () => {
  it.each<[Settings, RegExp]>([
    [{ PORT: "abc", LOG_LEVEL: "LOUD" }, /PORT must be a port.*LOG_LEVEL/],
    [
      { PORT: "70000", ALLOWED_ORIGINS: "example.org" },
      /PORT must be at most 65535.*ALLOWED_ORIGINS must be/,
    ],
    [{ GAME_FILE: ROOT }, /GAME_FILE/],
    [{ GAME_FILE: "package.json/game.db" }, /GAME_FILE.*cannot be written/],
  ])("rejects %j in one line that says how to fix it", async (settings, message) => {
    expectError(await command("start", { GAME_FILE: pathOf("wrong.db"), ...settings }), message);
  });

  it("reports a port that is in use", async () => {
    const occupied = createServer();
    const PORT = String(await listen(occupied));
    expectError(await command("start", { PORT, GAME_FILE: pathOf("first.db") }), `Port ${PORT} is in use`);
    await expect(stat(pathOf("first.db"))).rejects.toThrow("ENOENT");
    occupied.close();
  });
});

describe("alongside the service of a game,", () => {
  let service: RunningService;
  let settings: { GAME_FILE: string; PORT: string };
  beforeAll(async () => {
    settings = await newGame("game.db");
    const created = expectSuccess(await createAdmin(settings, "--alias", "gm"), "gm is an administrator");
    expect(created).not.toContain(PASSWORD);
    service = await npmStart({ GAME_FILE: settings.GAME_FILE });
    settings.PORT = String(service.port);
  }, 200_000);
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await expect(fetch(`${service.base}/health`)).rejects.toThrow();
  });

  const login = async (alias: string, password = PASSWORD) =>
    Login.parse(await (await service.post("/login", { alias, password })).json());

  it("npm start reports that the game is in use, and leaves the service alone", async () => {
    const again = { ...settings, PORT: String(await freePort()) };
    expectError(await command("start", again), "in use by the service");
    expect((await fetch(`${service.base}/health`)).status).toBe(200);
    expect((await stat(`${settings.GAME_FILE}.keys.json`)).mode & 0o077).toBe(0);
  });

  it("npm run create-admin creates and promotes game masters", async () => {
    expectSuccess(await createAdmin(settings, "--alias", "Zoe", "--playing"), "plays as a human");
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
    for (const alias of ["gm", "zoe", "ada"]) expect(await login(alias)).toMatchObject({ is_admin: true });
    for (const [args, input, message] of [
      [[], PASSWORD, /--alias is missing/],
      [["--alias", "x", "--dry-run"], "", /The alias x /],
      [["--alias", "Newbie"], "short\n", /8 to 128/],
      [["--alias", "Аda"], PASSWORD, /taken/],
      [["--nonsense"], "", /nonsense/],
    ] as const) {
      expectError(await command("create-admin", settings, args, input), message);
    }
  });

  it("npm run export and import move the game to another file, and reject invalid files", async () => {
    const to = await newGame("to.db");
    const [file, changed] = [pathOf("game.ndjson"), pathOf("changed.ndjson")];
    // Exports contain secrets and must not be committed by mistake.
    await promisify(execFile)("git", ["check-ignore", "game.ndjson"], { cwd: ROOT });

    expectSuccess(await command("export", settings, ["--file", file]), "KEEP IT SECRET");
    expectError(await command("export", settings, ["--file", file]), "--force");
    expectError(
      await command("import", settings, ["--file", file]),
      /in use by the service on .*Stop that service/,
    );
    await writeFile(changed, (await readFile(file)).subarray(0, -9));
    expectError(await command("import", to, ["--file", changed]), "is incomplete");
    // Control characters in a file are not printed.
    const [first = "", ...rest] = (await readFile(file, "utf8")).split("\n").slice(0, -2);
    const header = { ...JSON.parse(first), at: "\u001b[2J\u202egnitekram" };
    const text = [JSON.stringify(header), ...rest].map((line) => `${line}\n`).join("");
    const sha256 = createHash("sha256").update(text).digest("hex");
    await writeFile(changed, `${text}${JSON.stringify({ items: rest.length, sha256 })}\n`);
    const preview = /items, exported at .*, would be written .*Nothing has been changed\.$/;
    const hostile = expectSuccess(await command("import", to, ["--file", changed, "--dry-run"]), preview);
    expect(hostile).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expectSuccess(await command("import", to, ["--file", file]), "are now in the local game");
    expectError(await command("import", to, ["--file", file]), "needs an empty table");
    expectSuccess(await createAdmin(to, "--alias", "gm"), "gm is already an administrator");
    expectSuccess(await command("recount", to), "no difference");
  });

  it("npm run recount finds no difference", async () => {
    const json = expectSuccess(await command("recount", settings, ["--json", "--fix"]));
    expect(JSON.parse(json)).toMatchObject({ differences: [], moving: [] });
  });

  it.each([
    ["export", [], /--file is missing/],
    ["import", [], /--file is missing/],
    ["recount", ["--region", "eu-west-1"], /--table/],
    ["recount", ["--nonsense"], /nonsense/],
    ["reset", [], /Give --yes/],
    ["reset", ["--yes", "--resume"], /no interrupted reset .*Leave out --resume/],
    ["reset", ["--yes", "--shards", "0"], /--shards 0 is invalid: use a whole number from 1 to 256/],
    ["reset", ["--region", "eu-west-1"], /--region needs --stage or --table/],
  ])("npm run %s rejects %j in one line", async (name, args, message) => {
    expectError(await command(name, settings, args), message);
  });

  it("serverless invoke local invokes a function with each event in events/, as the README says", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const [, example = ""] = /`npx serverless (invoke local [^`]*)`/.exec(readme) ?? [];
    const invoke = async (args: string) => {
      const script = ["node_modules/serverless/bin/serverless.js", ...args.split(" ")];
      const output = expectSuccess(await runScript(script, settings));
      // After the lines of the log.
      return JSON.parse(output.slice(output.search(/^\{$/m)));
    };
    const post = JSON.parse(await readFile(join(ROOT, "events/http-post.json"), "utf8"));
    const { alias, password } = JSON.parse(post.body);
    expect(await invoke(example)).toMatchObject({ statusCode: 201 });
    const { player_id, token } = await login(alias, password);
    const get = await readFile(join(ROOT, "events/http-get.json"), "utf8");
    const filled = pathOf("get.json");
    await writeFile(filled, get.replaceAll("PLAYER_ID", player_id).replaceAll("TOKEN", token));
    const shown = { statusCode: 200, body: expect.stringContaining(`"alias":"${alias}"`) };
    const invocations: [args: string, result: object][] = [
      [`--function player --path ${filled}`, shown],
      ["--function sweep --path events/schedule.json", { starved: 0, complete: true }],
      ["--function deliver --path events/queue.json", { batchItemFailures: [] }],
    ];
    for (const [args, result] of drawnFrom(invocations, 3, "invocations")) {
      expect(await invoke(`invoke local ${args}`)).toMatchObject(result);
    }
  });

  it("npm run reset starts a new season after a confirmation", async () => {
    const reset = (...args: string[]) => command("reset", settings, args);
    const created = await service.post("/new", { alias: "Bea", password: PASSWORD });
    const { tag_code } = z.object({ tag_code: z.string() }).parse(await created.json());
    const file = pathOf("spring.ndjson");
    expect((await reset("--dry-run")).output).toMatch(
      /^Stays: \d players, .*\n.*human with a new tag code: \d .*\nGoes: .*\d old tag codes?\.\nNothing has been changed\.$/ims,
    );
    const output = expectSuccess(
      await reset("--yes", "--file", file, "--shards", "2"),
      /Humans with a new tag code: \d\. Removed: .*\d old tag codes?\./,
    );
    expect(output).toContain(`${file}. KEEP IT SECRET`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { token, player_id } = await login("Bea");
    const response = await fetch(`${service.base}/player/${player_id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const player = z.object({ state: z.string(), tag_code: z.string() }).parse(await response.json());
    expect(player.state).toBe("human");
    expect(player.tag_code).not.toBe(tag_code);
    expectError(await reset("--yes", "--file", file), "--force");
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
      await store.commit(await writesOf({ players: [{ before: gm, after }] }), () => 60_000);
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

  it("has a help text", async () => {
    const scripts = (await readdir(join(ROOT, "scripts/commands"))).map((name) => `scripts/commands/${name}`);
    // npm runs the first, and check:architecture the second: they have no options.
    const isForPeople = (script: string) => !/\/(postinstall|architecture)\.ts$/.test(script);
    const all = [...scripts, "bench/main.ts"].filter(isForPeople);
    for (const script of drawnFrom(all, 5, "commands with a help text")) {
      expectSuccess(await runScript([script, "--help"], {}), /npm (run [\w:-]+|start)/);
    }
  });
});
