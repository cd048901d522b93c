/** Announcements: whom an event concerns, what each is told, and what has been overtaken. */
import { describe, expect, it } from "vitest";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import {
  checkpointEvent,
  GameEvent,
  kindOf,
  type Listener,
  PUSH_KINDS,
  PushKind,
  type RenderContext,
  recipientsOf,
  textFor,
  WARN_BEFORE,
  warningOf,
} from "../../lib/domain/gameEvents.ts";
import { type Interaction, KINDS } from "../../lib/domain/interaction.ts";
import { aGame, DAY, HOUR, iso, MINUTE, SECOND, T0 } from "./support.ts";

const anInteraction = (more: Partial<Interaction>): Interaction => ({
  interaction_id: "an-id",
  kind: "hunt",
  at: iso(T0 - HOUR),
  recorded_at: iso(T0),
  actor: "ada",
  target: "ben",
  ...more,
});

const anEvent = (what: GameEvent["what"], more: Partial<GameEvent> = {}): GameEvent => ({
  id: "an-id",
  what,
  at: iso(T0),
  actor: "ada",
  ...more,
});

const HUMAN: Listener = { state: "human", deadline: null, epoch: null, push_kinds: null };
const ZOMBIE: Listener = { state: "zombie", deadline: T0 + DAY, epoch: 0, push_kinds: null };

const telling = (more: Partial<RenderContext> = {}): RenderContext => ({
  actor: "Ada",
  game: aGame(),
  now: T0,
  ...more,
});

/** Whom each kind of interaction concerns, in the words of the contract's list of pushes. */
const CONCERNS: Record<Interaction["kind"], [what: string, kind: string, to: string | null]> = {
  hunt: ["tagged", "tagged", "ben"],
  corpsify: ["killed", "killed", "ben"],
  checkpoint_kill: ["checkpoint_missed", "killed", "ben"],
  starve: ["starved", "killed", "ben"],
  cure: ["cured", "cured", "ben"],
  revive_human: ["revived_human", "revived", "ben"],
  revive_zombie: ["revived_zombie", "revived", "ben"],
  feed: ["fed", "fed", "ben"],
  void: ["tag_taken_back", "cured", "ben"],
  add_day: ["day_added", "fed", null],
  pause: ["paused", "game", null],
  resume: ["resumed", "game", null],
};

describe("an interaction", () => {
  it.each(KINDS)("of the kind %s concerns whom it befell, or everybody", (kind) => {
    const [what, push, to] = CONCERNS[kind];
    const concerns = recipientsOf(anInteraction({ kind }));
    expect(concerns).toEqual([{ event: { id: "an-id", what, at: iso(T0 - HOUR), actor: "ada" }, to }]);
    expect(concerns.map(({ event }) => kindOf(event))).toEqual([push]);
    expect(concerns.map(({ event }) => GameEvent.parse(event))).toEqual(concerns.map(({ event }) => event));
  });

  it("of a shared hunt concerns the sharers too", () => {
    const concerns = recipientsOf(anInteraction({ shared_with: ["cid", "dan"] }));
    expect(concerns.map(({ to, event }) => [to, event.what, kindOf(event)])).toEqual([
      ["ben", "tagged", "tagged"],
      ["cid", "meal_shared", "fed"],
      ["dan", "meal_shared", "fed"],
    ]);
  });

  it("that took a hunt back concerns its hunter too", () => {
    const concerns = recipientsOf(anInteraction({ kind: "void", hunter: "eve" }));
    expect(concerns.map(({ to, event }) => [to, event.what, kindOf(event)])).toEqual([
      ["ben", "tag_taken_back", "cured"],
      ["eve", "kill_taken_back", "fed"],
    ]);
    expect(concerns[1]?.event).toEqual(anEvent("kill_taken_back", { at: iso(T0 - HOUR) }));
  });

  it("that befell nobody concerns nobody", () => {
    expect(recipientsOf(anInteraction({ kind: "corpsify", target: null, shared_with: ["cid"] }))).toEqual([]);
    expect(recipientsOf(anInteraction({ kind: "pause", target: null }))).toHaveLength(1);
  });
});

