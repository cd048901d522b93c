/** A new season: what it makes of a player, of the game, and of each kind of item. */
import { describe, expect, it } from "vitest";
import { NEW_GAME, pauseClock } from "../../lib/domain/clock.ts";
import { newSpectator, type Player } from "../../lib/domain/player.ts";
import { isReadyForSeason, newSeason, resetForSeason } from "../../lib/domain/season.ts";
import { asCorpse, asHuman, asZombie } from "../../lib/domain/transitions.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { keys } from "../../lib/store/keys.ts";
import { type Part, partOf } from "../../scripts/season/items.ts";
import { iso, T0 } from "./support.ts";

let codes = 0;
const moment = (now: number) => ({
  now,
  period: 1_000,
  newId: () => "an infection",
  newCode: () => {
    codes += 1;
    return `CODE${codes}`;
  },
});
const BEGAN = T0 + 1_000;
const before = moment(T0);

const spectator = newSpectator("p1", 3, { alias: "Ada", email: "ada@example.org" }, iso(T0));
const human = asHuman(spectator, before);
const zombie = asZombie(human, NEW_GAME, before, { id: "i1", at: iso(T0), by: "p2" });
const PLAYED: Record<string, Player> = {
  human,
  zombie: {
    ...zombie,
    kills: 2,
    last_kill_at: iso(T0),
    latest_kills: [{ hunt: "h", at: iso(T0) }],
    misses: [iso(T0)],
  },
  corpse: asCorpse(zombie),
  "dead human": asCorpse(human),
  cured: asHuman(zombie, moment(BEGAN)),
  passed: { ...human, checkpoint_id: "c", passed_at: iso(T0) },
};

describe("a new season", () => {
  it.each(Object.entries(PLAYED))("makes a human with a new code of a player who was %s", (_, player) => {
    expect(isReadyForSeason(player, iso(BEGAN))).toBe(false);
    const fresh = resetForSeason(
      { ...player, is_admin: true, has_pfp: true, push_kinds: ["tagged"], later: 1 },
      0,
      moment(BEGAN),
    );
    const { tag_code, ...rest } = fresh;
    expect(tag_code).toBe(`CODE${codes}`);
    const account = { is_admin: true, has_pfp: true, push_kinds: ["tagged"], later: 1, shard: 0 };
    expect(rest).toEqual({
      ...spectator,
      ...account,
      state: "human",
      tag_code: undefined,
      code_since: iso(BEGAN),
    });
    expect(isReadyForSeason(fresh, iso(BEGAN))).toBe(true);
    expect(isReadyForSeason(fresh, iso(BEGAN + 1))).toBe(false);
  });

  it("has begun for nobody of whom anything is still told", () => {
    const fresh = resetForSeason(human, 0, moment(BEGAN));
    const began = iso(BEGAN);
    expect(isReadyForSeason(fresh, began)).toBe(true);
    const told: Partial<Player>[] = [
      { misses: [iso(T0)] },
      { meals: [{ hunt: null, deadline: T0, epoch: 0, at: null }] },
      { latest_kills: [{ hunt: "h", at: iso(T0) }] },
      { kills: 1 },
      { infection_id: "i" },
      { deadline: 0.5 },
      { passed_at: iso(T0) },
      { state: "zombie" },
      { code_since: null },
    ];
    for (const more of told)
      expect([more, isReadyForSeason({ ...fresh, ...more }, began)]).toEqual([more, false]);
  });

  it("leaves a spectator one, without what they once played", () => {
    expect(isReadyForSeason(spectator, iso(BEGAN))).toBe(true);
    const retired = { ...spectator, kills: 3, infected_at: iso(T0), tag_code: "OLD" };
    expect(isReadyForSeason(retired, iso(BEGAN))).toBe(false);
    expect(resetForSeason(retired, 1, moment(BEGAN))).toEqual({ ...spectator, shard: 1 });
    expect(isReadyForSeason({ ...spectator, tag_code: "OLD" }, iso(BEGAN))).toBe(false);
  });

  it("begins with a new clock, whose writes count on", () => {
    const played = {
      ...pauseClock(NEW_GAME, T0),
      rev: 41,
      epoch: 3,
      offset: 5,
      enforcing: "j",
      checkpoint: null,
    };
    expect(newSeason(played, 4)).toEqual({ ...NEW_GAME, rev: 41, shards: 4 });
  });
});

describe("an item", () => {
  const at = iso(T0);
  const later = iso(BEGAN);
  const expires = T0 / 1_000 + 24 * 60 * 60;
  const DAYS = 24 * 60 * 60 * 1_000;
  const CASES: [string, Part, Key & { at?: string; created_at?: string; expires?: number }][] = [
    ["a player", "player", keys.player("p")],
    ["a picture", "kept", keys.picture("p")],
    ["a note", "past", keys.note("p", "h")],
    ["an alias", "kept", keys.alias("ada")],
    ["a look-alike", "kept", keys.look("ada")],
    ["a tag code", "code", keys.code("ABCD")],
    ["a password", "kept", keys.credential("p")],
    ["sessions", "kept", keys.sessions("p")],
    ["a recovery code", "kept", keys.recovery("p")],
    ["a subscription", "kept", keys.subscription("p", "h")],
    ["an endpoint", "kept", keys.endpoint("h")],
    ["an answer of before", "past", { ...keys.response("p", "k"), expires }],
    ["an answer of now", "kept", { ...keys.response("p", "k"), expires: expires + 2 }],
    ["the game", "kept", keys.game],
    ["the administrators", "kept", keys.administrators],
    ["a counter", "kept", keys.count(0, 1)],
    ["an interaction", "past", { ...keys.interaction(7, "i"), at: later }],
    ["a log entry of before", "past", { ...keys.log(0, "l"), at }],
    ["a log entry of now", "kept", { ...keys.log(0, "l"), at: later }],
    ["an old notification", "past", { ...keys.notification(0, "n"), created_at: iso(T0 - 2 * DAYS) }],
    [
      "one that may be under way",
      "kept",
      { ...keys.notification(0, "n"), created_at: iso(BEGAN - 2 * DAYS) },
    ],
    ["a job", "kept", keys.job("j")],
    ["a broadcast", "kept", keys.broadcastPlan("b", 0)],
    ["an allowance", "kept", keys.throttle("FAILURES", "192.0.2.1")],
  ];

  it.each(CASES)("that is %s is %s", (_, part, item) => {
    expect(partOf({ ...item }, iso(BEGAN))).toBe(part);
  });
});
