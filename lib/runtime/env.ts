/** The deployment's settings: the environment, parsed once, on first use. */
import * as z from "zod/mini";
import { LOG_LEVELS } from "./log.ts";

const seconds = z.pipe(
  z.string().check(z.regex(/^\d{1,10}$/, "must be a whole number of seconds")),
  z.pipe(
    z.transform(Number),
    // a hundred years: a deadline still has a four-digit year
    z.number().check(z.minimum(1, "must be at least 1"), z.maximum(3_155_760_000, "is over a hundred years")),
  ),
);

/** So many bytes, in base64url. */
export const base64url = (bytes: number) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^[\\w-]{${Math.ceil((bytes * 4) / 3)}}$`), `must be ${bytes} bytes in base64url`),
    );

/** `host`, `*.host` or `host:port`: whether below, the host, the port. */
export const HOST_ENTRY = /^(\*\.)?(\[[\da-f:.]+\]|[\da-z-]+(?:\.[\da-z-]+)*)(?::(\d{1,5}))?$/i;

const isHostEntry = (entry: string): boolean => {
  const [, , host, port = "443"] = HOST_ENTRY.exec(entry) ?? [];
  return host !== undefined && URL.canParse(`https://${host}:${port}`);
};

const hosts = z.string().check(
  z.refine((text) => text.split(",").every((entry) => entry.trim() === "" || isHostEntry(entry.trim())), {
    error: "must be entries such as host, *.host or host:port, separated by commas",
  }),
);

const Settings = z.object({
  /** Name of the one table. */
  TABLE_NAME: z._default(z.string().check(z.minLength(3)), "zombie-game-local"),
  /** Another DynamoDB endpoint than the region's own: the embedded engine, or an emulator. */
  DYNAMODB_ENDPOINT: z.optional(z.url("must be a URL such as http://127.0.0.1:8000")),
  /** The queue of what is to be pushed, and another endpoint for it than the region's own. */
  QUEUE_URL: z.optional(z.url("must be the URL of a queue")),
  QUEUE_ENDPOINT: z.optional(z.url("must be a URL such as http://127.0.0.1:4566")),
  /** How long a zombie lives on one meal. */
  FEEDING_PERIOD_SECONDS: z._default(seconds, 48 * 60 * 60),
  /** What a newcomer must know to register; none when empty. */
  JOIN_CODE: z._default(z.string(), ""),
  /** 32 bytes, base64url: encrypts the cursors of lists, which hold sort keys that a reader may not know. */
  CURSOR_KEY: z.optional(base64url(32)),
  /** Where the keys lie that are not given here: what the names of the deployment's parameters begin with. */
  PARAMETERS: z.optional(
    z
      .string()
      .check(z.regex(/^(\/[\w.-]+)+$/, "must be the path of parameters, such as /zombie-game/spring")),
  ),
  /** Push services that may be called beside those of the known browsers. */
  PUSH_ALLOWED_HOSTS: z._default(hosts, ""),
  /** The key pair by which push services know this deployment, and whom they may write to about it. */
  VAPID_PUBLIC_KEY: z.optional(base64url(65)),
  VAPID_PRIVATE_KEY: z.optional(base64url(32)),
  VAPID_SUBJECT: z._default(
    z
      .string()
      .check(z.regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, "must be a mailto: or https: address")),
    "mailto:game-master@localhost",
  ),
  /** Whether game masters' statements may write (inject_sql). */
  INJECT_SQL_WRITES: z._default(
    z.pipe(
      z.enum(["true", "false"], { error: "must be true or false" }),
      z.transform((text) => text === "true"),
    ),
    false,
  ),
  LOG_LEVEL: z._default(z.enum(LOG_LEVELS), "INFO"),
});

const Env = Settings.check(
  z.refine((all) => (all.VAPID_PUBLIC_KEY === undefined) === (all.VAPID_PRIVATE_KEY === undefined), {
    path: ["VAPID_PUBLIC_KEY"],
    error: "goes together with VAPID_PRIVATE_KEY: give both or neither",
  }),
);

export type Env = z.infer<typeof Env>;

/**
 * Reads settings from an environment; empty values count as absent.
 * @throws Error naming every setting that is wrong, and why.
 */
export const parseEnv = (source: Record<string, string | undefined>): Env => {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = Env.safeParse(present);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  throw new Error(`Bad setting: ${faults.join("; ")}`);
};

let current: Env | undefined;

/** The settings of this process. */
export const env = (): Env => {
  current ??= parseEnv(process.env);
  return current;
};

/** What a child process is given of the environment: where its libraries and its compiled code are, and no secret. */
export const childEnv = (): Record<string, string> => {
  const { LD_LIBRARY_PATH, NODE_COMPILE_CACHE } = process.env;
  return {
    ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
};
