/** A role for each function, which allows what its code asks for: no more and no less. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { CALLS, RecordedCalls, RUN, Run } from "../support/calls.ts";
import { ROOT } from "../support/endpoints.ts";
import { type Compiled, readTemplate } from "./template.ts";

const packages = inject("packages");
const forTests = readTemplate(packages.forTests, "test-packages");
const kept = readTemplate(packages.kept, "spring");

interface Statement {
  Effect: "Allow" | "Deny";
  Action: string[];
  Resource: unknown;
  Condition?: unknown;
}

const roleNameOf = ({ functions }: Compiled, name: string): string =>
  functions.get(name)?.Properties.Role["Fn::GetAtt"][0];

const statementsOf = (compiled: Compiled, name: string): Statement[] => {
  const { Policies, ManagedPolicyArns = [] } = compiled.resource(roleNameOf(compiled, name)).Properties;
  expect(ManagedPolicyArns).toEqual([]);
  return Policies.flatMap(({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => {
    return PolicyDocument.Statement;
  });
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
const ACCOUNT = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}";
const parameter = (name: string) => ({
  "Fn::Sub": `${ACCOUNT}:parameter/zombie-game/spring/${name}`,
});

const PLACES = new Map(
  Object.entries({
    table: { "Fn::GetAtt": ["Table", "Arn"] },
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's own
    gsi1: { "Fn::Sub": "${Table.Arn}/index/gsi1" },
    gsi2: { "Fn::Sub": "${Table.Arn}/index/gsi2" },
    gsi3: { "Fn::Sub": "${Table.Arn}/index/gsi3" },
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's own
    cursor_keys: parameter("cursor-keys"),
    vapid_keys: parameter("vapid-keys"),
    queue: { "Fn::GetAtt": ["Queue", "Arn"] },
    stream: { "Fn::GetAtt": ["Table", "StreamArn"] },
    passed_over: { "Fn::GetAtt": ["PassedOver", "Arn"] },
    missed_sweeps: { "Fn::GetAtt": ["MissedSweeps", "Arn"] },
  }).map(([place, arn]) => [JSON.stringify(arn), place]),
);

/** What a role allows beside its own log, as `place action`. @throws where a resource is none of those above */
const allowedBy = (compiled: Compiled, name: string): string[] =>
  statementsOf(compiled, name)
    .filter(({ Effect, Action }) => Effect === "Allow" && !Action[0]?.startsWith("logs:"))
    .flatMap(({ Action, Resource }) => {
      const resource = JSON.stringify(Resource).replace(
        "/zombie-game/test-packages/",
        "/zombie-game/spring/",
      );
      const place = Resource === "*" ? "*" : PLACES.get(resource);
      if (place === undefined) throw new Error(`${name} may reach ${JSON.stringify(Resource)}`);
      return Action.map((action) => `${place} ${action.replace(/^(dynamodb|sqs|ssm):/, "")}`);
    })
    .toSorted();

/** What Lambda does in a function's name before its code is asked. */
const ASKED_BY_LAMBDA: Record<string, string[]> = {
  deliver: ["queue ReceiveMessage", "queue DeleteMessage", "queue GetQueueAttributes"],
  announce: [
    ...["stream GetRecords", "stream GetShardIterator", "stream DescribeStream"],
    ...["* ListStreams", "passed_over SendMessage"],
  ],
  sweep: ["missed_sweeps SendMessage"],
};

const STORIES = ["tests/behaviour", "tests/contract"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(ROOT, folder, file)),
);

const toldOf = () =>
  existsSync(CALLS)
    ? readdirSync(CALLS)
        .filter((file) => file.endsWith(".json"))
        .map((file) => RecordedCalls.parse(JSON.parse(readFileSync(join(CALLS, file), "utf8"))))
    : [];

