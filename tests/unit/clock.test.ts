/** The game clock against a naive one, which moves each zombie's own deadline on the wall clock by hand. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  addDayToClock,
  dropCuts,
  type Game,
  gameTime,
  latestPossiblyStarved,
  NEW_GAME,
  pauseClock,
  resumeClock,
  starvedAt,
  timeLeft,
  wallDeadline,
} from "../../lib/domain/clock.ts";
import type { Player } from "../../lib/domain/player.ts";
import { stateOf } from "../../lib/domain/player.ts";
import { applyStarvation, asCorpse, asFed, asZombie, secondsLeft } from "../../lib/domain/transitions.ts";
import { NaiveClock } from "../support/naiveClock.ts";
import { aGame, aMoment, aPlayer, DAY, deepFreeze, HOUR, iso, MINUTE, SECOND, T0 } from "./support.ts";

/** Of a test with thousands of cases, on a busy machine. */
const PATIENCE = { timeout: 60_000 };

/** What happens in a schedule: some time goes by, then one thing is done. */
type Deed =
  | { do: "infect" }
  | { do: "feed"; who: number }
  | { do: "hunted"; who: number; ago: number }
  | { do: "add_day" }
  | { do: "pause" }
  | { do: "resume" }
  | { do: "sweep" }
  | { do: "sweep_some"; many: number }
  | { do: "look" };

interface Step {
  after: number;
  deed: Deed;
}

interface Product {
  game: Game;
  players: Player[];
}

const MOMENT = (now: number, period: number) => aMoment({ now, period });

/** As `expect(got).toBe(wanted)`, a hundred times cheaper when it holds. */
const same = (got: unknown, wanted: unknown, say: () => string): void => {
  if (!Object.is(got, wanted)) expect(got, say()).toBe(wanted);
};

const agree = ({ game, players }: Product, model: NaiveClock, history: readonly string[]): void => {
  const latest = latestPossiblyStarved(game, model.now);
  for (const [who, zombie] of model.zombies.entries()) {
    const player = players[who];
    if (player === undefined) throw new Error("a player is missing");
    if (zombie.recorded) continue;
    const hunger = { deadline: player.deadline ?? Number.NaN, epoch: player.epoch ?? Number.NaN };
    const left = zombie.deadline - model.now;
    const say = () => `zombie ${who} at ${iso(model.now)} after ${history.join(", ")}`;
    same(starvedAt(game, hunger, model.now), zombie.diedAt, say);
    same(stateOf(player, game, model.now), zombie.diedAt === null ? "zombie" : "corpse", say);
    if (zombie.diedAt === null) {
      same(wallDeadline(game, hunger.deadline, model.now), zombie.deadline, say);
      same(timeLeft(game, hunger.deadline, model.now), left, say);
      same(secondsLeft(game, hunger.deadline, model.now), Math.floor(left / SECOND), say);
    } else {
      // The index proposes candidates up to here: none may lie beyond.
      same(hunger.deadline <= latest, true, say);
      const { deaths: events } = applyStarvation(player, game, MOMENT(model.now, HOUR));
      same(events.map(({ kind, at }) => `${kind} ${at}`).join(), `starve ${iso(zombie.diedAt)}`, say);
    }
  }
};

let schedules = 0;
let looked = 0;
let deaths = 0;
let droppedCuts = 0;

/** Records the dead, all or some; cuts are dropped only after a complete sweep, and only those over an hour old. */
const sweep = (product: Product, model: NaiveClock, most: number): void => {
  let recorded = 0;
  for (const [who, zombie] of model.zombies.entries()) {
    const player = product.players[who];
    if (zombie.recorded || player === undefined || zombie.diedAt === null || recorded >= most) continue;
    const { player: after, deaths: events } = applyStarvation(player, product.game, MOMENT(model.now, HOUR));
    expect(events).toHaveLength(1);
    product.players[who] = after;
    zombie.recorded = true;
    recorded += 1;
    deaths += 1;
  }
  if (most !== Number.POSITIVE_INFINITY) return;
  const before = product.game.cuts.length;
  product.game = dropCuts(product.game, model.now - HOUR);
  droppedCuts += before - product.game.cuts.length;
};

