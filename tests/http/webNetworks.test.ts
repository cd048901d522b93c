/**
 * What stands between a phone and the service, in every browser's engine: captive portals, proxies and lost connections; what
 * the app keeps on a device, also if it is broken; and push subscriptions that one of the two sides has lost.
 */
import { expect, it, onTestFinished } from "vitest";
import { subscriptionsOf } from "../../lib/store/notifications/subscriptions.ts";
import { describePartlyInEngines, type Tab } from "../support/engines.ts";
import {
  type Answer,
  BAD_GATEWAY,
  OTHER_JSON,
  onApi,
  PORTAL,
  startFaultyFront,
} from "../support/faultyFront.ts";
import { running } from "../support/running.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { TIMEOUT } from "../support/webPages.ts";
import { makeBrowser } from "../support/webPush.ts";

const OFFLINE = "You are offline. This is from";
const UNREACHABLE = "The service cannot be reached";

const openFront = async (script?: string) => {
  const front = await startFaultyFront(running().base, script);
  onTestFinished(() => front.stop());
  return front;
};
type Front = Awaited<ReturnType<typeof openFront>>;

const logIn = async (tab: Tab, { alias, password }: TestPlayer): Promise<void> => {
  await tab.type("input[name=alias]", alias);
  await tab.type("input[name=password]", password);
  await tab.press("Log in");
  await tab.find("nav");
};

/** Has the page ask the service now, rather than within 15 seconds. */
const ask = (tab: Tab) => tab.evaluate("void dispatchEvent(new Event('online'))");
const textOf = (tab: Tab) => tab.evaluate("document.body.textContent");
/** Waits until the service worker has the whole app. */
const untilInstalled = (tab: Tab) => tab.evaluate("navigator.serviceWorker.ready.then(() => true)");
const storedAlias = (tab: Tab) => tab.evaluate("JSON.parse(localStorage.getItem('snapshot')).player.alias");
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

