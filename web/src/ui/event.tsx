/** One event of the game, in a list. */
import { useEffect } from "preact/hooks";
import type { Interaction, State } from "../api.ts";
import { en } from "../en.ts";
import { people, readPeople } from "../people.ts";
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

const textOf = ({ kind, actor, target }: Interaction): string => {
  const whom = target ?? en.feed.gone;
  if (kind === "hunt") return actor === null ? en.feed.tagged(whom) : en.feed.hunt(actor, whom);
  return (TEXTS[kind] ?? en.feed.other)(whom);
};

const STATE_AFTER: Partial<Record<string, State>> = {
  hunt: "zombie",
  revive_zombie: "zombie",
  cure: "human",
  revive_human: "human",
};

interface EventRowProps {
  event: Interaction;
  /** The time now, in milliseconds since 1970. */
  at: number;
  /** Whether the reader has an account, and may see faces and profiles. */
  isPlayer?: boolean;
}

export const EventRow = ({ event, at, isPlayer = true }: EventRowProps) => {
  const { kind, target, target_ref } = event;
  useEffect(() => {
    // Without the faces, the events can be read all the same.
    if (isPlayer) void readPeople().catch(() => {});
  }, [isPlayer]);
  const face = target_ref === null ? undefined : people.value.get(target_ref);
  const shown = {
    alias: target ?? "·",
    state: STATE_AFTER[kind] ?? "corpse",
    picture_url: face?.picture_url ?? null,
  };
  return (
    <li class="row">
      {isPlayer && target_ref !== null ? (
        <a class="avatar-link" href={`/app/players/${target_ref}`} aria-label={target ?? en.feed.gone}>
          <Avatar player={shown} />
        </a>
      ) : (
        <Avatar player={shown} />
      )}
      <p class="grow">
        {event.details.voided ? <s>{textOf(event)}</s> : textOf(event)}
        {event.details.voided ? <span class="muted"> ({en.feed.voided})</span> : null}
      </p>
      <time class="muted number" dateTime={event.at}>
        {agoText(Date.parse(event.at), at)}
      </time>
    </li>
  );
};
