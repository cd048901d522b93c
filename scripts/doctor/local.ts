/** Checks this machine: the requirements of `npm start` and of the tests. */
import { existsSync } from "node:fs";
import { access, constants, lstat, open, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import * as z from "zod/mini";
import { findFirefox, findProgram } from "../cli/findProgram.ts";
import { formatCount } from "../cli/format.ts";
import { assertPortFree } from "../cli/ports.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { findJava } from "../local/emulator.ts";
import { startEngine } from "../local/engine.ts";
import { acquireGameLock, type Game, gameOf } from "../local/gameLock.ts";
import { readKeys } from "../local/keys.ts";
import { readRecord } from "../local/runFile.ts";
import { health } from "../local/service.ts";
import { type LocalSettings, readSettings } from "../local/settings.ts";
import { ROOT } from "../project/root.ts";
import { type Check, note, ok, type Result, wrong } from "./findings.ts";

/** The first version with argon2. */
const REQUIRED_NODE = "24.7";
/** The maximum number of wrong packages that are named. */
const MAX_NAMED = 3;
const TIMEOUT_MS = 5_000;

export const nodeCheck: Check = {
  what: "Node.js",
  run: async () => {
    const text = `This is ${process.version}.`;
    return process.versions.node.localeCompare(REQUIRED_NODE, undefined, { numeric: true }) >= 0
      ? [ok(text)]
      : [wrong(text, `Version ${REQUIRED_NODE} is needed: docs/platforms.md says how to install it.`)];
  },
};

/** npm writes a string or an array. */
const Names = z.optional(z.union([z.string(), z.array(z.string())]));

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.optional(z.string()),
      optional: z.optional(z.boolean()),
      os: Names,
      cpu: Names,
      libc: Names,
    }),
  ),
});
type Locked = z.infer<typeof Lock>["packages"][string];

/** Whether npm may omit a package: it is optional, and not certain to be for this platform. */
const mayBeMissing = ({ optional, os, cpu, libc }: Locked): boolean =>
  optional === true && !(os?.includes(process.platform) && cpu?.includes(process.arch) && libc === undefined);

const Installed = z.object({ version: z.string() });

/** Returns the version of an installed package, or `null`. */
const installedVersion = async (folder: string): Promise<string | null> => {
  try {
    return Installed.parse(JSON.parse(await readFile(join(ROOT, folder, "package.json"), "utf8"))).version;
  } catch {
    return null;
  }
};

