/** Settings that serverless.yml takes from the environment; for empty ones lib/runtime/env.ts has the default. */
const { createHash } = require("node:crypto");
const { deliverConcurrencyOf, readDeploymentSettings } = require("./deploymentSettings.cjs");
const { isForTests } = require("./stages.cjs");

const list = (text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

const origins = list(process.env.ALLOWED_ORIGINS ?? "");

const settings = {
  feedingPeriodSeconds: process.env.FEEDING_PERIOD_SECONDS ?? "",
  // The code itself is in the table, where npm start and npm run deploy write it.
  joinCodeRequired: process.env.JOIN_CODE_REQUIRED || `${(process.env.JOIN_CODE ?? "") !== ""}`,
  pushAllowedHosts: process.env.PUSH_ALLOWED_HOSTS ?? "",
  vapidSubject: process.env.VAPID_SUBJECT ?? "",
  injectSqlWrites: process.env.INJECT_SQL_WRITES ?? "",
  logLevel: process.env.LOG_LEVEL ?? "",
  // Set by `npm run deploy` to the limit of the account.
  deliverConcurrency: deliverConcurrencyOf(process.env.ACCOUNT_CONCURRENCY ?? ""),
  allowedOrigins: origins.length > 0 ? origins : ["*"],
};

/** The stage's own address. */
const OWN_ADDRESS = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
  "Fn::Sub": "https://${HttpApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}",
};

/** The stage of `npm start`. */
const LOCAL = "local";

/** The value of `self:custom.settings` in serverless.yml. */
module.exports = async ({ resolveVariable }) => {
  const stage = await resolveVariable("sls:stage");
  const isKept = !isForTests(stage);
  const region = await resolveVariable("self:provider.region");
  const deployment = readDeploymentSettings(process.env, region, { isLocal: stage === LOCAL });
  if (deployment.faults.length > 0) {
    const error = new Error(`Bad setting: ${deployment.faults.join("; ")}.`);
    // The framework prints the stack, which does not help the user.
    error.stack = error.message;
    throw error;
  }
  const { mailUrl, publicUrl, ...shown } = deployment.settings;
  const { domain, budgetUsd, alarmEmail, proxySecret } = shown;
  const fileIf = (value, name) => (value === "" ? "nothing.yml" : name);
  return {
    ...settings,
    ...shown,
    budgetUsd: Number(budgetUsd),
    // The address of the mail server is a parameter: it contains a password.
    publicUrl: mailUrl === "" ? "" : publicUrl || OWN_ADDRESS,
    // The secret itself stays out of the template.
    proxySecret: proxySecret === "" ? "" : createHash("sha256").update(proxySecret).digest("base64url"),
    // The files in `resources/` of what exists only if its setting is set.
    files: {
      domain: fileIf(domain, "domain.yml"),
      // Set by `npm run deploy`.
      onlyDomain: fileIf(process.env.API_ADDRESS === "off" ? domain : "", "onlyDomain.yml"),
      budget: fileIf(budgetUsd, "budget.yml"),
      alarmEmail: fileIf(alarmEmail, "alarmEmail.yml"),
      mail: fileIf(mailUrl, "mail.yml"),
    },
    // A kept table stays when its stack is deleted, and is protected against deletion.
    protectsGame: isKept,
    whenStackGoes: isKept ? "Retain" : "Delete",
  };
};
