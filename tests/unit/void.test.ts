/** The void: what a hunt gave is as if it had not been, in every case and after any history. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { addDayToClock, type Game, pauseClock, resumeClock, wallDeadline } from "../../lib/domain/clock.ts";
import { MAX_REMEMBERED_HUNTS } from "../../lib/domain/feeding.ts";
import { pushKindOf, recipientsOf, textFor } from "../../lib/domain/gameEvents.ts";
import { hunt } from "../../lib/domain/hunt.ts";
import type { Interaction } from "../../lib/domain/interaction.ts";
import { MAX_REMEMBERED_KILLS, withKill, withoutKill } from "../../lib/domain/kills.ts";
import type { Outcome } from "../../lib/domain/outcome.ts";
import { type Player, type State, stateOf } from "../../lib/domain/player.ts";
import { corpsify, cure, feedPlayer, reviveHuman, reviveZombie } from "../../lib/domain/transitions.ts";
import { requireHunt, type VoidContext, voidHunt } from "../../lib/domain/void.ts";
import { aGame, aMoment, aPlayer, DAY, deepFreeze, HOUR, iso, MINUTE, refusalOf, T0 } from "./support.ts";

const PERIOD = 48 * HOUR;
const CODE = "ABCD2345";
const LIFE = "01900000-0000-7000-8000-00000000aaaa";
const GM = "00000000-0000-4000-8000-00000000dddd";

let made = 0;
/** A moment whose ids are in the order of time, over all moments. */
const momentAt = (now: number, period = PERIOD) =>
  aMoment({
    now,
    period,
    newId: () => {
      made += 1;
      return `01900000-0000-7000-9000-${String(made).padStart(12, "0")}`;
    },
  });

const aHunter = (more: Partial<Player> = {}): Player =>
  aPlayer({
    state: "zombie",
    infection_id: LIFE,
    infected_at: iso(T0 - 2 * DAY),
    deadline: T0 + 2 * HOUR,
    epoch: 0,
    kills: 0,
    last_kill_at: null,
    last_fed_at: iso(T0 - DAY),
    ...more,
  });

const aPrey = (): Player =>
  aPlayer({ state: "human", tag_code: CODE, code_since: iso(T0 - DAY), kills: 0, last_kill_at: null });

const afterOf = (outcome: Outcome, id: string): Player => {
  const after = outcome.players.find(({ before }) => before?.player_id === id)?.after;
  if (after === undefined || after === null) throw new Error("not changed");
  return after;
};

/** A hunt at T0, shared with one, and everybody as it left them. */
const aTag = (
  hunter = aHunter(),
  sharer = aHunter({ infection_id: "01900000-0000-7000-8000-00000000bbbb" }),
) => {
  const scene = {
    game: aGame(),
    hunter,
    prey: aPrey(),
    code: CODE,
    sharers: [{ alias: "S", player: sharer }],
  };
  const outcome = hunt(deepFreeze(scene), { huntedAt: T0 }, momentAt(T0));
  const players = new Map(outcome.players.map(({ after }) => [after?.player_id ?? "", after as Player]));
  return { tag: outcome.interaction, prey: outcome.prey, hunter: outcome.hunter, sharer, players };
};

const sceneOf = (
  { tag, players }: ReturnType<typeof aTag>,
  more: Partial<VoidContext> = {},
): VoidContext => ({
  game: aGame(),
  hunt: tag,
  named: players,
  infected: [],
  actor: GM,
  reason: "They lied.",
  ...more,
});

const changed = (told: ReturnType<typeof aTag>, who: Player, more: Partial<Player>) =>
  new Map([...told.players, [who.player_id, { ...who, ...more }]]);

const told = (outcome: ReturnType<typeof voidHunt>) =>
  outcome.effects.map(({ player, effect, state }) => [player, effect, state]);

let cases = 0;
const tell = (name: string, story: () => void) =>
  it(name, () => {
    cases += 1;
    story();
  });

