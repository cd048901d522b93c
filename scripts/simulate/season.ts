/** One season, played in memory by the rules of `lib/domain`. */
import { gameTime, isInPlay } from "../../lib/domain/game/clock.ts";
import { type Game, NEW_GAME } from "../../lib/domain/game/game.ts";
import type { PlayHours } from "../../lib/domain/game/schedule.ts";
import { hunt } from "../../lib/domain/hunts/hunt.ts";
import type { CommandContext } from "../../lib/domain/outcome.ts";
import { asHunter } from "../../lib/domain/players/lives.ts";
import { newSpectator, type Player, type Zombie } from "../../lib/domain/players/player.ts";
import { asHuman, drawOriginal, starve } from "../../lib/domain/players/transitions.ts";
import { applyEffect } from "../../lib/domain/rewards/effect.ts";
import type { Effect } from "../../lib/domain/rewards/reward.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { activityAt, eagerness, newTraits, ON_MISSION, poisson, type Random, type Traits } from "./crowd.ts";

/** Missions are in the evening, at most one on a day: these are their hours. */
export const MISSION_HOURS = { from: 18, until: 20 } as const;

/** Missions to simulate. */
export interface MissionRules {
  /** How many there are, spread over the days. */
  count: number;
  /** The share of the humans, and of the zombies who still hunt, who come to each, from 0 to 1. */
  attendance: number;
  /** How much longer a zombie lives who has come, in milliseconds. */
  food: number;
  /** How many of the zombies who have come find an antidote. */
  antidotes: number;
}

/** A game to simulate. */
export interface Rules {
  players: number;
  originals: number;
  days: number;
  /** The feeding period, in milliseconds. */
  feeding: number;
  /** The number of other zombies that a hunt may feed. */
  sharers: number;
  /** The tags that an average zombie makes in a day while everybody else is human. */
  rate: number;
  /** When the game is played, on each day of the week; `null` for always. */
  playHours: PlayHours | null;
  /** `null` for none. */
  missions: MissionRules | null;
  /** When the season begins, in milliseconds since 1970; on a Monday unless given. */
  start?: number;
}

/** How many players are in each state at the end of an hour. */
export interface Counts {
  humans: number;
  zombies: number;
  corpses: number;
}

/** A tag of a season. Players are given by their positions, the first of which are those of the original zombies. */
export interface SimulatedTag {
  /** In milliseconds since 1970. */
  at: number;
  hunter: number;
  prey: number;
  sharers: number[];
}

export interface Season {
  /** At the start, and after each hour. */
  hours: Counts[];
  /** Zombies that starved. */
  starved: number;
  /** Zombies whom an antidote made human. */
  cured: number;
  /** When the last human was tagged, in milliseconds from the start; `null` if some survived. */
  lastTagAt: number | null;
  /** In the order in which they happened. */
  tags: SimulatedTag[];
}

const MONDAY = Date.UTC(2026, 0, 5);
const STEP = 15 * MINUTE;

const gameOf = ({ days, feeding, sharers, playHours, start = MONDAY }: Rules): Game => ({
  ...NEW_GAME,
  schedule: {
    since: start,
    time_zone: "UTC",
    starts_at: start,
    ends_at: start + days * DAY,
    play_hours: playHours,
  },
  settings: { ...NEW_GAME.settings, feeding_period_seconds: feeding / SECOND, sharers },
});

/** Picks an index with a probability proportional to its weight. @param total the sum of the weights, above 0 */
const pick = (weights: Float64Array, total: number, random: Random): number => {
  let rest = random() * total;
  const picked = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return picked < 0 ? weights.findLastIndex((weight) => weight > 0) : picked;
};

/** The players of a season. Positions in `players` and `traits` are the same. */
class Campus {
  readonly #rules: Rules;
  readonly #game: Game;
  readonly #random: Random;
  readonly #players: Player[] = [];
  readonly #traits: Traits[] = [];
  /** The weights of each player as a hunter and as prey, in the present step. */
  readonly #eager: Float64Array;
  readonly #exposed: Float64Array;
  #ids = 0;
  readonly #start: number;
  readonly counts: Counts;
  readonly tags: SimulatedTag[] = [];
  cured = 0;
  /** The positions of the players who are at a mission. */
  #attending: ReadonlySet<number> = new Set();

