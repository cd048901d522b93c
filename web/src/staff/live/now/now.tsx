/** The dashboard: what needs attention, who starves next, the chart and the latest commands. */
import { Clock, Flag, Gavel, TimerOff, UserPlus, Users } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { api, type Game } from "../../../state/api.ts";
import { isEnforced } from "../../../state/checkpoints.ts";
import { readUntil } from "../../../state/resource.ts";
import { now, snapshot } from "../../../state/session.ts";
import { en } from "../../../text/en.ts";
import { isBeforePlay, situationText, situationTitle } from "../../../text/situation.ts";
import { gm } from "../../../text/staff.ts";
import { agoText, timeText } from "../../../text/times.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Chart } from "../../../ui/chart.tsx";
import { Counts } from "../../../ui/counts.tsx";
import { ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { command, may, read, readGame } from "../../calls.ts";
import { ReviewCard } from "../../people/reviews/reviews.tsx";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { Loading, ReadError } from "../../ui/loading.tsx";
import { voidEffects } from "../../ui/previews.ts";
import { readLatestCommands, readSentMessages } from "../logged.ts";
import { Checklist, forgetChecklist } from "./checklist.tsx";
import { Starving } from "./starving.tsx";

const LIST_LIMIT = 5;

const readDisputes = () => read("disputes", { status: "open", limit: LIST_LIMIT });
const readPending = () =>
  readUntil(async (cursor) => {
    const query = { pending: "true", limit: 100, ...(cursor === undefined ? {} : { cursor }) } as const;
    const { players, next_cursor } = await read("get_players", query);
    return { items: players, next: next_cursor };
  });
const readAlerts = () => read("alerts", { open: "true", limit: 20 });
const readStats = () => api.get("/interactions/stats/{url_id}");

/** How many of the latest messages are looked at: those that were withdrawn, or are not due yet, are passed over. */
const MESSAGES = 5;

/** Reads the latest message that was due, unless it is delivered. */
const readUndelivered = async () => {
  for (const { id } of await readSentMessages(MESSAGES)) {
    const { queued, status, notification } = await read("status", { notification_id: id });
    const since = notification.send_at ?? notification.created_at;
    if (status === "withdrawn" || Date.parse(since) > (now.peek() ?? Date.now())) continue;
    return status === undefined && queued === 0 ? null : { title: notification.title, since };
  }
  return null;
};

const History = () => {
  const polled = usePolled(readStats);
  const { value, error } = polled;
  const points = value?.points ?? [];
  if (value !== null && points.length < 2) return null;
  return (
    <section class="card stack">
      <h2>{gm.now.chart}</h2>
      <ReadError of={[polled]} />
      {value !== null ? (
        <Chart points={points} now={now.value ?? Date.now()} />
      ) : error === null ? (
        <div class="chart-wait" />
      ) : null}
    </section>
  );
};

const Item = ({
  icon,
  children,
  action,
}: {
  icon: typeof Flag;
  children: ComponentChildren;
  action: ComponentChildren;
}) => (
  <li class="row">
    <Icon of={icon} />
    <div class="grow">{children}</div>
    {action}
  </li>
);

type Sweeps = Awaited<ReturnType<typeof readAlerts>>["sweeps"];
type Undelivered = Awaited<ReturnType<typeof readUndelivered>>;

/** Sweeps run every minute. Shorter delays are not reported. */
const OVERDUE_MS = 5 * 60_000;

/** Returns background work of the service that is overdue, which only its operator can fix. */
const overdueWork = (
  sweeps: Sweeps,
  undelivered: Undelivered,
  at: number,
): [title: string, text: string][] => {
  const ago = (time: string): string => agoText(Date.parse(time), at);
  const isLate = (time: string): boolean => at - Date.parse(time) > OVERDUE_MS;
  const late: [string, string][] = [];
  if (sweeps !== null && sweeps.held !== null)
    late.push([gm.now.held(sweeps.held.due), gm.now.heldText(ago(sweeps.held.since))]);
  else if (sweeps !== null && isLate(sweeps.last_at))
    late.push([gm.now.sweepLate(ago(sweeps.last_at)), gm.now.sweepLateText]);
  if (undelivered !== null && isLate(undelivered.since))
    late.push([gm.now.undelivered(undelivered.title, ago(undelivered.since)), gm.now.undeliveredText]);
  return late;
};

type Alert = Awaited<ReturnType<typeof readAlerts>>["alerts"][number];

const AlertItem = ({ alert, at }: { alert: Alert; at: number }) => {
  const { alert_id, hunter, hunts, happened_at, starved_at } = alert;
  const isLate = happened_at !== undefined && starved_at !== undefined;
  const title = gm.commands[isLate ? "void_hunt" : "void_hunts"].button;
  const when = (time: string): string => timeText(Date.parse(time), at, true);
  const name = hunter ?? gm.common.gone;
  return (
    <Item
      icon={isLate ? Clock : Users}
      action={
        <CommandButton action="void_hunts" text={title} preview={() => previewVoids(alert_id, title)} />
      }
    >
      {isLate ? gm.now.lateTag(name, hunts[0]?.alias ?? gm.common.gone) : gm.now.alert(name, hunts.length)}
      <span class="sub">
        {isLate
          ? gm.now.lateTagText(when(happened_at), when(alert.at), when(starved_at))
          : `${gm.now.alertText} ${agoText(Date.parse(alert.at), at)}`}
      </span>
    </Item>
  );
};

const previewVoids = async (alert_id: string, title: string): Promise<Confirmation> => {
  const { hunts } = await command("void_hunts", { alert_id, dry_run: true });
  return {
    action: "void_hunts",
    title,
    effects: voidEffects(hunts.flatMap(({ effects }) => effects)),
    submit: title,
    run: async (reason, key) => ({
      text: gm.now.voided((await command("void_hunts", { alert_id, ...reason }, key)).voided),
    }),
  };
};

/** Whether the game is over, and nobody has said who has won. */
const isUnfinished = ({ phase, result, grace_until }: Game): boolean =>
  phase === "ended" && result === null && grace_until === null;

/** @param props.isPreparing whether the checklist says what is to do, so that an empty list is not shown */
const Attention = ({ game, isPreparing }: { game: Game | undefined; isPreparing: boolean }) => {
  const isGameMaster = may("alerts");
  const disputes = usePolled(readDisputes);
  const pending = usePolled(isGameMaster ? readPending : null);
  const alerts = usePolled(isGameMaster ? readAlerts : null);
  const undelivered = usePolled(isGameMaster ? readUndelivered : null);
  const late = overdueWork(alerts.value?.sweeps ?? null, undelivered.value, now.value ?? Date.now());
  const open = disputes.value?.disputes ?? [];
  const reviews = alerts.value?.reviews ?? [];
  const reviewed = new Set(reviews.map(({ player_id }) => player_id));
  // When the game is over, nobody can be admitted any more.
  const newcomers = game?.phase === "ended" ? [] : (pending.value?.items ?? []);
  const waiting = newcomers.filter(({ player_id }) => !reviewed.has(player_id));
  const minors = waiting.flatMap(({ alias, under_age }) => (under_age === true ? [alias] : [])).join(", ");
  const openAlerts = alerts.value?.alerts ?? [];
  const readings = [disputes, pending, alerts, undelivered];
  const hasFailed = readings.some(({ error }) => error !== null);
  const needed = isGameMaster ? [disputes, pending, alerts] : [disputes];
  const isLoading = !hasFailed && needed.some(({ value }) => value === null);
  const isToFinish = game !== undefined && may("finish_season") && isUnfinished(game);
  const isEmpty =
    open.length + waiting.length + openAlerts.length + late.length + reviews.length === 0 && !isToFinish;
  if (isPreparing && isEmpty && !hasFailed) return null;
  return (
    <section class="card stack">
      <h2>{gm.now.attention}</h2>
      <ReadError of={readings} />
      {isLoading ? <Skeleton rows={1} /> : null}
      {!isLoading && isEmpty && !hasFailed ? <p class="muted">{gm.now.nothing}</p> : null}
      {reviews.map((review) => (
        <ReviewCard key={review.player_id} review={review} />
      ))}
      <ul class="list">
        {isToFinish ? (
          <Item
            icon={Flag}
            action={<ButtonLink text={gm.commands.finish_season.button} href={paths.gm.section("season")} />}
          >
            {gm.now.unfinished}
            <span class="sub">{gm.now.unfinishedText}</span>
          </Item>
        ) : null}
        {late.map(([title, text]) => (
          <Item key={title} icon={TimerOff} action={null}>
            {title}
            <span class="sub">{text}</span>
          </Item>
        ))}
        {open.length === 0 ? null : (
          <Item icon={Gavel} action={<ButtonLink text={gm.nav.disputes} href={paths.gm.disputes} />}>
            {gm.now.disputes(open.length, disputes.value?.next_cursor !== null)}
          </Item>
        )}
        {waiting.length === 0 ? null : (
          <Item
            icon={UserPlus}
            action={
              <CommandButton
                action="admit"
                confirmation={{
                  action: "admit",
                  title: gm.commands.admit.button,
                  effects: [
                    gm.commands.admit.effect,
                    waiting.map(({ alias }) => alias).join(", "),
                    ...(minors === "" ? [] : [gm.now.underAge(minors)]),
                  ],
                  run: async (reason, key) => {
                    const aliases = waiting.map(({ alias }) => alias);
                    const { admitted } = await command("admit", { aliases, ...reason }, key);
                    return { text: gm.now.admitted(admitted.length) };
                  },
                }}
              />
            }
          >
            {gm.now.pending(waiting.length, pending.value?.next !== null)}
          </Item>
        )}
        {openAlerts.map((alert) => (
          <AlertItem key={alert.alert_id} alert={alert} at={now.value ?? Date.now()} />
        ))}
      </ul>
    </section>
  );
};

const Done = () => {
  const polled = usePolled(readLatestCommands);
  const { value } = polled;
  const at = now.value ?? Date.now();
  return (
    <section class="card stack">
      <h2>{gm.now.done}</h2>
      <Loading of={polled} rows={3} />
      {value?.length === 0 ? <p class="muted">{gm.now.doneEmpty}</p> : null}
      <ul class="list">
        {value?.map((entry) => (
          <li key={entry.log_id} class="row">
            <p class="grow">
              {gm.actions(entry)}
              {typeof entry.details.reason === "string" ? (
                <span class="sub">“{entry.details.reason}”</span>
              ) : null}
            </p>
            <time class="muted number" dateTime={entry.at}>
              {agoText(Date.parse(entry.at), at)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
};

export const Now = () => {
  const polled = usePolled(readGame);
  const game = polled.value;
  const at = now.value ?? Date.now();
  const current = game ?? snapshot.value?.game;
  const checkpoint = current?.checkpoint ?? null;
  const isPreparing = current !== undefined && isBeforePlay(current);
  useEffect(() => {
    if (current !== undefined && !isPreparing) forgetChecklist();
  }, [current === undefined, isPreparing]);
  return (
    <main class="page stack">
      <header class="head">
        <div>
          <p class="muted">{current?.name ?? en.title}</p>
          <h1>{current === undefined ? gm.now.title : situationTitle(current)}</h1>
        </div>
        {current === undefined ? null : (
          <>
            <Counts counts={current.counts} />
            <p class="muted">{situationText(current, at)}</p>
          </>
        )}
      </header>
      <ErrorNote error={polled.error} onRetry={polled.reload} />
      {current === undefined ? <Skeleton rows={2} /> : null}
      {checkpoint === null ? null : (
        <a class="card row" href={may("set_checkpoint") ? paths.gm.checkpoint : paths.gm.desk}>
          <Icon of={Flag} />
          <span class="grow">
            {checkpoint.name}
            <span class="sub">
              {!isEnforced(checkpoint)
                ? checkpoint.closes_at === null
                  ? gm.now.checkpoint
                  : gm.now.closes(timeText(Date.parse(checkpoint.closes_at), at))
                : gm.now.enforced}
            </span>
          </span>
        </a>
      )}
      {isPreparing ? null : (
        <>
          <Attention game={current} isPreparing={false} />
          {current?.phase === "ended" ? null : <Starving />}
        </>
      )}
      <div class="columns">
        {isPreparing && may("settings") ? <Checklist /> : null}
        {isPreparing ? <Attention game={current} isPreparing /> : null}
        <History />
        {may("get_logs") ? <Done /> : null}
      </div>
    </main>
  );
};
