/** `npm run logs`: what the functions of a deployment write, as they write it. */
import { parseArgs, styleText } from "node:util";
import {
  CloudWatchLogsClient,
  FilterLogEventsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-cloudwatch-logs";
import { DAY, HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { messageOf, runCommand, UserError } from "../cli/userError.ts";
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

/** For so long lines are kept (resources/logs.yml). */
const KEPT_DAYS = 30;

const HELP = `Follows the log of a deployment: a line for each request, with its route, status, time, the capacity units that
it took and why it was refused; what the workers did; faults in full. No line names anybody: a player is a hash.

  npm run logs -- --stage spring [--region REGION] [--since 10m] [--level LEVEL] [--function NAME] [--request ID]
                  [--no-follow] [--json]

${STAGE_HELP}
  --since TIME     from when on: so many seconds, minutes, hours or days ago (90s, 10m, 2h, 3d), up to ${KEPT_DAYS}d; 10m unless said
  --level LEVEL    what is at least so grave: ${LEVELS.join(", ")}
  --function NAME  of one function alone, such as hunt, sweep or deliver
  --request ID     of one request alone: the x-request-id of its answer
  --no-follow      ends with the last line that is there
  --json           lines as they were written, for machines

Ctrl-C ends it. Lines come some seconds after they were written, and are kept for ${KEPT_DAYS} days.
`;

const OPTIONS = {
  ...STAGE_OPTIONS,
  since: { type: "string", default: "10m" },
  level: { type: "string" },
  function: { type: "string" },
  request: { type: "string" },
  "no-follow": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

const agoOf = (text: string): number => {
  const [, count, unit = ""] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const ago = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(ago) || ago > KEPT_DAYS * DAY) {
    throw new UserError(`--since ${text}: it must be such as 90s, 10m, 2h or 3d, and ${KEPT_DAYS}d at most.`);
  }
  return ago;
};

const levelOf = (text: string | undefined): Level => {
  const level = LEVELS.find((one) => one === (text ?? "debug").toLowerCase());
  if (level === undefined) throw new UserError(`--level ${text}: it must be ${LEVELS.join(", ")}.`);
  return level;
};

/** @throws UserError unless there is a function of this name, where one is given */
const requireFunction = (name: string | undefined): void => {
  if (name === undefined || listedFunctions().some((one) => one.name === name)) return;
  throw new UserError(
    `--function ${name}: there is none of this name. functions/*/functions.yml lists them.`,
  );
};

/** What the log is searched for: by CloudWatch, so that the rest is not sent. */
const patternOf = (request: string | undefined): string | undefined => {
  if (request === undefined) return undefined;
  if (/^[\w=-]{8,64}$/.test(request)) return `"${request}"`;
  throw new UserError(`--request ${request}: it must be the x-request-id of an answer.`);
};

/** Faults that pass: whoever follows a log waits. */
const PASSING = /^(Throttling|TooManyRequests|LimitExceeded|ServiceUnavailable|InternalFailure|TimeoutError)/;
const UNREACHED = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE)$/;
const WAIT = 5 * SECOND;
/** A search of a long log takes seconds. */
const PATIENCE = {
  connectionTimeout: 5 * SECOND,
  requestTimeout: 30 * SECOND,
  throwOnRequestTimeout: true,
} as const;

const isPassing = (error: unknown): boolean =>
  PASSING.test(errorName(error)) ||
  (error instanceof Error && "code" in error && UNREACHED.test(String(error.code)));

const pagesOf = (
  { stage, region, name }: Stage,
  filterPattern: string | undefined,
  signal: AbortSignal,
): FetchPage => {
  const client = new CloudWatchLogsClient({ region, requestHandler: { ...PATIENCE } });
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
        `There is no log ${logGroupName} in ${region}: the stage ${stage} is not deployed there. --region says where else.`,
      );
    }
  };
};

/** Only for a terminal, and not where NO_COLOR is set. */
const paint: Paint = (colour, text) => styleText(colour, text);

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const stage = stageOf(values, "logs");
  const since = Date.now() - agoOf(values.since);
  const least = levelOf(values.level);
  requireFunction(values.function);
  const filterPattern = patternOf(values.request);

  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  // Whoever reads has seen enough, such as `head`.
  process.stdout.on("error", end);

  const failed = (error: unknown): number => {
    const fault = explainAwsError(error, "read the log", stage.region);
    if (!isPassing(error)) throw fault;
    console.error(`${messageOf(fault)} It goes on by itself.`);
    return WAIT;
  };
  const ask = pagesOf(stage, filterPattern, ended.signal);
  const following = values["no-follow"] ? undefined : { signal: ended.signal, failed };
  const pages = readEvents(ask, since, following);
  try {
    for await (const events of pages) {
      for (const event of events) {
        const line = parseEvent(event, stage.name);
        if (line === null || !isAtLeast(line, least)) continue;
        if (values.function !== undefined && line.function !== values.function) continue;
        console.log(values.json ? formatLineJson(line) : formatLine(line, Date.now(), paint));
      }
      if (ended.signal.aborted) break;
    }
  } catch (error) {
    if (!ended.signal.aborted) throw explainAwsError(error, "read the log", stage.region);
  }
  return 0;
};

await runCommand(main);
