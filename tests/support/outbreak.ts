/** A large tree of infections, as the service would say it. */
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";

interface Node {
  children: Node[];
  [field: string]: unknown;
}

/** A tree of four original zombies and as many infections as there are further nodes, within five days. */
export const treeOf = (size: number): { roots: Node[]; size: number; truncated: boolean } => {
  const nodes: Node[] = [];
  for (let n = 0; n < size; n += 1) {
    const infected_at = rfc3339(Date.now() - 120 * HOUR + (n * 120 * HOUR) / size);
    const player = { player_ref: `ref-${n}`, alias: `Player ${n}`, state: "zombie", picture_url: null };
    const node = {
      infection_id: `i${n}`,
      ...player,
      infected_at,
      kills: 0,
      voided: n % 97 === 5,
      children: [],
    };
    nodes.push(node);
    if (n > 3) nodes[(n * 7_919) % Math.ceil(n / 2)]?.children.push(node);
  }
  return { roots: nodes.slice(0, 4), size, truncated: false };
};
