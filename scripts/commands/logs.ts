/** `npm run logs`: follows the log of a deployment's functions. */
import { styleText } from "node:util";
import {
  CloudWatchLogsClient,
  FilterLogEventsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-cloudwatch-logs";
import { DAY, HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { runCommand } from "../cli/command.ts";
import { codeOf, messageOf, UserError } from "../cli/userError.ts";
import { errorName, explainAwsError } from "../cloud/awsErrors.ts";
import { STAGE_HELP, STAGE_OPTIONS, type Stage, stageOf } from "../cloud/stage.ts";
import { type FetchPage, readEvents } from "../logs/events.ts";
import {
  formatLine,
  formatLineJson,
  isAtLeast,
  LEVELS,
  type Level,
  type Paint,
  parseEvent,
} from "../logs/lines.ts";
import { listedFunctions } from "../project/functions.ts";

/** The retention of the log (resources/logs.yml). */
const KEPT_DAYS = 30;

const HELP = `Follows the log of a deployment: a line for each request with its route, status, duration, capacity units and error
code; the results of the workers; internal errors in full. Players are shown as hashes, never by name.

  npm run logs -- --stage STAGE [--region REGION] [--since 10m] [--level LEVEL] [--function NAME] [--request ID]
                  [--no-follow] [--json]

${STAGE_HELP}
  --since TIME     starts this long ago: 90s, 10m, 2h, 3d; up to ${KEPT_DAYS}d, default 10m
  --level LEVEL    minimum level: ${LEVELS.join(", ")}
  --function NAME  only this function, such as hunt, sweep or deliver
  --request ID     only this request: the x-request-id of its response
  --no-follow      ends after the last existing line
  --json           prints the lines as JSON, with the function

Stop it with Ctrl-C. Lines appear a few seconds after they were written, and are kept for ${KEPT_DAYS} days.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  since: { type: "string", default: "10m" },
  level: { type: "string" },
  function: { type: "string" },
  request: { type: "string" },
  "no-follow": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

const UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

const parseAgo = (text: string): number => {
  const [, count, unit = ""] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const ago = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(ago) || ago > KEPT_DAYS * DAY) {
    throw new UserError(`--since ${text} is invalid: use 90s, 10m, 2h or 3d, and at most ${KEPT_DAYS}d.`);
  }
  return ago;
};

const parseLevel = (text: string | undefined): Level => {
  const level = LEVELS.find((one) => one === (text ?? "debug").toLowerCase());
  if (level === undefined) throw new UserError(`--level ${text} is invalid: use ${LEVELS.join(", ")}.`);
  return level;
};

/** @throws UserError if a name is given and no function has it */
const requireFunction = (name: string | undefined): void => {
  if (name === undefined || listedFunctions().some((one) => one.name === name)) return;
  throw new UserError(`--function ${name}: there is no such function. functions/*/functions.yml lists them.`);
};

/** Returns the filter pattern for CloudWatch, so that other lines are not transferred. */
const patternOf = (request: string | undefined): string | undefined => {
  if (request === undefined) return undefined;
  if (/^[\w=-]{8,64}$/.test(request)) return `"${request}"`;
  throw new UserError(`--request ${request} is invalid: use the x-request-id of a response.`);
};

/** Transient errors, after which following continues. */
const TRANSIENT =
  /^(Throttling|TooManyRequests|LimitExceeded|ServiceUnavailable|InternalFailure|TimeoutError)/;
const UNREACHABLE = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE)$/;
const RETRY_MS = 5 * SECOND;
/** Searching a long log takes seconds. */
const TIMEOUTS = {
  connectionTimeout: 5 * SECOND,
  requestTimeout: 30 * SECOND,
  throwOnRequestTimeout: true,
} as const;

const isTransient = (error: unknown): boolean =>
  TRANSIENT.test(errorName(error)) || UNREACHABLE.test(codeOf(error) ?? "");

const pagesOf = (
  { stage, region, name }: Stage,
  filterPattern: string | undefined,
  signal: AbortSignal,
): FetchPage => {
  const client = new CloudWatchLogsClient({ region, requestHandler: { ...TIMEOUTS } });
  const logGroupName = `/aws/lambda/${name}`;
  return async (startTime, nextToken) => {
    const input = { logGroupName, startTime, filterPattern, nextToken };
    try {
      const answer = await client.send(new FilterLogEventsCommand(input), { abortSignal: signal });
      const events = (answer.events ?? []).map(
        ({ eventId = "", timestamp = 0, logStreamName = "", message = "" }) => ({
          id: eventId,
          at: timestamp,
          stream: logStreamName,
          text: message,
        }),
      );
      return { events, next: answer.nextToken };
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      throw new UserError(
        `There is no log ${logGroupName} in ${region}, so the stage ${stage} is not deployed there. Choose another region with --region.`,
      );
    }
  };
};

/** Colours only at a terminal, and not if NO_COLOR is set. */
const paint: Paint = (colour, text) => styleText(colour, text);

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const stage = stageOf(values, "logs");
  const since = Date.now() - parseAgo(values.since);
  const minLevel = parseLevel(values.level);
  requireFunction(values.function);
  const filterPattern = patternOf(values.request);

  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  // Ends when the program that reads the output has ended, such as `head`.
  process.stdout.on("error", end);

  const failed = (error: unknown): number => {
    const fault = explainAwsError(error, "read the log", stage.region);
    if (!isTransient(error)) throw fault;
    console.error(`${messageOf(fault)} Retrying.`);
    return RETRY_MS;
  };
  const fetchPage = pagesOf(stage, filterPattern, ended.signal);
  const following = values["no-follow"] ? undefined : { signal: ended.signal, failed };
  const pages = readEvents(fetchPage, since, following);
  try {
    for await (const events of pages) {
      for (const event of events) {
        const line = parseEvent(event, stage.name);
        if (line === null || !isAtLeast(line, minLevel)) continue;
        if (values.function !== undefined && line.function !== values.function) continue;
        console.log(values.json ? formatLineJson(line) : formatLine(line, Date.now(), paint));
      }
      if (ended.signal.aborted) break;
    }
  } catch (error) {
    if (!ended.signal.aborted) throw explainAwsError(error, "read the log", stage.region);
  }
  return 0;
});
