/** One event of the game, in a list. */
import type { Interaction } from "../api.ts";
import { en } from "../en.ts";
import { agoText } from "../times.ts";
import { Avatar } from "./player.tsx";

const TEXTS: Partial<Record<string, (target: string) => string>> = {
  corpsify: en.feed.corpsify,
  cure: en.feed.cure,
  revive_human: en.feed.revive_human,
  revive_zombie: en.feed.revive_zombie,
  feed: en.feed.feed,
  add_day: en.feed.add_day,
  pause: en.feed.pause,
  resume: en.feed.resume,
  starve: en.feed.starve,
  checkpoint_kill: en.feed.checkpoint_kill,
  void: en.feed.void,
};

/** What has happened, as a sentence. */
export const eventText = ({
  kind,
  actor,
  target,
}: Pick<Interaction, "kind" | "actor" | "target">): string => {
  const whom = target ?? en.feed.gone;
  if (kind === "hunt") return actor === null ? en.feed.tagged(whom) : en.feed.hunt(actor, whom);
  return (TEXTS[kind] ?? en.feed.other)(whom);
};

const STATE_AFTER = {
  hunt: "zombie",
  revive_zombie: "zombie",
  cure: "human",
  revive_human: "human",
} as const;

const stateAfter = (kind: string) =>
  kind in STATE_AFTER ? STATE_AFTER[kind as keyof typeof STATE_AFTER] : "corpse";

/** @param props.at the time now, in milliseconds since 1970 */
export const EventRow = ({ event, at }: { event: Interaction; at: number }) => (
  <li class="row">
    <Avatar player={{ alias: event.target ?? "·", state: stateAfter(event.kind) }} />
    <p class="grow">
      {event.details.voided ? <s>{eventText(event)}</s> : eventText(event)}
      {event.details.voided ? <span class="muted"> ({en.feed.voided})</span> : null}
    </p>
    <time class="muted number" dateTime={event.at}>
      {agoText(Date.parse(event.at), at)}
    </time>
  </li>
);
