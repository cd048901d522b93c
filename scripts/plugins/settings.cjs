/** Settings that serverless.yml takes from the environment; an empty one leaves the default to lib/runtime/env.ts. */
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
  joinCode: process.env.JOIN_CODE ?? "",
  pushAllowedHosts: process.env.PUSH_ALLOWED_HOSTS ?? "",
  vapidSubject: process.env.VAPID_SUBJECT ?? "",
  injectSqlWrites: process.env.INJECT_SQL_WRITES ?? "",
  logLevel: process.env.LOG_LEVEL ?? "",
  // `npm run deploy` asks the account for its limit.
  deliverConcurrency: deliverConcurrencyOf(process.env.ACCOUNT_CONCURRENCY ?? ""),
  allowedOrigins: origins.length > 0 ? origins : ["*"],
};

/** What stands in serverless.yml as `self:custom.settings`. */
module.exports = async ({ resolveVariable }) => {
  const isKept = !isForTests(await resolveVariable("sls:stage"));
  const deployment = readDeploymentSettings(process.env, await resolveVariable("self:provider.region"));
  if (deployment.faults.length > 0) {
    const error = new Error(`Bad setting: ${deployment.faults.join("; ")}.`);
    // The framework prints the stack, which tells nobody what to do.
    error.stack = error.message;
    throw error;
  }
  return {
    ...settings,
    ...deployment.settings,
    // The game outlives its stack, and nobody deletes it by accident.
    protectsGame: isKept,
    whenStackGoes: isKept ? "Retain" : "Delete",
  };
};
