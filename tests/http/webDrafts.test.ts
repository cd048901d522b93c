/** What somebody has typed and not sent, with the real service behind the pages. */
import { expect, it } from "vitest";
import { describeInEngines, describeInOneEngine } from "../support/engines.ts";
import { openFront } from "../support/faultyFront.ts";
import { testEnvironment } from "../support/service.ts";
import { BASE, TIMEOUT } from "../support/webPages.ts";

const RESTORED = "Restored what you typed.";

describeInEngines("a draft", (open) => {
  testEnvironment();

  it("of the join form has no password, and a malformed one is dropped", async () => {
    const tab = await open(`${BASE}/app/join`);
    await tab.type("input[name=alias]", "Cy");
    await tab.type("input[name=password]", "somebody else's horse");
    await tab.reload();
    await tab.see(RESTORED);
    expect([await tab.valueOf("input[name=alias]"), await tab.valueOf("input[name=password]")]).toEqual([
      "Cy",
      "",
    ]);
    expect(await tab.evaluate("JSON.stringify(localStorage)")).not.toContain("horse");
    for (const content of ["{", "null", '{"version":1,"at":9e15,"value":{"alias":5,"joinCode":"x"}}']) {
      await tab.evaluate(`localStorage.setItem("draft::join:", ${JSON.stringify(content)})`);
      await tab.reload();
      await tab.find("input[name=alias]");
      expect(await tab.valueOf("input[name=alias]")).toBe("");
    }
  });
});

