/** The settings of a local service, from the environment and `.env`, checked before anything starts. */
import { resolve } from "node:path";
import * as z from "zod/mini";
import { JoinCodeText } from "../../lib/http/textFields.ts";
import { type Env, parseEnv } from "../../lib/runtime/env.ts";
import { OUTBOX, parseMailUrl } from "../../lib/runtime/mailUrl.ts";
import { BROWSER_BLOCKED_PORTS } from "../cli/ports.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { applyDotEnv, readDotEnv } from "./dotEnv.ts";

// zod/mini has no messages without a locale.
z.config(z.locales.en());

/** The local stage in `serverless.yml`. */
export const STAGE = "local";
/** The region of the local tables. It must exist, and engines keep separate tables for each region. */
export const REGION = "eu-central-1";

const isOrigin = (text: string): boolean =>
  text === "*" || (URL.canParse(text) && new URL(text).origin === text);

const splitList = (text: string): string[] => text.split(",").map((entry) => entry.trim());

/** A setting that is a whole number, or absent. */
const wholeNumber = (minimum: number, message: string) =>
  z.optional(
    z.string().check(z.refine((text) => /^\d{1,6}$/.test(text) && Number(text) >= minimum, message)),
  );

const Settings = z.object({
  PORT: z._default(
    z.pipe(
      z.string().check(z.regex(/^\d{1,5}$/, "must be a port from 1 to 65535")),
      z.pipe(
        z.transform(Number),
        z.number().check(
          z.minimum(1, "must be at least 1"),
          z.maximum(65_535, "must be at most 65535"),
          z.refine(
            (port) => !BROWSER_BLOCKED_PORTS.includes(port),
            "is a port that no browser opens; choose another one, such as 3000",
          ),
        ),
      ),
    ),
    3000,
  ),
  GAME_FILE: z._default(
    z.string().check(
      z.regex(/^[^~$]/, {
        error:
          "must be a path as it is, because no shell replaces ~ and $ here (./~ is a folder of that name)",
      }),
    ),
    ".local/game.db",
  ),
  ALLOWED_ORIGINS: z._default(
    z.string().check(
      z.refine((text) => splitList(text).every(isOrigin), {
        error: "must be * or origins such as https://example.org, separated by commas",
      }),
    ),
    "*",
  ),
  /** The join code of a new game; empty for none. */
  JOIN_CODE: z._default(JoinCodeText, ""),
  MAIL_URL: z.optional(
    z.string().check(
      z.refine((text) => parseMailUrl(text) !== null, {
        error: "must be an address such as smtps://user:secret@host, or outbox:",
      }),
    ),
  ),
  LOG_FORMAT: z._default(z.enum(["lines", "json"], { error: "must be lines or json" }), "lines"),
  // Only checked here: scripts/local/lambdaLimits.ts reads them in the process of the functions.
  LAMBDA_CONCURRENCY: wholeNumber(1, "must be a whole number from 1"),
  COLD_START_MS: wholeNumber(0, "must be a whole number of milliseconds"),
});

/** Where the tables of a local service are stored. */
type Place = { kind: "file"; file: string } | { kind: "memory" } | { kind: "endpoint"; endpoint: string };

/** So many that nobody waits: only servers limit how many mails they accept. */
const OUTBOX_PER_MINUTE = "6000";
const LOCAL_SENDER = "game@localhost";

export interface FunctionSettings {
  readonly TABLE_NAME: string;
  readonly AWS_REGION: string;
  readonly FEEDING_PERIOD_SECONDS: string;
  /** `true` with a join code, which is in the table instead. */
  readonly JOIN_CODE_REQUIRED: string;
  readonly CURSOR_KEY: string;
  readonly MAIL_KEY: string;
  readonly MAIL_URL: string;
  readonly MAIL_FROM: string;
  readonly MAIL_PER_MINUTE: string;
  readonly PUBLIC_URL: string;
  readonly INJECT_SQL_WRITES: string;
  readonly LOG_LEVEL: string;
  readonly ALLOWED_ORIGINS: string;
  readonly PUSH_ALLOWED_HOSTS: string;
  readonly VAPID_PUBLIC_KEY: string;
  readonly VAPID_PRIVATE_KEY: string;
  readonly VAPID_SUBJECT: string;
}

export interface LocalSettings {
  readonly port: number;
  readonly place: Place;
  readonly logFormat: "lines" | "json";
  /** The join code of a new game; empty for none. */
  readonly joinCode: string;
  /** Assignments to write before another command so that it uses the same service, unless they are in `.env`. */
  readonly prefix: string;
  /** Warnings about `.env`, without a full stop. */
  readonly warnings: readonly string[];
  /** The settings of the functions as given; missing keys are empty. */
  readonly given: FunctionSettings;
}

