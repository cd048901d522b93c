/** `npm run doctor`: what it finds of a deployment that is well, and of one in which each thing is wrong in turn. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { listedFunctions } from "../../scripts/local/functions.ts";
import { type Answers, type Cloud, CloudFault, type Input, startCloud } from "../support/cloud.ts";
import { answersOf, type Deployment, noDeployment } from "../support/fakeStack.ts";
import { npmStart } from "../support/npmStart.ts";
import { runScript } from "../support/runScript.ts";

let service: Awaited<ReturnType<typeof npmStart>>;
beforeAll(async () => {
  // The functions themselves: what a deployment would answer with.
  service = await npmStart({ GAME_FILE: ":memory:" });
});
afterAll(() => service.stop());

const WELL = {
  table: {
    TableName: "zombie-game-spring",
    TableStatus: "ACTIVE",
    ItemCount: 1234,
    DeletionProtectionEnabled: true,
    StreamSpecification: { StreamEnabled: true },
    GlobalSecondaryIndexes: [{ IndexName: "gsi1", IndexStatus: "ACTIVE" }],
  },
  life: "ENABLED",
  recovery: "ENABLED",
  concurrency: 1_000,
  lying: { dead: 0, passed: 0, missed: 0 },
  source: { State: "Enabled", LastProcessingResult: "OK" },
  rule: "ENABLED",
  failing: new Set<string>(),
};
let what: typeof WELL;
let deployment: Deployment;
let cloud: Cloud;
let more: Answers;

const queueOf = (url: string): number => {
  if (url.endsWith("dead-letters")) return what.lying.dead;
  if (url.endsWith("passed-over")) return what.lying.passed;
  return url.endsWith("missed-sweeps") ? what.lying.missed : 3;
};

const answers = (): Answers => [
  ...more,
  ...answersOf(deployment),
  [
    "lambda GET /2016-08-19/account-settings",
    () => ({ AccountLimit: { ConcurrentExecutions: what.concurrency } }),
  ],
  [/^lambda GET .*event-source-mappings/, () => ({ EventSourceMappings: [what.source] })],
  [
    /^lambda POST .*invocations/,
    (_, { what: asked }) => {
      for (const name of what.failing) {
        if (asked.includes(`-${name}/`))
          throw new CloudFault("ResourceNotFoundException", "no such function", 404);
      }
      return {};
    },
  ],
  ["dynamodb DescribeTable", () => ({ Table: what.table })],
  ["dynamodb DescribeTimeToLive", () => ({ TimeToLiveDescription: { TimeToLiveStatus: what.life } })],
  [
    "dynamodb DescribeContinuousBackups",
    () => ({
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: "ENABLED",
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: what.recovery },
      },
    }),
  ],
  [
    "sqs GetQueueAttributes",
    ({ QueueUrl }: Input) => ({ Attributes: { ApproximateNumberOfMessages: String(queueOf(QueueUrl)) } }),
  ],
  [
    "events DescribeRule",
    ({ Name }: Input) => ({ Name, State: what.rule, ScheduleExpression: "rate(1 minute)" }),
  ],
];

const since = new Date(0).toISOString();
const keysOf = (value: object) => ({
  value: JSON.stringify([{ ...value, since }]),
  type: "SecureString",
  version: 1,
});

beforeEach(async () => {
  what = structuredClone(WELL);
  more = [];
  deployment = noDeployment();
  const queue = (name: string): [string, string] => ["AWS::SQS::Queue", `https://sqs.example/1/${name}`];
  deployment.stacks.set("zombie-game-spring", {
    status: "UPDATE_COMPLETE",
    url: service.base,
    resources: {
      Table: ["AWS::DynamoDB::Table", "zombie-game-spring"],
      Queue: queue("push"),
      DeadLetters: queue("dead-letters"),
      PassedOver: queue("passed-over"),
      MissedSweeps: queue("missed-sweeps"),
      SweepEventsRuleSchedule1: ["AWS::Events::Rule", "sweep-rule"],
    },
  });
  deployment.parameters.set("/zombie-game/spring/cursor-keys", keysOf({ key: "A".repeat(43) }));
  deployment.parameters.set(
    "/zombie-game/spring/vapid-keys",
    keysOf({ public_key: "A".repeat(87), private_key: "A".repeat(43) }),
  );
  cloud = await startCloud(answers);
});
afterEach(() => cloud.close());

const Line = z.object({
  state: z.string(),
  what: z.string(),
  says: z.string(),
  mend: z.optional(z.string()),
});

const run = (args: string[], settings: Record<string, string> = {}) =>
  runScript(["scripts/doctor.ts", ...args], {
    ...cloud.settings,
    VAPID_SUBJECT: "mailto:gm@hvz.example",
    ALLOWED_ORIGINS: "http://localhost:8080",
    ...settings,
  });

/** What it finds beside what is well, of the stage `spring`. */
const findings = async (args: string[] = ["--no-requests"], settings: Record<string, string> = {}) => {
  const { code, said } = await run(["--stage", "spring", "--json", ...args], settings);
  const all = said.split("\n").map((line) => Line.parse(JSON.parse(line)));
  return { code, all, others: all.filter(({ state }) => state !== "ok") };
};

