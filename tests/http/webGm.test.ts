/** The pages of game masters and moderators in a real Chromium, with the service behind them. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../../scripts/cli/chromium.ts";
import { MODERATOR_PATHS } from "../../web/src/gm/access.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { setOffline, WAIT_MS, webPages } from "../support/webPages.ts";

// In CI these tests are required, so they fail if Chromium is missing.
describe.skipIf(CHROMIUM === undefined && process.env.CI === undefined)("game masters' pages", () => {
  const s = testEnvironment();
  const { base, openPage, see, fill, press, confirm, answer, openPlayer, login, expectFit } = webPages();

  const player = async (as: TestPlayer) => (await s.call("GET /player/{url_id}", { as })).body;

  it("are not loaded by players, and are in nobody's cache", async () => {
    const [gm, ada] = await s.game("Ada");
    const page = await login(ada);
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.goto(`${base}/app/gm/now`);
    await see(page, "You do not run this game");
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    const cached = await page.evaluate(
      `caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((one) => one.keys()))))
        .then((all) => all.flat().map(({ url }) => url))`,
    );
    expect(loaded.length).toBeGreaterThan(0);
    expect(cached).toContainEqual(expect.stringMatching(/assets\/index-.*\.js$/));
    expect([loaded, cached].flat().filter((url) => String(url).includes("/assets/gm"))).toEqual([]);
    expect(await page.$('nav a[href="/app/gm/now"]')).toBeNull();
    const other = await login(gm);
    expect(await other.$('nav a[href="/app/gm/now"]')).not.toBeNull();
  });

  it("offer moderators exactly what the service allows them", () => {
    const { paths } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
    const allowed = Object.keys(paths).filter((path) =>
      Object.values(paths[path]).some((operation) => Object(operation)["x-access"] === "moderator"),
    );
    expect([...MODERATOR_PATHS].toSorted()).toEqual(allowed.toSorted());
  });

  it("take back a death in time, and carry it out with its reason", async () => {
    const [gm, , ben] = await s.game("Ada", "Ben");
    const email = "ben@example.org";
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { player_id: ben.id, email } });
    const page = await login(gm, "/app/gm/now");
    await see(page, "Who starves next");
    await openPlayer(page, email, "Ben");
    await press(page, "Kill");
    await confirm(page, "Kill");
    await answer(page, "Take it back");
    await page.waitForFunction("document.querySelector('.toast') === null");
    expect(await player(ben)).toMatchObject({ state: "human" });
    await press(page, "Kill");
    await fill(page, { reason: "Left the campus" });
    await confirm(page, "Kill");
    await answer(page, "Now");
    await see(page, "Ben is a corpse.");
    await see(page, "“Left the campus”");
    expect(await player(ben)).toMatchObject({ state: "corpse" });
  });

  it("tell the slower of two game masters that somebody was faster", async () => {
    const [gm] = await s.game("Ada", "Ben");
    const other = await s.admin("Second");
    const [one, two] = [await login(gm, "/app/gm/find"), await login(other, "/app/gm/find")];
    for (const page of [one, two]) {
      await openPlayer(page, "ben", "Ben");
      await press(page, "Kill");
      await confirm(page, "Kill");
    }
    await answer(one, "Now");
    await see(one, "Ben is a corpse.");
    await answer(two, "Now");
    await see(two, "Kill Ben: ");
    await press(two, "Revive as a human");
    const { body } = await s.call("GET /interactions/{url_id}", {
      as: gm,
      query: { target: "Ben", kind: "corpsify" },
    });
    expect(body.interactions).toHaveLength(1);
  });

  it("preview what a void does, and carry out just that", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const { body } = await s.hunt(ada, ben);
    const { interaction_id } = body.interaction;
    const reason = "<b>I</b> was inside.";
    await s.must("POST /interactions/dispute/{url_id}", { as: ben, body: { interaction_id, reason } });
    const page = await login(gm, "/app/gm/disputes");
    await see(page, reason);
    await press(page, "Void the tag");
    await see(page, "Ben is human again, with a new tag code.");
    await see(page, "Ada loses this tag.");
    expect(await player(ben)).toMatchObject({ state: "zombie" });
    await page.locator("dialog[open] textarea").fill("Inside does not count.");
    await confirm(page, "Void the tag");
    await answer(page, "Now");
    await see(page, "The tag is void.");
    expect(await player(ben)).toMatchObject({ state: "human" });
    expect(await player(ada)).toMatchObject({ kills: 0 });
  });

  it("check in the right people at a desk without a network, once, and lose their commands with the role", async () => {
    const [gm, , ben] = await s.game("Ada", "Ben", "Cleo");
    const volunteer = await s.moderator("Mo");
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Library" } });
    const page = await login(volunteer, "/app/gm/desk");
    const links = await page.$$eval("nav a", (all) => all.map(({ textContent }) => textContent));
    expect(links).toEqual(["Now", "Find", "Desk", "Disputes", "Players", "Big screen", "My own game"]);
    await see(page, "Library");
    await page.setOfflineMode(true);
    for (const text of [ben.code ?? "", "cleo", ben.alias, "Nobody"]) {
      await fill(page, { text });
      await page.keyboard.press("Enter");
      await page.waitForFunction("document.querySelector('input[name=text]').value === ''");
    }
    await see(page, "Waiting for a network");
    await page.setOfflineMode(false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.waitForFunction("document.querySelector('.desk-row[data-status=waiting]') === null", {
      timeout: WAIT_MS,
    });
    expect(
      await page.$$eval(".desk-row", (rows) => rows.map((row) => row.getAttribute("data-status"))),
    ).toEqual([...["stranger", "duplicate", "done", "done"]]);
    await openPlayer(page, "ada", "Ada");
    await see(page, "Check in");
    const commands = await page.$$eval("main .actions button", (all) =>
      all.map(({ textContent }) => textContent),
    );
    expect(commands).toEqual(["Feed", "Check in"]);
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { alias: "Mo", is_moderator: false } });
    await press(page, "Feed");
    await confirm(page, "Feed");
    await see(page, "You do not run this game");
  });

  it("try out a file of players before they create anybody, and open pages by keyboard", async () => {
    const gm = await s.admin();
    const page = await login(gm, "/app/gm/players");
    await see(page, "1 player");
    await press(page, "Import");
    const file = join(tmpdir(), `desk-${process.pid}.csv`);
    writeFileSync(
      file,
      'Alias;First name;Labels\r\n"O\'Neil";"Shaq ""S"" <b>x</b>";waiver briefing\r\nadmin;;\r\n',
    );
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("input[type=file]")]);
    await chooser.accept([file]);
    await see(page, "1 new player can be created, 1 row cannot be used.");
    await see(page, "Row 2: admin");
    const listed = async () => (await s.call("GET /admin/get_players/{url_id}", { as: gm })).body.players;
    expect(await listed()).toHaveLength(1);
    await press(page, "Create 1 player");
    await see(page, "2 players");
    expect((await listed()).find(({ alias }: TestPlayer) => alias === "O'Neil")).toMatchObject({
      first_name: 'Shaq "S" <b>x</b>',
      labels: ["briefing", "waiver"],
    });
    rmSync(file);
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press(".");
    await page.waitForSelector("dialog[open] input[name=command]", { timeout: WAIT_MS });
    await page.keyboard.type("import");
    await page.keyboard.press("Enter");
    await page.waitForSelector("input[type=file]", { hidden: true, timeout: WAIT_MS });
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await see(page, "imported players");
    await page.keyboard.press("/");
    await page.waitForFunction("document.activeElement?.name === 'q'", { timeout: WAIT_MS });
  });

  it("undo a checkpoint by name, and add, test and remove a webhook", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const { checkpoint_id } = (
      await s.must("POST /admin/set_checkpoint/{url_id}", {
        as: gm,
        body: { name: "Library", applies_to: "humans" },
      })
    ).body;
    const page = await login(gm, "/app/gm/checkpoint");
    await see(page, "Ben");
    await s.must("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: gm, body: { checkpoint_id } });
    expect(await player(ben)).toMatchObject({ state: "corpse" });
    await page.reload();
    await press(page, "Undo");
    await see(page, "1 player is what they were before: Ben.");
    expect(await page.$eval("dialog[open] [type=submit]", (button) => button.matches(":disabled"))).toBe(
      true,
    );
    await fill(page, { reason: "The list of the library came late" });
    await confirm(page, "Undo");
    await answer(page, "Now");
    await see(page, "The checkpoint is undone: 1 player is restored.");
    expect(await player(ben)).toMatchObject({ state: "human", tag_code: ben.code });
    expect(await player(ada)).toMatchObject({ state: "zombie" });
    await see(page, "Enforce");

    await page.goto(`${base}/app/gm/game`);
    await press(page, "Add a webhook");
    await fill(page, { url: "https://hooks.invalid/secret-path" });
    await page.select("dialog[open] select[name=format]", "signed");
    await confirm(page, "Add a webhook");
    await see(page, "whsec_");
    await confirm(page, "Close");
    await see(page, "No test has arrived yet.");
    await press(page, "Send a test");
    await see(page, "The last message failed: ");
    expect(await page.content()).not.toContain("secret-path");
    await page.locator("button[aria-label='Remove the webhook to hooks.invalid']").click();
    await confirm(page, "Remove");
    await see(page, "The webhook is removed.");
    const { body } = await s.call("GET /admin/settings/{url_id}", { as: gm });
    expect(body.webhooks).toEqual([]);
  });

  it("keep the big screen through a restart without a network, and go on when it is back", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { public_board: true, name: "Spring" } });
    const page = await openPage("/app/screen");
    // Otherwise the browser keeps the game for half a minute.
    await page.setCacheEnabled(false);
    await see(page, "Spring");
    const isKept = `caches.match(performance.getEntriesByType("resource").map(({ name }) => name)
      .find((name) => name.includes("/assets/gm-screen") && name.endsWith(".js"))).then((found) => found !== undefined)`;
    await page.waitForFunction(isKept, { timeout: WAIT_MS });
    await setOffline(page, true);
    await s.hunt(ada, ben);
    await page.reload();
    await see(page, "No network. This is the game as it was today at ");
    expect(await page.$$(".swarm [data-state=zombie]")).toHaveLength(1);
    await setOffline(page, false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await see(page, "Ada tagged Ben");
    expect(await page.$("main [role=status]")).toBeNull();
  });

  const PAGES = [
    "now",
    "find?q=o",
    "desk",
    "disputes",
    "game",
    "checkpoint",
    "send",
    "players",
    "log",
    "print",
    "sql",
    "../screen",
  ];

  it("pass axe, fit every width, and show markup as text", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Wolfeschlegelsteinhausenberger", "O'Neil 名無しさん");
    const { interaction_id } = (await s.hunt(ada, ben)).body.interaction;
    const markup = "<script>alert(1)</script><b>bold</b>";
    await s.must("POST /interactions/dispute/{url_id}", {
      as: ben,
      body: { interaction_id, reason: markup },
    });
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: markup } });
    await s.must("POST /admin/edit_player/{url_id}", {
      as: gm,
      body: {
        player_id: ben.id,
        note: markup,
        first_name: markup,
        email: "a.rather.long.address@campus.example.org",
      },
    });
    const page = await login(gm, "/app/gm/find");
    await openPlayer(page, "wolf", ben.alias);
    const own = new URL(page.url()).pathname;
    await expectFit(page, [...PAGES.map((path) => `/app/gm/${path}`), own]);
  });
});
