/** Runs the functions and schedules locally, in one child process. */
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { HOST, portInUse } from "../cli/ports.ts";
import { sleep } from "../cli/sleep.ts";
import { UserError } from "../cli/userError.ts";
import { REGION, STAGE } from "./settings.ts";

/** The start-up limit detects only hangs: a start that fails ends its process, and a busy machine may take long. */
const START_MS = 180_000;
const PAUSE_MS = 25;

export interface ServiceOptions {
  readonly port: number;
  /** The Unix socket for invocations, which web pages and other accounts cannot reach. */
  readonly invocations: string;
  readonly settings: { readonly [name: string]: string };
  /** Called with each line of output. */
  readonly onLine: (line: string, from: "stdout" | "stderr") => void;
  /** Called when the process has started. */
  readonly onStart: (process: Child) => Promise<void>;
}

const serverless = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("serverless/package.json")), "bin/serverless.js");

/** The local name of a function of `functions.yml`. */
export const functionName = (name: string): string => `zombie-game-${STAGE}-${name}`;

const commandOf = (port: number): string[] => [
  ...[process.execPath, serverless(), "offline", "--stage", STAGE, "--region", REGION],
  ...["--host", HOST, "--httpPort", `${port}`],
];

type Health = "healthy" | "unhealthy" | "unreachable";

/** The health of a local service, of this process or another one. */
export const health = async (url: string): Promise<Health> => {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
    // serverless-offline sends 200 even if the handler cannot be loaded, with the error as the body.
    return /^\{"ok":true[,}]/.test(await answer.text()) ? "healthy" : "unhealthy";
  } catch {
    return "unreachable";
  }
};

/** Waits for the first successful health check. Returns null, or the reason if there is none. */
const failureReason = async (service: Child, url: string): Promise<string | null> => {
  let gone: string | null = null;
  void service.ended.then((how) => {
    gone = `it ended unexpectedly (${how})`;
  });
  const until = Date.now() + START_MS;
  while (gone === null && Date.now() < until) {
    const now = await health(url);
    if (now === "healthy") return null;
    if (now === "unhealthy") return "GET /health reports a problem; see above";
    await sleep(PAUSE_MS);
  }
  return gone ?? `GET /health did not respond within ${START_MS / 1_000} s`;
};

/** Whether the output shows that another process has taken the port since it was checked. */
const isPortTakenMessage = (line: string): boolean =>
  line.includes("Unexpected error while starting serverless-offline server");

/** Output of the framework without information: empty lines and the table of routes. */
const isDecoration = (line: string): boolean => /^\s*([┌│└].*)?$/.test(line);

/**
 * Starts the functions and waits until they respond.
 * @throws UserError if they do not; nothing is left running then
 */
export const startService = async (options: ServiceOptions): Promise<Child> => {
  const { port, invocations, settings, onLine, onStart } = options;
  // A killed service leaves its socket behind.
  await rm(invocations, { force: true });
  const heldLines: Parameters<typeof onLine>[] = [];
  let ready = false;
  let portTaken = false;
  const service = await spawnChild(commandOf(port), {
    // The framework logs only warnings, because the functions log each request.
    // The join code is in the table, and no function needs it. A proxy is only before a deployment.
    env: {
      ...process.env,
      ...{ JOIN_CODE: "", PROXY_SECRET: "" },
      SLS_LOG_LEVEL: "warning",
      INVOCATIONS_SOCKET: invocations,
      ...settings,
    },
    onLine: (line, from) => {
      portTaken ||= isPortTakenMessage(line);
      if (isDecoration(line)) return;
      if (ready) onLine(line, from);
      else heldLines.push([line, from]);
    },
  });
  try {
    await onStart(service);
    const reason = await failureReason(service, `http://${HOST}:${port}`);
    if (reason !== null) throw new UserError(`The service does not start: ${reason}.`);
  } catch (error) {
    await service.stop();
    if (portTaken) throw await portInUse(port);
    for (const [line, from] of heldLines) onLine(line, from);
    throw error;
  }
  ready = true;
  for (const [line, from] of heldLines) onLine(line, from);
  return service;
};
