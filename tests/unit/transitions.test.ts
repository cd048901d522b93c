/** The whole action by state table of the contract (section 2), in every situation that the game can be in. */
import { describe, expect, it } from "vitest";
import type { Game } from "../../lib/domain/clock.ts";
import { hunt } from "../../lib/domain/hunt.ts";
import type { CommandContext, Outcome } from "../../lib/domain/outcome.ts";
import type { Player, State } from "../../lib/domain/player.ts";
import {
  corpsify,
  cure,
  feedPlayer,
  reviveHuman,
  reviveZombie,
  starve,
  TRANSITIONS,
} from "../../lib/domain/transitions.ts";
import { aGame, aMoment, aPlayer, DAY, DAYS_ADDED, deepFreeze, HOUR, iso, refusalOf, T0 } from "./support.ts";

const PERIOD = 48 * HOUR;

/** A game as it may stand, and deadlines in it: of one who lives, and of one who starved at a known instant. */
interface Situation {
  game: Game;
  living: { deadline: number; epoch: number };
  starved: { deadline: number; epoch: number };
  diedAt: number;
  /** Wall clock deadline of a zombie that feeds now. */
  fullPeriod: number;
}

const SITUATIONS: Record<string, Situation> = {
  "a fresh game": {
    game: aGame(),
    living: { deadline: T0 + 1, epoch: 0 },
    starved: { deadline: T0, epoch: 0 },
    diedAt: T0,
    fullPeriod: T0 + PERIOD,
  },
  "a game to which days were added, the starved one being due before": {
    game: DAYS_ADDED,
    living: { deadline: T0 - 5 * HOUR + 1, epoch: 0 },
    starved: { deadline: T0 - 5 * HOUR, epoch: 0 },
    diedAt: T0 - 5 * HOUR,
    fullPeriod: T0 + PERIOD,
  },
  "a paused game": {
    game: aGame({ rev: 4, paused_at: T0 - 3 * HOUR, changed_at: T0 - 3 * HOUR }),
    living: { deadline: T0 - 3 * HOUR + 1, epoch: 0 },
    starved: { deadline: T0 - 3 * HOUR, epoch: 0 },
    diedAt: T0 - 3 * HOUR,
    fullPeriod: T0 + PERIOD,
  },
};

const STARTS = [
  "human",
  "zombie",
  "corpse of a human",
  "corpse of a zombie",
  "spectator",
  "starved",
] as const;
type Start = (typeof STARTS)[number];

const CODE = "ABCD2345";

const startOf = (start: Start, { living, starved }: Situation): Player => {
  const infected = {
    infection_id: "01900000-0000-7000-8000-00000000aaaa",
    infected_at: iso(T0 - 10 * DAY),
    infected_by: "00000000-0000-4000-8000-00000000bbbb",
    last_fed_at: iso(T0 - 9 * DAY),
  };
  const carrying = { tag_code: CODE, code_since: iso(T0 - 20 * DAY) };
  switch (start) {
    case "human":
      return aPlayer({ state: "human", ...carrying });
    case "zombie":
      return aPlayer({ state: "zombie", ...infected, ...living });
    case "starved":
      return aPlayer({ state: "zombie", ...infected, ...starved });
    case "corpse of a human":
      return aPlayer({ state: "corpse", ...carrying });
    case "corpse of a zombie":
      return aPlayer({ state: "corpse", ...infected });
    case "spectator":
      return aPlayer({ state: "spectator" });
  }
};

/** The contract's table, written out: what each command makes of each state. */
const TABLE: Record<string, Record<Start, State | "refused">> = {
  corpsify: {
    human: "corpse",
    zombie: "corpse",
    "corpse of a human": "refused",
    "corpse of a zombie": "refused",
    spectator: "refused",
    starved: "refused",
  },
  cure: {
    human: "refused",
    zombie: "human",
    "corpse of a human": "refused",
    "corpse of a zombie": "refused",
    spectator: "refused",
    starved: "refused",
  },
  revive_h: {
    human: "refused",
    zombie: "refused",
    "corpse of a human": "human",
    "corpse of a zombie": "human",
    spectator: "human",
    starved: "human",
  },
  revive_z: {
    human: "refused",
    zombie: "refused",
    "corpse of a human": "zombie",
    "corpse of a zombie": "zombie",
    spectator: "zombie",
    starved: "zombie",
  },
  feed_player: {
    human: "refused",
    zombie: "zombie",
    "corpse of a human": "refused",
    "corpse of a zombie": "refused",
    spectator: "refused",
    starved: "refused",
  },
};

