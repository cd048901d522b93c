/** What stands between a phone and the service: captive portals, proxies and lost connections. */
import { expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { CRATES } from "../support/constants.ts";
import { describeInEngines, describeInOneEngine, type OpenTab, type Tab } from "../support/engines.ts";
import {
  type Answer,
  ask,
  BAD_GATEWAY,
  type Front,
  OFFLINE,
  OTHER_JSON,
  onApi,
  openFront,
  PORTAL,
  storedAlias,
  UNREACHABLE,
  untilInstalled,
} from "../support/faultyFront.ts";
import { type TestEnvironment, testEnvironment } from "../support/service.ts";
import { BASE, follow, TIMEOUT } from "../support/webPages.ts";

/** The types of everything in the caches of the service worker. */
const cachedTypes = (tab: Tab) =>
  tab.evaluate(`caches.keys().then((names) => Promise.all(names.map(async (name) => {
    const cache = await caches.open(name);
    return Promise.all((await cache.keys()).map(async (request) => {
      const response = await cache.match(request);
      return new URL(request.url).pathname.split(".").at(-1) + " " + response.headers.get("content-type").split(";")[0];
    }));
  }))).then((all) => [...new Set(all.flat())].toSorted())`);

/** Shows the last state with its time while something else answers, also after a reload, and the present one afterwards. */
const expectLastState = async (tab: Tab, front: Front, alias: string, change: () => Promise<unknown>) => {
  await ask(tab);
  await tab.see(OFFLINE);
  await tab.see(alias);
  await tab.reload();
  await tab.see(OFFLINE);
  await tab.see(alias);
  expect(await storedAlias(tab)).toBe(alias);
  await change();
  front.fault = () => undefined;
  await ask(tab);
};

/** Shows the last state for each answer in place of the service's, and then what the service answers. */
const expectLastStates = async (
  s: TestEnvironment,
  open: OpenTab,
  answers: readonly (readonly [name: string, answer: Answer | "cut"])[],
) => {
  const [gm, , ada] = await s.game("Zed", "Ada");
  const front = await openFront();
  const tab = await open(`${front.base}/app/me`, ada);
  await tab.see("Your tag code");
  await untilInstalled(tab);
  for (const [at, [name, answer]] of answers.entries()) {
    front.fault = onApi(answer);
    const [command, text] = at % 2 === 0 ? ["corpsify", "Corpse"] : ["revive_h", "Your tag code"];
    await expectLastState(tab, front, "Ada", () =>
      s.must(`POST /admin/${command}/{url_id}`, { as: gm, body: { player_id: ada.id } }),
    );
    await tab.see(text);
    await expect.poll(() => tab.text(), { ...TIMEOUT, message: name }).not.toContain(OFFLINE);
  }
};

/** Has the page wait for answers that have arrived, until a test ends or breaks them by `held`. */
const holdAnswers = async (tab: Tab, to: RegExp) => {
  await tab.evaluate(`(() => {
    const send = fetch;
    window.held = [];
    window.fetch = async (url, options) => {
      const response = await send(url, options);
      if (${to}.test(url)) await new Promise((...ends) => { held.push(ends); });
      return response;
    };
  })()`);
  const count = async () => Number(await tab.evaluate("held.length"));
  const hold = async (work: () => Promise<unknown>): Promise<void> => {
    await tab.evaluate("void (held.length = 0)");
    await work();
    await expect.poll(count, TIMEOUT).toBe(1);
  };
  return { count, hold };
};

/** A browser that keeps no data of sites throws wherever a page asks for some. */
const NO_STORAGE = `(() => {
  const get = () => { throw new DOMException("Access is denied for this document.", "SecurityError"); };
  for (const name of ["localStorage", "sessionStorage", "caches"])
    Object.defineProperty(window, name, { configurable: true, get });
  IDBFactory.prototype.open = get;
})()`;

describeInEngines("between the app and the service", (open, engine) => {
  const s = testEnvironment();

  it("whatever answers in its place leaves the last state with its time, and is over when the service answers", () =>
    expectLastStates(s, open, [
      ["a portal's page", PORTAL],
      ["an empty success", { ...PORTAL, status: 204, body: "" }],
      ["another's 304", { ...PORTAL, status: 304, body: "" }],
      ["no answer", "cut"],
    ]));

  it("whatever answers in place of the page, the cached page opens with the last state", async () => {
    const [, , ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    const tab = await open(`${front.base}/app/me`, ada);
    await tab.see("Your tag code");
    await untilInstalled(tab);
    await tab.reload();
    await tab.see("Your tag code");
    // The policy of the page does not let it follow.
    tab.expectFaults(/Content.Security.Policy/i);
    const redirect = { ...PORTAL, status: 302, headers: { location: "http://127.0.0.1:9/portal" } };
    for (const answer of [PORTAL, BAD_GATEWAY, redirect, "cut"] as const) {
      front.fault = () => answer;
      await tab.goto(`${front.base}/app/me`);
      await tab.see(OFFLINE);
      await tab.see("Your tag code");
      expect(await tab.text()).not.toMatch(/Welcome|Bad Gateway/);
      front.fault = () => undefined;
      await ask(tab);
      await expect.poll(() => tab.text(), TIMEOUT).not.toContain(OFFLINE);
    }
  });

  it("a portal's page in place of scripts is not kept: the first visit goes on, and so does a page that is loaded later", async () => {
    const gm = await s.admin();
    const front = await openFront();
    const isAsset = (what: string): boolean => what.startsWith("GET /app/assets/");
    front.fault = ({ what }) => (isAsset(what) ? PORTAL : undefined);
    const tab = await open(`${front.base}/app/login?to=/app/me`);
    // WebKit tells its own messages to nobody.
    if (engine !== "WebKit")
      tab.expectFaults(
        /MIME|module script|disallowed|stylesheet|style sheet|preload|not of the service|ServiceWorker/i,
      );
    await tab.see("This page appears by itself");
    front.fault = () => undefined;
    await tab.logIn(gm);
    await tab.find("nav");
    await untilInstalled(tab);
    await tab.reload();
    await tab.find("nav");
    front.fault = ({ what }) => (isAsset(what) ? PORTAL : undefined);
    // On a phone it is behind a button.
    await tab.evaluate("document.querySelector(\"a[href='/app/gm/now']\").click()");
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    await tab.press("Try again");
    await tab.find(".gm main h1");
    const types = ["/app/me text/html", "css text/css", "js text/javascript", "woff2 font/woff2"];
    expect(await cachedTypes(tab)).toEqual(types);
  });

  it("the landing page comes back after a portal that let its page be cached", async () => {
    await s.admin();
    const front = await openFront();
    front.fault = onApi(PORTAL);
    const tab = await open(`${front.base}/`);
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    await tab.press("Try again");
    await tab.see("The outbreak so far");
  });
});

// The app's own code decides the following.
describeInOneEngine("between the app and the service", (open) => {
  const s = testEnvironment();

  it("a portal answers every call: a login says so, and works when the portal is gone", async () => {
    const [, , ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    front.fault = onApi(PORTAL);
    const tab = await open(`${front.base}/app/login?to=/app/me`);
    await tab.type("input[name=alias]", ada.alias);
    await tab.type("input[name=password]", ada.password);
    await tab.press("Log in");
    await tab.see(UNREACHABLE);
    expect(await tab.evaluate("localStorage.getItem('snapshot')")).toBeNull();
    // The login succeeds, and what it needs then does not.
    front.fault = ({ what }) => (what === "POST /login" ? undefined : onApi(PORTAL)({ what, isPage: false }));
    await tab.press("Log in");
    await expect.poll(() => front.served).toContain("POST /login");
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    await tab.press("Log in");
    await tab.see("Your tag code");
    expect(await storedAlias(tab)).toBe("Ada");
  });

  it("whatever JSON and status answer in its place, the last state stays with its time", () =>
    expectLastStates(s, open, [
      ["JSON of another shape", OTHER_JSON],
      ["JSON of another shape under the service's headers", { ...OTHER_JSON, keeps: true }],
      ["a proxy's 403", { ...OTHER_JSON, status: 403, body: '{"code":"blocked","detail":"by a filter"}' }],
      ["502 with a foreign page", BAD_GATEWAY],
    ]));

  it("lists keep what they had, say from when it is, and do not store a portal's answer", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    await s.hunt(zed, ada);
    const front = await openFront();
    const tab = await open(`${front.base}/app/feed`, ada);
    await tab.see("Zed tagged Ada");
    await untilInstalled(tab);
    // Lists are stored when the browser is idle.
    await expect
      .poll(() => tab.evaluate("indexedDB.databases?.().then((all) => all.map(({ name }) => name))"), TIMEOUT)
      .toContain("last-known");
    for (const answer of [PORTAL, OTHER_JSON, { ...OTHER_JSON, keeps: true as const }]) {
      front.fault = onApi(answer);
      await tab.goto(`${front.base}/app/feed`);
      await tab.see(OFFLINE);
      await tab.see("Zed tagged Ada");
    }
  });

  it("a tag that a portal answers stays queued, and is sent exactly once afterwards", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    const tab = await open(`${front.base}/app/tag`, zed);
    await tab.find("input[name=tag_code]");
    const answers = [PORTAL, { ...PORTAL, status: 403 }, { ...OTHER_JSON, keeps: true as const }];
    front.fault = onApi(PORTAL);
    await tab.type("input[name=tag_code]", ada.code ?? "");
    await tab.press("Report");
    await tab.find(".queued");
    for (const answer of answers.slice(0, 2)) {
      front.fault = onApi(answer);
      await ask(tab);
      await tab.reload();
      await tab.find(".queued");
      expect(await tab.text()).toContain(ada.code);
    }
    expect(front.served.filter((what) => what.startsWith("POST /zombie/hunt"))).toEqual([]);
    expect((await s.see(zed)).kills).toBe(0);
    // The service gets it, and its answer is lost.
    front.fault = ({ what }) => (what.startsWith("POST /zombie/hunt") ? answers[2] : undefined);
    await ask(tab);
    await expect.poll(() => s.see(zed), TIMEOUT).toMatchObject({ kills: 1 });
    await tab.find(".queued");
    front.fault = () => undefined;
    await ask(tab);
    await expect.poll(() => tab.evaluate("document.querySelector('.queued') === null"), TIMEOUT).toBe(true);
    expect(await s.see(zed)).toMatchObject({ kills: 1 });
    expect(await tab.text()).not.toMatch(/used|refused/);
  });

  it("a command whose answer is lost is carried out once, also when it is repeated", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    const { interaction } = (await s.hunt(zed, ada)).body;
    const dispute = { interaction_id: interaction.interaction_id, reason: "I was inside." };
    await s.must("POST /interactions/dispute/{url_id}", { as: ada, body: dispute });
    const front = await openFront();
    const tab = await open(`${front.base}/app/gm/missions/new`, gm);
    const set = (name: string, value: string) =>
      tab.evaluate(`(() => {
        const field = document.querySelector("[name='${name}']");
        field.value = "${value}";
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      })()`);
    const lose = (path: string): void => {
      front.fault = ({ what }) => (what.startsWith(`POST ${path}/`) ? { ...PORTAL, keeps: true } : undefined);
    };
    const [save, submit] = ["dialog[open] button[type=submit]", "main form button[type=submit]"];

    await tab.type("[name=title]", "The drop");
    await set("starts_at", "2027-06-01T10:00");
    await set("ends_at", "2027-06-01T12:00");
    await tab.type("[name='briefings.0.text']", "Carry the crates.");
    await tab.press("Review");
    lose("/admin/set_mission");
    await tab.click(save);
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    // Another request is refused under the key, and says what that means.
    await tab.type("[name=reason]", "Rain");
    await tab.click(save);
    await tab.see("It has been sent already, with what you had typed then.");
    await tab.type("[name=reason]", "");
    await tab.click(save);
    await tab.see("The mission is saved");
    const { missions } = (await s.must("GET /missions/{url_id}", { as: gm })).body;
    expect(missions).toHaveLength(1);

    await tab.goto(`${front.base}/app/gm/checkpoint`);
    await tab.type("[name=name]", "Library");
    const checkpointId = async () =>
      (await s.must("GET /game/{url_id}", { as: gm })).body.checkpoint?.checkpoint_id;
    lose("/admin/set_checkpoint");
    await tab.click(submit);
    await expect.poll(checkpointId, TIMEOUT).toBeDefined();
    const first = await checkpointId();
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    await tab.click(submit);
    await tab.see("The checkpoint is set");
    expect(await checkpointId()).toBe(first);

    await tab.goto(`${front.base}/app/gm/disputes`);
    await tab.type("[name=comment]", "Asked both");
    lose("/admin/comment_dispute");
    await tab.click(submit);
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    await tab.click(submit);
    await tab.find("ul[aria-label=Comments]");

    await tab.goto(`${front.base}/app/gm/send`);
    await tab.type("[name=title]", "Tonight");
    await tab.type("[name=content]", "Meet at the fountain");
    await tab.press("Review");
    lose("/notifications/send");
    await tab.click(save);
    await tab.click(".toast button[data-kind=quiet]");
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    await tab.click(".toast button:not([data-kind])");
    await tab.see("The message is sent.");

    const { disputes } = (await s.must("GET /admin/disputes/{url_id}", { as: gm })).body;
    expect(disputes[0].comments).toHaveLength(1);
    const { notifications } = (await s.must("GET /notifications/inbox/{url_id}", { as: zed })).body;
    const titles = notifications.map(({ title }: { title: string }) => title);
    expect(titles.slice(0, 3)).toEqual(["Tonight", "There is a checkpoint", "Mission: The drop"]);
  });

  it("the desk waits until it knows the missions, and is never at another place than the one that was chosen", async () => {
    const [gm] = await s.game("Zed", "Ada");
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Library" } });
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const drop = { title: "The drop", starts_at: at(-1), ends_at: at(1), attendance: "desk" };
    const briefings = [{ audience: "all", text: "Carry the crates.", reveal_at: at(-1) }];
    const body = { ...drop, briefings };
    const { mission_id } = (await s.must("POST /admin/set_mission/{url_id}", { as: gm, body })).body;
    const script = `(() => {
      const send = fetch;
      window.goOn = new Promise((resolve) => { window.answer = resolve; });
      window.fetch = async (url, options) => {
        const response = await send(url, options);
        if (String(url).startsWith("/missions/")) await goOn;
        return response;
      };
    })()`;
    const front = await openFront({ script });
    const tab = await open(`${front.base}/app/gm/desk`, gm);
    await expect.poll(() => front.served, TIMEOUT).toContain("GET /missions/me");
    await expect.poll(() => front.served, TIMEOUT).toContain("GET /game/me");
    await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
    const hasForm = () => tab.evaluate("document.querySelector('input[name=text]') !== null");
    expect(await hasForm()).toBe(false);
    await tab.evaluate("answer()");
    await tab.type("input[name=text]", "Ad");
    expect(await tab.valueOf("select[name=target]")).toBe(mission_id);
    const close = { mission_id, result: "none" };
    await s.must("POST /admin/close_mission/{url_id}", { as: gm, body: close });
    const news = "new MessageEvent('message', { data: '/app/missions' })";
    await tab.evaluate(`void navigator.serviceWorker.dispatchEvent(${news})`);
    await tab.see("Nobody can be checked in there any more.");
    expect(await hasForm()).toBe(false);
    const { checkpoint } = (await s.must("GET /game/{url_id}", { as: gm })).body;
    await tab.select("select[name=target]", checkpoint.checkpoint_id);
    await tab.find("input[name=text]");
  });

  it("the page of the season offers nothing before it knows what there is, and says why it does not", async () => {
    const [gm] = await s.game("Zed");
    const front = await openFront();
    front.fault = ({ what }) => (what.startsWith("GET /admin/season/") ? "cut" : undefined);
    const tab = await open(`${front.base}/app/gm/game/season`, gm);
    await tab.see(UNREACHABLE);
    expect(await tab.text()).not.toContain("The end of this season");
    expect(await tab.evaluate("document.querySelector('.steps')")).toBeNull();
    front.fault = () => undefined;
    await tab.press("Try again");
    await tab.find(".steps");
    expect(await tab.text()).toContain("The end of this season");
  });

  it("each part of a game masters' page that could not be read says so, and can be read again", async () => {
    const [gm] = await s.game("Zed");
    const times = { starts_at: rfc3339(s.now), ends_at: rfc3339(s.now + HOUR) };
    const briefings = [{ audience: "all", text: "Come.", reveal_at: rfc3339(s.now) }];
    const body = { title: "The drop", ...times, briefings, attendance: "desk" };
    await s.must("POST /admin/set_mission/{url_id}", { as: gm, body });
    const front = await openFront();
    const tab = await open(`${front.base}/app/gm/log`, gm);
    await tab.find("main h1");
    const parts = [
      ["game/originals", "get_players"],
      ["missions", "get_logs"],
      ["now", "alerts"],
      ["checkpoint", "get_logs"],
      ["send", "get_logs"],
      ["desk", "get_players"],
      ["find?q=zed", "get_players"],
    ];
    for (const [page, action] of parts) {
      front.fault = ({ what }) => (what === `GET /admin/${action}/me` ? "cut" : undefined);
      await follow(tab, `/app/gm/${page}`);
      await tab.see(UNREACHABLE);
      expect(await tab.text()).not.toMatch(/Nothing needs you|No human has volunteered/);
      front.fault = () => undefined;
      await tab.press("Try again");
      await expect.poll(() => tab.text(), TIMEOUT).not.toContain(UNREACHABLE);
    }
    await follow(tab, "/app/gm/game/season");
    await tab.press("Finish the season");
    front.fault = ({ what }) => (what === "GET /admin/get_players/me" ? "cut" : undefined);
    await tab.click("dialog[open] button:has(svg)");
    await tab.find("dialog[open] .error-note");
    front.fault = () => undefined;
    await tab.click("dialog[open] .error-note button");
    await expect.poll(() => tab.text(), TIMEOUT).not.toContain(UNREACHABLE);
  });

  it("the join form and the end of the game say what could not be read, and read it again", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    await s.must("POST /admin/settings/{url_id}", {
      as: gm,
      body: { ends_at: "now", registration: "closed" },
    });
    const front = await openFront();
    const parts = [
      ["/app/join", undefined, "GET /public", "Registration is closed."],
      ["/app/me", ada, "GET /interactions/awards/me", "Last human"],
      ["/app/me", ada, "GET /interactions/leaderboard/me", "Last human"],
    ] as const;
    for (const [path, player, what, then] of parts) {
      front.fault = (wanted) => (wanted.what === what ? "cut" : undefined);
      const tab = await open(`${front.base}${path}`, player);
      await tab.see(UNREACHABLE);
      front.fault = () => undefined;
      await tab.press("Try again");
      await tab.see(then);
      await expect.poll(() => tab.text(), TIMEOUT).not.toContain(UNREACHABLE);
    }
  });

  it("an answer that arrives late does not replace a newer one, opens nothing on another page, and is told if it is a failure", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { wants_original: true } });
    const tab = await open(`${BASE}/app/gm/now`, gm);
    await tab.find("main h1");
    const { count, hold } = await holdAnswers(tab, /admin.(codes|draw_originals|feed_player|create_codes)/);
    await follow(tab, "/app/gm/codes");
    await expect.poll(count, TIMEOUT).toBe(1);
    const body = { ...CRATES, label: "At the fountain" };
    await s.must("POST /admin/create_codes/{url_id}", { as: gm, body });
    // News of the batch may have had it read once more.
    const before = await count();
    await tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(count, TIMEOUT).toBeGreaterThan(before);
    await tab.evaluate("held.at(-1)[0]()");
    await tab.see("At the fountain");
    await tab.evaluate("held[0][0]()");
    await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
    expect(await tab.text()).toContain("At the fountain");
    await follow(tab, "/app/gm/game/originals");
    await hold(() => tab.press("Draw"));
    await follow(tab, `/app/gm/players/${(await s.see(zed)).player_ref}`);
    await tab.see("History");
    await tab.evaluate("held[0][0]()");
    await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
    expect(await tab.evaluate("document.querySelector('dialog[open]')")).toBeNull();
    await tab.press("Feed");
    await hold(() => tab.click("dialog[open] button[type=submit]"));
    await tab.click("dialog[open] button[data-kind=quiet]");
    await tab.evaluate("held[0][1](new TypeError('Failed to fetch'))");
    await tab.see(`Feed Zed: ${UNREACHABLE}`);
    await hold(() => follow(tab, "/app/gm/codes"));
    await tab.evaluate("held[0][0]()");
    await tab.type("[name=label]", "In the park");
    await tab.type("[name=message]", "A riddle.");
    await tab.click("main form button[type=submit]");
    await hold(() => tab.click("dialog[open] button[type=submit]"));
    await tab.click("dialog[open] button[data-kind=quiet]");
    await follow(tab, "/app/gm/now");
    await tab.see("Who starves next");
    await tab.evaluate("held[0][0]()");
    await tab.see("20 codes made.");
    expect(await tab.evaluate("location.pathname")).toBe("/app/gm/now");
    await follow(tab, `/app/gm/players/${(await s.see(zed)).player_ref}`);
    await tab.see("History");
    // A dialog does not stay over another page.
    await tab.press("Feed");
    await tab.find("dialog[open]");
    await tab.evaluate("history.back()");
    await expect.poll(() => tab.evaluate("document.querySelector('dialog[open]')"), TIMEOUT).toBeNull();
  });

  it("a secret is shown until it is closed, also if its dialog or its page was left before, and by a second attempt", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    const { player_ref } = await s.see(ada);
    const tab = await open(`${BASE}/app/gm/players/${player_ref}`, gm);
    await tab.see("History");
    const { hold } = await holdAnswers(tab, /recover_password/);
    const SECRET = "dialog[open] .secret";
    const ask = async () => {
      await tab.press("Recovery code");
      await tab.click("dialog[open] button[type=submit]");
    };
    const leave = async () => {
      await tab.click("dialog[open] button[data-kind=quiet]");
      await follow(tab, "/app/gm/now");
      await tab.see("Who starves next");
    };
    await hold(ask);
    await leave();
    await tab.evaluate("held[0][0]()");
    await tab.find(SECRET);
    await tab.click("dialog[open] button[data-kind=primary]");
    await expect.poll(() => tab.evaluate(`document.querySelector("${SECRET}")`), TIMEOUT).toBeNull();
    await follow(tab, `/app/gm/players/${player_ref}`);
    await tab.see("History");
    await hold(ask);
    await leave();
    await tab.evaluate("held[0][1](new TypeError('Failed to fetch'))");
    await hold(() => tab.click(".toast button:not([data-kind])"));
    await tab.evaluate("held[0][0]()");
    await tab.find(SECRET);
    const code = await tab.evaluate(`document.querySelector("${SECRET}").textContent`);
    const body = { alias: "Ada", recovery_code: code, new_password: "another long password" };
    await s.must("POST /change_password", { body });
  });

  it("every page goes on in a browser that blocks the data of sites", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    const front = await openFront({ script: NO_STORAGE });
    const tab = await open(`${front.base}/`);
    await tab.see("The outbreak so far");
    await tab.press("Join the game");
    await tab.type("input[name=alias]", "Bea");
    await tab.type("input[name=password]", "correct horse battery");
    await tab.press("Join");
    await tab.see("Your tag code");
    await tab.goto(`${front.base}/app/login?to=/app/tag`);
    await tab.logIn(zed);
    await tab.type("input[name=tag_code]", ada.code ?? "");
    await tab.press("Report the tag");
    await tab.see("You tagged Ada");
    await tab.goto(`${front.base}/app/login?to=/app/gm/print`);
    await tab.logIn(gm);
    await tab.find(".gm main h1");
    await tab.goto(`${front.base}/app/screen`);
    await tab.see("Full screen");
  });
});
