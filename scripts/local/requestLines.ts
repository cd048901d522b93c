/** Formats the functions' JSON log lines for a terminal. */
import * as z from "zod/mini";
import { property } from "../../lib/runtime/objects.ts";

const LogLine = z.looseObject({
  level: z.string(),
  message: z.string(),
  timestamp: z.optional(z.string()),
  route: z.optional(z.string()),
  name: z.optional(z.string()),
  status: z.optional(z.number()),
  duration_ms: z.optional(z.number()),
  code: z.optional(z.nullable(z.string())),
  error: z.optional(z.unknown()),
});
export type LogLine = z.infer<typeof LogLine>;

/** Fields that have their own place in a formatted line, or are left out. */
export const STANDARD_FIELDS = new Set([
  ...[
    "level",
    "message",
    "timestamp",
    "route",
    "name",
    "status",
    "duration_ms",
    "code",
    "error",
    "request_id",
    ...["player", "read_units", "write_units"],
  ],
  ...["service", "cold_start"],
]);

/** Parses a line of the logger; `null` for any other line. */
export const parseLine = (line: string): LogLine | null => {
  if (!line.startsWith("{")) return null;
  try {
    return LogLine.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
};

const clock = (timestamp: string | undefined): string => {
  const at = timestamp === undefined ? new Date() : new Date(timestamp);
  return (Number.isNaN(at.getTime()) ? new Date() : at).toTimeString().slice(0, 8);
};

/** A stack frame outside the project. */
const isForeignFrame = (line: string): boolean => /^\s+at .*(node_modules|node:internal)\b/.test(line);

/** Formats an error and its causes, indented. Frames outside the project are left out unless `whole` is set. */
export const formatError = (error: unknown, whole = false): string[] => {
  if (error === undefined) return [];
  const details = property(error, "stack") ?? property(error, "message") ?? error;
  const text = typeof details === "string" ? details : JSON.stringify(details, null, 2);
  const cause = property(error, "cause");
  const own = text.split("\n").filter((line) => whole || !isForeignFrame(line));
  return [...own.map((line) => `          ${line.trim()}`), ...formatError(cause ?? undefined, whole)];
};

/** Health checks are too frequent to show. */
export const isHealthCheck = ({ route, status }: LogLine): boolean =>
  route === "GET /health" && status === 200;

/** A metric in the embedded metric format. */
export const isMetric = (line: string): boolean => line.startsWith('{"_aws":');

/**
 * Formats a log line as `12:00:01 POST /zombie/hunt/{url_id} 200 6 ms`, followed by its error. Other lines are
 * returned unchanged; null means that the line is not shown.
 */
export const formatLogLine = (line: string): string | null => {
  if (isMetric(line)) return null;
  const log = parseLine(line);
  if (log === null) return isForeignFrame(line) ? null : line;
  if (isHealthCheck(log)) return null;
  const { level, message, timestamp, route, name, status, duration_ms: duration, code, error } = log;
  const what = route ?? name;
  const isPlain = what !== undefined && level === "INFO";
  const rest = Object.entries(log).filter(([name]) => !STANDARD_FIELDS.has(name));
  const parts = [
    clock(timestamp),
    ...(isPlain ? [] : [level, message]),
    ...(what === undefined ? [] : [what]),
    ...(status === undefined ? [] : [`${status}`]),
    ...(duration === undefined ? [] : [`${Math.round(duration)} ms`]),
    ...(code === undefined || code === null ? [] : [code]),
    ...rest.map(([key, value]) => `${key}=${JSON.stringify(value)}`),
  ];
  return [parts.join("  "), ...formatError(error)].join("\n");
};
