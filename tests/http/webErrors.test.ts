/** Where errors of forms appear, on a small phone, in every browser's engine, with the real service behind the pages. */
import { expect, it } from "vitest";
import { describePartlyInEngines, type Tab } from "../support/engines.ts";
import { running } from "../support/running.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";

const base = running().base.replace("127.0.0.1", "localhost");

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

const login = async (tab: Tab, { alias, password }: TestPlayer): Promise<void> => {
  await tab.type("input[name=alias]", alias);
  await tab.type("input[name=password]", password);
  await tab.press("Log in");
  await tab.find("nav");
};

describePartlyInEngines("an error", (open) => {
  const s = testEnvironment();

  it("about a tag code is beside the code, also below a long list of hungry zombies, and goes when another is typed", async () => {
    const [gm, zed] = await s.game("Zed");
    for (const alias of ["Ann", "Bob", "Cas", "Dot", "Eve", "Fay", "Gil", "Hal"])
      await s.outbreak(gm, await s.join(alias));
    const tab = await open(`${base}/app/login?to=/app/tag`);
    await login(tab, zed);
    await tab.see("Hal");
    const code = "input[name=tag_code]";
    const enter = async (text: string): Promise<void> => {
      await tab.type(code, text);
      // As somebody does who has looked at the list.
      await tab.evaluate("scrollTo(0, document.body.scrollHeight)");
      await tab.press("Report the tag");
    };
    await enter("ABCD2345");
    await expectError(tab, code, "Nobody has this code. Check it with the player you tagged.");
    await tab.type(code, "ABCD234");
    await tab.see("Eight letters and digits.");
    for (const last of "6789ABCDEF") await s.hunt(zed, `ABCD234${last}`);
    await enter("ABCD2346");
    await expect
      .poll(() => tab.evaluate(aboutField(code)), { timeout: 20_000 })
      .toMatchObject({
        text: expect.stringMatching(/^Too many attempts\. Wait /),
        isLive: true,
        isSeen: true,
      });
  });

  it("of several lines is not covered in text of twice the size", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    for (const command of ["corpsify", "revive_z"] as const)
      await s.must(`POST /admin/${command}/{url_id}`, { as: gm, body: { alias: ann.alias } });
    const tab = await open(`${base}/app/login?to=/app/tag`);
    await login(tab, zed);
    await tab.find("input[name=tag_code]");
    await tab.evaluate("void (document.documentElement.style.fontSize = '200%')");
    await tab.type("input[name=tag_code]", ann.code ?? "");
    await tab.press("Report the tag");
    await expect
      .poll(() => tab.evaluate(aboutField("input[name=tag_code]")), { timeout: 20_000 })
      .toMatchObject({
        // With the time of the reader.
        text: expect.stringMatching(
          /by a game master today at \d\d:\d\d\. If you .* to name you as the hunter\.$/,
        ),
        isSeen: true,
      });
  });

  it("about a name or a password is beside it", async () => {
    const [gm, zed] = await s.game("Zed");
    const tab = await open(`${base}/app/login?to=/app/gm/players`);
    await tab.type("input[name=alias]", gm.alias);
    await tab.type("input[name=password]", "not my password");
    await tab.press("Log in");
    await expectError(tab, "input[name=password]", "The alias or the password is wrong.");
    await tab.goto(`${base}/app/join`);
    await tab.type("input[name=alias]", "Zed");
    await tab.type("input[name=password]", "a good password");
    await tab.press("Join");
    await expectError(tab, "input[name=alias]", "This alias, or one that looks like it, is taken.");
    await tab.goto(`${base}/app/login?to=/app/profile`);
    await login(tab, zed);
    await tab.type("input[name=alias]", gm.alias);
    await tab.press("Save");
    await expectError(tab, "input[name=alias]", "This alias, or one that looks like it, is taken.");
    await tab.type("input[name=current_password]", "not my password");
    await tab.type("input[name=new_password]", "another password");
    await tab.press("Change password");
    await expectError(tab, "input[name=current_password]", "The alias or the password is wrong.");
  });

  it("in a dialog of game masters is seen", async () => {
    const [gm] = await s.game("Zed", "Ada");
    const tab = await open(`${base}/app/login?to=/app/gm/find?q=Ada`);
    await login(tab, gm);
    await tab.press("Ada");
    await tab.press("Edit");
    await tab.type("dialog[open] input[name=alias_to]", "Zed");
    await tab.click("dialog[open] button[type=submit]");
    await expectError(
      tab,
      "dialog[open] input[name=alias_to]",
      "This alias, or one that looks like it, is taken.",
    );
  });
});