const play = (steps: readonly Step[], period: number): void => {
  const model = new NaiveClock(T0, period);
  const product: Product = { game: deepFreeze({ ...NEW_GAME }), players: [] };
  const history: string[] = [];
  const newPlayer = (at: number): Player =>
    asZombie(aPlayer(), product.game, MOMENT(at, period), { id: "i", at: iso(at), by: null });
  for (const { after, deed } of steps) {
    model.pass(after);
    history.push(`+${after} ${deed.do}`);
    const { now } = model;
    switch (deed.do) {
      case "infect":
        model.infect();
        product.players.push(newPlayer(now));
        break;
      case "feed":
      case "hunted": {
        const who = model.zombies.length === 0 ? 0 : deed.who % model.zombies.length;
        const player = product.players[who];
        const zombie = model.zombies[who];
        if (player === undefined || zombie?.diedAt !== null) break;
        if (deed.do === "hunted" && model.paused) break;
        // A hunt in the past counts from the last change of the clock at the earliest.
        const at = deed.do === "feed" ? now : Math.max(now - deed.ago, model.changedAt ?? 0);
        const meal = deed.do === "feed" ? now : Math.max(now - deed.ago, product.game.changed_at ?? 0);
        model.feed(zombie, at);
        product.players[who] = asFed(player, product.game, meal, period);
        break;
      }
      case "add_day":
        model.addDay();
        product.game = addDayToClock(product.game, now);
        break;
      case "pause":
        model.pause();
        product.game = pauseClock(product.game, now);
        break;
      case "resume":
        model.resume();
        product.game = resumeClock(product.game, now);
        break;
      case "sweep":
        sweep(product, model, Number.POSITIVE_INFINITY);
        break;
      case "sweep_some":
        sweep(product, model, deed.many);
        break;
      case "look":
        break;
    }
    deepFreeze(product.game);
    same(product.game.changed_at, model.changedAt, () => history.join(", "));
    same(product.game.paused_at !== null, model.paused, () => history.join(", "));
    agree(product, model, history);
    looked += model.zombies.length;
  }
  schedules += 1;
};

const durations = (period: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(0, 1, period - 1, period, period + 1, MINUTE, HOUR, DAY - 1, DAY, DAY + 1, 3 * DAY),
    fc.integer({ min: 0, max: 2 * period }),
    fc.integer({ min: 0, max: 2 * DAY }),
  );

const deeds: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Deed>({ do: "infect" }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("feed" as const), who: fc.nat(30) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("hunted" as const), who: fc.nat(30), ago: fc.nat(6 * HOUR) }),
  },
  { weight: 3, arbitrary: fc.constant<Deed>({ do: "add_day" }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: "pause" }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: "resume" }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: "sweep" }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sweep_some" as const), many: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ do: "look" }) },
);

const schedule = fc.constantFrom(SECOND, HOUR, 5 * HOUR, 48 * HOUR).chain((period) =>
  fc.tuple(
    fc.constant(period),
    fc.array(fc.record({ after: durations(period), deed: deeds }), {
      minLength: 3,
      maxLength: 40,
      size: "max",
    }),
  ),
);

