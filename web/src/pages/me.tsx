/** The player's own page: the tag code of a human, the countdown of a zombie, and what they can do now. */

import { generate } from "lean-qr";
import { Crosshair, HandHelping, QrCode } from "lucide";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Player } from "../api.ts";
import { en } from "../en.ts";
import { useSubmit } from "../resource.ts";
import { isOffline, now, refresh, type Snapshot, snapshot } from "../session.ts";
import { countdownText, timeText } from "../times.ts";
import { Counts } from "../ui/counts.tsx";
import { ErrorNote, Skeleton } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Avatar, StateBadge } from "../ui/player.tsx";
import { Ring } from "../ui/ring.tsx";
import "./me.css";

/** A tag code in two groups, which are easier to read aloud. */
const grouped = (code: string): string => `${code.slice(0, 4)} ${code.slice(4)}`;

const Qr = ({ text }: { text: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current !== null) generate(text).toCanvas(canvas.current);
  }, [text]);
  return <canvas ref={canvas} class="qr" role="img" aria-label={en.me.qr} />;
};

const TagCode = ({ code }: { code: string }) => {
  const [isShown, setShown] = useState(false);
  const show = (): void => setShown(true);
  const hide = (): void => setShown(false);
  return (
    <section class="card tag-code" data-state="human">
      <h2>{en.me.code}</h2>
      <p class="tag-code-text number" data-shown={isShown} aria-live="polite">
        {isShown ? grouped(code) : "•••• ••••"}
      </p>
      {isShown ? <Qr text={code} /> : null}
      <button
        type="button"
        class="button"
        data-kind="primary"
        aria-pressed={isShown}
        onPointerDown={show}
        onPointerUp={hide}
        onPointerLeave={hide}
        onPointerCancel={hide}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={({ key }) => (key === " " || key === "Enter") && show()}
        onKeyUp={hide}
        onBlur={hide}
      >
        <Icon of={QrCode} size={20} />
        {en.me.show}
      </button>
      <p class="muted">{en.me.shown}</p>
    </section>
  );
};

const URGENT_SECONDS = 6 * 3_600;

/** The play time that is left until the zombie starves, in seconds: it stands while the game is not in play. */
const timeLeft = ({ game, secondsLeft }: Snapshot, at: number): number => {
  const elapsed = game.in_play && !game.paused ? (at - Date.parse(game.now)) / 1_000 : 0;
  return Math.max(0, (secondsLeft ?? 0) - elapsed);
};

const Hunger = ({ shown, at }: { shown: Snapshot; at: number }) => {
  const { player, game, secondsLeft } = shown;
  const left = timeLeft(shown, at);
  const hasStarved = left === 0 && secondsLeft !== null;
  useEffect(() => {
    if (hasStarved) void refresh().catch(() => {});
  }, [hasStarved]);
  const isFrozen = !game.in_play || game.paused;
  const { starves_at } = player;
  return (
    <section class="card hunger" data-state="zombie">
      <Ring part={left / game.feeding_period_seconds} urgent={left < URGENT_SECONDS}>
        <strong class="number" role="timer">
          {countdownText(left)}
        </strong>
        <span class="muted">{en.me.left}</span>
      </Ring>
      <p class="muted">
        {isFrozen
          ? en.me.frozen
          : starves_at === null
            ? en.me.never
            : en.me.starves(timeText(Date.parse(starves_at), at))}
      </p>
      <a class="button" data-kind="primary" href="/app/tag">
        <Icon of={Crosshair} size={20} />
        {en.me.tag}
      </a>
    </section>
  );
};

const Tagged = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [by, setBy] = useState("");
  const form = useSubmit(async () => {
    const body = by.trim() === "" ? {} : { by_alias: by };
    await api.post("/player/report_tagged/{url_id}", { body });
    dialog.current?.close();
    await refresh();
  });
  return (
    <>
      <button type="button" class="button" onClick={() => dialog.current?.showModal()}>
        <Icon of={HandHelping} size={20} />
        {en.me.tagged}
      </button>
      <dialog ref={dialog} class="card">
        <form class="stack" onSubmit={form.submit}>
          <h2>{en.me.taggedTitle}</h2>
          <p>{en.me.taggedText}</p>
          <Field label={en.me.taggedBy} name="by_alias" value={by} onChange={setBy} required={false} />
          {form.error === null ? null : <ErrorNote error={form.error} />}
          <button
            type="submit"
            class="button"
            data-kind="primary"
            data-state="zombie"
            disabled={form.isSending}
          >
            {en.me.taggedSubmit}
          </button>
          <button type="button" class="button" data-kind="quiet" onClick={() => dialog.current?.close()}>
            {en.me.cancel}
          </button>
        </form>
      </dialog>
    </>
  );
};

const Facts = ({ player, at }: { player: Player; at: number }) => (
  <dl class="facts card">
    <div>
      <dt class="muted">{en.me.kills}</dt>
      <dd class="number">{player.kills}</dd>
    </div>
    {player.infected_at === null ? null : (
      <>
        <div>
          <dt class="muted">{en.me.since}</dt>
          <dd>{timeText(Date.parse(player.infected_at), at)}</dd>
        </div>
        <div>
          <dt class="muted">{en.me.by}</dt>
          <dd>{player.infected_by ?? en.me.nobody}</dd>
        </div>
      </>
    )}
  </dl>
);

/** What a player sees of their own state. */
const OwnState = ({ shown, at }: { shown: Snapshot; at: number }) => {
  const { player } = shown;
  if (player.state === "human" && player.tag_code !== null)
    return (
      <>
        <TagCode code={player.tag_code} />
        <Tagged />
      </>
    );
  if (player.state === "zombie") return <Hunger shown={shown} at={at} />;
  const [title, text] =
    player.state === "corpse"
      ? [en.me.corpseTitle, en.me.corpseText]
      : [en.me.spectatorTitle, en.me.spectatorText];
  return (
    <section class="card stack" data-state={player.state}>
      <h2>{title}</h2>
      <p class="muted">{text}</p>
    </section>
  );
};

export const Me = () => {
  const shown = snapshot.value;
  const at = now.value;
  if (shown === null || at === null) return <Skeleton />;
  const { player, game } = shown;
  return (
    <main class="page stack">
      {isOffline.value ? <p class="offline">{en.common.offline}</p> : null}
      <header class="row">
        <a href="/app/profile" aria-label={en.nav.profile}>
          <Avatar player={player} size={72} />
        </a>
        <div class="grow">
          <h1>{player.alias}</h1>
          <StateBadge state={player.state} />
        </div>
      </header>
      <OwnState shown={shown} at={at} />
      <Facts player={player} at={at} />
      <section class="card stack">
        <h2>{en.phase[game.phase]}</h2>
        {game.next_change_at === null ? null : (
          <p class="muted">
            {game.in_play ? en.me.closes : en.me.opens} {timeText(Date.parse(game.next_change_at), at)}
          </p>
        )}
        <Counts counts={game.counts} />
      </section>
    </main>
  );
};
