/** The model's void: a hunt taken back (decision 17). */
import { rfc3339 } from "../../../lib/domain/time.ts";
import { Refused } from "./door.ts";
import { bury, makeHuman, playerOf, record, shown, unfeed } from "./game.ts";
import type { Event, Model, Player, State } from "./state.ts";

interface Effect {
  alias: string | null;
  effect: string;
  state: State | null;
  kills?: number;
  starves_at?: string | null;
  at?: string;
}

export interface Void {
  hunt: Event;
  actor: string;
  reason: string;
  /** The tag code that the prey gets. */
  newCode: () => string;
}

const upon = ({ alias, state }: Player, effect: string, more: Partial<Effect> = {}): Effect => ({
  alias,
  effect,
  state,
  ...more,
});

const GONE: Effect = { alias: null, effect: "unchanged", state: null };

const uponPrey = (m: Model, { hunt, newCode }: Void): Effect => {
  const prey = playerOf(m, hunt.target);
  if (prey === undefined) return GONE;
  if (prey.infection !== hunt.n) return upon(prey, "unchanged");
  bury(m, prey);
  makeHuman(m, prey, newCode());
  return upon(prey, "human_again");
};

const uponFed = (m: Model, id: string, { hunt }: Void): Effect[] => {
  const player = playerOf(m, id);
  if (player === undefined) return [GONE];
  const isHunter = id === hunt.actor;
  // Who had starved in spite of the meal did so then, whatever is taken back now.
  bury(m, player);
  const meal = unfeed(m, player, hunt);
  const starvedAt = player.unrecorded;
  bury(m, player);
  if (isHunter) player.kills = player.kills.filter((kill) => kill.hunt !== hunt.n);
  const starves_at = player.state === "zombie" ? shown(m, player.deadline) : null;
  const effects = [
    ...(isHunter ? [upon(player, "kill_taken_back", { kills: player.kills.length })] : []),
    ...(meal === "taken" ? [upon(player, "meal_taken_back", { starves_at })] : []),
    ...(meal === "kept" ? [upon(player, "meal_kept", { starves_at })] : []),
    ...(starvedAt === null ? [] : [upon(player, "starved", { at: rfc3339(starvedAt) })]),
  ];
  return effects.length > 0 ? effects : [upon(player, "unchanged")];
};

/** Those whom the prey infected in that life, and who live in that infection still. */
const stillZombies = (m: Model, { hunt }: Void): Effect[] =>
  m.record.flatMap((event) => {
    const player = playerOf(m, event.target);
    if (event.parent !== hunt.n || event.voided || player === undefined) return [];
    return player.infection === event.n && player.state === "zombie" ? [upon(player, "stays_zombie")] : [];
  });

/** Takes a hunt back. @throws Refused `wrong_state` for what is no hunt, or was taken back before */
export const takeBack = (m: Model, back: Void): { event: Event; effects: Effect[] } => {
  const { hunt, actor, reason } = back;
  if (hunt.kind !== "hunt" || hunt.voided) throw new Refused("wrong_state");
  const hunter = hunt.actor ?? "";
  // As it was when the game master asked: who starves by it now is told of as starved.
  const below = stillZombies(m, back);
  const effects = [uponPrey(m, back), ...[hunter, ...hunt.sharedWith].flatMap((id) => uponFed(m, id, back))];
  hunt.voided = true;
  const voids = { hunt: hunt.n, hunter, reason };
  const event = record(m, "void", { actor, target: hunt.target, voids });
  return { event, effects: [...effects, ...below] };
};
