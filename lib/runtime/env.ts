/** The deployment's settings: the environment, parsed on first use. */
import * as z from "zod/mini";
import { LOG_LEVELS } from "./log.ts";

const seconds = () =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,10}$/, "must be a whole number of seconds")),
    z.pipe(
      z.transform(Number),
      // A hundred years, so that deadlines have a four-digit year.
      z
        .number()
        .check(z.minimum(1, "must be at least 1"), z.maximum(3_155_760_000, "is over a hundred years")),
    ),
  );

const flag = () =>
  z.pipe(
    z.enum(["true", "false"], { error: "must be true or false" }),
    z.transform((text) => text === "true"),
  );

/** A text of this many bytes in base64url. */
export const base64url = (bytes: number) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}$`), `must be ${bytes} bytes in base64url`),
    );

/** `host`, `*.host` or `host:port`; the groups are the wildcard, the host and the port. */
export const HOST_ENTRY = /^(\*\.)?(\[[\da-f:.]+\]|[\da-z-]+(?:\.[\da-z-]+)*)(?::(\d{1,5}))?$/i;

const isHostEntry = (entry: string): boolean => {
  const [, , host, port = "443"] = HOST_ENTRY.exec(entry) ?? [];
  return host !== undefined && URL.canParse(`https://${host}:${port}`);
};

const hosts = () =>
  z.string().check(
    z.refine((text) => text.split(",").every((entry) => entry.trim() === "" || isHostEntry(entry.trim())), {
      error: "must be entries such as host, *.host or host:port, separated by commas",
    }),
  );

/** An address without a name, quotes and further addresses. */
const MAIL_ADDRESS = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/;

const isPagesAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return ["http:", "https:"].includes(protocol) && text.replace(/\/$/, "") === origin;
};

/** A setting: its schema, which is made only if it is set, because making one takes time at each start; its value otherwise. */
interface Setting {
  schema: () => z.ZodMiniType<unknown, string>;
  absent: unknown;
}

const optional = <T>(schema: () => z.ZodMiniType<T, string>) => ({ schema, absent: undefined });
const withDefault = <T>(schema: () => z.ZodMiniType<T, string>, absent: NoInfer<T>) => ({ schema, absent });

const SETTINGS = {
  /** The name of the table. */
  TABLE_NAME: withDefault(
    () => z.string().check(z.minLength(3, "must have at least 3 characters")),
    "zombie-game-local",
  ),
  /** A DynamoDB endpoint other than the region's own: the embedded engine, or an emulator. */
  DYNAMODB_ENDPOINT: optional(() => z.url("must be a URL such as http://127.0.0.1:8000")),
  /** The queue of background work, and an endpoint for it other than the region's own. */
  QUEUE_URL: optional(() => z.url("must be the URL of a queue")),
  QUEUE_ENDPOINT: optional(() => z.url("must be a URL such as http://127.0.0.1:4566")),
  /** How long a zombie lives after one feeding. */
  FEEDING_PERIOD_SECONDS: withDefault(seconds, 48 * 60 * 60),
  /** Whether registration needs a join code while the game's settings do not say. */
  JOIN_CODE_REQUIRED: withDefault(flag, false),
  /** The SHA-256 in base64url of the secret that a proxy sends with each request; absent without a proxy. */
  PROXY_SECRET_HASH: optional(() => base64url(32)),
  /** Encrypts the cursors of lists, which contain sort keys that players must not see. */
  CURSOR_KEY: optional(() => base64url(32)),
  /** The path of the deployment's parameters, which contain the keys that are not set here. */
  PARAMETERS: optional(() =>
    z
      .string()
      .check(z.regex(/^(\/[\w.-]+)+$/, "must be the path of parameters, such as /zombie-game/spring")),
  ),
  /** Push services that may be called in addition to those of the known browsers. */
  PUSH_ALLOWED_HOSTS: withDefault(hosts, ""),
  /** The VAPID key pair, and the contact address for push services. */
  VAPID_PUBLIC_KEY: optional(() => base64url(65)),
  VAPID_PRIVATE_KEY: optional(() => base64url(32)),
  VAPID_SUBJECT: withDefault(
    () =>
      z
        .string()
        .check(z.regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, "must be a mailto: or https: address")),
    "mailto:game-master@localhost",
  ),
  /** The mail server, and the key of tokens in mails; on AWS both are parameters. The commands and its worker check the server. */
  MAIL_URL: optional(() => z.string()),
  MAIL_KEY: optional(() => base64url(32)),
  /** The sender of mails; absent if no mail is sent. */
  MAIL_FROM: optional(() =>
    z.string().check(z.regex(MAIL_ADDRESS, "must be an address such as game@example.org, without a name")),
  ),
  /** The most messages in a minute. */
  MAIL_PER_MINUTE: withDefault(
    () =>
      z.pipe(
        z.string().check(z.regex(/^[1-9]\d{0,4}$/, "must be a whole number from 1 to 99999")),
        z.transform(Number),
      ),
    60,
  ),
  /** The address of the pages, with which the links in mails begin. */
  PUBLIC_URL: optional(() =>
    z.string().check(
      z.refine(isPagesAddress, {
        error: "must be an address such as https://game.example.org, without a path",
      }),
    ),
  ),
  /** Whether `inject_sql` may write. */
  INJECT_SQL_WRITES: withDefault(flag, false),
  LOG_LEVEL: withDefault(
    () => z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(", ")}` }),
    "INFO",
  ),
} satisfies Record<string, Setting>;

type Table = typeof SETTINGS;
export type Env = {
  [K in keyof Table]: z.infer<ReturnType<Table[K]["schema"]>> | Table[K]["absent"];
};

type Source = Record<string, string | undefined>;

function valuesOf(table: Table, source: Source, issues: string[]): Env;
function valuesOf(table: Record<string, Setting>, source: Source, issues: string[]): object {
  const values = Object.entries(table).map(([name, { schema, absent }]) => {
    const given = source[name] ?? "";
    if (given === "") return [name, absent];
    const parsed = schema().safeParse(given);
    issues.push(...(parsed.error?.issues ?? []).map(({ message }) => `${name} ${message}`));
    return [name, parsed.data];
  });
  return Object.fromEntries(values);
}

/**
 * Reads settings from an environment; empty values count as absent.
 * @throws Error naming every invalid setting, and why
 */
export const parseEnv = (source: Source): Env => {
  const issues: string[] = [];
  const values = valuesOf(SETTINGS, source, issues);
  if (
    (values.VAPID_PUBLIC_KEY === undefined) !== (values.VAPID_PRIVATE_KEY === undefined) &&
    issues.length === 0
  )
    issues.push("VAPID_PUBLIC_KEY goes together with VAPID_PRIVATE_KEY: give both or neither");
  if (issues.length > 0) throw new Error(`Bad setting: ${issues.join("; ")}`);
  return values;
};

let current: Env | undefined;

/** The settings of this process. */
export const env = (): Env => {
  current ??= parseEnv(process.env);
  return current;
};

/** The environment of a child process: the paths of its libraries and compiled code, and no secret. */
export const childEnv = (): Record<string, string> => {
  const { LD_LIBRARY_PATH, NODE_COMPILE_CACHE } = process.env;
  return {
    ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
};
