/** What a game that is over has been for a player, in facts of the service. */
import { inPlay, type Numbers } from "../../../../lib/domain/players/spiral.ts";
import { type PlayingState, TAKING_PART } from "../../../../lib/domain/players/states.ts";
import { api, type Interaction, type ZombieTree } from "../../state/api.ts";
import type { Snapshot } from "../../state/session.ts";
import { en, numberText } from "../../text/en.ts";
import { gameDay, monthText } from "../../text/times.ts";
import { fallOf } from "../me/fall.ts";

export interface Recap {
  state: PlayingState;
  counts: Numbers;
  /** What has become of the player, such as `You survived` and `I survived.` */
  title: string;
  own: string;
  /** The sentences below it. */
  text: string;
  stats: readonly (readonly [value: string, label: string])[];
  /** The name and the month of the game. */
  name: string;
  month: string;
}

/** What is read beside the snapshot. */
interface Found {
  /** `null` if they could not be read. */
  events: readonly Interaction[] | null;
  /** The number of zombies in the player's branch; `null` if it is unknown. */
  line: number | null;
  /** `null` if others share it, or it is unknown. */
  rank: number | null;
  /** Why something could not be read; otherwise `null`. */
  error: unknown;
}

const sizeOf = (nodes: readonly ZombieTree[]): number =>
  nodes.reduce((sum, { voided, children }) => sum + (voided ? 0 : 1) + sizeOf(children), 0);

/** The number of zombies below a player, in all their lives as one. */
const lineOf = (nodes: readonly ZombieTree[], ref: string): number =>
  nodes.reduce(
    (sum, { player_ref, children }) => sum + (player_ref === ref ? sizeOf(children) : lineOf(children, ref)),
    0,
  );

/** Reads what the recap needs beside the snapshot. What cannot be read is left out. */
export const readFound = async ({ player }: Snapshot): Promise<Found> => {
  const board = player.state === "human" ? "survivors" : "kills";
  let error: unknown = null;
  const fail = (one: unknown): null => {
    error = one;
    return null;
  };
  const [events, tree, ranks] = await Promise.all([
    api.get("/interactions/{url_id}", { query: { player: "me", limit: 50 } }).catch(fail),
    player.state === "human" ? null : api.get("/interactions/tree/{url_id}").catch(fail),
    api.get("/interactions/leaderboard/{url_id}", { query: { board, limit: 3, around: "me" } }).catch(fail),
  ]);
  const rank = ranks?.rank ?? null;
  // Most survivors share the first.
  const isShared = (ranks?.players ?? []).filter((one) => one.rank === rank).length > 1;
  return {
    events: events?.interactions ?? null,
    line: tree === null ? null : lineOf(tree.roots, player.player_ref),
    rank: isShared ? null : rank,
    error,
  };
};

const dayOf = ({ game }: Snapshot, at: string | null | undefined): number | null =>
  at == null ? null : gameDay(game.starts_at, Date.parse(at));

/** The recap of a player who took part; `null` for others, and if what became of them could not be read. */
export const recapOf = (current: Snapshot, { events, line, rank }: Found): Recap | null => {
  const { player, game } = current;
  const { infected_by, infected_by_hidden, infected_at, kills, points } = player;
  const state = TAKING_PART.find((one) => one === player.state);
  if (state === undefined) return null;
  const { counts } = game;
  const about = { state, counts, name: game.name, month: monthText(Date.parse(game.ends_at ?? game.now)) };
  const won: Recap["stats"] = points > 0 ? [[numberText(points), en.prizes.label(points)]] : [];
  const place: Recap["stats"] = rank === null ? [] : [[`#${rank}`, en.ended.rank[state]]];
  if (state === "human") {
    const days = dayOf(current, game.ends_at);
    return {
      ...about,
      title: en.ended.survived,
      own: en.ended.ownSurvived,
      text: en.ended.survivors(counts.humans, inPlay(counts)),
      stats: [...(days === null ? [] : [[String(days), en.ended.days(days)] as const]), ...place, ...won],
    };
  }
  const { player_ref } = player;
  const end = fallOf(events ?? [], player_ref);
  const wasTagged =
    infected_by !== null ||
    infected_by_hidden === true ||
    events?.some(({ kind, target_ref }) => kind === "hunt" && target_ref === player_ref) === true;
  if (events === null && (state === "corpse" || !wasTagged)) return null;
  const how = state === "corpse" && end !== undefined ? end.kind : wasTagged ? "hunt" : "revive_zombie";
  const fell = en.ended.fell[how];
  const day = dayOf(current, state === "corpse" ? (end?.at ?? infected_at) : infected_at);
  // An original zombie was made, and did not live as a human until then.
  const lived = wasTagged || infected_at === null ? dayOf(current, infected_at ?? end?.at) : null;
  const by = infected_by !== null ? en.ended.by(infected_by) : infected_by_hidden ? en.ended.byHidden : null;
  return {
    ...about,
    title: en.ended.you(fell(day)),
    own: en.ended.own(fell(day)),
    text: [by, line === null || line === 0 ? null : en.ended.line(line)]
      .filter((one) => one !== null)
      .join(" "),
    stats: [
      ...(lived === null ? [] : [[String(lived), en.ended.lived(lived)] as const]),
      ...(kills === 0 ? [] : [[numberText(kills), en.ended.kills(kills)] as const]),
      ...(line === null || line === 0 ? [] : [[numberText(line), en.ended.inLine] as const]),
      // All without a tag share a rank.
      ...(kills === 0 ? [] : place),
      ...won,
    ],
  };
};
