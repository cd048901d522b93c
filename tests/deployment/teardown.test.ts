/** `npm run teardown`, and `npm run create-admin --stage`: on a real table, with a fake stack. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import { createTable } from "../../scripts/local/table.ts";
import { leavesOut } from "../support/battery.ts";
import { cloudFormationResponses, successfulChanges } from "../support/fakeCloudFormation.ts";
import { s3Responses } from "../support/fakeS3.ts";
import { parameter, stackResponses, useFakeDeployment } from "../support/fakeStack.ts";
import { expectError, expectSuccess, runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const NAME = "zombie-game-spring";
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
  const zip = `/${NAME}-bucket/serverless/zombie-game/spring/1-1970-01-01T00:00:00.000Z/hunt.zip`;
  // The record of a deployment that has run is removed too.
  const ran = `/${NAME}-bucket/serverless/zombie-game/spring/ran/1-1970-01-01T00:00:00.000Z`;
  for (const path of [zip, ran]) deployment.buckets.set(path, { body: "x", headers: {}, at: new Date() });
  deployment.stacks.set(NAME, {
    status: "UPDATE_COMPLETE",
    resources: {
      ServerlessDeploymentBucket: ["AWS::S3::Bucket", `${NAME}-bucket`],
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

const run = (name: string, args: string[], input = "") => {
  const endpoints = { ...aws.settings, AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint };
  const settings = { ...endpoints, ZIPS_OF: pathOf(""), SLS_AWS_MONITORING_FREQUENCY: "20" };
  return runScript([`scripts/commands/${name}.ts`, ...args], settings, input);
};
const createAdmin = (...args: string[]) =>
  run("create-admin", ["--stage", "spring", "--alias", "gm", ...args], "masters of the game\n");
const teardown = (...args: string[]) => run("teardown", ["--stage", "spring", ...args]);

describe("npm run teardown, and create-admin --stage before,", () => {
  it.skipIf(leavesOut(0, 2))("exports the game and deletes everything after a confirmation", async () => {
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

    expectSuccess(
      await teardown("--file", file, "--confirm", "spring", "--delete-game", "--delete-keys"),
      "stage spring in eu-central-1 has been removed",
    );
    expect(deployment.stacks.size + deployment.buckets.size + deployment.parameters.size).toBe(0);
    expect(await tables()).toEqual([]);
    expect(await readFile(file, "utf8")).toContain('"gm"');

    expectError(
      await teardown("--confirm", "spring"),
      "There is no stage spring in eu-central-1 in the account 123456789012. There are no stages.",
    );
  });

  it.skipIf(leavesOut(1, 2))("leaves table and keys, and deletes the table on request", async () => {
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

  it("removes nothing if the game cannot be exported, or the stack is being changed", async () => {
    const would = /would be created .* in the table .*Nothing has been changed\.$/;
    expectSuccess(await createAdmin("--dry-run"), would);
    expectSuccess(await createAdmin(), /^gm is an administrator who does not play, with the id/);
    const absent = /^There is no table zombie-game-autumn in .* Deploy it/;
    expectError(await createAdmin("--stage", "autumn"), absent);
    const { code, output } = await teardown("--file", "/proc/no/game.ndjson", "--confirm", "spring");
    expect(code).toBe(1);
    expect(output.split("\n").at(-1)).toContain("/proc/no/game.ndjson");
    deployment.stacks.set(NAME, { ...deployment.stacks.get(NAME), status: "UPDATE_IN_PROGRESS" });
    expectError(
      await teardown("--confirm", "spring"),
      "The deployment is being changed (UPDATE_IN_PROGRESS). Try again when that has finished.",
    );
    expect(deployment.stacks.size).toBe(1);
    expect(await tables()).toEqual([NAME]);
  });
});
