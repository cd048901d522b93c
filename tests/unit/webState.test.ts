/** What pages keep in the browser, and what becomes of it by each answer of the service, at a logout and as time passes. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { STATUS } from "../../lib/http/statuses.ts";

const tags = vi.hoisted(() => new Map<string, { key: string; refusal: string | null }>());
vi.mock("idb-keyval", () => ({
  createStore: (name: string) => name,
  get: async (key: string) => tags.get(key),
  set: async () => {},
  del: async (key: string) => void tags.delete(key),
  entries: async () => [...tags],
  clear: async () => {},
  update: async (key: string, change: (old: unknown) => never) => void tags.set(key, change(tags.get(key))),
}));

const HOUR = 3_600_000;
/** The own names of the object are what is stored, as in a browser. */
const storage: Record<string, string> = Object.create({
  getItem: (name: string) => storage[name] ?? null,
  setItem: (name: string, value: string) => void Object.assign(storage, { [name]: value }),
  removeItem: (name: string) => delete storage[name],
});
const subscription = { endpoint: "https://push.example/1", unsubscribe: async () => void sent.push("gone") };
const registration = { pushManager: { getSubscription: async () => subscription } };
const GLOBALS = {
  localStorage: storage,
  document: { visibilityState: "visible", addEventListener: () => {} },
  navigator: {
    ...{ userAgent: "", maxTouchPoints: 0, serviceWorker: { getRegistration: async () => registration } },
    locks: { request: (_: string, work: () => unknown) => work() },
  },
  window: { PushManager: 1, Notification: 1 },
  Notification: { permission: "denied" },
  matchMedia: () => ({ matches: false }),
  addEventListener: () => {},
  setInterval: () => 0,
};

/** What was sent, and how the service answers it. A key that another body has is rejected, as by the service. */
const sent: string[] = [];
const bodies = new Map<string, unknown>();
let answer: (path: string, body: Record<string, unknown>) => Response | Promise<Response>;
const reply = (value: unknown, status = 200): Response =>
  Response.json(value, { status, headers: { "x-request-id": "1" } });
const refuse = (code: keyof typeof STATUS): Response => reply({ code, detail: code }, STATUS[code]);
const fetch = async (path: string, { method, body, headers }: RequestInit): Promise<Response> => {
  const key = new Headers(headers).get("idempotency-key");
  sent.push([method, path.replace("/me", ""), key].filter(Boolean).join(" "));
  if (key !== null && (bodies.get(key) ?? body) !== body) return refuse("key_reused");
  if (key !== null) bodies.set(key, body);
  return answer(path, JSON.parse(String(body ?? "{}")));
};

/** What is used of the modules of the pages. They are not imported by name, because their types need a browser. */
interface Pages {
  sendQueuedCodes: (player: string) => Promise<void>;
  sendCode: (code: object) => Promise<object | null>;
  openDesk: (player: string) => void;
  enqueue: (text: string, reasons: object) => void;
  sendWaiting: (onOutcome: () => void) => Promise<void>;
  entries: { value: { status: string }[] };
  refresh: (options: { clock: boolean }) => Promise<void>;
  restoreSession: () => Promise<void>;
  snapshot: { value: { player: { state: string } } | null };
  readNow: () => number | null;
  markRead: (id: string) => void;
  login: (alias: string, password: string) => Promise<void>;
  logout: () => Promise<void>;
  openDraft: <T>(name: string, initial: T) => { signal: { value: T } };
  openEdit: <T>(
    name: string,
    stored: T,
  ) => { set: (part: Partial<T>) => void; before: () => T; shown: () => T };
  missions: { value: { items: object[] } };
  loadMissions: () => Promise<void>;
  readInvited: () => Promise<object[]>;
  keepPush: (at: number, offAt: string) => Promise<void>;
}
let app: Pages;
beforeAll(async () => {
  for (const [name, value] of Object.entries({ ...GLOBALS, fetch })) vi.stubGlobal(name, value);
  const files = [
    ...["state/queue", "state/session", "state/draft", "state/device", "state/missions"],
    ...["staff/live/desk/deskQueue", "staff/people/invitations/standing"],
  ];
  const paths = files.map((file) => `../../web/src/${file}.ts`);
  const modules = await Promise.all(paths.map((path) => import(path)));
  app = Object.assign({}, ...modules);
});
afterAll(() => {
  vi.unstubAllGlobals();
});
beforeEach(() => {
  vi.restoreAllMocks();
  // A busy service is asked again at once.
  vi.spyOn(Math, "random").mockReturnValue(0);
  sent.length = 0;
  tags.clear();
  for (const name of Object.keys(storage)) delete storage[name];
});

