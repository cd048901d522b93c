/** The awards of a season with their winners. */
import { api } from "../state/api.ts";
import { en } from "../text/en.ts";
import { timeText } from "../text/times.ts";
import "./awards.css";

/** Reads the awards. Before the end of the game only game masters may. @throws GameError `too_early` */
export const readAwards = () => api.get("/interactions/awards/{url_id}");

type AllAwards = Awaited<ReturnType<typeof readAwards>>;
/** The computed awards. */
type Name = Exclude<keyof AllAwards, "given">;

const NAMES: readonly Name[] = [
  ...(["most_kills", "longest_survivor", "longest_chain"] as const),
  ...(["most_meals_shared", "most_points", "first_tag", "last_human"] as const),
];

/** The names of the awards that a player has. */
export const namesOfAwards = (awards: AllAwards, alias: string): string[] => [
  ...awards.given.filter((one) => one.alias === alias).map(({ title }) => title),
  ...NAMES.filter((name) => awards[name]?.winners.includes(alias)).map((name) => en.awards.names[name]),
];

/** The number of winners listed by name for one award. */
const MAX_NAMES = 8;

const valueText = (name: Name, { value, at }: NonNullable<AllAwards[Name]>, now: number): string => {
  if (value !== null) return en.awards.values[name](value);
  if (at !== null) return timeText(Date.parse(at), now);
  return name === "last_human" ? en.awards.stillHuman : "";
};

interface AwardsProps {
  awards: AllAwards;
  /** Milliseconds since 1970. */
  now: number;
  /** What those are called who are not named; players who have left by default. @param n how many */
  unnamed?: (n: number) => string;
}

/** The awards that somebody has earned. */
export const Awards = ({ awards, now, unnamed = () => en.awards.gone }: AwardsProps) => {
  const earned = NAMES.flatMap((name) => {
    const award = awards[name];
    return award === null ? [] : [{ name, award }];
  });
  if (awards.given.length + earned.length === 0) return <p class="muted">{en.awards.none}</p>;
  return (
    <dl class="awards">
      {awards.given.map(({ title, alias, text }, at) => (
        <div key={at}>
          <dt>{title}</dt>
          <dd>
            <strong>{alias ?? unnamed(1)}</strong>
            <span class="muted">{text}</span>
          </dd>
        </div>
      ))}
      {earned.map(({ name, award }) => {
        const chain = name === "longest_chain" ? (awards.longest_chain?.chain ?? []) : [];
        return (
          <div key={name}>
            <dt>{en.awards.names[name]}</dt>
            <dd>
              <strong>
                {award.winners.length === 0
                  ? unnamed(award.count)
                  : en.awards.winners(award.winners.slice(0, MAX_NAMES), award.count)}
              </strong>
              <span class="muted">{valueText(name, award, now)}</span>
              {chain.length === 0 ? null : (
                <span class="muted">{chain.map((alias) => alias ?? unnamed(1)).join(" → ")}</span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
};
