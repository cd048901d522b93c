/** The contract's table of actions by state (section 2), in every kind of game, and each transition field by field. */
import { describe, expect, it } from "vitest";
import type { Game } from "../../lib/domain/clock.ts";
import type { Outcome } from "../../lib/domain/outcome.ts";
import {
  type Feeding,
  LIVING,
  type Player,
  STATES,
  type State,
  type Zombie,
} from "../../lib/domain/player.ts";
import {
  asCorpse,
  asFed,
  corpsify,
  cure,
  feedPlayer,
  reviveHuman,
  reviveZombie,
  starve,
  type TargetCommand,
} from "../../lib/domain/transitions.ts";
import {
  A_PAUSED_GAME,
  aContext,
  aCorpse,
  aGame,
  aHuman,
  aPlayer,
  aZombie,
  CODE,
  DAYS_ADDED,
} from "./builders.ts";
import { deepFreeze, errorOf, present } from "./support.ts";
import { DAY, HOUR, iso, PERIOD, T0 } from "./times.ts";

/** Games, each with the game time at which a zombie of epoch 0 has just starved. */
const SITUATIONS: [string, Game, diedAt: number][] = [
  ["a new game", aGame(), T0],
  ["a game with added days", DAYS_ADDED, T0 - 5 * HOUR],
  ["a paused game", A_PAUSED_GAME, T0 - 3 * HOUR],
];

const STARTS = ["human", "zombie", "dead human", "dead zombie", "spectator", "starved"] as const;
type Start = (typeof STARTS)[number];

const startOf = (start: Start, diedAt: number): Player => {
  const infected = { infection_id: "life", infected_at: iso(T0 - 10 * DAY), infected_by: "eve" };
  const zombie = { ...infected, last_fed_at: iso(T0 - 9 * DAY) };
  const starts: Record<Start, () => Player> = {
    human: () => aHuman(),
    zombie: () => aZombie({ ...zombie, deadline: diedAt + 1 }),
    starved: () => aZombie({ ...zombie, deadline: diedAt }),
    "dead human": () => aCorpse({ tag_code: CODE, code_since: iso(T0 - DAY) }),
    "dead zombie": () => aCorpse(zombie),
    spectator: () => aPlayer(),
  };
  return starts[start]();
};

/** The state that an error names. */
const NAMED: Record<Start, State> = {
  ...{ human: "human", zombie: "zombie", spectator: "spectator" },
  ...{ "dead human": "corpse", "dead zombie": "corpse", starved: "corpse" },
};

type Row = (State | "rejected")[];
const [H, Z, C, no] = ["human", "zombie", "corpse", "rejected"] as const;

/** The contract's table: the state after each command, in the order of STARTS. */
const TABLE: [string, TargetCommand, kind: string, Row][] = [
  ["corpsify", corpsify, "corpsify", [C, C, no, no, no, no]],
  ["cure", cure, "cure", [no, H, no, no, no, no]],
  ["revive_h", reviveHuman, "revive_human", [no, no, H, H, H, H]],
  ["revive_z", reviveZombie, "revive_zombie", [no, no, Z, Z, Z, Z]],
  ["feed_player", feedPlayer, "feed", [no, Z, no, no, no, no]],
];

/** The fields that no transition may change. */
const LASTING = [
  ...(["player_id", "shard", "alias", "first_name", "last_name", "email", "is_admin", "kills"] as const),
  ...(["last_kill_at", "checkpoint_id", "passed_at", "has_pfp", "created_at"] as const),
];
const lasting = (player: Player) => LASTING.map((name) => [name, player[name]]);

const onlyChange = ({ players, game }: Outcome): { before: Player; after: Player } => {
  expect(players).toHaveLength(1);
  expect(game).toBeUndefined();
  return { before: present(players[0]?.before), after: present(players[0]?.after) };
};

