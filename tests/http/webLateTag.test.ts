/** A zombie starves before their tag is entered: the page takes it, and tells everybody what happened when. */
import { expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { describeInOneEngine } from "../support/engines.ts";
import { testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";
import { BASE } from "../support/webPages.ts";

describeInOneEngine("a tag from before its hunter starved", (open) => {
  const s = testEnvironment();

  /** Lets everything so far have happened earlier: over HTTP, the clock of the service is the real one. */
  const backdate = async (by: number): Promise<void> => {
    const TIMES = ["at", "recorded_at", "infected_at", "code_since", "created_at", "human_since"];
    for (const item of await scan(s)) {
      if (!/^(PLAYER|INTERACTIONS)#/.test(item.pk)) continue;
      const moved = TIMES.flatMap((name) => {
        const time = item[name];
        return typeof time === "string" ? [[name, rfc3339(Date.parse(time) - by)]] : [];
      });
      await s.store.db.put({ ...item, ...Object.fromEntries(moved) });
    }
  };

  it("is entered by the corpse, who lives again, and game masters are told both times", async () => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    // The page of the hunter is open all the time.
    const tab = await open(`${BASE}/app/tag`, zed);
    await tab.find("input[name=tag_code]");
    await backdate(3 * HOUR);
    // He starved half an hour ago.
    await s.pass(48 * HOUR + 30 * MINUTE);
    await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Bob" } });
    expect((await s.see(zed)).state).toBe("corpse");
    await s.sweep();

    const killed = await open(`${BASE}/app/tag`, bob);
    await killed.see("Only zombies can enter a tag.");

    await tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))");
    await tab.press("I tagged somebody before I starved");
    await tab.see("A tag from before you starved still counts");
    await tab.see("31 min");
    await tab.type("input[name=tag_code]", ann.code ?? "");
    await tab.press("Report the tag");
    await tab.see("You tagged Ann");
    await tab.see("You live again.");
    expect(await s.see(zed)).toMatchObject({ state: "zombie", kills: 1 });
    await tab.goto(`${BASE}/app/me`);
    await tab.find("[role=timer]");

    // The feed tells when things happened, not when they arrived.
    await tab.goto(`${BASE}/app/feed`);
    await tab.see("reported 31 min later");
    const rows = await tab.evaluate(`[...document.querySelectorAll("main li p")].map((p) => p.textContent)`);
    expect(rows).toEqual([
      "Zed lives again by a tag from before they starved",
      "Bob was killed by a game master",
      "Zed starved (undone)",
      "Zed tagged Ann",
      "Zed rose as a zombie",
      "Zed was killed by a game master",
    ]);

    const now = await open(`${BASE}/app/gm/now`, gm);
    await now.see("Zed lives again: the tag of Ann arrived late");
    const [alert] = (await s.must("GET /admin/alerts/{url_id}", { as: gm, query: {} })).body.alerts;
    const clock = (time: string): Promise<unknown> =>
      now.evaluate(`new Date("${time}").toLocaleTimeString("en", { hourCycle: "h23" })`);
    for (const time of [alert.happened_at, alert.starved_at, alert.at])
      await now.see(String(await clock(time)));
    await now.press("Void the tag");
    await now.see("Zed has starved without this tag");
  });
});
