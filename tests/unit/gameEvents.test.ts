/** Game events: their recipients, the texts of their notifications, and when they are no longer current. */
import { describe, expect, it } from "vitest";
import { recipientsOf, warningsOf } from "../../lib/domain/events/eventRecipients.ts";
import { GameEvent, pushKindOf, tagOf, textFor } from "../../lib/domain/events/gameEvents.ts";
import { type Interaction, KINDS } from "../../lib/domain/hunts/interaction.ts";
import { type Listener, type RenderContext, WARN_BEFORE } from "../../lib/domain/notifications/pushTexts.ts";
import { schedule } from "../support/schedules.ts";
import { aGame, anInteraction } from "./builders.ts";
import { DAY, HOUR, iso, MINUTE, SECOND, T0 } from "./times.ts";

const anEvent = (what: GameEvent["what"], more: Partial<GameEvent> = {}): GameEvent => ({
  ...{ id: "an-id", what, at: iso(T0), actor: "ada" },
  ...more,
});

const HUMAN: Listener = { state: "human", deadline: null, epoch: null, push_kinds: null };
const ZOMBIE: Listener = { state: "zombie", deadline: T0 + DAY, epoch: 0, push_kinds: null };

const text = (event: GameEvent, listener: Listener, more: Partial<RenderContext> = {}) =>
  textFor(event, listener, { actor: "Ada", game: aGame(), now: T0, ...more });

/** The event, the push kind and the recipient (null: everybody) of each kind of interaction, by the contract. */
const EVENTS: Record<
  Exclude<Interaction["kind"], "reward" | "finish" | "reopen">,
  [what: string, kind: string, to: string | null]
> = {
  hunt: ["tagged", "tagged", "ben"],
  corpsify: ["killed", "killed", "ben"],
  checkpoint_kill: ["checkpoint_missed", "killed", "ben"],
  starve: ["starved", "killed", "ben"],
  cure: ["cured", "cured", "ben"],
  revive_human: ["revived_human", "revived", "ben"],
  revive_zombie: ["revived_zombie", "revived", "ben"],
  feed: ["fed", "fed", "ben"],
  void: ["tag_taken_back", "cured", "ben"],
  // The previous version knows no event of its own for it.
  revived_by_late_tag: ["revived_zombie", "revived", "ben"],
  add_day: ["day_added", "fed", null],
  pause: ["paused", "game", null],
  resume: ["resumed", "game", null],
};

/** The end of a season is announced by messages. */
const isPushed = (kind: Interaction["kind"]): kind is keyof typeof EVENTS => kind in EVENTS;

it.each(KINDS.filter(isPushed))(
  "the recipients of an interaction are its target or everybody for the kind %s",
  (kind) => {
    const [what, push, to] = EVENTS[kind];
    const late = kind === "revived_by_late_tag" ? { by_late_tag: true } : {};
    const event = { id: "an-id", what, at: iso(T0 - HOUR), actor: "ada", ...late };
    const recipients = recipientsOf(anInteraction({ kind }));
    expect(recipients).toEqual([{ event, to }]);
    const [one] = recipients.map(({ event }) => GameEvent.parse(event));
    expect([one, one && pushKindOf(one)]).toEqual([event, push]);
  },
);

it("without a target only events of the game have recipients; an infection by a checkpoint is its own event", () => {
  expect(recipientsOf(anInteraction({ kind: "corpsify", target: null, shared_with: ["cid"] }))).toEqual([]);
  expect(recipientsOf(anInteraction({ kind: "pause", target: null }))).toHaveLength(1);
  const infected = recipientsOf(anInteraction({ kind: "revive_zombie", checkpoint_id: "the-bridge" }));
  expect(infected).toMatchObject([{ to: "ben", event: { what: "checkpoint_infected" } }]);
  expect(infected.map(({ event }) => pushKindOf(event))).toEqual(["tagged"]);
});

it("notifications of shared feedings replace each other, but those of tags do not", () => {
  const hunts = ["one", "another"].map((interaction_id) =>
    recipientsOf(anInteraction({ kind: "hunt", interaction_id, shared_with: ["cid"] })),
  );
  const shown = hunts.flat().map(({ event, to }) => `${to} ${pushKindOf(event)} ${tagOf(event)}`);
  expect(shown.join()).toBe("ben tagged one,cid fed meal_shared,ben tagged another,cid fed meal_shared");
});

