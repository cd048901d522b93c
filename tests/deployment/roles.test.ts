/** Each function's own role allows exactly the requests that it sends; every documented response was returned. */
import { describe, expect, inject, it } from "vitest";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { readRecorded } from "../support/calls.ts";
import { documentedResponses } from "../support/documented.ts";
import { arnOf, type Compiled, forGame, forTests } from "./template.ts";

type Statement = Record<"Effect" | "Resource" | "Condition", unknown> & { Action: string[] };

const roleNameOf = ({ functions }: Compiled, name: string): string =>
  functions.get(name)?.Properties.Role["Fn::GetAtt"][1].replace("Outputs.", "");

const statementsOf = (compiled: Compiled, name: string): Statement[] => {
  const { Policies, ManagedPolicyArns } = compiled.role(roleNameOf(compiled, name)).Properties;
  expect([ManagedPolicyArns, Policies.length]).toEqual([undefined, 1]);
  return Policies[0].PolicyDocument.Statement;
};

const logGroups = forGame.ofType("AWS::Logs::LogGroup");
/** The log group of all functions; template.test.ts checks that each of them writes to it. */
const [LOG = ""] = logGroups.find(([, { Properties }]) => /lambda/.test(Properties.LogGroupName)) ?? [];
const index = (name: string) => ({ "Fn::Sub": `\${Table.Arn}/index/${name}` });
const PARAMETERS = `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter/zombie-game/spring`;
const parameter = (name: string) => ({ "Fn::Sub": `${PARAMETERS}/${name}` });

const RESOURCES = new Map(
  Object.entries({
    ...{ table: arnOf("Table"), gsi1: index("gsi1"), gsi2: index("gsi2"), gsi3: index("gsi3") },
    ...{ cursor_keys: parameter("cursor-keys"), vapid_keys: parameter("vapid-keys") },
    ...{ queue: arnOf("Queue"), stream: arnOf("Table", "StreamArn") },
    ...{ passed_over: arnOf("PassedOver"), missed_sweeps: arnOf("MissedSweeps") },
  }).map(([place, arn]) => [JSON.stringify(arn), place]),
);

/** What a role allows besides its log, as `resource action`. @throws Error for a resource that is not listed above */
const allowedBy = (compiled: Compiled, name: string): string[] =>
  statementsOf(compiled, name)
    .filter(({ Effect, Action }) => Effect === "Allow" && !Action[0]?.startsWith("logs:"))
    .flatMap(({ Action, Resource }) => {
      const arn = JSON.stringify(Resource).replace("/zombie-game/test-packages/", "/zombie-game/spring/");
      const place = Resource === "*" ? "*" : RESOURCES.get(arn);
      if (place === undefined) throw new Error(`${name} may access ${JSON.stringify(Resource)}`);
      return Action.map((action) => `${place} ${action.replace(/^(dynamodb|sqs|ssm):/, "")}`);
    })
    .toSorted();

/** What Lambda itself does with the role of a function. */
const USED_BY_LAMBDA: Record<string, string[]> = {
  deliver: ["queue ReceiveMessage", "queue DeleteMessage", "queue GetQueueAttributes"],
  announce: [
    ...["stream GetRecords", "stream GetShardIterator", "stream DescribeStream"],
    ...["* ListStreams", "passed_over SendMessage"],
  ],
  sweep: ["missed_sweeps SendMessage"],
};

/** Reads in the same tick are batched, so a function that reads an item needs both permissions. */
const READS = ["table GetItem", "table BatchGetItem"];

const withReads = (actions: readonly string[]): string[] =>
  READS.some((action) => actions.includes(action)) ? [...actions, ...READS] : [...actions];

const { callsOf, missing, responses } = readRecorded(inject("run"));
if (missing !== null) console.warn(`Roles are not compared with all requests of the functions: ${missing}.`);

describe.each(listedFunctions())("$name", ({ name }) => {
  it("has its own role, which only Lambda can assume and which can write to the common log", () => {
    const role = roleNameOf(forGame, name);
    const others = listedFunctions().filter((one) => one.name !== name);
    expect(others.map((one) => roleNameOf(forGame, one.name))).not.toContain(role);
    expect(forGame.role(role).Properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" },
    ]);
    const Action = ["logs:CreateLogStream", "logs:PutLogEvents"];
    expect(statementsOf(forGame, name)[0]).toMatchObject({ Action, Resource: arnOf(LOG) });
  });

  it("may send all requests that its code sends", () => {
    const allowed = allowedBy(forGame, name);
    expect(allowed).toEqual(expect.arrayContaining(withReads(allowed)));
    expect(callsOf(name).filter((action) => !allowed.includes(action))).toEqual([]);
  });

  it.skipIf(missing !== null)("may send no other requests", () => {
    const used = withReads([...callsOf(name), ...(USED_BY_LAMBDA[name] ?? [])]);
    expect(allowedBy(forGame, name).filter((action) => !used.includes(action))).toEqual([]);
  });
});

it("all behaviour and contract tests ran, if this is CI", () => {
  if (process.env.CI !== undefined) expect(missing).toBeNull();
});

describe("inject_sql", () => {
  it("may read by statements, and write only with INJECT_SQL_WRITES", () => {
    const writes = ["PartiQLDelete", "PartiQLInsert", "PartiQLUpdate"].map((action) => `table ${action}`);
    const without = allowedBy(forTests, "inject_sql");
    expect(allowedBy(forGame, "inject_sql")).toEqual([...without, ...writes].toSorted());
    expect(without.filter((action) => action.includes("PartiQL"))).toEqual(
      ["gsi1", "gsi2", "gsi3", "table"].map((place) => `${place} PartiQLSelect`),
    );
  });

  it("may neither read secrets nor scan the table or an index", () => {
    const everywhere = [...RESOURCES].filter(([, place]) => /^(table|gsi\d)$/.test(place));
    for (const compiled of [forTests, forGame]) {
      const denied = statementsOf(compiled, "inject_sql").filter(({ Effect }) => Effect === "Deny");
      for (const { Action, Resource } of denied) {
        expect(Action).toEqual(["dynamodb:PartiQL*"]);
        expect(Resource).toEqual(everywhere.map(([arn]) => JSON.parse(arn)));
      }
      expect(denied.map(({ Condition }) => Condition)).toEqual([
        { "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": ["SECRET#*"] } },
        { Bool: { "dynamodb:FullTableScan": "true" } },
      ]);
    }
  });

  it("is the only function that may run statements, and no function may scan, list or change tables", () => {
    for (const { name } of listedFunctions()) {
      const allowed = allowedBy(forGame, name).join();
      if (name !== "inject_sql") expect(allowed, name).not.toContain("PartiQL");
      expect(allowed, name).not.toMatch(/Scan|\*$|Table/);
    }
  });
});

it.skipIf(missing !== null)("every response that the API document names was returned in a test", () => {
  const unseen = [...documentedResponses()].filter(([, some]) => !some.some((one) => responses.has(one)));
  expect(unseen.map(([name]) => name)).toEqual([]);
});