const queue = (key: string, player_id = "ada", refusal: string | null = null): void => {
  const time = "2026-11-21T07:24:00Z";
  const tag = { key, player_id, entered_at: time, refusal, body: { tag_code: key, hunted_at: time } };
  tags.set(key, tag);
};
/** Queues the code of a slip. */
const queueSlip = (key: string): void => {
  queue(key);
  const body = { code: key, redeemed_at: "2026-11-21T07:24:00Z" };
  tags.set(key, Object.assign({ refusal: null }, tags.get(key), { body }));
};
const TAGGED = {
  interaction: { interaction_id: "1", kind: "hunt", at: "2026-11-21T07:24:00Z", details: {} },
  hunter: { kills: 1, starves_at: null },
  prey: { alias: "Eve" },
};
const REDEEMED = {
  player: { state: "human", tag_code: null, starves_at: null, points: 1 },
  repeated: false,
  did: { fed: false, cured: false, points: 1, badge: null, message: null },
};
const CODES = Object.keys(STATUS).filter((code): code is keyof typeof STATUS => code in STATUS);
const LATER = ["in_progress", "token_rejected", "too_many_attempts", "unavailable"];

it.each([
  ["tag", queue],
  ["slip", queueSlip],
])(
  "a %s waits after exactly those errors after which the service may accept it, and keeps the others",
  async (kind, enter) => {
    const waiting: string[] = [];
    for (const code of CODES) {
      const key = `${kind} ${code}`;
      enter(key);
      answer = () => refuse(code);
      await app.sendQueuedCodes("ada").catch(() => {});
      if (tags.get(key)?.refusal === null) waiting.push(code);
      tags.clear();
    }
    expect(waiting.toSorted()).toEqual(["paused", ...LATER].toSorted());
  },
);

it("only codes of the player who is logged in are sent, in order, and none that was refused", async () => {
  queue("1", "ben");
  queue("2", "ada", "Used before.");
  queue("3");
  queueSlip("4");
  Object.assign(tags.get("4") ?? {}, { entered_at: "2026-11-21T07:23:00Z" });
  answer = (path) => reply(path.startsWith("/player/redeem") ? REDEEMED : TAGGED);
  await app.sendQueuedCodes("ada");
  expect(sent).toEqual(["POST /player/redeem 4", "POST /zombie/hunt 3"]);
  expect([...tags.keys()]).toEqual(["1", "2"]);
});

it("a code waits while the gateway turns it away, and is given back to who has sent too many", async () => {
  queue("1");
  answer = () => Response.json({ message: "Too Many Requests" }, { status: 429 });
  expect(await app.sendCode(tags.get("1") ?? {})).toBeNull();
  answer = () => refuse("too_many_attempts");
  await expect(app.sendCode(tags.get("1") ?? {})).rejects.toMatchObject({ code: "too_many_attempts" });
});

const atDesk = async (name: string, more: object = {}): Promise<string | undefined> => {
  app.openDesk(name);
  app.enqueue("Eve Smith", { reason: null, in_time: "Entered in time.", guess: null, ...more });
  await app.sendWaiting(() => {});
  return app.entries.value[0]?.status;
};