const COMMANDS = {
  corpsify: { rule: corpsify, kind: "corpsify" },
  cure: { rule: cure, kind: "cure" },
  revive_h: { rule: reviveHuman, kind: "revive_human" },
  revive_z: { rule: reviveZombie, kind: "revive_zombie" },
  feed_player: { rule: feedPlayer, kind: "feed" },
} as const;

/** The state that a refusal names. */
const NAMED: Record<Start, State> = {
  human: "human",
  zombie: "zombie",
  "corpse of a human": "corpse",
  "corpse of a zombie": "corpse",
  spectator: "spectator",
  starved: "corpse",
};

const ACTOR = "00000000-0000-4000-8000-00000000dddd";

/** What no transition may touch. */
const lasting = ({
  player_id,
  shard,
  alias,
  first_name,
  last_name,
  email,
  is_admin,
  kills,
  ...rest
}: Player) => ({
  ...{ player_id, shard, alias, first_name, last_name, email, is_admin, kills },
  last_kill_at: rest.last_kill_at,
  checkpoint_id: rest.checkpoint_id,
  passed_at: rest.passed_at,
  has_pfp: rest.has_pfp,
  created_at: rest.created_at,
});

const onlyChange = (outcome: Outcome): { before: Player; after: Player } => {
  expect(outcome.players).toHaveLength(1);
  const [{ before, after } = { before: null, after: null }] = outcome.players;
  if (before === null || after === null) throw new Error("a player came or went");
  expect(outcome.game).toBeUndefined();
  return { before, after };
};

let judged = 0;

