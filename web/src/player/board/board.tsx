/** The leaderboards: zombies by kills, humans by how long they have survived, and everybody by points. */
import { useCallback, useState } from "preact/hooks";
import { api } from "../../state/api.ts";
import { usePages } from "../../state/resource.ts";
import { now, snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { Awards, readAwards } from "../../ui/awards.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { PagesList } from "../../ui/layout/pagesList.tsx";
import { Split } from "../../ui/layout/split.tsx";
import { PlayerLink } from "../../ui/player.tsx";
import "../players/players.css";
import "./board.css";

const PAGE_SIZE = 50;
/** The number of entries around the player, who is in the middle. */
const AROUND_LIMIT = 11;

const readAwardsOnce = async () => ({ items: [await readAwards()], next: null });

/** The awards of a game that has ended. */
const FinalAwards = ({ at }: { at: number }) => {
  const { items, error, reload } = usePages(readAwardsOnce);
  const [awards] = items;
  return awards === undefined && error === null ? null : (
    <section class="card stack">
      <h2>{en.awards.title}</h2>
      <ErrorNote error={error} onRetry={reload} />
      {awards === undefined ? null : <Awards awards={awards} now={at} />}
    </section>
  );
};

const BOARDS = ["kills", "survivors", "points"] as const;

interface EntriesProps {
  board: (typeof BOARDS)[number];
  isAround: boolean;
  at: number;
}

const Entries = ({ board, isAround, at }: EntriesProps) => {
  const read = useCallback(
    async (cursor?: string) => {
      const paging = isAround
        ? { limit: AROUND_LIMIT, around: "me" as const }
        : { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
      const found = await api.get("/interactions/leaderboard/{url_id}", { query: { board, ...paging } });
      return { items: found.players, next: isAround ? null : found.next_cursor };
    },
    [board, isAround],
  );
  const pages = usePages(read, isAround ? undefined : board);
  const self = snapshot.value?.player.player_ref;
  return (
    <PagesList pages={pages} empty={isAround ? en.board.notOn : en.board.of[board].empty}>
      {(player) => (
        <li
          key={player.player_ref}
          class="row board-row"
          data-own={player.player_ref === self}
          data-rank={isAround || (board === "kills" && player.kills === 0) ? undefined : player.rank}
        >
          <span class="rank number">{player.rank}</span>
          <PlayerLink player={player} note={player.player_ref === self ? en.board.me : ""} />
          <strong class="number">
            {player.points !== undefined
              ? en.prizes.count(player.points)
              : player.survived_since === undefined
                ? en.counts.kills(player.kills)
                : timeText(Date.parse(player.survived_since), at)}
          </strong>
        </li>
      )}
    </PagesList>
  );
};

export const Board = () => {
  const [board, setBoard] = useState<(typeof BOARDS)[number]>("kills");
  const [isAround, setAround] = useState(false);
  const at = now.value ?? Date.now();
  return (
    <Split>
      <header>
        <h1>{en.board.title}</h1>
        <p class="muted">{en.board.of[board].lead}</p>
      </header>
      {snapshot.value?.game.phase === "ended" ? <FinalAwards at={at} /> : null}
      <div class="choices">
        {BOARDS.map((name) => (
          <button key={name} type="button" aria-pressed={board === name} onClick={() => setBoard(name)}>
            {en.board[name]}
          </button>
        ))}
        <button type="button" aria-pressed={isAround} onClick={() => setAround(!isAround)}>
          {en.board.around}
        </button>
      </div>
      {/* Nobody of one board is shown on another. */}
      <Entries key={`${board} ${isAround}`} board={board} isAround={isAround} at={at} />
    </Split>
  );
};
