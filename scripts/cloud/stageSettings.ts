/** The settings of a deployment: those of its own file, and of the environment, checked before anything is deployed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../local/root.ts";
import { checkSettings } from "../local/settings.ts";
import { messageOf, UserError } from "../local/userError.ts";
import type { Stage } from "./stage.ts";

/** What a deployment is set to. */
export interface StageSettings {
  /** The file that they come from beside the environment; `null` where there is none. */
  file: string | null;
  vapidSubject: string;
  allowedOrigins: string[];
}

/** Keys of a deployment lie with AWS: given here, they would be in no function. */
const KEYS = ["CURSOR_KEY", "VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY"];

/**
 * Reads `.env.STAGE` into the environment of this process, which comes first, and checks what comes of it. The `.env` of
 * the local game has no part in it.
 * @throws UserError naming every setting that is wrong
 */
export const loadStageSettings = ({ stage }: Stage): StageSettings => {
  const name = `.env.${stage}`;
  const path = join(ROOT, name);
  const file = existsSync(path) ? name : null;
  if (file !== null) {
    try {
      process.loadEnvFile(path);
    } catch (error) {
      throw new UserError(`The file ${name} cannot be read: ${messageOf(error)}`);
    }
  }
  const given = KEYS.filter((key) => (process.env[key] ?? "") !== "");
  if (given.length > 0) {
    throw new UserError(
      `${given.join(", ")}: a deployment's keys are made by npm run deploy and lie in Systems Manager; take ${given.length === 1 ? "it" : "them"} out of ${file ?? "the environment"}.`,
    );
  }
  const { vapidSubject, allowedOrigins } = checkSettings(`the environment or in ${name}`);
  return { file, vapidSubject, allowedOrigins };
};

/** What the settings of a deployment leave to be wished for, in a sentence each. */
export const adviceOn = ({ vapidSubject, allowedOrigins }: StageSettings, { stage }: Stage): string[] => {
  const contact = vapidSubject.startsWith("mailto:")
    ? vapidSubject.slice(vapidSubject.lastIndexOf("@") + 1)
    : new URL(vapidSubject).hostname;
  return [
    // Apple's push service answers 403 BadJwtToken to a subject that names no domain.
    ...(contact.includes(".")
      ? []
      : [
          `VAPID_SUBJECT is ${vapidSubject}: Apple's push service refuses that, and iPhones hear nothing. Set a real address in .env.${stage}, such as VAPID_SUBJECT=mailto:gm@your-club.org`,
        ]),
    ...(allowedOrigins.includes("*")
      ? [
          `ALLOWED_ORIGINS is *: any web page may call the service with a token that it was given. Name your own in .env.${stage}, such as ALLOWED_ORIGINS=https://your-club.org`,
        ]
      : []),
  ];
};