describe("a void", () => {
  tell("makes the prey human with a new code, and takes kill and meals back", () => {
    const tag = aTag();
    const moment = momentAt(T0 + HOUR);
    const outcome = voidHunt(deepFreeze(sceneOf(tag)), moment);
    expect(afterOf(outcome, tag.prey.player_id)).toMatchObject({
      state: "human",
      tag_code: moment.codes[0],
      code_since: iso(T0 + HOUR),
      infection_id: null,
      deadline: null,
      epoch: null,
    });
    expect(afterOf(outcome, tag.hunter.player_id)).toMatchObject({
      state: "zombie",
      kills: 0,
      last_kill_at: null,
      deadline: T0 + 2 * HOUR,
      epoch: 0,
      last_fed_at: iso(T0 - DAY),
      meals: [],
      latest_kills: [],
    });
    expect(afterOf(outcome, tag.sharer.player_id)).toMatchObject({ kills: 0, deadline: T0 + 2 * HOUR });
    expect(outcome.interactions).toEqual([outcome.interaction]);
    expect(outcome.interaction).toEqual({
      interaction_id: expect.any(String),
      kind: "void",
      at: iso(T0 + HOUR),
      recorded_at: iso(T0 + HOUR),
      actor: GM,
      target: tag.prey.player_id,
      voids: tag.tag.interaction_id,
      hunter: tag.hunter.player_id,
      reason: "They lied.",
    });
    expect(outcome.effects).toEqual([
      { player: tag.prey.player_id, effect: "human_again", state: "human" },
      { player: tag.hunter.player_id, effect: "kill_taken_back", state: "zombie", kills: 0 },
      { player: tag.hunter.player_id, effect: "meal_taken_back", state: "zombie", deadline: T0 + 2 * HOUR },
      { player: tag.sharer.player_id, effect: "meal_taken_back", state: "zombie", deadline: T0 + 2 * HOUR },
    ]);
  });

  tell("is refused of what is not there, is no hunt, or was taken back", () => {
    const { tag } = aTag();
    expect(refusalOf(() => requireHunt(null)).code).toBe("not_found");
    expect(refusalOf(() => requireHunt({ ...tag, kind: "cure" }))).toMatchObject({
      code: "wrong_state",
      detail: expect.stringContaining("cure"),
    });
    const again = refusalOf(() => requireHunt({ ...tag, voided_by: LIFE }));
    expect(again).toMatchObject({ code: "wrong_state", detail: expect.stringContaining("already") });
    const scene = sceneOf(aTag());
    expect(
      refusalOf(() => voidHunt({ ...scene, hunt: { ...scene.hunt, voided_by: LIFE } }, momentAt(T0))).code,
    ).toBe("wrong_state");
  });

  tell("starves whom only the meal kept alive, at the deadline that they had without it", () => {
    const tag = aTag();
    const outcome = voidHunt(deepFreeze(sceneOf(tag)), momentAt(T0 + 3 * HOUR));
    expect(afterOf(outcome, tag.hunter.player_id)).toMatchObject({
      state: "corpse",
      deadline: null,
      kills: 0,
    });
    expect(outcome.interactions.map(({ kind, at, target }) => [kind, at, target])).toEqual([
      ["starve", iso(T0 + 2 * HOUR), tag.hunter.player_id],
      ["starve", iso(T0 + 2 * HOUR), tag.sharer.player_id],
      ["void", iso(T0 + 3 * HOUR), tag.prey.player_id],
    ]);
    expect(outcome.effects.filter(({ effect }) => effect === "starved")).toEqual([
      { player: tag.hunter.player_id, effect: "starved", state: "corpse", at: iso(T0 + 2 * HOUR) },
      { player: tag.sharer.player_id, effect: "starved", state: "corpse", at: iso(T0 + 2 * HOUR) },
    ]);
  });

  tell("leaves who had starved in spite of the meal dead since then", () => {
    const tag = aTag();
    const outcome = voidHunt(deepFreeze(sceneOf(tag)), momentAt(T0 + PERIOD + HOUR));
    const deaths = outcome.interactions.filter(({ kind }) => kind === "starve");
    expect(deaths.map(({ at }) => at)).toEqual([T0 + PERIOD, T0 + PERIOD, T0 + PERIOD].map(iso));
    expect(afterOf(outcome, tag.prey.player_id).state).toBe("human");
    expect(outcome.effects.map(({ effect }) => effect)).not.toContain("starved");
  });

  tell("revives a prey that has died of that life, by whatever hand", () => {
    const tag = aTag();
    const named = changed(tag, tag.prey, { state: "corpse", deadline: null, epoch: null });
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
    expect(afterOf(outcome, tag.prey.player_id).state).toBe("human");
    expect(outcome.interactions.map(({ kind }) => kind)).toEqual(["void"]);
  });

  tell("leaves a prey alone who lives another life by now", () => {
    const tag = aTag();
    for (const [state, infection_id] of [
      ["human", null],
      ["zombie", "01900000-0000-7000-8000-00000000cccc"],
      ["spectator", null],
    ] as const) {
      const named = changed(tag, tag.prey, { state, infection_id });
      const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
      expect(outcome.players.map(({ before }) => before?.player_id)).not.toContain(tag.prey.player_id);
      expect(told(outcome)[0]).toEqual([tag.prey.player_id, "unchanged", state]);
      expect(afterOf(outcome, tag.hunter.player_id).kills).toBe(0);
    }
  });

  tell("names those who have left, and changes nothing of theirs", () => {
    const tag = aTag();
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named: new Map() })), momentAt(T0 + HOUR));
    expect(outcome.players).toEqual([]);
    expect(told(outcome)).toEqual(
      [tag.prey, tag.hunter, tag.sharer].map(({ player_id }) => [player_id, "unchanged", null]),
    );
    expect(outcome.interactions).toHaveLength(1);
  });

  tell("takes the kill of a hunter who was cured, and no meal of another life", () => {
    const tag = aTag();
    const { player: cured } = cure({ game: aGame(), target: tag.hunter, actor: GM }, momentAt(T0 + MINUTE));
    const named = changed(tag, cured, {});
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
    expect(afterOf(outcome, cured.player_id)).toEqual({
      ...cured,
      kills: 0,
      last_kill_at: null,
      latest_kills: [],
    });
    expect(outcome.effects.filter(({ player }) => player === cured.player_id)).toEqual([
      { player: cured.player_id, effect: "kill_taken_back", state: "human", kills: 0 },
    ]);
    const { player: risen } = reviveZombie(
      { game: aGame(), target: { ...tag.hunter, state: "corpse" }, actor: GM },
      momentAt(T0 + MINUTE),
    );
    expect([cured.meals, risen.meals]).toEqual([[], []]);
    const later = voidHunt(deepFreeze(sceneOf(tag, { named: changed(tag, risen, {}) })), momentAt(T0 + HOUR));
    expect(afterOf(later, risen.player_id)).toMatchObject({ kills: 0, deadline: risen.deadline });
    expect(later.effects.map(({ effect }) => effect)).not.toContain("meal_kept");
  });

  tell("keeps a meal that was not written down, and says so", () => {
    const tag = aTag();
    // As an earlier version of the service left them.
    const forgotten = { meals: [], latest_kills: [] };
    const named = new Map([...tag.players].map(([id, player]) => [id, { ...player, ...forgotten }]));
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
    expect(afterOf(outcome, tag.hunter.player_id)).toMatchObject({ kills: 0, deadline: T0 + PERIOD });
    expect(outcome.effects.filter(({ effect }) => effect === "meal_kept")).toEqual(
      [tag.hunter, tag.sharer].map(({ player_id }) => ({
        player: player_id,
        effect: "meal_kept",
        state: "zombie",
        deadline: T0 + PERIOD,
      })),
    );
    // A hunt that is written down outlasts it: then there is nothing to keep.
    const prey = aPrey();
    const next = hunt(
      { game: aGame(), hunter: { ...tag.hunter, ...forgotten }, prey, code: CODE, sharers: [] },
      { huntedAt: T0 + MINUTE },
      momentAt(T0 + MINUTE),
    );
    const later = voidHunt(sceneOf(tag, { named: changed(tag, next.hunter, {}) }), momentAt(T0 + HOUR));
    expect(later.effects.filter(({ player }) => player === tag.hunter.player_id)).toMatchObject([
      { effect: "kill_taken_back", kills: 1 },
    ]);
    expect(afterOf(later, tag.hunter.player_id)).toMatchObject({
      deadline: T0 + MINUTE + PERIOD,
      last_kill_at: iso(T0 + MINUTE),
    });
  });

  tell("counts what was fed by somebody who writes no meals down as what stays", () => {
    const tag = aTag();
    const named = changed(tag, tag.hunter, { deadline: T0 + 3 * PERIOD, last_fed_at: iso(T0 + MINUTE) });
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
    expect(afterOf(outcome, tag.hunter.player_id)).toMatchObject({ deadline: T0 + 3 * PERIOD, kills: 0 });
  });

  tell("leaves the time of a kill that somebody wrote down in no list", () => {
    const tag = aTag();
    const named = changed(tag, tag.hunter, { kills: 2, last_kill_at: iso(T0 + MINUTE) });
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
    expect(afterOf(outcome, tag.hunter.player_id)).toMatchObject({
      kills: 1,
      last_kill_at: iso(T0 + MINUTE),
    });
    const older = withKill(
      { ...tag.hunter, kills: 2, last_kill_at: iso(T0 + MINUTE) },
      { hunt: "h", at: iso(T0) },
    );
    expect(older).toMatchObject({ kills: 3, last_kill_at: iso(T0 + MINUTE), latest_kills: [] });
  });

  tell("names those whom the prey infected and who are zombies still", () => {
    const tag = aTag();
    const infection = (n: number) => `01900000-0000-7000-a000-00000000000${n}`;
    const child = (n: number, more: Partial<Player>) => ({
      infection_id: infection(n),
      player: aHunter({ infection_id: infection(n), ...more }),
    });
    const infected = [
      child(1, {}),
      child(2, { state: "corpse", deadline: null }),
      child(3, { deadline: T0 }),
      child(4, { infection_id: null, state: "human" }),
      child(5, { infection_id: LIFE }),
    ];
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { infected })), momentAt(T0 + HOUR));
    expect(told(outcome).filter(([, effect]) => effect === "stays_zombie")).toEqual([
      [infected[0]?.player.player_id, "stays_zombie", "zombie"],
    ]);
  });

  tell("never counts kills below none", () => {
    const tag = aTag();
    const named = changed(tag, tag.hunter, { kills: 0 });
    expect(afterOf(voidHunt(sceneOf(tag, { named }), momentAt(T0)), tag.hunter.player_id).kills).toBe(0);
  });

  tell("says of those who have left the game that nothing changes, and changes nothing", () => {
    const tag = aTag();
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named: new Map() })), momentAt(T0 + HOUR));
    const ids = [tag.prey, tag.hunter, tag.sharer].map(({ player_id }) => player_id);
    expect(told(outcome)).toEqual(ids.map((id) => [id, "unchanged", null]));
    expect(outcome.players).toEqual([]);
    expect(outcome.interactions).toEqual([outcome.interaction]);
  });

  tell("says of a sharer who lives another life that nothing changes", () => {
    const tag = aTag();
    const named = changed(tag, tag.sharer, { state: "human", infection_id: null, deadline: null, meals: [] });
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
    expect(told(outcome).filter(([id]) => id === tag.sharer.player_id)).toEqual([
      [tag.sharer.player_id, "unchanged", "human"],
    ]);
  });

  tell("takes a meal from a corpse, and gives it no deadline", () => {
    const tag = aTag();
    const starved = { state: "corpse", deadline: null, epoch: null } as const;
    const named = changed(tag, tag.hunter, starved);
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { named })), momentAt(T0 + HOUR));
    expect(tag.hunter.meals).toHaveLength(2);
    expect(afterOf(outcome, tag.hunter.player_id)).toMatchObject({
      ...starved,
      meals: [],
      last_fed_at: iso(T0 - DAY),
    });
  });

  tell("is of the prey alone where nobody is known to have hunted or shared", () => {
    const tag = aTag();
    const { shared_with: _, ...hunt } = { ...tag.tag, actor: null };
    const outcome = voidHunt(deepFreeze(sceneOf(tag, { hunt })), momentAt(T0 + HOUR));
    expect(told(outcome)).toEqual([[tag.prey.player_id, "human_again", "human"]]);
    expect(outcome.interaction.hunter).toBeNull();
  });

  tell("of two kills at one time takes back the one that is meant", () => {
    const [one, two, three] = ["one", "two", "three"].map((hunt) => ({ hunt, at: iso(T0) }));
    if (one === undefined || two === undefined || three === undefined) throw new Error("no kills");
    const older = { hunt: "older", at: iso(T0 - HOUR) };
    const hunter = [older, one, two, { ...older, hunt: "late" }, three].reduce(withKill, aHunter());
    expect(hunter.latest_kills.map(({ hunt }) => hunt)).toEqual(["three", "two", "one", "late", "older"]);
    const without = withoutKill(withoutKill(hunter, "two"), "three");
    expect(without).toMatchObject({ kills: 3, last_kill_at: iso(T0) });
    expect(withoutKill(without, "one").last_kill_at).toBe(iso(T0 - HOUR));
  });

  afterAll(() => expect(cases).toBe(18));
});

