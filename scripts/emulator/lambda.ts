/** The packaged functions under AWS's runtime loop: starts their environments as they are needed, as Lambda does. */
import { messageOf } from "../cli/userError.ts";
import { type Environment, startEnvironment } from "./environment.ts";
import type { PackagedFunction } from "./packages.ts";
import { MAX_EVENT_BYTES, type Outcome } from "./runtimeApi.ts";

/** How many environments exist at once: each is a process of 70 MB. An idle one is stopped for another function's. */
const MAX_ENVIRONMENTS = 8;
/** How many lines of a function's log are shown with its error. */
const SHOWN_LINES = 20;

interface Warm {
  name: string;
  environment: Environment;
  log: string[];
}

export interface Lambda {
  /** Invokes a function with an event. @throws Error if there is no such function */
  invoke(name: string, event: unknown): Promise<Outcome>;
  /** Ends all processes. */
  stop(): Promise<void>;
}

export interface LambdaOptions {
  functions: readonly PackagedFunction[];
  region: string;
  /** The variables of a function, from those of the template. */
  variablesOf: (own: PackagedFunction) => Record<string, string>;
  /** Called with the name, the error and the last lines of the log of a function that has failed. */
  onFault: (lines: string) => void;
}

/** Runs packaged functions. An environment has one invocation at a time; concurrent ones get further environments. */
export const startLambda = ({ functions, region, variablesOf, onFault }: LambdaOptions): Lambda => {
  const byName = new Map(functions.map((own) => [own.name, own]));
  /** Idle environments, the least recently used first. */
  const idle: Warm[] = [];
  const busy = new Set<Warm>();
  let starting = 0;
  const stopping = new Set<Promise<void>>();
  let isStopped = false;

  const end = ({ environment }: Warm): void => {
    const done = environment.stop().finally(() => stopping.delete(done));
    stopping.add(done);
  };

  const acquire = async (own: PackagedFunction): Promise<Warm> => {
    const at = idle.findLastIndex(({ name }) => name === own.name);
    const [known] = at < 0 ? [] : idle.splice(at, 1);
    if (known !== undefined) return known;
    for (const oldest of idle.splice(0, idle.length + busy.size + starting - MAX_ENVIRONMENTS + 1))
      end(oldest);
    const log: string[] = [];
    const onLine = (line: string): void => {
      log.push(line);
      if (log.length > SHOWN_LINES) log.shift();
    };
    starting += 1;
    try {
      return {
        name: own.name,
        log,
        environment: await startEnvironment(own, region, variablesOf(own), onLine),
      };
    } finally {
      starting -= 1;
    }
  };

  return {
    async invoke(name, event) {
      const own = byName.get(name);
      if (own === undefined || isStopped) throw new Error(`there is no function ${name}`);
      const text = JSON.stringify(event);
      if (Buffer.byteLength(text) > MAX_EVENT_BYTES) {
        const errorMessage = `Request must be smaller than ${MAX_EVENT_BYTES} bytes for the InvokeFunction operation`;
        return { error: { errorType: "RequestTooLarge", errorMessage } };
      }
      const warm = await acquire(own);
      busy.add(warm);
      const outcome = await warm.environment.invoke(text);
      busy.delete(warm);
      if (isStopped) return outcome;
      if (warm.environment.isLost()) end(warm);
      else idle.push(warm);
      if ("error" in outcome) {
        const { errorType, errorMessage, trace = [] } = outcome.error;
        onFault([`${name}: ${errorType}: ${errorMessage}`, ...trace, ...warm.log].join("\n  "));
      }
      return outcome;
    },
    async stop() {
      isStopped = true;
      for (const warm of [...idle.splice(0), ...busy]) end(warm);
      await Promise.all(stopping);
    },
  };
};

/** The JSON of an outcome, for those who expect a result. @throws Error of the function */
export const resultOf = (outcome: Outcome): unknown => {
  if ("error" in outcome) throw new Error(`${outcome.error.errorType}: ${outcome.error.errorMessage}`);
  try {
    return JSON.parse(outcome.result);
  } catch (error) {
    throw new Error(`the function's result is not JSON: ${messageOf(error)}`);
  }
};