  constructor(rules: Rules, random: Random) {
    this.#rules = rules;
    this.#start = rules.start ?? MONDAY;
    this.#game = gameOf(rules);
    this.#random = random;
    this.#eager = new Float64Array(rules.players);
    this.#exposed = new Float64Array(rules.players);
    this.counts = { humans: rules.players, zombies: 0, corpses: 0 };
    for (let at = 0; at < rules.players; at += 1) {
      const alias = String(at);
      const spectator = newSpectator(alias, 0, { alias }, rfc3339(this.#start));
      this.#players.push(asHuman(spectator, this.#commandAt(this.#start)));
      this.#traits.push(newTraits(random));
    }
    this.#drawOriginals();
  }

  #commandAt(now: number): CommandContext {
    return {
      now,
      feedingPeriod: () => this.#rules.feeding,
      newId: () => {
        this.#ids += 1;
        return String(this.#ids);
      },
      newCode: () => "code",
    };
  }

  /** Stores changed players. */
  #apply(players: readonly { after: Player | null }[]): void {
    for (const { after } of players) if (after !== null) this.#players[Number(after.player_id)] = after;
  }

  /** Originals are volunteers: they all want to hunt. */
  #drawOriginals(): void {
    const command = this.#commandAt(this.#start);
    for (const [at, target] of this.#players.slice(0, this.#rules.originals).entries()) {
      const traits = this.#traits[at];
      if (traits?.skill === 0) traits.skill = 1;
      this.#apply(drawOriginal({ game: this.#game, target, actor: "" }, command).players);
      this.counts.humans -= 1;
      this.counts.zombies += 1;
    }
  }

  /** Kills the zombies whose deadline has passed. */
  starve(now: number): void {
    const due = gameTime(this.#game, now);
    for (const player of this.#players) {
      if (player.state !== "zombie" || player.deadline > due) continue;
      this.#apply(starve(player, this.#game, this.#commandAt(now))?.players ?? []);
      this.counts.zombies -= 1;
      this.counts.corpses += 1;
    }
  }

  /** The zombies that a hunter shares with: those with the earliest deadlines. */
  #hungriest(hunter: Zombie): { alias: string; player: Zombie }[] {
    const first: Zombie[] = [];
    const { sharers } = this.#rules;
    for (const player of this.#players) {
      if (player.state !== "zombie" || player === hunter) continue;
      if (first.length === sharers && player.deadline >= (first.at(-1)?.deadline ?? 0)) continue;
      const place = first.findIndex(({ deadline }) => player.deadline < deadline);
      first.splice(place < 0 ? first.length : place, 0, player);
      if (first.length > sharers) first.pop();
    }
    return first.map((player) => ({ alias: player.alias, player }));
  }

