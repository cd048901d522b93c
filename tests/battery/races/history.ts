/**
 * The record as a history: what has happened to each player, in the order in which it is recorded, leads from what
 * they were to what they are. Told apart from the service, by the table of transitions alone.
 */
import type { Interaction } from "../../../lib/domain/interaction.ts";
import type { Player } from "../../../lib/domain/player.ts";
import { TRANSITIONS } from "../../../lib/domain/transitions.ts";
import { parseInteraction, parsePlayer } from "../../../lib/store/items.ts";
import type { Snapshot } from "../../support/snapshot.ts";
import { changesBetween, isEvent } from "./outcomes.ts";

type Life = Pick<Player, "state" | "infection_id">;

const BY_KIND = {
  hunt: TRANSITIONS.hunt,
  starve: TRANSITIONS.starve,
  corpsify: TRANSITIONS.corpsify,
  checkpoint_kill: TRANSITIONS.checkpoint_kill,
  cure: TRANSITIONS.cure,
  revive_human: TRANSITIONS.revive_h,
  revive_zombie: TRANSITIONS.revive_z,
  void: TRANSITIONS.void_hunt,
  feed: { from: ["zombie"], to: "zombie" },
  add_day: undefined,
  pause: undefined,
  resume: undefined,
} as const;

const lifeOf = ({ state, infection_id }: Player): Life => ({ state, infection_id });

/** The life that an event leads to; in words, why it could not happen. */
const after = (life: Life, { kind, interaction_id, voids }: Interaction): Life | string => {
  // Only the life that the hunt began ends with it.
  if (kind === "void" && life.infection_id !== voids) return life;
  const rule = BY_KIND[kind];
  if (rule === undefined) return life;
  if (!rule.from.some((state) => state === life.state)) return `${kind} of a ${life.state}`;
  if (rule.to === "human") return { state: rule.to, infection_id: null };
  const begins = kind === "hunt" || kind === "revive_zombie";
  return { state: rule.to, infection_id: begins ? interaction_id : life.infection_id };
};

const players = new WeakMap<Snapshot, Player[]>();

/** The players of a table from which many runs begin. */
const playersIn = (then: Snapshot): Player[] => {
  const known = players.get(then);
  if (known !== undefined) return known;
  const found = [...then.values()].filter(({ sk }) => sk === "PROFILE").map(parsePlayer);
  players.set(then, found);
  return found;
};

/** Where the record of a run is no possible history of its players. */
export const impossibleIn = (then: Snapshot, now: Snapshot): string[] => {
  const events = changesBetween(then, now)
    .flatMap(({ before, after: item }) =>
      before === undefined && item !== undefined && isEvent(item) ? [item] : [],
    )
    .map(parseInteraction);
  return playersIn(then).flatMap((player) => {
    const { alias, player_id } = player;
    let life = lifeOf(player);
    for (const event of events.filter(({ target }) => target === player_id)) {
      const next = after(life, event);
      if (typeof next === "string") return [`${alias}: ${next} is recorded`];
      life = next;
    }
    const item = now.get(`PLAYER#${player_id}\nPROFILE`);
    const is = item === undefined ? life : lifeOf(parsePlayer(item));
    const isRight = is.state === life.state && is.infection_id === life.infection_id;
    return isRight ? [] : [`${alias} is a ${is.state}, and was last recorded as a ${life.state}`];
  });
};
