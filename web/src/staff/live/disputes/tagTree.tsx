/** The part of the infection tree around one tag. */
import { useCallback, useState } from "preact/hooks";
import { api, type ZombieTree } from "../../../state/api.ts";
import { gm } from "../../../text/staff.ts";
import { ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { Avatar } from "../../../ui/player.tsx";
import type { Interaction } from "../../calls.ts";
import { usePolled } from "../../polled.ts";

/** The hunter, the prey, and the players whom the prey has tagged since. */
const DEPTH = 3;

const Branch = ({ node, marked }: { node: ZombieTree; marked: string | undefined }) => (
  <li>
    <span class="row" data-marked={node.infection_id === marked}>
      <Avatar player={{ alias: node.alias ?? "·", state: node.state, picture_url: node.picture_url }} />
      <span class="grow">
        {node.voided ? <s>{node.alias ?? gm.common.gone}</s> : (node.alias ?? gm.common.gone)}
        <span class="sub">
          {gm.disputes.tags(node.kills)}
          {node.state === null ? "" : `, ${gm.state[node.state]}`}
        </span>
      </span>
    </span>
    {node.children.length === 0 ? null : <Branches nodes={node.children} marked={marked} />}
  </li>
);

const Branches = ({ nodes, marked }: { nodes: readonly ZombieTree[]; marked: string | undefined }) => (
  <ul class="tag-tree">
    {nodes.map((node) => (
      <Branch key={node.infection_id} node={node} marked={marked} />
    ))}
  </ul>
);

const Loaded = ({ root, marked }: { root: string; marked: string | undefined }) => {
  const load = useCallback(
    () => api.get("/interactions/tree/{url_id}", { query: { root, depth: DEPTH } }),
    [root],
  );
  const { value, error, reload } = usePolled(load);
  if (error !== null) return <ErrorNote error={error} onRetry={reload} />;
  return value === null ? <Skeleton rows={2} /> : <Branches nodes={value.roots} marked={marked} />;
};

/** The tree, which is loaded when it is expanded. */
export const TagTree = ({ of: { details } }: { of: Interaction }) => {
  const [isOpen, setOpen] = useState(false);
  const { infection_id, parent_infection_id } = details;
  const root = parent_infection_id ?? infection_id;
  if (root === undefined) return null;
  return (
    <details class="divided" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{gm.disputes.tree}</summary>
      {isOpen ? <Loaded root={root} marked={infection_id} /> : null}
    </details>
  );
};
