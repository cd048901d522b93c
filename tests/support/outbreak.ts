/** A large tree of infections in the form of the service's response. Nobody's tags are counted. */
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";

/** A tree of `size` players, the first four of them original zombies, infected within five days. */
export const treeOf = (size: number) => {
  const nodes = Array.from({ length: size }, (_, n) => ({
    ...{ infection_id: `i${n}`, player_ref: `ref-${n}`, alias: `Player ${n}` },
    ...{ state: "zombie", picture_url: null, kills: 0, voided: n % 97 === 5 },
    infected_at: rfc3339(Date.now() - 120 * HOUR + (n * 120 * HOUR) / size),
    children: [] as object[],
  }));
  for (const [n, node] of nodes.entries())
    if (n > 3) nodes[(Math.imul(n, 2_654_435_761) >>> 0) % Math.ceil(n / 2)]?.children.push(node);
  return { roots: nodes.slice(0, 4), size, truncated: false };
};
