/** A new season: what it changes in players, the game and each kind of item. */
import { expect, it } from "vitest";
import { pauseClock } from "../../lib/domain/game/clock.ts";
import { NEW_GAME } from "../../lib/domain/game/game.ts";
import { Schedule } from "../../lib/domain/game/schedule.ts";
import { isReadyForSeason, newSeason, resetForSeason } from "../../lib/domain/game/season.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { exportFilter } from "../../lib/store/archiveItems.ts";
import { keys } from "../../lib/store/keys.ts";
import { type ResetAction, resetActionOf } from "../../lib/store/seasonItems.ts";
import { aContext, aHuman, aPlayer } from "./builders.ts";
import { DAY, iso, SECOND, T0 } from "./times.ts";

const BEGAN = T0 + SECOND;
const began = iso(BEGAN);

it("a new season has a new clock, continues the game's rev, and keeps its settings but for the times of the season", () => {
  const times = { registration_closes_at: T0, reveal_originals_at: began };
  const hides = { hide_originals_since: iso(T0) };
  const settings = { ...NEW_GAME.settings, name: "Autumn", sharers: 3, ...hides, ...times };
  const hours = { since: T0, time_zone: "Europe/Berlin", play_hours: { monday: [["08:00", "22:00"]] } };
  const schedule = Schedule.parse({ ...hours, starts_at: T0, ends_at: T0 + DAY });
  const kept = {
    settings: { ...settings, registration_closes_at: null, reveal_originals_at: null },
    settings_version: 7,
  };
  const clock = { ...pauseClock(NEW_GAME, T0), epoch: 3, offset: 5 };
  const played = { ...clock, rev: 41, enforcing: "j", ...kept, settings, schedule };
  const undated = { ...schedule, starts_at: null, ends_at: null };
  expect(newSeason(played, 4)).toEqual({ ...NEW_GAME, rev: 41, shards: 4, ...kept, schedule: undated });
});

const NOTHING = { kills: 0, points: 0, badges: [], antidote: null, signed: undefined };

it.each([
  { points: 1 },
  { badges: [{ name: "Medic", symbol: "✚", by: "an-id" }] },
  { antidote: "an-id" },
  { signed: "a-version" },
])("a player with %j is not ready for a new season, in which they have nothing of it", (played) => {
  for (const player of [aHuman(NOTHING), aPlayer(NOTHING)]) {
    expect([player, { ...player, ...played }].map((one) => isReadyForSeason(one, iso(0)))).toEqual([
      true,
      false,
    ]);
    expect(resetForSeason({ ...player, ...played }, 0, aContext())).toMatchObject(NOTHING);
  }
});

const at = iso(T0);
const expires = T0 / SECOND + 24 * 60 * 60;

const past = (key: Key): [string, ResetAction, Key] => [`${key.pk} ${key.sk}`, "past", key];

// What is reset or kept whatever its age is tested in tests/behaviour/reset.test.ts.
it.each<[string, ResetAction, Key & { at?: string; created_at?: string; expires?: number }]>([
  ["a stored response of before", "past", { ...keys.response("p", "k"), expires }],
  ["a stored response of now", "kept", { ...keys.response("p", "k"), expires: expires + 2 }],
  ["a log entry of before", "past", { ...keys.log(0, "l"), at }],
  ["a log entry of now", "kept", { ...keys.log(0, "l"), at: began }],
  ["an old notification", "past", { ...keys.notification(0, "n"), created_at: iso(T0 - 2 * DAY) }],
  ["a recent notification", "kept", { ...keys.notification(0, "n"), created_at: iso(BEGAN - 2 * DAY) }],
  ...[keys.codeBatch("b"), keys.codeHashes, keys.codeSheet("b"), keys.redemption("b", "p", 1)].map(past),
  ...[keys.rewardCode("h"), keys.signature("p"), keys.earlierSignature("p", "s")].map(past),
  ["a signature of a deleted account", "kept", keys.keptSignature("p", 1)],
  ["a text of the waiver", "kept", keys.waiver("v")],
])("%s is %s in a new season", (_, part, item) => {
  expect(resetActionOf({ ...item }, began)).toBe(part);
  const isExported = exportFilter({ withSessions: false, job: null });
  expect(isExported({ pk: { S: item.pk }, sk: { S: item.sk } })).toBe(item.expires === undefined);
});
