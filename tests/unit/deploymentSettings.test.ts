/** What a deployment is set to, and whose credentials it is deployed with. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STSClient } from "@aws-sdk/client-sts";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { chooseCredentials } from "../../scripts/cloud/credentials.ts";
import { isRateLimited } from "../../scripts/cloud/stack.ts";
import { namesOf } from "../../scripts/cloud/stage.ts";
import { loadStageSettings } from "../../scripts/cloud/stageSettings.ts";
import { deliverConcurrencyOf, readDeploymentSettings } from "../../scripts/plugins/deploymentSettings.cjs";
import { ROOT } from "../../scripts/project/root.ts";

const REGION = "eu-central-1";
const CERTIFICATE = `arn:aws:acm:${REGION}:123456789012:certificate/12345678-1234-1234-1234-123456789012`;

describe("the settings of a deployment", () => {
  it("have defaults for a club, and take what is given", () => {
    expect(readDeploymentSettings({ DOMAIN: "", BUDGET_USD: " " }, REGION)).toEqual({
      faults: [],
      settings: {
        ...{ alarmEmail: "", budgetUsd: "", domain: "", certificateArn: "" },
        ...{ requestsPerSecond: 100, requestsBurst: 200 },
      },
    });
    const given = {
      ...{ ALARM_EMAIL: "gm@hvz.example", BUDGET_USD: "20.50", DOMAIN: "api.hvz.example" },
      ...{ CERTIFICATE_ARN: CERTIFICATE, REQUESTS_PER_SECOND: "10000", REQUESTS_BURST: "5000" },
    };
    expect(readDeploymentSettings(given, REGION)).toEqual({
      faults: [],
      settings: {
        ...{ alarmEmail: "gm@hvz.example", budgetUsd: "20.50", domain: "api.hvz.example" },
        ...{ certificateArn: CERTIFICATE, requestsPerSecond: 10_000, requestsBurst: 5_000 },
      },
    });
  });

  it.each([
    ["https://api.hvz.example"],
    ["api.hvz.example/v1"],
    ["API.hvz.example"],
    ["localhost"],
    ["203.0.113.7"],
    ["-api.hvz.example"],
    ["api..example"],
    ["*.hvz.example"],
    ["api_1.hvz.example"],
    [`${"a".repeat(64)}.example`],
    [`${"a.".repeat(130)}example`],
  ])("refuse the domain %s", (DOMAIN) => {
    const { faults } = readDeploymentSettings({ DOMAIN, CERTIFICATE_ARN: CERTIFICATE }, REGION);
    expect(faults).toEqual([expect.stringMatching(/^DOMAIN must be a host name/)]);
  });

  it.each([
    [{ DOMAIN: "api.hvz.example" }, /^DOMAIN and CERTIFICATE_ARN must be set together/],
    [{ CERTIFICATE_ARN: CERTIFICATE }, /^DOMAIN and CERTIFICATE_ARN must be set together/],
    [{ DOMAIN: "api.hvz.example", CERTIFICATE_ARN: "mine" }, /^CERTIFICATE_ARN must be the ARN/],
    [
      { DOMAIN: "api.hvz.example", CERTIFICATE_ARN: CERTIFICATE.replace(REGION, "us-east-1") },
      /^CERTIFICATE_ARN is in us-east-1, but must be in eu-central-1/,
    ],
    [{ ALARM_EMAIL: "gm" }, /^ALARM_EMAIL must be an e-mail address/],
    [{ BUDGET_USD: "20" }, /^BUDGET_USD needs ALARM_EMAIL/],
    ...["0", "-5", "20 USD", "1e3", "20,50", "20.505", "1000001", "9".repeat(40)].map(
      (BUDGET_USD): [Record<string, string>, RegExp] => [
        { BUDGET_USD, ALARM_EMAIL: "gm@hvz.example" },
        /^BUDGET_USD must be a sum in US dollars/,
      ],
    ),
    ...["0", "-1", "1.5", "10001", "fast"].map((REQUESTS_PER_SECOND): [Record<string, string>, RegExp] => [
      { REQUESTS_PER_SECOND },
      /^REQUESTS_PER_SECOND must be a whole number from 1 to 10000$/,
    ]),
    [{ REQUESTS_BURST: "5001" }, /^REQUESTS_BURST must be a whole number from 1 to 5000$/],
  ])("refuse %j", (given: Record<string, string>, why) => {
    expect(readDeploymentSettings(given, REGION).faults).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    ["", 5],
    [0, 2],
    [10, 2],
    [29, 2],
    [30, 3],
    [50, 5],
    [1_000, 5],
  ] as const)("leave players most of an account of %s functions at once", (limit, most) => {
    expect(deliverConcurrencyOf(limit)).toBe(most);
  });
});

describe("the file of a stage's settings", () => {
  const STAGE = {
    ...namesOf("test-settings"),
    stage: "test-settings",
    region: REGION,
    label: "",
    options: "",
  };
  const stage = { ...STAGE, credentials: { from: "", advice: null } };
  const file = join(ROOT, ".env.test-settings");
  afterEach(() => {
    rmSync(file, { force: true });
    vi.unstubAllEnvs();
  });

  it("gives what the environment does not", () => {
    for (const name of ["BUDGET_USD", "ALLOWED_ORIGINS"]) vi.stubEnv(name, undefined);
    vi.stubEnv("ALARM_EMAIL", "other@hvz.example");
    writeFileSync(file, "ALARM_EMAIL=gm@hvz.example\nBUDGET_USD=20\n");
    expect(loadStageSettings(stage)).toMatchObject({
      ...{ file: ".env.test-settings", alarmEmail: "other@hvz.example", budgetUsd: "20" },
    });
  });

  it("names no credentials and no region, which commands without settings would not take", () => {
    writeFileSync(file, "JOIN_CODE=x\nAWS_PROFILE=club\nAWS_REGION=us-east-1\n");
    expect(() => loadStageSettings(stage)).toThrow(
      /^AWS_PROFILE, AWS_REGION in \.env\.test-settings: credentials and region are not settings/,
    );
    expect(process.env.JOIN_CODE).toBeUndefined();
  });
});

/** As much of the framework as resolves credentials. */
interface Framework {
  getAwsSdkV3CredentialsProvider: (options: {
    provider: { getStage: () => string };
  }) => () => Promise<{ accessKeyId: string }>;
}
const framework: Framework = createRequire(import.meta.url)(
  "../../node_modules/serverless/lib/aws/credentials.js",
);

