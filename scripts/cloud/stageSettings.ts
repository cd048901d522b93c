/** The settings of a deployment, from its own file and the environment, checked before a deploy. */
import { UserError } from "../cli/userError.ts";
import { applyDotEnv, readDotEnv } from "../local/dotEnv.ts";
import { checkSettings } from "../local/settings.ts";
import { type DeploymentSettings, readDeploymentSettings } from "../plugins/deploymentSettings.cjs";
import type { Stage } from "./stage.ts";

/** The settings of a deployment. */
export interface StageSettings extends DeploymentSettings {
  /** The settings file; `null` if there is none. */
  file: string | null;
  /** Warnings about unknown names, without a full stop. */
  warnings: string[];
  vapidSubject: string;
  allowedOrigins: string[];
  /** The join code of a new game; empty for none. */
  joinCode: string;
}

/** A deployment's keys are stored on AWS; functions would ignore these. */
const KEYS = ["CURSOR_KEY", "MAIL_KEY", "VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY"];

/**
 * Loads `.env.STAGE` into the environment, which takes precedence, and checks the settings. The local game's `.env`
 * is not used.
 * @throws UserError naming every invalid setting
 */
export const loadStageSettings = ({ stage, region }: Stage): StageSettings => {
  const name = `.env.${stage}`;
  const dotEnv = readDotEnv(name);
  const file = dotEnv === null ? null : name;
  if (dotEnv !== null) {
    // Commands that do not load this file would use another account or region.
    const ofAws = Object.keys(dotEnv.settings).filter((variable) => variable.startsWith("AWS_"));
    if (ofAws.length > 0) {
      throw new UserError(
        `${ofAws.join(", ")} in ${name}: credentials and region are not settings. Remove them, and set AWS_PROFILE and --region when you run the command.`,
      );
    }
    applyDotEnv(dotEnv);
  }
  const given = KEYS.filter((key) => (process.env[key] ?? "") !== "");
  if (given.length > 0) {
    throw new UserError(
      `${given.join(", ")}: the keys of a deployment are created by npm run deploy and stored in Systems Manager. Remove ${given.length === 1 ? "it" : "them"} from ${file ?? "the environment"}.`,
    );
  }
  const { settings, faults } = readDeploymentSettings(process.env, region);
  const warnings = dotEnv?.warnings ?? [];
  const checked = checkSettings({ where: `the environment or in ${name}`, warnings, more: faults });
  return { file, warnings, ...settings, ...checked };
};

/** Returns recommendations about valid settings, without full stops. */
export const settingsAdvice = (
  { warnings, vapidSubject, allowedOrigins }: StageSettings,
  { stage }: Stage,
): string[] => {
  const contact = vapidSubject.startsWith("mailto:")
    ? vapidSubject.slice(vapidSubject.lastIndexOf("@") + 1)
    : new URL(vapidSubject).hostname;
  return [
    ...warnings,
    // Apple's push service answers 403 BadJwtToken if the subject has no domain.
    ...(contact.includes(".")
      ? []
      : [
          `VAPID_SUBJECT is ${vapidSubject}: Apple's push service rejects that, so iPhones get no push messages. Set a real address in .env.${stage}, such as VAPID_SUBJECT=mailto:gm@your-club.org`,
        ]),
    ...(allowedOrigins.includes("*")
      ? [
          `ALLOWED_ORIGINS is *: any web page with a token may call the service. Set your own in .env.${stage}, such as ALLOWED_ORIGINS=https://your-club.org`,
        ]
      : []),
  ];
};
