/** The service itself on this machine: every function and schedule in one child process. */
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { HOST, portInUse } from "../cli/ports.ts";
import { UserError } from "../cli/userError.ts";
import { REGION, STAGE } from "./settings.ts";

const START_MS = 30_000;
const PAUSE_MS = 25;

export interface ServiceOptions {
  readonly port: number;
  /** The Unix socket at which functions can be invoked as on Lambda: no web page and no other account reaches it. */
  readonly invocations: string;
  readonly settings: { readonly [name: string]: string };
  /** Each line that it prints. */
  readonly onLine: (line: string, from: "stdout" | "stderr") => void;
  /** Hears of the process as soon as there is one. */
  readonly onStart: (process: Child) => Promise<void>;
}

const serverless = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("serverless/package.json")), "bin/serverless.js");

/** What a service on this machine calls a function of `functions.yml`. */
export const functionName = (name: string): string => `zombie-game-${STAGE}-${name}`;

const commandOf = (port: number): string[] => [
  ...[process.execPath, serverless(), "offline", "--stage", STAGE, "--region", REGION],
  ...["--host", HOST, "--httpPort", `${port}`],
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

/** Waits for the first good answer; answers null then, and the fault when there will be none. */
const fault = async (service: Child, url: string): Promise<string | null> => {
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

/** Whether another process has taken the service's port since it was found free, by the service's own complaint. */
const saysPortTaken = (line: string): boolean =>
  line.includes("Unexpected error while starting serverless-offline server");

/** The framework's own decoration: an empty line, or one of its table of routes. */
const isDecoration = (line: string): boolean => /^\s*([┌│└].*)?$/.test(line);

/**
 * Starts the service and waits until it answers.
 * @throws UserError when it does not; nothing of it is left then
 */
export const startService = async (options: ServiceOptions): Promise<Child> => {
  const { port, invocations, settings, onLine, onStart } = options;
  // A service that was killed leaves its socket behind.
  await rm(invocations, { force: true });
  const held: Parameters<typeof onLine>[] = [];
  let ready = false;
  let portTaken = false;
  const service = await spawnChild(commandOf(port), {
    // Its own words only from warnings on: the functions' log tells of each request.
    env: { ...process.env, SLS_LOG_LEVEL: "warning", INVOCATIONS_SOCKET: invocations, ...settings },
    onLine: (line, from) => {
      portTaken ||= saysPortTaken(line);
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
    if (portTaken) throw portInUse(port);
    for (const [line, from] of held) onLine(line, from);
    throw error;
  }
  ready = true;
  for (const [line, from] of held) onLine(line, from);
  return service;
};