/** Settings that differ between local services. */
const IDENTIFYING = ["PORT", "GAME_FILE", "DYNAMODB_ENDPOINT"];

const prefixOf = (environment: NodeJS.ProcessEnv): string =>
  IDENTIFYING.flatMap((name) => {
    const value = environment[name] ?? "";
    if (value === "") return [];
    return [`${name}=${/^[\w./:-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`} `];
  }).join("");

const parsedEnv = (source: Record<string, string | undefined>): Env | string => {
  try {
    return parseEnv(source);
  } catch (error) {
    return messageOf(error).replace("Bad setting: ", "");
  }
};

const placeOf = (endpoint: string | undefined, file: string): Place => {
  if (endpoint !== undefined) return { kind: "endpoint", endpoint };
  return file === ":memory:" ? { kind: "memory" } : { kind: "file", file: resolve(ROOT, file) };
};

/** The source of settings, for the messages about them. */
interface SettingsSource {
  /** The place in which the user can change them. */
  where: string;
  /** Warnings about their file, without a full stop. */
  warnings: readonly string[];
  /** Problems of settings that other code has checked. */
  more?: readonly string[];
}

/** @throws UserError naming every invalid setting, why, and where to fix it, with the warnings */
const parsedSettings = ({ where, warnings, more = [] }: SettingsSource) => {
  const present = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  const parsed = Settings.safeParse(present);
  const env = parsedEnv(present);
  const faults = [
    ...(parsed.error?.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`) ?? []),
    ...(typeof env === "string" ? [env] : []),
    ...more,
  ];
  if (!parsed.success || typeof env === "string" || faults.length > 0) {
    const message = `Bad setting: ${faults.join("; ")}. Fix it in ${where}.`;
    throw new UserError([message, ...warnings.map((warning) => `Warning: ${warning}.`)].join("\n"));
  }
  return { own: parsed.data, env };
};

/**
 * Checks the settings of a deployment in the environment.
 * @throws UserError naming every invalid setting and why
 */
export const checkSettings = (
  source: SettingsSource,
): { vapidSubject: string; allowedOrigins: string[]; joinCode: string } => {
  const { own, env } = parsedSettings(source);
  const allowedOrigins = splitList(own.ALLOWED_ORIGINS);
  return { vapidSubject: env.VAPID_SUBJECT, allowedOrigins, joinCode: own.JOIN_CODE };
};

/**
 * Reads the settings from the environment, then from `.env`; empty values count as absent.
 * @throws UserError naming every invalid setting and why
 */
export const readSettings = (): LocalSettings => {
  const prefix = prefixOf(process.env);
  const dotEnv = readDotEnv(".env");
  if (dotEnv !== null) applyDotEnv(dotEnv);
  const warnings = dotEnv?.warnings ?? [];
  const { own, env } = parsedSettings({ where: "the environment or in .env", warnings });
  return {
    port: own.PORT,
    place: placeOf(env.DYNAMODB_ENDPOINT, own.GAME_FILE),
    logFormat: own.LOG_FORMAT,
    joinCode: own.JOIN_CODE,
    prefix,
    warnings,
    given: {
      TABLE_NAME: env.TABLE_NAME,
      AWS_REGION: REGION,
      FEEDING_PERIOD_SECONDS: `${env.FEEDING_PERIOD_SECONDS}`,
      JOIN_CODE_REQUIRED: `${own.JOIN_CODE !== ""}`,
      CURSOR_KEY: env.CURSOR_KEY ?? "",
      MAIL_KEY: env.MAIL_KEY ?? "",
      // Mails are stored as files by default; the folder is added when the game's file is known.
      MAIL_URL: env.MAIL_URL ?? OUTBOX,
      MAIL_FROM: env.MAIL_FROM ?? LOCAL_SENDER,
      MAIL_PER_MINUTE: env.MAIL_URL === undefined ? OUTBOX_PER_MINUTE : `${env.MAIL_PER_MINUTE}`,
      PUBLIC_URL: env.PUBLIC_URL ?? `http://127.0.0.1:${own.PORT}`,
      INJECT_SQL_WRITES: `${env.INJECT_SQL_WRITES}`,
      LOG_LEVEL: env.LOG_LEVEL,
      ALLOWED_ORIGINS: own.ALLOWED_ORIGINS,
      PUSH_ALLOWED_HOSTS: env.PUSH_ALLOWED_HOSTS,
      VAPID_PUBLIC_KEY: env.VAPID_PUBLIC_KEY ?? "",
      VAPID_PRIVATE_KEY: env.VAPID_PRIVATE_KEY ?? "",
      VAPID_SUBJECT: env.VAPID_SUBJECT,
    },
  };
};
