/** The recap of one season: its result, the numbers, the board, the tree, the missions and the awards. */
import { useCallback, useMemo } from "preact/hooks";
import { useRoute } from "preact-iso";
import { paths } from "../../paths.ts";
import { api, GameError, type SeasonRecap, type ZombieTree } from "../../state/api.ts";
import { usePages } from "../../state/resource.ts";
import { en } from "../../text/en.ts";
import { missionTexts } from "../../text/missions.ts";
import { seasonTexts as texts } from "../../text/seasons.ts";
import { yearDayText } from "../../text/times.ts";
import { Awards } from "../../ui/awards.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Chart } from "../../ui/chart.tsx";
import { Counts } from "../../ui/counts.tsx";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback.tsx";
import { layOut } from "../outbreak/layout.ts";
import { Branches } from "../outbreak/outline.tsx";
import "../board/board.css";
import "../outbreak/outbreak.css";
import "./needs.ts";
import "./seasons.css";
import { isVisitor, useLoginIfRejected } from "./visitor.ts";

/** The roots of the tree, of whose list each node comes after its parent. */
const rootsOf = (nodes: SeasonRecap["tree"]): ZombieTree[] => {
  const roots: ZombieTree[] = [];
  const made: ZombieTree[] = [];
  for (const { alias, parent, infected_at, kills } of nodes) {
    const node: ZombieTree = {
      ...{ infection_id: null, player_ref: null, state: null, picture_url: null, voided: false },
      ...{ alias: alias ?? texts.someone, infected_at, kills, children: [] },
    };
    made.push(node);
    (parent === null ? roots : (made[parent]?.children ?? roots)).push(node);
  }
  return roots;
};

const Tree = ({ nodes, at }: { nodes: SeasonRecap["tree"]; at: number }) => {
  const spots = useMemo(() => layOut(rootsOf(nodes), at).spots, [nodes]);
  return (
    <section class="card stack">
      <h2>{texts.tree}</h2>
      <Branches spots={spots.filter(({ parent }) => parent === null)} now={Date.now()} />
    </section>
  );
};

/** Those who have tagged somebody. */
const Board = ({ board }: Pick<SeasonRecap, "board">) => {
  const hunters = board.filter(({ kills }) => kills > 0);
  return hunters.length === 0 ? null : (
    <section class="card stack">
      <h2>{texts.board}</h2>
      <ol class="list">
        {hunters.map(({ alias, state, kills }, at) => (
          <li key={at} class="row board-row season-line" data-rank={at + 1}>
            <span class="rank number">{at + 1}</span>
            <span class="grow">
              {alias === null ? <span>{texts.someone}</span> : <strong>{alias}</strong>}
              <span class="muted">{en.state[state]}</span>
            </span>
            <strong class="number">{en.counts.kills(kills)}</strong>
          </li>
        ))}
      </ol>
    </section>
  );
};

const Missions = ({ missions }: Pick<SeasonRecap, "missions">) =>
  missions.length === 0 ? null : (
    <section class="card stack">
      <h2>{texts.missions}</h2>
      <ul class="list">
        {missions.map(({ title, starts_at, result, note }) => (
          <li key={`${starts_at} ${title}`} class="row season-line">
            <span class="grow">
              <strong>{title}</strong>
              <span class="muted">
                {`${yearDayText(Date.parse(starts_at))} · ${missionTexts.results[result]}`}
              </span>
              {note === null ? null : <span class="muted">{note}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );

const Recap = ({ recap }: { recap: SeasonRecap }) => {
  const { name, note, counts, curve, tree, board, missions, awards } = recap;
  const at = Date.parse(recap.ended_at);
  const now = Date.now();
  return (
    <>
      <header class="stack">
        <div>
          <h1>{name}</h1>
          <p class="muted">{texts.days(recap)}</p>
        </div>
        <p>
          <strong>{`${texts.result(recap)}.`}</strong> {note}
        </p>
        {isVisitor() ? null : <p>{`${texts.own(recap)}.`}</p>}
        <Counts counts={counts} />
      </header>
      <section class="card stack">
        <h2>{en.awards.title}</h2>
        <Awards awards={awards} now={now} unnamed={texts.unnamed} />
      </section>
      {curve.length < 2 ? null : (
        <section class="card stack">
          <h2>{texts.numbers}</h2>
          <Chart points={curve} now={at} today={now} label={texts.curve} />
        </section>
      )}
      <Board board={board} />
      <Tree nodes={tree} at={at} />
      <Missions missions={missions} />
      <p class="muted">{texts.why}</p>
      {isVisitor() ? null : <ButtonLink text={texts.change} kind="text" href={paths.profile} />}
    </>
  );
};

export const OneSeason = () => {
  const { id = "" } = useRoute().params;
  const read = useCallback(async () => {
    const recap = await api.get("/seasons/{season_id}", { path: { season_id: id } });
    return { items: [recap], next: null };
  }, [id]);
  const { items, error, reload } = usePages(read);
  useLoginIfRejected(error);
  const [recap] = items;
  const isUnknown = error instanceof GameError && error.code === "not_found";
  return (
    <main class="page stack">
      {recap === undefined ? (
        isUnknown ? (
          <>
            <h1>{texts.title}</h1>
            <Empty>{texts.none}</Empty>
          </>
        ) : error === null ? (
          <Skeleton />
        ) : (
          <ErrorNote error={error} onRetry={reload} />
        )
      ) : (
        <Recap recap={recap} />
      )}
      <ButtonLink text={texts.toAll} href={paths.seasons} />
    </main>
  );
};