describeInOneEngine("a draft", (open) => {
  const s = testEnvironment();

  it("of a message survives another page, a reload and an expired session, for its author alone, until it is sent", async () => {
    const [gm, other] = [await s.admin("Ada"), await s.admin("Ben")];
    const send = `${BASE}/app/gm/send`;
    const tab = await open(send, gm);
    await tab.type("input[name=title]", "Tonight");
    await tab.type("textarea[name=content]", "Meet at the fountain");
    await tab.goto(`${BASE}/app/gm/now`);
    await tab.find("main h1");
    await tab.goto(send);
    await tab.see(RESTORED);
    expect(await tab.valueOf("textarea[name=content]")).toBe("Meet at the fountain");
    await tab.reload();
    await tab.see(RESTORED);
    // The session ends while the page is open.
    await s.must("POST /logout", { as: gm, body: { everywhere: true } });
    await tab.goto(send);
    await tab.see("Welcome back");
    await tab.logIn(other);
    await tab.find("input[name=title]");
    expect(await tab.valueOf("input[name=title]")).toBe("");
    await tab.goto(`${BASE}/app/profile`);
    await tab.press("Log out");
    await tab.find(".landing-hero");
    await tab.goto(`${BASE}/app/login?to=/app/gm/send`);
    await tab.logIn(gm);
    await tab.see(RESTORED);
    await tab.press("Review");
    await tab.click("dialog[open] button[type=submit]");
    await tab.click(".toast button[data-kind=quiet]");
    await tab.see("The message is sent.");
    await tab.reload();
    await tab.find("input[name=title]");
    expect(await tab.valueOf("input[name=title]")).toBe("");
    expect(await tab.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft:'))")).toEqual(
      [],
    );
  });

  it("of half a tag code is kept, and forgotten by a logout, which says so, and what becomes of a tag that waits", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    front.fault = ({ what }) => (what.startsWith("POST /zombie/hunt") ? "cut" : undefined);
    const tab = await open(`${front.base}/app/tag`, zed);
    await tab.type("input[name=tag_code]", ada.code ?? "");
    await tab.press("Report the tag");
    await tab.see("It is sent again automatically.");
    await tab.goto(`${front.base}/app/tag`);
    await tab.type("input[name=tag_code]", "AB23");
    await tab.goto(`${front.base}/app/feed`);
    await tab.find("main h1");
    await tab.goto(`${front.base}/app/tag`);
    await tab.see(RESTORED);
    expect(await tab.valueOf("input[name=tag_code]")).toBe("AB23");
    await tab.goto(`${front.base}/app/profile`);
    await tab.press("Log out");
    await tab.see("A code is not recorded yet. It stays on this device");
    await tab.see("What you typed into a form and did not send is forgotten.");
    await tab.click("dialog[open] button[data-kind=primary]");
    await tab.press("Log out");
    await tab.click("dialog[open] button[data-kind=quiet]");
    await tab.find(".landing-hero");
    front.fault = () => undefined;
    await tab.goto(`${front.base}/app/login?to=/app/tag`);
    await tab.logIn(zed);
    await tab.find("input[name=tag_code]");
    expect(await tab.valueOf("input[name=tag_code]")).toBe("");
    await expect.poll(async () => (await s.see(ada)).state, TIMEOUT).toBe("zombie");
  });

  it("that is typed while another is on its way stays", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    const tab = await open(`${BASE}/app/gm/send`, gm);
    await tab.type("input[name=title]", "Tonight");
    await tab.type("textarea[name=content]", "Meet at the fountain");
    await tab.press("Review");
    await tab.click("dialog[open] button[type=submit]");
    await tab.type("textarea[name=content]", "Bring water");
    await tab.click(".toast button[data-kind=quiet]");
    await tab.see("The message is sent.");
    expect(await tab.valueOf("textarea[name=content]")).toBe("Bring water");
    const phone = await open(`${BASE}/app/tag`, zed);
    await phone.evaluate(`(() => {
      const send = fetch;
      window.fetch = async (url, options) => {
        if (url.includes("/zombie/hunt/")) await new Promise((resolve) => { window.goOn = resolve; });
        return send(url, options);
      };
    })()`);
    await phone.type("input[name=tag_code]", ada.code ?? "");
    await phone.press("Report the tag");
    await phone.find("button[aria-busy=true]");
    await phone.type("input[name=tag_code]", "AB23");
    await expect.poll(() => phone.evaluate("typeof goOn"), TIMEOUT).toBe("function");
    await phone.evaluate("goOn()");
    await phone.see("Ada");
    await phone.press("Enter another");
    expect(await phone.valueOf("input[name=tag_code]")).toBe("AB23");
  });

  it("of a name leaves the alias that a game master has given meanwhile, and says that it is saved", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    const tab = await open(`${BASE}/app/profile`, ada);
    await tab.type("input[name=first_name]", "Ann");
    const renamed = { player_id: ada.id, alias_to: "Berta" };
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: renamed });
    await tab.evaluate("void dispatchEvent(new Event('online'))");
    await expect.poll(() => tab.valueOf("input[name=alias]"), TIMEOUT).toBe("Berta");
    await tab.press("Save");
    await tab.see("Saved");
    expect(await s.see(ada)).toMatchObject({ alias: "Berta", first_name: "Ann" });
    await tab.type("input[name=alias]", "Cleo");
    await tab.press("Save");
    await expect.poll(() => s.see(ada), TIMEOUT).toMatchObject({ alias: "Cleo" });
    await tab.see("Saved");
  });

  it("of settings and of a reason is kept, says that the settings have changed since, and can be discarded", async () => {
    const [gm] = await s.game("Zed");
    const tab = await open(`${BASE}/app/gm/game/texts`, gm);
    await tab.type("input[name=contact]", "at the desk");
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { contact: "by mail" } });
    await tab.reload();
    await tab.see(`${RESTORED} Settings have been saved since then`);
    expect(await tab.valueOf("input[name=contact]")).toBe("at the desk");
    await tab.press("Discard");
    expect(await tab.valueOf("input[name=contact]")).toBe("by mail");
    await tab.reload();
    await tab.find("input[name=contact]");
    expect(await tab.valueOf("input[name=contact]")).toBe("by mail");
    const openBan = async (): Promise<void> => {
      await tab.goto(`${BASE}/app/gm/find?q=Zed`);
      await tab.press("Zed");
      await tab.press("Ban");
      await tab.find("dialog[open] input[name=reason]");
    };
    await openBan();
    await tab.type("dialog[open] input[name=reason]", "Ran across the road");
    await openBan();
    await tab.see(RESTORED);
    expect(await tab.valueOf("dialog[open] input[name=reason]")).toBe("Ran across the road");
  });
});
