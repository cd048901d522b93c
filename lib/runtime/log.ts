/** The log: one line of JSON for each thing said, as CloudWatch and its filters read it. */

/** From the least to the gravest; the last is none's. */
export const LOG_LEVELS = ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"] as const;
type Level = (typeof LOG_LEVELS)[number];

/** What a line says beside its message; a field that is `undefined` is left out. */
type Fields = Readonly<Record<string, unknown>>;

/** As it is written to the log: JSON has no words for a fault, and none for a large number. Each fault stands there once. */
const shown = () => {
  const told = new WeakSet<Error>();
  return (_: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    if (!(value instanceof Error)) return value;
    if (told.has(value)) return `${value.name}: see above`;
    told.add(value);
    const { name, message, stack, cause } = value;
    return { ...value, name, message, stack, cause };
  };
};

/** What of these can be written down for certain. */
const plain = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value instanceof Error)
        return [[name, { name: value.name, message: value.message, stack: value.stack }]];
      return ["string", "number", "boolean"].includes(typeof value) ? [[name, value]] : [];
    }),
  );

const lineOf = (level: Level, message: string, fields: Fields): string => {
  const service = process.env.POWERTOOLS_SERVICE_NAME;
  const line = { level, message, timestamp: new Date().toISOString(), service };
  try {
    return JSON.stringify({ ...line, ...fields }, shown());
  } catch (error) {
    // Something holds itself, or cannot be read: all else is still said.
    const why = error instanceof Error ? error.message : "it cannot be read";
    return JSON.stringify({ ...line, ...plain(fields), unspeakable: why });
  }
};

const orderOf = (level: Level): number => LOG_LEVELS.indexOf(level);

// A level that does not exist is told of with all that is wrong in the settings (lib/runtime/env.ts); here it is the usual one.
const asSet = (): Level =>
  LOG_LEVELS.find((level) => level === process.env.LOG_LEVEL?.toUpperCase()) ?? "INFO";

let least: Level | undefined;

// Not by the console: Lambda writes a line of its own before what it is told.
const saying =
  (level: Level, stream: () => NodeJS.WriteStream) =>
  (message: string, fields: Fields = {}): void => {
    least ??= asSet();
    if (orderOf(level) >= orderOf(least)) stream().write(`${lineOf(level, message, fields)}\n`);
  };

/** The log of this process, by the level in the setting LOG_LEVEL; `service` is POWERTOOLS_SERVICE_NAME, as for metrics. */
export const log = {
  info: saying("INFO", () => process.stdout),
  warn: saying("WARN", () => process.stdout),
  error: saying("ERROR", () => process.stderr),
  /** Says from now on what is at least of this level. */
  setLevel: (level: Level): void => {
    least = level;
  },
};
