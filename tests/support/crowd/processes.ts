/** The processes of the load test: push services and workers, which end with the test. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { afterEach } from "vitest";
import * as z from "zod/mini";
import { Report } from "./manners.ts";

const started = new Set<ChildProcess>();
afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  started.clear();
});

/** The heap of a function with 256 MB, since V8 uses as much as it may. */
const SMALL = ["--max-old-space-size=128", "--max-semi-space-size=4"];

const start = (script: string, env: Record<string, string>, execArgv: string[] = []): ChildProcess => {
  const child = fork(join(import.meta.dirname, script), {
    env: { ...process.env, ...env },
    execArgv,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  started.add(child);
  return child;
};

/** The next message of a process. @throws Error when it ends instead */
const next = <T>(child: ChildProcess, schema: z.ZodMiniType<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(schema.parse(message)));
    child.once("exit", (code, signal) => reject(new Error(`the process has ended (${code ?? signal})`)));
  });

const Ports = z.object({ ports: z.array(z.int()) });
const Reports = z.object({ report: z.array(Report) });

/** Starts the push services; `report` returns their counts. */
export const startServices = async (certificate: { key: string; cert: string }) => {
  const child = start("services.ts", { CROWD_KEY: certificate.key, CROWD_CERT: certificate.cert });
  const { ports } = await next(child, Ports);
  return {
    ports,
    report: async (): Promise<Report[]> => {
      const told = next(child, Reports);
      child.send("report");
      return (await told).report;
    },
  };
};

/** Starts a worker. */
export const startWorker = (env: Record<string, string>) => {
  const child = start("worker.ts", env, SMALL);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  return {
    /** Lets it end its batch. */
    stop: async (): Promise<void> => {
      child.send("end");
      await ended;
    },
    kill: async (): Promise<void> => {
      child.kill("SIGKILL");
      await ended;
    },
  };
};
