/** One request to every function of a deployment: each must start, reach what it needs, and answer as itself. */
import { randomUUID } from "node:crypto";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { makeToken } from "../../lib/auth/token.ts";
import { messageOf } from "../cli/userError.ts";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { Stage } from "../cloud/stage.ts";
import { type ListedFunction, listedFunctions } from "../project/functions.ts";
import type { Check, Finding } from "./findings.ts";

/** So many are asked at once: fewer than a new account lets run. */
const AT_ONCE = 4;
const PATIENCE_MS = 30_000;

/**
 * A login that nobody has: its password is hashed all the same, by Lambda's own Node.js. The alias is another each time,
 * since whoever fails again and again at one has to wait.
 */
const nobody = () => ({
  alias: `doctor nobody ${randomUUID().slice(0, 8)}`,
  password: "there is no such account",
});

/** What an endpoint answers to somebody whom it does not let in, and who changes nothing. */
interface Heard {
  name: string;
  status: number;
  milliseconds: number;
  /** Why it is not as it should be. */
  fault?: string;
}

const ask = async (base: string, { name, route = "" }: ListedFunction): Promise<Heard> => {
  const [method = "GET", path = "/"] = route.split(" ");
  const started = performance.now();
  // A token of nobody's: whoever has one is looked up, under the function's own role.
  const id = randomUUID();
  const authorization = `Bearer ${makeToken(id).token}`;
  const body = method === "GET" ? {} : { body: JSON.stringify(name === "login" ? nobody() : {}) };
  try {
    const answer = await fetch(`${base}${path.replace("{url_id}", id)}`, {
      method,
      headers: { "content-type": "application/json", authorization },
      ...body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.arrayBuffer();
    const heard = { name, status: answer.status, milliseconds: performance.now() - started };
    // The gateway's own answers have no such header.
    if (!answer.headers.has("x-request-id")) {
      return { ...heard, fault: `the gateway answers ${answer.status} in its place` };
    }
    return answer.status >= 500 ? { ...heard, fault: `it answers ${answer.status}` } : heard;
  } catch (error) {
    const fault = messageOf(error instanceof Error ? (error.cause ?? error) : error);
    return { name, status: 0, milliseconds: performance.now() - started, fault };
  }
};

/** What a function is invoked with that no route leads to: an empty batch, or the schedule's turn. */
const invoke = async (
  { lambda, region }: Clients,
  stage: Stage,
  { name }: ListedFunction,
): Promise<Heard> => {
  const started = performance.now();
  const heard = () => ({ name, status: 200, milliseconds: performance.now() - started });
  try {
    const { FunctionError, Payload } = await explainingErrors(region, `invoke ${name}`, () =>
      lambda.send(
        new InvokeCommand({
          FunctionName: `${stage.name}-${name}`,
          Payload: JSON.stringify({ Records: [] }),
        }),
      ),
    );
    if (FunctionError === undefined) return heard();
    return { ...heard(), fault: `it fails: ${Payload?.transformToString() ?? FunctionError}` };
  } catch (error) {
    return { ...heard(), status: 0, fault: messageOf(error) };
  }
};

/** What came of the login that nobody has. */
const passwordFinding = ({ status, fault }: Heard, { options }: Stage): Finding =>
  fault === undefined && status === 401
    ? { state: "ok", what: "passwords", says: "They are hashed with Argon2id by Lambda's own Node.js." }
    : {
        state: "wrong",
        what: "passwords",
        says: `A login that must be refused with 401 ${fault === undefined ? `is answered ${status}` : `fails: ${fault}`}.`,
        mend: `npm run logs -- ${options} --function login`,
      };

/**
 * Sends a login that nobody has, and looks whether it is refused as it must be: only then Argon2id runs there.
 * @param base where the service answers
 */
export const checkPasswords = async (stage: Stage, base: string): Promise<Finding> => {
  const login = listedFunctions().find(({ name }) => name === "login");
  if (login === undefined) throw new Error("there is no function login");
  return passwordFinding(await ask(base, login), stage);
};

const told = (heard: readonly Heard[], stage: Stage): Finding[] => {
  const faults = heard.filter(({ fault }) => fault !== undefined);
  const slowest = heard.toSorted((one, other) => other.milliseconds - one.milliseconds)[0];
  const login = heard.find(({ name }) => name === "login");
  const what = "functions";
  const fine: Finding = {
    state: "ok",
    what,
    says: `${heard.length - faults.length} of ${heard.length} answer as they should; the slowest, ${slowest?.name}, in ${Math.round(slowest?.milliseconds ?? 0)} ms.`,
  };
  return [
    ...(faults.length < heard.length ? [fine] : []),
    ...faults.map(
      ({ name, fault }): Finding => ({
        state: "wrong",
        what,
        says: `${name}: ${fault}.`,
        mend: `npm run logs -- ${stage.options} --function ${name} --since 5m`,
      }),
    ),
    ...(login === undefined ? [] : [passwordFinding(login, stage)]),
  ];
};

/**
 * Asks every function once. Of that stay two log entries, the count of one failed login, and what a sweep records.
 * @param onAsked hears of each
 */
export const requestChecks = (
  clients: Clients,
  stage: Stage,
  base: string,
  onAsked: (count: number) => void,
): Check[] => [
  {
    what: "functions",
    run: async () => {
      const rest = listedFunctions().values();
      const heard: Heard[] = [];
      const worker = async (): Promise<void> => {
        for (const one of rest) {
          heard.push(await (one.route === undefined ? invoke(clients, stage, one) : ask(base, one)));
          onAsked(1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return told(heard, stage);
    },
  },
];
