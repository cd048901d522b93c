/** The check-in desk of a checkpoint, where helpers scan or type tag codes and aliases. */
import { Ban, CircleCheck, CloudUpload, Flag, RotateCcw, ScanLine, UserX } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { isEnforced } from "../checkpoints.ts";
import { now, readNow, snapshot } from "../session.ts";
import { agoText, timeText } from "../times.ts";
import { Empty, ErrorNote, Skeleton } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Scanner } from "../ui/scanner.tsx";
import { type Checkpoint, read } from "./calls.ts";
import type { DeskEntry, DeskStatus } from "./deskEntries.ts";
import { clearDesk, enqueue, entries, openDesk, sendWaiting } from "./deskQueue.ts";
import { Checkbox } from "./inputs.tsx";
import { usePolled } from "./polled.ts";
import { gm } from "./texts.ts";
import { zonedText } from "./zoned.ts";
import "./desk.css";

const readGame = () => read("/game/{url_id}");

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

const Row = ({ entry }: { entry: DeskEntry }) => {
  const at = now.value ?? Date.now();
  const { status, alias, text, refusal, passed_at, entered_at } = entry;
  return (
    <li class="row desk-row" data-status={status}>
      <Icon of={ICONS[status]} />
      <p class="grow">
        <strong>{alias ?? text}</strong>
        <span class="sub">
          {status === "refused" ? refusal : gm.desk.status[status]}
          {status === "duplicate" && passed_at !== null
            ? `, ${gm.desk.since(timeText(Date.parse(passed_at), at))}`
            : ""}
        </span>
      </p>
      <span class="muted number">{agoText(entered_at, Date.now())}</span>
    </li>
  );
};

const Latest = ({ entry }: { entry: DeskEntry | undefined }) =>
  entry === undefined ? null : (
    <p class="latest" data-status={entry.status} role="status">
      <Icon of={ICONS[entry.status]} size={32} />
      <span>
        <strong>{entry.alias ?? entry.text}</strong>
        {entry.status === "refused" ? entry.refusal : gm.desk.status[entry.status]}
      </span>
    </p>
  );

const RETRY_MS = 5_000;
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
  const send = (): void =>
    void sendWaiting(({ status }) => {
      if (sound.current) playFeedback(status);
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
  const checkIn = (entered: string): void => {
    const enteredAt = readNow() ?? Date.now();
    const isOpen = closesAt === null || enteredAt < closesAt;
    enqueue(entered, {
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
    setText("");
    checkIn(entered);
  };
  const passed = entries.value.filter(({ status }) => status === "done").length;
  return (
    <>
      <header>
        <p class="muted with-icon">
          <Icon of={Flag} size={20} />
          {checkpoint.name}
          {closesAt === null ? "" : ` · ${gm.now.closes(timeText(closesAt, at))}`}
        </p>
        <h1>{gm.desk.title}</h1>
      </header>
      <form ref={form} class="card stack" onSubmit={submit}>
        <Field
          label={gm.desk.label}
          name="text"
          value={text}
          onChange={setText}
          hint={gm.desk.hint}
          required={false}
        />
        <button type="submit" class="button" data-kind="primary" disabled={text.trim() === "" || !isReady}>
          {gm.desk.submit}
        </button>
        <button
          type="button"
          class="button"
          aria-pressed={isScanning}
          disabled={!isReady && !isScanning}
          onClick={() => setScanning(!isScanning)}
        >
          <Icon of={ScanLine} size={20} />
          {isScanning ? gm.desk.stopScan : gm.desk.scan}
        </button>
        {isScanning && isReady ? <Scanner onFound={(found) => latest.current(found)} /> : null}
        <Latest entry={entries.value[0]} />
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
            <h2>{gm.desk.progress(passed)}</h2>
            <button type="button" class="button" data-kind="quiet" onClick={clearDesk}>
              {gm.desk.clear}
            </button>
          </div>
          <ul class="list" aria-label={gm.desk.list}>
            {entries.value.map((entry) => (
              <Row key={entry.key} entry={entry} />
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
