/** Formats the log lines of a deployment for a terminal. */
import {
  formatError,
  isHealthCheck,
  isMetric,
  type LogLine,
  parseLine,
  STANDARD_FIELDS,
} from "../local/requestLines.ts";
import type { LogEvent } from "./events.ts";

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

/** Lambda's own lines about successful invocations. */
const LAMBDA_LINES = /^(START|END|REPORT|INIT_START|INIT_REPORT|EXTENSION|XRAY)\b/;

/** A log line and its function. */
export interface Line {
  at: number;
  /** The name in functions.yml. */
  function: string;
  level: Level;
  text: string;
  /** Null for text that Lambda writes, such as the report of a timeout. */
  parsed: LogLine | null;
}

const levelOf = (parsed: LogLine | null): Level => {
  // Text that the logger did not write is Lambda's report of a crash.
  if (parsed === null) return "error";
  // A response with 500 or more is an error for the client.
  if ((parsed.status ?? 0) >= 500) return "error";
  const level = parsed.level.toLowerCase();
  return LEVELS.find((one) => one === level) ?? "error";
};

/**
 * Parses an event; `null` for lines that are not shown.
 * @param name the deployment's name, the prefix of its function names
 */
export const parseEvent = ({ at, stream, text }: LogEvent, name: string): Line | null => {
  const content = text.trimEnd();
  if (content === "" || isMetric(content) || LAMBDA_LINES.test(content)) return null;
  const parsed = parseLine(content);
  if (parsed !== null && isHealthCheck(parsed)) return null;
  // YYYY/MM/DD/<function>[<version>]<environment>
  const [, fullName = ""] = /^\d+\/\d+\/\d+\/([^[]*)\[/.exec(stream) ?? [];
  const prefix = `${name}-`;
  const own = fullName.startsWith(prefix) ? fullName.slice(prefix.length) : fullName;
  return { at, function: own, level: levelOf(parsed), text: content, parsed };
};

/** Whether a line has at least this level. */
export const isAtLeast = ({ level }: Line, minimum: Level): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(minimum);

/** Colours a text, or returns it unchanged. */
export type Paint = (colour: "red" | "yellow" | "dim", text: string) => string;

const twoDigits = (part: number): string => String(part).padStart(2, "0");

/** The local time, with the date if it is not today. */
const timeOf = (at: number, now: number): string => {
  const [date, today] = [new Date(at), new Date(now)];
  const time = date.toTimeString().slice(0, 8);
  if (date.toDateString() === today.toDateString()) return time;
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${time}`;
};

const colourOf = ({ level, parsed }: Line): "red" | "yellow" | null => {
  const status = parsed?.status ?? 0;
  if (level === "error" || status >= 500) return "red";
  return level === "warn" || status >= 400 ? "yellow" : null;
};

/**
 * Formats a line as `12:00:01 POST /zombie/hunt/{url_id} 404 6 ms cold 4.5 read, 20 written unknown_tag_code …`,
 * followed by its error.
 */
export const formatLine = (line: Line, now: number, paint: Paint): string => {
  const { at, level, text, parsed } = line;
  const colour = colourOf(line);
  const painted = (content: string): string => (colour === null ? content : paint(colour, content));
  const time = paint("dim", timeOf(at, now));
  if (parsed === null) return `${time}  ${painted(`${level.toUpperCase()}  ${line.function}  ${text}`)}`;
  const { route, name, status, duration_ms: duration, code, error, message, request_id: id } = parsed;
  const what = route ?? name;
  const { cold_start: isCold, read_units: read, write_units: written, player } = parsed;
  const isRefused = status !== undefined && status >= 400;
  const isPlain = what !== undefined && level === "info";
  const rest = Object.entries(parsed).filter(([field]) => !STANDARD_FIELDS.has(field));
  const parts = [
    ...(isPlain ? [] : [level.toUpperCase(), message]),
    what ?? line.function,
    ...(status === undefined ? [] : [String(status)]),
    ...(duration === undefined ? [] : [`${Math.round(duration)} ms`]),
    ...(isCold === true ? ["cold"] : []),
    ...(read === undefined && written === undefined ? [] : [`${read ?? 0} read, ${written ?? 0} written`]),
    ...(code === undefined || code === null ? [] : [code]),
    ...(player === undefined ? [] : [`player ${player}`]),
    ...rest.map(([field, value]) => `${field}=${JSON.stringify(value)}`),
    // The id helps to find the other lines of a request that failed.
    ...(isRefused || !isPlain ? [`request ${id}`] : []),
  ];
  return [`${time}  ${painted(parts.join("  "))}`, ...formatError(error, true)].join("\n");
};

/** Formats a line as JSON with its function. */
export const formatLineJson = ({ at, function: functionName, level, text, parsed }: Line): string =>
  JSON.stringify(
    parsed === null
      ? {
          timestamp: new Date(at).toISOString(),
          level: level.toUpperCase(),
          function: functionName,
          message: text,
        }
      : { ...parsed, function: functionName },
  );
