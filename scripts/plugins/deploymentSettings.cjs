/** The settings that only a deployment has: read and checked in one place, for `npm run deploy` and for the template. */

/** What API Gateway takes for a stage: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const MOST_REQUESTS = 10_000;
const MOST_BURST = 5_000;
const MOST_DOLLARS = 1_000_000;

/** Labels of 1 to 63 characters; the last one has a letter first, so that no IP address passes. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const CERTIFICATE = /^arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate\/[\w-]+$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const DOLLARS = /^\d{1,7}(?:\.\d{1,2})?$/;

/**
 * Reads the settings of a deployment.
 * @param environment the variables; an empty one counts as absent
 * @param region where the stage is deployed
 * @returns the settings, and a fault for each one that is wrong, without a full stop
 */
const readDeploymentSettings = (environment, region) => {
  const faults = [];
  const text = (name) => (environment[name] ?? "").trim();
  const whole = (name, usual, most) => {
    const given = text(name);
    const count = given === "" ? usual : /^\d{1,6}$/.test(given) ? Number(given) : 0;
    if (count < 1 || count > most) faults.push(`${name} must be a whole number from 1 to ${most}`);
    return count;
  };
  const alarmEmail = text("ALARM_EMAIL");
  if (alarmEmail !== "" && !EMAIL.test(alarmEmail)) {
    faults.push("ALARM_EMAIL must be an e-mail address such as game-master@example.org");
  }
  const budgetUsd = text("BUDGET_USD");
  if (budgetUsd !== "") {
    const sum = DOLLARS.test(budgetUsd) ? Number(budgetUsd) : 0;
    if (sum <= 0 || sum > MOST_DOLLARS) {
      faults.push(`BUDGET_USD must be a sum in US dollars from 0.01 to ${MOST_DOLLARS}, such as 20`);
    }
    if (alarmEmail === "") faults.push("BUDGET_USD needs ALARM_EMAIL, the address that the alarm goes to");
  }
  const domain = text("DOMAIN");
  const certificateArn = text("CERTIFICATE_ARN");
  if (domain !== "" && !HOST_NAME.test(domain)) {
    faults.push(
      "DOMAIN must be a host name in small letters such as api.example.org, without https:// and path",
    );
  }
  if ((domain === "") !== (certificateArn === "")) {
    faults.push("DOMAIN goes together with CERTIFICATE_ARN: give both or neither");
  }
  const [isArn, itsRegion] = CERTIFICATE.exec(certificateArn) ?? [];
  if (certificateArn !== "" && isArn === undefined) {
    faults.push(
      "CERTIFICATE_ARN must be the ARN of a certificate in ACM (arn:aws:acm:REGION:ACCOUNT:certificate/ID)",
    );
  } else if (isArn !== undefined && itsRegion !== region) {
    faults.push(
      `CERTIFICATE_ARN is in ${itsRegion}: the certificate must be in ${region}, where the stage is`,
    );
  }
  const settings = {
    alarmEmail,
    budgetUsd,
    domain,
    certificateArn,
    requestsPerSecond: whole("REQUESTS_PER_SECOND", 100, MOST_REQUESTS),
    requestsBurst: whole("REQUESTS_BURST", 200, MOST_BURST),
  };
  return { settings, faults };
};

const MOST_DELIVERING = 5;
const LEAST_DELIVERING = 2;

/**
 * How many batches of the queue may be worked on at once: a tenth of what may run at once in the account, so that
 * players' requests come first. Lambda takes from 2 to 1,000:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 * Nothing is reserved for a function: 100 must stay unreserved, and a new account has 10 in all:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 * @param limit how many functions may run at once in the account; empty when nobody has asked
 */
const deliverConcurrencyOf = (limit) =>
  limit === ""
    ? MOST_DELIVERING
    : Math.min(MOST_DELIVERING, Math.max(LEAST_DELIVERING, Math.floor(limit / 10)));

module.exports = { readDeploymentSettings, deliverConcurrencyOf };