  /** Plays a quarter of an hour: encounters are random, and the rules decide the consequences of a tag. */
  hunt(now: number): void {
    const activity = activityAt(new Date(now).getUTCHours());
    if (activity === 0 || this.counts.zombies === 0 || !isInPlay(this.#game, now)) return;
    const time = gameTime(this.#game, now);
    const { feeding, players, rate } = this.#rules;
    let [eager, exposed] = [0, 0];
    for (const [at, player] of this.#players.entries()) {
      const { [at]: traits = NOBODY } = this.#traits;
      const isZombie = player.state === "zombie";
      const isOut = this.#attending.has(at) ? ON_MISSION : 1;
      this.#eager[at] = isZombie ? isOut * eagerness(traits, (player.deadline - time) / feeding) : 0;
      this.#exposed[at] = player.state === "human" ? isOut * traits.exposure : 0;
      eager += this.#eager[at] ?? 0;
      exposed += this.#exposed[at] ?? 0;
    }
    const mean = (eager * exposed * activity * rate * STEP) / (players * DAY);
    for (let left = poisson(mean, this.#random); left > 0 && this.counts.humans > 0; left -= 1) {
      const prey = pick(this.#exposed, exposed, this.#random);
      this.#tag(pick(this.#eager, eager, this.#random), prey, now);
      exposed -= this.#exposed[prey] ?? 0;
      this.#exposed[prey] = 0;
    }
  }

  /** A share of those who play comes to a mission. Zombies who have lost interest do not. */
  beginMission({ attendance }: MissionRules): void {
    const comes = (player: Player, at: number): boolean =>
      player.state === "human" || (player.state === "zombie" && this.#traits[at]?.skill !== 0);
    this.#attending = new Set(
      this.#players.flatMap((player, at) => (comes(player, at) && this.#random() < attendance ? [at] : [])),
    );
  }

  /** Feeds the zombies who have come, and lets some of them find an antidote, by the rules of rewards. */
  endMission({ food, antidotes }: MissionRules, now: number): void {
    const zombies = [...this.#attending].filter((at) => this.#players[at]?.state === "zombie");
    this.#attending = new Set();
    if (food > 0) for (const at of zombies) this.#reward(at, { feed_seconds: food / SECOND }, now);
    for (let left = antidotes; left > 0 && zombies.length > 0; ) {
      const [at = 0] = zombies.splice(Math.floor(this.#random() * zombies.length), 1);
      // An antidote does nothing to original zombies, or to somebody for the second time: the next one finds it.
      if (!this.#reward(at, { cure: true }, now)) continue;
      left -= 1;
      this.cured += 1;
      this.counts.humans += 1;
      this.counts.zombies -= 1;
    }
  }

  /** @returns whether it did something */
  #reward(at: number, effect: Effect, now: number): boolean {
    const player = this.#players[at];
    if (player === undefined) return false;
    const source = { kind: "mission" as const, id: "" };
    const context = { game: this.#game, player, effect, audience: "zombies" as const, source };
    const rewarded = applyEffect(context, this.#commandAt(now));
    this.#apply(rewarded?.players ?? []);
    return rewarded !== null;
  }

  #tag(hunterAt: number, preyAt: number, now: number): void {
    const [hunter, prey] = [this.#players[hunterAt], this.#players[preyAt]];
    if (hunter?.state !== "zombie" || prey?.state !== "human") return;
    const sharers = this.#hungriest(hunter);
    const context = { game: this.#game, hunter: asHunter(hunter), prey, code: prey.tag_code, sharers };
    this.tags.push({
      at: now,
      hunter: hunterAt,
      prey: preyAt,
      sharers: sharers.map(({ alias }) => Number(alias)),
    });
    this.#apply(hunt(context, { huntedAt: now }, this.#commandAt(now)).players);
    this.counts.humans -= 1;
    this.counts.zombies += 1;
  }
}

const NOBODY: Traits = { skill: 0, exposure: 0 };

/** The days of the missions, spread evenly: they are the same for every season of the rules. */
const daysOf = ({ count }: MissionRules, days: number): ReadonlySet<number> =>
  new Set(Array.from({ length: count }, (_, at) => Math.floor(((at + 0.5) * days) / count)));

/** Plays a season to its end. */
export const playSeason = (rules: Rules, random: Random): Season => {
  const campus = new Campus(rules, random);
  const { start = MONDAY } = rules;
  const hours = [{ ...campus.counts }];
  const { missions } = rules;
  const missionDays = missions === null ? null : daysOf(missions, rules.days);
  let lastTagAt: number | null = null;
  for (let passed = STEP; passed <= rules.days * DAY; passed += STEP) {
    const isMissionDay = missionDays?.has(Math.floor((passed - 1) / DAY)) === true;
    const mission = isMissionDay ? missions : null;
    campus.starve(start + passed);
    if (mission !== null && (passed - STEP) % DAY === MISSION_HOURS.from * HOUR) campus.beginMission(mission);
    const before = campus.counts.humans;
    // The game is over at its last instant.
    campus.hunt(start + passed - 1);
    if (before > 0 && campus.counts.humans === 0) lastTagAt = passed;
    if (mission !== null && passed % DAY === MISSION_HOURS.until * HOUR)
      campus.endMission(mission, start + passed - 1);
    if (campus.counts.humans > 0) lastTagAt = null;
    if (passed % HOUR === 0) hours.push({ ...campus.counts });
  }
  const { counts, cured, tags } = campus;
  return { hours, starved: counts.corpses, cured, lastTagAt, tags };
};
