/** `npm run deploy` with JOIN_CODE: on a real table, with a fake stack. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDatabase } from "../../../lib/dynamodb/client.ts";
import { sha256 } from "../../../lib/runtime/sha256.ts";
import { readJoinCodes } from "../../../lib/store/accounts/joinCodes.ts";
import { gameItem } from "../../../lib/store/items.ts";
import { keys } from "../../../lib/store/keys.ts";
import { openStore, type Store } from "../../../lib/store/store.ts";
import { type Engine, startEngine } from "../../../scripts/local/engine.ts";
import { createTable } from "../../../scripts/local/table.ts";
import { CHANGED, COMMAND, type Deploys, NAME } from "../../support/deployRuns.ts";
import { AwsError, type Input, type Responses } from "../../support/fakeAws.ts";
import { cloudFormationResponses } from "../../support/fakeCloudFormation.ts";
import { contentOf, pathsIn, s3Responses } from "../../support/fakeS3.ts";
import { stackResponses } from "../../support/fakeStack.ts";
import { expectSuccess } from "../../support/runScript.ts";

export const declareJoinCode = ({ aws, deployment, state, run }: Deploys): void => {
  let engine: Engine;
  let store: Store;
  /** Whether the game needed a code before each change of the stack; `undefined` before the table was there. */
  let before: (boolean | null | undefined)[];

  /** The game's setting, whether a code is needed. */
  const needs = async (): Promise<boolean | null> => (await store.game()).settings.needs_join_code;
  const codes = async (): Promise<string[]> => (await readJoinCodes(store.db)).map(({ code }) => code);

  /** Executes a change of the stack, the first of which with the functions also creates the table. */
  const watched = (responses: Responses): Responses =>
    responses.map(([action, respond]) => [
      action,
      action !== "cloudformation ExecuteChangeSet"
        ? respond
        : async (input, request) => {
            const hadTable = deployment.stacks.get(NAME)?.resources?.Table !== undefined;
            before.push(hadTable ? await needs() : undefined);
            const result = await respond(input, request);
            const hasTable = deployment.stacks.get(NAME)?.resources?.Table !== undefined;
            if (hasTable && !hadTable) await createTable(engine.endpoint, NAME, { region: "eu-central-1" });
            return result;
          },
    ]);

  beforeEach(async () => {
    engine = await startEngine({});
    process.env.AWS_REGION = "eu-central-1";
    store = openStore(openDatabase({ table: NAME, endpoint: engine.endpoint }));
    before = [];
    const account = () => ({ AccountLimit: { ConcurrentExecutions: state.concurrency } });
    aws.respond([
      ...watched(cloudFormationResponses(deployment, state.changes)),
      ...stackResponses(deployment),
      ...s3Responses(deployment.buckets),
      ["lambda GET /2016-08-19/account-settings", account],
      [
        "dynamodb DescribeTable",
        () => {
          throw new AwsError("ResourceNotFoundException", "no table yet");
        },
      ],
    ]);
  });
  afterEach(() => engine.stop());

  const deploy = (given: Record<string, string>) =>
    run([...COMMAND, "--yes"], { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint, ...given });

  /** What the deployed functions know of the code. */
  const deployed = () =>
    deployment.stacks.get(NAME)?.template?.Resources.NewLambdaFunction.Properties.Environment.Variables;

  it("writes the code into the table of a first deploy, before which registration needs one, never over a setting, and carries that of an earlier version over before its functions change", async () => {
    const first = expectSuccess(
      await deploy({ JOIN_CODE: "first brains" }),
      "is now a join code of the game",
    );
    expect(before.filter((one) => one !== undefined)).toEqual([]);
    const secret = /\/app\/setup#(\S+)$/m.exec(first)?.[1] ?? "";
    expect(await store.db.get(keys.setUp)).toMatchObject({ hash: sha256(secret) });
    expect([await needs(), await codes()]).toEqual([true, ["first brains"]]);
    expect(deployed().JOIN_CODE_REQUIRED).toBe("true");
    const uploads = pathsIn(deployment.buckets).map((path) => String(contentOf(deployment.buckets, path)));
    expect(JSON.stringify([first, uploads, [...deployment.stacks]])).not.toContain("first brains");
    expect(JSON.stringify([uploads, [...deployment.stacks]])).not.toContain(secret);

    expectSuccess(await deploy({ JOIN_CODE: "other brains" }), "Note: JOIN_CODE is ignored");
    expect([await needs(), await codes()]).toEqual([true, ["first brains"]]);

    // Earlier versions wrote games that do not say it, and read JOIN_CODE from the environment.
    const game = await store.game();
    const settings = { ...game.settings, needs_join_code: null };
    await store.db.put({ ...gameItem({ ...game, settings }), rev: 7 });
    const { Resources }: Input = deployment.stacks.get(NAME)?.template ?? {};
    for (const { Type, Properties } of Object.values<Input>(Resources))
      if (Type === "AWS::Lambda::Function") Properties.Environment.Variables.JOIN_CODE = "our brains";
    before = [];
    // Whoever deploys next need not have the setting.
    expectSuccess(await deploy(CHANGED), "is now a join code of the game");
    expect(deployed().JOIN_CODE).toBeUndefined();
    expect(before).toEqual([true]);
    expect([await needs(), (await store.game()).rev]).toEqual([true, 8]);
    expect(await codes()).toContain("our brains");
  });

  it("says what to do if the table cannot be written, while registration stays closed", async () => {
    // The fake AWS denies all calls to the table but this one.
    const { AWS_ENDPOINT_URL = "" } = aws.settings;
    const { code, output } = await deploy({
      JOIN_CODE: "first brains",
      AWS_ENDPOINT_URL_DYNAMODB: AWS_ENDPOINT_URL,
    });
    expect(code).toBe(1);
    expect(output).toMatch(/These AWS credentials may not write JOIN_CODE into the table zombie-game-spring/);
    expect(output).toMatch(/JOIN_CODE is not in the settings of the game yet\. Deploy again: npm run deploy/);
    expect(deployed().JOIN_CODE_REQUIRED).toBe("true");
  });
};