/** Checks that each package of the lock file is installed in its version. */
const packages = async (): Promise<Result[]> => {
  const lock = Lock.parse(JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")));
  const wanted = Object.entries(lock.packages).filter(([folder]) => folder.startsWith("node_modules/"));
  let installed = 0;
  const mismatches: string[] = [];
  for (const [folder, locked] of wanted) {
    const found = await installedVersion(folder);
    const name = folder.replace(/^.*node_modules\//, "");
    if (found === locked.version) installed += 1;
    else if (found !== null) mismatches.push(`${name} is ${found} instead of ${locked.version}`);
    else if (!mayBeMissing(locked)) mismatches.push(`${name} is missing`);
  }
  if (mismatches.length === 0) {
    return [ok(`${formatCount(installed, "package")} match package-lock.json.`)];
  }
  const named = mismatches.slice(0, MAX_NAMED).join(", ");
  const more = mismatches.length > MAX_NAMED ? `, and ${mismatches.length - MAX_NAMED} more` : "";
  const text = `node_modules does not match package-lock.json: ${named}${more}.`;
  return [wrong(text, "npm ci")];
};

const database = async ({ place }: LocalSettings): Promise<Result[]> => {
  if (place.kind === "endpoint") {
    try {
      const reply = await fetch(place.endpoint, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      await reply.body?.cancel();
      return [ok(`DYNAMODB_ENDPOINT=${place.endpoint} responds.`)];
    } catch (error) {
      const fault = messageOf(error instanceof Error ? (error.cause ?? error) : error);
      const fix = "Start that engine, or remove the setting to use the embedded one.";
      return [wrong(`DYNAMODB_ENDPOINT=${place.endpoint}: ${fault}.`, fix)];
    }
  }
  const started = await startEngine();
  await started.stop();
  return [ok("The embedded engine starts.")];
};

/**
 * Returns the game of the settings, or `null` if its file does not exist yet.
 * @throws UserError if the file cannot be written
 */
const gameFrom = async (settings: LocalSettings): Promise<Game | null> => {
  const { place } = settings;
  if (place.kind !== "file" || (await lstat(place.file).catch(() => null)) !== null) return gameOf(settings);
  let folder = dirname(place.file);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a directory`);
    await access(folder, constants.W_OK);
    return null;
  } catch (error) {
    throw new UserError(
      `GAME_FILE=${place.file} cannot be written (${messageOf(error)}). Name a file in a writable directory.`,
    );
  }
};

const port = async ({ port: wanted }: LocalSettings, game: Game | null): Promise<Result[]> => {
  const lock = game === null ? null : acquireGameLock(game);
  lock?.release();
  // A service that was killed leaves its record behind, but not the lock.
  const record = game === null || lock !== null ? null : await readRecord(game.record);
  if (record !== null) {
    const { url, pid } = record;
    if ((await health(url)) !== "unreachable")
      return [ok(`The service of this game is running on ${url} (process ${pid}).`)];
  }
  await assertPortFree(wanted);
  return [ok(`Port ${wanted} is free.`)];
};

/** The path of a file for messages: relative if it is in the repository. */
const nameOf = (file: string): string => {
  const name = relative(ROOT, file);
  return name.startsWith("..") ? file : name;
};

/** The header of an SQLite file (https://sqlite.org/fileformat.html). */
const SQLITE = "SQLite format 3\0";

const gameFile = async ({ file }: Game): Promise<Result[]> => {
  if (file === null) return [ok("The game is not stored in a file of this machine.")];
  const name = nameOf(file);
  const handle = await open(file, "r");
  try {
    const { buffer } = await handle.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    const { size } = await handle.stat();
    if (size === 0) return [ok(`${name} is still empty.`)];
    if (buffer.toString("latin1") === SQLITE) {
      const megabytes = (size / 1e6).toFixed(1);
      return [ok(`${name} is readable and writable, and its size is ${megabytes} MB.`)];
    }
  } finally {
    await handle.close();
  }
  const fix = "Name another file in GAME_FILE, or move this one away.";
  return [wrong(`${name} is not a game: it is not a database.`, fix)];
};

const keys = async ({ keys: file }: Game): Promise<Result[]> => {
  if (file === null) return [ok("The keys are created at each start.")];
  const name = nameOf(file);
  const text =
    (await readKeys(file)) === null
      ? `${name} will be created by the next npm start.`
      : `${name} contains the keys.`;
  return [ok(text)];
};

/** The command that installs a program here. */
const install = (debian: string, homebrew: string): string =>
  process.platform === "darwin" ? `brew install ${homebrew}` : `apt-get install ${debian}`;

/** Programs that only some commands and tests need. */
const tools = async (): Promise<Result[]> => {
  const firefox = findFirefox();
  const java = await findJava();
  const curl = findProgram(["curl"]);
  return [
    firefox === undefined
      ? note(
          "Firefox is not installed, so npm run test:e2e skips its tests in Firefox.",
          install("firefox-esr", "--cask firefox"),
        )
      : ok(`${firefox} is installed for the browser tests.`),
    "missing" in java
      ? note(
          `npm run test:emulator cannot run: ${java.missing}.`,
          install("openjdk-17-jre-headless", "openjdk@17"),
        )
      : ok(`Java ${java.version} is installed for npm run test:emulator.`),
    ...(curl === undefined
      ? [note("curl is not installed, and the README's examples use it.", install("curl", "curl"))]
      : []),
  ];
};

/** Returns the checks that do not need AWS. */
export const localChecks = (): Check[] => {
  let settings: LocalSettings | undefined;
  let game: Game | null = null;
  return [
    nodeCheck,
    { what: "packages", run: packages },
    {
      what: "settings",
      run: async () => {
        const read = readSettings();
        game = await gameFrom(read);
        settings = read;
        return [
          ok("The settings in the environment and in .env are valid."),
          ...read.warnings.map((warning): Result => note(`${warning}.`)),
        ];
      },
    },
    // With invalid settings there is no game to check.
    { what: "database", run: async () => (settings ? database(settings) : []) },
    { what: "port", run: async () => (settings ? port(settings, game) : []) },
    {
      what: "game",
      run: async () => {
        if (settings === undefined) return [];
        if (game !== null) return gameFile(game);
        return [ok("The first npm start creates its file and its keys.")];
      },
    },
    { what: "keys", run: async () => (game === null ? [] : keys(game)) },
    { what: "tools", run: tools },
  ];
};