describe.each(Object.entries(SITUATIONS))("a game master's command in %s", (_name, situation) => {
  const cases = Object.entries(COMMANDS).flatMap(([command, { rule, kind }]) =>
    STARTS.map((start) => ({ command, rule, kind, start, result: TABLE[command]?.[start] ?? "refused" })),
  );

  it.each(cases)("$command upon a $start ends as $result", ({ rule, kind, start, result }) => {
    judged += 1;
    const target = deepFreeze(startOf(start, situation));
    const game = deepFreeze(situation.game);
    const moment: CommandContext & { ids: string[]; codes: string[] } = aMoment({ period: PERIOD });
    const scene = deepFreeze({ game, target, actor: ACTOR });
    if (result === "refused") {
      const refusal = refusalOf(() => rule(scene, moment));
      expect(refusal.code).toBe("wrong_state");
      expect(refusal.detail).toMatch(new RegExp(`\\bis an? ${NAMED[start]}\\b`));
      expect(moment.codes).toEqual([]);
      return;
    }
    const outcome = rule(scene, moment);
    const { before, after } = onlyChange(outcome);
    expect(before).toBe(target);
    expect(outcome.player).toBe(after);
    expect(after.state).toBe(result);
    expect(lasting(after)).toEqual(lasting(target));

    // One event for the command; for one who had starved, the starvation before it, at the deadline.
    const deaths = outcome.interactions.slice(0, -1);
    expect(
      deaths.map(({ kind, at, recorded_at, actor, target }) => [kind, at, recorded_at, actor, target]),
    ).toEqual(
      start === "starved" ? [["starve", iso(situation.diedAt), iso(T0), null, target.player_id]] : [],
    );
    expect(outcome.interactions.at(-1)).toBe(outcome.interaction);
    expect(outcome.interaction).toMatchObject({
      kind,
      at: iso(T0),
      recorded_at: iso(T0),
      actor: ACTOR,
      target: target.player_id,
    });
    expect(new Set(moment.ids).size).toBe(outcome.interactions.length);

    if (result === "human") {
      expect(after).toMatchObject({
        tag_code: moment.codes[0],
        code_since: iso(T0),
        deadline: null,
        epoch: null,
      });
      expect(after.tag_code).not.toBe(target.tag_code);
      expect(after.infected_at).toBe(target.infected_at);
    }
    if (result === "zombie") {
      expect(after.tag_code).toBeNull();
      expect(after.epoch).toBe(game.epoch);
      const wall = (after.deadline ?? 0) - ((game.paused_at ?? T0) - game.offset) + T0;
      expect(wall).toBe(situation.fullPeriod);
    }
    if (kind === "revive_zombie") {
      expect(outcome.interaction.parent).toBeNull();
      expect(after).toMatchObject({
        infection_id: outcome.interaction.interaction_id,
        infected_at: iso(T0),
        infected_by: null,
        last_fed_at: null,
      });
    }
    if (kind === "feed") {
      expect(after).toMatchObject({ last_fed_at: iso(T0), infection_id: target.infection_id });
    }
    if (result === "corpse") {
      expect(after).toMatchObject({ deadline: null, epoch: null, tag_code: target.tag_code });
    }
  });

  it.each(STARTS)("the clock starves a %s only when the deadline is past", (start) => {
    judged += 1;
    const player = deepFreeze(startOf(start, situation));
    const moment = aMoment({ period: PERIOD });
    const outcome = starve(player, deepFreeze(situation.game), moment);
    if (start !== "starved") {
      expect(outcome).toBeNull();
      expect(moment.ids).toEqual([]);
      return;
    }
    if (outcome === null) throw new Error("a starved zombie lives on");
    const { before, after } = onlyChange(outcome);
    expect(before).toBe(player);
    expect(after).toMatchObject({ state: "corpse", deadline: null, epoch: null });
    expect(lasting(after)).toEqual(lasting(player));
    expect(outcome.interactions).toMatchObject([
      {
        kind: "starve",
        at: iso(situation.diedAt),
        recorded_at: iso(T0),
        actor: null,
        target: player.player_id,
      },
    ]);
  });

  /** As the hunter only a living zombie will do; as the prey only a human. */
  const HUNTER: Record<Start, "hunts" | "refused"> = {
    human: "refused",
    zombie: "hunts",
    "corpse of a human": "refused",
    "corpse of a zombie": "refused",
    spectator: "refused",
    starved: "refused",
  };

  const PREY: Record<Start, "zombie" | "already_tagged" | "wrong_state"> = {
    human: "zombie",
    zombie: "already_tagged",
    "corpse of a human": "wrong_state",
    "corpse of a zombie": "already_tagged",
    spectator: "already_tagged",
    starved: "already_tagged",
  };

  const report = { huntedAt: T0 };
  const isPaused = situation.game.paused_at !== null;

  it.each(STARTS)("a %s who hunts is judged by the table", (start) => {
    judged += 1;
    const scene = deepFreeze({
      game: situation.game,
      hunter: startOf(start, situation),
      prey: startOf("human", situation),
      code: CODE,
      sharers: [],
    });
    const judge = () => hunt(scene, report, aMoment({ period: PERIOD }));
    if (isPaused) {
      expect(refusalOf(judge).code).toBe("paused");
    } else if (HUNTER[start] === "refused") {
      const refusal = refusalOf(judge);
      expect(refusal.code).toBe("wrong_state");
      expect(refusal.detail).toMatch(new RegExp(`\\bis an? ${NAMED[start]}\\b`));
    } else {
      expect(judge().hunter).toMatchObject({ state: "zombie", kills: scene.hunter.kills + 1 });
    }
  });

  it.each(STARTS)("the code of a %s who is hunted is judged by the table", (start) => {
    judged += 1;
    const scene = deepFreeze({
      game: situation.game,
      hunter: startOf("zombie", situation),
      prey: startOf(start, situation),
      code: CODE,
      sharers: [],
    });
    const judge = () => hunt(scene, report, aMoment({ period: PERIOD }));
    if (isPaused) {
      expect(refusalOf(judge).code).toBe("paused");
    } else if (PREY[start] === "zombie") {
      const { prey, players } = judge();
      expect(prey).toMatchObject({ state: "zombie", tag_code: null, kills: scene.prey.kills });
      expect(players).toHaveLength(2);
    } else {
      const refusal = refusalOf(judge);
      expect(refusal.code).toBe(PREY[start]);
      if (refusal.code === "wrong_state") expect(refusal.detail).toMatch(new RegExp(NAMED[start]));
    }
  });
});

