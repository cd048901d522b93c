/** The leaderboard. */
import { useCallback } from "preact/hooks";
import { api } from "../api.ts";
import { en } from "../en.ts";
import { usePages } from "../resource.ts";
import { snapshot } from "../session.ts";
import { PagesList } from "../ui/pagesList.tsx";
import { Avatar } from "../ui/player.tsx";
import "./board.css";

export const Board = () => {
  const read = useCallback(async () => {
    const { players } = await api.get("/interactions/leaderboard/{url_id}");
    return { items: players, next: null };
  }, []);
  const pages = usePages(read);
  const self = snapshot.value?.player.alias;
  return (
    <main class="page stack">
      <header>
        <h1>{en.board.title}</h1>
        <p class="muted">{en.board.lead}</p>
      </header>
      <PagesList pages={pages} empty={en.board.empty}>
        {({ rank, alias, state, kills }) => (
          <li key={alias} class="row board-row" data-own={alias === self}>
            <span class="rank number">{rank}</span>
            <Avatar player={{ alias, state }} />
            <span class="grow">
              {alias}
              {alias === self ? <span class="muted"> · {en.board.me}</span> : null}
            </span>
            <strong class="number">{en.counts.kills(kills)}</strong>
          </li>
        )}
      </PagesList>
    </main>
  );
};
