/** Which parts of a local service a page of another origin can reach, in Firefox. */
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FIREFOX, type Firefox, startFirefox } from "../support/firefox.ts";
import { listen } from "../support/listen.ts";
import { listeningAddresses } from "../support/listening.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { useTempDir } from "../support/tempDir.ts";

/** Requests that the engine, the queue or serverless-offline would accept. */
const TRIES = [
  { path: "/", target: "DynamoDB_20120810.ListTables", type: "application/x-amz-json-1.0" },
  { path: "/", target: "AmazonSQS.ListQueues", type: "application/x-amz-json-1.0" },
  { path: "/2015-03-31/functions/zombie-game-local-health/invocations", target: "", type: "text/plain" },
];

/** Runs in the page: returns the status of a readable response, or null. */
const tryInPage = async (url: string, type: string, target: string): Promise<number | null> => {
  const authorization = "AWS4-HMAC-SHA256 Credential=any";
  const signed = target === "" ? {} : { authorization, "x-amz-target": target, "x-amz-date": "any" };
  const headers = { "content-type": type, ...signed };
  return fetch(url, { method: "POST", headers, body: "{}" }).then(
    ({ status }) => status,
    () => null,
  );
};

const pathOf = useTempDir();
let service: RunningService;
let pids: number[];
let firefox: Firefox;

beforeAll(async () => {
  const GAME_FILE = pathOf("game.db");
  service = await npmStart({ GAME_FILE });
  ({ pids } = await service.runRecord(GAME_FILE));
  firefox = await startFirefox("ws://127.0.0.1:9");
});
afterAll(async () => {
  await firefox?.stop();
  await service?.stop();
});

it.skipIf(FIREFOX === undefined && process.env.CI === undefined)(
  "a local service responds to a page of another origin only at the address of its endpoints",
  async () => {
    const site = createServer((_, response) => response.setHeader("content-type", "text/html").end());
    const page = await firefox.open(`http://127.0.0.1:${await listen(site)}/`);
    site.close();
    const responding: string[] = [];
    for (const { host, port } of listeningAddresses(pids)) {
      for (const { path, type, target } of TRIES) {
        const url = `http://${host}:${port}${path}`;
        const status = await page.evaluate(tryInPage, url, type, target);
        if (status !== null) responding.push(`${url} ${status}`);
      }
    }
    // The service accepts a simple request, but has no such path.
    expect(responding).toEqual([expect.stringMatching(`^${service.base}/2015.* 404$`)]);
  },
);
