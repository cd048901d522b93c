/** The schemas of stored items: the type of every field. Defaults are in tests/behaviour/versions.test.ts. */
import { expect, it } from "vitest";
import type * as z from "zod/mini";
import { LoginFailure } from "../../lib/domain/backoff.ts";
import { Checkpoint, Game, NEW_GAME } from "../../lib/domain/clock.ts";
import { GameEvent } from "../../lib/domain/gameEvents.ts";
import { Interaction, isInfection, KINDS, Kind } from "../../lib/domain/interaction.ts";
import { newSpectator, readState, STATES, State, StoredPlayer } from "../../lib/domain/player.ts";
import { Notification, Progress, SendResult, Subscription } from "../../lib/domain/push.ts";
import { iso, T0 } from "./times.ts";

type Schema = Pick<z.ZodMiniType, "safeParse">;
type Fields = Record<string, unknown>;

const at = iso(T0);
const CHECKPOINT = {
  ...{ checkpoint_id: "c", name: "The bridge", description: null, latitude: 48.2, longitude: 16.3 },
  ...{ closes_at: null, applies_to: "humans", set_at: at, enforced_at: null, undone_at: null },
};
const GAME = {
  ...{ ...NEW_GAME, rev: 3, cuts: [{ epoch: 1, at: 5, offset: 6, made_at: 7 }] },
  ...{ checkpoint: CHECKPOINT, enforcing: "a-job", settings_version: 2, pauses: [{ from: 1, until: 2 }] },
  schedule: {
    ...{ since: 1, time_zone: "UTC", starts_at: 2, ends_at: null },
    play_hours: { monday: [["08:00", "22:00"]] },
  },
};
const PLAYER = {
  ...newSpectator("p", 0, { alias: "Ada" }, at),
  meals: [{ hunt: null, deadline: 1.5, epoch: 0, at }],
  latest_kills: [{ hunt: "i", at }],
  ...{ misses: [at], push_kinds: ["tagged", "of a later version"], human_since: at },
  ...{ is_moderator: true, former_aliases: ["Ada"], renamed_at: at, labels: ["waiver"], note: "n" },
  ...{ picture_hash: "h", infected_by_original_since: at, wants_original: true },
  cover: {
    ...{ since: at, infection_id: "i", state: "human", tag_code: "c", code_since: at, infected_at: null },
    human_since: at,
    ...{ kills: 1, last_kill_at: at, latest_kills: [{ hunt: "i", at }] },
  },
  before_checkpoint: {
    ...{ checkpoint_id: "c", interaction_id: "i", shards: 1, infection_id: "i", tag_code: null },
    ...{ is_over: true, hunger: 1, cover_state: "human", fields: { state: "human" } },
  },
};
const INTERACTION = {
  ...{ interaction_id: "i", kind: "hunt", at, recorded_at: at, actor: "a", target: "b" },
  ...{ parent: null, shared_with: ["c"], annotated: true, note: "n", latitude: 1, longitude: 2 },
  ...{ voided_by: "v", voids: "w", hunter: null, reason: "r", checkpoint_id: "k", human_since: at },
  ...{ drawn: true, cover: { since: at, kind: null } },
};
const NOTIFICATION = {
  ...{ notification_id: "n", player_id: "p", title: "t", content: "c", player_group: "All", created_at: at },
  ...{ audience: "humans", send_at: at },
};
const SUBSCRIPTION = {
  ...{ subscription_id: "s", player_id: "p", endpoint: "https://push.example", p256dh: "k", auth: "a" },
  created_at: at,
};
const RESULT = {
  ...{ notification: NOTIFICATION, subscriptions: 9, sent: 1, failed: 2, expired: 3, queued: 3 },
  ...{ status: "scheduled", warning: "w" },
};
const PROGRESS = { subscriptions: 9, sent: 1, failed: 2, expired: 3, pages: 2, pages_done: 1 };
const EVENT = { id: "e", what: "starving", at, actor: null, deadline: 1.5, original_since: at };

const SCHEMAS: [string, Schema, Fields][] = [
  ["checkpoint", Checkpoint, CHECKPOINT],
  ["game", Game, GAME],
  ["player", StoredPlayer, PLAYER],
  ["interaction", Interaction, INTERACTION],
  ["notification", Notification, NOTIFICATION],
  ["subscription", Subscription, SUBSCRIPTION],
  ["result of sending", SendResult, RESULT],
  ["progress", Progress, PROGRESS],
  ["event", GameEvent, EVENT],
  ["login failure", LoginFailure, { from: "somewhere", count: 2, last: 12.5 }],
];