describe("a refusal says who may", () => {
  const game = aGame();
  const refusedOf = (command: typeof cure, target: Player) =>
    refusalOf(() => command({ game, target, actor: target.player_id }, aMoment({ now: T0 }))).detail;

  it.each([
    ["be killed", corpsify, "spectator", "a spectator: only a human or a zombie can be killed."],
    ["be cured", cure, "human", "a human: only a zombie can be cured."],
    ["be revived as a human", reviveHuman, "human", "a human: only a corpse or a spectator can be revived."],
    [
      "be revived as a zombie",
      reviveZombie,
      "human",
      "a human: only a corpse or a spectator can be revived.",
    ],
    ["be fed", feedPlayer, "corpse", "a corpse: only a zombie can be fed."],
  ] as const)("%s", (_what, command, state, said) => {
    const target = aPlayer({ state });
    expect(refusedOf(command, target)).toBe(`${target.alias} is ${said}`);
  });
});

describe("a zombie who is fed", () => {
  const zombie = (more: Partial<Player>) =>
    aPlayer({ state: "zombie", infection_id: "i", infected_at: iso(T0 - DAY), ...more });
  const fed = (target: Player, game = aGame()) =>
    feedPlayer({ game, target, actor: "gm" }, aMoment({ now: T0, period: PERIOD })).player;

  it("keeps a deadline that is no sooner, in the epoch in which it was given", () => {
    const game = aGame({ epoch: 1, offset: 0, changed_at: T0 - HOUR, cuts: [] });
    expect(fed(zombie({ deadline: T0 + PERIOD, epoch: 0 }), game)).toMatchObject({
      deadline: T0 + PERIOD,
      epoch: 0,
    });
    expect(fed(zombie({ deadline: T0 + PERIOD - 1, epoch: 0 }), game)).toMatchObject({
      deadline: T0 + PERIOD,
      epoch: 1,
    });
  });

  it("by a game master has no meal that could be taken back", () => {
    expect(fed(fed(zombie({ deadline: T0 + HOUR, epoch: 0 })))).toMatchObject({ meals: [] });
  });

  it("has no meals of a life before", () => {
    const meals = [{ hunt: "h", deadline: T0 + HOUR, epoch: 0, at: iso(T0) }];
    const [one, two] = [{ state: "corpse", meals } as const, { state: "spectator", meals } as const];
    const scene = (more: Partial<Player>) => ({ game: aGame(), target: aPlayer(more), actor: "gm" });
    expect(reviveZombie(scene(one), aMoment({ now: T0 })).player.meals).toEqual([]);
    expect(reviveHuman(scene(two), aMoment({ now: T0 })).player.meals).toEqual([]);
  });
});

describe("the table of transitions", () => {
  it("is the contract's and has no other", () => {
    expect(TRANSITIONS).toEqual({
      hunt: { from: ["human"], to: "zombie" },
      starve: { from: ["zombie"], to: "corpse" },
      corpsify: { from: ["human", "zombie"], to: "corpse" },
      checkpoint_kill: { from: ["human", "zombie"], to: "corpse" },
      cure: { from: ["zombie"], to: "human" },
      revive_h: { from: ["corpse", "spectator"], to: "human" },
      revive_z: { from: ["corpse", "spectator"], to: "zombie" },
      void_hunt: { from: ["zombie", "corpse"], to: "human" },
    });
  });

  it("was walked through entirely: eight deeds, six beginnings, three situations", () => {
    expect(judged).toBe(8 * 6 * 3);
  });
});
