/** What a player sees at the moment of changing sides: by whom, and what to do in the next hour. */
import { useCallback, useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../paths.ts";
import { now, type Snapshot, snapshot } from "../../state/session.ts";
import { turnedInto } from "../../state/turned.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { Button } from "../../ui/button.tsx";
import { useModal } from "../../ui/dialog.tsx";
import { Avatar, useFace } from "../../ui/player.tsx";
import "./turning.css";

/** Two short beats and a long one, in milliseconds. */
const BEATS = [60, 60, 60, 60, 240];

const zombieSteps = ({ player, game }: Snapshot, at: number): string[] => [
  player.starves_at === null ? en.me.never : en.turning.eat(timeText(Date.parse(player.starves_at), at)),
  player.shown_as === undefined ? en.turning.show : en.me.shownAs(en.state[player.shown_as]),
  ...(game.sharers === 0 ? [] : [en.turning.share(game.sharers)]),
];

const Layer = ({ current, at }: { current: Snapshot; at: number }) => {
  const isHuman = current.player.state === "human";
  const { infected_by = null, infected_by_hidden } = isHuman ? {} : current.player;
  const { route } = useLocation();
  const close = useCallback(() => {
    turnedInto.value = null;
  }, []);
  const modal = useModal(true, close);
  const face = useFace(infected_by === null ? null : { alias: infected_by });
  useEffect(() => {
    // A browser refuses, and says so on the console, before the player has touched the page.
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BEATS);
  }, []);
  const title = isHuman
    ? en.turning.human
    : infected_by !== null
      ? en.turning.by(infected_by)
      : infected_by_hidden
        ? en.turning.byHidden
        : en.turning.title;
  return (
    <dialog
      {...modal}
      class="turning"
      data-state={current.player.state}
      aria-labelledby="turning-title"
      aria-describedby="turning-text"
    >
      <div class="turning-words stack">
        {infected_by === null ? null : (
          <Avatar player={{ alias: infected_by, state: "zombie", picture_url: face }} size={144} />
        )}
        <h2 id="turning-title">{title}</h2>
        <div id="turning-text" class="stack">
          {title === en.turning.title ? null : (
            <p class="turning-lead">{isHuman ? en.turning.humanLead : `${en.turning.title}.`}</p>
          )}
          <h3>{en.turning.next}</h3>
          <ol class="steps">
            {(isHuman ? en.turning.humanSteps : zombieSteps(current, at)).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          {infected_by === null ? null : <p>{en.turning.wrong}</p>}
        </div>
        <Button
          text={isHuman ? en.turning.humanClose : en.turning.close}
          kind="primary"
          onClick={() => {
            close();
            route(paths.me);
          }}
        />
      </div>
    </dialog>
  );
};

export const Turning = () => {
  const [current, at] = [snapshot.value, now.value];
  return current !== null && at !== null ? <Layer current={current} at={at} /> : null;
};
