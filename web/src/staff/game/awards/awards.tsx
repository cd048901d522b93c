/** The awards: provisional during the game, final afterwards. */
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { Awards, readAwards } from "../../../ui/awards.tsx";
import type { Settings } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { Loading } from "../../ui/loading.tsx";

export const AwardsCard = ({ settings: { phase } }: { settings: Settings }) => {
  const polled = usePolled(readAwards);
  const { value } = polled;
  return (
    <section class="card stack" id="awards">
      <h2>{gm.awards.title}</h2>
      <p class="muted">{phase === "ended" ? gm.awards.final : gm.awards.soFar}</p>
      <Loading of={polled} rows={3} />
      {value === null ? null : <Awards awards={value} now={now.value ?? Date.now()} />}
    </section>
  );
};