describe("a void is told", () => {
  const { interaction, players } = voidHunt(sceneOf(aTag()), momentAt(T0));
  const [prey, hunter] = players.map(({ after }) => after);
  const concerns = recipientsOf(interaction);

  it("to prey and hunter, and to nobody else", () => {
    expect(concerns.map(({ to, event }) => [to, event.what, pushKindOf(event)])).toEqual([
      [prey?.player_id, "tag_taken_back", "cured"],
      [hunter?.player_id, "kill_taken_back", "fed"],
    ]);
    expect(recipientsOf({ ...interaction, hunter: null })).toHaveLength(1);
  });

  it("in words that hold for whatever they are when they hear it", () => {
    const telling = { actor: "Game Master", game: aGame(), now: T0 };
    const words = concerns.map(({ event }) =>
      [aPrey(), aHunter()].map((listener) => textFor(event, listener, telling)?.title),
    );
    expect(words).toEqual([
      ["The tag was taken back", "A tag was taken back"],
      ["A tag of yours was taken back", "A tag of yours was taken back"],
    ]);
  });
});

/** What a model remembers of one player: every meal and every kill, by the clock on the wall. */
interface Modelled {
  state: State;
  life: string | null;
  meals: { hunt: string | null; at: number | null; wall: number; void: boolean }[];
  kills: { hunt: string; at: number; void: boolean }[];
}

