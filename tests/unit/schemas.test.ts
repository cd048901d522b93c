/** Shapes: what an item must hold to be taken for one. What is stored is parsed, and a broken item is a fault. */
import { describe, expect, it } from "vitest";
import type * as z from "zod/mini";
import { LoginFailure } from "../../lib/domain/backoff.ts";
import { Checkpoint, Game, NEW_GAME } from "../../lib/domain/clock.ts";
import { GameEvent } from "../../lib/domain/gameEvents.ts";
import { Interaction, isInfection, KINDS, Kind } from "../../lib/domain/interaction.ts";
import { newSpectator, Player, STATES, State } from "../../lib/domain/player.ts";
import { Notification, Progress, SendResult, Subscription } from "../../lib/domain/push.ts";
import { iso, T0 } from "./support.ts";

type Shape = Pick<z.ZodMiniType, "safeParse">;
type Fields = Record<string, unknown>;

const CHECKPOINT = {
  checkpoint_id: "c",
  name: "The bridge",
  description: null,
  latitude: 48.2,
  longitude: 16.3,
  closes_at: null,
  applies_to: "humans",
  set_at: iso(T0),
};
const GAME = {
  ...NEW_GAME,
  rev: 3,
  cuts: [{ epoch: 1, at: 5, offset: 6, made_at: 7 }],
  checkpoint: CHECKPOINT,
  enforcing: "a-job",
};
const PLAYER = {
  ...newSpectator("p", 0, { alias: "Ada" }, iso(T0)),
  meals: [{ hunt: null, deadline: 1.5, epoch: 0, at: iso(T0) }],
  latest_kills: [{ hunt: "i", at: iso(T0) }],
  misses: [iso(T0)],
  push_kinds: ["tagged", "of a later version"],
};
const INTERACTION = {
  interaction_id: "i",
  kind: "hunt",
  at: iso(T0),
  recorded_at: iso(T0),
  actor: "a",
  target: "b",
  parent: null,
  shared_with: ["c"],
  annotated: true,
  note: "n",
  latitude: 1,
  longitude: 2,
  voided_by: "v",
  voids: "w",
  hunter: null,
  reason: "r",
};
const SUBSCRIPTION = {
  subscription_id: "s",
  player_id: "p",
  endpoint: "https://push.example",
  p256dh: "k",
  auth: "a",
  created_at: iso(T0),
};
const NOTIFICATION = {
  notification_id: "n",
  player_id: "p",
  title: "t",
  content: "c",
  player_group: "All",
  created_at: iso(T0),
};
const PROGRESS = { subscriptions: 9, sent: 1, failed: 2, expired: 3, pages: 2, pages_done: 1 };
const RESULT = { notification: NOTIFICATION, subscriptions: 9, sent: 1, failed: 2, expired: 3, queued: 3 };
const EVENT = { id: "e", what: "starving", at: iso(T0), actor: null, deadline: 1.5 };
const FAILURE = { from: "somewhere", count: 2, last: 12.5 };

/** What each may be without, and what it then is; `undefined` where nothing stands in its place. */
const SHAPES: [string, Shape, Fields, without: Fields][] = [
  ["a checkpoint", Checkpoint, CHECKPOINT, {}],
  ["a game", Game, GAME, { enforcing: null }],
  ["a player", Player, PLAYER, { meals: [], latest_kills: [], push_kinds: null }],
  [
    "an interaction",
    Interaction,
    INTERACTION,
    Object.fromEntries(
      Object.keys(INTERACTION)
        .slice(6)
        .map((name) => [name, undefined]),
    ),
  ],
  ["a subscription", Subscription, SUBSCRIPTION, {}],
  ["a notification", Notification, NOTIFICATION, {}],
  ["a result", SendResult, RESULT, {}],
  ["progress", Progress, PROGRESS, Object.fromEntries(Object.keys(PROGRESS).map((name) => [name, 0]))],
  ["an event", GameEvent, EVENT, { deadline: undefined }],
  ["a failure", LoginFailure, FAILURE, {}],
];

/** Values of every kind that is stored; of most fields all but one or two are wrong. */
const ODD: unknown[] = [true, "text", 1, 1.5, {}, [{}], [1], null];

/** Which of the odd values each kind of good value stands for. */
const isAlike = (good: unknown, odd: unknown): boolean =>
  odd === null || good === null || (typeof good === typeof odd && Array.isArray(good) === Array.isArray(odd));

