/** The missions: all of them with the week, a new one, and one with its attendance and its end. */
import { Check, Plus, RotateCcw } from "lucide";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../../paths.ts";
import { inOrder } from "../../../state/missionOrder.ts";
import { isStale, loadMissions } from "../../../state/missions.ts";
import { useSubmit } from "../../../state/resource.ts";
import { now, snapshot } from "../../../state/session.ts";
import { missionTexts } from "../../../text/missions.ts";
import { gm } from "../../../text/staff.ts";
import { timeInGame } from "../../../text/times.ts";
import { zonedText } from "../../../text/zoned.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { PicturePicker, usePicture } from "../../../ui/camera/picturePicker.tsx";
import { Empty, ErrorNote, Skeleton, StaleNote } from "../../../ui/feedback.tsx";
import { command, type Mission } from "../../calls.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import { gameTimeText } from "../../ui/gameTime.ts";
import { showToast } from "../../ui/toasts.tsx";
import { Attendance } from "./attendance.tsx";
import { previewClosing, reopenConfirmation } from "./closing.tsx";
import { MissionEditor } from "./missionEditor.tsx";
import { RequiredMissions } from "./required.tsx";
import { DESK_POLL_MS, useStaffMissions } from "./staffMissions.ts";
import { Week } from "./week.tsx";
import "./missions.css";

/** How far a mission is, in words. */
const statusText = (
  mission: Mission,
  at: number,
  whenText = (time: string): string => timeInGame(Date.parse(time), at),
): string => {
  const texts = gm.missions.status;
  const { draft, starts_at, ends_at, result, complete } = mission;
  if (complete === false) return texts.working;
  if (result !== null) return missionTexts.results[result];
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  const when =
    start > at ? texts.coming(whenText(starts_at)) : end > at ? texts.running(whenText(ends_at)) : texts.over;
  return draft === true ? `${texts.draft}, ${when}` : when;
};

const MissionRow = ({ mission, at }: { mission: Mission; at: number }) => (
  <li>
    <a class="row" href={paths.gm.mission(mission.mission_id)}>
      <span class="grow">
        {mission.title}
        <span class="sub">
          {statusText(mission, at)}
          {mission.place === null ? "" : ` · ${mission.place}`}
        </span>
      </span>
      {mission.attendance === "desk" && mission.attended_count !== undefined ? (
        <span class="muted number">{gm.missions.attended(mission.attended_count)}</span>
      ) : null}
    </a>
  </li>
);

const Overview = () => {
  const { items, isLoading, error, readAt } = useStaffMissions();
  const at = now.value ?? Date.now();
  const { coming, past } = inOrder(items, at);
  return (
    <main class="page stack">
      <header class="head">
        <h1>{gm.nav.missions}</h1>
        <ButtonLink text={gm.missions.create} icon={Plus} kind="primary" href={paths.gm.newMission} />
      </header>
      {isStale() ? <StaleNote readAt={readAt} /> : null}
      <ErrorNote error={error} onRetry={() => void loadMissions()} />
      {isLoading && items.length === 0 ? <Skeleton /> : null}
      {!isLoading && error === null && items.length === 0 ? <Empty>{gm.missions.none}</Empty> : null}
      {items.length === 0 ? null : (
        <section class="card">
          <h2>{gm.missions.list}</h2>
          <ul class="list">
            {[...coming, ...past].map((one) => (
              <MissionRow key={one.mission_id} mission={one} at={at} />
            ))}
          </ul>
        </section>
      )}
      {items.length === 0 ? null : (
        <>
          <Week missions={items} />
          <RequiredMissions />
        </>
      )}
    </main>
  );
};

const Picture = ({ mission: { mission_id, picture_url } }: { mission: Mission }) => {
  const picture = usePicture(async (image) => {
    await command("mission_picture", { mission_id, image });
    await loadMissions();
    showToast(gm.missions.pictureSet);
  });
  const clear = useSubmit(async () => {
    await command("set_mission", { mission_id, clear_picture: true });
    await loadMissions();
  });
  return (
    <>
      <div class="actions">
        <PicturePicker text={gm.missions.setPicture} isBusy={picture.isSending} onPicture={picture.put} />
        {picture_url === null ? null : (
          <Button
            text={gm.missions.clearPicture}
            kind="quiet"
            disabled={clear.isSending}
            onClick={() => void clear.submit()}
          />
        )}
      </div>
      <ErrorNote error={picture.error ?? clear.error} />
    </>
  );
};

