/** Measures the web app in Chromium as on a slow phone: bytes of script, first paint, shifts, and a large outbreak. */
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "puppeteer-core";
import { fileOf } from "../lib/http/staticFile.ts";
import { webFile } from "../lib/http/webFiles.ts";
import { buildWeb } from "../scripts/bundle/web.ts";
import { CHROMIUM, ENGINE, startChromium } from "../scripts/cli/chromium.ts";
import { ROOT } from "../scripts/project/root.ts";
import { listen } from "../tests/support/listen.ts";
import { treeOf } from "../tests/support/outbreak.ts";
import { paths } from "../web/src/paths.ts";
import { median } from "./support/numbers.ts";
import { allMet, atMost, type Bench, type Row, type Target } from "./support/report.ts";

/** Chromium takes processor time to be slow, so a quick bench, of which no time counts, does without it. */
const SLOWDOWN = { full: 4, quick: 1 };
/** 1.6 Mbit/s, in bytes a second. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };
const INFECTIONS = 3_000;

const GAME = {
  now: new Date().toISOString(),
  name: "Spring",
  time_zone: "UTC",
  phase: "running",
  situation: "running",
  feeding_period_seconds: 172_800,
  report_window_seconds: 21_600,
  sharers: 2,
  in_play: true,
  paused: false,
  next_change_at: null,
  counts: { total: 400, humans: 250, zombies: 120, corpses: 30, spectators: 0 },
};
const PLAYER = {
  ...{ player_id: "id-9", player_ref: "ref-9", alias: "Ada", state: "zombie", role: "game_master", kills: 1 },
  push_kinds: [],
};
const OWN = { player: PLAYER, game: GAME };
const ENTRIES = 5_000;

const playerAt = (_: unknown, at: number) => ({
  player_id: `id-${at}`,
  player_ref: `ref-${at}`,
  alias: `${["Ada", "Ben", "Cleo", "Dov"][at % 4]} ${at}`,
  first_name: `First${at % 97}`,
  last_name: `Last${at % 211}`,
  email: `player.${at}@campus.example.org`,
  state: ["human", "zombie", "corpse"][at % 3],
  role: "player",
  kills: at % 13,
  labels: ["waiver"],
  picture_url: null,
  note: null,
  starves_at: null,
});
const PLAYERS = Array.from({ length: ENTRIES }, playerAt);
const logAt = (_: unknown, at: number) => ({
  log_id: `log-${at}`,
  at: GAME.now,
  action: "feed_player",
  actor: `Game master ${at % 7}`,
  outcome: "done",
  target: `Player ${at}`,
  request_id: `request-${at}`,
  details: { reason: "Late at the desk" },
});
const FOUND = PLAYERS.filter(({ alias }) => alias.startsWith("Cleo 17")).slice(0, 10);
const RESPONSES: Record<string, object> = {
  "/public": { ...GAME, registration: "open", board: null },
  "/live/me": { ...OWN, seconds_left: 90_000, interactions: [], next_after: null, unread: 0 },
  "/interactions/tree/me": treeOf(INFECTIONS),
  "/admin/get_players/me": { players: PLAYERS, next_cursor: null },
  "/admin/find/me": { players: FOUND, more: true },
  "/admin/get_logs/me": { logs: Array.from({ length: ENTRIES }, logAt), next_cursor: null },
};

/** Serves the build, and the few responses that the measured pages ask for. @returns the address */
const serve = async (cleanups: AsyncDisposableStack): Promise<string> => {
  const server = createServer(async ({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const json = RESPONSES[pathname];
    const file = json
      ? fileOf(Buffer.from(JSON.stringify(json)), "application/json", {})
      : await webFile(pathname.replace(/^\/(app\/)?/, ""), { origin: "", now: 0 }, async () => null);
    const { bytes } = await file.load(null);
    const type = { "content-type": file.headers["content-type"], "content-encoding": "gzip" };
    // Without an id, the pages take it for somebody else's response.
    response.writeHead(200, { ...type, "x-request-id": "bench" });
    response.end(gzipSync(bytes));
  });
  cleanups.defer(() => void server.close());
  return `http://localhost:${await listen(server)}`;
};

/** Collects what the browser reports of a page, before its own script runs. */
const OBSERVE = `
  globalThis.seen = { lcp: 0, cls: 0, blocked: 0, painted: null };
  globalThis.slowest = 0;
  const observe = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, durationThreshold: 16 });
  observe("event", ({ interactionId, duration }) => { if (interactionId) slowest = Math.max(slowest, duration); });
  observe("largest-contentful-paint", ({ startTime }) => { seen.lcp = startTime; });
  observe("layout-shift", ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.cls += value; });
  observe("longtask", ({ duration }) => { seen.blocked += Math.max(0, duration - 50); });
  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    // The next frame has what is drawn now, and has been painted when the timer runs.
    requestAnimationFrame(() => setTimeout(() => { seen.painted ??= performance.now(); }));
    return clearRect.apply(this, box);
  };`;

interface Slow {
  browser: Browser;
  /** How many times slower the processor is. */
  slowdown: number;
}

const openSlowly = async (
  { browser, slowdown }: Slow,
  url: string,
  snapshot: object | null,
): Promise<Page> => {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport({ width: 360, height: 740 });
  await page.evaluateOnNewDocument(OBSERVE);
  if (snapshot !== null) {
    const text = JSON.stringify(snapshot);
    await page.evaluateOnNewDocument((value) => localStorage.setItem("snapshot", value), text);
  }
  const session = await page.createCDPSession();
  await session.send("Network.emulateNetworkConditions", NETWORK);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  await page.goto(url, { waitUntil: "networkidle0", timeout: 60_000 });
  return page;
};

/** The compressed size of each script. */
const scripts = async (): Promise<Row[]> => {
  const folder = join(ROOT, "web/dist/assets");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const first = await readFile(join(ROOT, "web/dist/index.html"), "utf8");
  const rows = names.map(async (script) => {
    const size = gzipSync(await readFile(join(folder, script))).length;
    const isFirst = first.includes(script);
    return { script, kilobytes: (size / 1_024).toFixed(1), "first load": isFirst ? "yes" : "" };
  });
  return (await Promise.all(rows)).toSorted((one, other) => Number(other.kilobytes) - Number(one.kilobytes));
};

const PAINTED = `seen.painted - performance.getEntriesByType("resource")
  .find(({ name }) => name.includes("/tree/")).responseEnd`;

/** Pages of game masters with a search field: the page, the name of the field, and the text that is typed into it. */
const TYPED = [
  ["players", "filter", "cleo 17"],
  ["find", "q", "cleo 17"],
  ["log", "who", "player 17"],
] as const;

const rowOf = (figure: string, time: number, wanted: number): Row => {
  return { figure, milliseconds: Math.round(time), wanted };
};

/**
 * The time from a key press to the next frame: of the slowest key of a text, in the fastest of several runs. These rows
 * have times alone, so one run tries one page, which shows that the measurement works.
 */
const keyRows = async (slow: Slow, base: string, snapshot: object, runs: number): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const [name, field, text] of runs === 1 ? TYPED.slice(0, 1) : TYPED) {
    const page = await openSlowly(slow, `${base}${paths.gm[name]}`, snapshot);
    await page.focus(`input[name=${field}]`);
    // The page `find` loads players at the first letter.
    await page.keyboard.press("x");
    await page.keyboard.press("Backspace");
    await page.waitForNetworkIdle({ idleTime: 1_000 });
    const slowest: number[] = [];
    while (slowest.length < runs) {
      await page.evaluate("slowest = 0");
      for (const key of text) {
        await page.keyboard.type(key);
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))");
      }
      slowest.push(Number(await page.evaluate("slowest")));
      const found = await page.$$eval("main li, main tbody tr", (rows) => rows.length);
      if (found === 0) throw new Error(`${name} found nobody`);
      for (const _ of text) await page.keyboard.press("Backspace");
    }
    rows.push(rowOf(`${ENTRIES} players: from a key to its result in ${name}`, Math.min(...slowest), 100));
    await page.close();
  }
  return rows;
};

