/** The player's own page: a human's tag code or a zombie's countdown, advice, facts and history. */
import { CloudUpload, Crosshair, HandHelping, MapPin } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api, type Player } from "../../state/api.ts";
import { isDue } from "../../state/checkpoints.ts";
import { useDraft } from "../../state/draft.ts";
import { useSubmit } from "../../state/resource.ts";
import { now, refresh, type Snapshot, snapshot, tags } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { situationText, situationTitle } from "../../text/situation.ts";
import { countdownText, timeText } from "../../text/times.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Counts } from "../../ui/counts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote, FormError, OfflineNote, Skeleton } from "../../ui/feedback.tsx";
import { Field, FormErrors } from "../../ui/field.tsx";
import { Later } from "../../ui/layout/later.tsx";
import { loadedOnDemand } from "../../ui/layout/loadedOnDemand.tsx";
import { Offers } from "../../ui/layout/offers.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { Avatar, StateBadge } from "../../ui/player.tsx";
import { Ring } from "../../ui/ring.tsx";
import { TagCode } from "../../ui/tagCode.tsx";
import { timeAgo, When } from "../../ui/when.tsx";
import { History } from "../history/history.tsx";
import "./me.css";

const URGENT_SECONDS = 6 * 3_600;

/** Returns the play time until the zombie starves, in seconds. The countdown stops while the game is not in play. */
const timeLeft = ({ game, secondsLeft }: Snapshot, at: number): number => {
  const elapsed = game.in_play && !game.paused ? (at - Date.parse(game.now)) / 1_000 : 0;
  return Math.max(0, (secondsLeft ?? 0) - elapsed);
};

const Hunger = ({ current, at }: { current: Snapshot; at: number }) => {
  const { player, game, secondsLeft } = current;
  const left = timeLeft(current, at);
  const hasStarved = left === 0 && secondsLeft !== null;
  // Play starts or stops at a known time. Reload then, because the countdown starts or stops with it.
  const hasChanged = game.next_change_at !== null && Date.parse(game.next_change_at) <= at;
  useEffect(() => {
    if (hasStarved || hasChanged) void refresh({ clock: true }).catch(() => {});
  }, [hasStarved, hasChanged]);
  const isFrozen = !game.in_play || game.paused;
  const { starves_at } = player;
  return (
    <section class="card hunger" data-state="zombie">
      <Ring fraction={left / game.feeding_period_seconds} urgent={left < URGENT_SECONDS}>
        <strong class="number" role="timer">
          {countdownText(left)}
        </strong>
        <span class="muted">{en.me.left}</span>
      </Ring>
      <p class="muted">
        {isFrozen
          ? en.me.frozen(situationText(game, at))
          : starves_at === null
            ? en.me.never
            : en.me.starves(timeText(Date.parse(starves_at), at))}
      </p>
      <ButtonLink text={en.me.tag} icon={Crosshair} kind="primary" href={paths.tag} />
    </section>
  );
};

const ReportTagged = ({ window, at }: { window: number; at: number }) => {
  const [isOpen, setOpen] = useState(false);
  const draft = useDraft("tagged-by", "");
  const { value: by, set: setBy } = draft;
  const [minutesAgo, setMinutesAgo] = useState(0);
  const close = (): void => setOpen(false);
  const form = useSubmit(
    async () => {
      const hunter = by.trim() === "" ? {} : { by_alias: by };
      const tagged_at = minutesAgo === 0 ? {} : { tagged_at: timeAgo(at, minutesAgo) };
      await api.post("/player/report_tagged/{url_id}", { body: { ...hunter, ...tagged_at } });
      draft.clear();
      close();
      await refresh();
    },
    { player_not_found: "by_alias", not_running: "tagged_at", too_early: "tagged_at" },
  );
  return (
    <>
      <Button text={en.me.tagged} icon={HandHelping} onClick={() => setOpen(true)} />
      <Dialog isOpen={isOpen} title={en.me.taggedTitle} onClose={close}>
        <form class="stack" onSubmit={form.submit}>
          <p>{en.me.taggedText}</p>
          <Restored draft={draft} />
          <FormErrors.Provider value={form.error}>
            <Field label={en.me.taggedBy} name="by_alias" value={by} onChange={setBy} required={false} />
            <When name="tagged_at" minutesAgo={minutesAgo} window={window} onChange={setMinutesAgo} />
          </FormErrors.Provider>
          <FormError error={form.error} />
          <Button text={en.me.taggedSubmit} kind="primary" type="submit" disabled={form.isSending} />
          <Button text={en.me.cancel} kind="quiet" onClick={close} />
        </form>
      </Dialog>
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
          <dd>{player.infected_by ?? (player.infected_by_hidden ? en.me.hidden : en.me.nobody)}</dd>
        </div>
      </>
    )}
    {player.state === "zombie" && player.last_fed_at !== null ? (
      <div>
        <dt class="muted">{en.me.fed}</dt>
        <dd>{timeText(Date.parse(player.last_fed_at), at)}</dd>
      </div>
    ) : null}
  </dl>
);

