/** The current checkpoint, and whether the player has passed it. Works offline. */
import { CircleCheck, CircleDashed, Hourglass, MapPin } from "lucide";
import type { Game, Player } from "../../state/api.ts";
import { isConcerned, isEnforced } from "../../state/checkpoints.ts";
import { now, snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, OfflineNote, Skeleton } from "../../ui/feedback.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TagCode } from "../../ui/tagCode.tsx";
import "./checkpoint.css";

type Checkpoint = NonNullable<Game["checkpoint"]>;

/** Returns the player's status: passed, due, missed or not concerned. */
const passStatus = (checkpoint: Checkpoint, player: Player, at: number) => {
  const { closes_at } = checkpoint;
  const { passed_at } = player;
  if (passed_at !== null)
    return {
      icon: CircleCheck,
      kind: "passed",
      text: en.checkpoint.passed(timeText(Date.parse(passed_at), at)),
    };
  if (!isConcerned(checkpoint, player))
    return { icon: CircleDashed, kind: "over", text: en.checkpoint.notForYou };
  const isOver = isEnforced(checkpoint) || (closes_at !== null && Date.parse(closes_at) <= at);
  return isOver
    ? { icon: Hourglass, kind: "over", text: en.checkpoint.missed }
    : { icon: Hourglass, kind: "due", text: en.checkpoint.due };
};

export const CheckpointPage = () => {
  const current = snapshot.value;
  const at = now.value;
  if (current === null || at === null) return <Skeleton />;
  const { player, game } = current;
  const { checkpoint } = game;
  if (checkpoint === null)
    return (
      <main class="page stack">
        <h1>{en.checkpoint.title}</h1>
        <Empty>{en.checkpoint.none}</Empty>
      </main>
    );
  const { name, description, latitude, longitude, closes_at, applies_to } = checkpoint;
  const pass = passStatus(checkpoint, player, at);
  return (
    <main class="page stack">
      <header>
        <p class="muted">{en.checkpoint.title}</p>
        <h1>{name}</h1>
      </header>
      <OfflineNote />
      <section class="card pass">
        <Icon of={pass.icon} size={56} />
        <strong>{pass.text}</strong>
        {pass.kind === "due" ? <p class="muted">{en.checkpoint.how(player.alias)}</p> : null}
      </section>
      <section class="card place">
        {description === null ? null : <p>{description}</p>}
        <p class="muted">
          {closes_at === null
            ? en.checkpoint.open
            : en.checkpoint.closes(timeText(Date.parse(closes_at), at))}{" "}
          {en.checkpoint.appliesTo[applies_to]}
        </p>
        {latitude === null || longitude === null ? null : (
          <ButtonLink
            text={en.checkpoint.map}
            icon={MapPin}
            href={`geo:${latitude},${longitude}?q=${latitude},${longitude}`}
          />
        )}
      </section>
      {pass.kind === "due" && player.tag_code !== null ? <TagCode code={player.tag_code} /> : null}
    </main>
  );
};
