/** The missions that the player knows of: the next one with its countdown, later ones, and those that are over. */
import { CircleCheck } from "lucide";
import { useEffect } from "preact/hooks";
import type { Mission, Player } from "../../state/api.ts";
import { inOrder } from "../../state/missionOrder.ts";
import { isStale, loadMissions, missions, useMissions } from "../../state/missions.ts";
import { now, snapshot } from "../../state/session.ts";
import { earnedTexts, missionTexts as texts } from "../../text/missions.ts";
import { countdownText, endInGame, timeInGame } from "../../text/times.ts";
import { Empty, ErrorNote, Skeleton, StaleNote } from "../../ui/feedback.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MissionText } from "../../ui/mission.tsx";
import { TagCode } from "../../ui/tagCode.tsx";
import "./missions.css";

const DAY_SECONDS = 86_400;

/** What is counted down: to the start, and then to the end. A start that is more than a day away has its time alone. */
const Countdown = ({ mission: { starts_at, ends_at }, at }: { mission: Mission; at: number }) => {
  const isRunning = Date.parse(starts_at) <= at;
  const left = (Date.parse(isRunning ? ends_at : starts_at) - at) / 1_000;
  if (left > DAY_SECONDS) return null;
  return (
    <p class="mission-countdown">
      <strong class="number" role="timer">
        {countdownText(left)}
      </strong>
      <span class="muted">{isRunning ? texts.untilEnd : texts.untilStart}</span>
    </p>
  );
};

/** Whether the player is checked in, and what attending has given. */
const Attendance = ({ mission, player, isOver }: { mission: Mission; player: Player; isOver: boolean }) => {
  const { attendance, attended, earned, result } = mission;
  if (attendance === "none" || result === "cancelled") return null;
  const got = earned.flatMap(earnedTexts).join(", ");
  if (!attended) return <p class="muted">{isOver ? texts.missed : texts.desk(player.alias)}</p>;
  return (
    <div>
      <p class="checked-in">
        <Icon of={CircleCheck} size={20} />
        {isOver ? texts.attended : texts.checkedIn}
      </p>
      {got === "" ? null : <p>{texts.earned(got)}</p>}
    </div>
  );
};

const OneMission = ({ mission, player, at }: { mission: Mission; player: Player; at: number }) => {
  const { starts_at, ends_at, closed_at } = mission;
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  const isOver = closed_at !== null || end <= at;
  return (
    <article class="card mission">
      <MissionText mission={mission} when={texts.from(timeInGame(start, at), endInGame(start, end, at))}>
        {isOver ? null : <Countdown mission={mission} at={at} />}
        {isOver && closed_at === null ? <p class="muted">{texts.ended}</p> : null}
        <Attendance mission={mission} player={player} isOver={isOver} />
      </MissionText>
    </article>
  );
};

interface ListProps {
  title: string;
  of: readonly Mission[];
  player: Player;
  at: number;
}

const List = ({ title, of, player, at }: ListProps) =>
  of.length === 0 ? null : (
    <section class="stack">
      <h2>{title}</h2>
      {of.map((one) => (
        <OneMission key={one.mission_id} mission={one} player={player} at={at} />
      ))}
    </section>
  );

export const Missions = () => {
  useEffect(() => void loadMissions(), []);
  const { isLoading, error, readAt, required } = missions.value;
  const all = useMissions();
  const player = snapshot.value?.player;
  const at = now.value ?? Date.now();
  if (player === undefined) return <Skeleton />;
  const { coming, past } = inOrder(all, at);
  const [next, ...later] = coming;
  const isRunning = next !== undefined && Date.parse(next.starts_at) <= at;
  const isNeeded = isRunning && next.attendance === "desk" && !next.attended;
  return (
    <main class="page stack missions">
      <h1>{texts.title}</h1>
      {isStale() ? <StaleNote readAt={readAt} /> : null}
      <ErrorNote error={error} onRetry={() => void loadMissions()} />
      {isLoading && all.length === 0 ? <Skeleton /> : null}
      {!isLoading && error === null && all.length === 0 ? <Empty>{texts.none}</Empty> : null}
      {required === null || required.needed === 0 ? null : (
        <p>
          <strong>{texts.requiredTitle(required.attended, required.needed)}.</strong>{" "}
          {texts.requiredText(required.attended, required.needed)}
        </p>
      )}
      <List
        title={isRunning ? texts.running : texts.next}
        of={next === undefined ? [] : [next]}
        player={player}
        at={at}
      />
      {isNeeded && player.tag_code !== null ? <TagCode code={player.tag_code} /> : null}
      <List title={texts.later} of={later} player={player} at={at} />
      <List title={texts.past} of={past} player={player} at={at} />
    </main>
  );
};
