/** Settings that serverless.yml takes from the environment; an empty one leaves the default to lib/env.ts. */
const { isForTests } = require("./stages.cjs");

const list = (text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

const origins = list(process.env.ALLOWED_ORIGINS ?? "");

const alarmEmail = (process.env.ALARM_EMAIL ?? "").trim();
if (alarmEmail !== "" && !/^[^\s@]+@[^\s@]+$/.test(alarmEmail)) {
  throw new Error(`ALARM_EMAIL ${alarmEmail}: it must be an address such as game-master@example.org.`);
}

const settings = {
  feedingPeriodSeconds: process.env.FEEDING_PERIOD_SECONDS ?? "",
  joinCode: process.env.JOIN_CODE ?? "",
  pushAllowedHosts: process.env.PUSH_ALLOWED_HOSTS ?? "",
  vapidSubject: process.env.VAPID_SUBJECT ?? "",
  injectSqlWrites: process.env.INJECT_SQL_WRITES ?? "",
  logLevel: process.env.LOG_LEVEL ?? "",
  alarmEmail,
  allowedOrigins: origins.length > 0 ? origins : ["*"],
};

/** What stands in serverless.yml as `self:custom.settings`. */
module.exports = async ({ resolveVariable }) => {
  const isKept = !isForTests(await resolveVariable("sls:stage"));
  return {
    ...settings,
    // The game outlives its stack, and nobody deletes it by accident.
    protectsGame: isKept,
    whenStackGoes: isKept ? "Retain" : "Delete",
  };
};
