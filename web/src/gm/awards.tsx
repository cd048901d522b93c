/** The awards of the season: as they stand, and as they are once the game is over. */
import { api } from "../api.ts";
import { now } from "../session.ts";
import { timeText } from "../times.ts";
import { ErrorNote, Skeleton } from "../ui/feedback.tsx";
import type { Settings } from "./calls.ts";
import { usePolled } from "./polled.ts";
import { gm } from "./texts.ts";

const readAwards = () => api.get("/interactions/awards/{url_id}");

type Awards = Awaited<ReturnType<typeof readAwards>>;
type Name = keyof Awards;

const NAMES: readonly Name[] = [
  ...(["most_kills", "longest_survivor", "longest_chain"] as const),
  ...(["most_meals_shared", "first_tag", "last_human"] as const),
];

/** More names would hide the others. */
const NAMED = 8;

const figureOf = (name: Name, { value, at }: NonNullable<Awards[Name]>): string => {
  if (value !== null) return gm.awards.values[name](value);
  if (at !== null) return timeText(Date.parse(at), now.value ?? Date.now());
  return name === "last_human" ? gm.awards.stillHuman : "";
};

const Award = ({ name, awards }: { name: Name; awards: Awards }) => {
  const award = awards[name];
  const chain = name === "longest_chain" ? (awards.longest_chain?.chain ?? []) : [];
  return (
    <div>
      <dt>{gm.awards.names[name]}</dt>
      {award === null ? (
        <dd class="muted">{gm.awards.nobody}</dd>
      ) : (
        <dd>
          <strong>{gm.names(award.winners.slice(0, NAMED), award.count)}</strong>
          <span class="sub">{figureOf(name, award)}</span>
          {chain.length === 0 ? null : (
            <span class="sub">{chain.map((alias) => alias ?? gm.common.gone).join(" → ")}</span>
          )}
        </dd>
      )}
    </div>
  );
};

export const AwardsCard = ({ settings: { phase } }: { settings: Settings }) => {
  const { value, error, reload } = usePolled(readAwards);
  return (
    <section class="card stack" id="awards">
      <h2>{gm.awards.title}</h2>
      <p class="muted">{phase === "ended" ? gm.awards.final : gm.awards.soFar}</p>
      {error === null ? null : <ErrorNote error={error} onRetry={reload} />}
      {value === null && error === null ? <Skeleton rows={3} /> : null}
      {value === null ? null : (
        <dl class="awards">
          {NAMES.map((name) => (
            <Award key={name} name={name} awards={value} />
          ))}
        </dl>
      )}
    </section>
  );
};