it("a check-in waits after exactly those errors after which the service may accept it", async () => {
  const waiting: string[] = [];
  for (const code of CODES) {
    answer = () => refuse(code);
    if ((await atDesk(code)) === "waiting") waiting.push(code);
  }
  expect(waiting.toSorted()).toEqual(LATER);
});

it("a check-in that was made before the checkpoint closed is entered late, under a key of its own", async () => {
  const passed = { alias: "Eve", passed_at: "2026-11-21T07:24:00Z", count: 2, repeated_count: 0 };
  answer = (_, { late }) => (late === true ? reply(passed) : refuse("closed"));
  expect(await atDesk("late")).toBe("done");
  expect(await atDesk("late list", { mission_id: "m", aliases: ["Eve", "Ada"] })).toBe("done");
});

it("a check-in is for the checkpoint at which it was made, and is refused when there is another", async () => {
  const passed = { alias: "Eve", passed_at: "2026-11-21T07:24:00Z" };
  answer = (_, { checkpoint_id }) => (checkpoint_id === "old" ? refuse("checkpoint_changed") : reply(passed));
  expect(await atDesk("another", { checkpoint_id: "old" })).toBe("refused");
});

it("a check-in by a code that has to wait lets those by name pass", async () => {
  const passed = { alias: "Eve", passed_at: "2026-11-21T07:24:00Z" };
  answer = (_, { tag_code, alias }) =>
    tag_code !== undefined
      ? refuse("too_many_attempts")
      : alias === "Eve Smith"
        ? reply(passed)
        : refuse("player_not_found");
  app.openDesk("limited");
  app.enqueue("K7XM2PQ4", { reason: null, in_time: null });
  expect(await atDesk("limited")).toBe("done");
  expect(app.entries.value.map(({ status }) => status)).toEqual(["done", "waiting"]);
});

const live = (state: string) => ({
  player: {
    player_id: "ada",
    player_ref: "a",
    alias: "Ada",
    role: "player",
    state,
    kills: 0,
    push_kinds: [],
  },
  game: {
    ...{ now: "2026-11-21T07:24:00Z", name: "", time_zone: "UTC", phase: "running", sharers: 1 },
    ...{ feeding_period_seconds: 1, report_window_seconds: 1 },
    counts: { total: 1, humans: 1, zombies: 0, corpses: 0, spectators: 0 },
  },
  ...{ unread: 2, seconds_left: null, next_after: null },
});

it("a slow response does not replace the state of a later one", async () => {
  const slow = Promise.withResolvers<Response>();
  const answers = [slow.promise, reply(live("zombie"))].values();
  answer = () => answers.next().value ?? refuse("unavailable");
  const [first, second] = [app.refresh({ clock: true }), app.refresh({ clock: true })];
  await second;
  slow.resolve(reply(live("human")));
  await first;
  expect(app.snapshot.value?.player.state).toBe("zombie");
});

it("a logout ends the pushes to the device first, and leaves nothing of the player", async () => {
  answer = () => reply(live("human"));
  await app.refresh({ clock: true });
  app.openDraft("tag", { code: "" }).signal.value = { code: "K7" };
  app.markRead("01900000-0000-7000-8000-000000000000");
  answer = () => new Response(null, { status: 204, headers: { "x-request-id": "1" } });
  sent.length = 0;
  await app.logout();
  const unsubscribed = `DELETE /subscriptions/unsubscribe?endpoint=${encodeURIComponent(subscription.endpoint)}`;
  expect(sent).toEqual([unsubscribed, "gone", expect.stringMatching(/^POST \/logout /)]);
  expect(Object.keys(storage)).toEqual(["seen_at"]);
});

