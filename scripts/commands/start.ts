/** `npm start`: the whole service on this machine, until Ctrl-C; `npm run dev` starts it anew on each change. */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { formatCount } from "../cli/format.ts";
import { explainStorageError } from "../cli/storageErrors.ts";
import { messageOf, runCommand, UserError } from "../cli/userError.ts";
import { untilInstalled } from "../local/installedPackages.ts";
import { formatLogLine } from "../local/requestLines.ts";
import { type LocalSettings, readSettings } from "../local/settings.ts";
import { type LocalService, type RunningFunctions, startAll } from "../local/startAll.ts";
import { watchSources } from "../local/watch.ts";
import { ROOT } from "../project/root.ts";

/** Changed files that are named in one line. */
const MOST_SHOWN = 5;

const HELP = `Starts the game service on this machine, with its embedded database, until Ctrl-C.

  npm start            the service
  npm run dev          the same, started anew when functions, lib, resources or serverless.yml change

Settings come from the environment, then from the file .env; .env.example explains each:
  PORT, GAME_FILE, DYNAMODB_ENDPOINT, FEEDING_PERIOD_SECONDS, JOIN_CODE, ALLOWED_ORIGINS,
  PUSH_ALLOWED_HOSTS, VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, VAPID_SUBJECT, CURSOR_KEY,
  INJECT_SQL_WRITES, QUEUE_URL, QUEUE_ENDPOINT, TABLE_NAME, LOG_LEVEL, LOG_FORMAT
`;

const placeInWords = ({ place }: LocalSettings): string => {
  if (place.kind === "memory") return "its game in memory, which nothing keeps";
  return place.kind === "file"
    ? `its game in ${relative(ROOT, place.file)}`
    : `its game at ${place.endpoint}`;
};

const welcome = (settings: LocalSettings, url: string, seconds: string): string => `
The service is ready on ${url} after ${seconds} s, ${placeInWords(settings)}.

Next, make yourself a game master:
  ${settings.prefix}npm run create-admin -- --alias gm

Ctrl-C ends the service.
`;

const secondsSinceStart = (): string => (performance.now() / 1_000).toFixed(1);

/** Resolves when whoever started this wants it to end, or is gone. */
const asked = new Promise<void>((resolve) => {
  // A terminal's Ctrl-C comes twice through npm: the second changes nothing.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  // A killed npm tells nobody.
  const { ppid } = process;
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => {
    if (process.ppid !== ppid) resolve();
  }, 200).unref();
});

/** The first names of a list, and how many more there are: a checkout changes many files. */
const shortList = (names: readonly string[]): string => {
  const shown = names.slice(0, MOST_SHOWN).join(", ");
  const more = names.length - MOST_SHOWN;
  return more > 0 ? `${shown} and ${formatCount(more, "more file")}` : shown;
};

const WAITING = "Waiting for the next change.";

/** Starts the functions anew on each change; what is wrong with them waits for the next one. */
const serveOnChange = async (up: LocalService, greet: () => void): Promise<never> => {
  let current: RunningFunctions | null = null;
  const serveAgain = async (then: () => void): Promise<void> => {
    current = null;
    try {
      const service = await up.serve();
      current = service;
      then();
      void service.ended.then((how) => {
        if (current === service) console.error(`The service has ended by itself (${how}). ${WAITING}`);
      });
    } catch (error) {
      console.error(`${messageOf(error)} ${WAITING}`);
    }
  };
  void asked.then(() => {
    current = null;
  });
  // Before the first start, so that a file saved during it counts too.
  const changes = watchSources();
  await serveAgain(greet);
  for await (const changed of changes) {
    console.log(`Changed: ${shortList(changed)}`);
    await serveAgain(() => console.log(`The service is ready again on ${up.url}.`));
  }
  throw new Error("The sources are no longer watched.");
};

/** Serves until something ends that should not. */
const serve = async (up: LocalService, settings: LocalSettings, watch: boolean): Promise<never> => {
  const engineEnded = up.engineEnded.then((how) => `database engine has ended by itself (${how})`);
  const greet = (): void => console.log(welcome(settings, up.url, secondsSinceStart()));
  const serving = async (): Promise<string> => {
    if (watch) return serveOnChange(up, greet);
    for (let isFirst = true; ; isFirst = false) {
      const service = await up.serve();
      if (isFirst) greet();
      else console.log(`The service is ready again on ${up.url}.`);
      const how = await Promise.race([service.ended, untilInstalled()]);
      if (how !== undefined) return `service has ended by itself (${how})`;
      console.log("The packages have been installed again: the service starts anew.");
    }
  };
  throw new UserError(`The ${await Promise.race([engineEnded, serving()])}: everything is stopped.`);
};

const REMIND_EVERY_MS = 60_000;

/** Says what to do about errors of the storage that the service's lines report, once a minute. */
const storageWatch = (): ((line: string) => void) => {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    const fault = explainStorageError(line);
    if (fault === null || performance.now() - saidAt < REMIND_EVERY_MS) return;
    saidAt = performance.now();
    console.error(fault);
  };
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: { help: { type: "boolean" }, watch: { type: "boolean" } } });
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  const settings = readSettings();
  for (const warning of settings.warnings) console.error(`Warning: ${warning}.`);
  const show = settings.logFormat === "json" ? (line: string): string => line : formatLogLine;
  const watchStorage = storageWatch();
  const bringing = startAll(settings, (line, from) => {
    watchStorage(line);
    const shown = show(line);
    if (shown !== null) (from === "stdout" ? console.log : console.error)(shown);
  });
  const up = await Promise.race([asked, bringing]);
  if (up === undefined) return 0;
  try {
    await Promise.race([asked, serve(up, settings, values.watch === true)]);
    return 0;
  } finally {
    await up.stop();
  }
};

await runCommand(main);
// What was still being started ends with this process.
process.exit();
