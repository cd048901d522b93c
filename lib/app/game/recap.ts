/** Makes the recap of the season that a reset ends, and stores it before anything is removed (decision 131). */

import type { Game } from "../../domain/game/game.ts";
import { type AncestryNode, buildTree, groupByParent, MAX_NODES } from "../../domain/hunts/ancestry.ts";
import { type AwardEvent, awardsOf } from "../../domain/hunts/awards.ts";
import { isInfection } from "../../domain/hunts/interaction.ts";
import { closingOf } from "../../domain/missions/mission.ts";
import { stateOf } from "../../domain/players/player.ts";
import { byCounter, counterOf, STATE_NAMES, TAKING_PART } from "../../domain/players/states.ts";
import { nullableRfc3339, rfc3339 } from "../../domain/time.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { readMissions } from "../../store/missions/missions.ts";
import type { PlayerLine, Recap, RecapBody } from "../../store/seasons/recaps.ts";
import { readSeasonEnd } from "../../store/seasons/seasonEnd.ts";
import type { Store } from "../../store/store.ts";
import { readStatistics } from "../players/statistics.ts";

/** All generations. */
const ANY_DEPTH = Number.POSITIVE_INFINITY;

/** The nodes of the tree as a list, each after its parent. */
const listed = (roots: readonly AncestryNode[], known: ReadonlySet<string>): RecapBody["tree"] => {
  const nodes: RecapBody["tree"] = [];
  const pending: { node: AncestryNode; parent: number | null }[] = roots
    .toReversed()
    .map((node) => ({ node, parent: null }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { infection, kills, children } = next.node;
    const at = nodes.length;
    const player = known.has(infection.target) ? infection.target : null;
    nodes.push({ player, parent: next.parent, infected_at: infection.at, kills });
    for (const node of children.toReversed()) pending.push({ node, parent: at });
  }
  return nodes;
};

const DEATHS = ["starve", "corpsify", "checkpoint_kill"];

/** When each player was last made a zombie, and last died, by player id. */
const fallsOf = (events: readonly AwardEvent[]) => {
  const falls = new Map<string, { infected_at: string | null; died_at: string | null }>();
  for (const { kind, target, at, voided_by } of events.toSorted((one, other) =>
    one.at < other.at ? -1 : 1,
  )) {
    if (target === null || voided_by !== undefined) continue;
    const before = falls.get(target) ?? { infected_at: null, died_at: null };
    if (isInfection(kind)) falls.set(target, { ...before, infected_at: at });
    else if (DEATHS.includes(kind)) falls.set(target, { ...before, died_at: at });
  }
  return falls;
};

interface RecapOptions {
  seasonId: string;
  now: number;
  timeLeft: () => number;
  /** Whether it is to stay: then nothing is read from an index alone, which may lag behind the table. */
  isLasting?: boolean;
}

/** The players as the index has them, or the table, with those in events whom the index does not have yet. */
const readPlayers = async (store: Store, game: Game, events: readonly AwardEvent[], isLasting: boolean) => {
  const roster = await store.roster(game);
  if (!isLasting) return roster;
  const ids = [...roster.map(({ player_id }) => player_id), ...events.flatMap(({ target }) => target ?? [])];
  return [...(await store.players(new Set(ids))).values()];
};

/**
 * The recap of the present season, with its originals. Reads every player and every interaction.
 * @returns `null` for a season in which nobody became a zombie
 */
export const makeRecap = async (
  store: Store,
  game: Game,
  { seasonId, now, timeLeft, isLasting = false }: RecapOptions,
): Promise<Recap | null> => {
  const open: Game = { ...game, settings: { ...game.settings, hide_originals_since: null } };
  const [{ events, infections, moments }, missions, end] = await mapBusyToUnavailable(
    Promise.all([
      store.everyEvent(open),
      readMissions(store.db, { consistent: isLasting }),
      readSeasonEnd(store.db),
    ]),
  );
  if (infections.length === 0) return null;
  const roster = await mapBusyToUnavailable(readPlayers(store, open, events, isLasting));
  const known = { events: moments, roster };
  const statistics = await readStatistics({ store, game: open, now, viewer: null, timeLeft, known });
  const all = roster.map((one) => ({ ...one, state: stateOf(one, open, now) }));
  const counts = byCounter(STATE_NAMES, () => 0);
  for (const { state } of all) counts[counterOf(state)] += 1;
  const falls = fallsOf(events);
  const players = all
    .filter(({ state }) => TAKING_PART.some((one) => one === state))
    .map(({ player_id, state, kills, points }): PlayerLine => {
      const { infected_at, died_at } = falls.get(player_id) ?? { infected_at: null, died_at: null };
      const fell = { infected_at: state === "human" ? null : infected_at };
      return { player_id, state, kills, points, ...fell, died_at: state === "corpse" ? died_at : null };
    });
  const byParent = groupByParent(infections.filter(({ voided }) => !voided));
  const tree = buildTree(byParent.get(null) ?? [], byParent, ANY_DEPTH, MAX_NODES);
  const first = events.map(({ at }) => at).toSorted()[0] ?? null;
  const { finish, schedule, settings } = game;
  return {
    season: {
      season_id: seasonId,
      name: settings.name,
      started_at: nullableRfc3339(schedule?.starts_at ?? null) ?? first,
      ended_at: rfc3339(Math.min(schedule?.ends_at ?? now, game.paused_at ?? now, now)),
      result: finish?.result ?? null,
      note: finish?.note ?? null,
      counts: { ...counts, total: all.length },
    },
    body: {
      curve: statistics.points,
      tree: listed(tree.roots, new Set(all.map(({ player_id }) => player_id))),
      awards: awardsOf(all, events, open, now),
      given: end?.awards ?? [],
      missions: missions.flatMap((mission) => {
        const closing = closingOf(mission);
        const { title, starts_at, ends_at, draft } = mission;
        return closing === null || draft
          ? []
          : [{ title, starts_at, ends_at, result: closing.result, note: closing.note }];
      }),
    },
    players,
  };
};
