/** What every page says in every situation of the game, in a real Chromium, with the service behind it. */
import type { Page } from "puppeteer-core";
import { expect, it } from "vitest";
import type { Game } from "../../lib/domain/game/game.ts";
import type { Schedule } from "../../lib/domain/game/schedule.ts";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { describeInChromium, TIMEOUT, webPages } from "../support/webPages.ts";

/** Play hours of one day, three days from now. */
const farHours = () => {
  const day = new Date(Date.now() + 3 * DAY).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
  return { [day.toLowerCase()]: [["08:00", "22:00"]] } as Schedule["play_hours"];
};
/** Play hours of every hour but the last of each day, so that play stops today. */
const longHours = () =>
  Object.fromEntries(
    ["sun", "mon", "tues", "wednes", "thurs", "fri", "satur"].map((day) => [
      `${day}day`,
      [["00:00", "23:59"]],
    ]),
  ) as Schedule["play_hours"];

const schedule = (part: Partial<Schedule>): Pick<Game, "schedule"> => ({
  schedule: {
    ...{ since: Date.now() - 10 * DAY, time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null },
    ...part,
  },
});
const startsIn = (milliseconds: number) => schedule({ starts_at: Date.now() + milliseconds });
const paused = { paused_at: Date.now() - HOUR };
const TIME = "(yesterday|today|tomorrow|[A-Z][a-z]+day|[A-Z][a-z]{2}, [A-Z][a-z]{2} \\d+) at \\d\\d:\\d\\d";

interface Case {
  change: (settings: Game["settings"]) => Partial<Game>;
  title: string;
  /** A pattern of the sentence, in which `TIME` is a time. */
  text: string;
  hasCountdown: boolean;
}

/** Each situation, the state of the game that has it, and what its pages must say. */
const CASES: Readonly<Record<string, Case>> = {
  between_seasons: {
    change: () => ({}),
    title: "The season has not begun",
    text: "No zombie has been seen yet, and no start has been announced\\.",
    hasCountdown: false,
  },
  before_registration: {
    change: (settings) => ({ ...startsIn(2 * DAY), settings: { ...settings, registration: "closed" } }),
    title: "Registration is not open",
    text: "The game starts TIME\\.",
    hasCountdown: true,
  },
  registration: {
    change: () => startsIn(2 * DAY),
    title: "Registration is open",
    text: "The game starts TIME\\.",
    hasCountdown: true,
  },
  before_start: {
    change: (settings) => ({
      ...startsIn(2 * DAY),
      settings: { ...settings, registration_closes_at: Date.now() - HOUR },
    }),
    title: "The game has not started",
    text: "Registration is over\\. The game starts TIME\\.",
    hasCountdown: true,
  },
  paused_before_start: {
    change: () => ({ ...startsIn(2 * DAY), ...paused }),
    title: "The game is paused before its start",
    text: "The start is planned for TIME\\. Play begins only after a game master has resumed the game\\.",
    hasCountdown: false,
  },
  running: {
    change: () => schedule({ starts_at: Date.now() - DAY, ends_at: Date.now() + DAY }),
    title: "The game is on",
    text: "Play stops TIME\\.",
    hasCountdown: true,
  },
  night: {
    change: () => schedule({ play_hours: farHours() }),
    title: "Play has stopped until the next play hours",
    text: "Tags do not count, and nobody gets hungrier\\. Play resumes TIME\\.",
    hasCountdown: true,
  },
  paused: {
    change: () => ({ ...schedule({ play_hours: longHours() }), ...paused }),
    title: "The game is paused",
    text: "Nobody starves, and no tag counts, until a game master resumes it\\.",
    hasCountdown: false,
  },
  paused_at_night: {
    change: () => ({ ...schedule({ play_hours: farHours() }), ...paused }),
    title: "The game is paused, outside play hours",
    text: "The next play hours begin TIME\\. Even then nobody starves, and no tag counts, until a game master resumes it\\.",
    hasCountdown: false,
  },
  ended: {
    change: () => schedule({ starts_at: Date.now() - 3 * DAY, ends_at: Date.now() - HOUR }),
    title: "The game is over",
    text: "It ended TIME\\. Thank you for playing\\.",
    hasCountdown: false,
  },
};

/** The element with the title, and that with the sentence, on each page that has them. */
const PLACES = [
  ["/", ".landing-phase", ".landing-words"],
  ["/app/me", "main h2", "main"],
  ["/app/gm/now", "main h1", "main header"],
  ["/app/gm/game", "main h2", "main"],
  ["/app/screen", ".screen-head p", ".screen-head"],
] as const;

/** What makes open pages ask the service again. */
const LOOK = `document.dispatchEvent(new Event("visibilitychange")), dispatchEvent(new Event("online"))`;

describeInChromium("the situation of the game", () => {
  const s = testEnvironment();
  const { openPage } = webPages();

  /** Writes the game as it would be in a situation. */
  const enter = async (gm: TestPlayer, change: Case["change"], original: Game): Promise<void> => {
    const before = await s.store.game();
    const after = { ...before, ...original, rev: before.rev, ...change(original.settings) };
    await s.store.commit(await writesOf({ game: { before, after } }), () => 10_000);
    // The service shows others for a second what it has read before.
    await s.must("GET /game/{url_id}", { as: gm });
  };

  const textsOf = async (page: Page, selector: string): Promise<string[]> =>
    page.$$eval(selector, (all) => all.map(({ textContent }) => textContent ?? ""));

  it("has its own words on every page, and a countdown only to what happens by itself", {
    timeout: 240_000,
  }, async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    const original = await s.store.game();
    const pages = new Map<string, Page>();
    for (const [path] of PLACES) {
      const player = path.startsWith("/app/gm") ? gm : path === "/app/me" ? ada : undefined;
      pages.set(path, await openPage(path, player));
      await pages.get(path)?.setCacheEnabled(false);
    }
    const titles = new Set<string>();
    for (const [situation, { change, title, text, hasCountdown }] of Object.entries(CASES)) {
      if (situation === "before_registration") await s.outbreak(gm, ada);
      await enter(gm, change, original);
      const sentence = new RegExp(text.replace("TIME", TIME));
      for (const [path, heading, words] of PLACES) {
        const page = pages.get(path) ?? (await openPage(path));
        // The first page reads the game once.
        if (path === "/") await page.reload();
        else await page.evaluate(LOOK);
        await expect
          .poll(() => textsOf(page, heading), { ...TIMEOUT, message: `${situation} on ${path}` })
          .toContainEqual(expect.stringContaining(title));
        expect((await textsOf(page, words)).join(" "), `${situation} on ${path}`).toMatch(sentence);
        if (path === "/" || path === "/app/screen")
          expect((await page.$$("[role=timer]")).length > 0, `countdown ${situation} ${path}`).toBe(
            hasCountdown,
          );
      }
      titles.add(title);
    }
    expect(titles.size).toBe(Object.keys(CASES).length);
  });
});
