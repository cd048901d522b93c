/** Typing into every control of every page, in a real Chromium: nothing throws, whatever is half typed. */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import type { Page } from "puppeteer-core";
import { expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { GAME_SECTIONS, paths } from "../../web/src/paths.ts";
import { CRATES } from "../support/constants.ts";
import { plain } from "../support/pictures.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";
import { typeEverywhere, typeText } from "../support/typing.ts";
import { describeInChromium, TIMEOUT, visit, webPages } from "../support/webPages.ts";

const SOURCES = globSync("web/src/**/*.tsx").map((path) => readFileSync(path, "utf8"));

const isPath = (one: unknown) => typeof one === "string";
const ROUTES = [...Object.values(paths).filter(isPath), paths.player(":ref")];
const GM_ROUTES = [...Object.values(paths.gm).filter(isPath), ...GAME_SECTIONS.map(paths.gm.section)];
const ANONYMOUS = ["/", "/app/join", "/app/login", "/app/recover", "/app/screen"];

/** Responses to what would change something. Reads and dry runs go through. */
const READING_POSTS = ["/get_player/", "/get_pfp/"];
const REFUSAL = JSON.stringify({
  ...{ type: "about:blank", status: 409, code: "wrong_state", title: "Refused" },
  ...{ detail: "The test sends nothing.", request_id: crypto.randomUUID() },
});

/** The longest wait after a step for files, such as pictures. */
const MAX_SETTLING_MS = 1_000;

/** Has the page itself count its requests: the browser tells the test of them only later. */
const COUNT_REQUESTS = `{
  const send = window.fetch;
  window.sending = 0;
  window.fetch = (...all) => {
    window.sending += 1;
    return send(...all).finally(() => { window.sending -= 1; });
  };
}`;

describeInChromium("every control of every page", () => {
  const s = testEnvironment();
  const { base, openPage, login } = webPages();
  const temp = useTempDir();
  const files = { picture: temp("picture.png"), list: temp("list.csv") };

  /** A game in which each page shows all that it can. */
  const everything = async () => {
    const [gm, zed, ada, ben, cleo, dora] = await s.game("Zed", "Ada", "Ben", "Cleo", "Dora");
    const admin = (path: string, body: object) => s.must(`POST /${path}/{url_id}`, { as: gm, body });
    const { interaction_id } = (await s.hunt(zed, ben)).body.interaction;
    const reason = "I was in the library.";
    await s.must("POST /interactions/dispute/{url_id}", { as: ben, body: { interaction_id, reason } });
    await s.hunt(zed, cleo);
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { wants_original: true } });
    await admin("admin/set_checkpoint", { name: "Library" });
    await admin("admin/ban", { alias: "Nobody" });
    await admin("admin/settings", {
      ...{ play_hours: { friday: [["18:00", "24:00"]], saturday: [["00:00", "24:00"]] } },
      ...{ time_zone: "Europe/Berlin", ends_at: rfc3339(Date.now() + 30 * DAY), hide_originals: true },
      ...{ join_codes: [{ code: "campus-7", uses: 5 }], description: "In the park.", waiver: "My own risk." },
      webhooks: [{ url: "https://discord.com/api/webhooks/1/secret", format: "discord" }],
    });
    await admin("admin/settings", { play_hours: null });
    await admin("notifications/send", {
      ...{ title: "Later", content: "Soon.", player_groups: "All", send_at: rfc3339(Date.now() + DAY) },
    });
    await admin("admin/corpsify", { alias: "Dora" });
    const mission = {
      ...{ title: "The drop", starts_at: rfc3339(Date.now() - HOUR), ends_at: rfc3339(Date.now() + HOUR) },
      ...{ briefings: [{ audience: "all", text: "Come.", reveal_at: rfc3339(Date.now() - HOUR) }] },
      ...{ attendance: "desk", rewards: [{ audience: "all", effect: { points: 5 } }] },
    };
    const { mission_id } = (await admin("admin/set_mission", mission)).body;
    await admin("admin/mission_attendance", { mission_id, alias: "Ada" });
    await plain().png().toFile(files.picture);
    // A name in an encoding that has to be guessed, and a mailbox that repeats.
    const rows = ["Zo\xeb,zoe@example.org", "Zoe K,zoe+hvz@example.org"];
    writeFileSync(files.list, `alias,email\n${rows.join("\n")}\n`, "latin1");
    const image = readFileSync(files.picture).toString("base64");
    await s.must("POST /set_pfp/{url_id}", { as: ada, body: { image } });
    const refOf = async (player: TestPlayer): Promise<string> => String((await s.see(player)).player_ref);
    const { body: batch } = await admin("admin/create_codes", CRATES);
    return { gm, zed, ada, batch, dead: await refOf(dora), refs: { ref: await refOf(ada) }, mission_id };
  };

  /** Opens a page that sends nothing, and that reports what its scripts throw or write as an error. */
  const quiet = async (page: Page): Promise<() => Promise<void>> => {
    const running = new Set<object>();
    page.on("dialog", (dialog) => void dialog.accept());
    await page.evaluateOnNewDocument(
      "window.print = () => {}; HTMLInputElement.prototype.showPicker = () => {};",
    );
    await page.evaluateOnNewDocument(COUNT_REQUESTS);
    await page.evaluate(COUNT_REQUESTS);
    await page.setBypassServiceWorker(true);
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      running.add(request);
      const reads =
        ["GET", "HEAD"].includes(request.method()) ||
        READING_POSTS.some((path) => request.url().includes(path)) ||
        request.postData()?.includes('"dry_run":true') === true;
      const answer = reads
        ? request.continue()
        : request.respond({ status: 409, contentType: "application/problem+json", body: REFUSAL });
      answer.catch(() => {});
    });
    for (const end of ["requestfinished", "requestfailed"] as const)
      page.on(end, (request) => void running.delete(request));
    return async () => {
      await page.waitForFunction("window.sending === 0", TIMEOUT);
      const until = Date.now() + MAX_SETTLING_MS;
      while (running.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
      // A picture that is loaded only when it comes into view is not waited for again.
      running.clear();
    };
  };

  /**
   * Types into what a page has and did not have before.
   * @param typed what has been typed into, by page; those of two players, and of two of who sees one, are the same
   * @returns the names of its controls
   */
  const tryPage = async (
    page: Page,
    settled: () => Promise<void>,
    path: string,
    typed: Map<string, string[]>,
  ): Promise<Set<string>> => {
    await visit(page, `${base}${path}`);
    await settled();
    const kind = path.replace(/[?#].*|(?<=players\/).+/, "");
    const done = typed.get(kind) ?? [];
    typed.set(kind, done);
    const { names, unreached } = await typeEverywhere(page, settled, files, done);
    // The list of the page's commands opens by its key.
    if (path === "/app/gm/now") {
      await page.keyboard.press(".");
      await page.waitForSelector("input[name=command]:focus", TIMEOUT);
      await typeText(page);
      names.add("command");
      await page.keyboard.press("Escape");
    }
    expect(unreached, `controls of ${path} that nobody can reach`).toEqual([]);
    expect(await page.$("main h1"), path).not.toBeNull();
    expect(await page.$("[data-failed]"), path).toBeNull();
    // The page still works: a link leads to another page.
    const link = await page.$("nav a:not([aria-current])");
    if (link !== null) {
      const before = page.url();
      await link.evaluate((one) => Object(one).click());
      await page.waitForFunction(`location.href !== ${JSON.stringify(before)}`, TIMEOUT);
    }
    return names;
  };

  it("can be typed into, pasted into and cleared", { timeout: 600_000 }, async () => {
    const { gm, zed, ada, batch, dead, refs, mission_id } = await everything();
    const expand = (path: string): string =>
      path.replace(/:(\w+)\*?/, (_, name) => Object(refs)[name] ?? `:${name}`);
    const players = ROUTES.filter((path) => !ANONYMOUS.includes(path) && !path.startsWith("/app/gm/"));
    const visits: (readonly [who: TestPlayer | null, path: string])[] = [
      ...ANONYMOUS.filter((path) => ROUTES.includes(path)).map((path) => [null, path] as const),
      ...players.map((path) => [zed, expand(path)] as const),
      // A human has other controls than a zombie.
      ...["/app/me", "/app/profile", "/app/feed", "/app/tag"].map((path) => [ada, path] as const),
      ...GM_ROUTES.map((path) => [gm, path.endsWith("/") ? `${path}${refs.ref}` : path] as const),
      // And a corpse other commands than a human.
      ...[refs.ref, dead].map((ref) => [gm, `/app/gm/players/${ref}`] as const),
      ...[paths.gm.mission(String(mission_id)), paths.gm.playersBelow(2)].map((path) => [gm, path] as const),
      [gm, paths.gm.batch(batch.batch_id)],
      [gm, paths.gm.sheetOf(batch.batch_id)],
    ];
    // With a checkpoint and without one the page has another form.
    const twice = "/app/gm/checkpoint";
    expect(visits.length).toBeGreaterThan(25);
    expect(visits.filter(([, path]) => path.includes(":"))).toEqual([]);
    const faults: string[] = [];
    const seen = new Set<string>();
    const typed = new Map<string, string[]>();
    for (const who of new Set(visits.map(([one]) => one))) {
      const page = who === null ? await openPage("/") : await login(who);
      page.on("pageerror", (error) => faults.push(`${page.url()}: ${error}`));
      page.on("console", (message) => {
        const isOfService = message.text().startsWith("Failed to load resource");
        if (message.type() === "error" && !isOfService) faults.push(`${page.url()}: ${message.text()}`);
      });
      const settled = await quiet(page);
      for (const [one, path] of visits)
        if (one === who) {
          for (const name of await tryPage(page, settled, path, typed)) seen.add(name);
          if (path !== twice) continue;
          await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { clear: true } });
          // Where a mission is all that the desk is for, it takes a list.
          for (const again of [path, paths.gm.desk])
            for (const name of await tryPage(page, settled, again, typed)) seen.add(name);
        }
      await page.close();
    }
    expect(faults).toEqual([]);
    // A control that no page has shown: it needs another game, or another step of this test.
    const named = SOURCES.flatMap((source) => [
      ...source.matchAll(/^\s*name="(\w+)"$|<\w+[^>]* name="(\w+)"/gm),
    ]);
    const all = new Set(named.map(([, one, other]) => one ?? other ?? ""));
    // Filled in for password managers, and not shown.
    all.delete("username");
    // A period has two fields.
    const isSeen = (name: string): boolean => seen.has(name) || seen.has(`${name}_hours`);
    expect([...all].filter((name) => !isSeen(name))).toEqual([]);
  });
});
