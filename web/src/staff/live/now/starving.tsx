/** The zombies who starve next: a table with a mouse, rows on a phone. */
import { Drumstick } from "lucide";
import { paths } from "../../../paths.ts";
import { api } from "../../../state/api.ts";
import { now, readNow, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { countdownText } from "../../../text/times.ts";
import { offsetText, zonedText } from "../../../text/zoned.ts";
import { Avatar } from "../../../ui/player.tsx";
import { feedConfirmation } from "../../people/player/playerCommands.tsx";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import { Loading } from "../../ui/loading.tsx";
import "./starving.css";

const LIMIT = 8;

/** The list of the hungriest has no tags, so they are read for each. */
const readStarving = async () => {
  const { zombies } = await api.get("/zombie/starvation/{url_id}", { query: { limit: LIMIT } });
  const readAt = readNow() ?? Date.now();
  const kills = await Promise.all(
    zombies.map(({ player_ref }) =>
      api.post("/get_player/{url_id}", { body: { player_ref } }).then(
        (player) => player.kills,
        // Everything else of the row is known.
        () => null,
      ),
    ),
  );
  return { readAt, zombies: zombies.map((zombie, n) => ({ ...zombie, kills: kills[n] ?? null })) };
};

/** A deadline in the zone of the game: `Sat 28 Nov, 14:05 UTC+1`. */
const deadlineText = (time: string, zone: string): string =>
  `${zonedText(time, zone)} ${offsetText(Date.parse(time), zone)}`;

export const Starving = () => {
  const polled = usePolled(readStarving);
  const { value } = polled;
  const at = now.value ?? Date.now();
  const game = snapshot.value?.game;
  const isStopped = game === undefined || !game.in_play || game.paused;
  const elapsed = value === null || isStopped ? 0 : (at - value.readAt) / 1_000;
  return (
    <section class="card stack">
      <h2>{gm.now.starving}</h2>
      <Loading of={polled} rows={LIMIT} />
      {value === null ? null : value.zombies.length === 0 ? (
        <p class="muted">{gm.now.starvingEmpty}</p>
      ) : (
        <table class="starving">
          <caption class="visually-hidden">{gm.now.starving}</caption>
          <thead>
            <tr>
              {gm.now.starvingColumns.map(([name, title]) => (
                <th key={name} scope="col" data-column={name}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {value.zombies.map(({ alias, player_ref, picture_url, starves_at, seconds_left, kills }) => (
              <tr key={player_ref}>
                <th scope="row" data-column="player">
                  <a class="row" href={paths.gm.player(player_ref)}>
                    <Avatar player={{ alias, state: "zombie", picture_url }} />
                    <span class="grow">{alias}</span>
                  </a>
                </th>
                <td data-column="left" class="number">
                  {countdownText(seconds_left - elapsed)}
                </td>
                <td data-column="deadline" class="number">
                  {starves_at === null ? gm.player.never : deadlineText(starves_at, game?.time_zone ?? "UTC")}
                </td>
                <td data-column="kills" class="number">
                  {kills}
                </td>
                <td data-column="actions">
                  <CommandButton
                    action="feed_player"
                    icon={Drumstick}
                    confirmation={() => feedConfirmation(alias)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
};
