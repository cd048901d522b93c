/** Local times and play hours in the forms of game masters. */
import { describe, expect, it, vi } from "vitest";
import type { PlayHours } from "../../web/src/schemas.ts";
import { joinNights, splitNights, weekHours } from "../../web/src/text/week.ts";
import { isZone, offsetText, readLocal, seasonText, toZoned } from "../../web/src/text/zoned.ts";

describe("a local time", () => {
  const read = (local: string, zone: string) => {
    const found = readLocal(local, zone);
    return [found?.times, found?.instead].map((list) => list?.map((time) => time.slice(5, 16)));
  };

  it.each([
    ["an ordinary one", "2026-11-21T07:24", "Europe/Berlin", ["11-21T06:24"], []],
    ["one before a gap", "2026-03-29T01:59", "Europe/Berlin", ["03-29T00:59"], []],
    ["one in a gap", "2026-03-29T02:30", "Europe/Berlin", [], ["03-29T00:30", "03-29T01:30"]],
    ["one after a gap", "2026-03-29T03:00", "Europe/Berlin", ["03-29T01:00"], []],
    ["one that comes twice", "2026-10-25T02:30", "Europe/Berlin", ["10-25T00:30", "10-25T01:30"], []],
    ["one after it", "2026-10-25T03:00", "Europe/Berlin", ["10-25T02:00"], []],
    ["a gap of half an hour", "2026-10-04T02:15", "Australia/Lord_Howe", [], ["10-03T15:15", "10-03T15:45"]],
    ["a gap at midnight", "2026-09-06T00:30", "America/Santiago", [], ["09-06T03:30", "09-06T04:30"]],
    ["one in America", "2026-11-01T01:30", "America/New_York", ["11-01T05:30", "11-01T06:30"], []],
    ["a quarter of an hour", "2026-06-01T12:00", "Asia/Kathmandu", ["06-01T06:15"], []],
  ] as const)("is read: %s", (_, local, zone, times, instead) => {
    expect(read(local, zone)).toEqual([times, instead]);
  });

  it("is shown as it was typed, and the neighbours of a gap as far from it as they seem", () => {
    for (const time of readLocal("2026-10-25T02:30", "Europe/Berlin")?.times ?? [])
      expect(toZoned(time, "Europe/Berlin")).toBe("2026-10-25T02:30");
    const instead = readLocal("2026-03-29T02:30", "Europe/Berlin")?.instead ?? [];
    expect(instead.map((time) => toZoned(time, "Europe/Berlin").slice(11))).toEqual(["01:30", "03:30"]);
  });

  it.each(["", "2026", "0002-11-27T10:00", "0202-11-27T10:00", "2026-13-01T00:00", "tomorrow", "2026-11-27"])(
    "is none while it is half typed: %j",
    (text) => {
      expect(readLocal(text, "Europe/Berlin")).toBeNull();
    },
  );

  it("is named by its season, and a zone by its offset", () => {
    expect(seasonText("2026-10-25T00:30:00Z", "Europe/Berlin")).toBe("Central European Summer Time, UTC+2");
    expect(offsetText(Date.parse("2026-06-01T00:00:00Z"), "Asia/Kathmandu")).toBe("UTC+5:45");
    for (const name of ["", "E", "Europe/Ber", "+02:00", "Europe/Berlin; DROP", "🧟"])
      expect(isZone(name)).toBe(false);
    // A zone that an old browser does not know.
    expect(toZoned("2026-06-01T12:00:00Z", "Moon/Sea_of_Tranquility")).toBe("2026-06-01T12:00");
  });
});