/** What each function has asked for in this very run, and why that is not all, where it is not. */
const heard = (): { calls: Map<string, Set<string>>; missing: string | null } => {
  const run = existsSync(RUN) ? Run.parse(JSON.parse(readFileSync(RUN, "utf8"))) : null;
  if (run?.pid !== inject("run")) {
    return { calls: new Map(), missing: "no story was told in this run" };
  }
  const told = toldOf();
  const calls = new Map<string, Set<string>>();
  for (const [name, actions] of told.flatMap((one) => Object.entries(one.calls))) {
    calls.set(name, (calls.get(name) ?? new Set()).union(new Set(actions)));
  }
  const files = new Set(told.flatMap((one) => one.files));
  const untold = STORIES.filter((file) => !files.has(file));
  if (run.filter !== null) return { calls, missing: `only tests named ${run.filter} were run` };
  return { calls, missing: untold.length > 0 ? `${untold.length} files of stories were not run` : null };
};

/** An item is read by one or the other, by what is asked for at the same instant: whoever needs one may do both. */
const READS = ["table GetItem", "table BatchGetItem"];

const withReads = (actions: readonly string[]): string[] =>
  READS.some((action) => actions.includes(action)) ? [...actions, ...READS] : [...actions];

const { calls, missing } = heard();
if (missing !== null) console.warn(`Roles are not held against all that functions ask for: ${missing}.`);

describe.each(listedFunctions())("$name", ({ name }) => {
  it("has a role of its own, which Lambda alone takes on, and which writes to the log of all", () => {
    const role = roleNameOf(kept, name);
    const others = listedFunctions().filter((one) => one.name !== name);
    expect(others.map((one) => roleNameOf(kept, one.name))).not.toContain(role);
    expect(kept.resource(role).Properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" },
    ]);
    const [log] = statementsOf(kept, name);
    expect(log?.Action).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
    const group = kept.functions.get(name)?.Properties.LoggingConfig.LogGroup;
    const [logName] =
      kept.ofType("AWS::Logs::LogGroup").find(([, one]) => one.Properties.LogGroupName === group) ?? [];
    expect(logName).toBeDefined();
    expect(log?.Resource).toEqual({ "Fn::GetAtt": [logName, "Arn"] });
  });

  it("may do what it asks for", () => {
    const allowed = allowedBy(kept, name);
    for (const action of withReads(allowed)) expect(allowed).toContain(action);
    const refused = [...(calls.get(name) ?? [])].filter((action) => !allowed.includes(action));
    expect(refused).toEqual([]);
  });

  it.skipIf(missing !== null)("may do nothing that it does not ask for", () => {
    const asked = withReads([...(calls.get(name) ?? []), ...(ASKED_BY_LAMBDA[name] ?? [])]);
    expect(allowedBy(kept, name).filter((action) => !asked.includes(action))).toEqual([]);
  });
});

it("the stories were told, where nothing may be left out", () => {
  if (process.env.CI !== undefined) expect(missing).toBeNull();
});

describe("inject_sql", () => {
  it("reads by statements, and writes only where INJECT_SQL_WRITES says so", () => {
    const writing = ["PartiQLDelete", "PartiQLInsert", "PartiQLUpdate"].map((action) => `table ${action}`);
    const without = allowedBy(forTests, "inject_sql");
    expect(allowedBy(kept, "inject_sql")).toEqual([...without, ...writing].toSorted());
    expect(without.filter((action) => action.includes("PartiQL"))).toEqual(
      ["gsi1", "gsi2", "gsi3", "table"].map((place) => `${place} PartiQLSelect`),
    );
  });

  it("is denied secrets and scans, of the table and of every index", () => {
    const everywhere = [...PLACES].filter(([, place]) => /^(table|gsi\d)$/.test(place));
    for (const compiled of [forTests, kept]) {
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

  it("alone runs statements, and nobody scans, lists or changes the table itself", () => {
    for (const { name } of listedFunctions()) {
      const allowed = allowedBy(kept, name).join();
      if (name !== "inject_sql") expect(allowed, name).not.toContain("PartiQL");
      expect(allowed, name).not.toMatch(/Scan|\*$|Table/);
    }
  });
});