describe("npm run doctor", () => {
  it("finds nothing wrong where all is well, having asked every function", async () => {
    const { code, all, others } = await findings([]);
    expect(others).toEqual([]);
    expect(code).toBe(0);
    const count = listedFunctions().length;
    const said = all.map((one) => `${one.what}: ${one.says}`).join("\n");
    expect(said).toContain(`functions: ${count} of ${count} answer as they should`);
    expect(said).toContain("passwords: They are hashed with Argon2id");
    expect(said).toContain("domain: localhost of ALLOWED_ORIGINS is there");
    expect(new Set(all.map((one) => one.what))).toEqual(
      new Set([
        ...["Node.js", "credentials", "clock", "quota", "settings", "domain", "stack", "keys", "table"],
        ...["queue", "stream", "schedule", "functions", "passwords"],
      ]),
    );
    const invoked = cloud.asked.filter((one) => one.what.includes("/invocations"));
    expect(invoked).toHaveLength(listedFunctions().filter(({ route }) => route === undefined).length);
    // It changes nothing.
    expect(cloud.asked.filter((one) => /Put|Update|Delete|Create/.test(one.what))).toEqual([]);
  });

  it("prints it for people too, and says how each thing is mended", async () => {
    what.rule = "DISABLED";
    const { code, said } = await run(["--stage", "spring", "--no-requests"]);
    expect(code).toBe(1);
    expect(said).toMatch(/^ok {4}Node\.js/m);
    expect(said).toMatch(/^WRONG schedule .*DISABLED: starvations are not recorded\.\n +-> .*enable-rule/m);
    expect(said).toMatch(/One thing is wrong\.$/);
    expect(said).not.toContain("\u001b[");
  });

  const WRONG: [string, () => void, RegExp][] = [
    [
      "a table without a stream",
      () => {
        what.table.StreamSpecification.StreamEnabled = false;
      },
      /^table: .*no stream/,
    ],
    [
      "a table that anybody may delete",
      () => {
        what.table.DeletionProtectionEnabled = false;
      },
      /^table: .*nothing keeps it/,
    ],
    [
      "an index that is not there yet",
      () => {
        what.table.GlobalSecondaryIndexes = [{ IndexName: "gsi2", IndexStatus: "CREATING" }];
      },
      /gsi2 is CREATING/,
    ],
    [
      "items that never expire",
      () => {
        what.life = "DISABLED";
      },
      /^table: .*expires/,
    ],
    [
      "no way back to an earlier hour",
      () => {
        what.recovery = "DISABLED";
      },
      /^table: .*earlier hour/,
    ],
    [
      "a schedule that is switched off",
      () => {
        what.rule = "DISABLED";
      },
      /^schedule: .*DISABLED/,
    ],
    [
      "no schedule",
      () => {
        delete deployment.stacks.get("zombie-game-spring")?.resources?.SweepEventsRuleSchedule1;
      },
      /^schedule: .*nobody starves/,
    ],
    [
      "a worker that is given nothing",
      () => {
        what.source.State = "Disabled";
      },
      /^(queue|stream): (deliver|announce) stands at Disabled/,
    ],
    [
      "a worker that fails",
      () => {
        what.source.LastProcessingResult = "PROBLEM: Function call failed";
      },
      /PROBLEM/,
    ],
    [
      "no queue",
      () => {
        delete deployment.stacks.get("zombie-game-spring")?.resources?.Queue;
      },
      /^queue: The stack has no queue Queue/,
    ],
    [
      "no keys",
      () => {
        deployment.parameters.clear();
      },
      /^keys: There is no (key of cursors|VAPID)/,
    ],
    [
      "keys that are no good",
      () => {
        deployment.parameters.set("/zombie-game/spring/cursor-keys", keysOf({ key: "short" }));
      },
      /^keys: .*does not hold what it should/,
    ],
    [
      "a stack that is stuck",
      () => {
        deployment.stacks.set("zombie-game-spring", {
          ...deployment.stacks.get("zombie-game-spring"),
          status: "UPDATE_ROLLBACK_FAILED",
        });
      },
      /^stack: .*UPDATE_ROLLBACK_FAILED/,
    ],
    [
      "a table that may not be looked at",
      () => {
        more = [
          [
            "dynamodb DescribeTable",
            () => {
              throw new CloudFault(
                "AccessDeniedException",
                "not authorized to perform dynamodb:DescribeTable",
              );
            },
          ],
        ];
      },
      /^table: .*may not look at the table.*not authorized/,
    ],
  ];

  it("finds each thing that is wrong, and nothing else", async () => {
    for (const [name, damage, says] of WRONG) {
      what = structuredClone(WELL);
      more = [];
      const kept = structuredClone(deployment);
      damage();
      const { code, others } = await findings();
      expect(code, name).toBe(1);
      expect(others.length, name).toBeGreaterThan(0);
      for (const one of others) {
        expect(one.state, name).toBe("wrong");
        expect(`${one.what}: ${one.says}`, name).toMatch(says);
      }
      deployment = kept;
    }
    expect(WRONG).toHaveLength(14);
  });

  it("notes what works and could be better", async () => {
    what.concurrency = 10;
    what.lying = { dead: 2, passed: 1, missed: 7 };
    const settings = { VAPID_SUBJECT: "mailto:gm@localhost", ALLOWED_ORIGINS: "*" };
    const { code, others } = await findings(["--no-requests"], settings);
    expect(code).toBe(0);
    expect(others.map(({ state }) => state)).toEqual(others.map(() => "note"));
    const said = others.map((one) => `${one.what}: ${one.says}`).join("\n");
    expect(said).toMatch(/quota: 10 functions may run at once/);
    expect(said).toMatch(/settings: VAPID_SUBJECT/);
    expect(said).toMatch(/settings: ALLOWED_ORIGINS/);
    expect(said).toMatch(/queue: DeadLetters: 2 messages/);
    expect(said).toMatch(/queue: PassedOver: 1 message:/);
    expect(said).toMatch(/queue: MissedSweeps: 7 messages/);
    expect(others).toHaveLength(6);
  });

  it("finds functions that do not answer, and those that the gateway answers for", async () => {
    what.failing.add("announce");
    const one = await findings([]);
    expect(one.code).toBe(1);
    expect(one.others.map(({ what: of, says, mend }) => ({ of, says, mend }))).toEqual([
      {
        of: "functions",
        says: expect.stringMatching(/^announce: AWS does not invoke announce in eu-central-1/),
        mend: "npm run logs -- --stage spring --region eu-central-1 --function announce --since 5m",
      },
    ]);
    // An address where nothing of this service is: whatever answers there has no request id of ours.
    what.failing.clear();
    const stack = deployment.stacks.get("zombie-game-spring");
    const url = cloud.settings.AWS_ENDPOINT_URL ?? "";
    deployment.stacks.set("zombie-game-spring", { ...stack, status: "UPDATE_COMPLETE", url });
    const { code, others } = await findings([]);
    expect(code).toBe(1);
    const endpoints = listedFunctions().filter(({ route }) => route !== undefined);
    const named = others.filter(({ what: of }) => of === "functions").map(({ says }) => says.split(":")[0]);
    expect(named.toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted());
    expect(others.map(({ what: of }) => of)).toContain("passwords");
  });

  it("says what is in the way before there is anything: no stage, no credentials, no deployment", async () => {
    const alone = await run([]);
    expect(alone.code, alone.said).toBe(0);
    expect(alone.said).toContain("Nothing is wrong");
    const without = await run(["--stage", "spring"], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect(without.code).toBe(1);
    expect(without.said).toContain("There are no AWS credentials");
    deployment = noDeployment();
    const { code, others } = await findings();
    expect(code).toBe(0);
    expect(others).toEqual([
      {
        state: "note",
        what: "stack",
        says: "There is no stage spring in eu-central-1, in this account.",
        mend: "Deploy it: npm run deploy -- --stage spring --region eu-central-1",
      },
    ]);
    const wrong = await run(["--stage", "spring"], { FEEDING_PERIOD_SECONDS: "soon" });
    expect(wrong.code).toBe(1);
    expect(wrong.said).toMatch(/WRONG settings .*FEEDING_PERIOD_SECONDS/);
  });
});
