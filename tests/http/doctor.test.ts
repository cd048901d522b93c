/** `npm run doctor`: a healthy deployment, deployments with one problem each, and this machine. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { freePort } from "../../scripts/cli/ports.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { VAPID } from "../support/constants.ts";
import { copyTree } from "../support/copiedTree.ts";
import { AwsError, byAction, type Responses, useFakeAws } from "../support/fakeAws.ts";
import { type Deployment, emptyDeployment, stackResponses } from "../support/fakeStack.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();
const aws = useFakeAws();
/** A local service, whose functions are also those of the fake deployment. */
let service: RunningService;
let running: { GAME_FILE: string; PORT: string };
beforeAll(async () => {
  const GAME_FILE = pathOf("running.db");
  service = await npmStart({ GAME_FILE });
  running = { GAME_FILE, PORT: String(service.port) };
}, 200_000);
afterAll(() => service.stop());

const NAME = "zombie-game-spring";
const CERTIFICATE = "arn:aws:acm:eu-central-1:123456789012:certificate/1-2";
const HEALTHY = {
  table: {
    ...{ TableName: NAME, TableStatus: "ACTIVE", ItemCount: 1234, DeletionProtectionEnabled: true },
    StreamSpecification: { StreamEnabled: true },
    GlobalSecondaryIndexes: [{ IndexName: "gsi1", IndexStatus: "ACTIVE" }],
  },
  timeToLive: "ENABLED",
  recovery: "ENABLED",
  concurrency: 1_000,
  messages: { push: 3, "dead-letters": 0, "passed-over": 0, "missed-sweeps": 0 } as Record<string, number>,
  source: { State: "Enabled", LastProcessingResult: "OK" },
  rule: "ENABLED",
  subscriptions: [
    { Protocol: "email", Endpoint: "gm@hvz.example", SubscriptionArn: "arn:aws:sns:eu-central-1:1:alarms:1" },
  ],
  certificate: { Status: "ISSUED", DomainName: "*.hvz.example" },
  sweepClock: null as Record<string, unknown> | null,
  failing: "",
};
let state: typeof HEALTHY;
let deployment: Deployment;

const responses = (): Responses => [
  ...stackResponses(deployment),
  ...byAction({
    "lambda GET /2016-08-19/account-settings": () => ({
      AccountLimit: { ConcurrentExecutions: state.concurrency },
    }),
    "sns ListSubscriptionsByTopic": () => ({ Subscriptions: state.subscriptions }),
    "acm DescribeCertificate": ({ CertificateArn }) => {
      if (CertificateArn !== CERTIFICATE) throw new AwsError("ResourceNotFoundException", "no certificate");
      return { Certificate: state.certificate };
    },
    "dynamodb DescribeTable": () => {
      if (state.failing !== "DescribeTable") return { Table: state.table };
      throw new AwsError("AccessDeniedException", "not authorized to perform dynamodb:DescribeTable");
    },
    "dynamodb DescribeTimeToLive": () => ({
      TimeToLiveDescription: { TimeToLiveStatus: state.timeToLive },
    }),
    "dynamodb DescribeContinuousBackups": () => ({
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: "ENABLED",
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: state.recovery },
      },
    }),
    "dynamodb GetItem": () => (state.sweepClock === null ? {} : { Item: state.sweepClock }),
    "sqs GetQueueAttributes": ({ QueueUrl }) => ({
      Attributes: { ApproximateNumberOfMessages: String(state.messages[QueueUrl.split("/").at(-1)]) },
    }),
    "events DescribeRule": ({ Name }) => ({
      ...{ Name, State: state.rule, ScheduleExpression: "rate(1 minute)" },
    }),
  }),
  [/^lambda GET .*event-source-mappings/, () => ({ EventSourceMappings: [state.source] })],
  [
    /^lambda POST .*invocations/,
    (_, { action }) => {
      if (state.failing === "" || !action.includes(`-${state.failing}/`)) return {};
      throw new AwsError("ResourceNotFoundException", "no such function", 404);
    },
  ],
];

const parameter = (key: object) => ({
  value: JSON.stringify([{ ...key, since: new Date(0).toISOString() }]),
  ...{ type: "SecureString", version: 1 },
});
const CURSOR_KEYS = "/zombie-game/spring/cursor-keys";