describe.each(SHAPES)("%s", (_name, shape, good, without) => {
  it("is read as it was written", () => {
    expect(shape.safeParse(good)).toEqual({ success: true, data: good });
  });

  it("lacks nothing", () => {
    for (const name of Object.keys(good)) {
      const { [name]: _, ...rest } = good;
      const read = shape.safeParse(rest);
      expect([name, read.success]).toEqual([name, name in without]);
      if (read.success) expect([name, read.data]).toEqual([name, withDefault(rest, name, without)]);
    }
  });

  it("has in each field what belongs there", () => {
    for (const [name, value] of Object.entries(good)) {
      for (const odd of ODD.filter((one) => !isAlike(value, one))) {
        expect([name, odd, shape.safeParse({ ...good, [name]: odd }).success]).toEqual([name, odd, false]);
      }
      if (Array.isArray(value)) {
        const odd = typeof value[0] === "string" ? [1] : [{}];
        expect([name, shape.safeParse({ ...good, [name]: odd }).success]).toEqual([name, false]);
      }
    }
  });
});

const withDefault = (rest: Fields, name: string, without: Fields): Fields =>
  without[name] === undefined ? rest : { ...rest, [name]: without[name] };

const parses = (shape: Shape, value: unknown): boolean => shape.safeParse(value).success;

it("counts are whole numbers, and a game has a shard at least", () => {
  for (const name of ["rev", "shards", "epoch"]) {
    expect([name, parses(Game, { ...GAME, [name]: 1.5 })]).toEqual([name, false]);
  }
  expect(parses(Game, { ...GAME, shards: 0 })).toBe(false);
  for (const name of ["rev", "seen", "shard", "kills", "epoch"]) {
    expect([name, parses(Player, { ...PLAYER, [name]: 1.5 })]).toEqual([name, false]);
  }
  for (const name of Object.keys(PROGRESS)) {
    expect([name, parses(Progress, { ...PROGRESS, [name]: 1.5 })]).toEqual([name, false]);
  }
  expect(parses(LoginFailure, { ...FAILURE, count: 1.5 })).toBe(false);
});

it("each cut, meal and kill is whole", () => {
  const lists: [Shape, Fields, string][] = [
    [Game, GAME, "cuts"],
    [Player, PLAYER, "meals"],
    [Player, PLAYER, "latest_kills"],
  ];
  for (const [shape, good, name] of lists) {
    const items = good[name];
    const one = Array.isArray(items) ? items[0] : {};
    expect(Object.keys(one).length).toBeGreaterThan(1);
    for (const field of Object.keys(one)) {
      const { [field]: _, ...rest } = one;
      expect([name, field, parses(shape, { ...good, [name]: [rest] })]).toEqual([name, field, false]);
    }
  }
});

it("what a newer version has added to an item survives", () => {
  for (const [shape, good] of [
    [Checkpoint, CHECKPOINT],
    [Game, GAME],
    [Player, PLAYER],
    [Interaction, INTERACTION],
  ] as const) {
    expect(shape.safeParse({ ...good, colour: "green" })).toMatchObject({ data: { colour: "green" } });
  }
});

it("there are four states, twelve kinds of interaction, and three to whom a checkpoint applies", () => {
  expect(STATES).toEqual(["human", "zombie", "corpse", "spectator"]);
  expect(STATES.filter((state) => parses(State, state))).toEqual(STATES);
  expect(parses(State, "ghost")).toBe(false);
  expect(KINDS).toHaveLength(12);
  expect(KINDS.filter((kind) => parses(Kind, kind))).toEqual(KINDS);
  expect(parses(Kind, "sneeze")).toBe(false);
  expect(KINDS.filter(isInfection)).toEqual(["hunt", "revive_zombie"]);
  const groups = ["all", "humans", "zombies", "corpses"];
  expect(groups.filter((applies_to) => parses(Checkpoint, { ...CHECKPOINT, applies_to }))).toEqual(
    groups.slice(0, 3),
  );
  expect(parses(Notification, { ...NOTIFICATION, player_group: "Some" })).toBe(false);
});

it("a new account is in nobody's way", () => {
  expect(newSpectator("p", 3, { alias: "Ada", email: "a@example.org" }, iso(T0))).toEqual({
    player_id: "p",
    rev: 0,
    seen: 0,
    shard: 3,
    alias: "Ada",
    first_name: null,
    last_name: null,
    email: "a@example.org",
    is_admin: false,
    state: "spectator",
    tag_code: null,
    code_since: null,
    kills: 0,
    last_kill_at: null,
    infection_id: null,
    infected_at: null,
    infected_by: null,
    last_fed_at: null,
    deadline: null,
    epoch: null,
    checkpoint_id: null,
    passed_at: null,
    has_pfp: false,
    created_at: iso(T0),
    misses: [],
    push_kinds: null,
    meals: [],
    latest_kills: [],
  });
});

it("the game before anything has happened to it", () => {
  expect(NEW_GAME).toEqual({
    rev: 0,
    shards: 1,
    offset: 0,
    paused_at: null,
    epoch: 0,
    cuts: [],
    changed_at: null,
    checkpoint: null,
    enforcing: null,
  });
});
