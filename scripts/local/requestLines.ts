/** The functions' log lines, one JSON object each, made readable at a terminal. */
import * as z from "zod/mini";

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

/** What every line of the logger carries and nobody reads here. */
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

/** A line of the logger; `null` for any other. */
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

const field = (thing: unknown, name: string): unknown =>
  typeof thing === "object" && thing !== null ? Reflect.get(thing, name) : undefined;

/** A step of a fault's way through what is not the project's. */
const isForeignFrame = (line: string): boolean => /^\s+at .*(node_modules|node:internal)\b/.test(line);

/** A fault and what caused it, indented: without the steps of its way that are none of the project's, unless said. */
export const formatError = (error: unknown, whole = false): string[] => {
  if (error === undefined) return [];
  const told = field(error, "stack") ?? field(error, "message") ?? error;
  const text = typeof told === "string" ? told : JSON.stringify(told, null, 2);
  const cause = field(error, "cause");
  const own = text.split("\n").filter((line) => whole || !isForeignFrame(line));
  return [...own.map((line) => `          ${line.trim()}`), ...formatError(cause ?? undefined, whole)];
};

/** Monitors ask this all day long. */
export const isHealthCheck = ({ route, status }: LogLine): boolean =>
  route === "GET /health" && status === 200;

/** A metric, in the embedded format: for graphs, not for reading. */
export const isMetric = (line: string): boolean => line.startsWith('{"_aws":');

/**
 * A log line in the form `12:00:01  POST /zombie/hunt/{url_id}  200  6 ms`, followed by its fault if it has
 * one; any other line as it is; null for one that nobody wants to see.
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
