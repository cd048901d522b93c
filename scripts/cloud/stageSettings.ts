/** The settings of a deployment: those of its own file, and of the environment, checked before anything is deployed. */

import { UserError } from "../cli/userError.ts";
import { applyDotEnv, readDotEnv } from "../local/dotEnv.ts";
import { checkSettings } from "../local/settings.ts";
import { type DeploymentSettings, readDeploymentSettings } from "../plugins/deploymentSettings.cjs";
import type { Stage } from "./stage.ts";

/** What a deployment is set to. */
export interface StageSettings extends DeploymentSettings {
  /** The file that they come from beside the environment; `null` where there is none. */
  file: string | null;
  /** What is to be said of its names: a sentence each, without the full stop. */
  warnings: string[];
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
export const loadStageSettings = ({ stage, region }: Stage): StageSettings => {
  const name = `.env.${stage}`;
  const dotEnv = readDotEnv(name);
  const file = dotEnv === null ? null : name;
  if (dotEnv !== null) {
    // Commands that read no settings would go to another account, or another region.
    const ofAws = Object.keys(dotEnv.settings).filter((variable) => variable.startsWith("AWS_"));
    if (ofAws.length > 0) {
      throw new UserError(
        `${ofAws.join(", ")} in ${name}: credentials and region are no settings. Take them out, and set AWS_PROFILE and --region where you run the command.`,
      );
    }
    applyDotEnv(dotEnv);
  }
  const given = KEYS.filter((key) => (process.env[key] ?? "") !== "");
  if (given.length > 0) {
    throw new UserError(
      `${given.join(", ")}: a deployment's keys are made by npm run deploy and lie in Systems Manager; take ${given.length === 1 ? "it" : "them"} out of ${file ?? "the environment"}.`,
    );
  }
  const { settings, faults } = readDeploymentSettings(process.env, region);
  const checked = checkSettings(`the environment or in ${name}`, faults);
  return { file, warnings: dotEnv?.warnings ?? [], ...settings, ...checked };
};

/** What the settings of a deployment leave to be wished for, in a sentence each. */
export const settingsAdvice = (
  { warnings, vapidSubject, allowedOrigins }: StageSettings,
  { stage }: Stage,
): string[] => {
  const contact = vapidSubject.startsWith("mailto:")
    ? vapidSubject.slice(vapidSubject.lastIndexOf("@") + 1)
    : new URL(vapidSubject).hostname;
  return [
    ...warnings,
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
