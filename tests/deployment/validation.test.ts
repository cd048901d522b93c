/** Both templates as AWS's own validator judges them, and the faults that it and our rule of references find. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  ACCEPTED,
  findTemplateFaults,
  requireValidTemplates,
  TEMPLATES,
} from "../../scripts/deploy/validate.ts";
import { useTempDir } from "../support/tempDir.ts";
import { forGame, forTests } from "./template.ts";

const REGION = "eu-central-1";
const pathOf = useTempDir();

// biome-ignore lint/suspicious/noExplicitAny: a template with a planted fault has any form
type Json = any;

it("the templates without settings have no error, and no warning without a reason", async () => {
  expect(await findTemplateFaults(forTests.folder, REGION)).toEqual({ errors: [], warnings: [] });
});

it("the templates with all settings have no error, and exactly the accepted warnings", async () => {
  const { errors, warnings } = await findTemplateFaults(forGame.folder, REGION, {});
  expect(errors).toEqual([]);
  const accepted = Object.keys(ACCEPTED);
  for (const key of accepted) expect(warnings).toContainEqual(expect.stringContaining(key));
  expect(warnings.length).toBe(accepted.length);
});

/** Sets properties of a resource. */
const set =
  (name: string, properties: object) =>
  ({ Resources }: Json): unknown =>
    Object.assign(Resources[name].Properties, properties);
const [MAPPING, STREAM] = ["DeliverEventSourceMappingSQSQueue", "AnnounceEventSourceMappingDynamodbTable"];

/** Faults that are planted in the template of the service together, and how the findings name each. */
const PLANTED: [string, RegExp, (template: Json) => unknown][] = [
  [
    "DependsOn",
    /DeliverEvent\w+: DependsOn names IamRoleLambdaExecution, which does not exist/,
    ({ Resources }) => Resources[MAPPING].DependsOn.push("IamRoleLambdaExecution"),
  ],
  [
    "DependsOn, by AWS's validator",
    /E3005 DeliverEvent\w+: DependsOn target 'IamRoleLambdaExecution' does not exist/,
    () => {},
  ],
  ["Ref", /SweepSilent: Ref names Alarm, which/, set("SweepSilent", { AlarmActions: [{ Ref: "Alarm" }] })],
  [
    "GetAtt",
    /DeliverEvent\w+: Fn::GetAtt names Queues\.Arn, which/,
    set(MAPPING, { EventSourceArn: { "Fn::GetAtt": ["Queues", "Arn"] } }),
  ],
  [
    "an attribute that the type does not have",
    /E9004 AnnounceEvent\w+ .*'QueueName' is not one of/,
    set(STREAM, { EventSourceArn: { "Fn::GetAtt": ["Table", "QueueName"] } }),
  ],
  [
    "Sub",
    /Roles: Fn::Sub names Bucket, which/,
    set("Roles", { TemplateURL: { "Fn::Sub": `https://\${Bucket}.s3.\${AWS::Region}.example/x` } }),
  ],
  [
    "an output",
    /Output DomainTarget: Fn::GetAtt names Dom\.RegionalDomainName/,
    ({ Outputs }) =>
      Object.assign(Outputs.DomainTarget, { Value: { "Fn::GetAtt": ["Dom", "RegionalDomainName"] } }),
  ],
  [
    "a reference to a resource that may not exist",
    /ApiSlow: Ref names Alarms, which exists only if HasMail/,
    (template) => {
      template.Conditions = { HasMail: { "Fn::Equals": [{ Ref: "AWS::Region" }, REGION] } };
      template.Resources.Alarms.Condition = "HasMail";
    },
  ],
  [
    "a cycle",
    /waits for .*: a cycle/,
    ({ Resources }) => Object.assign(Resources.Queue, { DependsOn: "DeliverLambdaFunction" }),
  ],
  [
    "a parameter that the nested stack does not declare",
    /Roles: the parameter Topic is given, but not declared/,
    ({ Resources }) => Object.assign(Resources.Roles.Properties.Parameters, { Topic: { Ref: "Table" } }),
  ],
  [
    "a parameter that the nested stack needs",
    /Roles: the parameter QueueArn is declared, but not given/,
    ({ Resources }) => delete Resources.Roles.Properties.Parameters.QueueArn,
  ],
  [
    "an output that the nested stack lacks",
    /Roles has no Outputs\.NobodyRole/,
    set("HuntLambdaFunction", { Role: { "Fn::GetAtt": ["Roles", "Outputs.NobodyRole"] } }),
  ],
  [
    "an empty amount",
    /F3012 Budget /,
    ({ Resources }) => Object.assign(Resources.Budget.Properties.Budget.BudgetLimit, { Amount: "" }),
  ],
  [
    "an unknown type",
    /DeadLetters.*AWS::SQS::Queues/,
    ({ Resources }) => Object.assign(Resources.DeadLetters, { Type: "AWS::SQS::Queues" }),
  ],
  ["a property that the type does not have", /PassedOver.*Retention/, set("PassedOver", { Retention: 1 })],
  [
    "a value out of range",
    /MissedSweeps Properties\.VisibilityTimeout/,
    set("MissedSweeps", { VisibilityTimeout: 50_000 }),
  ],
];

describe("a planted fault is found", () => {
  let folder = "";
  let findings = { errors: [""], warnings: [""] };
  const change = (file: keyof typeof TEMPLATES, plant: (template: Json) => void): void => {
    const path = join(folder, TEMPLATES[file]);
    const template = JSON.parse(readFileSync(path, "utf8"));
    plant(template);
    writeFileSync(path, JSON.stringify(template));
  };
  beforeAll(async () => {
    folder = pathOf("planted");
    cpSync(forGame.folder, folder, { recursive: true });
    for (const [, , plant] of PLANTED) change("service", plant);
    change("service", ({ Resources }) => {
      Resources.HttpApiStage.DependsOn = ["HttpApiLogGroup"];
    });
    change("roles", ({ Resources }) => delete Resources.HuntRole);
    change("create", ({ Resources }) => {
      Resources.ServerlessDeploymentBucketPolicy.Properties.Bucket = { Ref: "Bucket" };
    });
    findings = await findTemplateFaults(folder, REGION);
  });

  it.each(PLANTED)("%s", (_, message) => {
    expect(findings.errors).toContainEqual(expect.stringMatching(message));
  });

  it("in the other templates, and as a warning", () => {
    const { errors, warnings } = findings;
    const nested = /^roles-template\.json: Output HuntRole: Fn::GetAtt names HuntRole\.Arn/;
    expect(errors).toContainEqual(expect.stringMatching(nested));
    expect(errors).toContainEqual(
      expect.stringMatching(/^\S+create-stack\.json: \w+Policy: Ref names Bucket/),
    );
    expect(warnings).toContainEqual(expect.stringMatching(/W3005 HttpApiStage/));
  });

  it("and deploy ends with all of them, before anything is created", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    await expect(requireValidTemplates(folder, REGION)).rejects.toThrow(
      /^CloudFormation would reject the template, so nothing has been changed on AWS:\n {2}cloudformation-/,
    );
  });
});