it("starvation warnings come six hours and one hour before, with one id per player, deadline and epoch", () => {
  expect(WARN_BEFORE).toEqual([6 * HOUR, HOUR]);
  const near = { deadline: T0 + HOUR, before: HOUR, epoch: 3 };
  const id = `starving 1 ${T0 + HOUR} 3 ada`;
  const warning = { id, what: "starving" as const, at: iso(T0), actor: null, deadline: T0 + HOUR };
  expect(warningsOf("ada", near, iso(T0))).toEqual([{ event: warning, to: "ada" }]);
  expect(pushKindOf(warning)).toBe("starving");
  const others = [{}, { deadline: T0 }, { before: 6 * HOUR }, { epoch: 4 }].flatMap((more) =>
    warningsOf("ada", { ...near, ...more }, iso(T0)),
  );
  const all = [...others, ...warningsOf("ben", near, iso(T0))];
  expect(new Set(all.map(({ event }) => event.id)).size).toBe(5);
});

it("an added day is announced to living zombies only", () => {
  const others = [{ state: "corpse" as const }, { deadline: T0 }, { deadline: null }, { epoch: null }];
  for (const listener of [HUMAN, ...others.map((more) => ({ ...ZOMBIE, ...more }))])
    expect(text(anEvent("day_added"), listener)).toBeNull();
  expect(text(anEvent("day_added"), { ...ZOMBIE, deadline: T0 + 1 })).not.toBeNull();
});

it("a pause and its end are announced with what comes next, as the schedule is when the text is read", () => {
  const at = "on [A-Z][a-z]+day at \\d\\d:\\d\\d";
  const since = T0 - DAY;
  const texts: [Parameters<typeof schedule>[0], paused: string, resumed: string][] = [
    [
      { since, play_hours: { monday: [["08:00", "22:00"]] } },
      `The game is paused, outside play hours: The next play hours begin ${at}\\. Even then nobody starves`,
      `by the length of the pause\\. Tags do not count.*Play resumes ${at}\\.`,
    ],
    [
      { since, ends_at: T0 + DAY },
      "The game is paused: Nobody starves, and no tag counts, until a game master resumes it\\.",
      `by the length of the pause\\. Play stops ${at}\\.`,
    ],
  ];
  for (const [given, paused, resumed] of texts) {
    const textWhile = (what: "paused" | "resumed", paused_at: number | null) => {
      const found = text(anEvent(what), HUMAN, { game: aGame({ schedule: schedule(given), paused_at }) });
      return `${found?.title}: ${found?.body}`;
    };
    expect(textWhile("paused", T0)).toMatch(new RegExp(paused));
    expect(textWhile("resumed", null)).toMatch(new RegExp(resumed));
  }
});

describe("a starvation warning", () => {
  const warning = (deadline?: number) => ({
    ...anEvent("starving", { actor: null }),
    ...(deadline === undefined ? {} : { deadline }),
  });
  const textWith = (left: number, more: Partial<Listener> = {}, context: Partial<RenderContext> = {}) =>
    text(warning(T0 + left), { ...ZOMBIE, deadline: T0 + left, ...more }, context);

  it("names the time that is left", () => {
    const left = [1, 89 * SECOND, 90 * SECOND, HOUR, 89 * MINUTE, 90 * MINUTE, 149 * MINUTE, 6 * HOUR];
    const named = "a minute, a minute, 2 minutes, 60 minutes, 89 minutes, 2 hours, 2 hours, 6 hours";
    const body = "Tag a human before then, or share a feeding.";
    const texts = named.split(", ").map((one) => ({ title: `You starve in ${one}`, body }));
    expect(left.map((one) => textWith(one))).toEqual(texts);
  });

  it("is null once the player was fed, cured, killed or has starved, or a day was added", () => {
    expect(textWith(HOUR)).not.toBeNull();
    for (const more of [{ deadline: T0 + HOUR + 1 }, { state: "human" }, { state: "corpse" }] as const)
      expect(textWith(HOUR, more)).toBeNull();
    for (const context of [{ now: T0 + HOUR }, { game: aGame({ epoch: 1, offset: DAY }) }])
      expect(textWith(HOUR, "game" in context ? { epoch: 1 } : {}, context)).toBeNull();
    expect(textWith(6 * HOUR + 1)).toBeNull();
    expect(text(warning(), { ...ZOMBIE, deadline: null })).toBeNull();
  });

  it("counts in game time", () => {
    const context = { game: aGame({ paused_at: T0 }), now: T0 + DAY };
    expect(textWith(HOUR, {}, context)?.title).toBe("You starve in 60 minutes");
  });
});