describe.each(SITUATIONS)("in %s", (_name, situation, diedAt) => {
  const game = deepFreeze(situation);
  const cases = TABLE.flatMap(([name, command, kind, row]) =>
    STARTS.map((start, at) => ({ name, command, kind, start, result: row[at] ?? no })),
  );

  it.each(cases)("$name of a $start results in $result", ({ command, kind, start, result }) => {
    const target = deepFreeze(startOf(start, diedAt));
    const context = aContext();
    const run = () => command(deepFreeze({ game, target, actor: "gm" }), context);
    if (result === "rejected") {
      const error = errorOf(run);
      expect(error.code).toBe("wrong_state");
      expect(error.detail).toMatch(new RegExp(`\\bis an? ${NAMED[start]}\\b`));
      expect(context.codes).toEqual([]);
      return;
    }
    const outcome = run();
    const { before, after } = onlyChange(outcome);
    expect(before).toBe(target);
    expect(outcome.player).toBe(after);
    expect(after.state).toBe(result);
    expect(lasting(after)).toEqual(lasting(target));

    // One interaction for the command; for a starved zombie the starvation before it, at the deadline.
    const done = { recorded_at: iso(T0), target: target.player_id };
    const died = { ...done, kind: "starve", at: iso(diedAt), actor: null };
    expect(outcome.interactions).toMatchObject([
      ...(start === "starved" ? [died] : []),
      { ...done, kind, at: iso(T0), actor: "gm" },
    ]);
    expect(outcome.interactions.at(-1)).toBe(outcome.interaction);
    expect(new Set(context.ids).size).toBe(outcome.interactions.length);

    if (result === "zombie") {
      expect(after).toMatchObject({ tag_code: null, epoch: game.epoch });
      const gameNow = (game.paused_at ?? T0) - game.offset;
      expect((after.deadline ?? 0) - gameNow).toBe(PERIOD);
    }
    if (kind === "revive_zombie") {
      expect(outcome.interaction.parent).toBeNull();
      const infection = { infection_id: outcome.interaction.interaction_id, infected_at: iso(T0) };
      expect(after).toMatchObject({ ...infection, infected_by: null, last_fed_at: null });
    }
    if (kind === "feed") {
      expect(after).toMatchObject({ last_fed_at: iso(T0), infection_id: target.infection_id });
    }
  });

  it.each(STARTS)("a %s starves only after the deadline", (start) => {
    const player = deepFreeze(startOf(start, diedAt));
    const context = aContext();
    const outcome = starve(player, game, context);
    if (start !== "starved") {
      expect([outcome, context.ids]).toEqual([null, []]);
      return;
    }
    expect(onlyChange(present(outcome))).toEqual({ before: player, after: asCorpse(player) });
    expect(outcome?.interactions).toMatchObject([
      { kind: "starve", at: iso(diedAt), recorded_at: iso(T0), actor: null, target: player.player_id },
    ]);
  });
});

it("the table of states is the contract's", () => {
  const [human, zombie, corpse] = ["human", "zombie", "corpse"];
  const withdraw = { make_spectator: "spectator" };
  const revive = { revive_h: human, revive_z: zombie };
  const kill = { corpsify: corpse, checkpoint_kill: corpse };
  expect(Object.entries(STATES).map(([state, { next }]) => [state, next])).toEqual([
    ["human", { hunt: zombie, report_tagged: zombie, draw_original: zombie, ...kill, ...withdraw }],
    ["zombie", { starve: corpse, ...kill, cure: human, void_hunt: human, ...withdraw }],
    ["corpse", { ...revive, void_hunt: human, ...withdraw }],
    ["spectator", { admit: human, enrol: human, ...revive }],
  ]);
  expect(LIVING).toEqual(["human", "zombie"]);
  const counted = Object.entries(STATES).map(([state, { counter }]) => [state, counter]);
  expect(counted).toEqual(["human", "zombie", "corpse", "spectator"].map((one) => [one, `${one}s`]));
});

const MEALS: Feeding[] = [
  { hunt: null, deadline: T0 + HOUR, epoch: 0, at: iso(T0 - DAY) },
  { hunt: "h", deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) },
];
const fedByHunts = { last_fed_at: iso(T0 - HOUR), meals: MEALS };
const zombie = deepFreeze(aZombie({ alias: "Zoe", infected_by: "eve", ...fedByHunts }));
const human = deepFreeze(aHuman({ alias: "Ada" }));

describe("a zombie that is fed", () => {
  const fed = (before: Partial<Zombie>, period: number, hunt: string | null = null, instant = T0) =>
    asFed(deepFreeze({ ...zombie, meals: [], ...before }), aGame(), instant, period, hunt);

  it("remembers each hunt that fed it, and no game master's meal", () => {
    expect(fed({}, 2 * DAY, "h2").meals).toEqual([
      { hunt: null, deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) },
      { hunt: "h2", deadline: T0 + 2 * DAY, epoch: 0, at: iso(T0) },
    ]);
    expect(fed({}, 2 * DAY).meals).toEqual([]);
    const merged = { hunt: null, deadline: T0 + 2 * DAY, epoch: 0, at: iso(T0) };
    expect(fed({ meals: MEALS }, 2 * DAY).meals).toEqual([merged, MEALS[1]]);
  });

  it("has no meals of a former life", () => {
    const revived = (command: TargetCommand) =>
      command({ game: aGame(), target: aCorpse({ meals: MEALS }), actor: "gm" }, aContext()).player;
    expect([reviveZombie, reviveHuman].map((command) => revived(command).meals)).toEqual([[], []]);
  });
});

describe("a wrong state", () => {
  it.each<[TargetCommand, Player, string]>([
    [corpsify, aPlayer({ alias: "Sam" }), "Sam is a spectator: only a human or a zombie can be killed."],
    [cure, human, "Ada is a human: only a zombie can be cured."],
    [reviveHuman, human, "Ada is a human: only a corpse or a spectator can be revived."],
    [reviveZombie, zombie, "Zoe is a zombie: only a corpse or a spectator can be revived."],
    [feedPlayer, { ...zombie, deadline: T0 }, "Zoe is a corpse: only a zombie can be fed."],
  ])("is described in a sentence (%#)", (command, target, detail) => {
    expect(errorOf(() => command({ game: aGame(), target, actor: "gm" }, aContext())).detail).toBe(detail);
  });
});