const queue = (name: string): [string, string] => ["AWS::SQS::Queue", `https://sqs.example/1/${name}`];

const setHealthy = (): void => {
  state = structuredClone(HEALTHY);
  deployment = emptyDeployment();
  deployment.stacks.set(NAME, {
    status: "UPDATE_COMPLETE",
    url: service.base,
    resources: {
      Table: ["AWS::DynamoDB::Table", NAME],
      Queue: queue("push"),
      DeadLetters: queue("dead-letters"),
      PassedOver: queue("passed-over"),
      MissedSweeps: queue("missed-sweeps"),
      SweepEventsRuleSchedule1: ["AWS::Events::Rule", "sweep-rule"],
      Alarms: ["AWS::SNS::Topic", "arn:aws:sns:eu-central-1:1:alarms"],
      AlarmEmail: ["AWS::SNS::Subscription", "arn:aws:sns:eu-central-1:1:alarms:1"],
    },
  });
  deployment.parameters.set(CURSOR_KEYS, parameter({ key: "A".repeat(43) }));
  const pair = { public_key: "A".repeat(87), private_key: "A".repeat(43) };
  deployment.parameters.set("/zombie-game/spring/vapid-keys", parameter(pair));
};
beforeEach(() => {
  setHealthy();
  aws.respond(responses);
});

const resources = () => deployment.stacks.get(NAME)?.resources ?? {};

const Finding = z.object({
  ...{ state: z.string(), what: z.string(), says: z.string() },
  mend: z.optional(z.string()),
});

const findingsIn = (output: string) => {
  const all = output.split("\n").map((line) => Finding.parse(JSON.parse(line)));
  const texts = (wanted: string) =>
    all
      .filter((one) => one.state === wanted)
      .map((one) => `${one.what}: ${one.says} ${one.mend ?? ""}`.trim());
  return { all, ok: texts("ok"), notes: texts("note"), wrong: [...texts("wrong"), ...texts("unknown")] };
};

const run = (args: readonly string[], settings: Record<string, string> = {}) =>
  runScript(["scripts/commands/doctor.ts", ...args], {
    ...aws.settings,
    VAPID_SUBJECT: "mailto:gm@hvz.example",
    ALLOWED_ORIGINS: "http://localhost:8080",
    // Not the game of the user who runs the tests.
    GAME_FILE: ":memory:",
    ...settings,
  });

const matching = (patterns: readonly RegExp[]) => patterns.map((one) => expect.stringMatching(one));

/** Checks the stage `spring`. */
const check = async (args: readonly string[] = ["--no-requests"], settings: Record<string, string> = {}) => {
  const { code, output } = await run(["--stage", "spring", "--json", ...args], settings);
  return { code, ...findingsIn(output) };
};

