/** The awards: provisional during the game, final afterwards. */
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { Awards, readAwards } from "../../../ui/awards.tsx";
import { ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import type { Settings } from "../../calls.ts";
import { usePolled } from "../../polled.ts";

export const AwardsCard = ({ settings: { phase } }: { settings: Settings }) => {
  const { value, error, reload } = usePolled(readAwards);
  return (
    <section class="card stack" id="awards">
      <h2>{gm.awards.title}</h2>
      <p class="muted">{phase === "ended" ? gm.awards.final : gm.awards.soFar}</p>
      <ErrorNote error={error} onRetry={reload} />
      {value === null && error === null ? <Skeleton rows={3} /> : null}
      {value === null ? null : <Awards awards={value} now={now.value ?? Date.now()} />}
    </section>
  );
};
