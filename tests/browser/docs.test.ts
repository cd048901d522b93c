/** A newcomer opens /docs in a real browser, registers there, and hunts without copying a token. */
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GameClient } from "../../client/src/index.ts";
import { FIREFOX, type Firefox, startFirefox } from "../support/firefox.ts";
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

describe.skipIf(FIREFOX === undefined && process.env.CI === undefined)("/docs, in Firefox", () => {
  const pathOf = useTempDir();
  let service: RunningService;
  let firefox: Firefox;

  beforeAll(async () => {
    service = await npmStart({ GAME_FILE: pathOf("game.db") });
    firefox = await startFirefox("ws://127.0.0.1:1/");
  });
  afterAll(async () => {
    await firefox?.stop();
    await service?.stop();
  });

  /** Opens an operation, sends its example or another body, and returns the response that the page gets. */
  const tryIt = async (page: Page, hash: string, send: string, body?: object) => {
    // A browser treats only localhost, and not the address, as secure without TLS.
    await page.goto(`http://localhost:${service.port}/docs#${hash}`, { waitUntil: "domcontentloaded" });
    await page.reload({ waitUntil: "domcontentloaded" });
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

  it("lets a newcomer register and hunt, calls nobody else, and follows its own policy", async () => {
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
