/** Names and addresses as people type them, key by key. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { simpleParser } from "mailparser";
import { expect, it } from "vitest";
import { describeInEngines, describeInOneEngine, type Tab } from "../support/engines.ts";
import { running } from "../support/running.ts";
import { PASSWORD, testEnvironment } from "../support/service.ts";
import { BASE, TIMEOUT } from "../support/webPages.ts";

/** How a name is typed, how it is shown, and what finds it. */
const NAMES: [typed: string, shown: string, ...searches: string[]][] = [
  ["Robert Downey Jr.", "Robert Downey Jr.", "downey jr", "Downey Jr."],
  ["J. R.  Smith", "J. R. Smith", "jr smith", "smith"],
  ["St. John", "St. John", "stjohn"],
  ["van ’t Hoff", "van 't Hoff", "vant hoff", "van 't hoff"],
  ["李", "李", "李"],
  ["علی\u200cرضا", "علی\u200cرضا", "علیرضا"],
  ["Gal·la", "Gal·la", "galla"],
  ["王\u3000小明", "王 小明", "王小明", "小明 王"],
  ["Anna\u00a0Lena", "Anna Lena", "lena"],
  ["Đặng Thị".normalize("NFD"), "Đặng Thị", "dang", "đặng".normalize("NFD")],
  ["Łukasz", "Łukasz", "lukasz"],
  ["Øyvind", "Øyvind", "oyvind"],
];

const fillJoin = async (tab: Tab, alias: string): Promise<void> => {
  await tab.type("input[name=alias]", alias);
  await tab.type("input[name=password]", PASSWORD);
  await tab.press("Join");
};

const fieldValue = (tab: Tab, selector: string) =>
  expect.poll(() => tab.evaluate(`document.querySelector(${JSON.stringify(selector)})?.value`), TIMEOUT);

/** The aliases that a list shows. */
const listed = (tab: Tab) =>
  expect.poll(
    () =>
      tab.evaluate(
        `[...document.querySelectorAll("main ul.list li .grow")].map((one) => one.firstChild.textContent)`,
      ),
    TIMEOUT,
  );

const s = testEnvironment();

const register = async (): Promise<void> => {
  for (const [typed] of NAMES) await s.must("POST /new", { body: { alias: typed, password: PASSWORD } });
};

/** Types each search into a field, and sees the one whom it finds. */
const expectFound = async (tab: Tab, field: string): Promise<void> => {
  for (const [, shown, ...searches] of NAMES)
    for (const search of searches) {
      await tab.type(field, search);
      await listed(tab).toEqual([shown]);
    }
};

describeInEngines("names of people", (open) => {
  it("that are not allowed are explained, and the nearest one is taken by one tap: to join, to rename, and by a game master", async () => {
    const gm = await s.admin();
    const tab = await open(`${BASE}/app/join`);
    await fillJoin(tab, "Robert Downey, Jr.");
    await tab.see("must not have the character , (U+002C)");
    await tab.press("instead");
    await fieldValue(tab, "input[name=alias]").toBe("Robert Downey Jr.");
    expect(await tab.evaluate("document.querySelector('[data-invalid=true]')")).toBeNull();
    await tab.press("Join");
    await tab.find("nav");

    await tab.goto(`${BASE}/app/profile`);
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
});

describeInOneEngine("names of people", (open) => {
  it("are typed to join", async () => {
    await s.admin();
    const tab = await open(`${BASE}/app/join`);
    for (const [typed] of NAMES) {
      await fillJoin(tab, typed);
      await tab.find("nav");
      // The next one on the same phone.
      await tab.evaluate(`fetch("/logout", { method: "POST", headers: { "content-type": "application/json" },
        body: "{}" }).then(() => localStorage.clear())`);
      await tab.goto(`${BASE}/app/join`);
    }
    const { users } = (await s.must("GET /users/{url_id}", { as: await s.join("Ada") })).body;
    expect(users.map(({ alias }: { alias: string }) => alias)).toEqual(
      expect.arrayContaining(NAMES.map(([, shown]) => shown)),
    );
  });

  it("are found as they are typed, also in another form, by players and by game masters", async () => {
    const gm = await s.admin();
    await register();
    await expectFound(await open(`${BASE}/app/players`, gm), "input[name=find]");
    await expectFound(await open(`${BASE}/app/gm/find`, gm), "input[name=q]");
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

  it("are logged in with by their address, after a link that confirms it and one for a forgotten password", async () => {
    const mails = join(dirname(running().backlog), "mail");
    const before = new Set(await readdir(mails).catch(() => []));
    /** The address in the next mail, at the host at which the browser has the service. */
    const nextLink = async (): Promise<string> => {
      let text = "";
      const isThere = async () => {
        const added = (await readdir(mails).catch(() => [])).filter((name) => !before.has(name));
        const [name] = added.filter((one) => one.endsWith(".eml"));
        if (name === undefined) return false;
        before.add(name);
        text = (await simpleParser(await readFile(join(mails, name)))).text ?? "";
        return true;
      };
      await expect.poll(isThere, TIMEOUT).toBe(true);
      const [, path = ""] = /https?:\/\/[^/\s]+(\/app\/\S+#\S+)/.exec(text) ?? [];
      return `${BASE}${path}`;
    };
    const email = "ada@example.org";
    const { id } = await s.join("Ada");
    const ada = await s.login("Ada", PASSWORD);
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { email } });
    const link = await nextLink();
    // A scanner opens links, and nothing follows.
    for (let n = 0; n < 3; n += 1) await fetch(link);
    await fetch(link, { method: "HEAD" });
    expect((await s.see(ada)).email_confirmed).toBe(false);
    const tab = await open(link);
    await tab.see("Confirm your address");
    expect((await s.see(ada)).email_confirmed).toBe(false);
    await tab.press("Confirm this address");
    await tab.see("Your address is confirmed");
    expect((await s.see(ada)).email_confirmed).toBe(true);

    await tab.goto(`${BASE}/app/login`);
    await tab.press("Forgotten your password?");
    await tab.type("input[name=alias_or_email]", email);
    await tab.press("Send the link");
    await tab.see("Look into your mail");
    await tab.goto(await nextLink());
    await tab.find("input[name=new_password]");
    const filled = `["alias", "recovery_code"].map((name) => document.querySelector(\`[name=\${name}]\`).value)`;
    expect(await tab.evaluate(filled)).toEqual(["Ada", expect.stringMatching(/^(\w{4}-){6}\w{4}$/)]);
    await tab.type("input[name=new_password]", `${PASSWORD} 2`);
    await tab.press("Set the password and log in");
    await tab.find("nav");
    const { body } = await s.must("POST /login", { body: { alias: email, password: `${PASSWORD} 2` } });
    expect(body.player_id).toBe(id);
  });
});
