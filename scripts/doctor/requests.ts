/** Calls every function of a deployment once: each must start, reach its resources, and respond itself. */
import { randomUUID } from "node:crypto";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { sendPatiently } from "../../client/src/retry.ts";
import { makeToken } from "../../lib/auth/token.ts";
import { messageOf } from "../cli/userError.ts";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import { proxyHeaders } from "../cloud/proxyHeaders.ts";
import type { Stage } from "../cloud/stage.ts";
import { type ListedFunction, listedFunctions } from "../project/functions.ts";
import { type Check, ok, type Result, wrong } from "./findings.ts";

/** Concurrent requests, fewer than a new account allows. */
const CONCURRENCY = 4;
const TIMEOUT_MS = 30_000;
/** Players use the same executions, so the gateway may turn a request away. */
const ATTEMPTS = 5;

/**
 * A login with an unknown account, which still hashes the password. The alias is random because repeated failures are
 * rate-limited.
 */
const unknownAccount = () => ({
  alias: `doctor nobody ${randomUUID().slice(0, 8)}`,
  password: "there is no such account",
});

/** The response of a function to a request without permission. */
interface CallResult {
  name: string;
  status: number;
  milliseconds: number;
  /** Why the response is wrong. */
  fault?: string;
}

const callEndpoint = async (base: string, { name, route = "" }: ListedFunction): Promise<CallResult> => {
  const [method = "GET", path = "/"] = route.split(" ");
  let started = performance.now();
  // A token of an unknown player, so that the function looks the player up under its own role.
  const id = randomUUID();
  const authorization = `Bearer ${makeToken(id).token}`;
  const body = method === "GET" ? {} : { body: JSON.stringify(name === "login" ? unknownAccount() : {}) };
  try {
    const answer = await sendPatiently(
      () => {
        started = performance.now();
        return fetch(`${base}${path.replace("{url_id}", id)}`, {
          method,
          headers: { "content-type": "application/json", authorization, ...proxyHeaders() },
          ...body,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
      },
      { attempts: ATTEMPTS },
    );
    await answer.arrayBuffer();
    const results = { name, status: answer.status, milliseconds: performance.now() - started };
    // Responses of the gateway itself do not have this header.
    if (!answer.headers.has("x-request-id")) {
      return { ...results, fault: `the gateway responds with ${answer.status} instead` };
    }
    return answer.status >= 500 ? { ...results, fault: `it responds with ${answer.status}` } : results;
  } catch (error) {
    const fault = messageOf(error instanceof Error ? (error.cause ?? error) : error);
    return { name, status: 0, milliseconds: performance.now() - started, fault };
  }
};

/** Invokes a function without a route: a worker with an empty batch, or the sweep. */
const invoke = async (
  { lambda, region }: Clients,
  stage: Stage,
  { name }: ListedFunction,
): Promise<CallResult> => {
  const started = performance.now();
  const results = () => ({ name, status: 200, milliseconds: performance.now() - started });
  try {
    const { FunctionError, Payload } = await explainingErrors(region, `invoke ${name}`, () =>
      lambda.send(
        new InvokeCommand({
          FunctionName: `${stage.name}-${name}`,
          Payload: JSON.stringify({ Records: [] }),
        }),
      ),
    );
    if (FunctionError === undefined) return results();
    return { ...results(), fault: `it fails: ${Payload?.transformToString() ?? FunctionError}` };
  } catch (error) {
    return { ...results(), status: 0, fault: messageOf(error) };
  }
};

/** The finding for the login with an unknown account. */
const passwordFinding = ({ status, fault }: CallResult, { options }: Pick<Stage, "options">): Result =>
  fault === undefined && status === 401
    ? { ...ok("Passwords are hashed with Argon2id by Lambda's Node.js."), what: "passwords" }
    : {
        ...wrong(
          `A login that must be rejected with 401 ${fault === undefined ? `gets ${status}` : `fails: ${fault}`}.`,
          `npm run logs -- ${options} --function login`,
        ),
        what: "passwords",
      };

/**
 * Sends a login with an unknown account. It is rejected with 401 only if Argon2id works.
 * @param base the URL of the service
 */
export const checkPasswords = async (stage: Pick<Stage, "options">, base: string): Promise<Result> => {
  const login = listedFunctions().find(({ name }) => name === "login");
  if (login === undefined) throw new Error("there is no function login");
  return passwordFinding(await callEndpoint(base, login), stage);
};

const findingsOf = (results: readonly CallResult[], stage: Stage): Result[] => {
  const faults = results.filter(({ fault }) => fault !== undefined);
  const slowest = results.toSorted((one, other) => other.milliseconds - one.milliseconds)[0];
  const login = results.find(({ name }) => name === "login");
  const fine: Result = ok(
    `${results.length - faults.length} of ${results.length} functions respond as expected; the slowest, ${slowest?.name}, in ${Math.round(slowest?.milliseconds ?? 0)} ms.`,
  );
  return [
    ...(faults.length < results.length ? [fine] : []),
    ...faults.map(
      ({ name, fault }): Result =>
        wrong(`${name}: ${fault}.`, `npm run logs -- ${stage.options} --function ${name} --since 5m`),
    ),
    ...(login === undefined ? [] : [passwordFinding(login, stage)]),
  ];
};

/**
 * Calls every function once. That leaves two log entries, the count of one failed login, and the time of the sweep.
 * @param onCalled called after each function
 */
export const requestChecks = (
  clients: Clients,
  stage: Stage,
  base: string,
  onCalled: (count: number) => void,
): Check[] => [
  {
    what: "functions",
    run: async () => {
      const rest = listedFunctions().values();
      const results: CallResult[] = [];
      const worker = async (): Promise<void> => {
        for (const one of rest) {
          results.push(
            await (one.route === undefined ? invoke(clients, stage, one) : callEndpoint(base, one)),
          );
          onCalled(1);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      return findingsOf(results, stage);
    },
  },
];
