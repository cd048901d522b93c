/** The settings that only a deployment has, read and checked for `npm run deploy` and for the template. */

/** Limits of API Gateway: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const MAX_REQUESTS = 10_000;
const MAX_BURST = 5_000;
const MAX_DOLLARS = 1_000_000;

/** Labels of 1 to 63 characters; the last one starts with a letter, so IP addresses do not match. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const CERTIFICATE = /^arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate\/[\w-]+$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** Long enough that nobody guesses it, since its hash is in the template. */
const PROXY_SECRET = /^[A-Za-z0-9]{32,128}$/;
/** lib/runtime/mailUrl.ts has what else is required. Nothing on the machine of a function receives mail. */
const MAIL_URL = /^smtps?:\/\/(?!([^@/]*@)?(localhost|127\.|\[::1\]))/;
const DOLLARS = /^\d{1,7}(?:\.\d{1,2})?$/;

/**
 * Reads the settings of a deployment.
 * @param environment the variables; empty ones count as absent
 * @param region the region of the stage
 * @param options.isLocal whether nothing is deployed, as with `npm start`
 * @returns the settings, and a problem for each invalid one, without a full stop
 */
const readDeploymentSettings = (environment, region, { isLocal = false } = {}) => {
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
    if (sum <= 0 || sum > MAX_DOLLARS) {
      faults.push(`BUDGET_USD must be a sum in US dollars from 0.01 to ${MAX_DOLLARS}, such as 20`);
    }
    if (alarmEmail === "") faults.push("BUDGET_USD needs ALARM_EMAIL, the address for the alarm");
  }
  const domain = text("DOMAIN");
  const certificateArn = text("CERTIFICATE_ARN");
  if (domain !== "" && !HOST_NAME.test(domain)) {
    faults.push(
      "DOMAIN must be a host name in lower-case letters such as api.example.org, without https:// and path",
    );
  }
  if ((domain === "") !== (certificateArn === "")) {
    faults.push("DOMAIN and CERTIFICATE_ARN must be set together");
  }
  const [isArn, itsRegion] = CERTIFICATE.exec(certificateArn) ?? [];
  if (certificateArn !== "" && isArn === undefined) {
    faults.push(
      "CERTIFICATE_ARN must be the ARN of a certificate in ACM (arn:aws:acm:REGION:ACCOUNT:certificate/ID)",
    );
  } else if (isArn !== undefined && itsRegion !== region) {
    faults.push(`CERTIFICATE_ARN is in ${itsRegion}, but must be in ${region} like the stage`);
  }
  const proxySecret = text("PROXY_SECRET");
  if (proxySecret !== "" && !PROXY_SECRET.test(proxySecret)) {
    faults.push("PROXY_SECRET must be 32 to 128 letters and digits, such as those of openssl rand -hex 32");
  }
  if (proxySecret !== "" && domain === "") faults.push("PROXY_SECRET needs DOMAIN, the name of the proxy");
  const mailUrl = text("MAIL_URL");
  const mailFrom = text("MAIL_FROM");
  // A local service stores messages as files, or sends them to a server on its machine.
  if (!isLocal && mailUrl !== "" && !MAIL_URL.test(mailUrl)) {
    faults.push("MAIL_URL of a deployment must be an address such as smtps://user:secret@host");
  }
  if ((mailUrl === "") !== (mailFrom === "")) faults.push("MAIL_URL and MAIL_FROM must be set together");
  const settings = {
    mailUrl,
    mailFrom,
    mailPerMinute: text("MAIL_PER_MINUTE"),
    publicUrl: text("PUBLIC_URL") || (domain === "" ? "" : `https://${domain}`),
    proxySecret,
    alarmEmail,
    budgetUsd,
    domain,
    certificateArn,
    requestsPerSecond: whole("REQUESTS_PER_SECOND", 100, MAX_REQUESTS),
    requestsBurst: whole("REQUESTS_BURST", 200, MAX_BURST),
  };
  return { settings, faults };
};

const MAX_DELIVER_CONCURRENCY = 5;
const MIN_DELIVER_CONCURRENCY = 2;

/**
 * Returns how many batches of the queue are processed concurrently: a tenth of the account's limit, so that players'
 * requests take precedence. Lambda accepts 2 to 1,000:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 * No concurrency is reserved: 100 must stay unreserved, and a new account has 10 in total:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 * @param limit the concurrency limit of the account; empty if unknown
 */
const deliverConcurrencyOf = (limit) =>
  limit === ""
    ? MAX_DELIVER_CONCURRENCY
    : Math.min(MAX_DELIVER_CONCURRENCY, Math.max(MIN_DELIVER_CONCURRENCY, Math.floor(limit / 10)));

module.exports = { readDeploymentSettings, deliverConcurrencyOf };
