/** What a person sees from the first deploy to the removal. docs/deploy.md shows the same; `--update` rewrites it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DynamoDBClient, UpdateTableCommand } from "@aws-sdk/client-dynamodb";
import { expect, it } from "vitest";
import { startEngine } from "../../../scripts/local/engine.ts";
import { createTable } from "../../../scripts/local/table.ts";
import { ROOT } from "../../../scripts/project/root.ts";
import { CHANGED, type Deploys, NAME } from "../../support/deployRuns.ts";
import { runScript, type ScriptResult } from "../../support/runScript.ts";
import { shown, withOutputs } from "../../support/shownOutput.ts";
import { tempDirOfTest } from "../../support/tempDir.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const GUIDE = join(ROOT, "docs/deploy.md");
const DEPLOY = "npm run deploy -- --stage spring --yes";
const TEARDOWN = "npm run teardown -- --stage spring --confirm spring";

const TOO_LONG =
  "Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit.";

export const declareStory = ({ deployment, state, deploy, run, settings }: Deploys): void => {
  it("shows what docs/deploy.md shows: creation, update, failures, rollback and removal", async () => {
    const outputs = new Map<string, string>();
    const show = (name: string, command: string, code: number, result: ScriptResult): void => {
      expect(result.code, result.output).toBe(code);
      outputs.set(name, shown(command, result.output));
    };
    const teardown = (args: string[], given = {}) =>
      run(["scripts/commands/teardown.ts", "--stage", "spring", "--confirm", "spring", ...args], given);

    state.changes.failing.set("ServerlessDeploymentBucket", "API: s3:CreateBucket Access Denied");
    show("failed creation", DEPLOY, 1, await deploy());
    expect(deployment.stacks.get(NAME)?.status).toBe("ROLLBACK_COMPLETE");
    const { output: refused, code } = await deploy();
    expect([code, refused]).toEqual([
      1,
      expect.stringMatching(/^The first deploy of spring .* npm run teardown/),
    ]);
    show("removal of what failed", TEARDOWN, 0, await teardown([]));
    expect(deployment.stacks.size).toBe(0);
    state.changes.failing.clear();
    deployment.parameters.clear();

    show("creation", DEPLOY, 0, await deploy());
    const at = deployment.stacks.get(NAME);
    show("update", DEPLOY, 0, await deploy(["--yes"], CHANGED));
    expect(deployment.stacks.get(NAME)?.template).not.toEqual(at?.template);
    const running = deployment.stacks.get(NAME)?.template;
    state.changes.failing.set("SweepLambdaFunction", TOO_LONG);
    show("failed update", DEPLOY, 1, await deploy());
    expect(deployment.stacks.get(NAME)).toMatchObject({
      status: "UPDATE_ROLLBACK_COMPLETE",
      template: running,
    });
    state.changes.failing.clear();
    show("rollback", `${DEPLOY} --rollback`, 0, await deploy(["--rollback", "--yes"]));
    expect(deployment.stacks.get(NAME)?.template).toEqual(at?.template);

    const engine = await startEngine({});
    try {
      await createTable(engine.endpoint, NAME, { region: "eu-central-1" });
      const client = new DynamoDBClient({ endpoint: engine.endpoint, region: "eu-central-1", credentials });
      await client.send(new UpdateTableCommand({ TableName: NAME, DeletionProtectionEnabled: true }));
      client.destroy();
      const given = { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint };
      const admin = ["scripts/commands/create-admin.ts", "--stage", "spring", "--alias", "gm"];
      const made = await runScript(admin, { ...settings(given) }, "masters of the game\n");
      expect(made.code, made.output).toBe(0);
      const file = join(tempDirOfTest(), "game.ndjson");
      show("removal", `${TEARDOWN} --file game.ndjson`, 0, await teardown(["--file", file], given));
    } finally {
      await engine.stop();
    }
    expect(deployment.stacks.size).toBe(0);
    // A bucket with objects cannot be deleted, so this shows that every page of its list was deleted.
    expect(deployment.buckets.listBuckets()).toEqual([]);
    expect([...deployment.tables.keys()]).toEqual([NAME]);

    // The table of a failed attempt is empty, and the next one removes it.
    deployment.tables.clear();
    state.changes.failing.set("HttpApi", "API: apigateway:POST Access Denied");
    show("creation that failed later", DEPLOY, 1, await deploy());
    expect(deployment.stacks.get(NAME)?.status).toBe("UPDATE_ROLLBACK_COMPLETE");
    expect([...deployment.tables.keys()]).toEqual([NAME]);

    await expect(withOutputs(await readFile(GUIDE, "utf8"), outputs)).toMatchFileSnapshot(GUIDE);
  });
};
