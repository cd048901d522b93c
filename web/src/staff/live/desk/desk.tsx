/** The check-in desk of a checkpoint or a mission, where helpers scan or type tag codes and aliases, or paste a list. */
import { Ban, CircleCheck, CloudUpload, Flag, RotateCcw, ScanLine, TriangleAlert, UserX } from "lucide";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isConcerned } from "../../../state/checkpoints.ts";
import { loadMissions } from "../../../state/missions.ts";
import { now, readNow, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { agoText, timeInGame, timeText } from "../../../text/times.ts";
import { zonedText } from "../../../text/zoned.ts";
import { Button } from "../../../ui/button.tsx";
import { Scanner } from "../../../ui/camera/scanner.tsx";
import { Empty, ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { type Checkpoint, type Mission, readGame } from "../../calls.ts";
import { DESK_POLL_MS, useStaffMissions } from "../../game/missions/staffMissions.ts";
import { usePolled } from "../../polled.ts";
import { loadRoster, useRoster } from "../../roster.ts";
import { fullName } from "../../staffPlayers.ts";
import { Checkbox, Select, TextArea } from "../../ui/inputs.tsx";
import { ReadError } from "../../ui/loading.tsx";
import { type DeskEntry, type DeskStatus, namesIn } from "./deskEntries.ts";
import { clearDesk, enqueue, entries, isTagCode, openDesk, sendWaiting } from "./deskQueue.ts";
import { playersMeant } from "./deskSearch.ts";
import { type DeskTarget, targetId, targetsOf } from "./deskTargets.ts";
import "./desk.css";

const ICONS = {
  waiting: CloudUpload,
  done: CircleCheck,
  duplicate: RotateCcw,
  stranger: UserX,
  refused: Ban,
};

/** Audible and tactile feedback, so that helpers need not look at the screen. Tones in Hz, vibration in milliseconds. */
const FEEDBACK: Readonly<Record<DeskStatus, { tones: number[]; vibration: number[] }>> = {
  waiting: { tones: [], vibration: [] },
  done: { tones: [880], vibration: [60] },
  duplicate: { tones: [520, 520], vibration: [60, 60, 60] },
  stranger: { tones: [180], vibration: [400] },
  refused: { tones: [180], vibration: [400] },
};

const TONE_SECONDS = 0.12;

const playFeedback = (status: DeskStatus): void => {
  const { tones, vibration } = FEEDBACK[status];
  navigator.vibrate?.(vibration);
  const audio = new AudioContext();
  for (const [at, frequency] of tones.entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(audio.destination);
    tone.start(audio.currentTime + at * 1.5 * TONE_SECONDS);
    tone.stop(audio.currentTime + (at * 1.5 + 1) * TONE_SECONDS);
  }
  setTimeout(() => void audio.close(), 1_000);
};

/** Tells that the checkpoint does not apply to a player who was checked in. */
const NotFor = ({ entry: { not_for }, checkpoint }: { entry: DeskEntry; checkpoint: Checkpoint | null }) =>
  not_for == null || checkpoint === null ? null : (
    <span class="not-for">
      <Icon of={TriangleAlert} size={16} />
      {gm.desk.notFor(not_for, checkpoint.applies_to)}
    </span>
  );

/** What has become of an entry. */
const statusText = ({ status, refusal, before }: DeskEntry): string => {
  if (status === "refused") return refusal ?? gm.desk.status.refused;
  const text = status === "waiting" && refusal !== null ? refusal : gm.desk.status[status];
  return before == null || before === 0 ? text : `${text}. ${gm.desk.pastedBefore(before)}`;
};

const Row = ({ entry, checkpoint }: { entry: DeskEntry; checkpoint: Checkpoint | null }) => {
  const at = now.value ?? Date.now();
  const { status, alias, text, passed_at, entered_at } = entry;
  return (
    <li class="row desk-row" data-status={status} data-warns={entry.not_for != null}>
      <Icon of={ICONS[status]} />
      <p class="grow">
        <strong>{alias ?? text}</strong>
        <span class="sub">
          {statusText(entry)}
          {status === "duplicate" && passed_at !== null
            ? `, ${gm.desk.since(timeText(Date.parse(passed_at), at))}`
            : ""}
        </span>
        <NotFor entry={entry} checkpoint={checkpoint} />
      </p>
      <span class="muted number">{agoText(entered_at, Date.now())}</span>
    </li>
  );
};

const Latest = ({ entry, checkpoint }: { entry: DeskEntry | undefined; checkpoint: Checkpoint | null }) =>
  entry === undefined ? null : (
    <p class="latest" data-status={entry.status} data-warns={entry.not_for != null} role="status">
      <Icon of={ICONS[entry.status]} size={32} />
      <span>
        <strong>{entry.alias ?? entry.text}</strong>
        {statusText(entry)}
        <NotFor entry={entry} checkpoint={checkpoint} />
      </span>
    </p>
  );

type Found = ReturnType<typeof playersMeant>;

/** The players whom the typed text may mean. A press checks one in. */
const Meant = ({
  found,
  isHere,
  onChoose,
}: {
  found: Found;
  /** Whether somebody is known to be checked in. */
  isHere: (player: Found[number]) => boolean;
  onChoose: (alias: string) => void;
}) => (
  <ul class="list" aria-label={gm.desk.meant}>
    {found.slice(0, MAX_OFFERED).map((player) => (
      <li key={player.player_id}>
        <button type="button" class="row desk-found" onClick={() => onChoose(player.alias)}>
          <Avatar player={player} />
          <span class="grow">
            {player.alias}
            <span class="sub">{isHere(player) ? gm.desk.status.duplicate : fullName(player)}</span>
          </span>
          <StateBadge state={player.shown_as ?? player.state} />
        </button>
      </li>
    ))}
  </ul>
);
const MAX_OFFERED = 6;

/** Who was checked in at this desk, at a mission or at the checkpoint. */
const aliasesHere = (target: DeskTarget): ReadonlySet<string | null> =>
  new Set(
    entries.value
      .filter((one) => one.passed_at !== null && (one.mission_id ?? one.checkpoint_id) === targetId(target))
      .map(({ alias }) => alias),
  );

/**
 * How many of those to whom the checkpoint applies have passed.
 * @param here those whom this desk has checked in since the last reading
 */
const progressOf = (
  checkpoint: Checkpoint,
  players: Found,
  here: ReadonlySet<string | null>,
): { passed: number; expected: number } => {
  const expected = players.filter((player) => isConcerned(checkpoint, player));
  const passed = expected.filter(({ passed_at, alias }) => passed_at !== null || here.has(alias));
  return { passed: passed.length, expected: expected.length };
};

const RETRY_MS = 5_000;
/** Other desks check players in too. Each reading adds an entry to the log, so only activity causes one. */
const REREAD_MS = 60_000;
const SAME_SCAN_MS = 3_000;
/** Scanned texts are cut to this length. No alias is longer. */
const MAX_TEXT_LENGTH = 200;

/** The service takes up to 500 names at once. A desk sends fewer, so that a request on a bad network is short. */
const MAX_LISTED = 200;

/** Checks the players of a pasted list in: those who are known at once, and each other name by itself. */
const PastedList = ({
  players,
  isReady,
  onEnter,
}: {
  players: Parameters<typeof playersMeant>[1];
  isReady: boolean;
  onEnter: (text: string, aliases: string[] | null) => void;
}) => {
  const [pasted, setPasted] = useState("");
  const names = namesIn(pasted);
  const enter = (): void => {
    const meant = names.map((name) => ({ name, found: playersMeant(name, players) }));
    const known = meant.flatMap(({ found }) => (found.length === 1 ? found : [])).map(({ alias }) => alias);
    const aliases = [...new Set(known)];
    for (let at = 0; at < aliases.length; at += MAX_LISTED) {
      const some = aliases.slice(at, at + MAX_LISTED);
      onEnter(gm.desk.pasted(some.length), some);
    }
    for (const { name, found } of meant)
      if (found.length !== 1) onEnter(name.slice(0, MAX_TEXT_LENGTH), null);
    setPasted("");
  };
  return (
    <details>
      <summary>{gm.desk.paste}</summary>
      <div class="stack">
        <TextArea
          label={gm.desk.pasteText}
          name="pasted"
          rows={6}
          hint={gm.desk.pasteHint}
          value={pasted}
          onChange={setPasted}
        />
        <div class="actions">
          <Button
            text={gm.desk.pasteSubmit(names.length)}
            disabled={names.length === 0 || !isReady}
            onClick={enter}
          />
        </div>
      </div>
    </details>
  );
};

/** Sends what waits, now and every so often. @returns sends it at once */
const useSending = (onOutcome: (entry: DeskEntry) => void): (() => void) => {
  const latest = useRef(onOutcome);
  latest.current = onOutcome;
  const send = useCallback((): void => void sendWaiting((entry) => latest.current(entry)), []);
  useEffect(() => {
    send();
    const timer = setInterval(send, RETRY_MS);
    addEventListener("online", send);
    return () => {
      clearInterval(timer);
      removeEventListener("online", send);
    };
  }, [send]);
  return send;
};

/** All entries of this desk. */
const Entered = ({ checkpoint }: { checkpoint: Checkpoint | null }) =>
  entries.value.length === 0 ? null : (
    <section class="stack">
      <div class="head">
        <h2>{gm.desk.list}</h2>
        <Button text={gm.desk.clear} kind="quiet" onClick={clearDesk} />
      </div>
      <ul class="list" aria-label={gm.desk.list}>
        {entries.value.map((entry) => (
          <Row key={entry.key} entry={entry} checkpoint={checkpoint} />
        ))}
      </ul>
    </section>
  );

const Form = ({ target, zone }: { target: DeskTarget; zone: string }) => {
  const checkpoint = target.checkpoint ?? null;
  const mission = target.mission ?? null;
  const mission_id = mission?.mission_id ?? null;
  const [text, setText] = useState("");
  const [isLate, setLate] = useState(false);
  const [lateReason, setLateReason] = useState("");
  const [isScanning, setScanning] = useState(false);
  const [hasSound, setSound] = useState(true);
  /** A late entry needs a reason. */
  const isReady = !isLate || lateReason.trim() !== "";
  const form = useRef<HTMLFormElement>(null);
  const roster = useRoster();
  const readAt = useRef(Date.now());
  const send = useSending(({ status, not_for, before }) => {
    // A list is counted by the service.
    if (before != null) void loadMissions();
    if (hasSound) playFeedback(status === "done" && not_for != null ? "duplicate" : status);
    if (Date.now() - readAt.current < REREAD_MS) return;
    readAt.current = Date.now();
    void loadRoster();
  });
  const at = now.value ?? Date.now();
  const closes = mission === null ? (checkpoint?.closes_at ?? null) : mission.ends_at;
  const closesAt = closes === null ? null : Date.parse(closes);
  const found = useMemo(
    () => (text.trim() === "" ? [] : playersMeant(text.trim(), roster.players)),
    [text, roster.players],
  );
  const checkIn = (entered: string, guess: string | null = null, aliases: string[] | null = null): void => {
    const enteredAt = readNow() ?? Date.now();
    const isOpen = closesAt === null || enteredAt < closesAt;
    enqueue(entered, {
      ...{ guess, mission_id, aliases, checkpoint_id: checkpoint?.checkpoint_id ?? null },
      reason: isLate ? lateReason.trim() : null,
      in_time: isOpen ? gm.desk.inTime(zonedText(new Date(enteredAt).toISOString(), zone)) : null,
    });
    send();
  };
  const lastScan = useRef({ text: "", at: Number.NEGATIVE_INFINITY });
  /** Ignores repeated detections of the same code. Returns false, so that scanning continues with the next player. */
  const onScan = (found: string): boolean => {
    const isAgain = lastScan.current.text === found && performance.now() - lastScan.current.at < SAME_SCAN_MS;
    lastScan.current = { text: found, at: performance.now() };
    if (!isAgain && found.trim() !== "") {
      checkIn(found.trim().slice(0, MAX_TEXT_LENGTH));
    }
    return false;
  };
  // The scanner keeps the first callback that it gets.
  const latest = useRef(onScan);
  latest.current = onScan;
  const submit = (event: Event): void => {
    event.preventDefault();
    const input = form.current?.querySelector("input");
    const entered = (input?.value ?? text).trim();
    input?.focus();
    if (entered === "") return;
    const meant = playersMeant(entered, roster.players);
    // Which of them it is, only the helper knows. A whole code is of one player, whom the service finds.
    if (meant.length > 1 && !isTagCode(entered)) return;
    setText("");
    checkIn(entered, meant[0]?.alias ?? null);
  };
  const choose = (alias: string): void => {
    setText("");
    form.current?.querySelector("input")?.focus();
    checkIn(alias);
  };
  const players = roster.players.map(({ player }) => player);
  const here = aliasesHere(target);
  const isHere = ({ alias, passed_at }: Found[number]): boolean =>
    here.has(alias) || (mission === null && passed_at !== null);
  const progress = checkpoint === null ? null : progressOf(checkpoint, players, here);
  return (
    <>
      <div>
        <p class="muted with-icon">
          <Icon of={Flag} size={20} />
          {mission?.title ?? checkpoint?.name}
          {mission === null ? null : ` · ${missionWhen(mission, at)}`}
          {mission !== null || closesAt === null ? "" : ` · ${gm.now.closes(timeText(closesAt, at))}`}
        </p>
        {progress === null || progress.expected === 0 ? null : (
          <p class="number">{gm.desk.progress(progress.passed, progress.expected)}</p>
        )}
        {mission === null ? null : (
          <p class="number">{gm.desk.attended(Math.max(mission.attended_count ?? 0, here.size))}</p>
        )}
      </div>
      <form ref={form} class="card stack" onSubmit={submit}>
        <Field
          label={gm.desk.label}
          name="text"
          value={text}
          onChange={setText}
          hint={found.length > 1 ? gm.desk.several(found.length) : gm.desk.hint}
          required={false}
        />
        {found.length === 0 || !isReady ? null : <Meant found={found} isHere={isHere} onChoose={choose} />}
        <Button
          text={gm.desk.submit}
          kind="primary"
          type="submit"
          disabled={text.trim() === "" || !isReady}
        />
        <Button
          text={isScanning ? gm.desk.stopScan : gm.desk.scan}
          icon={ScanLine}
          aria-pressed={isScanning}
          disabled={!isReady && !isScanning}
          onClick={() => setScanning(!isScanning)}
        />
        {isScanning && isReady ? <Scanner onFound={(found) => latest.current(found)} /> : null}
        <ReadError of={[roster]} />
        <Latest entry={entries.value[0]} checkpoint={checkpoint} />
        <div>
          <Checkbox label={gm.desk.sound} name="sound" value={hasSound} onChange={setSound} />
          <Checkbox
            label={mission === null ? gm.desk.late : gm.desk.lateMission}
            name="late"
            value={isLate}
            onChange={setLate}
          />
        </div>
        {isLate ? (
          <Field label={gm.desk.lateReason} name="list" value={lateReason} onChange={setLateReason} />
        ) : null}
        {mission === null ? null : (
          <PastedList
            players={roster.players}
            isReady={isReady}
            onEnter={(entered, aliases) => checkIn(entered, null, aliases)}
          />
        )}
      </form>
      <Entered checkpoint={checkpoint} />
    </>
  );
};

/** What was entered before at a place where nobody can be checked in any more. It is sent and told nevertheless. */
const Rest = () => {
  useSending(() => {});
  return <Entered checkpoint={null} />;
};

const targetText = ({ checkpoint, mission }: DeskTarget): string => mission?.title ?? checkpoint?.name ?? "";

/** When a mission begins, or until when it goes on. */
const missionWhen = ({ starts_at, ends_at }: Mission, at: number): string => {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  if (end <= at) return gm.desk.hasEnded;
  return start > at
    ? gm.desk.notOpen(timeInGame(start, at))
    : gm.missions.status.running(timeInGame(end, at));
};

export const Desk = () => {
  const helper = snapshot.value?.player.player_id;
  useEffect(() => {
    if (helper !== undefined) openDesk(helper);
  }, [helper]);
  const { value, error, reload } = usePolled(readGame);
  const { items: missions, isLoading, readAt } = useStaffMissions(DESK_POLL_MS);
  const [chosen, setChosen] = useState<string | null>(null);
  // The desk keeps working offline, also after a reload.
  const game = value ?? (error === null ? null : (snapshot.value?.game ?? null));
  const checkpoint = game?.checkpoint ?? null;
  const targets = game === null ? [] : targetsOf(checkpoint, missions, now.value ?? Date.now());
  // Where somebody works is the first target only at first: then nothing takes its place, also when it is over.
  const isKnown = !isLoading || readAt > 0;
  const first = isKnown ? targets[0] : undefined;
  const target = chosen === null ? first : targets.find((one) => targetId(one) === chosen);
  const firstId = first === undefined ? null : targetId(first);
  useEffect(() => {
    if (chosen === null) setChosen(firstId);
  }, [firstId]);
  const isGone = isKnown && target === undefined && targets.length > 0;
  return (
    <main class="page stack">
      <h1>{gm.desk.title}</h1>
      {game === null && error !== null ? <ErrorNote error={error} onRetry={reload} /> : null}
      {target === undefined && (game === null ? error === null : !isKnown) ? <Skeleton /> : null}
      {isGone ? (
        <p class="note" role="alert">
          {gm.desk.gone}
        </p>
      ) : null}
      {isGone || (targets.length > 1 && target !== undefined) ? (
        <Select
          label={gm.desk.target}
          name="target"
          value={target === undefined ? "" : targetId(target)}
          options={[
            ...(isGone ? [["", gm.desk.choose] as const] : []),
            ...targets.map((one) => [targetId(one), targetText(one)] as const),
          ]}
          onChange={setChosen}
        />
      ) : null}
      {target === undefined ? null : (
        <Form key={targetId(target)} target={target} zone={game?.time_zone ?? "UTC"} />
      )}
      {game !== null && isKnown && targets.length === 0 ? (
        <Empty>{checkpoint === null ? `${gm.desk.none} ${gm.desk.noneText}` : gm.desk.over}</Empty>
      ) : null}
      {game !== null && isKnown && target === undefined ? <Rest /> : null}
    </main>
  );
};