describe("the credentials of a stage", () => {
  const folder = mkdtempSync(join(tmpdir(), "credentials-"));
  const file = join(folder, "credentials");
  const profiles = ["club", "mine", "usual", "default"];
  writeFileSync(
    file,
    profiles
      .map((name) => `[${name}]\naws_access_key_id = ${name}\naws_secret_access_key = secret\n`)
      .join("\n"),
  );
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const keys = (start: string) => ({
    [`${start}_ACCESS_KEY_ID`]: start,
    [`${start}_SECRET_ACCESS_KEY`]: "secret",
  });

  it.each([
    [
      { AWS_SPRING_PROFILE: "club", AWS_PROFILE: "mine", ...keys("AWS") },
      { key: "club", from: "AWS_SPRING_PROFILE", advice: /AWS_PROFILE and AWS_ACCESS_KEY_ID are also set/ },
    ],
    [
      { ...keys("AWS_SPRING"), AWS_PROFILE: "mine" },
      { key: "AWS_SPRING", from: "AWS_SPRING_ACCESS_KEY_ID", advice: /AWS_PROFILE is also set and ignored/ },
    ],
    [
      { AWS_PROFILE: "mine", AWS_DEFAULT_PROFILE: "usual" },
      { key: "mine", from: "AWS_PROFILE", advice: /AWS_DEFAULT_PROFILE is also set/ },
    ],
    [
      { AWS_PROFILE: "mine", AWS_DEFAULT_PROFILE: "mine" },
      { key: "mine", from: "AWS_PROFILE", advice: null },
    ],
    [
      { ...keys("AWS"), AWS_DEFAULT_PROFILE: "usual" },
      { key: "AWS", from: "AWS_ACCESS_KEY_ID", advice: /AWS_DEFAULT_PROFILE is also set/ },
    ],
    [{ AWS_DEFAULT_PROFILE: "usual" }, { key: "usual", from: "AWS_DEFAULT_PROFILE", advice: null }],
    [
      { AWS_AUTUMN_PROFILE: "club" },
      { key: "default", from: "the default profile or the role of this machine", advice: null },
    ],
  ])("are the same for the checks and for the framework, given %j", async (given, expected) => {
    for (const name of Object.keys(process.env)) {
      if (/^AWS_/.test(name)) vi.stubEnv(name, undefined);
    }
    const all: Record<string, string> = {
      AWS_SHARED_CREDENTIALS_FILE: file,
      AWS_CONFIG_FILE: "/dev/null",
      ...given,
    };
    for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
    // What is set in addition goes with the test.
    for (const part of ["PROFILE", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"]) {
      vi.stubEnv(`AWS_${part}`, process.env[`AWS_${part}`]);
    }
    const { from, advice } = chooseCredentials("spring");
    expect(from).toBe(expected.from);
    if (expected.advice === null) expect(advice).toBeNull();
    else expect(advice).toMatch(expected.advice);
    const client = new STSClient({ region: REGION });
    const ours = await client.config.credentials();
    const theirs = await framework.getAwsSdkV3CredentialsProvider({
      provider: { getStage: () => "spring" },
    })();
    client.destroy();
    expect(ours.accessKeyId).toBe(expected.key);
    expect(theirs.accessKeyId).toBe(expected.key);
  });
});

describe("a failure of CloudFormation", () => {
  it.each([
    "Too Many Requests (Service: ApiGatewayV2; Status Code: 429; Error Code: TooManyRequestsException; Request ID: 1)",
    'Resource handler returned message: "Rate exceeded (Service: Lambda, Status Code: 429)" (HandlerErrorCode: Throttling)',
    "Rate exceeded (Service: AWSLambdaInternal; Status Code: 400; Error Code: ThrottlingException)",
    "Limit Exceeded (Service: ApiGateway, Status Code: 429, Request ID: 1)",
  ])("means too much at once: %s", (reason) => {
    expect(isRateLimited(`HttpApiRoutePostNew: ${reason}`)).toBe(true);
  });

  it.each([
    "The runtime parameter of nodejs99.x is not supported",
    "Code storage limit exceeded. (Service: Lambda, Status Code: 400) (HandlerErrorCode: ServiceLimitExceeded)",
    "zombie-game-spring already exists",
    "User: arn:aws:iam::1:user/x is not authorized to perform: lambda:CreateFunction",
  ])("means something else: %s", (reason) => {
    expect(isRateLimited(`DeliverLambdaFunction: ${reason}`)).toBe(false);
  });
});