describePartlyInEngines("between the app and the service", (open, engine) => {
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

  const ANSWERS: [name: string, answer: Answer | "cut"][] = [
    ["a portal's page", PORTAL],
    ["JSON of another shape", OTHER_JSON],
    ["JSON of another shape under the service's headers", { ...OTHER_JSON, keeps: true }],
    ["an empty success", { ...PORTAL, status: 204, body: "" }],
    ["another's 304", { ...PORTAL, status: 304, body: "" }],
    ["a proxy's 403", { ...OTHER_JSON, status: 403, body: '{"code":"blocked","detail":"by a filter"}' }],
    ["502 with a foreign page", BAD_GATEWAY],
    ["no answer", "cut"],
  ];

  it.each(ANSWERS)(
    "%s leaves the last state with its time, and is over when the service answers",
    async (_, answer) => {
      const [gm, , ada] = await s.game("Zed", "Ada");
      const front = await openFront();
      const tab = await open(`${front.base}/app/login?to=/app/me`);
      await logIn(tab, ada);
      await tab.see("Your tag code");
      await untilInstalled(tab);
      front.fault = onApi(answer);
      await expectLastState(tab, front, "Ada", () =>
        s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: ada.id } }),
      );
      await tab.see("Corpse");
      await expect.poll(() => textOf(tab), TIMEOUT).not.toContain(OFFLINE);
    },
  );

  it.each([
    ["a portal's page", PORTAL],
    ["502 with a foreign page", BAD_GATEWAY],
    [
      "a redirect to another place",
      { ...PORTAL, status: 302, headers: { location: "http://127.0.0.1:9/portal" } },
    ],
    ["no answer", "cut" as const],
  ] as const)("%s in place of the page: the cached page opens with the last state", async (name, answer) => {
    const [, , ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    const tab = await open(`${front.base}/app/login?to=/app/me`);
    await logIn(tab, ada);
    await tab.see("Your tag code");
    await untilInstalled(tab);
    await tab.reload();
    await tab.see("Your tag code");
    // The policy of the page does not let it follow.
    if (name.startsWith("a redirect")) tab.expectFaults(/Content.Security.Policy/i);
    front.fault = () => answer;
    await tab.goto(`${front.base}/app/me`);
    await tab.see(OFFLINE);
    await tab.see("Your tag code");
    expect(String(await textOf(tab))).not.toMatch(/Welcome|Bad Gateway/);
    front.fault = () => undefined;
    await ask(tab);
    await expect.poll(() => textOf(tab), TIMEOUT).not.toContain(OFFLINE);
  });

  it("lists keep what they had, say from when it is, and do not store a portal's answer", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    await s.hunt(zed, ada);
    const front = await openFront();
    const tab = await open(`${front.base}/app/login?to=/app/feed`);
    await logIn(tab, ada);
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
    await logIn(tab, gm);
    await untilInstalled(tab);
    await tab.reload();
    await tab.find("nav");
    front.fault = ({ what }) => (isAsset(what) ? PORTAL : undefined);
    await tab
      .click("a[href='/app/gm/now']")
      .catch(() => tab.evaluate("document.querySelector(\"a[href='/app/gm/now']\").click()"));
    await tab.see(UNREACHABLE);
    front.fault = () => undefined;
    await tab.press("Try again");
    await tab.find(".gm main h1");
    expect(await cachedTypes(tab)).toEqual(["/app/me text/html", "css text/css", "js text/javascript"]);
  });

  it("a tag that a portal answers stays queued, and is sent exactly once afterwards", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    const tab = await open(`${front.base}/app/login?to=/app/tag`);
    await logIn(tab, zed);
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
      expect(await textOf(tab)).toContain(ada.code);
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
    expect(await textOf(tab)).not.toMatch(/used|refused/);
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

/** A browser that keeps no data of sites throws wherever a page asks for some. */
const NO_STORAGE = `(() => {
  const get = () => { throw new DOMException("Access is denied for this document.", "SecurityError"); };
  for (const name of ["localStorage", "sessionStorage", "caches"])
    Object.defineProperty(window, name, { configurable: true, get });
  IDBFactory.prototype.open = get;
})()`;

describePartlyInEngines("what is kept on a device", (open) => {
  const s = testEnvironment();

  const store = (tab: Tab, name: string, text: string) =>
    tab.evaluate(`localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(text)})`);
  /** Puts a value into the app's own database. */
  const storeInDatabase = (tab: Tab, database: string, list: string, key: string, value: string) =>
    tab.evaluate(`new Promise((resolve, reject) => {
      const opened = indexedDB.open(${JSON.stringify(database)});
      opened.onerror = reject;
      opened.onupgradeneeded = () => opened.result.createObjectStore(${JSON.stringify(list)});
      opened.onsuccess = () => {
        const written = opened.result.transaction(${JSON.stringify(list)}, "readwrite");
        written.objectStore(${JSON.stringify(list)}).put(${value}, ${JSON.stringify(key)});
        written.oncomplete = () => { opened.result.close(); resolve(true); };
      };
    })`);

  const BROKEN = [
    "{",
    "7",
    "[]",
    "{}",
    '{"player":{"alias":"Ada"},"game":{}}',
    '{"player":null,"game":null,"savedAt":1}',
    "NEWER",
    "NAN",
  ];

  it("a broken snapshot is replaced online, and offline the page says so and goes on by itself", async () => {
    const [, , ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    const tab = await open(`${front.base}/app/login?to=/app/me`);
    await logIn(tab, ada);
    await tab.see("Your tag code");
    await untilInstalled(tab);
    const good = JSON.parse(String(await tab.evaluate("localStorage.getItem('snapshot')")));
    expect(good).toMatchObject({ version: 1 });
    const broken = (text: string): string => {
      if (text === "NEWER") return JSON.stringify({ ...good, version: 2 });
      return text === "NAN" ? JSON.stringify({ ...good, savedAt: "yesterday" }) : text;
    };
    for (const text of BROKEN) {
      await store(tab, "snapshot", broken(text));
      await tab.reload();
      await tab.see("Your tag code");
      expect(await storedAlias(tab), text).toBe("Ada");
    }
    for (const text of BROKEN.slice(3, 5)) {
      await store(tab, "snapshot", broken(text));
      front.fault = () => "cut";
      await tab.reload();
      await tab.see(UNREACHABLE);
      front.fault = () => undefined;
      await tab.press("Try again");
      await tab.see("Your tag code");
    }
    // As an earlier version has stored it, also offline.
    const { version: _, ...earlier } = good;
    await store(tab, "snapshot", JSON.stringify(earlier));
    front.fault = () => "cut";
    await tab.reload();
    await tab.see(OFFLINE);
    await tab.see("Your tag code");
  });

  it("whatever else is broken is left out, and every page goes on", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Bridge" } });
    await s.hunt(zed, ada);
    const front = await openFront();
    const tab = await open(`${front.base}/app/login?to=/app/me`);
    await logIn(tab, gm);
    await untilInstalled(tab);
    for (const [name, text] of [
      ["seen_at", "1e300"],
      ["inbox_after", "nonsense"],
      ["device_token", "{"],
      ["push", "{"],
      ["succeeded", "{"],
      ["statements", '{"a":1}'],
      ["screen", '{"game":{"name":"Old"},"at":"x"}'],
      [`desk-${gm.id}`, '[null,7,{"key":"k","text":"a","status":"lost"},"x"]'],
    ] as const)
      await store(tab, name, text);
    for (const list of ["feed", "inbox", "history", "kills", "players", "outbreak"])
      await storeInDatabase(tab, "last-known", "pages", list, "{ items: [{}, null], readAt: 'x' }");
    await storeInDatabase(
      tab,
      "tags",
      "queue",
      "1",
      `{ player_id: ${JSON.stringify(gm.id)}, refusal: null }`,
    );
    await storeInDatabase(tab, "tags", "queue", "2", "7");
    for (const [path, text] of [
      ["/app/me", "Your history"],
      ["/app/feed", "Zed tagged Ada"],
      ["/app/players", "Ada"],
      ["/app/inbox", "Inbox"],
      ["/app/tag", "Enter a tag"],
      ["/app/gm/desk", "Check in"],
      ["/app/gm/sql", "SQL"],
      ["/app/screen", "2 zombies"],
    ] as const) {
      await tab.goto(`${front.base}${path}`);
      await tab.find("main h1");
      await tab.see(text);
    }
    // Offline, a list that cannot be read is none.
    await storeInDatabase(tab, "last-known", "pages", "feed", "{ items: [{}], readAt: 1 }");
    front.fault = onApi("cut");
    await tab.goto(`${front.base}/app/feed`);
    await tab.see(UNREACHABLE);
  });

  it("nothing, in a browser that blocks the data of sites: every page goes on", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    const front = await openFront(NO_STORAGE);
    const tab = await open(`${front.base}/`);
    await tab.see("The outbreak so far");
    await tab.press("Join the game");
    await tab.type("input[name=alias]", "Bea");
    await tab.type("input[name=password]", "correct horse battery");
    await tab.press("Join");
    await tab.see("Your tag code");
    await tab.goto(`${front.base}/app/login?to=/app/tag`);
    await logIn(tab, zed);
    await tab.type("input[name=tag_code]", ada.code ?? "");
    await tab.press("Report the tag");
    await tab.see("You tagged Ada");
    await tab.goto(`${front.base}/app/login?to=/app/gm/print`);
    await logIn(tab, gm);
    await tab.find("main h1");
    await tab.goto(`${front.base}/app/screen`);
    await tab.see("Full screen");
  });

  it("another player who logs in in another tab is the player of this one too, and gets nothing of the first", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    const tab = await open(`${front.base}/app/login?to=/app/me`);
    await logIn(tab, ada);
    await tab.see("Your tag code");
    const body = JSON.stringify({ alias: zed.alias, password: zed.password, cookie: true });
    await tab.evaluate(`fetch("/login", { method: "POST", headers: { "content-type": "application/json" },
      body: ${JSON.stringify(body)} }).then(({ status }) => status)`);
    await ask(tab);
    await tab.find("[role=timer]");
    await expect.poll(() => storedAlias(tab), TIMEOUT).toBe("Zed");
  });

  it("two tabs of one desk keep each other's check-ins", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Bridge" } });
    const front = await openFront();
    const tab = await open(`${front.base}/app/login?to=/app/gm/desk`);
    await logIn(tab, gm);
    await tab.find("input[name=text]");
    front.fault = onApi("cut");
    await tab.type("input[name=text]", "first");
    await tab.press("Check in");
    await tab.see("first");
    // As the other tab writes it.
    await tab.evaluate(`(() => {
      const name = "desk-${gm.id}";
      const [one] = JSON.parse(localStorage.getItem(name));
      localStorage.setItem(name, JSON.stringify([{ ...one, key: "other", text: ${JSON.stringify(ada.alias)} }, one]));
    })()`);
    await tab.type("input[name=text]", "third");
    await tab.press("Check in");
    front.fault = () => undefined;
    await ask(tab);
    await expect.poll(async () => (await s.see(ada)).passed_at, TIMEOUT).not.toBeNull();
    expect(JSON.parse(String(await tab.evaluate(`localStorage.getItem("desk-${gm.id}")`)))).toHaveLength(3);
  });
});

