/** What a tag that was accepted has brought. */
import { useEffect, useRef } from "preact/hooks";
import type { HuntResult } from "../../state/api.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { Button } from "../../ui/button.tsx";
import { Offers } from "../../ui/layout/offers.tsx";
import { Avatar, useFace } from "../../ui/player.tsx";
import { TagMoment } from "./tagMoment.tsx";

export interface TagOutcome extends HuntResult {
  /** By how many hours the hunter's deadline moved; `null` if it has none. */
  hoursGained: number | null;
  /** Whether the hunter had starved before the tag arrived, and lives again. */
  livesAgain: boolean;
  /** Whether no other human was left, as far as the page knew. */
  isLast: boolean;
}

const HOUR_MS = 3_600_000;

export const hoursBetween = (before: string | null, after: string | null): number | null =>
  before === null || after === null ? null : Math.round((Date.parse(after) - Date.parse(before)) / HOUR_MS);

export const TagResult = ({
  result,
  onAgain,
  at,
}: {
  result: TagOutcome;
  onAgain: () => void;
  at: number;
}) => {
  const { alias } = result.prey;
  const { starves_at } = result.hunter;
  const { target_ref, details } = result.interaction;
  const face = useFace(target_ref === null ? null : { player_ref: target_ref });
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  const sharers = details.shared_with?.filter((sharer) => sharer !== null) ?? [];
  return (
    <main class="page stack done">
      <Avatar player={{ alias: alias ?? "?", state: "zombie", picture_url: face }} size={144} />
      <h1 ref={heading} tabIndex={-1}>
        {alias === null ? en.tag.doneUnknown : en.tag.done(alias)}
      </h1>
      {result.livesAgain ? <p class="hours-won">{en.tag.livesAgain}</p> : null}
      {result.hoursGained === null || result.hoursGained <= 0 ? null : (
        <p class="hours-won">{en.tag.won(result.hoursGained)}</p>
      )}
      {starves_at === null ? null : <p>{en.tag.fedUntil(timeText(Date.parse(starves_at), at))}</p>}
      {sharers.length === 0 ? null : <p class="muted">{en.feed.sharedWith(sharers)}</p>}
      <p class="number muted">{en.counts.kills(result.hunter.kills)}</p>
      <TagMoment result={result} isLast={result.isLast} />
      <Button text={en.tag.again} kind="primary" onClick={onAgain} />
      <Offers />
    </main>
  );
};