describe("npm run doctor --stage", () => {
  it("finds no problem in a healthy deployment, calls every function, and changes nothing", async () => {
    const { code, all, ok, notes, wrong } = await check([]);
    expect([...notes, ...wrong]).toEqual([]);
    expect(code).toBe(0);
    const count = listedFunctions().length;
    expect(ok.join("\n")).toContain(`functions: ${count} of ${count} functions respond as expected`);
    expect(ok.join("\n")).toContain("passwords: Passwords are hashed with Argon2id");
    expect(ok.join("\n")).toContain("domain: localhost in ALLOWED_ORIGINS exists");
    expect(new Set(all.map(({ what }) => what))).toEqual(
      new Set([
        ...["Node.js", "credentials", "clock", "quota", "settings", "domain", "stack", "keys", "table"],
        ...["queue", "stream", "schedule", "alarms", "sweep", "functions", "passwords"],
        "pages",
      ]),
    );
    const invoked = aws.requests.filter(({ action }) => action.includes("/invocations"));
    expect(invoked).toHaveLength(listedFunctions().filter(({ route }) => route === undefined).length);
    expect(aws.requests.filter(({ action }) => /Put|Update|Delete|Create/.test(action))).toEqual([]);
  });

  it("prints findings for people, with how to fix them", async () => {
    state.rule = "DISABLED";
    const { code, output } = await run(["--stage", "spring", "--no-requests"]);
    expect(code).toBe(1);
    expect(output).toMatch(/^ok {4}Node\.js/m);
    expect(output).toMatch(/^WRONG schedule .*DISABLED: starvations are not recorded\.\n +-> .*enable-rule/m);
    expect(output).toMatch(/One thing is wrong\.$/);
    expect(output).not.toContain("\u001b[");
  });

  /** Problems that one run finds together, each in its own findings. */
  const DAMAGES: { damage: () => void; wrong: RegExp[] }[] = [
    {
      damage: () => {
        Object.assign(state.table, { DeletionProtectionEnabled: false });
        state.table.StreamSpecification.StreamEnabled = false;
        state.table.GlobalSecondaryIndexes = [{ IndexName: "gsi2", IndexStatus: "CREATING" }];
        state.timeToLive = "DISABLED";
        state.recovery = "DISABLED";
        state.concurrency = 10;
        state.rule = "DISABLED";
        state.source.State = "Disabled";
        state.subscriptions = [
          { Protocol: "email", Endpoint: "gm@hvz.example", SubscriptionArn: "PendingConfirmation" },
        ];
        state.sweepClock = marshall({ at: 0, held: { since: 1, until: 32_400_000, due: 31 } });
        deployment.parameters.clear();
        deployment.stacks.set(NAME, {
          ...deployment.stacks.get(NAME),
          status: "UPDATE_ROLLBACK_FAILED",
        });
      },
      wrong: [
        /^quota: 10 functions may run concurrently.*players would get 503/,
        /^stack: .*UPDATE_ROLLBACK_FAILED/,
        /^keys: There is no cursor key/,
        /^keys: There is no VAPID key pair/,
        /^table: .*gsi2 is CREATING/,
        /^table: .*no stream/,
        /^table: .*do not expire/,
        /^table: .*no point-in-time recovery/,
        /^table: .*no deletion protection/,
        /^queue: deliver has an event source that is Disabled/,
        /^stream: announce has an event source that is Disabled/,
        /^schedule: .*DISABLED/,
        /^alarms: gm@hvz\.example was never confirmed/,
        /^sweep: Sweeps are held .* 9 hours later, and 31 zombies/,
      ],
    },
    {
      damage: () => {
        delete resources().SweepEventsRuleSchedule1;
        delete resources().Queue;
        state.source.LastProcessingResult = "PROBLEM: Function call failed";
        state.subscriptions = [];
        state.failing = "DescribeTable";
        deployment.parameters.set(CURSOR_KEYS, parameter({ key: "short" }));
      },
      wrong: [
        /^keys: The parameter .*cursor-keys is invalid/,
        /^table: .*may not describe the table.*not authorized/,
        /^queue: The stack has no queue Queue/,
        /^queue: .*PROBLEM/,
        /^stream: .*PROBLEM/,
        /^schedule: The stack has no schedule/,
        /^alarms: No e-mail is sent.*48 hours/,
      ],
    },
  ];

  it.each(DAMAGES)("finds all problems, and nothing else", async ({ damage, wrong }) => {
    damage();
    const found = await check();
    expect(found.code).toBe(1);
    expect(found.wrong).toEqual(matching(wrong));
    expect(found.notes).toEqual([]);
  });

  it("notes what works but could be better", async () => {
    Object.assign(state.messages, { "dead-letters": 2, "passed-over": 1, "missed-sweeps": 7 });
    // Enabling time to live takes up to an hour.
    state.timeToLive = "ENABLING";
    delete resources().AlarmEmail;
    const settings = {
      VAPID_SUBJECT: "mailto:gm@localhost",
      ALLOWED_ORIGINS: "*",
      AWS_DEFAULT_PROFILE: "club",
    };
    const { code, wrong, notes } = await check(["--no-requests"], settings);
    expect(code).toBe(0);
    expect(wrong).toEqual([]);
    expect(notes).toEqual(
      matching([
        /^settings: VAPID_SUBJECT/,
        /^settings: ALLOWED_ORIGINS/,
        /^credentials: AWS_ACCESS_KEY_ID is used; AWS_DEFAULT_PROFILE is also set and ignored/,
        /^queue: DeadLetters: 2 messages/,
        /^queue: PassedOver: 1 message /,
        /^queue: MissedSweeps: 7 messages/,
        /^alarms: ALARM_EMAIL is not set/,
      ]),
    );
  });

  it("checks the certificate of a domain, and whether it is deployed", async () => {
    const settings = { DOMAIN: "api.hvz.example", CERTIFICATE_ARN: CERTIFICATE };
    const { ok, wrong } = await check(["--no-requests"], settings);
    expect(ok).toContain("certificate: The certificate is issued for api.hvz.example, in eu-central-1.");
    expect(wrong).toEqual([
      expect.stringMatching(/^domain: DOMAIN is api\.hvz\.example, but .* no domain yet\./),
    ]);

    const ResourceRecord = { Name: "_1.hvz.example.", Type: "CNAME", Value: "_2.acm." };
    const pending = { Status: "PENDING_VALIDATION", DomainValidationOptions: [{ ResourceRecord }] };
    const foreign = /is for \*\.club\.example, not for api\.hvz\.example.*aws acm request-certificate/;
    for (const [certificate, arn, message] of [
      [{ DomainName: "*.club.example" }, CERTIFICATE, foreign],
      [pending, CERTIFICATE, /is PENDING_VALIDATION.*_1\.hvz\.example\. CNAME _2\.acm\./],
      [{ Status: "EXPIRED" }, CERTIFICATE, /is EXPIRED.*request-certificate/],
      [{}, `${CERTIFICATE}-3`, /There is no certificate/],
    ] as const) {
      state.certificate = { ...HEALTHY.certificate, ...certificate };
      const found = await check(["--no-requests"], { ...settings, CERTIFICATE_ARN: arn });
      expect(found.wrong).toContainEqual(expect.stringMatching(message));
    }
  });

  it("finds functions that fail, and those that the gateway responds for", async () => {
    state.failing = "announce";
    const one = await check([]);
    expect(one.code).toBe(1);
    const inTheLog = "npm run logs -- --stage spring --region eu-central-1 --function announce --since 5m";
    expect(one.wrong).toEqual([
      expect.stringMatching(
        `^functions: announce: AWS did not invoke announce in eu-central-1.* ${inTheLog}$`,
      ),
    ]);
    // At this URL there is no function, so the responses have no request id of the service.
    state.failing = "";
    const url = aws.settings.AWS_ENDPOINT_URL ?? "";
    deployment.stacks.set(NAME, { ...deployment.stacks.get(NAME), status: "UPDATE_COMPLETE", url });
    const { code, all } = await check([]);
    expect(code).toBe(1);
    const wrong = all.filter((found) => found.state === "wrong");
    const named = wrong.filter(({ what }) => what === "functions").map(({ says }) => says.split(":")[0]);
    const endpoints = listedFunctions().filter(({ route }) => route !== undefined);
    expect(named.toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted());
    expect(wrong.map(({ what }) => what)).toContain("passwords");
    expect(wrong.find(({ what }) => what === "pages")?.says).toMatch(
      /\/: the status is 403; .*content-security-policy/,
    );
  });

  it("finds what is missing for a first deploy: credentials, settings, the deployment", async () => {
    const without = await check([], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect(without.wrong).toEqual([expect.stringContaining("There are no AWS credentials")]);
    deployment = emptyDeployment();
    const { code, notes, wrong } = await check();
    const deployFirst =
      /^stack: There is no stage spring in eu-central-1 .*npm run deploy -- --stage spring --region/;
    expect({ code, notes, wrong }).toEqual({ code: 0, notes: matching([deployFirst]), wrong: [] });
    const invalid = await check([], { FEEDING_PERIOD_SECONDS: "soon" });
    expect(invalid.code).toBe(1);
    expect(invalid.wrong).toEqual([expect.stringMatching(/^settings: .*FEEDING_PERIOD_SECONDS/)]);
  });
});

describe("npm run doctor", () => {
  const LOCAL = ["Node.js", "packages", "settings", "database", "port", "game", "tools", "tools"];

  const checkLocal = async (settings: Record<string, string>, root = ROOT) => {
    const script = [join(root, "scripts/commands/doctor.ts"), "--json"];
    const port = { PORT: String(await freePort()) };
    const { code, output } = await runScript(script, { ...aws.settings, ...port, ...settings });
    return { code, ...findingsIn(output) };
  };

  it("checks this machine, and treats AWS as optional", async () => {
    const GAME_FILE = pathOf("new.db");
    const without = await checkLocal({ GAME_FILE, AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect(without.wrong).toEqual([]);
    expect(without.code).toBe(0);
    expect(without.all.map(({ what }) => what)).toEqual([...LOCAL, "credentials"]);
    expect(without.notes.filter((note) => !note.startsWith("tools:"))).toEqual([
      expect.stringMatching(/^credentials: AWS is optional.*There are no AWS cred/),
    ]);
    expect(without.ok).toContainEqual(expect.stringMatching(/^game: The first npm start creates its file/));
    expect(await readdir(pathOf("."))).not.toContain("new.db");
    // A low limit is enough to try the service.
    state.concurrency = 10;
    const { code, all, notes } = await checkLocal({ GAME_FILE });
    expect(code).toBe(0);
    expect(all.map(({ what }) => what)).toEqual([...LOCAL, "credentials", "clock", "quota"]);
    expect(notes).toContainEqual(
      expect.stringMatching(/^quota: .*10 functions may run concurrently.*--quota-code L-B99A9384/),
    );
  });

  it("finds the running service of the game, and its files", async () => {
    const { code, ok, wrong } = await checkLocal(running);
    expect(wrong).toEqual([]);
    expect(code).toBe(0);
    expect(ok).toEqual(
      expect.arrayContaining([
        `port: The service of this game is running on ${service.base} (process ${service.process.pid}).`,
        expect.stringMatching(/^game: .*running.db is readable and writable, and its size is \d/),
        expect.stringMatching(/^keys: .*running.db.keys.json contains the keys/),
      ]),
    );
  });

  it("finds each local problem once, and says how to fix it", async () => {
    const file = pathOf("other.db");
    await writeFile(file, "not a database, but long enough to be one");
    await writeFile(`${file}.keys.json`, JSON.stringify(VAPID));
    const GAME_FILE = pathOf("absent.db");
    for (const [settings, messages] of [
      [
        { GAME_FILE: file, PORT: String(service.port) },
        [
          /^port: Port \d+ is in use\. .*choose another/,
          /^game: .*is not a database\. Name another/,
          /^keys: The keys in .*Remove the file/,
        ],
      ],
      [{ GAME_FILE: join(file, "game.db") }, [/^settings: GAME_FILE=.*cannot be written/]],
      [{ GAME_FILE, PORT: "many", LOG_LEVEL: "LOUD" }, [/^settings: Bad setting: PORT .*; LOG_LEVEL/]],
      [
        { GAME_FILE, DYNAMODB_ENDPOINT: "http://127.0.0.1:1" },
        [/^database: DYNAMODB_ENDPOINT=.*remove the setting/],
      ],
    ] as const) {
      const { code, wrong } = await checkLocal(settings);
      expect(code).toBe(1);
      expect(wrong).toEqual(matching(messages));
    }
  });

  it("finds packages that do not match package-lock.json, and misspelt settings", async () => {
    const copy = await copyTree();
    try {
      const lock = join(copy.root, "package-lock.json");
      const { packages, ...rest } = JSON.parse(await readFile(lock, "utf8"));
      packages["node_modules/zod"].version = "0.0.1";
      packages["node_modules/there-is-none"] = { version: "1.0.0" };
      const optional = { version: "1.0.0", optional: true, cpu: process.arch };
      packages["node_modules/for-this-machine"] = { ...optional, os: [process.platform] };
      packages["node_modules/for-another"] = { ...optional, os: "plan9" };
      await writeFile(lock, JSON.stringify({ ...rest, packages }));
      await writeFile(join(copy.root, ".env"), "FEEDING_PERIOD=60\n");
      const { code, wrong, notes } = await checkLocal({ GAME_FILE: pathOf("copy.db") }, copy.root);
      expect(code).toBe(1);
      expect(wrong).toEqual([
        expect.stringMatching(
          /^packages: .*: zod is \S+ instead of 0.0.1, there-is-none is missing, for-this-machine is missing. npm ci$/,
        ),
      ]);
      expect(notes).toContainEqual(
        expect.stringMatching(/^settings: FEEDING_PERIOD in .env .*FEEDING_PERIOD_SECONDS/),
      );
    } finally {
      await copy.remove();
    }
  });
});
