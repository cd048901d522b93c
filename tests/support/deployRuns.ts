/** Runs `npm run deploy` with the real framework, against a fake AWS that executes its templates. */
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { zipped } from "../../scripts/bundle/zips.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import type { AwsRequest, Input } from "./fakeAws.ts";
import { type ChangeOptions, cloudFormationResponses, successfulChanges } from "./fakeCloudFormation.ts";
import { contentOf, pathsIn, s3Responses } from "./fakeS3.ts";
import { stackResponses, tableResponses, useFakeDeployment } from "./fakeStack.ts";
import { listen } from "./listen.ts";
import { usePackagedOnce } from "./packagedOnce.ts";
import { runHere, type ScriptResult } from "./runScript.ts";
import { useTempDir } from "./tempDir.ts";

/** The name of the stack and of the table. */
export const NAME = "zombie-game-spring";
export const COMMAND = ["scripts/commands/deploy.ts", "--stage", "spring"];

/** A setting that changes the template, because otherwise there is nothing to update. */
export const CHANGED = { FEEDING_PERIOD_SECONDS: "3600" };

const QUOTAS = "servicequotas";
/** The request for more concurrent executions. */
export const QUOTA_REQUEST = `${QUOTAS} RequestServiceQuotaIncrease`;

const WRITES = /PutParameter|ChangeSet|DeleteStack|UpdateTable|DeleteTable|s3 (PUT|POST)/;

/** What AWS answers, which a test may change. */
interface State {
  changes: ChangeOptions;
  /** The limit of concurrent executions of the account. */
  concurrency: number;
  /** The statuses of the deployed API, in order; the last one is repeated. `null` is a response of the gateway itself. */
  replies: (number | null)[];
  apiRequests: number;
}

/** An account without deployments before each test, and the API that a deployment would have. */
export const useDeploys = () => {
  const { aws, deployment } = useFakeDeployment();
  const { earlierPages } = usePackagedOnce();
  let api: Server;
  let apiUrl = "";
  /** In place of the real zips, whose upload takes most of the time: tests/deployment/bundles.test.ts is about those. */
  const zipsOf = useTempDir();
  const state: State = { changes: successfulChanges(), concurrency: 0, replies: [], apiRequests: 0 };

  beforeAll(async () => {
    api = createServer((request, response) => {
      request.resume();
      const reply = state.replies[Math.min(state.apiRequests, state.replies.length - 1)] ?? null;
      state.apiRequests += 1;
      response.writeHead(reply ?? 404, reply === null ? {} : { "x-request-id": "0" }).end("{}");
    });
    apiUrl = `http://127.0.0.1:${await listen(api)}`;
    for (const { name } of listedFunctions()) {
      await writeFile(zipsOf(`${name}.zip`), await zipped(new Map([[`${name}.mjs`, Buffer.from(name)]])));
    }
  });
  afterAll(() => api.close());
  beforeEach(() => {
    Object.assign(state, { concurrency: 1_000, replies: [401], apiRequests: 0 });
    state.changes = successfulChanges(apiUrl);
    const account = () => ({ AccountLimit: { ConcurrentExecutions: state.concurrency } });
    aws.respond([
      ...cloudFormationResponses(deployment, state.changes),
      ...stackResponses(deployment),
      ...tableResponses(deployment),
      ...s3Responses(deployment.buckets),
      ["lambda GET /2016-08-19/account-settings", account],
      [`${QUOTAS} ListRequestedServiceQuotaChangeHistoryByQuota`, () => ({ RequestedQuotas: [] })],
      [QUOTA_REQUEST, ({ DesiredValue }) => ({ RequestedQuota: { DesiredValue, Status: "PENDING" } })],
    ]);
  });

  const settings = (given: Record<string, string> = {}): Record<string, string> => ({
    ...aws.settings,
    ...{ ZIPS_OF: zipsOf(""), SLS_AWS_MONITORING_FREQUENCY: "20" },
    ...{ VAPID_SUBJECT: "mailto:gm@hvz.example", ALLOWED_ORIGINS: "https://hvz.example" },
    ...given,
  });
  /** Runs a command in this process, with what the framework prints. */
  const run = (command: readonly string[], given: Record<string, string> = {}): Promise<ScriptResult> => {
    const running = runHere(command, settings(given));
    last = running.catch(() => {});
    return running;
  };
  // Otherwise the tests after one that timed out would fail too, because one deploy at a time may run in this folder.
  let last: Promise<unknown> | undefined;
  afterEach(() => last);

  return {
    aws,
    deployment,
    state,
    /** The folder of zips. */
    zipsOf,
    earlierPages,
    apiUrl: () => apiUrl,
    settings,
    run,
    deploy: (args: string[] = ["--yes"], given: Record<string, string> = {}) =>
      run([...COMMAND, ...args], given),
    /** The requests that changed something. */
    writes: (): string[] => aws.requests.map(({ action }) => action).filter((action) => WRITES.test(action)),
    /** The folder of the deployment that runs, and the feeding period that its functions have. */
    running: () => {
      const { Resources } = deployment.stacks.get(NAME)?.template ?? { Resources: {} };
      const { Code, Environment } = Resources.HuntLambdaFunction.Properties;
      return {
        folder: String(Code.S3Key).split("/").at(-2),
        feedingPeriod: Environment.Variables.FEEDING_PERIOD_SECONDS,
      };
    },
    /** The last template that was uploaded. */
    uploaded: (): Input => {
      const path = pathsIn(deployment.buckets).findLast((one) => one.endsWith("-template.json")) ?? "";
      return JSON.parse(contentOf(deployment.buckets, path)?.toString() ?? "{}");
    },
    /** Changes the templates of the service and of its roles while they are uploaded. */
    plant: (change: (template: Input) => void, changeRoles: (template: Input) => void = () => {}): void =>
      aws.intercept((request: AwsRequest) => {
        const isService = /^s3 PUT .*compiled-cloudformation-template/.test(request.action);
        if (!isService && !/^s3 PUT .*\/roles-/.test(request.action)) return;
        const template = JSON.parse(request.body.toString());
        (isService ? change : changeRoles)(template);
        request.body = Buffer.from(JSON.stringify(template));
        for (const name of Object.keys(request.headers))
          if (/checksum|content-length|content-encoding|decoded|trailer/.test(name))
            delete request.headers[name];
      }),
  };
};
export type Deploys = ReturnType<typeof useDeploys>;
