/** What may be done in a schedule: each deed through the service, answered as the naive clock has foreseen. */
import { DAY, HOUR, MINUTE, SECOND } from "../../../lib/domain/time.ts";
import type { Random } from "../../support/battery.ts";
import type { Life } from "../../support/naiveClock.ts";
import { oneOf } from "../../support/oneOf.ts";
import { recordedDeaths } from "./looks.ts";
import { iso, OK, type Person, refusal, type Wanted, type World } from "./world.ts";
import { rfc3339At } from "./zones.ts";

type Deed = (world: World, random: Random) => Promise<void>;

/** An instant as RFC 3339: in UTC, by the clock on the wall, or by one somewhere else. */
const written = (random: Random, instant: number): string =>
  random.pick([iso, rfc3339At, (at: number) => rfc3339At(at, random.pick([345, -210, 765, -720, 0]))])(
    instant,
  );

/** Whoever is dead by the clock and not on record yet. */
const unrecorded = (world: World): Life[] =>
  world.clock.zombies.filter(({ diedAt, recorded }) => diedAt !== null && !recorded);

/** Mostly somebody who can be infected: a corpse, whether or not it has been told so. */
export const infect: Deed = async (world, random) => {
  const corpses = world.people.filter((person) => world.stateOf(person) === "corpse");
  const person = oneOf(random, corpses.length > 0 && random.chance(0.9) ? corpses : world.people);
  const { alias } = person.someone;
  world.story.push(`revive_z ${alias}`);
  const can = world.stateOf(person) === "corpse";
  const { body } = await world.ask(
    "POST /admin/revive_z/{url_id}",
    { as: world.gm, body: { alias } },
    can ? OK : refusal("wrong_state"),
  );
  if (!can) return;
  if (person.life !== null) person.life.recorded = true;
  world.infect(person);
  world.same(body.player.starves_at, iso(world.now + world.clock.period), `${alias}'s first deadline`);
};

const feedPlayer: Deed = async (world, random) => {
  const person = oneOf(
    random,
    world.people.filter(({ life }) => life !== null).concat(world.people.slice(0, 1)),
  );
  const { alias, id } = person.someone;
  const can = world.isZombie(person);
  world.story.push(`feed_player ${alias}`);
  const { body } = await world.ask(
    "POST /admin/feed_player/{url_id}",
    { as: world.gm, body: random.chance(0.5) ? { alias } : { player_id: id } },
    can ? OK : refusal("wrong_state"),
  );
  if (!can) return;
  world.feed(person);
  world.same(body.player.starves_at, iso(person.life?.deadline ?? 0), `${alias}'s deadline after a meal`);
};

const feedHungriest: Deed = async (world, random) => {
  const n = random.pick([1, 2, 3, 50]);
  world.story.push(`feed ${n}`);
  const { body } = await world.ask("POST /admin/feed/{url_id}", { as: world.gm, body: { n } });
  const people = new Map(world.people.map((person) => [person.someone.alias, person]));
  const before = [...world.clock.living].sort((one, other) => one.deadline - other.deadline);
  const least = before[Math.min(n, before.length) - 1]?.deadline ?? 0;
  const fed: Life[] = [];
  for (const { alias, starves_at } of body.fed) {
    const person = people.get(alias);
    const life = person?.life ?? world.crowd.get(alias);
    if (life === undefined || life.diedAt !== null) throw new Error(world.say(`${alias} was fed`));
    // Who of those with one deadline comes first is nobody's business.
    world.same(life.deadline <= least, true, `${alias} is one of the ${n} hungriest`);
    fed.push(life);
    if (person === undefined) world.clock.feed(life, world.now);
    else world.feed(person);
    world.same(starves_at, iso(life.deadline), `${alias}'s deadline after a meal of many`);
  }
  world.same(new Set(fed).size, Math.min(n, before.length), "how many were fed");
};