it.each(["Pacific/Auckland", "America/Los_Angeles"])(
  "a day begins at midnight on the device, and of missions in the zone of the game: %s",
  async (zone) => {
    vi.stubEnv("TZ", zone);
    vi.resetModules();
    const { endInGame, setGameZone, timeInGame, timeText } = await import("../../web/src/text/times.ts");
    const at = (day: number, hour: number): number => new Date(2026, 10, day, hour, 30).getTime();
    for (const now of [at(21, 0), at(21, 23)]) {
      expect(timeText(at(21, 23), now)).toBe(now < at(21, 23) ? "tonight at 23:30" : "today at 23:30");
      expect(timeText(at(22, 0), now)).toBe("tomorrow at 00:30");
      expect(endInGame(at(21, 22), at(21, 23), now)).toBe("23:30");
      expect(endInGame(at(21, 23), at(22, 0), now)).toBe("tomorrow at 00:30");
      expect(timeText(at(20, 23), now)).toBe("yesterday at 23:30");
    }
    expect(timeText(at(1, 12), at(21, 0))).not.toContain("2026");
    expect(timeText(at(21, 12), at(21 + 400, 0))).toContain("2026");
    setGameZone(zone);
    expect(timeText(at(21, 12), at(21, 0))).toBe("today at 12:30");
    setGameZone("Asia/Kathmandu");
    expect(timeText(at(21, 12), at(21, 0))).toMatch(/^today at 12:30 (GMT\+13|PST)$/);
    expect(timeInGame(at(21, 12), at(21, 0))).toMatch(/^tomorrow at 0[25]:15 GMT\+5:45$/);
    expect(endInGame(at(21, 12), at(21, 13), at(21, 0))).toMatch(/^0[36]:15$/);
    const late = zone === "Pacific/Auckland" ? 6 : 9;
    expect(endInGame(at(21, late), at(21, late + 1), at(21, 0))).toMatch(/ at 00:15 GMT\+5:45$/);
    setGameZone("No/Where");
    expect(timeText(at(21, 12), at(21, 0))).toBe("today at 12:30");
    vi.unstubAllEnvs();
  },
);

it("a day of the game begins at midnight in its zone, not on the device", async () => {
  vi.stubEnv("TZ", "America/Los_Angeles");
  vi.resetModules();
  const { gameDay, setGameZone } = await import("../../web/src/text/times.ts");
  setGameZone("Pacific/Auckland");
  // 08:00 of 21 November in Auckland, and 11:00 of the 20th in Los Angeles.
  const start = "2026-11-20T19:00:00Z";
  expect(gameDay(start, Date.parse("2026-11-21T10:59:00Z"))).toBe(1);
  expect(gameDay(start, Date.parse("2026-11-21T11:00:00Z"))).toBe(2);
  expect(gameDay(null, Date.parse(start))).toBeNull();
  vi.unstubAllEnvs();
});

describe("play hours past midnight", () => {
  /** Reads `friday 18:00-24:00, saturday 00:00-02:00 22:00-24:00`. */
  const hours = (text: string): PlayHours =>
    Object.fromEntries(
      text.split(", ").map((entry) => {
        const [day, ...ranges] = entry.split(" ");
        return [day, ranges.map((range) => range.split("-"))];
      }),
    );

  it.each([
    ["an evening", "friday 18:00-02:00", "friday 18:00-24:00, saturday 00:00-02:00"],
    ["from Sunday to Monday", "sunday 20:00-01:30", "monday 00:00-01:30, sunday 20:00-24:00"],
    [
      "every night, and a noon",
      "monday 12:00-13:00 22:00-04:00, tuesday 22:00-04:00",
      "monday 12:00-13:00 22:00-24:00, tuesday 00:00-04:00 22:00-24:00, wednesday 00:00-04:00",
    ],
    ["until midnight", "friday 18:00-24:00", "friday 18:00-24:00"],
    [
      "a whole day, and the morning after",
      "friday 00:00-24:00, saturday 00:00-02:00",
      "friday 00:00-24:00, saturday 00:00-02:00",
    ],
    [
      "more than a day without a break",
      "friday 18:00-24:00, saturday 00:00-20:00",
      "friday 18:00-24:00, saturday 00:00-20:00",
    ],
  ])("are one range on the page and two for the service: %s", (_, edited, stored) => {
    expect(splitNights(hours(edited))).toEqual(hours(stored));
    expect(joinNights(hours(stored))).toEqual(hours(edited));
  });

  it("keep their hours, and lose only what is empty", () => {
    const days: PlayHours = { ...hours("friday 18:00-02:00, monday 08:00-08:00"), sunday: [] };
    expect(weekHours(splitNights(days))).toBe(8);
    expect(Object.keys(splitNights(days))).toEqual(["friday", "saturday"]);
  });
});