/** Lets a spectator join the game. Not offered to game masters, most of whom run the game without playing. */
const Enrol = ({ player }: { player: Player }) => {
  const form = useSubmit(async () => {
    await api.post("/player/enrol/{url_id}");
    await refresh();
  });
  if (player.pending || player.role === "game_master") return null;
  return (
    <form class="stack" onSubmit={form.submit}>
      <p class="muted">{en.me.enrolText}</p>
      <ErrorNote error={form.error} />
      <Button text={en.me.enrol} kind="primary" type="submit" disabled={form.isSending} />
    </form>
  );
};

/** The main card, which depends on the player's state. */
const OwnState = ({ current, at }: { current: Snapshot; at: number }) => {
  const { player, game } = current;
  const { state } = player;
  if (state === "human")
    return player.tag_code === null ? null : (
      <>
        <TagCode code={player.tag_code} />
        {game.in_play ? <ReportTagged window={game.report_window_seconds} at={at} /> : null}
      </>
    );
  if (state === "zombie") return <Hunger current={current} at={at} />;
  const [title, text] = en.me.states[state];
  return (
    <section class="card stack" data-state={state}>
      <h2>{title}</h2>
      <p class="muted">{player.pending ? en.me.pendingText : text}</p>
      {state === "spectator" && game.phase !== "ended" ? <Enrol player={player} /> : null}
    </section>
  );
};

/** Returns sentences on what the player can do now. */
const adviceFor = ({ player, game }: Snapshot, at: number): readonly string[] => {
  const { state } = player;
  if (state !== "human" && state !== "zombie") return en.me.advice[state];
  const next = situationText(game, at);
  if (game.phase === "registration") return [next, en.me.advice.prepare];
  if (game.phase === "ended") return [next];
  const stops = game.in_play ? [] : [next];
  const window = en.me.advice.window(game.report_window_seconds);
  if (state === "human") return [...stops, ...en.me.advice.human];
  const share = game.sharers === 0 ? [] : [en.me.advice.share(game.sharers)];
  return [...stops, ...en.me.advice.zombie, ...share, window];
};

const Advice = ({ current, at }: { current: Snapshot; at: number }) => {
  const { player, game } = current;
  const { checkpoint } = game;
  return (
    <section class="card stack">
      <h2>{en.me.now}</h2>
      <ul class="advice">
        {adviceFor(current, at).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {checkpoint !== null && isDue(checkpoint, player) ? (
        <ButtonLink
          text={
            checkpoint.closes_at === null
              ? en.me.checkpoint(checkpoint.name)
              : en.me.checkpointBy(checkpoint.name, timeText(Date.parse(checkpoint.closes_at), at))
          }
          icon={MapPin}
          href={paths.checkpoint}
        />
      ) : null}
    </section>
  );
};

const Ended = loadedOnDemand(() => import("../ended/ended.tsx").then(({ Ended }) => Ended));

export const Me = () => {
  const current = snapshot.value;
  const at = now.value;
  if (current === null || at === null) return <Skeleton />;
  const { player, game } = current;
  if (game.phase === "ended") return <Ended />;
  return (
    <main class="page stack">
      <OfflineNote />
      {tags.value.length === 0 ? null : (
        <ButtonLink text={en.me.queued(tags.value.length)} icon={CloudUpload} href={paths.tag} />
      )}
      <header class="row">
        <a href={paths.profile} aria-label={en.nav.profile}>
          <Avatar player={player} size={72} />
        </a>
        <div class="grow">
          <h1>{player.alias}</h1>
          <StateBadge state={player.state} />
        </div>
      </header>
      {player.shown_as === undefined ? null : (
        <p class="card muted">{en.me.shownAs(en.state[player.shown_as])}</p>
      )}
      <OwnState current={current} at={at} />
      <Offers />
      <Advice current={current} at={at} />
      <Later fallback={<Skeleton />}>
        {() => (
          <>
            {player.kills > 0 || player.infected_at !== null ? <Facts player={player} at={at} /> : null}
            <section class="card stack">
              <h2>{situationTitle(game)}</h2>
              <p class="muted">{situationText(game, at)}</p>
              <Counts counts={game.counts} />
            </section>
            <History player={player} at={at} />
          </>
        )}
      </Later>
    </main>
  );
};
