/**
 * Parameters of a deployment: SecureStrings of Systems Manager, so that keys are in no template, environment or log.
 * `npm run deploy` creates them, `npm run rotate` adds keys.
 */
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { DomainError } from "../domain/domainError.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import { clientSettings } from "../runtime/awsClient.ts";
import { log } from "../runtime/log.ts";
import { parseCursorKeys, parseMailKeys, parseVapidKeys } from "./parseKeys.ts";
import type { Parameter, ReadParameter } from "./secrets.ts";

/** How long a parameter is cached. After this time, every process has read an added key, unless its reads fail. */
export const PARAMETER_TTL_MS = 5 * MINUTE;

/** Permanent errors: the deployment is incomplete. */
const PERMANENT_ERRORS = new Set([
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

/** @throws Error for a permanent error; DomainError `unavailable` for a temporary one */
const readParameter = async <T>(
  name: string,
  read: ReadParameter,
  parse: (text: string) => T,
): Promise<T> => {
  let text: string;
  try {
    text = await read(name);
  } catch (error) {
    if (error instanceof Error && PERMANENT_ERRORS.has(error.name)) {
      throw new Error(`the parameter ${name} cannot be read (npm run doctor shows more)`, {
        cause: error,
      });
    }
    log.warn("parameter not read", { parameter: name, error });
    throw new DomainError(
      "unavailable",
      "The service cannot read its keys at the moment. Try again shortly.",
      {
        retryAfter: 1,
      },
    );
  }
  try {
    return parse(text);
  } catch {
    // A parser's message could contain parts of the keys.
    throw new Error(`the parameter ${name} is malformed (npm run doctor shows more)`);
  }
};

/** One client per process, created on first use. */
let defaultReader: ReadParameter | undefined;

/** After a failed refresh, the cached keys are used for this long before the next attempt. */
const RETRY_MS = 30 * SECOND;

/**
 * Caches a parameter. It is read on first use and refreshed after {@link PARAMETER_TTL_MS}. If the refresh fails for
 * any reason, the cached value is used.
 */
const cached = <T>({ parameter, read, clock = Date.now }: Parameter, parse: (text: string) => T) => {
  let entry: { value: T; until: number } | undefined;
  let reading: Promise<T> | undefined;
  const readNow = async (): Promise<T> => {
    try {
      defaultReader ??= systemsManager();
      const value = await readParameter(parameter, read ?? defaultReader, parse);
      entry = { value, until: clock() + PARAMETER_TTL_MS };
      return value;
    } catch (error) {
      if (entry === undefined) throw error;
      if (!(error instanceof DomainError)) log.error("keys not refreshed, cached ones are used", { error });
      entry.until = clock() + RETRY_MS;
      return entry.value;
    } finally {
      reading = undefined;
    }
  };
  return (): Promise<T> => {
    if (entry !== undefined && clock() < entry.until) return Promise.resolve(entry.value);
    reading ??= readNow();
    return reading;
  };
};

/** Reads and caches the cursor keys in a parameter. */
export const cachedCursorKeys = (parameter: Parameter) => cached(parameter, parseCursorKeys);

/** Reads and caches the VAPID key pairs in a parameter. */
export const cachedVapidPairs = (parameter: Parameter) => cached(parameter, parseVapidKeys);

/** Reads and caches the keys of tokens in mails. */
export const cachedMailKeys = (parameter: Parameter) => cached(parameter, parseMailKeys);

/** Reads and caches the address of the mail server, as a list of one. */
export const cachedMailUrl = (parameter: Parameter) => cached(parameter, (text) => [text]);
