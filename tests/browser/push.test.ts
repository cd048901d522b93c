/** Tests push messages in Firefox, which subscribes, decrypts and shows them, through a local push service. */
import type { Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { type BrowserPush, type PushMessage, startBrowserPush } from "../support/browserPush.ts";
import { type Site, startSite } from "../support/browserPushSite.ts";
import { makeCertificate } from "../support/certificate.ts";
import { otherVapid } from "../support/constants.ts";
import { FIREFOX, type Firefox, startFirefox } from "../support/firefox.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

const isMissing = FIREFOX === undefined;
if (isMissing) {
  process.stderr.write(
    "\nNO BROWSER: push messages are not tested in a browser. Install firefox-esr or Firefox.\n\n",
  );
}

// In CI these tests are required, so they fail if Firefox is missing.
describe.skipIf(isMissing && process.env.CI === undefined)("push, in Firefox", () => {
  const certificate = makeCertificate();
  let push: BrowserPush;
  let firefox: Firefox;
  let site: Site;
  let page: Page;
  let gm: Someone;
  /** The subscription of the game master's page. */
  let endpoint: string;

  beforeAll(async () => {
    push = await startBrowserPush(certificate);
    firefox = await startFirefox(push.socketUrl);
  });
  afterAll(async () => {
    await firefox?.stop();
    await push?.stop();
  });

  const s = testEnvironment({
    services: (usual) => ({
      push: { ...usual.push, allowed: allowedHosts(`127.0.0.1:${push.port}`), ca: certificate.cert },
    }),
  });
  beforeEach(async () => {
    site = await startSite();
    page = await firefox.open(site.url);
    gm = await s.admin();
    endpoint = await subscribe();
  });
  afterEach(async () => {
    await page?.close();
    await site?.stop();
  });

  /** Calls a function of the page. */
  const inPage = (words: string): Promise<unknown> => page.evaluate(`player.${words}`);

  const Endpoint = z.looseObject({ endpoint: z.url() });

  /** Subscribes the page for the game master. @returns the endpoint */
  const subscribe = async (): Promise<string> => {
    const { body } = await s.call("GET /notifications/vapid_public_key");
    const subscription = await inPage(`subscribe(${JSON.stringify(body.public_key)})`);
    await s.must("POST /notifications/subscribe/{url_id}", { as: gm, body: subscription });
    return Endpoint.parse(subscription).endpoint;
  };

  const send = (title = "Curfew", content = "Be at the bridge\nby nine."): Promise<Result> =>
    s.call("POST /notifications/send/{url_id}", { as: gm, body: { title, content, player_groups: "All" } });

  /** Sends to the only subscriber. @returns the message at the push service */
  const sent = async (title?: string, content?: string): Promise<PushMessage> => {
    const result = await send(title, content);
    expect(result, result.text).toMatchObject({ status: 200, body: { subscriptions: 1, sent: 1 } });
    const message = push.taken(endpoint).at(-1);
    if (message === undefined) throw new Error("no message arrived");
    return message;
  };

  const saidTitles = async (many: number): Promise<string[]> =>
    z
      .array(z.object({ title: z.string() }))
      .parse(await inPage(`said(${many})`))
      .map(({ title }) => title);

  const endpoints = async (): Promise<unknown[]> =>
    (await scan(s)).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#")).map(({ endpoint }) => endpoint);

  it("shows a message unchanged", async () => {
    const [title, content] = ["Ünruhe 🧟 <b>»Sperrstunde«", "Am Fluß\num 9 — sei da! 🧟‍♀️ 屍"];
    const message = await sent(title, content);
    expect(await message.acked).toBe(100);
    const shown = [{ title, body: content, tag: expect.stringMatching(/^[\da-f-]{36}$/) }];
    expect(await inPage("said(1)")).toEqual(shown);
    expect(await inPage("shown()")).toEqual(shown);
  });

  it("ignores a message that was changed in transit, and shows the next one", async () => {
    push.damageNext();
    const changed = await sent("Changed");
    expect(await changed.acked).toBe(101);
    const good = await sent("Good");
    expect(await good.acked).toBe(100);
    expect(await saidTitles(1)).toEqual(["Good"]);
    expect(await inPage("shown()")).toMatchObject([{ title: "Good" }]);
  });

  it("shows a message once that was delivered twice", async () => {
    const first = await sent();
    expect(await first.acked).toBe(100);
    await inPage("said(1)");
    expect(push.post(endpoint, first)).toBe(201);
    const [, second] = push.taken(endpoint);
    expect(second?.version).not.toBe(first.version);
    expect(await second?.acked).toBe(100);
    // The service worker ran twice; the tag merges the notifications.
    expect(await saidTitles(2)).toEqual(["Curfew", "Curfew"]);
    expect(await inPage("shown()")).toMatchObject([{ title: "Curfew" }]);
  });

  it("shows messages that were sent while the browser was offline", async () => {
    const before = push.greeted().length;
    push.cutOff();
    const message = await sent("Meanwhile");
    // The sender repeats the message without having seen the response; the topic makes it replace the first one.
    expect(push.post(endpoint, message)).toBe(201);
    await sent("And more");
    expect(push.greeted()).toHaveLength(before);
    push.letIn();
    const [, again, more] = push.taken(endpoint);
    expect([await again?.acked, await more?.acked]).toEqual([100, 100]);
    expect(push.greeted().slice(before)).toEqual([push.browserOf(endpoint)]);
    expect((await saidTitles(2)).toSorted()).toEqual(["And more", "Meanwhile"]);
    expect(await inPage("shown()")).toHaveLength(2);
  });

  it("rejects messages that are signed with another key than the subscription's", async () => {
    const own = s.services.push;
    s.services.push = { ...own, vapid: { given: [otherVapid()] } };
    const refused = await send();
    expect(refused.status, refused.text).toBe(500);
    expect(push.answered(endpoint)).toEqual([403]);
    expect(await endpoints()).toEqual([endpoint]);
    // With its own key the subscription works again.
    s.services.push = own;
    expect(await (await sent("Ours")).acked).toBe(100);
    expect(await saidTitles(1)).toEqual(["Ours"]);
  });

  it("gets no more messages after the player has unsubscribed", async () => {
    const left = await s.call("DELETE /subscriptions/unsubscribe/{url_id}", { as: gm });
    expect(left.status, left.text).toBe(204);
    expect((await send("Too late")).body).toMatchObject({ subscriptions: 0, sent: 0 });
    expect(push.answered(endpoint)).toEqual([]);
    // The browser itself is still subscribed, so the same subscription can be registered again.
    expect(await subscribe()).toBe(endpoint);
    await sent("In time");
    expect(await saidTitles(1)).toEqual(["In time"]);
  });

  it("removes a subscription that the browser has ended", async () => {
    expect(await inPage("unsubscribe()")).toBe(true);
    await push.ended(endpoint);
    expect(await endpoints()).toEqual([endpoint]);
    const result = await send();
    expect(result, result.text).toMatchObject({ body: { subscriptions: 1, sent: 0, failed: 0, expired: 1 } });
    expect(push.answered(endpoint)).toEqual([410]);
    expect(await endpoints()).toEqual([]);
    expect((await send()).body).toMatchObject({ subscriptions: 0 });
  });
});