it("missions that arrive after a logout are not shown", async () => {
  const slow = Promise.withResolvers<Response>();
  answer = (path) => (path.startsWith("/missions") ? slow.promise : reply(live("human")));
  await app.refresh({ clock: true });
  const late = app.loadMissions();
  await app.logout();
  const [starts_at, ends_at] = ["2026-11-21T07:24:00Z", "2026-11-21T08:24:00Z"];
  const mission = {
    mission_id: "m",
    title: "Late",
    starts_at,
    ends_at,
    briefings: [],
    rewards: [],
    earned: [],
  };
  slow.resolve(reply({ missions: [mission], next_cursor: null }));
  await late;
  expect(app.missions.value.items).toEqual([]);
});

it("a login as somebody else leaves nothing of the player before, and goes on without beginning the page anew", async () => {
  answer = () => reply(live("human"));
  await app.refresh({ clock: true });
  app.openDraft("tag", { code: "" }).signal.value = { code: "K7" };
  const other = live("zombie");
  answer = (path) =>
    reply(
      path === "/login" ? { player_id: "ben" } : { ...other, player: { ...other.player, player_id: "ben" } },
    );
  // There is no location: to begin anew would fail.
  await app.login("Ben", "correct horse battery");
  expect(app.snapshot.value?.player).toMatchObject({ state: "zombie", player_id: "ben" });
  expect(Object.keys(storage)).not.toContainEqual(expect.stringMatching(/draft/));
});

it("a draft is kept for less than a week", async () => {
  const [week, now] = [7 * 24 * HOUR, Date.now()];
  app.openDraft("tag", { code: "" }).signal.value = { code: "K7" };
  for (const [passed, code] of [
    [week - HOUR, "K7"],
    [week + HOUR, ""],
  ] as const) {
    vi.spyOn(Date, "now").mockReturnValue(now + passed);
    expect(app.openDraft("tag", { code: "" }).signal.value).toEqual({ code });
  }
});

it.each(["keeps", "blocks"])(
  "an edit keeps what was stored when its field was first typed, whatever others save \
meanwhile, in a browser that %s the data of sites",
  (does) => {
    const block = () => {
      throw new DOMException("blocked", "SecurityError");
    };
    if (does === "blocks")
      for (const name of ["getItem", "setItem", "removeItem"] as const)
        vi.spyOn(Object.getPrototypeOf(storage), name).mockImplementation(block);
    const open = (title: string) => app.openEdit(`mission ${does}`, { title, place: "Here" });
    open("Old").set({ title: "Mine" });
    expect(open("Theirs").shown().title).toBe("Mine");
    const later = open("Theirs");
    later.set({ title: "Mine, too" });
    expect([later.before().title, later.shown().title]).toEqual(["Old", "Mine, too"]);
  },
);

it("who was invited twice has what became of the latest mail", async () => {
  const mail = (state: string) => ({ kind: "invite", alias: "Eve", state, reason: null });
  const players = [{ player_id: "eve", alias: "Eve", labels: [] }];
  answer = () => reply({ mails: [mail("sent"), mail("bounced")], players, next_cursor: null });
  expect(await app.readInvited()).toMatchObject([{ standing: "sent" }]);
});

it("without a network, the time goes on from the last response of an earlier visit", async () => {
  const { player, game } = live("human");
  storage.snapshot = JSON.stringify({ player, game, secondsLeft: 9, savedAt: Date.now() - HOUR });
  answer = () => Promise.reject(new TypeError("offline"));
  await app.restoreSession();
  expect(app.readNow()).toBeCloseTo(Date.parse(game.now) + HOUR, -4);
});

it("push that was turned on after it was turned off everywhere stays on", async () => {
  const since = Date.parse("2026-11-21T07:24:00Z");
  for (const [offAt, stays] of [
    ["2026-11-21T07:23:00Z", true],
    ["2026-11-21T07:25:00Z", false],
  ] as const) {
    storage.push = JSON.stringify({ since });
    await app.keepPush(since + HOUR, offAt);
    expect("push" in storage, offAt).toBe(stays);
  }
});
