/** `npm run teardown`, and `npm run create-admin` for a stage: the table is a real one, the stack is carried out on loopback. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import { createTable } from "../../scripts/local/table.ts";
import { type Cloud, startCloud } from "../support/cloud.ts";
import { cloudFormationResponses, successfulChanges } from "../support/fakeCloudFormation.ts";
import { type Buckets, s3Responses } from "../support/fakeS3.ts";
import { type Deployment, emptyDeployment, stackResponses } from "../support/fakeStack.ts";
import { runScript } from "../support/runScript.ts";

const TABLE = "zombie-game-spring";
let engine: Engine;
let folder = "";
let client: DynamoDBClient;
beforeAll(async () => {
  engine = await startEngine({});
  folder = await mkdtemp(join(tmpdir(), "teardown-"));
  client = new DynamoDBClient({
    endpoint: engine.endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
  await rm(folder, { recursive: true });
});

let deployment: Deployment;
let buckets: Buckets;
let cloud: Cloud;

const deployed = (name: string): void => {
  deployment.stacks.set(name, {
    status: "UPDATE_COMPLETE",
    resources: {
      ServerlessDeploymentBucket: ["AWS::S3::Bucket", `${name}-bucket`],
      Table: ["AWS::DynamoDB::Table", name],
    },
  });
};

const tables = async (): Promise<string[]> => (await client.send(new ListTablesCommand({}))).TableNames ?? [];

beforeEach(async () => {
  deployment = emptyDeployment();
  buckets = new Map([
    [
      "/zombie-game-spring-bucket/serverless/zombie-game/spring/1-1970-01-01T00:00:00.000Z/hunt.zip",
      { body: "x", headers: {}, at: new Date() },
    ],
  ]);
  deployed(TABLE);
  for (const name of ["cursor-keys", "vapid-keys"]) {
    deployment.parameters.set(`/zombie-game/spring/${name}`, {
      value: "[]",
      type: "SecureString",
      version: 1,
    });
  }
  await createTable(engine.endpoint, TABLE, { region: "eu-central-1" });
  const stacks = cloudFormationResponses(deployment, buckets, successfulChanges());
  cloud = await startCloud(() => [...stacks, ...stackResponses(deployment), ...s3Responses(buckets)]);
});
afterEach(async () => {
  await cloud.close();
  for (const name of await tables()) await client.send(new DeleteTableCommand({ TableName: name }));
});

const settings = (): Record<string, string> => ({
  ...cloud.settings,
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  ZIPS_OF: inject("packages").forTests,
  SLS_AWS_MONITORING_FREQUENCY: "20",
});

const createAdmin = (args: string[]) =>
  runScript(
    ["scripts/commands/create-admin.ts", "--stage", "spring", ...args],
    settings(),
    "masters of the game\n",
  );

const teardown = (args: string[]) =>
  runScript(["scripts/commands/teardown.ts", "--stage", "spring", ...args], settings());

describe("npm run create-admin", () => {
  it("makes a game master in the table of a stage, after a dry run that makes none", async () => {
    const dry = await createAdmin(["--alias", "gm", "--dry-run"]);
    expect(dry, dry.said).toEqual({
      code: 0,
      said: `gm would be made, as an administrator in the table ${TABLE} in eu-central-1. Nothing has been changed.`,
    });
    const { code, said } = await createAdmin(["--alias", "gm"]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/^gm is an administrator who does not play, with the id/);
    const again = await createAdmin(["--alias", "gm", "--dry-run"]);
    expect(again.said).toMatch(/^gm is an administrator in .* already\. Nothing has been changed/);
  });

  it("says in a line what is wrong with the stage", async () => {
    const elsewhere = await runScript(
      ["scripts/commands/create-admin.ts", "--stage", "autumn", "--alias", "gm"],
      settings(),
      "masters of the game\n",
    );
    expect(elsewhere).toMatchObject({
      code: 1,
      said: "There is no table zombie-game-autumn in eu-central-1: deploy it first.",
    });
  });
});

describe("npm run teardown", () => {
  it("says in a dry run what would go and what would stay, and changes nothing", async () => {
    await createAdmin(["--alias", "gm"]);
    const { code, said } = await teardown(["--dry-run"]);
    expect(code, said).toBe(0);
    expect(said).toContain("2 resources of its stack go");
    expect(said).toContain("Its game is saved into");
    expect(said).toContain("Nothing has been changed");
    expect(deployment.stacks.size).toBe(1);
    expect(await tables()).toEqual([TABLE]);
  });

  it("saves the game, takes the stack down, and deletes the table only when it is told to", async () => {
    await createAdmin(["--alias", "gm"]);
    const file = join(folder, "game.ndjson");
    const unsure = await teardown(["--file", file]);
    expect(unsure).toMatchObject({ code: 1, said: expect.stringContaining("give --confirm spring") });
    const other = await teardown(["--file", file, "--confirm", "autumn"]);
    expect(other).toMatchObject({
      code: 1,
      said: expect.stringContaining("another name: nothing has been changed"),
    });
    expect(existsSync(file)).toBe(false);
    expect(deployment.stacks.size).toBe(1);

    const { code, said } = await teardown([
      "--file",
      file,
      "--confirm",
      "spring",
      "--delete-game",
      "--delete-keys",
    ]);
    expect(code, said).toBe(0);
    expect(said).toContain("stage spring in eu-central-1 has been taken down");
    expect(deployment.stacks.size).toBe(0);
    expect(buckets.size).toBe(0);
    expect(await tables()).toEqual([]);
    expect(deployment.parameters.size).toBe(0);
    expect(await readFile(file, "utf8")).toContain('"gm"');

    // A second time there is nothing left.
    const gone = await teardown(["--confirm", "spring"]);
    expect(gone).toMatchObject({
      code: 1,
      said: "There is no stage spring in eu-central-1, in the account 123456789012. There is no stage there.",
    });
  });

  it("leaves the table that its stack leaves, with the keys, and deletes it later", async () => {
    await createAdmin(["--alias", "gm"]);
    const file = join(folder, "kept.ndjson");
    const { code, said } = await teardown(["--file", file, "--confirm", "spring"]);
    expect(code, said).toBe(0);
    // What CloudFormation here takes away is no table: that of a stage that is played on outlives it.
    expect(await tables()).toEqual([TABLE]);
    expect(deployment.parameters.size).toBe(2);
    const alone = await teardown(["--confirm", "spring"]);
    expect(alone.said).toMatch(
      /Its table zombie-game-spring is, with its game: --delete-game deletes that\.$/,
    );
    const last = await teardown(["--confirm", "spring", "--delete-game", "--no-export"]);
    expect(last.code, last.said).toBe(0);
    expect(await tables()).toEqual([]);
    // With them the file can be imported again, and every browser is reached.
    expect(deployment.parameters.size).toBe(2);
  });

  it("gives up before anything goes when the game cannot be saved", async () => {
    await createAdmin(["--alias", "gm"]);
    const { code, said } = await teardown(["--file", "/proc/no/game.ndjson", "--confirm", "spring"]);
    expect(code).toBe(1);
    expect(said.split("\n").at(-1)).toContain("/proc/no/game.ndjson");
    expect(deployment.stacks.size).toBe(1);
    expect(await tables()).toEqual([TABLE]);
  });

  it("waits for what is under way", async () => {
    deployment.stacks.set(TABLE, { ...deployment.stacks.get(TABLE), status: "UPDATE_IN_PROGRESS" });
    const { code, said } = await teardown(["--confirm", "spring"]);
    expect({ code, said }).toEqual({
      code: 1,
      said: "Something is under way with it (UPDATE_IN_PROGRESS): try again when that has ended.",
    });
  });
});