/** Why a hunt is refused; the contract's order. */
const verdict = (world: World, hunter: Person, prey: Person, at: number, sharers: Person[]): Wanted => {
  if (at > world.now || at < world.now - 6 * HOUR) return refusal("invalid_request", 400);
  if (world.clock.paused) return refusal("paused");
  if (!world.isZombie(hunter)) return refusal("wrong_state");
  if (prey.code === null) return refusal("already_tagged");
  if (!prey.isHuman) return refusal("wrong_state");
  if (at < hunter.infectedAt || at < prey.codeSince) return refusal("too_early");
  if (!sharers.every((sharer) => world.isZombie(sharer))) return refusal("wrong_state");
  return OK;
};

const hunt: Deed = async (world, random) => {
  const zombies = world.people.filter((person) => world.isZombie(person));
  const hunter = oneOf(random, zombies.length > 0 && random.chance(0.9) ? zombies : world.people);
  const humans = world.people.filter(({ isHuman }) => isHuman);
  const prey = oneOf(random, humans.length > 0 && random.chance(0.9) ? humans : world.people);
  const code = prey.code ?? prey.usedCodes.at(-1);
  if (code === undefined) return;
  const others = zombies.filter((zombie) => zombie !== hunter);
  const sharers = random.chance(0.4) ? random.shuffle(others).slice(0, 1 + random.below(2)) : [];
  const LONGEST = 6 * HOUR;
  const ago = random.chance(0.3)
    ? null
    : random.pick([0, 1, SECOND, random.below(HOUR), random.below(LONGEST), LONGEST, LONGEST + 1, -1]);
  const at = world.now - (ago ?? 0);
  const body = {
    tag_code: code,
    ...(ago === null ? {} : { hunted_at: written(random, at) }),
    ...(sharers.length === 0 ? {} : { share_with: sharers.map((sharer) => sharer.someone.alias) }),
  };
  world.story.push(`${hunter.someone.alias} hunts ${prey.someone.alias} ${JSON.stringify(body)}`);
  const wanted = verdict(world, hunter, prey, at, sharers);
  const answer = await world.ask("POST /zombie/hunt/{url_id}", { as: hunter.someone, body }, wanted);
  if (wanted !== OK) return;
  for (const eater of [hunter, ...sharers]) world.feed(eater, at);
  world.infect(prey, at);
  world.same(answer.body.interaction.at, iso(at), "when the hunt happened");
  world.same(answer.body.hunter.starves_at, iso(hunter.life?.deadline ?? 0), "the hunter's deadline");
};

const addDay: Deed = async (world) => {
  world.story.push("zombies_add_day");
  const { body } = await world.ask("POST /admin/zombies_add_day/{url_id}", { as: world.gm });
  world.same(body, { zombies: world.clock.living.length, added_seconds: DAY / SECOND }, "the added day");
  world.clock.addDay();
};

export const pause: Deed = async (world) => {
  world.story.push("pause_game");
  if (!world.clock.paused) world.pausedAt = world.now;
  world.clock.pause();
  const { body } = await world.ask("POST /admin/pause_game/{url_id}", { as: world.gm });
  world.same(body, { paused: true, since: iso(world.pausedAt ?? 0) }, "the pause");
};

export const resume: Deed = async (world) => {
  world.story.push("resume_game");
  world.clock.resume();
  const { body } = await world.ask("POST /admin/resume_game/{url_id}", { as: world.gm });
  world.same(body, { paused: false, since: null }, "the game going on");
};

const pauseOrResume: Deed = (world, random) =>
  world.clock.paused === random.chance(0.8) ? resume(world, random) : pause(world, random);

export const sweepAll: Deed = async (world, random) => {
  const times = random.pick([1, 1, 1, 2]);
  world.story.push(`sweep, ${times} at once`);
  const due = unrecorded(world);
  const runs = await Promise.all(Array.from({ length: times }, () => world.s.sweep()));
  const starved = runs.reduce((sum, run) => sum + run.starved, 0);
  world.same(starved, due.length, "how many starvations the sweep wrote down");
  for (const life of due) life.recorded = true;
};