/** While rewards are given or taken back, the page reads this often, in milliseconds. */
const WORKING_POLL_MS = 3_000;

const Ended = ({ mission, zone }: { mission: Mission; zone: string }) => {
  const closings = mission.closings ?? [];
  const earlier = closings.filter(({ reopened_at }) => reopened_at !== null);
  return (
    <>
      {mission.result === null ? null : (
        <p>
          <strong>{missionTexts.results[mission.result]}.</strong> {mission.note}
        </p>
      )}
      {earlier.length === 0 ? null : (
        <details>
          <summary>{gm.missions.closings}</summary>
          <ul class="bullets">
            {earlier.map(({ at, result, reopened_at }) => (
              <li key={at}>
                {gm.missions.closingText(
                  missionTexts.results[result],
                  zonedText(at, zone),
                  reopened_at === null ? null : zonedText(reopened_at, zone),
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
};

const OneMission = ({ id }: { id: string }) => {
  const { items, isLoading, error, readAt } = useStaffMissions(DESK_POLL_MS);
  const mission = items.find(({ mission_id }) => mission_id === id);
  const isWorking = mission?.complete === false;
  useEffect(() => {
    if (!isWorking) return;
    const timer = setInterval(() => void loadMissions(), WORKING_POLL_MS);
    return () => clearInterval(timer);
  }, [isWorking]);
  const at = now.value ?? Date.now();
  const zone = snapshot.value?.game.time_zone ?? "UTC";
  if (mission === undefined)
    return (
      <main class="page stack">
        <h1>{gm.nav.missions}</h1>
        <ErrorNote error={error} onRetry={() => void loadMissions()} />
        {isLoading ? <Skeleton /> : error === null ? <Empty>{gm.missions.gone}</Empty> : null}
      </main>
    );
  const { title, draft, closed_at, attendance } = mission;
  return (
    <main class="page stack">
      <header class="head">
        <div>
          <p class="muted">
            <a class="back" href={paths.gm.missions}>
              {gm.nav.missions}
            </a>
          </p>
          <h1>{title}</h1>
          <p class="muted">{draft === true ? gm.missions.isDraft : statusText(mission, at, gameTimeText)}</p>
        </div>
        <div class="actions">
          {closed_at === null && draft !== true && !isWorking ? (
            <CommandButton
              action="close_mission"
              icon={Check}
              kind="primary"
              preview={() => previewClosing(mission)}
            />
          ) : null}
          {/* Also while a job is at work, which an imported game may lack: the service knows which. */}
          {closed_at !== null || isWorking ? (
            <CommandButton
              action="reopen_mission"
              icon={RotateCcw}
              confirmation={() => reopenConfirmation(mission)}
            />
          ) : null}
        </div>
      </header>
      {isStale() ? <StaleNote readAt={readAt} /> : null}
      <ErrorNote error={error} onRetry={() => void loadMissions()} />
      {isWorking ? <p role="status">{gm.missions.working}</p> : null}
      <Ended mission={mission} zone={zone} />
      {attendance === "desk" && draft !== true ? <Attendance mission={mission} /> : null}
      <MissionEditor key={id} mission={mission} />
      <section class="card stack">
        <h2>{gm.missions.picture}</h2>
        <Picture mission={mission} />
      </section>
    </main>
  );
};

const NewMission = () => (
  <main class="page stack">
    <h1>{gm.missions.create}</h1>
    <MissionEditor mission={null} />
  </main>
);

export const Missions = () => {
  const { path } = useLocation();
  if (path === paths.gm.newMission) return <NewMission />;
  const id = path.slice(paths.gm.mission("").length);
  return id === "" ? <Overview /> : <OneMission key={id} id={id} />;
};
