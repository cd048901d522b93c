/** A million players, and who of them takes part in what. */
import { PLAYERS } from "../../scripts/cost/trafficModel.ts";
import type { Random } from "./random.ts";

/** Those who hunt after a mission; each tags somebody every 25 seconds when there are 2,000 hunts a second. */
const HUNTERS = 50_000;
const MASTERS = 20;
/** Those whom the newest page of a list names: whoever asks for it has the same read. */
const LISTED = 200;

const DRAWS: Readonly<Record<string, (random: Random) => number>> = {
  hunter: ({ below }) => below(HUNTERS),
  prey: ({ below }) => HUNTERS + below(PLAYERS - HUNTERS),
  player: ({ below }) => below(PLAYERS),
  somebody: ({ below }) => below(PLAYERS),
  listed: ({ below }) => below(LISTED),
  master: ({ below }) => PLAYERS + below(MASTERS),
};

/** Somebody who is this in an operation. @throws Error when nobody knows what that is */
export const someone = (as: string, random: Random): number => {
  const draw = DRAWS[as];
  if (draw === undefined) throw new Error(`nobody knows who is a ${as}`);
  return draw(random);
};

/** The shard that somebody was given when they joined: drawn then, and theirs from then on. */
export const shardOf = (player: number, shards: number): number =>
  (Math.imul(player ^ (player >>> 15), 0x2c1b_3c6d) >>> 8) % shards;