it("a new checkpoint is an event by its own id", () => {
  expect(checkpointEvent("the-bridge", "ada", iso(T0))).toEqual({
    id: "the-bridge",
    what: "checkpoint_set",
    at: iso(T0),
    actor: "ada",
  });
  expect(kindOf(checkpointEvent("the-bridge", null, iso(T0)))).toBe("checkpoint");
});

it("a warning comes six hours before, and one, under a name of its own for each deadline and epoch", () => {
  expect(WARN_BEFORE).toEqual([6 * HOUR, HOUR]);
  const near = { deadline: T0 + HOUR, before: HOUR, epoch: 3 };
  const warning = warningOf("ada", near, iso(T0));
  expect(warning).toEqual({
    id: `starving 1 ${T0 + HOUR} 3 ada`,
    what: "starving",
    at: iso(T0),
    actor: null,
    deadline: T0 + HOUR,
  });
  expect(kindOf(warning)).toBe("starving");
  const others = [
    warningOf("ben", near, iso(T0)),
    warningOf("ada", { ...near, deadline: T0 }, iso(T0)),
    warningOf("ada", { ...near, before: 6 * HOUR }, iso(T0)),
    warningOf("ada", { ...near, epoch: 4 }, iso(T0)),
  ];
  expect(new Set([warning, ...others].map(({ id }) => id)).size).toBe(5);
});

it("an event is one of those that are told, and a kind of push one that can be switched off", () => {
  expect(GameEvent.safeParse(anEvent("tagged")).success).toBe(true);
  expect(GameEvent.safeParse({ ...anEvent("tagged"), what: "sneezed" }).success).toBe(false);
  expect(GameEvent.safeParse({ ...anEvent("tagged"), what: "toString" }).success).toBe(false);
  expect(PUSH_KINDS).toEqual([
    "tagged",
    "cured",
    "revived",
    "killed",
    "fed",
    "starving",
    "checkpoint",
    "game",
  ]);
  expect(PushKind.safeParse("tagged").success).toBe(true);
  expect(PushKind.safeParse("spam").success).toBe(false);
});

/** What is said to a listener whom nothing has overtaken. */
const TITLES: [GameEvent["what"], Listener, title: string, body: string][] = [
  ["tagged", ZOMBIE, "You were tagged by Ada", "You are a zombie now. Tag a human before you starve."],
  ["meal_shared", ZOMBIE, "Ada shared a meal with you", "You have been fed."],
  ["fed", ZOMBIE, "You were fed", "A game master has fed you."],
  ["day_added", ZOMBIE, "You have a day more", "A game master has fed all zombies for a day."],
  ["cured", HUMAN, "You were cured", "You are human again, with a new tag code."],
  [
    "tag_taken_back",
    HUMAN,
    "The tag was taken back",
    "You are human. Look up your tag code: it may be a new one.",
  ],
  ["tag_taken_back", ZOMBIE, "A tag was taken back", "A game master has ruled that it does not count."],
  [
    "kill_taken_back",
    ZOMBIE,
    "A tag of yours was taken back",
    "It does not count, nor does the meal. See when you starve.",
  ],
  ["revived_human", HUMAN, "You were revived", "You are human, with a new tag code."],
  ["revived_zombie", ZOMBIE, "You were revived", "You are a zombie. Tag a human before you starve."],
  ["killed", HUMAN, "You were killed", "A game master has taken you out of the game."],
  ["checkpoint_missed", HUMAN, "You were killed", "You did not go through the checkpoint."],
  ["starved", ZOMBIE, "You starved", "Your feeding deadline has passed."],
  ["resumed", HUMAN, "The game goes on", "Every deadline is later by the length of the pause."],
];

