/** The same journeys through the pages in every browser's engine, with the real service behind them. */
import { createServer, type RequestListener } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { describeInEngines } from "../support/engines.ts";
import { listen } from "../support/listen.ts";
import { running } from "../support/running.ts";
import { testEnvironment } from "../support/service.ts";

const base = running().base.replace("127.0.0.1", "localhost");

const SCRIPT = `console.error("written", "while loading");
fetch("/elsewhere").catch(() => {});
setTimeout(() => Promise.reject(new Error("rejected later")));
throw new Error("thrown while loading");`;
const FAULTY = `<!doctype html><html><head><script src="/faulty.js"></script></head><body>faulty</body></html>`;
const POLICY = "default-src 'none'; script-src 'self'";

const sendFaulty: RequestListener = ({ url }, response) => {
  const [type, text] = url === "/faulty.js" ? ["text/javascript", SCRIPT] : ["text/html", FAULTY];
  response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(text);
};

describeInEngines("a page with faults", (open) => {
  it("fails its test", async () => {
    const server = createServer(sendFaulty);
    onTestFinished(() => void server.close());
    const tab = await open(`http://127.0.0.1:${await listen(server)}/`);
    tab.expectFaults(/thrown while loading/);
    tab.expectFaults(/rejected later/);
    tab.expectFaults(/written while loading/);
    tab.expectFaults(/Content.Security.Policy/);
    await tab.see("faulty");
  });
});

describeInEngines("a player", (open) => {
  const s = testEnvironment();

  it("logs in by typing, and is still logged in after a reload", async () => {
    const [, ada] = await s.game("Ada");
    const tab = await open(`${base}/app/login?to=/app/me`);
    await tab.type("input[name=alias]", ada.alias);
    await tab.type("input[name=password]", ada.password);
    await tab.press("Log in");
    await tab.find("nav");
    await tab.reload();
    await tab.find("nav");
    expect(await tab.evaluate("location.pathname")).toBe("/app/me");
  });
});
