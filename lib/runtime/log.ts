/** The log: one line of JSON per message, as CloudWatch filters expect it. */

/** In ascending severity; nothing is logged as SILENT. */
export const LOG_LEVELS = ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"] as const;
type Level = (typeof LOG_LEVELS)[number];

/** The fields of a line in addition to its message; `undefined` fields are left out. */
type Fields = Readonly<Record<string, unknown>>;

/** A JSON replacer for errors and bigints. Each error is written once. */
const jsonReplacer = () => {
  const seen = new WeakSet<Error>();
  return (_: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    if (!(value instanceof Error)) return value;
    if (seen.has(value)) return `${value.name}: see above`;
    seen.add(value);
    const { name, message, stack, cause } = value;
    return { ...value, name, message, stack, cause };
  };
};

/** The fields that can always be serialized. */
const safeFields = (fields: Fields): Fields =>
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
    return JSON.stringify({ ...line, ...fields }, jsonReplacer());
  } catch (error) {
    // A field is circular, or a getter throws: the others are still logged.
    const why = error instanceof Error ? error.message : "a field cannot be read";
    return JSON.stringify({ ...line, ...safeFields(fields), unserializable: why });
  }
};

const orderOf = (level: Level): number => LOG_LEVELS.indexOf(level);

// An unknown level is reported with the other invalid settings (lib/runtime/env.ts).
const configuredLevel = (): Level =>
  LOG_LEVELS.find((level) => level === process.env.LOG_LEVEL?.toUpperCase()) ?? "INFO";

let minLevel: Level | undefined;

// Not with `console`: Lambda adds a prefix to its lines.
const writer =
  (level: Level, stream: () => NodeJS.WriteStream) =>
  (message: string, fields: Fields = {}): void => {
    minLevel ??= configuredLevel();
    if (orderOf(level) >= orderOf(minLevel)) stream().write(`${lineOf(level, message, fields)}\n`);
  };

/** The log of this process. LOG_LEVEL sets the level; `service` is POWERTOOLS_SERVICE_NAME, as for metrics. */
export const log = {
  info: writer("INFO", () => process.stdout),
  warn: writer("WARN", () => process.stdout),
  error: writer("ERROR", () => process.stderr),
  /** Sets the minimum level. */
  setLevel: (level: Level): void => {
    minLevel = level;
  },
};
