/** The model's rules of required missions (decision 124). */
import * as game from "./game.ts";
import type { Mission, Model, Player } from "./state.ts";

/** The closing that is in force. */
export const closingOf = ({ closings }: Mission) => {
  const last = closings.at(-1);
  return last === undefined || last.reopened_at !== null ? null : last;
};

/** Which missions count now, how many are needed, and since when a life must have begun. */
const requirement = (m: Model, min: number) => {
  const required = m.missions.filter((one) => one.required);
  const isCancelled = (one: Mission): boolean => closingOf(one)?.result === "cancelled";
  const counted = required.filter((one) => !isCancelled(one) && one.starts <= m.now);
  return {
    counted,
    needed: Math.max(0, min - required.filter(isCancelled).length),
    since: Math.max(0, ...counted.map(({ starts }) => starts)),
  };
};

/** Those whom required missions concern, and those of them who attended too few. */
export const shortOf = (m: Model, min: number, exempt: readonly Player[]) => {
  const { counted, needed, since } = requirement(m, min);
  const concerned = game.inState(m, "human", "zombie").filter((player) => game.hasOldLife(m, player, since));
  const attendedBy = ({ id }: Player): number =>
    counted.filter(({ attended }) => attended.some(({ player }) => player === id)).length;
  const short = concerned.filter((player) => !exempt.includes(player) && attendedBy(player) < needed);
  return { concerned, short, needed };
};

/** Whether a player attended too few missions. */
export const isShort = (m: Model, player: Player, min: number): boolean =>
  shortOf(m, min, []).short.includes(player);
