/** One execution environment of a packaged function: a process in which AWS's runtime loop calls its handler. */
import { setTimeout as sleep } from "node:timers/promises";
import { spawnChild } from "../cli/childProcess.ts";
import { STAGE } from "../local/settings.ts";
import type { PackagedFunction } from "./packages.ts";
import { RUNTIME } from "./runtime.ts";
import { type FunctionError, type Outcome, startRuntimeApi } from "./runtimeApi.ts";

/** Lambda ends an initialization after ten seconds. On a busy machine it takes longer. */
const INIT_MS = 60_000;
const ACCOUNT = "000000000000";

export interface Environment {
  /** Calls the handler with an event. Only one at a time. */
  invoke(event: string): Promise<Outcome>;
  /** Whether it cannot be used again: its initialization failed, its process has ended, or an invocation took too long. */
  isLost(): boolean;
  stop(): Promise<void>;
}

/**
 * The environment variables that Lambda sets
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html). None of this machine's are among them.
 */
const reservedVariables = (own: PackagedFunction, region: string): Record<string, string> => ({
  _HANDLER: own.handler,
  _X_AMZN_TRACE_ID: "",
  AWS_DEFAULT_REGION: region,
  AWS_REGION: region,
  AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
  AWS_LAMBDA_FUNCTION_NAME: own.functionName,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(own.memory),
  AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
  AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
  AWS_LAMBDA_LOG_GROUP_NAME: own.logGroup,
  AWS_LAMBDA_LOG_STREAM_NAME: `${new Date().toISOString().slice(0, 10).replaceAll("-", "/")}/[$LATEST]${STAGE}`,
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_SESSION_TOKEN: "local",
  LAMBDA_TASK_ROOT: own.folder,
  LANG: "en_US.UTF-8",
  PATH: "/usr/local/bin:/usr/bin:/bin",
  TZ: ":UTC",
});

const failure = (errorType: string, errorMessage: string): { error: FunctionError } => ({
  error: { errorType, errorMessage },
});

/**
 * Starts the process of a function. It initializes at once, and a failed initialization is the outcome of its invocation.
 * @param variables the function's own variables
 * @param onLine called with each line of its log
 */
export const startEnvironment = async (
  own: PackagedFunction,
  region: string,
  variables: Record<string, string>,
  onLine: (line: string) => void,
): Promise<Environment> => {
  const api = await startRuntimeApi();
  const child = await spawnChild([process.execPath, RUNTIME, own.handler], {
    cwd: own.folder,
    env: { ...variables, ...reservedVariables(own, region), AWS_LAMBDA_RUNTIME_API: api.address },
    onLine,
  });
  const failed = Promise.race([
    api.initError.then((error) => ({ error })),
    child.ended.then((how) => failure("Runtime.ExitError", `the process ended: ${how}`)),
  ]);
  let isFirst = true;
  let isLost = false;
  return {
    async invoke(event) {
      const limit = own.timeout * 1_000 + (isFirst ? INIT_MS : 0);
      isFirst = false;
      const ending = new AbortController();
      const { signal } = ending;
      const lost = (error: { error: FunctionError }) => {
        isLost = true;
        return error;
      };
      try {
        return await Promise.race([
          api.invoke({
            event,
            deadline: Date.now() + limit,
            functionArn: `arn:aws:lambda:${region}:${ACCOUNT}:function:${own.functionName}`,
          }),
          failed.then(lost),
          sleep(limit, failure("Sandbox.Timedout", `Task timed out after ${limit / 1_000} seconds`), {
            signal,
          }).then(lost),
        ]);
      } finally {
        ending.abort();
      }
    },
    isLost: () => isLost,
    async stop() {
      await child.stop();
      api.close();
    },
  };
};
