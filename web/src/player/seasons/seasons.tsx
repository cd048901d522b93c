/** The past seasons, and what each was for the player. */
import { useCallback } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api, type SeasonLine } from "../../state/api.ts";
import { usePages } from "../../state/resource.ts";
import { rememberSeasons } from "../../state/seasons.ts";
import { type Snapshot, snapshot } from "../../state/session.ts";
import { seasonTexts as texts } from "../../text/seasons.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PagesList } from "../../ui/layout/pagesList.tsx";
import "./needs.ts";
import "./seasons.css";
import { isVisitor, useLoginIfRejected } from "./visitor.ts";

/** What all seasons together were for the player; nothing for who has played in none. */
const Own = ({ seasons }: { seasons: readonly SeasonLine[] }) => {
  const lines = seasons.flatMap(({ own }) => own ?? []);
  if (lines.length === 0) return null;
  const survived = lines.filter(({ state }) => state === "human").length;
  const kills = lines.reduce((sum, one) => sum + one.kills, 0);
  return <p class="muted">{texts.all(lines.length, survived, kills)}</p>;
};

/** The present season, once its result is known. */
const presentOf = ({ game, player }: Snapshot): SeasonLine[] => {
  const { season_id, name, starts_at, ends_at, result } = game;
  if (season_id == null || ends_at === null) return [];
  const { state, kills } = player;
  const own = state === "spectator" ? null : { state, kills };
  return [{ ...{ season_id, name, started_at: starts_at, ended_at: ends_at, result }, own }];
};

export const Seasons = () => {
  const read = useCallback(async () => {
    const { seasons } = await api.get("/seasons");
    rememberSeasons(seasons.length);
    return { items: seasons, next: null };
  }, []);
  const past = usePages<SeasonLine>(read);
  useLoginIfRejected(past.error);
  const current = snapshot.value;
  const seasons = [...(current === null ? [] : presentOf(current)), ...past.items];
  return (
    <main class="page stack">
      <header>
        <h1>{texts.title}</h1>
        <Own seasons={seasons} />
      </header>
      <PagesList pages={{ ...past, items: seasons }} empty={texts.empty}>
        {(season) => (
          <li key={season.season_id}>
            <a class="row player-row season-line" href={paths.season(season.season_id)}>
              <span class="grow">
                <strong>{season.name}</strong>
                <span class="muted">{texts.days(season)}</span>
                <span class="muted">
                  {isVisitor()
                    ? `${texts.result(season)}.`
                    : `${texts.result(season)}. ${texts.own(season)}.`}
                </span>
              </span>
            </a>
          </li>
        )}
      </PagesList>
      {isVisitor() ? <ButtonLink text={texts.toGame} href={paths.landing} /> : null}
    </main>
  );
};
