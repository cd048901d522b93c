/** The outbreak as nested lists, an accessible alternative to the picture. */
import { ChevronRight, Crosshair } from "lucide";
import { useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Avatar, StateBadge } from "../../ui/player.tsx";
import type { Spot } from "./layout.ts";
import { kindOf } from "./scene.ts";

export const nameOf = ({ node }: Spot): string =>
  node.alias ?? (node.hidden === true ? en.outbreak.hidden : en.feed.gone);

/** Describes an infection: how and when it happened, and what followed. @param now milliseconds since 1970 */
export const noteOf = (spot: Spot, now: number): string => {
  const { node, parent, at, descendants } = spot;
  const kind = kindOf(spot);
  const notes = [
    kind === "voided" ? en.outbreak.voided : null,
    kind === "loose" ? en.outbreak.loose : null,
    kind === "usual" && parent === null ? en.outbreak.original : null,
    Number.isFinite(at) ? timeText(at, now) : null,
    node.kills > 0 ? en.counts.kills(node.kills) : null,
    descendants > node.kills ? en.outbreak.below(descendants) : null,
  ];
  return notes.filter((note) => note !== null).join(" · ");
};

interface BranchProps {
  spot: Spot;
  now: number;
  /** Shows a spot in the picture; without it there is no picture. */
  onSelect?: ((spot: Spot) => void) | undefined;
}

const Branch = ({ spot, now, onSelect }: BranchProps) => {
  const [isOpen, setOpen] = useState(false);
  const { node, children } = spot;
  return (
    <li>
      <div class="row branch">
        {children.length === 0 ? (
          <span class="branch-toggle" />
        ) : (
          <button
            type="button"
            class="branch-toggle"
            aria-expanded={isOpen}
            aria-label={en.outbreak.by(nameOf(spot))}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon of={ChevronRight} size={20} />
          </button>
        )}
        <Avatar player={{ ...node, alias: nameOf(spot) }} />
        <div class="grow">
          {node.player_ref === null ? (
            <strong>{nameOf(spot)}</strong>
          ) : (
            <a href={paths.player(node.player_ref)}>{nameOf(spot)}</a>
          )}
          <p class="muted">{noteOf(spot, now)}</p>
        </div>
        {node.state === null ? null : <StateBadge state={node.state} />}
        {onSelect === undefined ? null : (
          <button
            type="button"
            class="branch-show"
            aria-label={en.outbreak.show(nameOf(spot))}
            onClick={() => onSelect(spot)}
          >
            <Icon of={Crosshair} size={20} />
          </button>
        )}
      </div>
      {isOpen ? <Branches spots={children} now={now} onSelect={onSelect} /> : null}
    </li>
  );
};

/** The number of siblings that are rendered at first. */
const PAGE_SIZE = 30;

/** Zombies infected by the same player. Their own branches are rendered when they are expanded. */
export const Branches = ({
  spots,
  now,
  onSelect,
}: Omit<BranchProps, "spot"> & { spots: readonly Spot[] }) => {
  const [count, setCount] = useState(PAGE_SIZE);
  return (
    <ul class="branches">
      {spots.slice(0, count).map((spot) => (
        <Branch key={spot.order} spot={spot} now={now} onSelect={onSelect} />
      ))}
      {spots.length > count ? (
        <li>
          <Button text={en.feed.more} onClick={() => setCount(count + 10 * PAGE_SIZE)} />
        </li>
      ) : null}
    </ul>
  );
};
