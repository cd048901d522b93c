/** The same journeys through the pages in every browser's engine, with the real service behind them. */
import { expect, it } from "vitest";
import { describeInEngines } from "../support/engines.ts";
import { running } from "../support/running.ts";
import { testEnvironment } from "../support/service.ts";

const base = running().base.replace("127.0.0.1", "localhost");

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
