/**
 * What the app keeps on a device, also if it is broken, and push subscriptions that one of the two sides has lost. The pages'
 * own code decides all of it, with a push service of the test, so one engine is enough; webFirefox.test.ts has a real one.
 */
import { expect, it } from "vitest";
import { subscriptionsOf } from "../../lib/store/notifications/subscriptions.ts";
import { describeInOneEngine, type Tab } from "../support/engines.ts";
import {
  ask,
  OFFLINE,
  OTHER_JSON,
  onApi,
  openFront,
  storedAlias,
  UNREACHABLE,
  untilInstalled,
} from "../support/faultyFront.ts";
import { running } from "../support/running.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { TIMEOUT } from "../support/webPages.ts";
import { makeBrowser } from "../support/webPush.ts";

describeInOneEngine("what is kept on a device", (open) => {
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
    const tab = await open(`${front.base}/app/me`, ada);
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
    // The public page of the game before is shown for some seconds.
    await expect
      .poll(async () => (await s.call("GET /public")).body.counts, TIMEOUT)
      .toMatchObject({ zombies: 2 });
    const front = await openFront();
    const tab = await open(`${front.base}/app/me`, gm);
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

  it("another player who logs in in another tab is the player of this one too, and gets nothing of the first", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    const front = await openFront();
    const tab = await open(`${front.base}/app/me`, ada);
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
    const tab = await open(`${front.base}/app/gm/desk`, gm);
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

describeInOneEngine("a device", (open) => {
  const s = testEnvironment();
  const endpoints = `https://127.0.0.1:${running().push.port}/wpush/v2/`;
  const subscribed = async ({ id }: TestPlayer) =>
    (await subscriptionsOf(s.store.db, id)).map(({ endpoint }) => endpoint.replace(endpoints, "")).toSorted();

  /** A player who has turned notifications on. */
  const turnedOn = async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    const front = await openFront({ script: fakePush(`${endpoints}${ada.id}-`) });
    const tab = await open(`${front.base}/app/profile`, ada);
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
    expect(await tab.text()).not.toContain("Notifications are off");
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
    await expect.poll(() => tab.text()).not.toContain("Notifications are off");
    await tab.evaluate(
      "(localStorage.setItem('fake permission', 'denied'), localStorage.removeItem('fake push'))",
    );
    await tab.reload();
    await tab.press("Leave them off");
    await tab.reload();
    await tab.see("Your tag code");
    await untilInstalled(tab);
    expect(await tab.text()).not.toContain("Notifications are off");
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
    const tab = await open(`${front.base}/app/gm/send`, gm);
    await tab.see("1 of 3 players can be reached by push.");
    await s.must("POST /admin/label/{url_id}", { as: gm, body: { aliases: [ada.alias], add: ["waiver"] } });
    for (const [value, text] of [
      ["humans", "1 human can be reached by push."],
      ["zombies", "0 zombies can be reached by push."],
    ] as const) {
      await tab.select("select[name=audience]", value);
      await tab.see(text);
    }
    await tab.select("select[name=audience]", "label");
    await tab.type("input[name=label]", "Waiver");
    await tab.see("1 player with this label can be reached by push.");
    await tab.type("input[name=title]", "Waivers");
    await tab.type("textarea[name=content]", "Thank you.");
    await tab.press("Review and send");
    await tab.see("To: Players labelled “waiver”.");
  });

  it("that is an iPad, without notifications, shows the steps to install the app, and a Mac does not", async () => {
    const [, , ada] = await s.game("Zed", "Ada");
    for (const [script, text] of [
      [IPAD, "Add to Home Screen"],
      [IPAD.replace("5);", "0);"), "This browser cannot show notifications."],
    ] as const) {
      const front = await openFront({ script });
      const tab = await open(`${front.base}/app/profile`, ada);
      await tab.see(text);
    }
  });
});
