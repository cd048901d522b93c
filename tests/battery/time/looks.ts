/** Looks: what the service says of every deadline, held against the naive clock. */
import { HOUR, SECOND } from "../../../lib/domain/time.ts";
import type { Random } from "../../support/battery.ts";
import type { Life } from "../../support/naiveClock.ts";
import { iso, OK, type Person, refusal, type World } from "./world.ts";

/** How many deadlines have been compared. */
export const looked = { deadlines: 0, deaths: 0 };

const secondsLeft = (world: World, { deadline }: Life): number => Math.floor((deadline - world.now) / SECOND);

/** A player's own view. */
const lookAtView = async (world: World, person: Person): Promise<void> => {
  const { someone, life } = person;
  const state = world.stateOf(person);
  const { body } = await world.ask("GET /player/{url_id}", { as: someone });
  const starves_at = state === "zombie" && life !== null ? iso(life.deadline) : null;
  world.same(
    { state: body.state, starves_at: body.starves_at },
    { state, starves_at },
    `${someone.alias}'s own view`,
  );
  if (starves_at !== null) looked.deadlines += 1;
};

/** When a zombie is to feed next; nobody else is. */
const lookAtNextFeeding = async (world: World, person: Person): Promise<void> => {
  const { someone, life, fedAt } = person;
  const isZombie = world.isZombie(person) && life !== null;
  const wanted = isZombie ? OK : refusal("wrong_state");
  const next = await world.ask("GET /zombie/next_feeding/{url_id}", { as: someone }, wanted);
  if (!isZombie) return;
  world.same(
    next.body,
    {
      next_feeding: iso(life.deadline),
      seconds_left: secondsLeft(world, life),
      last_fed_at: fedAt === null ? null : iso(fedAt),
    },
    `${someone.alias}'s next feeding`,
  );
  looked.deadlines += 1;
};

/** What one player is told. */
export const lookAtOne = (world: World, random: Random, person: Person): Promise<void> =>
  random.chance(0.5) ? lookAtView(world, person) : lookAtNextFeeding(world, person);

/** Everyone as game masters see them. */
const lookAtEveryone = async (world: World): Promise<void> => {
  const { body } = await world.ask("GET /admin/get_players/{url_id}", {
    as: world.gm,
    query: { limit: 1_000 },
  });
  const told = new Map<string, { state: string; starves_at: string | null }>(
    body.players.map(({ alias, state, starves_at }: { alias: string; state: string; starves_at: string }) => [
      alias,
      { state, starves_at },
    ]),
  );
  const expect = (alias: string, state: string, life: Life | null): void => {
    const starves_at = state === "zombie" && life !== null ? iso(life.deadline) : null;
    world.same(told.get(alias), { state, starves_at }, `${alias} among all players`);
    if (starves_at !== null) looked.deadlines += 1;
  };
  for (const person of world.people) expect(person.someone.alias, world.stateOf(person), person.life);
  for (const [alias, life] of world.crowd) expect(alias, life.diedAt === null ? "zombie" : "corpse", life);
};

const byAlias = (one: { alias: string }, other: { alias: string }): number =>
  one.alias < other.alias ? -1 : one.alias > other.alias ? 1 : 0;

/** The list of the living, hungriest first, and how many are how near to starving. */
const lookAtLiving = async (world: World): Promise<void> => {
  const living = [
    ...world.people.flatMap((person) =>
      world.isZombie(person) && person.life !== null
        ? [{ alias: person.someone.alias, life: person.life }]
        : [],
    ),
    ...[...world.crowd].flatMap(([alias, life]) => (life.diedAt === null ? [{ alias, life }] : [])),
  ];
  const { body } = await world.ask("GET /zombie/starvation/{url_id}", {
    as: world.gm,
    query: { limit: 1_000 },
  });
  const wanted = living.map(({ alias, life }) => ({
    alias,
    starves_at: iso(life.deadline),
    seconds_left: secondsLeft(world, life),
  }));
  world.same([...body.zombies].sort(byAlias), wanted.sort(byAlias), "the list of the living");
  const order: string[] = body.zombies.map(({ starves_at }: { starves_at: string }) => starves_at);
  world.same(order, order.toSorted(), "the list of the living, hungriest first");
  const left = living.map(({ life }) => life.deadline - world.now);
  const starving = left.filter((time) => time < 6 * HOUR).length;
  const hungry = left.filter((time) => time < 24 * HOUR).length - starving;
  world.same(body.counts, { fed: left.length - hungry - starving, hungry, starving }, "the hungry, counted");
  looked.deadlines += living.length;
};

/** Every deadline there is, in one list or another. */
export const lookAtAll = (world: World, random: Random): Promise<void> =>
  random.chance(0.5) ? lookAtEveryone(world) : lookAtLiving(world);

/** Every death that has been written down, with when it happened. */
export const recordedDeaths = async (world: World): Promise<{ target: string; at: string }[]> => {
  const { body } = await world.ask("GET /interactions/{url_id}", {
    as: world.gm,
    query: { kind: "starve", limit: 200 },
  });
  return body.interactions.map(({ target, at }: { target: string; at: string }) => ({ target, at }));
};

const inOrder = (deaths: { target: string; at: string }[]): string[] =>
  deaths.map(({ target, at }) => `${target} ${at}`).toSorted();

/** Each death once, at its deadline. Every one has been written down. */
export const lookAtDeaths = async (world: World): Promise<void> => {
  const wanted = world.deaths.flatMap(({ target, life: { diedAt } }) =>
    diedAt === null ? [] : [{ target, at: iso(diedAt) }],
  );
  world.same(inOrder(await recordedDeaths(world)), inOrder(wanted), "the starvations, each at its deadline");
  looked.deaths += wanted.length;
};