/** A sweep whose time is up before it has begun, or after the first 48 deaths. */
const sweepInPart: Deed = async (world, random) => {
  const batches = random.below(2);
  world.story.push(`sweep, cut off after ${batches} transactions`);
  const due = unrecorded(world);
  let asked = 0;
  const timeLeft = (): number => {
    asked += 1;
    return asked <= batches ? 50_000 : 2_000;
  };
  const { starved, complete } = await world.s.sweep(timeLeft);
  const MOST_AT_ONCE = 48;
  world.same(
    { starved, complete },
    {
      starved: Math.min(due.length, batches * MOST_AT_ONCE),
      complete: due.length <= batches * MOST_AT_ONCE,
    },
    "what the cut sweep wrote down",
  );
  if (starved === 0) return;
  const told = new Set((await recordedDeaths(world)).map(({ target, at }) => `${target} ${at}`));
  for (const { target, life } of world.deaths) {
    if (life.diedAt !== null && told.has(`${target} ${iso(life.diedAt)}`)) life.recorded = true;
  }
  world.same(unrecorded(world).length, due.length - starved, "who is left to the next sweep");
};

const cure: Deed = async (world, random) => {
  const person = oneOf(random, world.people);
  const { alias } = person.someone;
  const can = world.isZombie(person);
  world.story.push(`cure ${alias}`);
  const { body } = await world.ask(
    "POST /admin/cure/{url_id}",
    { as: world.gm, body: { alias } },
    can ? OK : refusal("wrong_state"),
  );
  if (can) world.cure(person, body.player.tag_code);
};

const setCheckpoint: Deed = async (world, random) => {
  const closesAt = world.now + random.pick([0, SECOND, HOUR, random.below(DAY), DAY]);
  const body = { name: "The bridge", closes_at: written(random, closesAt) };
  world.story.push(`set_checkpoint ${JSON.stringify(body)}`);
  const answer = await world.ask("POST /admin/set_checkpoint/{url_id}", { as: world.gm, body });
  world.same(answer.body.closes_at, iso(closesAt), "when the checkpoint closes");
  world.checkpoint = { closesAt, passed: new Set() };
};

const passCheckpoint: Deed = async (world, random) => {
  if (world.checkpoint === null) return setCheckpoint(world, random);
  const person = oneOf(random, world.people);
  const { alias } = person.someone;
  const { closesAt, passed } = world.checkpoint;
  world.story.push(`player_at_checkpoint ${alias}`);
  const wanted =
    world.stateOf(person) === "corpse"
      ? refusal("wrong_state")
      : world.now < closesAt || passed.has(alias)
        ? OK
        : refusal("closed");
  await world.ask("POST /admin/player_at_checkpoint/{url_id}", { as: world.gm, body: { alias } }, wanted);
  if (wanted === OK) passed.add(alias);
};

/** Each as often as it stands here. */
const DEEDS: readonly Deed[] = [
  ...[infect, infect, infect, feedPlayer, feedPlayer, feedPlayer, feedHungriest, feedHungriest],
  ...[hunt, hunt, hunt, hunt, addDay, addDay, addDay, pauseOrResume, pauseOrResume, pauseOrResume],
  ...[sweepAll, sweepAll, sweepInPart, cure, setCheckpoint, passCheckpoint],
];

/** Something or other is done. */
export const doSomething: Deed = (world, random) => oneOf(random, DEEDS)(world, random);

/** How long until the next deed: often just as long as makes a difference. */
export const waitBefore = (world: World, random: Random, change: number): number => {
  const { period, living } = world.clock;
  const near = [change, world.checkpoint?.closesAt ?? change, ...living.map(({ deadline }) => deadline)];
  const toOneOf = oneOf(random, near) + random.pick([-1, -1, 0, 1]) - world.now;
  const time = random.pick([
    toOneOf,
    random.below(Math.ceil(period / 4)),
    random.below(Math.ceil(period / 4)),
    random.pick([0, 1, SECOND, MINUTE, HOUR]),
    random.pick([period - 1, period, DAY, random.below(2 * DAY)]),
  ]);
  return Math.max(0, time);
};
