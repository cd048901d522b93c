/** A game event as a list row with its text and the pictures of its players. */
import type { ComponentChildren } from "preact";
import { stateAfter } from "../../../lib/domain/players/states.ts";
import type { Interaction, State } from "../state/api.ts";
import { en } from "../text/en.ts";
import { agoText } from "../text/times.ts";
import { Avatar } from "./player.tsx";
import "./event.css";

/** Describes an event in a sentence. */
export const eventText = ({
  kind,
  actor,
  target,
  details,
}: Pick<Interaction, "kind" | "actor" | "target" | "details">): string => {
  const whom = target ?? en.feed.gone;
  if (kind === "void" && details.checkpoint_id !== undefined) return en.feed.restored(whom);
  if (kind === "void" && details.reward !== undefined) return en.feed.takenBack(whom);
  if (kind === "reward" && details.reward?.source === "code") return en.feed.redeemed(whom);
  if (kind === "hunt") return actor === null ? en.feed.tagged(whom) : en.feed.hunt(actor, whom);
  const texts: Partial<Record<string, (target: string) => string>> = en.feed.kinds;
  return (texts[kind] ?? en.feed.other)(whom);
};

/** The states whose colour the avatar gets at events that do not change the state; a reward does not tell it. */
const COLOURS: Partial<Record<string, State>> = { feed: "zombie", reward: "spectator" };

/** The state whose colour the target's avatar gets: the state after the event, or `corpse` for all other events. */
const colourAfter = (kind: string): State => stateAfter(kind) ?? COLOURS[kind] ?? "corpse";

/** A tag that is reported later than this after it happened is marked as late. */
const LATE_MS = 5 * 60_000;

/** The events in the order in which they happened, the latest first. The service lists them as they were recorded. */
export const latestFirst = <T extends Pick<Interaction, "at">>(events: readonly T[]): T[] =>
  events.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));

/** How long after a tag its report arrived, if that is worth telling. */
const lateness = ({ kind, at, recorded_at }: Interaction): string[] => {
  const [happened, arrived] = [Date.parse(at), Date.parse(recorded_at)];
  return kind === "hunt" && arrived - happened > LATE_MS ? [en.feed.late(agoText(happened, arrived))] : [];
};

/** Additional lines of an event: whether it was reported late, who shared the meal, whether the hunter is still unknown, the reason and the note. */
const detailsOf = (event: Interaction): string[] => {
  const { details } = event;
  const { shared_with = [], waiting, reason, note, reward } = details;
  const { points, badge, message }: Partial<NonNullable<typeof reward>> = reward ?? {};
  const sharers = shared_with.filter((alias) => alias !== null);
  return [
    ...lateness(event),
    ...(sharers.length === 0 ? [] : [en.feed.sharedWith(sharers)]),
    ...(waiting === true ? [en.feed.waiting] : []),
    ...(points === undefined ? [] : [en.redeem.points(points)]),
    ...(badge === undefined ? [] : [`${badge.symbol} ${badge.name}`]),
    ...(message === undefined ? [] : [`“${message}”`]),
    ...(reason === undefined ? [] : [`“${reason}”`]),
    ...(note === undefined ? [] : [`“${note}”`]),
  ];
};

interface EventRowProps {
  event: Interaction;
  /** The service's time, in milliseconds since 1970. */
  at: number;
  children?: ComponentChildren;
}

export const EventRow = ({ event, at, children }: EventRowProps) => {
  const { kind, actor, target, actor_picture_url, target_picture_url, details } = event;
  const isVoided = details.voided === true;
  return (
    <li class="row">
      <span class="faces">
        <Avatar
          player={{ alias: target ?? "·", state: colourAfter(kind), picture_url: target_picture_url ?? null }}
        />
        {kind === "hunt" && actor !== null ? (
          <Avatar player={{ alias: actor, state: "zombie", picture_url: actor_picture_url ?? null }} />
        ) : null}
      </span>
      <div class="grow">
        <p>
          {isVoided ? <s>{eventText(event)}</s> : eventText(event)}
          {isVoided ? (
            <span class="muted"> ({kind === "hunt" ? en.feed.voided : en.feed.undone})</span>
          ) : null}
        </p>
        {detailsOf(event).map((text) => (
          <span key={text} class="muted event-more">
            {text}
          </span>
        ))}
        {children}
      </div>
      <time class="muted number" dateTime={event.at}>
        {agoText(Date.parse(event.at), at)}
      </time>
    </li>
  );
};
