/**
 * A deployment on this machine, as close to AWS as it can be: the packages of the functions under AWS's own runtime loop,
 * behind the routes, the stream and the queue of the template.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { packageTo } from "../bundle/package.ts";
import { withPackagingLock } from "../cloud/framework.ts";
import { startQueue } from "../local/queue.ts";
import { REGION, STAGE } from "../local/settings.ts";
import { readEventSources } from "../local/sources.ts";
import { createTable } from "../local/table.ts";
import { startWorkers } from "../local/workers.ts";
import { startHttpApi, startInvokeApi } from "./httpApi.ts";
import { startLambda } from "./lambda.ts";
import { type PackagedFunction, readPackages } from "./packages.ts";

export interface Deployment {
  /** The base URL of the HTTP API. */
  readonly base: string;
  readonly table: string;
  /** The file of the queue and of the position in the stream. */
  readonly backlog: string;
  /** The Unix socket of Lambda's `Invoke`. */
  readonly invocations: string;
  stop(): Promise<void>;
}

export interface DeploymentOptions {
  /** An existing folder for the packages and the unpacked functions. The caller removes it. */
  folder: string;
  /** The endpoint of the database. */
  engine: string;
  /**
   * Settings of the functions in addition to those of the template. With the keys here, no function reads parameters:
   * a deployed function accepts no other endpoint of Systems Manager.
   */
  settings: Record<string, string>;
  /** Called with the error and the last lines of the log of a function that has failed. */
  onFault: (lines: string) => void;
  /** Called with warnings of the pollers. */
  warn: (line: string) => void;
  signal: AbortSignal;
}

/** A function's variables as deployed. @throws Error for a reference that is unknown here */
const variablesOf = (
  { name, variables }: PackagedFunction,
  references: Record<string, string>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([key, value]) => {
      const text = typeof value === "string" ? value : references[String(Object(value).Ref)];
      if (text === undefined) throw new Error(`${name} has the variable ${key} = ${JSON.stringify(value)}`);
      return [key, text];
    }),
  );

/** Packages the service and starts it. @throws Error if it cannot be packaged */
export const startDeployment = async (options: DeploymentOptions): Promise<Deployment> => {
  const { folder, engine, settings, onFault, warn, signal } = options;
  const [packages, unpacked] = [join(folder, STAGE), join(folder, "unpacked")];
  await withPackagingLock(() => packageTo(packages, {}, signal));
  await mkdir(unpacked);
  const { functions, routes } = await readPackages(packages, unpacked);
  await rm(packages, { recursive: true });
  const table = String(functions[0]?.variables.TABLE_NAME);
  await createTable(engine, table, { region: REGION, stream: true });
  const backlog = join(folder, "backlog");
  const queue = await startQueue(backlog);
  const lambda = startLambda({
    functions,
    region: REGION,
    onFault,
    variablesOf: (own) => ({
      ...variablesOf(own, { Queue: queue.settings.QUEUE_URL }),
      // Deployed functions ignore AWS_ENDPOINT_URL.
      ...{ DYNAMODB_ENDPOINT: engine, QUEUE_ENDPOINT: queue.settings.QUEUE_ENDPOINT },
      ...settings,
    }),
  });
  const invocations = join(folder, "lambda");
  const names = functions.map(({ name }) => name);
  const invokeApi = await startInvokeApi(lambda, names, invocations);
  const api = await startHttpApi(lambda, routes);
  const workers = startWorkers({
    sources: readEventSources(),
    backlog: queue.backlog,
    stream: { endpoint: engine, table, region: REGION },
    records: null,
    at: () => invocations,
    warn,
  });
  return {
    ...{ base: api.base, table, backlog, invocations },
    async stop() {
      await workers.stop();
      api.close();
      invokeApi.close();
      await lambda.stop();
      await queue.stop();
    },
  };
};
