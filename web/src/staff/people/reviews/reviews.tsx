/** A player about whom game masters have to decide: both stories side by side, and the decision in one tap. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { paths } from "../../../paths.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { Button } from "../../../ui/button.tsx";
import { Avatar } from "../../../ui/player.tsx";
import { command, type Review } from "../../calls.ts";
import { sendLater } from "../../ui/toasts.tsx";
import "./reviews.css";

type Reason = Review["reasons"][number];
type Departed = NonNullable<Reason["departed"]>;

/** One side of a review: a heading, and what is known as a list. */
const Story = ({ title, state, facts }: { title: string; state: string; facts: ComponentChildren[] }) => (
  <figure data-state={state}>
    <figcaption class="muted">{title}</figcaption>
    <ul>
      {facts
        .filter((fact) => fact !== null && fact !== "")
        .map((fact) => (
          <li key={String(fact)}>{fact}</li>
        ))}
    </ul>
  </figure>
);

const textOf = (time: string): string => timeText(Date.parse(time), now.value ?? Date.now());

const departedFacts = ({ left_at, state_then, state_now, kills, infected_by, starves_at }: Departed) => [
  gm.review.left(textOf(left_at)),
  state_then === state_now ? null : gm.review.atThen(gm.state[state_then]),
  gm.review.byNow(gm.state[state_now]),
  starves_at === null ? null : gm.review.starves(textOf(starves_at)),
  kills === null || kills === 0 ? null : gm.review.kills(kills),
  infected_by === null ? null : gm.review.tagged(infected_by),
];

const ReasonStory = ({ reason }: { reason: Reason }) => {
  const { by, confirmed, departed, ban, used_by } = reason;
  const same = confirmed === true ? gm.review.sameConfirmed : gm.review.same[by];
  if (departed !== undefined)
    return (
      <Story
        title={gm.review.departed}
        state={departed.state_now}
        facts={[same, ...departedFacts(departed)]}
      />
    );
  if (ban !== undefined)
    return (
      <Story
        title={gm.review.banned(ban.alias)}
        state="corpse"
        facts={[same, ban.until === null ? null : gm.review.bannedUntil(textOf(ban.until)), ban.reason]}
      />
    );
  return <Story title={gm.review.inUse(used_by ?? null)} state="human" facts={[same]} />;
};

/** A button that sends a decision, which can be taken back for ten seconds. */
const Decide = ({
  review: { alias, player_id },
  decision,
  done,
  kind,
  children,
}: {
  review: Review;
  decision: { decision: "newcomer" | "returned"; departure_id?: string };
  done: (state: string) => string;
  kind?: "primary";
  children: string;
}) => {
  const key = useRef(crypto.randomUUID());
  const sendable = {
    title: children,
    decides: alias,
    run: async (_: object, key: string) => {
      const { admitted } = await command("admit", { player_id, ...decision }, key);
      return { text: done(gm.state[admitted[0]?.state ?? "spectator"]) };
    },
  };
  return <Button text={children} kind={kind} onClick={() => sendLater(sendable, key.current)} />;
};

export const ReviewCard = ({ review }: { review: Review }) => {
  const { alias, first_name, last_name, email, created_at, pending, reasons, more } = review;
  const name = [first_name, last_name].filter((part) => part !== null).join(" ");
  const departed = reasons.flatMap((one) => (one.departed === undefined ? [] : [one.departed]));
  // Somebody who plays already stays the player that they are.
  const candidates = pending ? departed : [];
  const play = departed.length === 0 ? gm.review.play : gm.review.other;
  return (
    <article class="stack">
      <header class="row">
        <Avatar player={{ alias, state: "spectator" }} />
        <div class="grow">
          <a href={paths.gm.findFor(alias)}>
            {departed.length === 0 ? gm.review.unsure(alias) : gm.review.returns(alias)}
          </a>
          <span class="sub">{pending ? gm.review.waits : gm.review.plays}</span>
        </div>
      </header>
      <div class="stories">
        <Story
          title={gm.review.newcomer}
          state="spectator"
          facts={[alias, name, email, gm.review.registered(textOf(created_at))]}
        />
        {reasons.map((reason) => (
          <ReasonStory key={`${reason.kind} ${reason.by} ${reason.departed?.departure_id}`} reason={reason} />
        ))}
      </div>
      {more === 0 ? null : <p class="muted">{gm.review.more(more)}</p>}
      <div class="actions">
        {candidates.map(({ departure_id, state_now, starves_at }) => (
          <Decide
            key={departure_id}
            review={review}
            decision={{ decision: "returned", departure_id }}
            done={(state) => gm.review.returned(alias, state)}
            kind="primary"
          >
            {gm.review.person(gm.state[state_now], starves_at === null ? null : textOf(starves_at))}
          </Decide>
        ))}
        <Decide
          review={review}
          decision={{ decision: "newcomer" }}
          done={() => (pending ? gm.review.admitted(alias) : gm.review.closed(alias))}
        >
          {pending ? play : gm.review.close}
        </Decide>
      </div>
    </article>
  );
};
