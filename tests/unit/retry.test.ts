/** Repeating requests that the gateway turned away: the client, the web app, and the commands. */
import { afterEach, expect, it, vi } from "vitest";
import { GameClient } from "../../client/src/index.ts";
import { sendPatiently } from "../../client/src/retry.ts";
import { checkPasswords } from "../../scripts/doctor/requests.ts";
import { api } from "../../web/src/state/api.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const turnedAway = (status = 503): Response => Response.json({ message: "Service Unavailable" }, { status });
/** A response of the service itself. */
const ofService = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json(status < 400 ? {} : { code: "unavailable", detail: "" }, {
    status,
    headers: { "x-request-id": "1", ...headers },
  });

/** A client whose requests get these responses, the last of them again and again. */
const clientWith = (responses: (() => Response)[], options: object = {}) => {
  const waits: number[] = [];
  let sent = 0;
  const client = new GameClient({
    fetch: async () => {
      sent += 1;
      return (responses[sent - 1] ?? responses.at(-1) ?? turnedAway)();
    },
    sleep: async (ms) => void waits.push(ms),
    ...options,
  });
  return { client, waits, sent: () => sent };
};

const LOGIN = { body: { alias: "Ada", password: "correct horse battery" } };

it.each([503, 429])(
  "the client repeats a POST without a key if the gateway turned it away with %i",
  async (status) => {
    const { client, sent } = clientWith([
      () => turnedAway(status),
      () => turnedAway(status),
      () => ofService(200),
    ]);
    await client.post("/login", LOGIN);
    expect(sent()).toBe(3);
  },
);

it("the client does not repeat a POST without a key that a function may have carried out", async () => {
  const busy = clientWith([() => ofService(503, { "retry-after": "1" })]);
  await expect(busy.client.post("/login", LOGIN)).rejects.toMatchObject({ status: 503, turnedAway: false });
  expect(busy.sent()).toBe(1);
  // The gateway waits for a function for thirty seconds.
  const times = [0, 30_000].values();
  vi.spyOn(performance, "now").mockImplementation(() => times.next().value ?? 0);
  const late = clientWith([turnedAway]);
  await expect(late.client.post("/login", LOGIN)).rejects.toMatchObject({
    code: "gateway",
    turnedAway: false,
  });
  expect(late.sent()).toBe(1);
  // The monotonic clock of some browsers stands still while the machine sleeps.
  vi.spyOn(performance, "now").mockReturnValue(0);
  const wall = [0, 30_000].values();
  vi.spyOn(Date, "now").mockImplementation(() => wall.next().value ?? 0);
  const asleep = clientWith([turnedAway]);
  await expect(asleep.client.post("/login", LOGIN)).rejects.toMatchObject({ turnedAway: false });
  expect(asleep.sent()).toBe(1);
});

it("the client repeats only what its options allow, and gives up after its attempts", async () => {
  const retries = ({ turnedAway: is }: { turnedAway: boolean }) => is;
  const { client, sent, waits } = clientWith([turnedAway, () => ofService(503)], { retries, attempts: 7 });
  await expect(client.get("/public")).rejects.toMatchObject({ code: "unavailable" });
  expect(sent()).toBe(2);
  const hopeless = clientWith([turnedAway], { retries, attempts: 7 });
  await expect(hopeless.client.get("/public")).rejects.toMatchObject({ status: 503, turnedAway: true });
  expect(hopeless.sent()).toBe(7);
  for (const [at, wait] of [...waits, ...hopeless.waits].entries())
    expect(wait).toBeLessThanOrEqual(1_000 * 2 ** Math.max(0, at - 1));
});

it("the client's wait ends when the caller gives up", async () => {
  const late = new AbortController();
  const { client } = clientWith([turnedAway], {
    sleep: () => new Promise(() => {}),
    fetch: async () => {
      if (late.signal.aborted) throw late.signal.reason;
      setTimeout(() => late.abort(new DOMException("too late", "TimeoutError")), 5);
      return turnedAway();
    },
  });
  await expect(client.get("/public", { signal: late.signal })).rejects.toMatchObject({ code: "network" });
});