const CAST = 7;
/** A feeding period so short that much depends on each meal. */
const SHORT = 12 * HOUR;
const OPS = ["hunt", "undo", "heal", "wait", "feed", "rise", "kill", "day", "pause"] as const;

/** A game of seven, its rules on one side and a naive record of everything on the other. */
const theatre = () => {
  let game: Game = aGame();
  let now = T0;
  const players = Array.from({ length: CAST }, (_, n) =>
    aPlayer({
      state: "human",
      tag_code: `${CODE}${n}`,
      code_since: iso(T0 - DAY),
      kills: 0,
      last_kill_at: null,
      infection_id: null,
    }),
  );
  const models: Modelled[] = players.map(() => ({ state: "human", life: null, meals: [], kills: [] }));
  const tags: { tag: Interaction; void: boolean; deaths: number }[] = [];
  const counted = { hunts: 0, voids: 0, hindsight: 0, again: 0, children: 0 };

  const at = (n: number): Player => players[n] as Player;
  const model = (n: number): Modelled => models[n] as Modelled;
  const indexOf = (id: string | null): number => players.findIndex(({ player_id }) => player_id === id);
  const wall = ({ meals }: Modelled): number =>
    Math.max(...meals.filter((meal) => !meal.void).map((meal) => meal.wall));
  /** The model's zombies who are past their deadline are corpses. */
  const bury = (): void => {
    for (const one of models) if (one.state === "zombie" && wall(one) <= now) one.state = "corpse";
  };
  const apply = (outcome: Outcome): void => {
    for (const { before, after } of outcome.players) {
      if (after !== null) players[indexOf(before?.player_id ?? "")] = deepFreeze(after);
    }
  };
  const check = (): void => {
    for (const [n, player] of players.entries()) {
      const one = model(n);
      const kills = one.kills.filter((kill) => !kill.void);
      const meals = one.meals.filter((meal) => !meal.void);
      const isUndead = one.state === "zombie" || (one.state === "corpse" && one.life !== null);
      expect({
        state: stateOf(player, game, now),
        life: player.infection_id,
        kills: player.kills,
        last: player.last_kill_at,
        fed: isUndead ? player.last_fed_at : null,
        wall: one.state === "zombie" ? wallDeadline(game, player.deadline ?? 0, now) : null,
      }).toEqual({
        state: one.state,
        life: one.life,
        kills: kills.length,
        last: kills.length === 0 ? null : iso(Math.max(...kills.map((kill) => kill.at))),
        fed:
          isUndead && meals.some((meal) => meal.at !== null)
            ? iso(Math.max(...meals.map((meal) => meal.at ?? 0)))
            : null,
        wall: one.state === "zombie" ? wall(one) : null,
      });
    }
  };
  const begin = (n: number, life: string): void => {
    Object.assign(model(n), {
      state: "zombie",
      life,
      meals: [{ hunt: null, at: null, wall: now + SHORT, void: false }],
    });
  };
  const target = (n: number) => ({ game, target: at(n), actor: GM });

  /** One of those in a state, whichever the number says. */
  const someone = (number: number, state: State): number | null => {
    const those = players.map((_, n) => n).filter((n) => model(n).state === state);
    return those[number % those.length] ?? null;
  };

  const isFull = (n: number): boolean =>
    model(n).kills.filter((kill) => !kill.void).length >= MAX_REMEMBERED_KILLS ||
    model(n).meals.filter((meal) => !meal.void && meal.hunt !== null).length >= MAX_REMEMBERED_HUNTS;

  const steps = {
    hunt(hunter: number, hunted: number, c: number, x: number): void {
      const isZombie = (n: number) => model(n).state === "zombie";
      const [a, b] = [someone(hunter, "zombie"), someone(hunted, "human")];
      if (a === null || b === null || isFull(a) || isFull(c)) return;
      const prey = at(b);
      const huntedAt = Math.max(
        now - x * MINUTE,
        Date.parse(at(a).infected_at ?? ""),
        Date.parse(prey.code_since ?? ""),
      );
      const shares = c !== a && c !== b && isZombie(c);
      const outcome = hunt(
        {
          game,
          hunter: at(a),
          prey,
          code: prey.tag_code ?? "",
          sharers: shares ? [{ alias: "C", player: at(c) }] : [],
        },
        { huntedAt },
        momentAt(now, SHORT),
      );
      const { interaction_id: id } = outcome.interaction;
      const meal = Math.max(huntedAt, game.changed_at ?? huntedAt);
      for (const n of shares ? [a, c] : [a]) {
        model(n).meals.push({ hunt: id, at: meal, wall: meal + SHORT, void: false });
      }
      model(a).kills.push({ hunt: id, at: huntedAt, void: false });
      begin(b, id);
      apply(outcome);
      tags.push({ tag: outcome.interaction, void: false, deaths: 0 });
      counted.hunts += 1;
    },
    feed(a: number): void {
      if (model(a).state !== "zombie") return;
      apply(feedPlayer(target(a), momentAt(now, SHORT)));
      model(a).meals.push({ hunt: null, at: now, wall: now + SHORT, void: false });
    },
    rise(a: number): void {
      if (model(a).state === "human") {
        apply(corpsify(target(a), momentAt(now, SHORT)));
      } else if (model(a).state !== "corpse") return;
      const outcome = reviveZombie(target(a), momentAt(now, SHORT));
      apply(outcome);
      begin(a, outcome.interaction.interaction_id);
    },
    heal(a: number): void {
      const { state } = model(a);
      if (state !== "zombie" && state !== "corpse") return;
      apply(
        state === "zombie"
          ? cure(target(a), momentAt(now, SHORT))
          : reviveHuman(target(a), momentAt(now, SHORT)),
      );
      Object.assign(model(a), { state: "human", life: null, meals: [] });
    },
    kill(a: number): void {
      if (model(a).state !== "zombie") return;
      apply(corpsify(target(a), momentAt(now, SHORT)));
      model(a).state = "corpse";
    },
    wait(_a: number, _b: number, _c: number, x: number): void {
      now += x * 2 * MINUTE;
    },
    day(): void {
      game = { ...addDayToClock(game, now), rev: game.rev + 1 };
      for (const { meals } of models) for (const meal of meals) if (meal.wall > now) meal.wall += DAY;
    },
    pause(_a: number, _b: number, _c: number, x: number): void {
      const length = x * MINUTE;
      const paused = pauseClock(game, now);
      for (const { meals } of models) for (const meal of meals) if (meal.wall > now) meal.wall += length;
      now += length;
      game = { ...resumeClock(paused, now), rev: game.rev + 1 };
    },
    undo(_a: number, _b: number, _c: number, x: number): void {
      const chosen = tags[x % Math.max(1, tags.length)];
      if (chosen === undefined) return;
      const { tag } = chosen;
      const hunted: Interaction = chosen.void ? { ...tag, voided_by: LIFE } : tag;
      const named = new Map(
        [tag.target, tag.actor, ...(tag.shared_with ?? [])].map((id) => [id ?? "", at(indexOf(id))]),
      );
      const scene = deepFreeze({ game, hunt: hunted, named, infected: [], actor: GM, reason: "no" });
      if (chosen.void) {
        expect(refusalOf(() => voidHunt(scene, momentAt(now, SHORT))).code).toBe("wrong_state");
        counted.again += 1;
        return;
      }
      const outcome = voidHunt(scene, momentAt(now, SHORT));
      chosen.void = true;
      counted.voids += 1;
      if (tags.some((other) => other.tag.parent === tag.interaction_id)) counted.children += 1;
      const living = models.map(({ state }) => state === "zombie");
      for (const one of models) {
        for (const meal of one.meals) if (meal.hunt === tag.interaction_id) meal.void = true;
        for (const kill of one.kills) if (kill.hunt === tag.interaction_id) kill.void = true;
        if (one.life === tag.interaction_id) Object.assign(one, { state: "human", life: null, meals: [] });
      }
      // Those who die of it are told of, each at the deadline that was left.
      const dead = models.flatMap((one, n) =>
        one.state === "zombie" && living[n] === true && wall(one) <= now
          ? [[at(n).player_id, iso(wall(one))]]
          : [],
      );
      counted.hindsight += dead.length;
      const starved = outcome.effects.filter(({ effect }) => effect === "starved");
      expect(starved.map((effect) => [effect.player, effect.at]).toSorted()).toEqual(dead.toSorted());
      expect(outcome.effects.map(({ effect }) => effect)).not.toContain("meal_kept");
      apply(outcome);
    },
  };
  const run = (op: (typeof OPS)[number], ...numbers: [number, number, number, number]): void => {
    steps[op](...numbers);
    bury();
    check();
  };
  return { run, counted };
};

