/** Checks in a real browser that a page of another origin cannot reach the ports of a local service. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, BROWSER_BLOCKED_PORTS } from "../../scripts/cli/ports.ts";
import { type RunRecord, readRecord } from "../../scripts/local/runFile.ts";
import { type Site, startSite } from "../support/browserPushSite.ts";
import { FIREFOX, type Firefox, startFirefox } from "../support/firefox.ts";
import { listeningAddresses } from "../support/listening.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { useTempDir } from "../support/tempDir.ts";

/** Requests that the engine, the queue or serverless-offline would accept. */
const TRIES = [
  { path: "/", target: "DynamoDB_20120810.ListTables", type: "application/x-amz-json-1.0", body: "{}" },
  { path: "/", target: "AmazonSQS.ListQueues", type: "application/x-amz-json-1.0", body: "{}" },
  {
    path: "/2015-03-31/functions/zombie-game-local-health/invocations",
    target: "",
    type: "text/plain",
    body: "{}",
  },
];

interface Try extends Address {
  path: string;
  target: string;
  type: string;
  body: string;
}

/** Runs in the page: returns the status of a readable response, or null. */
const tryInPage = async ({ host, port, path, target, type, body }: Try): Promise<number | null> => {
  const signed = {
    "x-amz-target": target,
    authorization: "AWS4-HMAC-SHA256 Credential=any",
    "x-amz-date": "any",
  };
  try {
    const headers = { "content-type": type, ...(target === "" ? {} : signed) };
    return (await fetch(`http://${host}:${port}${path}`, { method: "POST", headers, body })).status;
  } catch {
    return null;
  }
};

describe.skipIf(FIREFOX === undefined && process.env.CI === undefined)("a local service, in Firefox", () => {
  const pathOf = useTempDir();
  let service: RunningService;
  let running: RunRecord;
  let addresses: Address[];
  let firefox: Firefox;
  let site: Site;

  beforeAll(async () => {
    const GAME_FILE = pathOf("game.db");
    service = await npmStart({ GAME_FILE });
    const record = await readRecord(`${GAME_FILE}.run.json`);
    if (record === null) throw new Error("the service has no run file");
    running = record;
    addresses = await listeningAddresses([
      service.process.pid ?? 0,
      ...running.children.map(({ pid }) => pid),
    ]);
    site = await startSite();
    firefox = await startFirefox("ws://127.0.0.1:9");
  });
  afterAll(async () => {
    await firefox?.stop();
    await site?.stop();
    await service?.stop();
  });

  it("responds to a page of another origin only at the address of its endpoints", async () => {
    const page = await firefox.open(site.url);
    const responding: string[] = [];
    for (const address of addresses) {
      for (const one of TRIES) {
        const status = await page.evaluate(tryInPage, { ...address, ...one });
        if (status !== null) responding.push(`http://${address.host}:${address.port}${one.path} ${status}`);
      }
    }
    // The service accepts a simple request, but has no such path.
    expect(responding).toEqual([expect.stringMatching(`^${service.base}/2015.* 404$`)]);
  });

  it("has its database at a port that browsers block", async () => {
    const { hostname, port } = new URL(running.settings.DYNAMODB_ENDPOINT ?? "");
    expect(BROWSER_BLOCKED_PORTS).toContain(Number(port));
    const [tried] = TRIES;
    if (tried === undefined) throw new Error("there are no requests");
    const page = await firefox.open(site.url);
    const statusAt = (at: number) => page.evaluate(tryInPage, { ...tried, host: hostname, port: at });
    const stops: (() => void)[] = [];
    const listenAt = async (wanted: number): Promise<number> => {
      const server = createServer((_, response) => {
        const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
        response.writeHead(200, headers).end();
      });
      stops.push(() => server.close());
      await new Promise<void>((resolve) => server.listen(wanted, hostname, resolve));
      return (server.address() as AddressInfo).port;
    };
    try {
      expect(await statusAt(await listenAt(0))).toBe(200);
      for (const blocked of BROWSER_BLOCKED_PORTS) {
        if (blocked !== Number(port)) await listenAt(blocked);
        expect(await statusAt(blocked), String(blocked)).toBeNull();
      }
    } finally {
      for (const stop of stops) stop();
    }
  });
});
