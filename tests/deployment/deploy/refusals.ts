/** Faults that only AWS finds, planted in what is deployed: `npm run deploy` fails and says what to do. */
import { expect, it } from "vitest";
import { zipped } from "../../../scripts/bundle/zips.ts";
import { CHANGED, type Deploys, NAME } from "../../support/deployRuns.ts";
import { EXPIRED_KEY, expired, type Input } from "../../support/fakeAws.ts";
import { expectError, expectSuccess } from "../../support/runScript.ts";

/** The functions for which no other one waits, so that their failures cancel no function and no event source. */
const lastFunctions = ({ Resources }: Input): string[] => {
  const ofLambda = Object.entries<Input>(Resources).filter(([, { Type }]) =>
    Type.startsWith("AWS::Lambda::"),
  );
  const waitedFor = new Set(ofLambda.flatMap(([, { DependsOn = [] }]) => [DependsOn].flat()));
  return ofLambda.flatMap(([name, { Type }]) =>
    Type === "AWS::Lambda::Function" && !waitedFor.has(name) ? [name] : [],
  );
};

const setProperties = ({ Resources }: Input, name: string, properties: Input): void => {
  Object.assign(Resources[name].Properties, properties);
};

/** In bytes, unzipped: one more than a function may have. */
const TOO_LARGE = 262_144_001;

