/** The service itself on this machine: every function and schedule in one child process. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { freePort, HOST, portInUse } from "./ports.ts";
import { REGION, STAGE } from "./settings.ts";
import { spawnTethered, type Tethered } from "./tethered.ts";
import { UserError } from "./userError.ts";

const START_MS = 30_000;
const PAUSE_MS = 25;
const TRIES = 3;

export interface ServiceOptions {
  readonly port: number;
  readonly settings: { readonly [name: string]: string };
  /** Each line that it prints. */
  readonly onLine: (line: string, from: "stdout" | "stderr") => void;
  /** Hears of the process as soon as there is one. */
  readonly onStart: (process: Tethered) => Promise<void>;
}

const serverless = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("serverless/package.json")), "bin/serverless.js");

/** What a service on this machine calls a function of `functions.yml`. */
export const functionName = (name: string): string => `zombie-game-${STAGE}-${name}`;

const commandOf = (port: number, lambdaPort: number): string[] => [
  ...[process.execPath, serverless(), "offline", "--stage", STAGE, "--region", REGION],
  ...["--host", HOST, "--httpPort", `${port}`, "--lambdaPort", `${lambdaPort}`],
];

type Health = "well" | "unwell" | "silent";

const health = async (url: string): Promise<Health> => {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
    // A handler that cannot even be loaded is answered 200 too, with its fault as the body.
    return /^\{"ok":true[,}]/.test(await answer.text()) ? "well" : "unwell";
  } catch {
    return "silent";
  }
};

/** The service, once it answers. */
export interface LocalService {
  readonly process: Tethered;
  /** Where its functions can be invoked as on Lambda. */
  readonly invocations: string;
}

/** Waits for the first good answer; answers null then, and the fault when there will be none. */
const fault = async (service: Tethered, url: string): Promise<string | null> => {
  let gone: string | null = null;
  void service.ended.then((how) => {
    gone = `it has ended by itself (${how})`;
  });
  const until = Date.now() + START_MS;
  while (gone === null && Date.now() < until) {
    const now = await health(url);
    if (now === "well") return null;
    if (now === "unwell") return "GET /health does not answer that it is well; see above";
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return gone ?? `GET /health does not answer within ${START_MS / 1_000} s`;
};

type Taken = "port" | "lambdaPort" | null;

/** Which port somebody else has taken since it was looked at, by the service's own complaint. */
const takenBy = (line: string): Taken => {
  if (!line.includes("Unexpected error while starting serverless-offline")) return null;
  return line.includes("lambda server on port") ? "lambdaPort" : "port";
};

/** The framework's own decoration: an empty line, or one of its table of routes. */
const isDecoration = (line: string): boolean => /^\s*([┌│└].*)?$/.test(line);

/** Starts it on a port for its invocations; answers the port that was taken when one was. */
const startOnce = async (options: ServiceOptions, lambdaPort: number): Promise<Tethered | Taken> => {
  const { port, settings, onLine, onStart } = options;
  const held: Parameters<typeof onLine>[] = [];
  let ready = false;
  let taken: Taken = null;
  const service = await spawnTethered(commandOf(port, lambdaPort), {
    // Its own words only from warnings on: the functions' log tells of each request.
    env: { ...process.env, SLS_LOG_LEVEL: "warning", ...settings },
    onLine: (line, from) => {
      taken ??= takenBy(line);
      if (isDecoration(line)) return;
      if (ready) onLine(line, from);
      else held.push([line, from]);
    },
  });
  try {
    await onStart(service);
    const why = await fault(service, `http://${HOST}:${port}`);
    if (why !== null) throw new UserError(`The service does not start: ${why}.`);
  } catch (error) {
    await service.stop();
    if (taken !== null) return taken;
    for (const [line, from] of held) onLine(line, from);
    throw error;
  }
  ready = true;
  for (const [line, from] of held) onLine(line, from);
  return service;
};

/**
 * Starts the service and waits until it answers.
 * @throws UserError when it does not; nothing of it is left then
 */
export const startService = async (options: ServiceOptions): Promise<LocalService> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const lambdaPort = await freePort();
    const service = await startOnce(options, lambdaPort);
    if (service === "port") throw portInUse(options.port);
    if (service !== null && service !== "lambdaPort") {
      return { process: service, invocations: `http://${HOST}:${lambdaPort}` };
    }
  }
  throw new UserError(
    "The service does not start: every port that it tries is taken at once. Start it again.",
  );
};
