/** The clock of the game: what is happening, and the commands that pause, resume, extend and end it. */
import { CalendarPlus, Pause, Play } from "lucide";
import { useLocation } from "preact-iso";
import { paths } from "../../../paths.ts";
import { now, snapshot } from "../../../state/session.ts";
import { situationText, situationTitle } from "../../../text/situation.ts";
import { gm } from "../../../text/staff.ts";
import { Skeleton } from "../../../ui/feedback.tsx";
import { command, readGame, type Settings } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { changeSettings } from "../settings/settings.ts";

/** The command that pauses the game. */
export const pauseConfirmation = (): Confirmation => ({
  action: "pause_game",
  title: gm.commands.pause_game.button,
  effects: gm.game.pauseEffects,
  run: async (reason, key) => {
    await command("pause_game", reason, key);
    return { text: gm.game.paused };
  },
});

/** Returns how long the game has been paused, in seconds. */
const pausedFor = (): number => {
  const since = snapshot.value?.game.paused_since ?? null;
  return since === null ? 0 : Math.max(0, (now.value ?? Date.now()) - Date.parse(since)) / 1_000;
};

const resumeConfirmation = (): Confirmation => ({
  action: "resume_game",
  title: gm.commands.resume_game.button,
  effects: gm.game.resumeEffects(pausedFor()),
  run: async (reason, key) => {
    await command("resume_game", reason, key);
    return { text: gm.game.resumed };
  },
});

const addDayConfirmation = (): Confirmation => ({
  action: "zombies_add_day",
  title: gm.commands.zombies_add_day.button,
  effects: gm.game.addDayEffects,
  run: async (reason, key) => {
    const { zombies, added_seconds } = await command("zombies_add_day", reason, key);
    return { text: gm.game.dayAdded(zombies, gm.period(added_seconds)) };
  },
});

/** @param route opens another page */
const endConfirmation = (route: (path: string) => void): Confirmation => ({
  action: "settings",
  title: gm.game.end,
  effects: gm.game.endEffects,
  submit: gm.game.end,
  isDelayed: true,
  other: {
    text: gm.game.finishInstead,
    run: () => {
      route(paths.gm.section("season"));
      return true;
    },
  },
  run: async (reason, key) => {
    await changeSettings({ ends_at: "now", ...reason }, key);
    return { text: gm.game.ended };
  },
});

export const Clock = ({ settings: { phase } }: { settings: Settings }) => {
  const { route } = useLocation();
  const game = usePolled(readGame).value ?? snapshot.value?.game ?? null;
  return (
    <section class="card stack">
      {game === null ? (
        <Skeleton rows={1} />
      ) : (
        <>
          <h2>{situationTitle(game)}</h2>
          <p class="muted">{situationText(game, now.value ?? Date.now())}</p>
        </>
      )}
      <div class="actions">
        {phase === "paused" ? (
          <CommandButton action="resume_game" icon={Play} kind="primary" confirmation={resumeConfirmation} />
        ) : (
          <CommandButton
            action="pause_game"
            icon={Pause}
            disabled={phase === "ended"}
            confirmation={pauseConfirmation}
          />
        )}
        <CommandButton
          action="zombies_add_day"
          icon={CalendarPlus}
          disabled={phase === "ended"}
          confirmation={addDayConfirmation}
        />
        <CommandButton
          action="settings"
          text={gm.game.end}
          kind="danger"
          disabled={phase === "ended"}
          confirmation={() => endConfirmation(route)}
        />
      </div>
    </section>
  );
};