describe("any history", () => {
  const all = { histories: 0, steps: 0, hunts: 0, voids: 0, hindsight: 0, again: 0, children: 0 };
  const RUNS = 300;

  it("leaves kills, times and deadlines as a record of everything else says", () => {
    const often = {
      hunt: 8,
      undo: 4,
      heal: 3,
      wait: 3,
      feed: 2,
      rise: 1,
      kill: 1,
      day: 1,
      pause: 1,
    } as const;
    const op = fc.oneof(...OPS.map((name) => ({ weight: often[name], arbitrary: fc.constant(name) })));
    const step = fc.tuple(op, fc.nat(CAST - 1), fc.nat(CAST - 1), fc.nat(CAST - 1), fc.nat(340));
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 80, size: "max" }), (steps) => {
        const { run, counted } = theatre();
        for (const n of [0, 1]) run("rise", n, 0, 0, 0);
        for (const one of steps) run(...one);
        all.histories += 1;
        all.steps += steps.length;
        for (const name of ["hunts", "voids", "hindsight", "again", "children"] as const)
          all[name] += counted[name];
      }),
      { numRuns: RUNS },
    );
  });

  it("of kills more than are remembered has the time of the last, while one is remembered", () => {
    let runs = 0;
    let beyond = 0;
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.nat(300), undo: fc.boolean(), which: fc.nat(50) }), {
          minLength: 10,
          maxLength: 60,
          size: "max",
        }),
        (steps) => {
          let player = aHunter();
          const kills: { hunt: string; at: string }[] = [];
          let undone = 0;
          for (const [n, { at, undo, which }] of steps.entries()) {
            if (undo && kills.length > 0) {
              // The newest most often, for they are the ones that matter.
              kills.sort((one, other) => (one.at < other.at ? 1 : -1));
              const [gone] = kills.splice(which % Math.min(3, kills.length), 1);
              player = withoutKill(player, gone?.hunt ?? "");
              undone += 1;
            } else {
              const kill = { hunt: `h${n}`, at: iso(T0 + at * MINUTE) };
              kills.push(kill);
              player = withKill(player, kill);
            }
            expect(player.kills).toBe(kills.length);
            expect(player.latest_kills.length).toBeLessThanOrEqual(MAX_REMEMBERED_KILLS);
            const latest =
              kills
                .map((kill) => kill.at)
                .toSorted()
                .at(-1) ?? null;
            if (undone < MAX_REMEMBERED_KILLS || latest === null) expect(player.last_kill_at).toBe(latest);
            // Beyond what is remembered it may be too late, never too early.
            else expect((player.last_kill_at ?? "") >= latest).toBe(true);
            beyond += undone < MAX_REMEMBERED_KILLS ? 0 : 1;
          }
          runs += 1;
        },
      ),
      { numRuns: 500 },
    );
    expect(runs).toBe(500);
    expect(beyond).toBeGreaterThan(500);
  });

  it("of hunts more than are remembered keeps the deadline that the latest gave", () => {
    let hunter = aHunter();
    const tags: Interaction[] = [];
    for (let n = 0; n < MAX_REMEMBERED_HUNTS + 3; n += 1) {
      const now = T0 + n * MINUTE;
      const scene = { game: aGame(), hunter, prey: aPrey(), code: CODE, sharers: [] };
      const outcome = hunt(scene, { huntedAt: now }, momentAt(now));
      ({ hunter } = outcome);
      tags.push(outcome.interaction);
    }
    expect(hunter.meals).toHaveLength(MAX_REMEMBERED_HUNTS + 1);
    expect(hunter.deadline).toBe(T0 + (MAX_REMEMBERED_HUNTS + 2) * MINUTE + PERIOD);
    // From the latest back: each leaves the one before it, down to the last that is not remembered by itself.
    for (let n = MAX_REMEMBERED_HUNTS + 2; n >= 0; n -= 1) {
      const scene = {
        game: aGame(),
        hunt: tags[n] as Interaction,
        named: new Map([[hunter.player_id, hunter]]),
        infected: [],
        actor: GM,
        reason: "no",
      };
      const outcome = voidHunt(scene, momentAt(T0 + HOUR));
      hunter = afterOf(outcome, hunter.player_id);
      expect(hunter.kills).toBe(n);
      expect(hunter.deadline).toBe(T0 + Math.max(2, n - 1) * MINUTE + PERIOD);
      expect(outcome.effects.some(({ effect }) => effect === "meal_kept")).toBe(n <= 2);
    }
  });

  afterAll(() => {
    expect(all.histories).toBe(RUNS);
    expect(all.steps).toBeGreaterThan(RUNS * 40);
    expect(all.hunts).toBeGreaterThan(RUNS * 5);
    expect(all.voids).toBeGreaterThan(RUNS * 2);
    expect(all.again).toBeGreaterThan(RUNS);
    expect(all.hindsight).toBeGreaterThan(3);
    expect(all.children).toBeGreaterThan(RUNS / 2);
  });
});
