/** A large tree of infections, as the service would return it. */
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";

/** A tree of four original zombies and as many infections as there are further nodes, within five days. */
export const treeOf = (size: number) => {
  const nodes = Array.from({ length: size }, (_, n) => ({
    ...{ infection_id: `i${n}`, player_ref: `ref-${n}`, alias: `Player ${n}` },
    ...{ state: "zombie", picture_url: null, kills: 0, voided: n % 97 === 5 },
    infected_at: rfc3339(Date.now() - 120 * HOUR + (n * 120 * HOUR) / size),
    children: [] as object[],
  }));
  for (const [n, node] of nodes.entries())
    if (n > 3) nodes[(n * 7_919) % Math.ceil(n / 2)]?.children.push(node);
  return { roots: nodes.slice(0, 4), size, truncated: false };
};
