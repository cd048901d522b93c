/** The next things for a player: the most urgent one, and the others folded under it. */
import { Bell, CloudUpload, Flag, Gavel, type IconNode, ListChecks, MapPin, Moon, PenLine } from "lucide";
import { paths } from "../../paths.ts";
import type { Interaction, Mission } from "../../state/api.ts";
import { isDue } from "../../state/checkpoints.ts";
import { nextMission } from "../../state/missionOrder.ts";
import { missions, useMissions } from "../../state/missions.ts";
import { queue, type Snapshot, unread } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { missionTexts } from "../../text/missions.ts";
import { situationText, situationTitle } from "../../text/situation.ts";
import { timeInGame, timeText } from "../../text/times.ts";
import { Icon } from "../../ui/icon.tsx";

interface Thing {
  icon: IconNode;
  title: string;
  text: string;
  href?: string;
}

/** When a mission begins or ends, and where it is. */
const missionText = ({ starts_at, ends_at, place }: Mission, at: number): string => {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  const when =
    start > at ? en.me.missionStarts(timeInGame(start, at)) : en.me.missionEnds(timeInGame(end, at));
  return place === null ? when : `${when} · ${place}`;
};

/** Returns what waits for the player, the most urgent first. */
const thingsFor = (
  { player, game }: Snapshot,
  { events, mission }: { events: readonly Interaction[]; mission: Mission | undefined },
  at: number,
): Thing[] => {
  const { checkpoint } = game;
  const { required } = missions.value;
  const things: (Thing | null)[] = [
    player.must_sign === true
      ? { icon: PenLine, title: en.me.sign, text: en.me.signText, href: paths.waiver }
      : null,
    checkpoint !== null && isDue(checkpoint, player)
      ? {
          icon: MapPin,
          title: en.me.checkpoint(checkpoint.name),
          text:
            checkpoint.closes_at === null
              ? en.me.checkpointOpen
              : en.me.checkpointBy(timeText(Date.parse(checkpoint.closes_at), at)),
          href: paths.checkpoint,
        }
      : null,
    mission === undefined
      ? null
      : { icon: Flag, title: mission.title, text: missionText(mission, at), href: paths.missions },
    required !== null && required.attended < required.needed
      ? {
          icon: ListChecks,
          title: missionTexts.requiredTitle(required.attended, required.needed),
          text: missionTexts.requiredText(required.attended, required.needed),
          href: paths.missions,
        }
      : null,
    queue.value.length > 0
      ? {
          icon: CloudUpload,
          title: en.me.queued(queue.value.length),
          text: en.me.queuedText,
          href: paths.tag,
        }
      : null,
    events.some(({ details }) => details.dispute === "open")
      ? { icon: Gavel, title: en.me.disputed, text: en.me.disputedText, href: "#history" }
      : null,
    unread.value > 0
      ? { icon: Bell, title: en.me.unread(unread.value), text: en.me.unreadText, href: paths.inbox }
      : null,
    game.in_play && !game.paused
      ? null
      : { icon: Moon, title: situationTitle(game), text: situationText(game, at) },
  ];
  return things.filter((thing) => thing !== null);
};

const Strip = ({ icon, title, text, href }: Thing) => {
  const content = (
    <>
      <Icon of={icon} size={20} />
      <span>
        <strong>{title}</strong> <span class="muted">{text}</span>
      </span>
    </>
  );
  return href === undefined ? (
    <p class="card thing">{content}</p>
  ) : (
    <a class="card thing" href={href}>
      {content}
    </a>
  );
};

interface NextThingsProps {
  current: Snapshot;
  events: readonly Interaction[];
  at: number;
}

export const NextThings = ({ current, events, at }: NextThingsProps) => {
  const mission = nextMission(useMissions(), at);
  const [first, ...others] = thingsFor(current, { events, mission }, at);
  if (first === undefined) return null;
  return (
    <section class="things" aria-label={en.me.next}>
      <Strip {...first} />
      {others.length === 0 ? null : (
        <details>
          <summary>{en.me.others(others.length)}</summary>
          {others.map((thing) => (
            <Strip key={thing.title} {...thing} />
          ))}
        </details>
      )}
    </section>
  );
};
