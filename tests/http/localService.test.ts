/** A local service in Firefox: what a page of another origin reaches, and a newcomer who registers and hunts at /docs. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GameClient } from "../../client/src/index.ts";
import { type Address, BROWSER_BLOCKED_PORTS } from "../../scripts/cli/ports.ts";
import { type RunRecord, readRecord } from "../../scripts/local/runFile.ts";
import { FIREFOX, type Firefox, startFirefox } from "../support/firefox.ts";
import { listen } from "../support/listen.ts";
import { listeningAddresses } from "../support/listening.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { expectSuccess, runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

const PASSWORD = "correct horse battery";
const TIMEOUT = { timeout: 60_000 };

/** A button of the page by its text, as an expression. */
const button = (text: string): string =>
  `[...document.querySelectorAll("button")].find((one) => one.textContent.includes(${JSON.stringify(text)}))`;

const click = async (page: Page, text: string): Promise<void> => {
  await page.waitForFunction(`${button(text)} !== undefined`, TIMEOUT);
  await page.evaluate(`${button(text)}.click()`);
};

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
  /** A page of another origin. */
  let site: Server;
  let siteUrl: string;

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
    site = createServer((_, response) => response.setHeader("content-type", "text/html").end());
    siteUrl = `http://127.0.0.1:${await listen(site)}/`;
    firefox = await startFirefox("ws://127.0.0.1:9");
  });
  afterAll(async () => {
    await firefox?.stop();
    site?.close();
    await service?.stop();
  });

  it("responds to a page of another origin only at the address of its endpoints", async () => {
    const page = await firefox.open(siteUrl);
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
    const page = await firefox.open(siteUrl);
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

  /** Opens an operation, sends its example or another body, and returns the response that the page gets. */
  const tryIt = async (page: Page, hash: string, send: string, body?: object) => {
    // A browser treats only localhost, and not the address, as secure without TLS.
    // By another page, because a new fragment alone does not load the page again.
    await page.goto(`http://localhost:${service.port}/health`);
    await page.goto(`http://localhost:${service.port}/docs#${hash}`, { waitUntil: "domcontentloaded" });
    await click(page, `Test Request(${send})`);
    await page.waitForSelector(".cm-content[contenteditable=true]", TIMEOUT);
    if (body !== undefined) {
      await page.click(".cm-content[contenteditable=true]");
      await page.keyboard.down("Control");
      await page.keyboard.press("a");
      await page.keyboard.up("Control");
      await page.keyboard.type(JSON.stringify(body));
    }
    const path = send.split(" ")[1] ?? "";
    const answered = page.waitForResponse(
      (one) => one.request().method() === "POST" && one.url().endsWith(path.replace("{url_id}", "me")),
      TIMEOUT,
    );
    await click(page, "Send post request");
    const response = await answered;
    return { status: response.status(), body: await response.json() };
  };

  it("shows /docs, which lets a newcomer register and hunt, calls nobody else, and follows its own policy", async () => {
    const settings = { PORT: String(service.port), GAME_FILE: pathOf("game.db") };
    const created = await runScript(
      ["scripts/commands/create-admin.ts", "--alias", "gm"],
      settings,
      `${PASSWORD}\n`,
    );
    expectSuccess(created);
    const baseUrl = service.base;
    const login = await new GameClient({ baseUrl }).post("/login", {
      body: { alias: "gm", password: PASSWORD },
    });
    const gm = new GameClient({ baseUrl, token: login.token });
    const ada = await new GameClient({ baseUrl }).post("/new", {
      body: { alias: "Ada", password: PASSWORD },
    });

    const page = await firefox.open(`http://localhost:${service.port}/health`);
    const [foreign, problems]: [string[], string[]] = [[], []];
    page.on("request", (request) => {
      if (!/^(http:\/\/localhost|data:|blob:)/.test(request.url())) foreign.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    const registered = await tryIt(page, "tag/accounts/POST/new", "post /new");
    expect(registered).toMatchObject({ status: 201, body: { alias: "Eve", state: "human" } });
    await gm.post("/admin/corpsify/{url_id}", { body: { alias: "Eve" } });
    await gm.post("/admin/revive_z/{url_id}", { body: { alias: "Eve" } });
    const body = { tag_code: ada.tag_code };
    const hunt = await tryIt(
      page,
      "tag/zombies/POST/zombie/hunt/{url_id}",
      "post /zombie/hunt/{url_id}",
      body,
    );
    expect(hunt).toMatchObject({ status: 200, body: { prey: { alias: "Ada", state: "zombie" } } });
    expect([foreign, problems]).toEqual([[], []]);
  });
});