describe("the game clock", () => {
  it("says of every zombie what a clock moved by hand says, to the millisecond", PATIENCE, () => {
    fc.assert(
      fc.property(schedule, ([period, steps]) => play(steps, period)),
      { numRuns: 3_000 },
    );
  });

  it("leaves an hour to prey infected after three added days, when a period is an hour", () => {
    let game = aGame();
    const early = asZombie(aPlayer(), game, MOMENT(T0, HOUR), { id: "e", at: iso(T0), by: null });
    for (const minute of [10, 20, 30]) game = addDayToClock(game, T0 + minute * MINUTE);
    const infectedAt = T0 + 40 * MINUTE;
    const late = asZombie(aPlayer(), game, MOMENT(infectedAt, HOUR), {
      id: "l",
      at: iso(infectedAt),
      by: null,
    });
    const diedAt = (player: Player, now: number) =>
      starvedAt(game, { deadline: player.deadline ?? 0, epoch: player.epoch ?? 0 }, now);
    expect(diedAt(late, infectedAt + HOUR - 1)).toBeNull();
    expect(diedAt(late, infectedAt + HOUR)).toBe(infectedAt + HOUR);
    expect(diedAt(early, T0 + 3 * DAY + HOUR - 1)).toBeNull();
    expect(diedAt(early, T0 + 3 * DAY + HOUR)).toBe(T0 + 3 * DAY + HOUR);
  });

  it("keeps dead who was due in the very millisecond in which a day is added", () => {
    const hunger = { deadline: T0 + HOUR, epoch: 0 };
    const inTime = addDayToClock(aGame(), T0 + HOUR - 1);
    const tooLate = addDayToClock(aGame(), T0 + HOUR);
    expect(starvedAt(inTime, hunger, T0 + HOUR)).toBeNull();
    expect(starvedAt(tooLate, hunger, T0 + HOUR)).toBe(T0 + HOUR);
    expect(starvedAt(tooLate, hunger, T0 + 5 * DAY)).toBe(T0 + HOUR);
  });

  it("stays as it is when paused twice or resumed while it goes", () => {
    const going = deepFreeze(aGame());
    const paused = deepFreeze(pauseClock(going, T0));
    expect(pauseClock(paused, T0 + HOUR)).toBe(paused);
    expect(resumeClock(going, T0 + HOUR)).toBe(going);
    expect(gameTime(paused, T0 + 5 * DAY)).toBe(gameTime(paused, T0));
  });

  it("shows while paused the deadline as if the game went on now", () => {
    const paused = pauseClock(aGame(), T0);
    expect(wallDeadline(paused, T0 + HOUR, T0 + 7 * HOUR)).toBe(T0 + 8 * HOUR);
    expect(secondsLeft(paused, T0 + HOUR, T0 + 7 * HOUR)).toBe(3_600);
  });

  it("moves a deadline by days added during a pause and by the pause's own length", () => {
    let game = pauseClock(aGame(), T0);
    game = addDayToClock(game, T0 + HOUR);
    game = addDayToClock(game, T0 + 2 * HOUR);
    expect(wallDeadline(game, T0 + MINUTE, T0 + 2 * HOUR)).toBe(T0 + 2 * DAY + 2 * HOUR + MINUTE);
    game = resumeClock(game, T0 + 3 * HOUR);
    const diesAt = T0 + 2 * DAY + 3 * HOUR + MINUTE;
    expect(starvedAt(game, { deadline: T0 + MINUTE, epoch: 0 }, diesAt - 1)).toBeNull();
    expect(starvedAt(game, { deadline: T0 + MINUTE, epoch: 0 }, diesAt)).toBe(diesAt);
  });

  it("never goes back when the clock of another machine is behind", () => {
    const paused = pauseClock(aGame(), T0);
    const resumed = resumeClock(paused, T0 - 5 * SECOND);
    expect(resumed.offset).toBeGreaterThanOrEqual(paused.offset);
  });

  it("says nothing of the dead, however the clock moves", () => {
    const game = addDayToClock(pauseClock(aGame(), T0), T0);
    expect(starvedAt(game, { deadline: T0 + HOUR, epoch: 0 }, T0 + 9 * DAY)).toBeNull();
    expect(stateOf(asCorpse(aPlayer({ deadline: 1, epoch: 0 })), game, T0 + 9 * DAY)).toBe("corpse");
  });

  afterAll(() => {
    expect(schedules).toBe(3_000);
    expect(looked).toBeGreaterThan(50_000);
    expect(deaths).toBeGreaterThan(5_000);
    expect(droppedCuts).toBeGreaterThan(1_000);
  });
});
