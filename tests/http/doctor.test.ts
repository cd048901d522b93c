/** `npm run doctor`: what it finds of a deployment that is well, and of one in which each thing is wrong in turn. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { freePort } from "../../scripts/cli/ports.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { AwsError, type Cloud, type Input, type Responses, startCloud } from "../support/cloud.ts";
import { VAPID } from "../support/constants.ts";
import { copyTree } from "../support/copiedTree.ts";
import { ROOT } from "../support/endpoints.ts";
import { type Deployment, emptyDeployment, stackResponses } from "../support/fakeStack.ts";
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
  subscriptions: [
    { Protocol: "email", Endpoint: "gm@hvz.example", SubscriptionArn: "arn:aws:sns:eu-central-1:1:alarms:1" },
  ],
  certificate: { Status: "ISSUED", DomainName: "*.hvz.example" },
  swept: null as Record<string, unknown> | null,
  failing: new Set<string>(),
};
const CERTIFICATE = "arn:aws:acm:eu-central-1:123456789012:certificate/1-2";
let what: typeof WELL;
let deployment: Deployment;
let cloud: Cloud;
let more: Responses;

const queueOf = (url: string): number => {
  if (url.endsWith("dead-letters")) return what.lying.dead;
  if (url.endsWith("passed-over")) return what.lying.passed;
  return url.endsWith("missed-sweeps") ? what.lying.missed : 3;
};

const answers = (): Responses => [
  ...more,
  ...stackResponses(deployment),
  [
    "lambda GET /2016-08-19/account-settings",
    () => ({ AccountLimit: { ConcurrentExecutions: what.concurrency } }),
  ],
  ["sns ListSubscriptionsByTopic", () => ({ Subscriptions: what.subscriptions })],
  [
    "acm DescribeCertificate",
    ({ CertificateArn }: Input) => {
      if (CertificateArn !== CERTIFICATE) throw new AwsError("ResourceNotFoundException", "no certificate");
      return { Certificate: what.certificate };
    },
  ],
  [/^lambda GET .*event-source-mappings/, () => ({ EventSourceMappings: [what.source] })],
  [
    /^lambda POST .*invocations/,
    (_, { what: asked }) => {
      for (const name of what.failing) {
        if (asked.includes(`-${name}/`))
          throw new AwsError("ResourceNotFoundException", "no such function", 404);
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
  ["dynamodb GetItem", () => (what.swept === null ? {} : { Item: what.swept })],
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
  deployment = emptyDeployment();
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
      Alarms: ["AWS::SNS::Topic", "arn:aws:sns:eu-central-1:1:alarms"],
      AlarmEmail: ["AWS::SNS::Subscription", "arn:aws:sns:eu-central-1:1:alarms:1"],
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
  runScript(["scripts/commands/doctor.ts", ...args], {
    ...cloud.settings,
    VAPID_SUBJECT: "mailto:gm@hvz.example",
    ALLOWED_ORIGINS: "http://localhost:8080",
    // No game of whoever runs the tests is looked at.
    GAME_FILE: ":memory:",
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
        ...["queue", "stream", "schedule", "alarms", "sweep", "functions", "passwords"],
      ]),
    );
    const invoked = cloud.asked.filter((one) => one.what.includes("/invocations"));
    expect(invoked).toHaveLength(listedFunctions().filter(({ route }) => route === undefined).length);
    // It changes nothing.
    expect(cloud.asked.filter((one) => /Put|Update|Delete|Create/.test(one.what))).toEqual([]);
  });

  it("leaves a table into which a game is still imported, and its log entries stay", async () => {
    await findings([]);
    const folder = await mkdtemp(join(tmpdir(), "doctor-"));
    try {
      const here = { GAME_FILE: ":memory:", PORT: String(service.port) };
      const archived = { GAME_FILE: join(folder, "archived.db"), PORT: String(await freePort()) };
      const file = join(folder, "game.ndjson");
      const PASSWORD = "masters of the game";
      for (const [script, settings, input] of [
        // As the schedule has it run each minute.
        [["sweep"], here],
        [["create-admin", "--alias", "gm"], archived, PASSWORD],
        [["export", "--file", file], archived],
        [["import", "--file", file], here],
      ] as const) {
        const { code, said } = await runScript(
          [`scripts/commands/${script[0]}.ts`, ...script.slice(1)],
          settings,
          input,
        );
        expect(code, said).toBe(0);
      }
      const login = await fetch(`${service.base}/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ alias: "gm", password: PASSWORD }),
      });
      const { player_id, token } = z
        .object({ player_id: z.string(), token: z.string() })
        .parse(await login.json());
      const logs = await fetch(`${service.base}/admin/get_logs/${player_id}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const shown = await logs.text();
      for (const outcome of ["invalid_request", "bad_credentials"]) expect(shown).toContain(outcome);
    } finally {
      await rm(folder, { recursive: true });
    }
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
      "an account in which ten functions may run at once",
      () => {
        what.concurrency = 10;
      },
      /^quota: 10 functions may run at once.*players would get 503/,
    ],
    [
      "an address that has never confirmed",
      () => {
        what.subscriptions = [
          { Protocol: "email", Endpoint: "gm@hvz.example", SubscriptionArn: "PendingConfirmation" },
        ];
      },
      /^alarms: gm@hvz\.example has never confirmed/,
    ],
    [
      "an address that AWS has deleted",
      () => {
        what.subscriptions = [];
      },
      /^alarms: Nobody is written to.*48 hours/,
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
      "sweeps that are held",
      () => {
        what.swept = marshall({ at: 0, held: { since: 1, until: 32_400_000, due: 31 } });
      },
      /^sweep: Sweeps are held .* 9 hours later, and 31 zombies/,
    ],
    [
      "a table that may not be looked at",
      () => {
        more = [
          [
            "dynamodb DescribeTable",
            () => {
              throw new AwsError("AccessDeniedException", "not authorized to perform dynamodb:DescribeTable");
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
    expect(WRONG).toHaveLength(18);
  });

  it("notes what works and could be better", async () => {
    what.lying = { dead: 2, passed: 1, missed: 7 };
    // Time to live is on within the hour.
    what.life = "ENABLING";
    delete deployment.stacks.get("zombie-game-spring")?.resources?.AlarmEmail;
    const settings = {
      ...{ VAPID_SUBJECT: "mailto:gm@localhost", ALLOWED_ORIGINS: "*", AWS_DEFAULT_PROFILE: "club" },
    };
    const { code, others } = await findings(["--no-requests"], settings);
    expect(code).toBe(0);
    expect(others.map(({ state }) => state)).toEqual(others.map(() => "note"));
    const said = others.map((one) => `${one.what}: ${one.says}`).join("\n");
    expect(said).toMatch(
      /credentials: AWS_ACCESS_KEY_ID is used; AWS_DEFAULT_PROFILE is set too, and not used/,
    );
    expect(said).toMatch(/alarms: ALARM_EMAIL is not set/);
    expect(said).toMatch(/settings: VAPID_SUBJECT/);
    expect(said).toMatch(/settings: ALLOWED_ORIGINS/);
    expect(said).toMatch(/queue: DeadLetters: 2 messages/);
    expect(said).toMatch(/queue: PassedOver: 1 message:/);
    expect(said).toMatch(/queue: MissedSweeps: 7 messages/);
    expect(others).toHaveLength(7);
  });

  it("looks whether a domain can be deployed, and whether its name leads there", async () => {
    const settings = { DOMAIN: "api.hvz.example", CERTIFICATE_ARN: CERTIFICATE };
    const { all, others } = await findings(["--no-requests"], settings);
    expect(all.find((one) => one.what === "certificate")).toMatchObject({
      ...{ state: "ok", says: "It is issued for api.hvz.example, in eu-central-1." },
    });
    expect(others.map(({ state, says }) => `${state}: ${says}`)).toEqual([
      "wrong: DOMAIN is api.hvz.example, and the deployment has no domain yet.",
    ]);

    const wrong = async (certificate: object, given = settings) => {
      Object.assign(what.certificate, structuredClone(WELL.certificate), certificate);
      const found = (await findings(["--no-requests"], given)).others;
      const { state, says, mend } = found.find((one) => one.what === "certificate") ?? {};
      return `${state}: ${says} ${mend}`;
    };
    expect(await wrong({ DomainName: "*.club.example" })).toMatch(
      /^wrong: The certificate is for \*\.club\.example, and not for api\.hvz\.example.*aws acm request-certificate/,
    );
    const DomainValidationOptions = [
      { ResourceRecord: { Name: "_1.hvz.example.", Type: "CNAME", Value: "_2.acm." } },
    ];
    expect(await wrong({ Status: "PENDING_VALIDATION", DomainValidationOptions })).toMatch(
      /^wrong: The certificate of api\.hvz\.example is PENDING_VALIDATION.*_1\.hvz\.example\. CNAME _2\.acm\./,
    );
    expect(await wrong({ Status: "EXPIRED" })).toMatch(/^wrong: .* is EXPIRED.*request-certificate/);
    const other = { ...settings, CERTIFICATE_ARN: `${CERTIFICATE}-3` };
    expect(await wrong({}, other)).toMatch(/^wrong: There is no certificate/);
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

  it("says what is in the way of a deployment before there is one: credentials, settings, the deployment", async () => {
    const without = await run(["--stage", "spring"], { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect(without.code).toBe(1);
    expect(without.said).toContain("There are no AWS credentials");
    deployment = emptyDeployment();
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

describe("npm run doctor without a stage", () => {
  const LOCAL = ["Node.js", "packages", "settings", "database", "port", "game", "tools", "tools"];
  let folder = "";
  let settings: Record<string, string>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "doctor-"));
    settings = { GAME_FILE: join(folder, "game.db"), PORT: String(await freePort()) };
  });
  afterEach(() => rm(folder, { recursive: true }));

  const look = async (more: Record<string, string> = {}, root = ROOT) => {
    const script = [join(root, "scripts/commands/doctor.ts"), "--json"];
    const { code, said } = await runScript(script, { ...cloud.settings, ...settings, ...more });
    const all = said.split("\n").map((line) => Line.parse(JSON.parse(line)));
    const named = (state: string) =>
      all.filter((one) => one.state === state).map((one) => `${one.what}: ${one.says} ${one.mend ?? ""}`);
    return {
      code,
      all,
      wrong: [...named("wrong"), ...named("unknown")],
      notes: named("note"),
      ok: named("ok"),
    };
  };

  it("looks at this machine, and calls AWS optional where there are no credentials", async () => {
    const without = await look({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect(without.wrong).toEqual([]);
    expect(without.code).toBe(0);
    expect(without.all.map((one) => one.what)).toEqual([...LOCAL, "credentials"]);
    const noted = without.notes.filter((note) => !note.startsWith("tools:"));
    expect(noted).toEqual([expect.stringMatching(/^credentials: AWS is optional.*There are no AWS cred/)]);
    expect(without.ok.join("\n")).toMatch(/^game: The first npm start makes its file/m);
    expect(await readdir(folder)).toEqual([]);
    // With credentials the account is looked at too.
    what.concurrency = 10;
    const { code, all, notes } = await look();
    expect(code).toBe(0);
    expect(all.map((one) => one.what)).toEqual([...LOCAL, "credentials", "clock", "quota"]);
    // Ten functions at once are enough to try it.
    expect(notes.join("\n")).toMatch(/^quota: .*10 functions may run at once.*--quota-code L-B99A9384/m);
  });

  it("finds the service of this game at its port, and its files", async () => {
    const here = await npmStart({ GAME_FILE: settings.GAME_FILE ?? "" });
    try {
      const { code, ok, wrong } = await look({ PORT: String(here.port) });
      expect(wrong).toEqual([]);
      expect(code).toBe(0);
      const said = ok.join("\n");
      expect(said).toContain(
        `port: This game's service answers on ${here.base} (process ${here.process.pid}).`,
      );
      expect(said).toMatch(/^game: .*game.db can be read and written, and has \d/m);
      expect(said).toMatch(/^keys: .*game.db.keys.json has them/m);
    } finally {
      await here.stop();
    }
  });

  it("finds each thing that is wrong, once, and says how it is mended", async () => {
    const file = join(folder, "other.db");
    await writeFile(file, "not a database, but long enough to be one");
    await writeFile(`${file}.keys.json`, JSON.stringify(VAPID));
    const closed = join(folder, "other.db", "game.db");
    for (const [more, says] of [
      [{ PORT: String(service.port) }, [/^port: Port \d+ is in use: .*choose another/]],
      [
        { GAME_FILE: file },
        [/^game: .*is no database. Name another/, /^keys: The keys in .*remove the file/],
      ],
      [{ GAME_FILE: closed }, [/^settings: GAME_FILE=.*cannot be written/]],
      [{ PORT: "many", LOG_LEVEL: "LOUD" }, [/^settings: Bad setting: PORT .*; LOG_LEVEL/]],
      [{ DYNAMODB_ENDPOINT: "http://127.0.0.1:1" }, [/^database: DYNAMODB_ENDPOINT=.*leave the setting out/]],
    ] as const) {
      const { code, wrong } = await look(more);
      expect(code).toBe(1);
      expect(wrong).toEqual(says.map((one) => expect.stringMatching(one)));
    }
  });

  it("finds packages that are not those of package-lock.json, and misspelt settings", async () => {
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
      const { code, wrong, notes } = await look({}, copy.root);
      expect(code).toBe(1);
      expect(wrong).toEqual([
        expect.stringMatching(
          /^packages: .*: zod is \S+ and not 0.0.1, there-is-none is missing, for-this-machine is missing. npm ci$/,
        ),
      ]);
      expect(notes.join("\n")).toMatch(/^settings: FEEDING_PERIOD in .env .*FEEDING_PERIOD_SECONDS/m);
    } finally {
      await copy.remove();
    }
  });
});
