/** The settings of a deployment, and whose credentials it is deployed with. */
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { STSClient } from "@aws-sdk/client-sts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { chooseCredentials } from "../../scripts/cloud/credentials.ts";
import { isRateLimited } from "../../scripts/cloud/stack.ts";
import { namesOf } from "../../scripts/cloud/stage.ts";
import { loadStageSettings } from "../../scripts/cloud/stageSettings.ts";
import { deliverConcurrencyOf, readDeploymentSettings } from "../../scripts/plugins/deploymentSettings.cjs";
import { ROOT } from "../../scripts/project/root.ts";
import { useTempDir } from "../support/tempDir.ts";

const REGION = "eu-central-1";
const CERTIFICATE_ARN = `arn:aws:acm:${REGION}:123456789012:certificate/12345678-1234-1234-1234-123456789012`;
const DOMAIN = "api.hvz.example";
const ALARM_EMAIL = "gm@hvz.example";

describe("the settings of a deployment", () => {
  it("have defaults, and take the given values", () => {
    const read = (given: Record<string, string>) => readDeploymentSettings(given, REGION);
    const defaults = { requestsPerSecond: 100, requestsBurst: 200, alarmEmail: "", budgetUsd: "" };
    const mail = { mailUrl: "", mailFrom: "", mailPerMinute: "", publicUrl: "" };
    const settings = { ...defaults, ...mail, domain: "", certificateArn: "", proxySecret: "" };
    expect(read({ DOMAIN: "", BUDGET_USD: " " })).toEqual({ faults: [], settings });
    const given = { ALARM_EMAIL, BUDGET_USD: "20.50", REQUESTS_BURST: "5000", DOMAIN, CERTIFICATE_ARN };
    expect(read(given).settings).toMatchObject({
      ...{ alarmEmail: ALARM_EMAIL, budgetUsd: "20.50", requestsBurst: 5_000 },
      ...{ domain: DOMAIN, certificateArn: CERTIFICATE_ARN },
    });
  });

  const each = (name: string, values: readonly string[], rest: object, message: RegExp) =>
    values.map((value) => [{ [name]: value, ...rest }, message] as const);
  const SET = { DOMAIN, CERTIFICATE_ARN };
  const HOSTS =
    `https://api.hvz.example api.hvz.example/v1 API.hvz.example localhost 203.0.113.7 -api.hvz.example api..example
      *.hvz.example ${"a".repeat(64)}.example ${"a.".repeat(130)}example`.split(/\s+/);
  const SUMS = ["0", "-5", "20 USD", "1e3", "20,50", "20.505", "1000001", "9".repeat(40)];
  const ELSEWHERE = CERTIFICATE_ARN.replace(REGION, "us-east-1");

  it.each<readonly [Record<string, string>, RegExp]>([
    ...each("DOMAIN", HOSTS, { CERTIFICATE_ARN }, /^DOMAIN must be a host name/),
    [{ DOMAIN }, /^DOMAIN and CERTIFICATE_ARN must be set together/],
    [{ CERTIFICATE_ARN }, /^DOMAIN and CERTIFICATE_ARN must be set together/],
    [{ DOMAIN, CERTIFICATE_ARN: "mine" }, /^CERTIFICATE_ARN must be the ARN/],
    [{ DOMAIN, CERTIFICATE_ARN: ELSEWHERE }, /^CERTIFICATE_ARN is in us-east-1, but must be in eu-central-1/],
    ...each(
      "PROXY_SECRET",
      ["short", "-".repeat(40), "0".repeat(129)],
      SET,
      /^PROXY_SECRET must be 32 to 128/,
    ),
    [{ PROXY_SECRET: "0".repeat(32) }, /^PROXY_SECRET needs DOMAIN/],
    [{ MAIL_URL: "smtps://mail.example" }, /^MAIL_URL and MAIL_FROM must be set together/],
    [{ MAIL_FROM: "game@hvz.example" }, /^MAIL_URL and MAIL_FROM must be set together/],
    ...each("MAIL_URL", ["outbox:", "smtp://127.0.0.1:25"], { MAIL_FROM: "a@b.example" }, /of a deployment/),
    [{ ALARM_EMAIL: "gm" }, /^ALARM_EMAIL must be an e-mail address/],
    [{ BUDGET_USD: "20" }, /^BUDGET_USD needs ALARM_EMAIL/],
    ...each("BUDGET_USD", SUMS, { ALARM_EMAIL }, /^BUDGET_USD must be a sum in US dollars/),
    ...each("REQUESTS_PER_SECOND", ["0", "1.5", "10001", "fast"], {}, /a whole number from 1 to 10000$/),
    [{ REQUESTS_BURST: "5001" }, /^REQUESTS_BURST must be a whole number from 1 to 5000$/],
  ])("reject %j", (given, message) => {
    expect(readDeploymentSettings(given, REGION).faults).toEqual([expect.stringMatching(message)]);
  });

  it("give deliveries a part of the account's limit of concurrent functions", () => {
    const limits = ["", 0, 29, 30, 1_000] as const;
    expect(limits.map((limit) => deliverConcurrencyOf(limit))).toEqual([5, 2, 2, 3, 5]);
  });
});

