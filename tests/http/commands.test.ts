/** The commands as a user runs them: their output, exit code and effects. */
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod/mini";
import { GameClient } from "../../client/src/index.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { makeServices } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { keys } from "../../lib/store/keys.ts";
import { BROWSER_BLOCKED_PORTS, freePort, HOST } from "../../scripts/cli/ports.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { makeInvoker } from "../../scripts/local/invocation.ts";
import { functionName } from "../../scripts/local/service.ts";
import { REGION } from "../../scripts/local/settings.ts";
import { createTable } from "../../scripts/local/table.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { listen } from "../support/listen.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { expectError, expectSuccess, runHere, runScript, startScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();
type Settings = Record<string, string>;
/** Runs a command: one that reads input or ends its process in a process of its own. */
const command = async (name: string, settings: Settings, args: readonly string[] = [], input = "") => {
  const script = `scripts/commands/${name}.ts`;
  const endsItsProcess = /^process\.exit\(/m.test(await readFile(join(ROOT, script), "utf8"));
  if (input !== "" || endsItsProcess) return runScript([script, ...args], settings, input);
  return runHere([script, ...args], settings);
};

const PASSWORD = "masters of the game";
const createAdmin = (settings: Settings, ...args: string[]) =>
  command("create-admin", settings, args, `${PASSWORD}\n`);

/** The settings of a game without a running service. */
const newGame = async (name: string) => ({ GAME_FILE: pathOf(name), PORT: String(await freePort()) });

/** Has a server listen at a port before one that no browser opens. @returns the port */
const listenBeforeBlocked = async (server: Server): Promise<number> => {
  for (const blocked of BROWSER_BLOCKED_PORTS) {
    if (BROWSER_BLOCKED_PORTS.includes(blocked - 1)) continue;
    const port = await listen(server, blocked - 1).catch(() => null);
    if (port !== null) return port;
  }
  throw new Error("all of these ports are in use");
};

const Login = z.object({ player_id: z.string(), token: z.string(), is_admin: z.boolean() });

describe("alongside the service of a game,", () => {
  let service: RunningService;
  let settings: { GAME_FILE: string; PORT: string };
  beforeAll(async () => {
    settings = await newGame("game.db");
    const created = expectSuccess(await createAdmin(settings, "--alias", "gm"), "gm is an administrator");
    expect(created).not.toContain(PASSWORD);
    service = await npmStart({ GAME_FILE: settings.GAME_FILE });
    settings.PORT = String(service.port);
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await expect(fetch(`${service.base}/health`)).rejects.toThrow();
  });

  const login = async (alias: string, password = PASSWORD) =>
    Login.parse(await (await service.post("/login", { alias, password })).json());

  it("npm start reports in one line what it cannot use, and leaves the service and files alone", async () => {
    const GAME_FILE = pathOf("other.db");
    const other = createServer();
    onTestFinished(() => void other.close());
    const taken = await listenBeforeBlocked(other);
    const blocked = BROWSER_BLOCKED_PORTS.join("|");
    const rejected: [Settings, RegExp][] = [
      [{ PORT: "abc", LOG_LEVEL: "LOUD" }, /PORT must be a port.*LOG_LEVEL/],
      [{ PORT: "6000" }, /PORT is a port that no browser opens/],
      [{ JOIN_CODE: "abc" }, /JOIN_CODE must have 4 to 64 characters/],
      [{ GAME_FILE: "package.json/game.db" }, /GAME_FILE.*cannot be written/],
      [{ PORT: settings.PORT }, /Port \d+ is in use/],
      [{ PORT: `${taken}` }, new RegExp(`Port ${taken} is in use\\. .* PORT=(?!(${blocked})\\.)\\d+\\.$`)],
      [{ ...settings, PORT: String(await freePort()) }, /in use by the service/],
    ];
    for (const [given, message] of rejected)
      expectError(await command("start", { GAME_FILE, ...given }), message);
    expect((await fetch(`${service.base}/health`)).status).toBe(200);
    await expect(stat(GAME_FILE)).rejects.toThrow("ENOENT");
  });

  it("npm run create-admin creates and promotes game masters", async () => {
    expectSuccess(await createAdmin(settings, "--alias", "Zoe", "--playing"), "plays as a human");
    await service.post("/new", { alias: "Ada", password: PASSWORD });
    expectError(await createAdmin(settings, "--alias", "ada"), "--yes");
    expectSuccess(await createAdmin(settings, "--alias", "ada", "--yes"), "is now an administrator");
    for (const alias of ["gm", "zoe", "ada"]) expect(await login(alias)).toMatchObject({ is_admin: true });
    const refused = (input: string) => command("create-admin", settings, ["--alias", "Newbie"], input);
    expectError(await refused("short\n"), /8 to 128/);
    // What is read of a file or a terminal in Latin-1.
    expectError(await refused("gr\uFFFD\uFFFDe passwort\n"), /is not UTF-8/);
  });

  it("npm run export and import move the game to another file, where npm run recount finds no difference", async () => {
    const to = await newGame("to.db");
    const file = pathOf("game.ndjson");
    // Exports contain secrets and must not be committed by mistake.
    for (const name of ["game.ndjson", "game.ndjson.partial"])
      await promisify(execFile)("git", ["check-ignore", name], { cwd: ROOT });

    expectSuccess(await command("export", settings, ["--file", file]), "KEEP IT SECRET");
    expectError(await command("export", settings, ["--file", file]), "--force");
    const inUse = /in use by the service on .*Stop that service/;
    expectError(await command("import", settings, ["--file", file]), inUse);
    const preview = /items, exported at .*, would be written .*Nothing has been changed\.$/;
    expectSuccess(await command("import", to, ["--file", file, "--dry-run"]), preview);
    expectSuccess(await command("import", to, ["--file", file]), "are now in the local game");
    expectError(await command("import", to, ["--file", file]), "needs an empty table");
    const unchanged =
      /^gm is already an administrator .* Nothing has been changed, including the password\.$/;
    expectSuccess(await createAdmin(to, "--alias", "GM"), unchanged);
    const json = expectSuccess(await command("recount", to, ["--json", "--fix"]));
    expect(JSON.parse(json)).toMatchObject({ differences: [], moving: [] });
  });

  it.each([
    ["recount", ["--nonsense"], /nonsense/],
    ["reset", [], /Give --yes/],
    ["reset", ["--yes", "--resume"], /no interrupted reset .*Leave out --resume/],
    ["reset", ["--region", "eu-west-1"], /--region needs --stage or --table/],
  ])("npm run %s rejects %j in one line", async (name, args, message) => {
    expectError(await command(name, settings, args), message);
  });

  it("serverless invoke local invokes a function as docs/commands.md says, and each event in events/ fits its function", async () => {
    const read = (file: string) => readFile(join(ROOT, file), "utf8");
    const [, example = ""] =
      /`npx serverless (invoke local [^`]*)`/.exec(await read("docs/commands.md")) ?? [];
    const script = ["node_modules/serverless/bin/serverless.js", ...example.split(" ")];
    const output = expectSuccess(await runScript(script, settings));
    // After the lines of the log.
    expect(JSON.parse(output.slice(output.search(/^\{$/m)))).toMatchObject({ statusCode: 201 });
    const { alias, password } = JSON.parse(JSON.parse(await read("events/http-post.json")).body);
    const { player_id, token } = await login(alias, password);
    const { scratch = "" } = await service.runRecord(settings.GAME_FILE);
    const invoke = (name: string, event: string) => {
      const options = { name: functionName(name), timeoutMs: 60_000 };
      const invoker = makeInvoker(() => join(scratch, "lambda"), options, new AbortController().signal);
      return invoker(JSON.parse(event.replaceAll("PLAYER_ID", player_id).replaceAll("TOKEN", token)));
    };
    const shown = { statusCode: 200, body: expect.stringContaining(`"alias":"${alias}"`) };
    for (const [name, file, result] of [
      ["player", "http-get", shown],
      ["sweep", "schedule", { starved: 0, complete: true }],
      ["deliver", "queue", { batchItemFailures: [] }],
    ] as const)
      expect(await invoke(name, await read(`events/${file}.json`))).toMatchObject(result);
  });

  it("npm run reset starts a new season after a confirmation", async () => {
    const reset = (...args: string[]) => command("reset", settings, args);
    const created = await service.post("/new", { alias: "Bea", password: PASSWORD });
    const { tag_code } = z.object({ tag_code: z.string() }).parse(await created.json());
    const file = pathOf("spring.ndjson");
    expect((await reset("--dry-run")).output).toMatch(
      /^Kept: \d players, .*\n.*humans with a new tag code: \d .*\nRemoved: .*\d old tag codes?\.\nNothing has been changed\.$/ims,
    );
    const output = expectSuccess(
      await reset("--yes", "--file", file, "--shards", "2"),
      /Humans with a new tag code: \d\. Removed: .*\d old tag codes?\./,
    );
    expect(output).toContain(`${file}. KEEP IT SECRET`);
    const client = new GameClient({ baseUrl: service.base, token: (await login("Bea")).token });
    const player = await client.get("/player/{url_id}");
    expect(player).toMatchObject({ state: "human", tag_code: expect.not.stringContaining(tag_code) });
    expectError(await reset("--yes", "--file", file), "--force");
  });
});

it("npm run reset that is interrupted while it only reads the game says that nothing has been changed", async () => {
  const reading = Promise.withResolvers<void>();
  const database = createServer((request, response) => {
    if (String(request.headers["x-amz-target"]).endsWith(".Scan")) reading.resolve();
    else response.end("{}");
  });
  onTestFinished(() => void database.close().closeAllConnections());
  const AWS_ENDPOINT_URL = `http://${HOST}:${await listen(database)}`;
  const keys = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" };
  const options = ["--table", "a-game", "--region", REGION, "--dry-run"];
  const env = { ...process.env, ...keys, AWS_ENDPOINT_URL };
  const { child, ended, output } = startScript(["scripts/commands/reset.ts", ...options], env);
  await reading.promise;
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(output().trim()).toBe("Nothing has been changed.");
});

it.each([
  ["export", ["--force", "--file"]],
  ["reset", ["--yes", "--force", "--file"]],
  ["recount", []],
])("npm run %s of a game that does not exist is an error, and replaces no archive", async (name, args) => {
  const settings = await newGame("misspelt.db");
  const file = pathOf(`backup of ${name}.ndjson`);
  await writeFile(file, "all that is left");
  const result = await command(name, settings, args.length > 0 ? [...args, file] : []);
  expectError(result, /^There is no game in GAME_FILE=.*misspelt\.db\. Name the file of your game\.$/);
  expect(await readFile(file, "utf8")).toBe("all that is left");
  await expect(stat(settings.GAME_FILE)).rejects.toThrow("ENOENT");
});

it("npm start, create-admin and recount refuse a game into which an import is unfinished", async () => {
  const settings = await newGame("half.db");
  const engine = await startEngine({ file: settings.GAME_FILE });
  await createTable(engine.endpoint, "zombie-game-local", { region: REGION });
  const { store } = makeServices(parseEnv({ DYNAMODB_ENDPOINT: engine.endpoint }));
  await store.db.put({ ...keys.importing, sha256: "", at: rfc3339(Date.now()) });
  await engine.stop();
  const unfinished = /^An import into the local game is unfinished\. .*--resume/m;
  const { code, output } = await command("start", settings);
  expect(output).toMatch(unfinished);
  expect(code).toBe(1);
  expectError(await createAdmin(settings, "--alias", "gm"), unfinished);
  expectError(await command("recount", settings, ["--fix"]), unfinished);
});

it("npm run sweep records starvations, and holds sweeps after a gap until a game master decides", async () => {
  const settings = { ...(await newGame("held.db")), FEEDING_PERIOD_SECONDS: "1" };
  // A process keeps its connection to the database of the first sweep.
  const sweepIn = (given: Settings, ...args: string[]) =>
    runScript(["scripts/commands/sweep.ts", ...args], given);
  const sweep = (...args: string[]) => sweepIn(settings, ...args);
  expectSuccess(await sweep(), "Starvations recorded: 0");
  const engine = await startEngine({ file: settings.GAME_FILE });
  try {
    const services = makeServices(parseEnv({ DYNAMODB_ENDPOINT: engine.endpoint }));
    const { store } = services;
    const { db } = store;
    const now = Date.now();
    const zombies = await makeCrowd({ services }, 1, "zombie", now - 3 * DAY);
    const players = zombies.map((after) => ({ before: null, after }));
    await store.commit(await writesOf({ players }), () => 60_000);
    // A decision with --table, as for a deployment.
    await db.put({ ...keys.sweepClock, at: now - 9 * HOUR, held: { since: now, until: now, due: 1 } });
    const credentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
    const remote = { AWS_ENDPOINT_URL: engine.endpoint, ...credentials };
    const accept = ["--accept-gap", "--table", "zombie-game-local", "--region", REGION];
    const accepted = /^The time from .* to .* is accepted: .* Sweeps continue within a minute\.$/;
    expectSuccess(await sweepIn(remote, ...accept), accepted);
    expectSuccess(await sweepIn(remote, ...accept), "nothing has been changed");
    await db.put({ ...keys.sweepClock, at: now - 9 * HOUR });
  } finally {
    await engine.stop();
  }
  expectError(await command("sweep", settings, ["--accept-gap", "--pause-gap"]), "Give only one of");
  expectError(await command("sweep", settings, ["--table", "elsewhere"]), "--accept-gap or --pause-gap");
  const held = await sweep();
  expect(held.code).toBe(1);
  expect(held.output).toMatch(/^Sweeps are held .* 9 hours later, .* 1 zombie as starved.*--pause-gap/);
  const doctor = await command("doctor", { ...settings, AWS_ACCESS_KEY_ID: "" });
  expect(doctor.output).toMatch(
    /^ok {4}Node\.js.*^WRONG sweep {9}Sweeps are held .*\n +-> If the clock is wrong, .*--accept-gap.*^One thing is wrong\.$/ms,
  );
  expectSuccess(await sweep("--accept-gap"), / is accepted.*\nStarvations recorded: 1\./);
  expectSuccess(await sweep("--pause-gap"), "No sweep is held");
});

describe("every command", () => {
  it("reports that npm ci must be run first", async () => {
    const bare = pathOf("bare/scripts");
    await mkdir(bare, { recursive: true });
    await cp(join(ROOT, "scripts/node.sh"), join(bare, "node.sh"));
    await expect(promisify(execFile)("sh", [join(bare, "node.sh"), "start.ts"])).rejects.toMatchObject({
      code: 1,
      stderr: "The packages are not installed. Run npm ci.\n",
    });
  });

  it("says that npm has kept the options before which -- is missing", async () => {
    const kept = { npm_lifecycle_event: "import", npm_config_dry_run: "true", npm_config_resume: "" };
    expectError(
      await command("import", kept, ["--file", "game.ndjson"]),
      "npm has kept --dry-run for itself. Put -- before the options, as in: npm run import -- --dry-run",
    );
  });

  it("does its work although nobody reads its output any more, as with | head -1", async () => {
    const command = `
      import { setTimeout } from "node:timers/promises";
      import { runCommand } from "./scripts/cli/command.ts";
      await runCommand({ help: "", options: {} }, async () => {
        for (const line of [1, 2, 3]) await setTimeout(20, console.log(line));
        console.error("done");
        return 0;
      });`;
    const { child, ended, output } = startScript(["--input-type=module", "-e", command], process.env);
    child.stdout.destroy();
    expect({ code: await ended, output: output() }).toEqual({ code: 0, output: "done\n" });
  });

  it("has a help text", async () => {
    const names = (await readdir(join(ROOT, "scripts/commands"))).map((file) => file.replace(".ts", ""));
    // npm itself runs postinstall.
    for (const name of names.filter((one) => one !== "postinstall"))
      expectSuccess(await command(name, {}, ["--help"]), /npm (run [\w:-]+|start)/);
    expectSuccess(await runScript(["bench/main.ts", "--help"], {}), /npm run bench/);
  });
});
