/** The awards of a season. */
import type { api } from "../api.ts";
import { en } from "../en.ts";
import { now } from "../session.ts";
import { timeText } from "../times.ts";
import "./awards.css";

export type Awards = Awaited<ReturnType<typeof api.get<"/interactions/awards/{url_id}">>>;
type Name = keyof Awards;

const NAMES: readonly Name[] = [
  ...(["most_kills", "longest_survivor", "longest_chain"] as const),
  ...(["most_meals_shared", "first_tag", "last_human"] as const),
];

/** More names would hide the others. */
const NAMED = 8;

const figureOf = (name: Name, { value, at }: NonNullable<Awards[Name]>): string => {
  if (value !== null) return en.awards.values[name](value);
  if (at !== null) return timeText(Date.parse(at), now.value ?? Date.now());
  return name === "last_human" ? en.awards.stillHuman : "";
};

const Award = ({ name, awards }: { name: Name; awards: Awards }) => {
  const award = awards[name];
  const chain = name === "longest_chain" ? (awards.longest_chain?.chain ?? []) : [];
  return (
    <div>
      <dt>{en.awards.names[name]}</dt>
      {award === null ? (
        <dd class="muted">{en.awards.nobody}</dd>
      ) : (
        <dd>
          <strong>{en.awards.winners(award.winners.slice(0, NAMED), award.count)}</strong>
          <span class="sub">{figureOf(name, award)}</span>
          {chain.length === 0 ? null : (
            <span class="sub">{chain.map((alias) => alias ?? en.feed.gone).join(" → ")}</span>
          )}
        </dd>
      )}
    </div>
  );
};

export const AwardsList = ({ awards }: { awards: Awards }) => (
  <dl class="awards">
    {NAMES.map((name) => (
      <Award key={name} name={name} awards={awards} />
    ))}
  </dl>
);
