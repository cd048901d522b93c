/** Replays the outbreak in 30 seconds: a play button and a slider over the growth curve. */
import { type Signal, useSignal } from "@preact/signals";
import { Pause, Play } from "lucide";
import { useEffect, useMemo } from "preact/hooks";
import { en } from "../../text/en.ts";
import { momentText } from "../../text/times.ts";
import { Icon } from "../../ui/icon.tsx";
import type { Picture } from "./layout.ts";
import { countAt } from "./layout.ts";

const DURATION_MS = 30_000;
/** With reduced motion, the replay has this many discrete steps. */
const STEPS = 15;
const SLIDER_MAX = 1_000;

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns the SVG path of the cumulative number of infections, in a box of 100 by 100. */
const growthOf = (picture: Picture): string => {
  const { spots, from, until } = picture;
  const points = Array.from({ length: 101 }, (_, x) => {
    const count = countAt(picture, from + ((until - from) * x) / 100);
    return `${x},${100 - (94 * count) / Math.max(1, spots.length)}`;
  });
  return `M0,100L${points.join("L")}L100,100Z`;
};

/** @param props.progress the replayed fraction of the game, from 0 to 1 */
export const Replay = ({ picture, progress }: { picture: Picture; progress: Signal<number> }) => {
  const isPlaying = useSignal(false);
  const growth = useMemo(() => growthOf(picture), [picture]);
  const { from, until } = picture;
  const at = from + (until - from) * progress.value;
  const count = countAt(picture, at);
  useEffect(() => {
    if (!isPlaying.value) return;
    let last = performance.now();
    let exact = progress.value;
    let frame = 0;
    const step = (now: number): void => {
      exact = Math.min(1, exact + Math.max(0, now - last) / DURATION_MS);
      last = now;
      progress.value = reducedMotion.matches && exact < 1 ? Math.floor(exact * STEPS) / STEPS : exact;
      if (exact < 1) frame = requestAnimationFrame(step);
      else isPlaying.value = false;
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [isPlaying.value, progress]);
  const toggle = (): void => {
    if (!isPlaying.value && progress.value >= 1) progress.value = 0;
    isPlaying.value = !isPlaying.value;
  };
  return (
    <section class="replay" data-state="zombie" aria-label={en.outbreak.replay}>
      <button
        type="button"
        class="replay-play"
        aria-label={isPlaying.value ? en.outbreak.pause : en.outbreak.play}
        onClick={toggle}
      >
        <Icon of={isPlaying.value ? Pause : Play} size={22} />
      </button>
      <div class="replay-track">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <path d={growth} />
          <rect width={100 * progress.value} height="100" />
        </svg>
        <input
          type="range"
          class="replay-slider"
          min={0}
          max={SLIDER_MAX}
          value={progress.value * SLIDER_MAX}
          aria-label={en.outbreak.time}
          aria-valuetext={`${momentText(at)}, ${en.outbreak.infections(count)}`}
          onInput={({ currentTarget }) => {
            isPlaying.value = false;
            progress.value = Number(currentTarget.value) / SLIDER_MAX;
          }}
        />
      </div>
      <p class="replay-time number">
        <strong>{progress.value >= 1 ? en.outbreak.today : momentText(at)}</strong>
        <span class="muted">{en.outbreak.infections(count)}</span>
      </p>
    </section>
  );
};