/** @param count how often each page is visited; the median counts, because other programs may slow down one visit */
const timesOf = async (
  count: number,
  cleanups: AsyncDisposableStack,
): Promise<{ cls: number; rows: Row[] }> => {
  const base = await serve(cleanups);
  // Nothing else of a quick bench depends on the rest of the browser.
  const { browser, stop } = await startChromium([], undefined, count === 1 ? ENGINE : CHROMIUM);
  cleanups.defer(stop);
  const slow = { browser, slowdown: count === 1 ? SLOWDOWN.quick : SLOWDOWN.full };
  const snapshot = { ...OWN, secondsLeft: 90_000, savedAt: Date.now() };
  /** Returns the medians of figures that a page measures. */
  const measure = async (path: string, stored: object | null, ...figures: string[]): Promise<number[]> => {
    const visits: number[][] = [];
    while (visits.length < count) {
      const page = await openSlowly(slow, `${base}${path}`, stored);
      if (stored !== null) await page.waitForFunction("seen.painted !== null");
      visits.push(Array.from(Object(await page.evaluate(`[${figures}]`)), Number));
      await page.browserContext().close();
    }
    return figures.map((_, at) => median(visits.map((visit) => visit[at] ?? 0)));
  };
  const [lcp = 0, blocked = 0, cls = 0] = await measure(
    paths.landing,
    null,
    "seen.lcp",
    "seen.blocked",
    "seen.cls",
  );
  const [painted = 0, shift = 0] = await measure(paths.outbreak, snapshot, PAINTED, "seen.cls");
  const rows = [
    rowOf("first page: largest paint", lcp, 2_500),
    rowOf("first page: blocked", blocked, 200),
    rowOf(`${INFECTIONS} infections: painted after the response`, painted, 300),
    ...(await keyRows(slow, base, snapshot, count)),
  ];
  return { cls: Math.max(cls, shift), rows };
};

/** @param quick whether one visit of each page is enough */
export const bench: Bench = async (quick, cleanups) => {
  await buildWeb();
  const sizes = await scripts();
  const sum = (rows: readonly Row[]): number => rows.reduce((all, row) => all + Number(row.kilobytes), 0);
  const targets: Target[] = [
    atMost("script of the first load, KB", sum(sizes.filter((row) => row["first load"] === "yes")), 60),
    atMost("largest script, KB", Math.max(...sizes.map((row) => Number(row.kilobytes))), 60),
  ];
  const times = CHROMIUM === undefined ? null : await timesOf(quick ? 1 : 5, cleanups);
  if (times !== null) targets.push(atMost("shift of the layout", times.cls, 0.05));
  const slowdown = quick ? SLOWDOWN.quick : SLOWDOWN.full;
  const what = `the web app in Chromium, with the processor slowed ${slowdown} times and 1.6 Mbit/s`;
  return { what, tables: [sizes, times?.rows ?? []], targets, met: allMet(targets) };
};
