/** A player's state badge, avatar and list entry. */
import { Biohazard, Eye, Footprints, Skull } from "lucide";
import { useCallback } from "preact/hooks";
import { paths } from "../paths.ts";
import { api, type State } from "../state/api.ts";
import { useValue } from "../state/resource.ts";
import { en } from "../text/en.ts";
import { Icon } from "./icon.tsx";
import "./player.css";

/** A state can do without an icon: its badge has its name and colour. */
const ICONS: Partial<Record<State, typeof Eye>> = {
  human: Footprints,
  zombie: Biohazard,
  corpse: Skull,
  spectator: Eye,
};

export const StateBadge = ({ state }: { state: State }) => {
  const icon = ICONS[state];
  return (
    <span class="badge" data-state={state}>
      {icon === undefined ? null : <Icon of={icon} size={16} />}
      {en.state[state]}
    </span>
  );
};

interface Shown {
  alias: string;
  state?: State | null;
  picture_url?: string | null;
}

/** A round picture, or the first letter of the alias. @param props.size the side, in pixels */
export const Avatar = ({ player, size = 40 }: { player: Shown; size?: 40 | 72 | 144 }) => {
  const { alias, state, picture_url } = player;
  return (
    <span class="avatar" data-state={state ?? undefined} data-size={size} aria-hidden="true">
      {picture_url ? (
        <img src={picture_url} alt="" width={size} height={size} loading="lazy" />
      ) : (
        <svg viewBox="0 0 40 40" aria-hidden="true">
          <text x="20" y="27" text-anchor="middle" font-size="20" font-weight="600">
            {[...alias][0]?.toLocaleUpperCase("en")}
          </text>
        </svg>
      )}
    </span>
  );
};

/** The address of a player's picture; `null` without a picture, while it is read, and after an error. */
export const useFace = (player: { player_ref: string } | { alias: string } | null): string | null => {
  const key = JSON.stringify(player);
  const read = useCallback(async () => {
    if (player === null) return null;
    const found = await api.post("/get_player/{url_id}", { body: player }).catch(() => null);
    return found?.picture_url ?? null;
  }, [key]);
  return useValue(read);
};

/** A list entry that links to the player's page. */
export const PlayerLink = ({ player, note }: { player: Shown & { player_ref: string }; note: string }) => (
  <a class="row player-row" href={paths.player(player.player_ref)}>
    <Avatar player={player} />
    <span class="grow">
      <strong>{player.alias}</strong>
      <span class="muted">{note}</span>
    </span>
  </a>
);
