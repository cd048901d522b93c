/** Checks of this machine: what `npm start` and the tests need. */
import { existsSync } from "node:fs";
import { access, constants, open, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import * as z from "zod/mini";
import { findFirefox, findProgram } from "../cli/findProgram.ts";
import { formatCount } from "../cli/format.ts";
import { assertPortFree } from "../cli/ports.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { findJava } from "../local/emulator.ts";
import { startEngine } from "../local/engine.ts";
import { type Game, gameOf } from "../local/gameLock.ts";
import { readKeys } from "../local/keys.ts";
import { readRecord } from "../local/runFile.ts";
import { type LocalSettings, readSettings } from "../local/settings.ts";
import { ROOT } from "../project/root.ts";
import type { Check, Finding } from "./findings.ts";

const NODE_NEEDED = 24;
/** Packages that are named when several are not as they should be. */
const MOST_NAMED = 3;
const PATIENCE_MS = 5_000;

export const nodeCheck: Check = {
  what: "Node.js",
  run: async () => {
    const major = Number.parseInt(process.versions.node, 10);
    const finding = { what: "Node.js", says: `${process.version} runs this.` };
    return major >= NODE_NEEDED
      ? [{ state: "ok", ...finding }]
      : [{ state: "wrong", ...finding, mend: `It takes ${NODE_NEEDED}: run npm ci, which brings one.` }];
  },
};

/** npm writes one or several. */
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

/** Whether npm may leave a package out: it is optional, and not clearly one for this kind of machine. */
const mayLack = ({ optional, os, cpu, libc }: Locked): boolean =>
  optional === true && !(os?.includes(process.platform) && cpu?.includes(process.arch) && libc === undefined);

const Installed = z.object({ version: z.string() });

/** The version of a package that lies in a folder of node_modules; `null` where there is none. */
const installedVersion = async (folder: string): Promise<string | null> => {
  try {
    return Installed.parse(JSON.parse(await readFile(join(ROOT, folder, "package.json"), "utf8"))).version;
  } catch {
    return null;
  }
};

/** Whether each package that the lock file names is installed, in its version. */
const packages = async (): Promise<Finding[]> => {
  const what = "packages";
  const lock = Lock.parse(JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")));
  const wanted = Object.entries(lock.packages).filter(([folder]) => folder.startsWith("node_modules/"));
  let installed = 0;
  const lacking: string[] = [];
  for (const [folder, locked] of wanted) {
    const found = await installedVersion(folder);
    const name = folder.replace(/^.*node_modules\//, "");
    if (found === locked.version) installed += 1;
    else if (found !== null) lacking.push(`${name} is ${found} and not ${locked.version}`);
    else if (!mayLack(locked)) lacking.push(`${name} is missing`);
  }
  if (lacking.length === 0) {
    return [
      { state: "ok", what, says: `${formatCount(installed, "package")} are as package-lock.json says.` },
    ];
  }
  const named = lacking.slice(0, MOST_NAMED).join(", ");
  const more = lacking.length > MOST_NAMED ? `, and ${lacking.length - MOST_NAMED} more` : "";
  const says = `node_modules is not what package-lock.json says: ${named}${more}.`;
  return [{ state: "wrong", what, says, mend: "npm ci" }];
};

const database = async ({ place }: LocalSettings): Promise<Finding[]> => {
  const what = "database";
  if (place.kind === "endpoint") {
    try {
      const reply = await fetch(place.endpoint, { signal: AbortSignal.timeout(PATIENCE_MS) });
      await reply.body?.cancel();
      return [{ state: "ok", what, says: `DYNAMODB_ENDPOINT=${place.endpoint} answers.` }];
    } catch (error) {
      const fault = messageOf(error instanceof Error ? (error.cause ?? error) : error);
      const mend = "Start that engine, or leave the setting out for the embedded one.";
      return [{ state: "wrong", what, says: `DYNAMODB_ENDPOINT=${place.endpoint}: ${fault}.`, mend }];
    }
  }
  const started = await startEngine();
  await started.stop();
  return [{ state: "ok", what, says: "The embedded engine starts." }];
};

/**
 * The game that the settings name; `null` when its file is still to be made, which is left to the first start.
 * @throws UserError when the file cannot be written
 */
const gameFrom = async (settings: LocalSettings): Promise<Game | null> => {
  const { place } = settings;
  if (place.kind !== "file" || existsSync(place.file)) return gameOf(settings);
  let folder = dirname(place.file);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a directory`);
    await access(folder, constants.W_OK);
    return null;
  } catch (error) {
    throw new UserError(
      `GAME_FILE=${place.file} cannot be written (${messageOf(error)}): name a file in a directory that this account may write.`,
    );
  }
};

const port = async ({ port: wanted }: LocalSettings, game: Game | null): Promise<Finding[]> => {
  const what = "port";
  const record = game === null ? null : await readRecord(game.record);
  if (record !== null) {
    const { url, pid } = record;
    const answers = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers)
      return [{ state: "ok", what, says: `This game's service answers on ${url} (process ${pid}).` }];
  }
  await assertPortFree(wanted);
  return [{ state: "ok", what, says: `${wanted} is free.` }];
};

/** A file as it is named to people: from the root, where it lies below it. */
const nameOf = (file: string): string => {
  const name = relative(ROOT, file);
  return name.startsWith("..") ? file : name;
};

/** What a file of the embedded engine begins with (https://sqlite.org/fileformat.html). */
const SQLITE = "SQLite format 3\0";

const gameFile = async ({ file }: Game): Promise<Finding[]> => {
  const what = "game";
  if (file === null) return [{ state: "ok", what, says: "It is in no file of this machine." }];
  const name = nameOf(file);
  const handle = await open(file, "r");
  try {
    const { buffer } = await handle.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    const { size } = await handle.stat();
    if (size === 0) return [{ state: "ok", what, says: `${name} is still empty.` }];
    if (buffer.toString("latin1") === SQLITE) {
      const megabytes = (size / 1e6).toFixed(1);
      return [{ state: "ok", what, says: `${name} can be read and written, and has ${megabytes} MB.` }];
    }
  } finally {
    await handle.close();
  }
  const mend = "Name another file in GAME_FILE, or move this one away.";
  return [{ state: "wrong", what, says: `${name} is not a game: it is no database.`, mend }];
};

const keys = async ({ keys: file }: Game): Promise<Finding[]> => {
  const what = "keys";
  if (file === null) return [{ state: "ok", what, says: "They are made at each start." }];
  const name = nameOf(file);
  const says =
    (await readKeys(file)) === null ? `${name} is made by the next npm start.` : `${name} has them.`;
  return [{ state: "ok", what, says }];
};

/** What only some commands and tests need. */
const tools = async (): Promise<Finding[]> => {
  const what = "tools";
  const lacks = (says: string, mend: string): Finding => ({ state: "note", what, says, mend });
  const firefox = findFirefox();
  const java = await findJava();
  const curl = findProgram(["curl"]);
  return [
    firefox === undefined
      ? lacks("There is no Firefox: npm test leaves the browser's tests out.", "apt-get install firefox-esr")
      : { state: "ok", what, says: `${firefox} is there for the browser's tests.` },
    "missing" in java
      ? lacks(`npm run test:emulator cannot run: ${java.missing}.`, "apt-get install openjdk-17-jre-headless")
      : { state: "ok", what, says: `Java ${java.version} is there for npm run test:emulator.` },
    ...(curl === undefined
      ? [lacks("There is no curl, which the README's examples use.", "apt-get install curl")]
      : []),
  ];
};

/** What can be looked at without AWS. */
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
        const what = "settings";
        return [
          { state: "ok", what, says: "Those of the environment and of .env can be used." },
          ...read.warnings.map((warning): Finding => ({ state: "note", what, says: `${warning}.` })),
        ];
      },
    },
    // Wrong settings are one finding: there is no game then to look at.
    { what: "database", run: async () => (settings ? database(settings) : []) },
    { what: "port", run: async () => (settings ? port(settings, game) : []) },
    {
      what: "game",
      run: async () => {
        if (settings === undefined) return [];
        if (game !== null) return gameFile(game);
        return [{ state: "ok", what: "game", says: "The first npm start makes its file, and its keys." }];
      },
    },
    { what: "keys", run: async () => (game === null ? [] : keys(game)) },
    { what: "tools", run: tools },
  ];
};
