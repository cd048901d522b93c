/** `npm run teardown`, and `npm run create-admin --stage`: on a real table, with a fake stack. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { DynamoDBClient, ListTablesCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import { createTable } from "../../scripts/local/table.ts";
import { cloudFormationResponses, successfulChanges } from "../support/fakeCloudFormation.ts";
import { s3Responses } from "../support/fakeS3.ts";
import { parameter, stackResponses, useFakeDeployment } from "../support/fakeStack.ts";
import { expectError, expectSuccess, runHere, runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const NAME = "zombie-game-spring";
const BUCKET = `${NAME}-bucket`;
const region = "eu-central-1";
const { aws, deployment } = useFakeDeployment();
const pathOf = useTempDir();
let engine: Engine;
let client: DynamoDBClient;

const tables = async (): Promise<string[]> => (await client.send(new ListTablesCommand({}))).TableNames ?? [];

beforeEach(async () => {
  engine = await startEngine({});
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  client = new DynamoDBClient({ endpoint: engine.endpoint, region, credentials });
  const folder = "1-1970-01-01T00:00:00.000Z";
  deployment.buckets.createBucket(BUCKET);
  // More than a page of a list. The record of a deployment that has run is removed too.
  const names = Array.from({ length: 50 }, (_, n) => `${folder}/${n}.zip`);
  for (const name of [...names, `ran/${folder}`])
    deployment.buckets.putObject(BUCKET, `serverless/zombie-game/spring/${name}`, Buffer.from("x"));
  deployment.stacks.set(NAME, {
    status: "UPDATE_COMPLETE",
    template: { Resources: { Table: { Type: "AWS::DynamoDB::Table", DeletionPolicy: "Retain" } } },
    resources: {
      ServerlessDeploymentBucket: ["AWS::S3::Bucket", BUCKET],
      Table: ["AWS::DynamoDB::Table", NAME],
    },
  });
  for (const name of ["cursor-keys", "vapid-keys"])
    deployment.parameters.set(`/zombie-game/spring/${name}`, parameter([]));
  await createTable(engine.endpoint, NAME, { region });
  aws.respond([
    ...cloudFormationResponses(deployment, successfulChanges()),
    ...stackResponses(deployment),
    ...s3Responses(deployment.buckets),
  ]);
});
afterEach(async () => {
  client.destroy();
  await engine.stop();
});

const settings = () => ({
  ...{ ...aws.settings, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint },
  ...{ ZIPS_OF: pathOf(""), SLS_AWS_MONITORING_FREQUENCY: "20" },
});
const createAdmin = (...args: string[]) => {
  const command = ["scripts/commands/create-admin.ts", "--stage", "spring", "--alias", "gm", ...args];
  return runScript(command, settings(), "masters of the game\n");
};
const teardown = (...args: string[]) =>
  runHere(["scripts/commands/teardown.ts", "--stage", "spring", ...args], settings());

describe("npm run teardown, and create-admin --stage before,", () => {
  it("exports the game and deletes everything after a confirmation", async () => {
    await createAdmin();
    const file = pathOf("game.ndjson");
    const dry = expectSuccess(await teardown("--dry-run"), "2 resources of its stack are removed");
    expect(dry).toMatch(/Its game is exported to .*Nothing has been changed/s);
    for (const [args, reason] of [
      [[], "Give --confirm spring"],
      [["--confirm", "autumn"], "does not match: nothing has been changed"],
    ] as const) {
      const { code, output } = await teardown("--file", file, ...args);
      expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
    }
    expect(existsSync(file)).toBe(false);
    expect(deployment.stacks.size).toBe(1);
    expect(await tables()).toEqual([NAME]);

    // Somebody still plays while the functions are removed.
    const { stacks } = deployment;
    stacks.delete = (name) => {
      const Item = { pk: { S: "LOG#0" }, sk: { S: "a late entry" } };
      void client.send(new PutItemCommand({ TableName: NAME, Item }));
      return Map.prototype.delete.call(stacks, name);
    };
    expectSuccess(
      await teardown("--file", file, "--confirm", "spring", "--delete-game", "--delete-keys"),
      "stage spring in eu-central-1 has been removed",
    );
    expect(deployment.stacks.size + deployment.parameters.size).toBe(0);
    expect(deployment.buckets.listBuckets()).toEqual([]);
    expect(await tables()).toEqual([]);
    for (const part of ['"gm"', "a late entry"]) expect(await readFile(file, "utf8")).toContain(part);

    expectError(
      await teardown("--confirm", "spring"),
      "There is no stage spring in eu-central-1 in the account 123456789012. There are no stages.",
    );
  });

  it("leaves table and keys, and deletes the table on request", async () => {
    await createAdmin();
    expectSuccess(await teardown("--file", pathOf("kept.ndjson"), "--confirm", "spring"));
    // The fake stack does not delete tables, as for a stage with a real game.
    expect(await tables()).toEqual([NAME]);
    expectError(
      await teardown("--confirm", "spring"),
      /Its table zombie-game-spring still exists and contains its game\. Delete it with --delete-game\.$/,
    );
    expectSuccess(await teardown("--confirm", "spring", "--delete-game", "--no-export"));
    expect(await tables()).toEqual([]);
    expect(deployment.parameters.size).toBe(2);
  });

  it("reports what could not be removed, and removes the rest later", async () => {
    const mine = "backup.ndjson";
    deployment.buckets.putObject(BUCKET, mine, Buffer.from("x"));
    const { code, output } = await teardown("--confirm", "spring", "--no-export");
    expect(code, output).toBe(1);
    expect(output).toMatch(
      /could not be removed:\n {2}ServerlessDeploymentBucket: .*not empty.*\nThe bucket still holds/,
    );
    expect(output).toMatch(/Empty it in the console of S3 .*\nNot everything is gone\. Run it again/);
    expect(deployment.stacks.get(NAME)?.status).toBe("DELETE_FAILED");
    deployment.buckets.deleteObject(BUCKET, mine);
    expectSuccess(await teardown("--confirm", "spring", "--no-export"), "has been removed");
  });

  it("removes nothing if the game cannot be exported, or the stack is being changed", async () => {
    const would = /would be created .* in the table .*Nothing has been changed\.$/;
    expectSuccess(await createAdmin("--dry-run"), would);
    expectSuccess(await createAdmin(), /^gm is an administrator who does not play, with the id/);
    const absent = /^There is no table zombie-game-autumn in .* Deploy it/;
    expectError(await createAdmin("--stage", "autumn"), absent);
    const { code, output } = await teardown("--file", "/proc/no/game.ndjson", "--confirm", "spring");
    expect(code).toBe(1);
    expect(output.split("\n").at(-1)).toContain("/proc/no/game.ndjson");
    const saved = pathOf("saved.ndjson");
    await writeFile(saved, "");
    const again = await teardown("--file", saved, "--confirm", "spring");
    expect(again.output).toMatch(
      /already exists\. Name another file, or give --no-export if this game is in it\.$/,
    );
    deployment.stacks.set(NAME, { ...deployment.stacks.get(NAME), status: "UPDATE_IN_PROGRESS" });
    expectError(
      await teardown("--confirm", "spring"),
      "The deployment is being changed (UPDATE_IN_PROGRESS). Try again when that has finished.",
    );
    expect(deployment.stacks.size).toBe(1);
    expect(await tables()).toEqual([NAME]);
  });
});
