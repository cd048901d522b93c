/** `npm start`: runs the complete service on this machine until Ctrl-C. `npm run dev` restarts it on each change. */
import { relative } from "node:path";
import { paths } from "../../web/src/paths.ts";
import { hasScalar } from "../bundle/scalar.ts";
import { runCommand } from "../cli/command.ts";
import { formatCount } from "../cli/format.ts";
import { explainStorageError } from "../cli/storageErrors.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { untilInstalled } from "../local/installedPackages.ts";
import { formatLogLine } from "../local/requestLines.ts";
import { type LocalSettings, readSettings } from "../local/settings.ts";
import { type LocalService, type RunningFunctions, startAll } from "../local/startAll.ts";
import { watchSources } from "../local/watch.ts";
import { ROOT } from "../project/root.ts";

/** How many changed files are listed. */
const MAX_SHOWN = 5;

const HELP = `Starts the game service on this machine, with its embedded database, until Ctrl-C.

  npm start            starts the service
  npm run dev          also restarts it when functions, lib, resources, web or serverless.yml change

Settings come from the environment, then from the file .env; .env.example explains each:
  PORT, GAME_FILE, DYNAMODB_ENDPOINT, FEEDING_PERIOD_SECONDS, JOIN_CODE, ALLOWED_ORIGINS,
  PUSH_ALLOWED_HOSTS, VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, VAPID_SUBJECT, CURSOR_KEY,
  INJECT_SQL_WRITES, TABLE_NAME, LOG_LEVEL, LOG_FORMAT,
  LAMBDA_CONCURRENCY, COLD_START_MS
`;

const describePlace = ({ place }: LocalSettings): string => {
  if (place.kind === "memory") return "with its game in memory, which is lost at the end";
  return place.kind === "file"
    ? `with its game in ${relative(ROOT, place.file)}`
    : `with its game at ${place.endpoint}`;
};

const secondsSinceStart = (): string => (performance.now() / 1_000).toFixed(1);

/** @param secret with which somebody becomes the first game master; `null` if there is one */
const welcome = (settings: LocalSettings, url: string, secret: string | null): string => `
The service is ready on ${url} after ${secondsSinceStart()} s, ${describePlace(settings)}.
${
  secret === null
    ? ""
    : `
Open this address to become the game master. It works once, so keep it to yourself:
  ${url}${paths.setUpWith(secret)}
`
}
Ctrl-C stops the service.
`;

/** Resolves on a signal, or when the parent process has ended. */
const stopRequested = new Promise<void>((resolve) => {
  // Through npm, Ctrl-C arrives twice; the second signal has no effect.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  // A killed npm sends no signal.
  const { ppid } = process;
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => {
    if (process.ppid !== ppid) resolve();
  }, 200).unref();
});

/** Lists the first names and the number of the others; a checkout changes many files. */
const shortList = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_SHOWN).join(", ");
  const more = names.length - MAX_SHOWN;
  return more > 0 ? `${shown} and ${formatCount(more, "more file")}` : shown;
};

const WAITING = "Waiting for the next change.";

type Greet = (service: RunningFunctions) => void;

/** Restarts the functions on each change. If they do not start, it waits for the next change. */
const serveOnChange = async (up: LocalService, greet: Greet): Promise<never> => {
  let current: RunningFunctions | null = null;
  const serveAgain = async (then: Greet): Promise<void> => {
    current = null;
    try {
      const service = await up.serve();
      current = service;
      then(service);
      void service.ended.then((how) => {
        if (current === service) console.error(`The service ended unexpectedly (${how}). ${WAITING}`);
      });
    } catch (error) {
      console.error(`${messageOf(error)} ${WAITING}`);
    }
  };
  void stopRequested.then(() => {
    current = null;
  });
  // Created before the first start, so that a file saved during it counts too.
  const changes = watchSources();
  await serveAgain(greet);
  for await (const changed of changes) {
    console.log(`Changed: ${shortList(changed)}`);
    await serveAgain(() => console.log(`The service is ready again on ${up.url}.`));
  }
  throw new Error("The sources are no longer watched.");
};

/** Serves until a process ends unexpectedly. */
const serve = async (up: LocalService, settings: LocalSettings, watch: boolean): Promise<never> => {
  const engineEnded = up.engineEnded.then((how) => `database engine ended unexpectedly (${how})`);
  const greet: Greet = ({ setUpSecret }) => console.log(welcome(settings, up.url, setUpSecret));
  const serving = async (): Promise<string> => {
    if (watch) return serveOnChange(up, greet);
    for (let isFirst = true; ; isFirst = false) {
      const service = await up.serve();
      if (isFirst) greet(service);
      else console.log(`The service is ready again on ${up.url}.`);
      const how = await Promise.race([service.ended, untilInstalled()]);
      if (how !== undefined) return `service ended unexpectedly (${how})`;
      console.log("The packages were installed again: restarting the service.");
    }
  };
  throw new UserError(`The ${await Promise.race([engineEnded, serving()])}. Everything has been stopped.`);
};

const REMIND_EVERY_MS = 60_000;

/** Explains storage errors in the service's output, at most once a minute. */
const storageWatch = (): ((line: string) => void) => {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    const fault = explainStorageError(line);
    if (fault === null || performance.now() - saidAt < REMIND_EVERY_MS) return;
    saidAt = performance.now();
    console.error(fault);
  };
};

await runCommand({ help: HELP, options: { watch: { type: "boolean" } } }, async (values) => {
  const settings = readSettings();
  for (const warning of settings.warnings) console.error(`Warning: ${warning}.`);
  if (!(await hasScalar()))
    console.error("Warning: /docs cannot show the API. Run npm ci with a connection to the npm registry.");
  const show = settings.logFormat === "json" ? (line: string): string => line : formatLogLine;
  const watchStorage = storageWatch();
  const starting = startAll(settings, (line, from) => {
    watchStorage(line);
    const shown = show(line);
    if (shown !== null) (from === "stdout" ? console.log : console.error)(shown);
  });
  const up = await Promise.race([stopRequested, starting]);
  if (up === undefined) return 0;
  try {
    await Promise.race([stopRequested, serve(up, settings, values.watch === true)]);
    return 0;
  } finally {
    await up.stop();
  }
});

// Ends processes that are still being started.
process.exit();