export const declareRefusals = (d: Deploys): void => {
  const { aws, deployment, deploy, plant } = d;

  it("reports every refusal of a service, with what to do, and what ran before runs on", async () => {
    expectSuccess(await deploy());
    const stack = deployment.stacks.get(NAME);
    const before = stack?.template;

    // A replaced table would be an empty one, which CloudFormation does without a question.
    const other = structuredClone(before);
    other.Resources.Table.Properties.KeySchema = [{ AttributeName: "id", KeyType: "HASH" }];
    deployment.stacks.set(NAME, { ...stack, status: "UPDATE_COMPLETE", template: other });
    aws.requests.length = 0;
    const replaced = await deploy(["--yes"], CHANGED);
    expect(replaced.code, replaced.output).toBe(1);
    expect(replaced.output).toMatch(/changes KeySchema of the table, .*Restore resources\/table\.yml/);
    expect(d.writes()).toEqual([]);
    deployment.stacks.set(NAME, { ...stack, status: "UPDATE_COMPLETE" });

    const refused = async (lines: () => string[]): Promise<void> => {
      const { code, output } = await deploy(["--yes"], CHANGED);
      expect(code, output).toBe(1);
      const state =
        "What ran before runs on: the stack is now UPDATE_ROLLBACK_COMPLETE. Fix the cause, then run: npm run deploy";
      for (const line of [...lines(), state]) expect(output).toContain(line);
      expect(output).not.toContain("cancelled");
      expect(deployment.stacks.get(NAME)?.template).toEqual(before);
    };

    deployment.buckets.createBucket("club-pictures");
    plant((template) => {
      const { Resources } = template;
      const settings = { "GET /nowhere": { ThrottlingRateLimit: 1 } };
      setProperties(template, "HttpApiStage", { RouteSettings: settings });
      // Otherwise it waits for routes that wait for what is refused below.
      delete Resources.HttpApiStage.DependsOn;
      const [index] = Resources.Table.Properties.GlobalSecondaryIndexes;
      setProperties(template, "Table", { GlobalSecondaryIndexes: [index] });
      setProperties(template, "PassedOver", { FifoQueue: true });
      Resources.Pictures = { Type: "AWS::S3::Bucket", Properties: { BucketName: "club-pictures" } };
    });
    await refused(() => [
      "  HttpApiStage: Unable to find Route by key GET /nowhere within the provided RouteSettings",
      "add the route to the DependsOn of HttpApiStage",
      "  Table: Cannot perform more than one GSI creation or deletion in a single update",
      "change one index in resources/table.yml, deploy, and go on with the next one",
      "  PassedOver: CloudFormation cannot update a stack when a custom-named resource requires replacing.",
      "Undo that change in serverless.yml or resources/",
      "  Pictures: club-pictures already exists",
      "Remove it, or deploy under another stage",
    ]);

    const huge = await zipped(new Map([["x", Buffer.alloc(TOO_LARGE)]]));
    deployment.buckets.putObject(`${NAME}-bucket`, "huge.zip", huge);
    let broken: string[] = [];
    plant((template) => {
      broken = lastFunctions(template);
      const [environment = "", role = "", zip = ""] = broken;
      const Variables = { PUSH_ALLOWED_HOSTS: "a".repeat(4_090) };
      setProperties(template, environment, { Environment: { Variables } });
      setProperties(template, role, { Role: { "Fn::GetAtt": ["Roles", "Outputs.HttpApiRole"] } });
      template.Resources[zip].Properties.Code.S3Key = "huge.zip";
    });
    await refused(() => {
      const [environment, role, zip] = broken;
      return [
        `  ${environment}: Lambda was unable to configure your environment variables`,
        "shorten the longest one, such as PUSH_ALLOWED_HOSTS",
        `  ${role}: The role defined for the function cannot be assumed by Lambda.`,
        "must name lambda.amazonaws.com",
        `  ${zip}: Unzipped size must be smaller than 262144000 bytes`,
        "npm run sizes lists what each function loads",
      ];
    });
  });

  it("reports a refused template", async () => {
    plant(({ Resources }) =>
      Resources.DeliverEventSourceMappingSQSQueue.DependsOn.push("IamRoleLambdaExecution"),
    );
    const { code, output } = await deploy();
    expect(code, output).toBe(1);
    expect(output).toMatch(
      /Unresolved resource dependencies \[DeliverEvent\w+: DependsOn names IamRoleLambda/,
    );
    const state = "AWS is in the state before it (CREATE_COMPLETE). Fix the cause, then run: npm run deploy";
    expect(output).toContain(state);
  });

  it("reports a missing capability, and rights that the roles of workers lack", async () => {
    aws.intercept(({ action, input }) => {
      if (action !== "cloudformation CreateChangeSet") return;
      for (const name of Object.keys(input)) if (name.startsWith("Capabilities")) delete input[name];
    });
    const { code, output } = await deploy();
    expect(code, output).toBe(1);
    expect(output).toContain("  Roles: Requires capabilities : [CAPABILITY_IAM]");
    expect(output).toContain("Deploy by npm run deploy, which allows it.");

    // Lambda reads an event source once with the role of the function, before it accepts the mapping.
    plant(
      () => {},
      ({ Resources }) => {
        const lacks = /ReceiveMessage|GetRecords/;
        for (const name of ["DeliverRole", "AnnounceRole"])
          for (const { PolicyDocument } of Resources[name].Properties.Policies)
            for (const statement of PolicyDocument.Statement)
              statement.Action = statement.Action.filter((one: string) => !lacks.test(one));
      },
    );
    const mappings = await deploy();
    expect(mappings.code, mappings.output).toBe(1);
    for (const line of [
      "  DeliverEventSourceMappingSQSQueue: The provided execution role does not have permissions to call ReceiveMessage on SQS",
      "  AnnounceEventSourceMappingDynamodbTable: Cannot access stream arn:aws:dynamodb:eu-central-1:123456789012:table/zombie-game-spring/stream/",
      "see eventStatements in scripts/plugins/roles.cjs",
    ])
      expect(mappings.output).toContain(line);
  });

  it("reports credentials that are expired, also in the middle of a deploy", async () => {
    const message = /^The AWS credentials have expired\. Sign in again .* then run the command again\./;
    expectError(await deploy(["--yes"], { AWS_ACCESS_KEY_ID: EXPIRED_KEY }), message);
    let isOver = false;
    aws.intercept((request) => {
      isOver ||= request.action === "cloudformation ExecuteChangeSet";
      if (isOver) throw expired(request);
    });
    const { code, output } = await deploy();
    expect(code, output).toBe(1);
    expect(output.split("\n").at(-1)).toMatch(message);
    expect(output).toContain("If CloudFormation has begun the deploy, it continues on AWS.");
  });
};
