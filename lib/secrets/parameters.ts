/**
 * Parameters of the deployment on AWS: SecureStrings of Systems Manager, so that what they hold stands in no template,
 * no environment and no log. `npm run deploy` makes them, `npm run rotate` adds to them.
 */

import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { DomainError } from "../domain/domainError.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import { clientSettings } from "../runtime/awsClient.ts";
import { log } from "../runtime/log.ts";
import { parseCursorKeys, parseVapidKeys } from "./parseKeys.ts";
import type { Parameter, ReadParameter } from "./secrets.ts";

/** So long a parameter that was read is good: whatever is added to it is known to every process after that. */
export const PARAMETER_TTL_MS = 5 * MINUTE;

/** Faults that no second try mends: the deployment is not whole. */
const LASTING = new Set([
  "ParameterNotFound",
  "AccessDeniedException",
  "InvalidKeyId",
  "ValidationException",
]);

/** The parameters of this account and region. */
const systemsManager = (): ReadParameter => {
  const client = new SSMClient(clientSettings(undefined));
  return async (Name) => {
    const { Parameter } = await client.send(new GetParameterCommand({ Name, WithDecryption: true }));
    if (Parameter?.Value === undefined) throw new Error(`the parameter ${Name} has no value`);
    return Parameter.Value;
  };
};

/** @throws Error for what lasts; DomainError `unavailable` for what passes */
const readOrRefuse = async <T>(name: string, read: ReadParameter, parse: (text: string) => T): Promise<T> => {
  let text: string;
  try {
    text = await read(name);
  } catch (error) {
    if (error instanceof Error && LASTING.has(error.name)) {
      throw new Error(`the parameter ${name} cannot be read (npm run doctor tells more)`, { cause: error });
    }
    log.warn("parameter not read", { parameter: name, error });
    throw new DomainError("unavailable", "The service cannot reach its keys just now. Try again shortly.", {
      retryAfter: 1,
    });
  }
  try {
    return parse(text);
  } catch {
    // What it holds is told to nobody, in no message of a parser either.
    throw new Error(`the parameter ${name} does not hold what it should (npm run doctor tells more)`);
  }
};

/** One client for the process, made when it is first needed. */
let ours: ReadParameter | undefined;

/** After a reading that failed, the next is tried so much later: nobody waits for each. */
const TRIED_AGAIN = 30 * SECOND;

/**
 * A parameter that is read when it is first asked for, and again when that is long past. While that cannot be done,
 * whatever the reason, what was read before serves.
 */
const kept = <T>({ parameter, read, clock = Date.now }: Parameter, parse: (text: string) => T) => {
  let known: { value: T; until: number } | undefined;
  let reading: Promise<T> | undefined;
  const readNow = async (): Promise<T> => {
    try {
      ours ??= systemsManager();
      const value = await readOrRefuse(parameter, read ?? ours, parse);
      known = { value, until: clock() + PARAMETER_TTL_MS };
      return value;
    } catch (error) {
      if (known === undefined) throw error;
      if (!(error instanceof DomainError)) log.error("keys kept that cannot be read again", { error });
      known.until = clock() + TRIED_AGAIN;
      return known.value;
    } finally {
      reading = undefined;
    }
  };
  return (): Promise<T> => {
    if (known !== undefined && clock() < known.until) return Promise.resolve(known.value);
    reading ??= readNow();
    return reading;
  };
};

/** The keys of cursors that a parameter holds. */
export const cachedCursorKeys = (parameter: Parameter) => kept(parameter, parseCursorKeys);

/** The key pairs for push that a parameter holds. */
export const cachedVapidPairs = (parameter: Parameter) => kept(parameter, parseVapidKeys);