describe("an event says", () => {
  it.each(TITLES)("of %s what has happened", (what, listener, title, body) => {
    expect(textFor(anEvent(what), listener, telling())).toEqual({ title, body });
  });

  it("somebody of an actor who has left", () => {
    expect(textFor(anEvent("tagged"), ZOMBIE, telling({ actor: null }))?.title).toBe(
      "You were tagged by somebody",
    );
  });

  it("nothing to who has switched its kind off, and all to who has switched off others", () => {
    const off = { ...ZOMBIE, push_kinds: ["cured"] };
    expect(textFor(anEvent("tagged"), off, telling())).toBeNull();
    expect(textFor(anEvent("tagged"), { ...ZOMBIE, push_kinds: [] }, telling())).toBeNull();
    expect(textFor(anEvent("cured"), off, telling())?.title).toBe("You were cured");
  });

  it("of an added day nothing but to those who live as zombies", () => {
    const day = anEvent("day_added");
    for (const listener of [
      HUMAN,
      { ...ZOMBIE, state: "corpse" as const },
      { ...ZOMBIE, deadline: T0 },
      { ...ZOMBIE, deadline: null },
      { ...ZOMBIE, epoch: null },
    ]) {
      expect(textFor(day, listener, telling())).toBeNull();
    }
    expect(textFor(day, { ...ZOMBIE, deadline: T0 + 1 }, telling())).not.toBeNull();
  });

  it("of a checkpoint its name, while it is the one", () => {
    const game = aGame({
      checkpoint: {
        checkpoint_id: "an-id",
        name: "The bridge",
        description: null,
        latitude: null,
        longitude: null,
        closes_at: null,
        applies_to: "all",
        set_at: iso(T0),
      },
    });
    const set = anEvent("checkpoint_set");
    expect(textFor(set, HUMAN, telling({ game }))).toEqual({
      title: "There is a checkpoint",
      body: "The bridge",
    });
    expect(textFor({ ...set, id: "another" }, HUMAN, telling({ game }))).toBeNull();
    expect(textFor(set, HUMAN, telling())).toBeNull();
  });

  it("of a pause that it is one while it lasts, and of its end only after it", () => {
    const paused = telling({ game: aGame({ paused_at: T0 }) });
    expect(textFor(anEvent("paused"), HUMAN, paused)).toEqual({
      title: "The game is paused",
      body: "Nobody starves, and no hunt counts.",
    });
    expect(textFor(anEvent("paused"), HUMAN, telling())).toBeNull();
    expect(textFor(anEvent("resumed"), HUMAN, paused)).toBeNull();
  });
});

describe("a warning", () => {
  const warning = (deadline: number | undefined) =>
    anEvent("starving", deadline === undefined ? { actor: null } : { actor: null, deadline });
  const titleAt = (left: number): string | undefined => {
    const deadline = T0 + left;
    return textFor(warning(deadline), { ...ZOMBIE, deadline }, telling())?.title;
  };

  it.each([
    [1, "a minute"],
    [20 * SECOND, "a minute"],
    [89 * SECOND, "a minute"],
    [90 * SECOND, "2 minutes"],
    [HOUR, "60 minutes"],
    [89 * MINUTE, "89 minutes"],
    [90 * MINUTE, "2 hours"],
    [149 * MINUTE, "2 hours"],
    [6 * HOUR, "6 hours"],
  ])("with %i ms left says %s", (left, words) => {
    expect(titleAt(left)).toBe(`You starve in ${words}`);
  });

  it("says what to do", () => {
    const deadline = T0 + HOUR;
    const words = textFor(warning(deadline), { ...ZOMBIE, deadline }, telling());
    expect(words?.body).toBe("Tag a human before then, or share a meal.");
  });

  it("says nothing where it has been overtaken: fed, cured, killed, starved, or a day added", () => {
    const deadline = T0 + HOUR;
    const say = (listener: Listener, more: Partial<RenderContext> = {}, event = warning(deadline)) =>
      textFor(event, listener, telling(more));
    expect(say({ ...ZOMBIE, deadline })).not.toBeNull();
    expect(say({ ...ZOMBIE, deadline: deadline + 1 })).toBeNull();
    expect(say({ ...HUMAN, deadline })).toBeNull();
    expect(say({ ...ZOMBIE, state: "corpse", deadline })).toBeNull();
    expect(say({ ...ZOMBIE, deadline }, { now: deadline })).toBeNull();
    expect(say({ ...ZOMBIE, deadline, epoch: 1 }, { game: aGame({ epoch: 1, offset: DAY }) })).toBeNull();
    expect(titleAt(6 * HOUR + 1)).toBeUndefined();
    expect(say({ ...ZOMBIE, deadline: null }, {}, warning(undefined))).toBeNull();
  });

  it("counts by the game's own time", () => {
    const deadline = T0 + HOUR;
    const game = { ...NEW_GAME, paused_at: T0 };
    const said = textFor(warning(deadline), { ...ZOMBIE, deadline }, telling({ game, now: T0 + DAY }));
    expect(said?.title).toBe("You starve in 60 minutes");
  });
});
