/** The check-in desk of a checkpoint, where helpers scan or type tag codes and aliases. */
import { Ban, CircleCheck, CloudUpload, Flag, RotateCcw, ScanLine, TriangleAlert, UserX } from "lucide";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isConcerned, isEnforced } from "../../../state/checkpoints.ts";
import { now, readNow, snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { agoText, timeText } from "../../../text/times.ts";
import { zonedText } from "../../../text/zoned.ts";
import { Button } from "../../../ui/button.tsx";
import { Scanner } from "../../../ui/camera/scanner.tsx";
import { Empty, ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { type Checkpoint, readGame } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { loadRoster, useRoster } from "../../roster.ts";
import { fullName } from "../../staffPlayers.ts";
import { Checkbox } from "../../ui/inputs.tsx";
import type { DeskEntry, DeskStatus } from "./deskEntries.ts";
import { clearDesk, enqueue, entries, isTagCode, openDesk, sendWaiting } from "./deskQueue.ts";
import { playersMeant } from "./deskSearch.ts";
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
const NotFor = ({ entry: { not_for }, checkpoint }: { entry: DeskEntry; checkpoint: Checkpoint }) =>
  not_for == null ? null : (
    <span class="not-for">
      <Icon of={TriangleAlert} size={16} />
      {gm.desk.notFor(not_for, checkpoint.applies_to)}
    </span>
  );

const Row = ({ entry, checkpoint }: { entry: DeskEntry; checkpoint: Checkpoint }) => {
  const at = now.value ?? Date.now();
  const { status, alias, text, refusal, passed_at, entered_at } = entry;
  return (
    <li class="row desk-row" data-status={status} data-warns={entry.not_for != null}>
      <Icon of={ICONS[status]} />
      <p class="grow">
        <strong>{alias ?? text}</strong>
        <span class="sub">
          {status === "refused" ? refusal : gm.desk.status[status]}
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

const Latest = ({ entry, checkpoint }: { entry: DeskEntry | undefined; checkpoint: Checkpoint }) =>
  entry === undefined ? null : (
    <p class="latest" data-status={entry.status} data-warns={entry.not_for != null} role="status">
      <Icon of={ICONS[entry.status]} size={32} />
      <span>
        <strong>{entry.alias ?? entry.text}</strong>
        {entry.status === "refused" ? entry.refusal : gm.desk.status[entry.status]}
        <NotFor entry={entry} checkpoint={checkpoint} />
      </span>
    </p>
  );

type Found = ReturnType<typeof playersMeant>;

/** The players whom the typed text may mean. A press checks one in. */
const Meant = ({ found, onChoose }: { found: Found; onChoose: (alias: string) => void }) => (
  <ul class="list" aria-label={gm.desk.meant}>
    {found.slice(0, MAX_OFFERED).map((player) => (
      <li key={player.player_id}>
        <button type="button" class="row desk-found" onClick={() => onChoose(player.alias)}>
          <Avatar player={player} />
          <span class="grow">
            {player.alias}
            <span class="sub">{player.passed_at === null ? fullName(player) : gm.desk.status.duplicate}</span>
          </span>
          <StateBadge state={player.shown_as ?? player.state} />
        </button>
      </li>
    ))}
  </ul>
);
const MAX_OFFERED = 6;

/** How many of those to whom the checkpoint applies have passed, with this desk's own check-ins since the last reading. */
const progressOf = (checkpoint: Checkpoint, players: Found): { passed: number; expected: number } => {
  const here = new Set(entries.value.filter(({ passed_at }) => passed_at !== null).map(({ alias }) => alias));
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

const Form = ({ checkpoint, zone }: { checkpoint: Checkpoint; zone: string }) => {
  const [text, setText] = useState("");
  const [isLate, setLate] = useState(false);
  const [lateReason, setLateReason] = useState("");
  const [isScanning, setScanning] = useState(false);
  const [hasSound, setSound] = useState(true);
  /** A late entry needs a reason. */
  const isReady = !isLate || lateReason.trim() !== "";
  const form = useRef<HTMLFormElement>(null);
  const sound = useRef(hasSound);
  sound.current = hasSound;
  const roster = useRoster();
  const readAt = useRef(Date.now());
  const send = (): void =>
    void sendWaiting(({ status, not_for }) => {
      if (sound.current) playFeedback(status === "done" && not_for != null ? "duplicate" : status);
      if (Date.now() - readAt.current < REREAD_MS) return;
      readAt.current = Date.now();
      void loadRoster();
    });
  useEffect(() => {
    send();
    const timer = setInterval(send, RETRY_MS);
    addEventListener("online", send);
    return () => {
      clearInterval(timer);
      removeEventListener("online", send);
    };
  }, []);
  const at = now.value ?? Date.now();
  const closesAt = checkpoint.closes_at === null ? null : Date.parse(checkpoint.closes_at);
  const found = useMemo(
    () => (text.trim() === "" ? [] : playersMeant(text.trim(), roster.players)),
    [text, roster.players],
  );
  const checkIn = (entered: string, guess: string | null = null): void => {
    const enteredAt = readNow() ?? Date.now();
    const isOpen = closesAt === null || enteredAt < closesAt;
    enqueue(entered, {
      guess,
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
  const { passed, expected } = progressOf(
    checkpoint,
    roster.players.map(({ player }) => player),
  );
  return (
    <>
      <header>
        <p class="muted with-icon">
          <Icon of={Flag} size={20} />
          {checkpoint.name}
          {closesAt === null ? "" : ` · ${gm.now.closes(timeText(closesAt, at))}`}
        </p>
        <h1>{gm.desk.title}</h1>
        {expected === 0 ? null : <p class="number">{gm.desk.progress(passed, expected)}</p>}
      </header>
      <form ref={form} class="card stack" onSubmit={submit}>
        <Field
          label={gm.desk.label}
          name="text"
          value={text}
          onChange={setText}
          hint={found.length > 1 ? gm.desk.several(found.length) : gm.desk.hint}
          required={false}
        />
        {found.length === 0 || !isReady ? null : <Meant found={found} onChoose={choose} />}
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
        <Latest entry={entries.value[0]} checkpoint={checkpoint} />
        <div>
          <Checkbox label={gm.desk.sound} name="sound" value={hasSound} onChange={setSound} />
          <Checkbox label={gm.desk.late} name="late" value={isLate} onChange={setLate} />
        </div>
        {isLate ? (
          <Field label={gm.desk.lateReason} name="list" value={lateReason} onChange={setLateReason} />
        ) : null}
      </form>
      {entries.value.length === 0 ? null : (
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
      )}
    </>
  );
};

const Closed = ({ text }: { text: string }) => (
  <>
    <h1>{gm.desk.title}</h1>
    <Empty>{text}</Empty>
  </>
);

export const Desk = () => {
  const helper = snapshot.value?.player.player_id;
  useEffect(() => {
    if (helper !== undefined) openDesk(helper);
  }, [helper]);
  const { value, error, reload } = usePolled(readGame);
  // The desk keeps working offline, also after a reload.
  const game = value ?? (error === null ? null : (snapshot.value?.game ?? null));
  const checkpoint = game?.checkpoint ?? null;
  return (
    <main class="page stack">
      {game === null && error !== null ? <ErrorNote error={error} onRetry={reload} /> : null}
      {game === null && error === null ? <Skeleton /> : null}
      {game !== null && checkpoint === null ? <Closed text={`${gm.desk.none} ${gm.desk.noneText}`} /> : null}
      {checkpoint !== null && isEnforced(checkpoint) ? <Closed text={gm.desk.over} /> : null}
      {checkpoint !== null && !isEnforced(checkpoint) ? (
        <Form checkpoint={checkpoint} zone={game?.time_zone ?? "UTC"} />
      ) : null}
    </main>
  );
};
