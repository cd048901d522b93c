/** The commands as a new user types them: what they say, how they end, and that nothing is left running. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
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
import { ROOT } from "../support/endpoints.ts";
import { npmStart } from "../support/npmStart.ts";
import { runScript } from "../support/runScript.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
});
afterAll(() => rm(folder, { recursive: true }));

const start = (settings: Record<string, string>) => runScript(["scripts/commands/start.ts"], settings);
const createAdmin = (settings: Record<string, string>, args: string[], input = "") =>
  runScript(["scripts/commands/create-admin.ts", ...args], settings, input);

const PASSWORD = "masters of the game\n";

describe("npm start", () => {
  it("says in one line which setting is wrong and how to mend it, and exits 1", async () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ PORT: "abc" }, /PORT must be a port/],
      [{ PORT: "70000" }, /PORT must be at most 65535/],
      [{ FEEDING_PERIOD_SECONDS: "0" }, /FEEDING_PERIOD_SECONDS must be at least 1/],
      [{ LOG_LEVEL: "LOUD" }, /LOG_LEVEL/],
      [{ ALLOWED_ORIGINS: "example.org" }, /ALLOWED_ORIGINS must be/],
      [{ CURSOR_KEY: "short" }, /CURSOR_KEY must be 32 bytes/],
      [{ DYNAMODB_ENDPOINT: "nowhere" }, /DYNAMODB_ENDPOINT must be a URL/],
      [{ VAPID_PUBLIC_KEY: "A".repeat(87) }, /VAPID/],
      [{ GAME_FILE: ROOT }, /GAME_FILE/],
    ];
    for (const [settings, why] of wrong) {
      const { code, said } = await start({ GAME_FILE: join(folder, "wrong.db"), ...settings });
      expect(code, said).toBe(1);
      expect(said).toMatch(why);
      expect(said.split("\n"), said).toHaveLength(1);
    }
  });

  it("says so when the port is taken, or the file is held by another service", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const PORT = String(typeof address === "object" ? address?.port : "");
    const GAME_FILE = join(folder, "taken.db");
    const onPort = await start({ PORT, GAME_FILE });
    taken.close();
    expect(onPort).toMatchObject({ code: 1, said: expect.stringContaining(`${PORT}`) });
    expect(onPort.said.split("\n")).toHaveLength(1);

    const service = await npmStart({ GAME_FILE });
    const again = await start({ PORT: String(await freePort()), GAME_FILE });
    expect(again).toMatchObject({ code: 1, said: expect.stringContaining("in use by the service") });
    const beside = await npmStart({ GAME_FILE: join(folder, "beside.db") });
    expect((await fetch(`${service.base}/health`)).status).toBe(200);
    expect((await fetch(`${beside.base}/health`)).status).toBe(200);
    expect(await Promise.all([service.stop(), beside.stop()])).toEqual([0, 0]);
    await expect(fetch(`${service.base}/health`)).rejects.toThrow();
    // Keys are nobody else's to read.
    expect((await stat(`${GAME_FILE}.keys.json`)).mode & 0o077).toBe(0);
  });

  it("says so when the file cannot be written", async () => {
    const closed = join(folder, "closed");
    await mkdir(closed);
    await writeFile(join(closed, "file"), "not a folder");
    await chmod(closed, 0o700);
    const { code, said } = await start({ GAME_FILE: join(closed, "file", "game.db") });
    expect(code, said).toBe(1);
    expect(said).toMatch(/GAME_FILE|file/);
    expect(said.split("\n")).toHaveLength(1);
  });
});

describe("npm run create-admin", () => {
  it("works with the service running and without, and asks before it promotes", async () => {
    const GAME_FILE = join(folder, "admins.db");
    const apart = { GAME_FILE, PORT: String(await freePort()) };
    const first = await createAdmin(apart, ["--alias", "gm"], PASSWORD);
    expect(first, first.said).toMatchObject({
      code: 0,
      said: expect.stringContaining("gm is an administrator"),
    });
    expect(first.said).not.toContain(PASSWORD.trim());

    const service = await npmStart({ GAME_FILE });
    try {
      const beside = { GAME_FILE, PORT: String(service.port) };
      const second = await createAdmin(beside, ["--alias", "Zoe", "--playing"], PASSWORD);
      expect(second, second.said).toMatchObject({
        code: 0,
        said: expect.stringContaining("plays as a human"),
      });
      const post = (path: string, body: unknown) =>
        fetch(`${service.base}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
      for (const alias of ["gm", "zoe"]) {
        const login = await post("/login", { alias, password: PASSWORD.trim() });
        expect(await login.json()).toMatchObject({ is_admin: true });
      }
      await post("/new", { alias: "Ada", password: "analytical engine" });
      const unsure = await createAdmin(beside, ["--alias", "ada"]);
      expect(unsure).toMatchObject({ code: 1, said: expect.stringContaining("--yes") });
      const sure = await createAdmin(beside, ["--alias", "ada", "--yes"]);
      expect(sure, sure.said).toMatchObject({ code: 0, said: expect.stringContaining("administrator now") });
      // Made here and named in other letters with another password; promoted; only asked about.
      for (const [args, input, alias] of [
        [["--alias", "GM"], "not the password\n", "gm"],
        [["--alias", "ada"], "", "Ada"],
        [["--alias", "Zoe", "--dry-run"], "", "Zoe"],
      ] as const) {
        const twice = await createAdmin(beside, [...args], input);
        expect(twice, twice.said).toEqual({
          code: 0,
          said: `${alias} is an administrator in the local game already. Nothing has been changed, nor has the password.`,
        });
      }
      const stays = await post("/login", { alias: "gm", password: PASSWORD.trim() });
      expect(stays.status).toBe(200);
      for (const [args, input, why] of [
        [[], PASSWORD, /Which alias/],
        [["--alias", "x", "--dry-run"], "", /The alias x /],
        [["--alias", "Newbie"], "short\n", /8 to 128/],
        [["--alias", "Аda"], PASSWORD, /taken/],
        [["--nonsense"], "", /nonsense/],
      ] as const) {
        const refused = await createAdmin(beside, [...args], input);
        expect(refused.code, refused.said).toBe(1);
        expect(refused.said).toMatch(why);
        expect(refused.said.split("\n"), refused.said).toHaveLength(1);
      }
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });
});

describe("npm run recount, export and import", () => {
  it("take a game from one file to another, and say what they refuse", async () => {
    const here = { GAME_FILE: join(folder, "here.db"), PORT: String(await freePort()) };
    const there = { GAME_FILE: join(folder, "there.db"), PORT: String(await freePort()) };
    const file = join(folder, "game.ndjson");
    // A file of secrets is not committed by mistake.
    await promisify(execFile)("git", ["check-ignore", "game.ndjson"], { cwd: ROOT });
    const command = (name: string, settings: Record<string, string>, ...args: string[]) =>
      runScript([`scripts/commands/${name}.ts`, ...args], settings);
    await createAdmin(here, ["--alias", "gm"], PASSWORD);

    const exported = await command("export", here, "--file", file);
    expect(exported, exported.said).toMatchObject({ code: 0, said: expect.stringContaining("AS A SECRET") });
    const twice = await command("export", here, "--file", file);
    expect(twice).toMatchObject({ code: 1, said: expect.stringContaining("--force") });
    const onto = await command("import", here, "--file", file);
    expect(onto).toMatchObject({ code: 1, said: expect.stringContaining("empty table only") });
    const cut = join(folder, "cut.ndjson");
    await writeFile(cut, (await readFile(file)).subarray(0, -9));
    const broken = await command("import", there, "--file", cut);
    expect(broken).toMatchObject({ code: 1, said: expect.stringContaining("cut off") });
    const dry = await command("import", there, "--file", file, "--dry-run");
    expect(dry, dry.said).toMatchObject({
      code: 0,
      said: expect.stringMatching(/items, exported at .*, would be written .*Nothing has been changed\.$/),
    });
    // What a file says of itself does not reach the terminal as it stands.
    const [first = "", ...rest] = (await readFile(file, "utf8")).split("\n").slice(0, -2);
    const header = { ...JSON.parse(first), at: "\u001b[2J\u202egnitekram" };
    const text = [JSON.stringify(header), ...rest].map((line) => `${line}\n`).join("");
    const sha256 = createHash("sha256").update(text).digest("hex");
    await writeFile(cut, `${text}${JSON.stringify({ items: rest.length, sha256 })}\n`);
    const hostile = await command("import", there, "--file", cut, "--dry-run");
    expect(hostile.code, hostile.said).toBe(0);
    expect(hostile.said).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    const imported = await command("import", there, "--file", file);
    expect(imported, imported.said).toMatchObject({
      code: 0,
      said: expect.stringContaining("are in the local"),
    });

    // The game is played on from there, while it is counted.
    const service = await npmStart({ GAME_FILE: there.GAME_FILE });
    try {
      const login = await fetch(`${service.base}/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ alias: "gm", password: PASSWORD.trim() }),
      });
      expect(await login.json()).toMatchObject({ is_admin: true });
      const beside = { GAME_FILE: there.GAME_FILE, PORT: String(service.port) };
      const counted = await command("recount", beside);
      expect(counted, counted.said).toMatchObject({
        code: 0,
        said: expect.stringContaining("no difference"),
      });
      const json = await command("recount", beside, "--json", "--fix");
      expect(JSON.parse(json.said)).toMatchObject({ differences: [], moving: [] });
    } finally {
      expect(await service.stop()).toBe(0);
    }
    for (const [name, args, why] of [
      ["export", [], /which file/],
      ["import", [], /which file/],
      ["recount", ["--region", "eu-west-1"], /--table/],
      ["recount", ["--nonsense"], /nonsense/],
    ] as const) {
      const refused = await command(name, here, ...args);
      expect(refused.code, refused.said).toBe(1);
      expect(refused.said).toMatch(why);
      expect(refused.said.split("\n"), refused.said).toHaveLength(1);
    }
  });
});

describe("npm run reset", () => {
  it("begins a season beside the running service, asks before, and says what it refuses", async () => {
    const service = await npmStart({ GAME_FILE: join(folder, "season.db") });
    const beside = { GAME_FILE: join(folder, "season.db"), PORT: String(service.port) };
    const reset = (...args: string[]) => runScript(["scripts/commands/reset.ts", ...args], beside);
    const Answer = z.record(z.string(), z.unknown());
    const post = async (path: string, body: object) => {
      const headers = { "content-type": "application/json" };
      const sent = { method: "POST", headers, body: JSON.stringify(body) };
      return Answer.parse(await (await fetch(`${service.base}${path}`, sent)).json());
    };
    try {
      const ada = { alias: "Ada", password: "analytical engine" };
      const { tag_code } = await post("/new", ada);
      const file = join(folder, "spring.ndjson");
      for (const [args, why] of [
        [[], /give --yes/],
        [["--yes", "--resume"], /was cut off: leave out --resume/],
        [["--yes", "--shards", "0"], /--shards 0: it must be a whole number from 1 to 256/],
        [["--region", "eu-west-1"], /--region goes with --stage or --table/],
        [["--nonsense"], /nonsense/],
      ] as const) {
        const refused = await reset(...args);
        expect(refused.code, refused.said).toBe(1);
        expect(refused.said).toMatch(why);
        expect(refused.said.split("\n"), refused.said).toHaveLength(1);
      }
      const dry = await reset("--dry-run");
      expect(dry.said).toMatch(
        /^Stays: 1 player, .*\n.*human with a new tag code: 1 .*\nGoes: 1 old tag code\.\nNothing has been changed\.$/ims,
      );
      const done = await reset("--yes", "--file", file, "--shards", "2");
      expect(done, done.said).toMatchObject({
        code: 0,
        said: expect.stringContaining("Human with a new tag code: 1. Gone: 1 old tag code."),
      });
      expect(done.said).toContain(`${file}. KEEP IT AS A SECRET`);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const { token, player_id: id } = await post("/login", ada);
      const seen = await fetch(`${service.base}/player/${id}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const player = z.object({ state: z.string(), tag_code: z.string() }).parse(await seen.json());
      expect(player.state).toBe("human");
      expect(player.tag_code).not.toBe(tag_code);
      const twice = await reset("--yes", "--file", file);
      expect(twice).toMatchObject({ code: 1, said: expect.stringContaining("--force") });
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });
});

describe("npm run sweep, serverless invoke local, and all commands", () => {
  it("run functions by hand on the local game", async () => {
    const settings = { GAME_FILE: join(folder, "swept.db"), PORT: String(await freePort()) };
    const swept = await runScript(["scripts/commands/sweep.ts"], settings);
    expect(swept, swept.said).toMatchObject({
      code: 0,
      said: expect.stringContaining("Starvations recorded: 0"),
    });
  });

  it("invoke a function with each event of events/, as the README says", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const [, command = ""] = /`npx serverless (invoke local [^`]*)`/.exec(readme) ?? [];
    const service = await npmStart({ GAME_FILE: join(folder, "invoked.db") });
    const invoke = async (args: string) => {
      const beside = { GAME_FILE: join(folder, "invoked.db"), PORT: String(service.port) };
      const script = ["node_modules/serverless/bin/serverless.js", ...args.split(" ")];
      const { code, said } = await runScript(script, beside);
      expect(code, said).toBe(0);
      // The log's lines come before it.
      return JSON.parse(said.slice(said.search(/^\{$/m)));
    };
    try {
      const { alias, password } = JSON.parse(
        JSON.parse(await readFile(join(ROOT, "events/http-post.json"), "utf8")).body,
      );
      expect(await invoke(command)).toMatchObject({ statusCode: 201 });
      const login = await fetch(`${service.base}/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ alias, password }),
      });
      const { player_id, token } = z
        .object({ player_id: z.string(), token: z.string() })
        .parse(await login.json());
      const get = await readFile(join(ROOT, "events/http-get.json"), "utf8");
      const filled = join(folder, "get.json");
      await writeFile(filled, get.replaceAll("PLAYER_ID", player_id).replaceAll("TOKEN", token));
      const [seen, swept, delivered] = await Promise.all([
        invoke(`invoke local --function player --path ${filled}`),
        invoke("invoke local --function sweep --path events/schedule.json"),
        invoke("invoke local --function deliver --path events/queue.json"),
      ]);
      expect(seen).toMatchObject({ statusCode: 200, body: expect.stringContaining(`"alias":"${alias}"`) });
      expect(swept).toMatchObject({ starved: 0, complete: true });
      expect(delivered).toEqual({ batchItemFailures: [] });
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  it("say that npm ci comes first", async () => {
    const bare = join(folder, "bare/scripts");
    await mkdir(bare, { recursive: true });
    await cp(join(ROOT, "scripts/node.sh"), join(bare, "node.sh"));
    const ran = promisify(execFile)("sh", [join(bare, "node.sh"), "start.ts"]);
    await expect(ran).rejects.toMatchObject({
      code: 1,
      stderr: "The packages are not installed: run npm ci.\n",
    });
  });

  it("hold after hours without a sweep, say so here and by the doctor, and go on as is decided", async () => {
    const settings = {
      ...{ GAME_FILE: join(folder, "held.db"), PORT: String(await freePort()) },
      FEEDING_PERIOD_SECONDS: "1",
    };
    const sweep = (...args: string[]) => runScript(["scripts/commands/sweep.ts", ...args], settings);
    await createAdmin(settings, ["--alias", "gm"], PASSWORD);
    const engine = await startEngine({ file: settings.GAME_FILE });
    try {
      const game = { endpoint: engine.endpoint, table: "zombie-game-local", region: REGION };
      const { db, close } = localTarget(game);
      const services = makeServices(parseEnv({ DYNAMODB_ENDPOINT: engine.endpoint }));
      const { store } = services;
      const gm = await store.playerByAlias("gm");
      if (gm === null) throw new Error("no game master");
      const now = Date.now();
      const moment = { ...commandContext(services, now - 3 * HOUR), period: HOUR };
      const infection = { id: moment.newId(), at: rfc3339(moment.now), by: null };
      const after = asZombie(gm, await store.game(), moment, infection);
      await store.commit(await writesOf({ players: [{ before: gm, after }] }, 1), () => 10_000);
      // A game that is named, as one of a deployment.
      await db.put({ ...keys.sweepClock, at: now - 9 * HOUR, held: { since: now, until: now, due: 1 } });
      const elsewhere = {
        AWS_ENDPOINT_URL: engine.endpoint,
        AWS_ACCESS_KEY_ID: "local",
        AWS_SECRET_ACCESS_KEY: "local",
      };
      const decide = () =>
        runScript(
          ["scripts/commands/sweep.ts", "--accept-gap", "--table", game.table, "--region", REGION],
          elsewhere,
        );
      const decided = await decide();
      expect(decided, decided.said).toMatchObject({
        code: 0,
        said: expect.stringMatching(
          /^The time from .* to .* is accepted: .* The sweep goes on within a minute\.$/,
        ),
      });
      expect(await decide()).toMatchObject({
        code: 0,
        said: expect.stringContaining("nothing has been changed"),
      });
      await db.put({ ...keys.sweepClock, at: now - 9 * HOUR });
      await close();
    } finally {
      await engine.stop();
    }
    const both = await sweep("--accept-gap", "--pause-gap");
    expect(both).toEqual({ code: 1, said: expect.stringContaining("Give one of") });
    const there = await sweep("--table", "elsewhere");
    expect(there).toEqual({ code: 1, said: expect.stringContaining("--accept-gap or --pause-gap") });
    const held = await sweep();
    expect(held.code).toBe(1);
    expect(held.said).toMatch(
      /^Sweeps are held .* 9 hours later, and 1 zombie would .*--pause-gap counts [^\n]*$/,
    );
    const looked = await runScript(["scripts/commands/doctor.ts"], { ...settings, AWS_ACCESS_KEY_ID: "" });
    expect(looked.said).toMatch(
      /^WRONG sweep {9}Sweeps are held .*\n +-> If the clock is wrong, .*--accept-gap/m,
    );
    const accepted = await sweep("--accept-gap");
    expect(accepted).toMatchObject({
      code: 0,
      said: expect.stringMatching(/ is accepted.*\nStarvations recorded: 1\./),
    });
    const again = await sweep("--pause-gap");
    expect(again).toMatchObject({ code: 0, said: expect.stringContaining("No sweep is held") });
  });

  it("show what they are for", async () => {
    for (const script of [
      "start",
      "create-admin",
      "sweep",
      "recount",
      "export",
      "import",
      "reset",
      "cost",
      "bench",
      "new-function",
    ]) {
      const { code, said } = await runScript([`scripts/commands/${script}.ts`, "--help"], {});
      expect(code, script).toBe(0);
      expect(said).toContain("npm");
    }
  });
});