describe("the settings file of a stage", () => {
  const names = { ...namesOf("test-settings"), stage: "test-settings", region: REGION };
  const stage = { ...names, label: "", options: "", credentials: { from: "", advice: null } };
  const file = join(ROOT, ".env.test-settings");
  afterEach(() => {
    rmSync(file, { force: true });
    vi.unstubAllEnvs();
  });

  it("gives the settings that the environment does not have", () => {
    for (const name of ["BUDGET_USD", "ALLOWED_ORIGINS"]) vi.stubEnv(name, undefined);
    vi.stubEnv("ALARM_EMAIL", "other@hvz.example");
    writeFileSync(file, "ALARM_EMAIL=gm@hvz.example\nBUDGET_USD=20\n");
    const settings = { file: ".env.test-settings", alarmEmail: "other@hvz.example", budgetUsd: "20" };
    expect(loadStageSettings(stage)).toMatchObject(settings);
  });

  it("must not name credentials or a region", () => {
    writeFileSync(file, "JOIN_CODE=x\nAWS_PROFILE=club\nAWS_REGION=us-east-1\n");
    expect(() => loadStageSettings(stage)).toThrow(
      /^AWS_PROFILE, AWS_REGION in \.env\.test-settings: credentials and region are not settings/,
    );
    expect(process.env.JOIN_CODE).toBeUndefined();
  });
});

const require = createRequire(import.meta.url);
const framework = require("../../node_modules/serverless/lib/aws/credentials.js");

const file = useTempDir()("credentials");
const profileOf = (name: string) =>
  `[${name}]\naws_access_key_id = ${name}\naws_secret_access_key = secret\n`;
writeFileSync(file, ["club", "mine", "usual", "default"].map(profileOf).join("\n"));
afterEach(() => void vi.unstubAllEnvs());

const DEFAULT = "the default profile or the role of this machine";

// The variables without AWS_, the one that is used, and those that are also set and ignored.
it.each([
  ["SPRING_PROFILE=club PROFILE=mine ACCESS_KEY_ID=own", "SPRING_PROFILE", "PROFILE and AWS_ACCESS_KEY"],
  ["PROFILE=mine SPRING_ACCESS_KEY_ID=springs", "SPRING_ACCESS_KEY_ID", "AWS_PROFILE is also set"],
  ["PROFILE=mine DEFAULT_PROFILE=usual", "PROFILE", "AWS_DEFAULT_PROFILE is also set"],
  ["PROFILE=mine DEFAULT_PROFILE=mine", "PROFILE", "null"],
  ["DEFAULT_PROFILE=usual ACCESS_KEY_ID=own", "ACCESS_KEY_ID", "AWS_DEFAULT_PROFILE is also set"],
  ["DEFAULT_PROFILE=usual", "DEFAULT_PROFILE", "null"],
  ["AUTUMN_PROFILE=club", null, "null"],
])(
  "credentials are the same in the commands and in the framework, given %s",
  async (variables, used, advice) => {
    const given = new Map(new URLSearchParams(variables.replaceAll(" ", "&")));
    for (const name of Object.keys(process.env)) if (/^AWS_/.test(name)) vi.stubEnv(name, undefined);
    // What chooseCredentials sets is removed after the test.
    const own = ["PROFILE", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"].map(
      (part) => [part, undefined] as const,
    );
    for (const [part, value] of [...own, ...given]) {
      vi.stubEnv(`AWS_${part}`, value);
      if (part.endsWith("_KEY_ID"))
        vi.stubEnv(`AWS_${part.replace(/ACCESS_KEY_ID$/, "SECRET_ACCESS_KEY")}`, value);
    }
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
    vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
    const chosen = chooseCredentials("spring");
    expect(chosen.from).toBe(used === null ? DEFAULT : `AWS_${used}`);
    expect(String(chosen.advice)).toContain(advice);
    const client = new STSClient({ region: REGION });
    const ours = await client.config.credentials();
    const provider = { getStage: () => "spring" };
    const theirs = await framework.getAwsSdkV3CredentialsProvider({ provider })();
    client.destroy();
    const key = used === null ? "default" : given.get(used);
    expect([ours.accessKeyId, theirs.accessKeyId]).toEqual([key, key]);
  },
);

it("a failure of CloudFormation is throttling by its status or code, not by a limit", () => {
  const throttled = [
    "Too Many Requests (Service: ApiGatewayV2; Status Code: 429; Error Code: TooManyRequestsException)",
    "Rate exceeded (Service: AWSLambdaInternal; Status Code: 400; Error Code: ThrottlingException)",
    "Limit Exceeded (Service: ApiGateway, Status Code: 429, Request ID: 1)",
  ];
  const limit = "Code storage limit exceeded. (Status Code: 400) (HandlerErrorCode: ServiceLimitExceeded)";
  expect([...throttled, limit, "zombie-game-spring already exists"].filter(isRateLimited)).toEqual(throttled);
});
