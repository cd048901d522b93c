/** The model's rules for voiding a hunt (decision 17). */
import { rfc3339 } from "../../../lib/domain/time.ts";
import { makeHuman, playerOf, record, recordStarvation, shownDeadline, unfeed } from "./game.ts";
import { ModelError } from "./sessions.ts";
import type { Event, Model, Player, State } from "./state.ts";

interface Effect {
  alias: string | null;
  effect: string;
  state: State | null;
  kills?: number;
  starves_at?: string | null;
  at?: string;
}

export interface VoidRequest {
  hunt: Event;
  actor: string;
  reason: string;
  /** The new tag code of the prey. */
  newCode: () => string;
}

const upon = ({ alias, state }: Player, effect: string, more: Partial<Effect> = {}): Effect => ({
  alias,
  effect,
  state,
  ...more,
});

const GONE: Effect = { alias: null, effect: "unchanged", state: null };

const uponPrey = (m: Model, { hunt, newCode }: VoidRequest): Effect => {
  const prey = playerOf(m, hunt.target);
  if (prey === undefined) return GONE;
  if (prey.infection !== hunt.n || prey.state === "spectator") return upon(prey, "unchanged");
  recordStarvation(m, prey);
  makeHuman(m, prey, newCode());
  return upon(prey, "human_again");
};

const uponFed = (m: Model, id: string, { hunt }: VoidRequest): Effect[] => {
  const player = playerOf(m, id);
  if (player === undefined) return [GONE];
  const isHunter = id === hunt.actor;
  // Players who starved despite the feeding are recorded first.
  recordStarvation(m, player);
  const feeding = unfeed(m, player, hunt);
  const starvedAt = player.unrecorded;
  recordStarvation(m, player);
  if (isHunter) player.kills = player.kills.filter((kill) => kill.hunt !== hunt.n);
  const starves_at = player.state === "zombie" ? shownDeadline(m, player.deadline) : null;
  const effects = [
    ...(isHunter ? [upon(player, "kill_taken_back", { kills: player.kills.length })] : []),
    ...(feeding === "taken" ? [upon(player, "meal_taken_back", { starves_at })] : []),
    ...(feeding === "kept" ? [upon(player, "meal_kept", { starves_at })] : []),
    ...(starvedAt === null ? [] : [upon(player, "starved", { at: rfc3339(starvedAt) })]),
  ];
  return effects.length > 0 ? effects : [upon(player, "unchanged")];
};

/** The players whom the prey infected in that life, and who are still zombies by that infection. */
const stillZombies = (m: Model, { hunt }: VoidRequest): Effect[] =>
  m.record.flatMap((event) => {
    const player = playerOf(m, event.target);
    if (event.parent !== hunt.n || event.voided || player === undefined) return [];
    return player.infection === event.n && player.state === "zombie" ? [upon(player, "stays_zombie")] : [];
  });

/** Voids a hunt. @throws ModelError `wrong_state` for other events, and for a hunt that was voided before */
export const voidHunt = (m: Model, back: VoidRequest): { event: Event; effects: Effect[] } => {
  const { hunt, actor, reason } = back;
  if (hunt.kind !== "hunt" || hunt.voided) throw new ModelError("wrong_state");
  const hunter = hunt.actor;
  const fed = hunter === null ? [] : [hunter, ...hunt.sharedWith];
  // The state before, because players who starve by the void are reported as starved.
  const below = stillZombies(m, back);
  const effects = [uponPrey(m, back), ...fed.flatMap((id) => uponFed(m, id, back))];
  hunt.voided = true;
  const dispute = m.disputes.find(({ n }) => n === hunt.n);
  if (dispute !== undefined)
    Object.assign(dispute, { status: "void", resolved: { at: m.now, by: actor, note: reason } });
  const voids = { hunt: hunt.n, hunter, reason };
  const event = record(m, "void", { actor, target: hunt.target, voids });
  return { event, effects: [...effects, ...below] };
};