/** A push service that a browser has no connection to; what is subscribed survives a reload. */
const fakePush = (endpoints: string) => {
  const { p256dh, auth } = makeBrowser();
  return `(() => {
    const read = () => JSON.parse(localStorage.getItem("fake push") ?? "null");
    const write = (value) => localStorage.setItem("fake push", JSON.stringify(value));
    const permission = () => localStorage.getItem("fake permission") ?? "default";
    const bytes = (key) => Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)).buffer;
    const subscriptionOf = ({ endpoint, key }) => ({
      endpoint,
      options: { applicationServerKey: bytes(key) },
      toJSON: () => ({ endpoint, keys: { p256dh: "${p256dh}", auth: "${auth}" } }),
      unsubscribe: async () => { localStorage.removeItem("fake push"); return true; },
    });
    const manager = {
      getSubscription: async () => read() === null ? null : subscriptionOf(read()),
      subscribe: async ({ applicationServerKey: key }) => {
        if (permission() !== "granted") throw new DOMException("not permitted", "NotAllowedError");
        const number = Number(localStorage.getItem("fake number") ?? 0) + 1;
        localStorage.setItem("fake number", number);
        write({ endpoint: "${endpoints}" + number, key });
        return subscriptionOf(read());
      },
    };
    window.PushManager ??= class {};
    Object.defineProperty(ServiceWorkerRegistration.prototype, "pushManager", { configurable: true, get: () => manager });
    window.Notification = class {
      static get permission() { return permission(); }
      static async requestPermission() { localStorage.setItem("fake permission", "granted"); return "granted"; }
    };
  })()`;
};