it("other requests are repeated with growing random waits, Retry-After, and an end", async () => {
  vi.useFakeTimers();
  const random = vi.spyOn(Math, "random").mockReturnValue(1);
  const send = vi.fn(async () => turnedAway(429));
  const sending = sendPatiently(send, { attempts: 6 });
  for (const [at, ms] of [1_000, 2_000, 4_000, 8_000, 8_000].entries()) {
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(send).toHaveBeenCalledTimes(at + 1);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect((await sending).status).toBe(429);
  expect(send).toHaveBeenCalledTimes(6);
  random.mockReturnValue(0);
  const asked = vi.fn(async () => ofService(200));
  asked.mockResolvedValueOnce(Response.json({}, { status: 503, headers: { "retry-after": "3" } }));
  const waiting = sendPatiently(asked);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(asked).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(1);
  expect((await waiting).status).toBe(200);
});

it("other requests are repeated after network errors only if that is asked for, and never for other statuses", async () => {
  vi.useFakeTimers();
  const lost = async () => Promise.reject(new TypeError("failed to fetch"));
  await expect(sendPatiently(lost)).rejects.toThrow("failed to fetch");
  const patient = sendPatiently(vi.fn(async () => ofService(200)).mockImplementationOnce(lost), {
    network: true,
  });
  await vi.runAllTimersAsync();
  expect((await patient).status).toBe(200);
  const send = vi.fn(async () => Response.json({}, { status: 404 }));
  expect((await sendPatiently(send, { network: true })).status).toBe(404);
  expect(send).toHaveBeenCalledOnce();
});

it("the web app sends four requests at once, gives up a lost connection, and a tag does not wait longer for its turn than it may", async () => {
  vi.useFakeTimers();
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(
    (_, request) =>
      new Promise((_resolve, reject) => {
        const { signal } = request ?? {};
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const reads = Promise.allSettled([1, 2, 3, 4, 5].map(() => api.get("/public")));
  const late = new AbortController();
  const body = { tag_code: "ABCD-EFGH", hunted_at: "2026-01-01T00:00:00Z" };
  const tag = api.post("/zombie/hunt/{url_id}", { body, key: "1", signal: late.signal });
  late.abort(new DOMException("too late", "TimeoutError"));
  await expect(tag).rejects.toMatchObject({ code: "network" });
  expect(fetched).toHaveBeenCalledTimes(4);
  // The fifth follows when the first have failed.
  await vi.advanceTimersByTimeAsync(35_000);
  expect(fetched).toHaveBeenCalledTimes(5);
  await vi.advanceTimersByTimeAsync(35_000);
  for (const one of await reads) expect(one).toMatchObject({ reason: { code: "network" } });
});

it("the web app repeats no request that a function may have run, but for a busy database", async () => {
  vi.useFakeTimers();
  const answer = vi.spyOn(globalThis, "fetch");
  for (const [response, sent] of [
    [() => new Response("{}", { status: 504 }), 1],
    [() => new Response("{}", { status: 500 }), 1],
    [turnedAway, 7],
    [() => ofService(503), 7],
  ] as const) {
    answer.mockReset().mockImplementation(async () => response());
    const reading = expect(api.get("/public")).rejects.toMatchObject({ name: "GameError" });
    await vi.runAllTimersAsync();
    await reading;
    expect(answer).toHaveBeenCalledTimes(sent);
  }
});

it("doctor and deploy repeat a login that the gateway turned away", async () => {
  const responses = [turnedAway(), turnedAway(429), ofService(401)].values();
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => responses.next().value ?? turnedAway());
  vi.spyOn(Math, "random").mockReturnValue(0);
  expect(await checkPasswords({ options: "--stage spring" }, "https://hvz.example")).toMatchObject({
    state: "ok",
  });
});