/** A value of every stored type; most fields accept one or two of them. */
const VALUES: unknown[] = [true, "text", 1, 1.5, {}, [{}], [1], null];

const hasTypeOf = (good: unknown, value: unknown): boolean =>
  [good, value].includes(null) ||
  (typeof good === typeof value && Array.isArray(good) === Array.isArray(value));

const parses = (schema: Schema, value: unknown): boolean => schema.safeParse(value).success;

it.each(SCHEMAS)(
  "the schema of a %s accepts what is stored, and no other type for any field",
  (_, schema, good) => {
    expect(schema.safeParse(good)).toEqual({ success: true, data: good });
    for (const [name, value] of Object.entries(good)) {
      const wrong = VALUES.filter((one) => !hasTypeOf(value, one));
      if (Array.isArray(value)) wrong.push(typeof value[0] === "string" ? [1] : [{}]);
      for (const one of wrong)
        expect([name, one, parses(schema, { ...good, [name]: one })]).toEqual([name, one, false]);
    }
  },
);

it.each<[string, Schema, Fields, string[]]>([
  ["game", Game, GAME, ["rev", "shards", "epoch"]],
  ["player", StoredPlayer, PLAYER, ["rev", "seen", "shard", "kills", "epoch"]],
  ["progress", Progress, PROGRESS, Object.keys(PROGRESS)],
])("the counts of a %s are whole numbers", (_, schema, good, names) => {
  for (const name of names) expect([name, parses(schema, { ...good, [name]: 1.5 })]).toEqual([name, false]);
});

it("a game has at least one shard", () => expect(parses(Game, { ...GAME, shards: 0 })).toBe(false));

it.each<[string, Schema, Fields]>([
  ["cuts", Game, GAME],
  ["pauses", Game, GAME],
  ["meals", StoredPlayer, PLAYER],
  ["latest_kills", StoredPlayer, PLAYER],
])("each of the %s has all its fields", (name, schema, good) => {
  const list = good[name];
  const [one] = Array.isArray(list) ? list : [];
  expect(Object.keys(one).length).toBeGreaterThan(1);
  for (const field of Object.keys(one)) {
    const { [field]: _, ...rest } = one;
    expect([field, parses(schema, { ...good, [name]: [rest] })]).toEqual([field, false]);
  }
});

it.each(SCHEMAS.slice(0, 4))("a %s keeps fields that a later version has added", (_, schema, good) => {
  expect(schema.safeParse({ ...good, colour: "green" })).toMatchObject({ data: { colour: "green" } });
});

it("states, kinds of interaction and groups are closed lists", () => {
  const states = ["human", "zombie", "corpse", "spectator"];
  expect(Object.keys(STATES)).toEqual(states);
  expect([...states, "ghost"].filter((state) => parses(State, state))).toEqual(states);
  expect(KINDS).toHaveLength(12);
  expect([...KINDS, "sneeze"].filter((kind) => parses(Kind, kind))).toEqual(KINDS);
  expect(KINDS.filter(isInfection)).toEqual(["hunt", "revive_zombie"]);
  const groups = ["all", "humans", "zombies", "corpses"];
  const accepted = groups.filter((applies_to) => parses(Checkpoint, { ...CHECKPOINT, applies_to }));
  expect(accepted).toEqual(groups.slice(0, 3));
  expect(parses(Notification, { ...NOTIFICATION, player_group: "Some" })).toBe(false);
});

it("a player without what the state needs is read as a corpse, and keeps all other fields", () => {
  const complete = { tag_code: "ABCD2345", code_since: at, infection_id: "i", infected_at: at };
  const stored = StoredPlayer.parse({ ...PLAYER, ...complete, deadline: 1.5, epoch: 0, colour: "green" });
  const needs: Record<State, string[]> = {
    human: ["tag_code", "code_since"],
    zombie: ["infection_id", "infected_at", "deadline", "epoch"],
    corpse: [],
    spectator: [],
  };
  for (const state of State.options) {
    const player = { ...stored, state };
    expect(readState(player)).toBe(player);
    for (const name of Object.keys({ ...complete, deadline: 1.5, epoch: 0 })) {
      const read = needs[state].includes(name) ? "corpse" : state;
      expect(readState({ ...player, [name]: null })).toEqual({ ...player, [name]: null, state: read });
    }
    // An index entry has some of the fields.
    const { deadline, epoch } = player;
    expect(readState({ state, deadline, epoch })).toEqual({ state, deadline, epoch });
    const read = state === "zombie" ? "corpse" : state;
    expect(readState({ state, deadline: null, epoch })).toEqual({ state: read, deadline: null, epoch });
  }
});