/** An iPad, whose browser says that it is a Macintosh, and which has push only in an installed app. */
const IPAD = `(() => {
  const tell = (name, value) => Object.defineProperty(navigator, name, { configurable: true, get: () => value });
  tell("userAgent", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15");
  tell("maxTouchPoints", 5);
  delete window.PushManager;
})()`;

describePartlyInEngines("a device without notifications", (open) => {
  const s = testEnvironment();

  it("that is an iPad shows the steps to install the app, and a Mac does not", async () => {
    const [, , ada] = await s.game("Zed", "Ada");
    for (const [script, text] of [
      [IPAD, "Add to Home Screen"],
      [IPAD.replace("5);", "0);"), "This browser cannot show notifications."],
    ] as const) {
      const front = await openFront(script);
      const tab = await open(`${front.base}/app/login?to=/app/profile`);
      await logIn(tab, ada);
      await tab.see(text);
    }
  });
});

describePartlyInEngines("a device with notifications", (open) => {
  const s = testEnvironment();
  const endpoints = `https://127.0.0.1:${running().push.port}/wpush/v2/`;
  const subscribed = async ({ id }: TestPlayer) =>
    (await subscriptionsOf(s.store.db, id)).map(({ endpoint }) => endpoint.replace(endpoints, "")).toSorted();

  /** A player who has turned notifications on. */
  const turnedOn = async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    const front = await openFront(fakePush(`${endpoints}${ada.id}-`));
    const tab = await open(`${front.base}/app/login?to=/app/profile`);
    await logIn(tab, ada);
    await tab.press("Turn on notifications");
    await tab.see("This device gets notifications.");
    expect(await subscribed(ada)).toEqual([`${ada.id}-1`]);
    return { gm, ada, front, tab };
  };

  it("that the service has forgotten subscribes anew at the next start, without a word", async () => {
    const { gm, ada, front, tab } = await turnedOn();
    const query = { endpoint: `${endpoints}${ada.id}-1` };
    await s.must("DELETE /subscriptions/unsubscribe/{url_id}", { as: ada, query });
    await tab.goto(`${front.base}/app/me`);
    await expect.poll(() => subscribed(ada), TIMEOUT).toEqual([`${ada.id}-2`]);
    expect(await textOf(tab)).not.toContain("Notifications are off");
    const reached = await s.must("GET /admin/player_count/{url_id}", { as: gm, query: { audience: "all" } });
    expect(reached.body).toMatchObject({ reachable: 1 });
    // Nothing is renewed that both sides have.
    const before = front.served.length;
    await tab.reload();
    await expect
      .poll(() => front.served.slice(before), TIMEOUT)
      .toContain("POST /notifications/subscribe/me");
    expect(await subscribed(ada)).toEqual([`${ada.id}-2`]);
  });

  it("that subscribed for another key, or whose browser has dropped the subscription, subscribes anew", async () => {
    const { ada, front, tab } = await turnedOn();
    const { p256dh: public_key } = makeBrowser();
    const body = JSON.stringify({ public_key });
    front.fault = ({ what }) =>
      what === "GET /notifications/vapid_public_key" ? { ...OTHER_JSON, body, keeps: true } : undefined;
    await tab.goto(`${front.base}/app/me`);
    await expect.poll(() => subscribed(ada), TIMEOUT).toEqual([`${ada.id}-2`]);
    await tab.evaluate("localStorage.removeItem('fake push')");
    await tab.reload();
    await expect.poll(() => subscribed(ada), TIMEOUT).toContain(`${ada.id}-3`);
  });

  it("that has lost the permission says so until the player has seen it", async () => {
    const { ada, front, tab } = await turnedOn();
    await tab.evaluate(
      "(localStorage.setItem('fake permission', 'denied'), localStorage.removeItem('fake push'))",
    );
    await tab.goto(`${front.base}/app/me`);
    await tab.see("Notifications are off");
    await tab.see("Your browser blocks notifications");
    await tab.evaluate("localStorage.setItem('fake permission', 'default')");
    await tab.reload();
    await tab.press("Turn on notifications");
    await expect.poll(() => subscribed(ada), TIMEOUT).toContain(`${ada.id}-2`);
    await expect.poll(() => textOf(tab)).not.toContain("Notifications are off");
    await tab.evaluate(
      "(localStorage.setItem('fake permission', 'denied'), localStorage.removeItem('fake push'))",
    );
    await tab.reload();
    await tab.press("Leave them off");
    await tab.reload();
    await tab.see("Your tag code");
    await untilInstalled(tab);
    expect(await textOf(tab)).not.toContain("Notifications are off");
  });

  it("that was turned off on all devices from elsewhere stays off", async () => {
    const { ada, front, tab } = await turnedOn();
    await s.must("DELETE /subscriptions/unsubscribe/{url_id}", { as: ada });
    await tab.goto(`${front.base}/app/me`);
    await expect.poll(() => tab.evaluate("localStorage.getItem('fake push')"), TIMEOUT).toBeNull();
    expect(await subscribed(ada)).toEqual([]);
    await tab.goto(`${front.base}/app/profile`);
    await tab.see("Turn on notifications");
  });

  it("is one of those whom a game master sees that a message reaches, by audience", async () => {
    const { gm, ada, front } = await turnedOn();
    const tab = await open(`${front.base}/app/login?to=/app/gm/send`);
    await logIn(tab, gm);
    await tab.see("1 of 3 players can be reached by push.");
    await s.must("POST /admin/label/{url_id}", { as: gm, body: { aliases: [ada.alias], add: ["waiver"] } });
    for (const [value, text] of [
      ["humans", "1 human can be reached by push."],
      ["zombies", "0 zombies can be reached by push."],
    ]) {
      await tab.evaluate(`(() => {
        const select = document.querySelector("select[name=audience]");
        select.value = "${value}";
        select.dispatchEvent(new Event("change", { bubbles: true }));
        select.dispatchEvent(new Event("input", { bubbles: true }));
      })()`);
      await tab.see(text ?? "");
    }
    await tab.evaluate(`(() => {
      const select = document.querySelector("select[name=audience]");
      select.value = "label";
      select.dispatchEvent(new Event("change", { bubbles: true }));
      select.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    await tab.type("input[name=label]", "Waiver");
    await tab.see("1 player with this label can be reached by push.");
    await tab.type("input[name=title]", "Waivers");
    await tab.type("textarea[name=content]", "Thank you.");
    await tab.press("Review and send");
    await tab.see("To: Players labelled “waiver”.");
  });
});
