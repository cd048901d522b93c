/** What a code that a player has redeemed has brought. */
import { useEffect, useRef } from "preact/hooks";
import type { RedeemResult } from "../../state/api.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { Button } from "../../ui/button.tsx";
import { Offers } from "../../ui/layout/offers.tsx";
import { Badges } from "../../ui/prizes.tsx";

interface RedeemedProps {
  result: RedeemResult & {
    /** By how many hours the deadline moved; `null` if there is none. */
    hoursGained: number | null;
  };
  onAgain: () => void;
  at: number;
}

export const Redeemed = ({ result, onAgain, at }: RedeemedProps) => {
  const { repeated, did, player, hoursGained } = result;
  const { fed, cured, points, badge, message } = did;
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  const title = repeated
    ? en.redeem.repeated
    : cured
      ? en.redeem.cured
      : fed
        ? en.redeem.fed
        : badge === null
          ? en.redeem.done
          : en.redeem.badge;
  return (
    <main class="page stack done">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {repeated ? <p>{en.redeem.repeatedText}</p> : null}
      {badge === null ? null : <Badges badges={[badge]} />}
      {fed && hoursGained !== null && hoursGained > 0 ? (
        <p class="hours-won">{en.tag.won(hoursGained)}</p>
      ) : null}
      {points === 0 ? null : <p class="hours-won">{en.redeem.points(points)}</p>}
      {fed && player.starves_at !== null ? (
        <p>{en.tag.fedUntil(timeText(Date.parse(player.starves_at), at))}</p>
      ) : null}
      {cured && !repeated ? <p>{en.redeem.code}</p> : null}
      {message === null ? null : <p class="reward-message">{message}</p>}
      {points === 0 ? null : <p class="muted">{en.redeem.total(player.points)}</p>}
      <Button text={en.tag.again} kind="primary" onClick={onAgain} />
      <Offers />
    </main>
  );
};
