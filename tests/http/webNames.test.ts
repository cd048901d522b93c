/** Names and addresses as people type them, key by key. */
import { expect, it } from "vitest";
import { describeInEngines, describeInOneEngine, type Tab } from "../support/engines.ts";
import { PASSWORD, testEnvironment } from "../support/service.ts";
import { BASE, TIMEOUT } from "../support/webPages.ts";

/** How a name is typed, how it is shown, and what finds it. tests/unit/searchText.test.ts has others. */
const NAMES = [
  ["Robert Downey Jr.", "Robert Downey Jr.", "Downey Jr."],
  ["van ’t Hoff", "van 't Hoff", "vant hoff"],
  ["علی\u200cرضا", "علی\u200cرضا", "علیرضا"],
  ["王\u3000小明", "王 小明", "小明 王"],
  ["Đặng Thị".normalize("NFD"), "Đặng Thị", "dang"],
] as const;

const fieldValue = (tab: Tab, selector: string) =>
  expect.poll(() => tab.evaluate(`document.querySelector(${JSON.stringify(selector)})?.value`), TIMEOUT);

const s = testEnvironment();

describeInEngines("names of people", (open) => {
  it("that are not allowed are explained, and the nearest one is taken by one tap", async () => {
    await s.admin();
    const tab = await open(`${BASE}/app/join`);
    await tab.type("input[name=alias]", "Robert Downey, Jr.");
    await tab.type("input[name=password]", PASSWORD);
    await tab.press("Join");
    await tab.see("must not have the character , (U+002C)");
    await tab.press("instead");
    await fieldValue(tab, "input[name=alias]").toBe("Robert Downey Jr.");
    expect(await tab.evaluate("document.querySelector('[data-invalid=true]')")).toBeNull();
    await tab.press("Join");
    await tab.find("nav");
  });
});

describeInOneEngine("names of people", (open) => {
  it("that are not allowed are explained in the same way to rename, and by a game master", async () => {
    const [gm, ada] = await s.game("Ada");
    const tab = await open(`${BASE}/app/profile`, ada);
    await tab.type("input[name=alias]", "☠ Bob");
    await tab.press("Save");
    await tab.see("U+2620");
    await tab.press("instead");
    await fieldValue(tab, "input[name=alias]").toBe("Bob");
    await tab.press("Save");
    const found = async (q: string) =>
      (await s.must("GET /admin/find/{url_id}", { as: gm, query: { q } })).body.players;
    await expect.poll(() => found("bob"), TIMEOUT).toMatchObject([{ alias: "Bob" }]);

    const players = await found("bob");
    const master = await open(`${BASE}/app/gm/players/${players[0].player_ref}`, gm);
    await master.see("Bob");
    await master.press("Edit");
    await master.type("dialog[open] input[name=alias_to]", "Bob/Rob");
    const email = "jürgen+hvz@bücher.example";
    await master.type("dialog[open] input[name=email]", email);
    await master.click("dialog[open] button[type=submit]");
    await master.see("must not have the character /");
    await master.click("dialog[open] .field > button");
    await fieldValue(master, "dialog[open] input[name=alias_to]").toBe("Bob Rob");
    await master.click("dialog[open] button[type=submit]");
    await master.see(email);
    expect(await found(email)).toMatchObject([{ alias: "Bob Rob", email }]);
  });

  it("are found as they are typed, also in another form, by players and by game masters", async () => {
    const gm = await s.admin();
    for (const [alias] of NAMES) await s.must("POST /new", { body: { alias, password: PASSWORD } });
    for (const [path, field] of [
      ["players", "input[name=find]"],
      ["gm/find", "input[name=q]"],
    ] as const) {
      const tab = await open(`${BASE}/app/${path}`, gm);
      const listed = `[...document.querySelectorAll("main ul.list li .grow")].map((one) => one.firstChild.textContent)`;
      for (const [, shown, search] of NAMES) {
        await tab.type(field, search);
        await expect.poll(() => tab.evaluate(listed), TIMEOUT).toEqual([shown]);
      }
    }
  });

  it("are asked for with the join code that the game needs, and a wrong recovery code is called so", async () => {
    const gm = await s.admin();
    const body = { join_codes: [{ code: "BRAINS", uses: null, ends_at: null }] };
    await s.must("POST /admin/settings/{url_id}", { as: gm, body });
    await expect.poll(async () => (await s.call("GET /public")).body.needs_join_code, TIMEOUT).toBe(true);
    const tab = await open(`${BASE}/app/join`);
    await tab.find("input[name=join_code][required]");
    const note = `document.querySelector("input[name=join_code]").closest(".field").textContent`;
    expect(await tab.evaluate(note)).toBe("Join codeFrom your club");
    await tab.goto(`${BASE}/app/recover`);
    await tab.type("input[name=alias]", "Ada");
    await tab.type("input[name=recovery_code]", "AAAA-BBBB");
    await tab.type("input[name=new_password]", PASSWORD);
    await tab.press("Set the password");
    await tab.see("This code is not valid for this alias, or not any more. Ask a game master for a new one.");
    expect(await tab.evaluate("document.body.textContent.includes('password is wrong')")).toBe(false);
  });
});
