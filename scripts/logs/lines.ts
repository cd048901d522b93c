/** Lines of a deployment's log for whoever reads them at a terminal. */
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

/** What Lambda itself writes of each invocation that ended as it should. */
const OF_LAMBDA = /^(START|END|REPORT|INIT_START|INIT_REPORT|EXTENSION|XRAY)\b/;

/** A line as it was written, and by which function. */
export interface Line {
  at: number;
  /** As in functions.yml. */
  function: string;
  level: Level;
  text: string;
  /** Of what the logger wrote; what Lambda writes of a function that was cut off is text. */
  parsed: LogLine | null;
}

const levelOf = (parsed: LogLine | null): Level => {
  // What is no line of the logger is Lambda's word on a function that died.
  if (parsed === null) return "error";
  // Whoever was answered so sees a fault, whatever the service takes it for.
  if ((parsed.status ?? 0) >= 500) return "error";
  const level = parsed.level.toLowerCase();
  return LEVELS.find((one) => one === level) ?? "error";
};

/**
 * What an event says; `null` for what nobody reads.
 * @param name the deployment's, with which the names of its functions begin
 */
export const parseEvent = ({ at, stream, text }: LogEvent, name: string): Line | null => {
  const said = text.trimEnd();
  if (said === "" || isMetric(said) || OF_LAMBDA.test(said)) return null;
  const parsed = parseLine(said);
  if (parsed !== null && isHealthCheck(parsed)) return null;
  // YYYY/MM/DD/<function>[<version>]<environment>
  const [, by = ""] = /^\d+\/\d+\/\d+\/([^[]*)\[/.exec(stream) ?? [];
  const prefix = `${name}-`;
  const own = by.startsWith(prefix) ? by.slice(prefix.length) : by;
  return { at, function: own, level: levelOf(parsed), text: said, parsed };
};

/** Whether a line is at least as grave. */
export const isAtLeast = ({ level }: Line, least: Level): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(least);

/** How a text is coloured; not at all where nobody sees it. */
export type Paint = (colour: "red" | "yellow" | "dim", text: string) => string;

const two = (part: number): string => String(part).padStart(2, "0");

/** The time in the reader's own zone, with its day where that is another than today. */
const timeOf = (at: number, now: number): string => {
  const [date, today] = [new Date(at), new Date(now)];
  const time = date.toTimeString().slice(0, 8);
  if (date.toDateString() === today.toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
};

const colourOf = ({ level, parsed }: Line): "red" | "yellow" | null => {
  const status = parsed?.status ?? 0;
  if (level === "error" || status >= 500) return "red";
  return level === "warn" || status >= 400 ? "yellow" : null;
};

/** `12:00:01  POST /zombie/hunt/{url_id}  404  6 ms  cold  4.5 read, 20 written  unknown_tag_code  …`, a fault under it. */
export const formatLine = (line: Line, now: number, paint: Paint): string => {
  const { at, level, text, parsed } = line;
  const colour = colourOf(line);
  const painted = (said: string): string => (colour === null ? said : paint(colour, said));
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
    // By it the rest of a request is found; what went well is looked for by nobody.
    ...(isRefused || !isPlain ? [`request ${id}`] : []),
  ];
  return [`${time}  ${painted(parts.join("  "))}`, ...formatError(error, true)].join("\n");
};

/** A line for machines: what was written, when, and by which function. */
export const formatLineJson = ({ at, function: by, level, text, parsed }: Line): string =>
  JSON.stringify(
    parsed === null
      ? { timestamp: new Date(at).toISOString(), level: level.toUpperCase(), function: by, message: text }
      : { ...parsed, function: by },
  );
