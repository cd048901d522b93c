/** Where errors of forms appear, on a small phone, in every browser's engine, with the real service behind the pages. */
import { expect, it } from "vitest";
import { describeInEngines, type Tab } from "../support/engines.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { testEnvironment } from "../support/service.ts";
import { BASE } from "../support/webPages.ts";

/**
 * What is said about a field: whether the field is marked and has the focus, what describes it, whether that is read out
 * when it appears, and whether it can be seen without scrolling and is not covered.
 */
const aboutField = (selector: string): string => `(() => {
  const field = document.querySelector(${JSON.stringify(selector)});
  const note = document.getElementById(field?.getAttribute("aria-describedby"));
  if (note === null) return null;
  const { left, top, bottom } = note.getBoundingClientRect();
  const isUncovered = (y) => note.contains(document.elementFromPoint(left + 4, y));
  return {
    isInvalid: field.getAttribute("aria-invalid"),
    hasFocus: document.activeElement === field,
    text: note.textContent,
    isLive: note.closest("[aria-live=assertive]") !== null || note.querySelector("[role=alert]") !== null,
    isSeen: isUncovered(top + 2) && isUncovered(bottom - 2),
  };
})()`;

/** Waits until an error is shown beside a field, within the visible part of the screen. */
const expectError = (tab: Tab, selector: string, text: string) =>
  expect
    .poll(() => tab.evaluate(aboutField(selector)), { timeout: 20_000 })
    .toEqual({ isInvalid: "true", hasFocus: true, text, isLive: true, isSeen: true });

describeInEngines("an error", (open) => {
  const s = testEnvironment();

  it("about a tag code is beside the code, also below a long list or in text of twice the size, and goes when another is typed", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    await s.outbreak(gm, ann);
    await s.crowd(await makeCrowd(s, 7, "zombie", s.now));
    const tab = await open(`${BASE}/app/tag`, zed);
    await tab.see("Player 00006");
    const code = "input[name=tag_code]";
    const enter = async (text: string): Promise<void> => {
      await tab.type(code, text);
      // As somebody does who has looked at the list.
      await tab.evaluate("scrollTo(0, document.body.scrollHeight)");
      await tab.press("Report the tag");
    };
    const expectSeen = (text: RegExp) =>
      expect
        .poll(() => tab.evaluate(aboutField(code)), { timeout: 20_000 })
        .toMatchObject({ text: expect.stringMatching(text), isLive: true, isSeen: true });
    await enter("ABCD2345");
    await expectError(tab, code, "Nobody has this code. Check it with the player you tagged.");
    await tab.type(code, "ABCD234");
    await tab.see("Eight characters of a human you tagged, or ten of a slip.");
    // Several lines, in text of twice the size, with the time of the reader.
    await tab.evaluate("void (document.documentElement.style.fontSize = '200%')");
    await enter(ann.code ?? "");
    await expectSeen(/by a game master today at \d\d:\d\d\. If you .* to name you as the hunter\.$/);
    for (const last of "6789ABCDEF") await s.hunt(zed, `ABCD234${last}`);
    await enter("ABCD2346");
    await expectSeen(/^Too many attempts\. Wait /);
  });

  it("about a name or a password is beside it, also in a dialog of game masters", async () => {
    const [gm] = await s.game("Zed", "Ada");
    const taken = "This alias, or one that looks like it, is taken.";
    const tab = await open(`${BASE}/app/login`);
    await tab.logIn({ alias: gm.alias, password: "not my password" });
    await expectError(tab, "input[name=password]", "The alias or the password is wrong.");
    await tab.goto(`${BASE}/app/join`);
    await tab.type("input[name=alias]", "Zed");
    await tab.type("input[name=password]", "a good password");
    await tab.press("Join");
    await expectError(tab, "input[name=alias]", taken);
    await tab.goto(`${BASE}/app/login?to=/app/profile`);
    await tab.logIn(gm);
    await tab.find("input[name=new_password]");
    await tab.type("input[name=alias]", "Zed");
    await tab.press("Save");
    await expectError(tab, "input[name=alias]", taken);
    await tab.type("input[name=current_password]", "not my password");
    await tab.type("input[name=new_password]", "another password");
    await tab.press("Change password");
    await expectError(tab, "input[name=current_password]", "The alias or the password is wrong.");
    await tab.goto(`${BASE}/app/gm/find?q=Ada`);
    await tab.press("Ada");
    await tab.press("Edit");
    await tab.type("dialog[open] input[name=alias_to]", "Zed");
    // What a dialog sends again has the key of before.
    await tab.evaluate(`(() => {
      const send = fetch;
      window.keys = [];
      window.fetch = (url, request) => {
        if (request?.method === "POST") keys.push(new Headers(request.headers).get("idempotency-key"));
        return send(url, request);
      };
    })()`);
    for (const sent of [1, 2]) {
      await tab.click("dialog[open] button[type=submit]");
      await expect.poll(() => tab.evaluate("keys.length"), { timeout: 20_000 }).toBe(sent);
      await expectError(tab, "dialog[open] input[name=alias_to]", taken);
    }
    expect(await tab.evaluate("new Set(keys).size")).toBe(1);
  });
});
