/** A player's state badge, avatar and list entry. */
import { Biohazard, Eye, Footprints, Skull } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { waitMs } from "../../../client/src/retry.ts";
import type { State } from "../api.ts";
import { en } from "../en.ts";
import { Icon } from "./icon.tsx";
import "./player.css";

const ICONS = { human: Footprints, zombie: Biohazard, corpse: Skull, spectator: Eye };

export const StateBadge = ({ state }: { state: State }) => (
  <span class="badge" data-state={state}>
    <Icon of={ICONS[state]} size={16} />
    {en.state[state]}
  </span>
);

interface Shown {
  alias: string;
  state?: State | null;
  picture_url?: string | null;
}

const PICTURE_ATTEMPTS = 6;

/** A picture, which is loaded again if the gateway turned it away. Meanwhile, `letter` is in its place. */
const Picture = ({ url, size, letter }: { url: string; size: number; letter: string | undefined }) => {
  const [failures, setFailures] = useState(0);
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    if (failures === 0 || failures === PICTURE_ATTEMPTS) return;
    const timer = setTimeout(setWaiting, waitMs(failures, null), false);
    return () => clearTimeout(timer);
  }, [failures]);
  const fail = (): void => {
    setWaiting(true);
    setFailures(failures + 1);
  };
  if (isWaiting) return <>{letter}</>;
  return <img src={url} alt="" width={size} height={size} loading="lazy" onError={fail} />;
};

/** A round picture, or the first letter of the alias. @param props.size the side, in pixels */
export const Avatar = ({ player, size = 40 }: { player: Shown; size?: 40 | 72 | 144 }) => {
  const { alias, state, picture_url } = player;
  const letter = [...alias][0]?.toLocaleUpperCase("en");
  return (
    <span class="avatar" data-state={state ?? undefined} data-size={size} aria-hidden="true">
      {picture_url ? <Picture key={picture_url} url={picture_url} size={size} letter={letter} /> : letter}
    </span>
  );
};

/** A list entry that links to the player's page. */
export const PlayerLink = ({ player, note }: { player: Shown & { player_ref: string }; note: string }) => (
  <a class="row player-row" href={`/app/players/${player.player_ref}`}>
    <Avatar player={player} />
    <span class="grow">
      <strong>{player.alias}</strong>
      <span class="muted">{note}</span>
    </span>
  </a>
);
