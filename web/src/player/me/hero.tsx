/** What the player is, at a glance: the colour of the side, and the one thing that matters to it. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { paths } from "../../paths.ts";
import type { Interaction } from "../../state/api.ts";
import { refresh, type Snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { situationText } from "../../text/situation.ts";
import { countdownText, gameDay, timeText } from "../../text/times.ts";
import { Crowd } from "../../ui/crowd.tsx";
import { latestFirst } from "../../ui/event.tsx";
import { Avatar } from "../../ui/player.tsx";
import { TagCode } from "../../ui/tagCode.tsx";
import { fallOf } from "./fall.ts";
import "./hero.css";

/** The hunger that the hero shows by its colour. */
const LAST_SECONDS = 3_600;

/** Returns the play time until the zombie starves, in seconds. The countdown stops while the game is not in play. */
const timeLeft = ({ game, secondsLeft }: Snapshot, at: number): number => {
  const elapsed = game.in_play && !game.paused ? (at - Date.parse(game.now)) / 1_000 : 0;
  return Math.max(0, (secondsLeft ?? 0) - elapsed);
};

/** What somebody waits for who watches. */
const waitsText = ({ pending, must_sign, under_age }: Snapshot["player"]): string => {
  if (under_age === true) return en.me.underAge;
  if (!pending) return en.me.watchingText;
  return must_sign === true ? en.me.unsigned : en.me.pendingText;
};

interface HungerProps {
  current: Snapshot;
  left: number;
  /** Whether it is the last hour. */
  isLast: boolean;
  at: number;
}

const Hunger = ({ current: { player, game, secondsLeft }, left, isLast, at }: HungerProps) => {
  const hasStarved = left === 0 && secondsLeft !== null;
  // Play starts or stops at a known time. Reload then, because the countdown starts or stops with it.
  const hasChanged = game.next_change_at !== null && Date.parse(game.next_change_at) <= at;
  useEffect(() => {
    if (hasStarved || hasChanged) void refresh({ clock: true }).catch(() => {});
  }, [hasStarved, hasChanged]);
  const { starves_at } = player;
  const part = Math.min(1, left / game.feeding_period_seconds);
  return (
    <>
      <strong class="hero-countdown number" role="timer">
        {countdownText(left)}
      </strong>
      <p>
        {!game.in_play || game.paused
          ? en.me.frozen(situationText(game, at))
          : starves_at === null
            ? en.me.never
            : en.me.starves(timeText(Date.parse(starves_at), at))}
      </p>
      {isLast ? <p class="hero-title">{en.me.lastHour}</p> : null}
      <div class="hero-bar" aria-hidden="true">
        <i style={{ width: `${100 * part}%` }} />
      </div>
    </>
  );
};

/** How a corpse's game ended, from the player's own events. */
const Fall = ({ current: { player, game }, events, at }: Omit<HeroProps, "children">) => {
  const { player_ref } = player;
  const end = fallOf(events, player_ref);
  const meal = latestFirst(events).find(({ kind, actor_ref }) => kind === "hunt" && actor_ref === player_ref);
  const day = end === undefined ? null : gameDay(game.starts_at, Date.parse(end.at));
  return (
    <>
      <h2 class="hero-title">{en.me.fell[end?.kind ?? ""]?.(day) ?? en.me.out}</h2>
      <p class="fall">
        {end === undefined ? null : en.me.fellAt(timeText(Date.parse(end.at), at))}{" "}
        {meal?.target == null ? null : en.me.lastMeal(meal.target)}
      </p>
    </>
  );
};

/** Colours the bar of the browser or of the phone like the hero below it, until the page is left. */
const useBarColour = (side: string): { current: HTMLElement | null } => {
  const hero = useRef<HTMLElement>(null);
  // Before the hero is painted, so that both have the new colour at once.
  useLayoutEffect(() => {
    const bars = [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")];
    const before = bars.map(({ content }) => content);
    const colour = hero.current === null ? "" : getComputedStyle(hero.current).backgroundColor;
    for (const bar of bars) bar.content = colour;
    return () => {
      for (const [at, bar] of bars.entries()) bar.content = before[at] ?? "";
    };
  }, [side]);
  return hero;
};

interface HeroProps {
  current: Snapshot;
  /** The player's own events, as far as they have been loaded. */
  events: readonly Interaction[];
  at: number;
  children?: ComponentChildren;
}

export const Hero = ({ current, events, at, children }: HeroProps) => {
  const { player, game } = current;
  const { state, alias, tag_code } = player;
  const left = state === "zombie" ? timeLeft(current, at) : null;
  const isLast = left !== null && left > 0 && left < LAST_SECONDS;
  const hero = useBarColour(`${state} ${isLast}`);
  const day = game.phase === "registration" || game.phase === "ended" ? null : gameDay(game.starts_at, at);
  return (
    <header class="hero" data-state={state} data-last={isLast} ref={hero}>
      <div class="hero-who">
        <a href={paths.profile} aria-label={en.nav.profile}>
          <Avatar player={player} />
        </a>
        <h1>{alias}</h1>
        <span>{en.me.who(player.pending ? en.me.pending : en.state[state], day)}</span>
      </div>
      {left === null ? null : <Hunger current={current} left={left} isLast={isLast} at={at} />}
      {state === "human" && tag_code !== null ? <TagCode code={tag_code} /> : null}
      {state === "corpse" ? <Fall current={current} events={events} at={at} /> : null}
      {state === "spectator" ? (
        <>
          <h2 class="hero-title">{en.me.watching}</h2>
          <p>{waitsText(player)}</p>
        </>
      ) : null}
      {state === "human" ? null : <Crowd counts={game.counts} own={state} />}
      {player.shown_as === undefined ? null : <p>{en.me.shownAs(en.state[player.shown_as])}</p>}
      {children}
    </header>
  );
};
