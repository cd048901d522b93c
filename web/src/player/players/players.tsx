/** The list of all players, with a search and a filter by state. */
import { useState } from "preact/hooks";
import { STATE_NAMES } from "../../../../lib/domain/players/states.ts";
import { api, type PublicPlayer, type State } from "../../state/api.ts";
import { type PageOf, usePages } from "../../state/resource.ts";
import { compareNames, textMatcher } from "../../state/search.ts";
import { en, numberText } from "../../text/en.ts";
import { Empty } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { PagesList } from "../../ui/layout/pagesList.tsx";
import { PlayerLink, StateBadge } from "../../ui/player.tsx";
import "./players.css";

/** The number of players that are rendered at first. */
const PAGE_SIZE = 60;

/** Reads all pages, so that the search can filter in the browser. */
const readAll = async (): Promise<PageOf<PublicPlayer>> => {
  const items: PublicPlayer[] = [];
  let query: { cursor?: string } = {};
  for (;;) {
    const { users, next_cursor } = await api.get("/users/{url_id}", { query });
    items.push(...users);
    if (next_cursor === null)
      return { items: items.toSorted((one, other) => compareNames(one.alias, other.alias)), next: null };
    query = { cursor: next_cursor };
  }
};

export const Players = () => {
  const [text, setText] = useState("");
  const [state, setState] = useState<State | null>(null);
  const [count, setCount] = useState(PAGE_SIZE);
  const pages = usePages(readAll, "players");
  const isMatch = textMatcher(text);
  const named = pages.items.filter(({ alias }) => isMatch(alias));
  const found = state === null ? named : named.filter((player) => player.state === state);
  const choices = [null, ...STATE_NAMES]
    .map((one) => ({
      state: one,
      count: one === null ? named.length : named.filter((player) => player.state === one).length,
    }))
    .filter(({ state: one, count: number }) => number > 0 || one === state || one === null);
  const shown = {
    ...pages,
    items: found.slice(0, count),
    loadMore: found.length > count ? async () => setCount(count + PAGE_SIZE * 5) : undefined,
  };
  return (
    <main class="page stack people">
      <h1>{en.players.title}</h1>
      <search>
        <Field label={en.players.find} name="find" value={text} onChange={setText} required={false} />
      </search>
      <div class="choices">
        {choices.map(({ state: one, count: number }) => (
          <button key={one} type="button" aria-pressed={state === one} onClick={() => setState(one)}>
            {one === null ? en.players.all : en.state[one]} <span class="number">{numberText(number)}</span>
          </button>
        ))}
      </div>
      {pages.items.length > 0 && found.length === 0 ? (
        <Empty>{en.players.none}</Empty>
      ) : (
        <PagesList pages={shown} empty={en.players.empty}>
          {(player) => (
            <li key={player.player_ref} class="row">
              <PlayerLink player={player} note={noteOf(player)} />
              <StateBadge state={player.state} />
            </li>
          )}
        </PagesList>
      )}
    </main>
  );
};

const noteOf = ({ role, kills }: { role: keyof typeof en.players.roles; kills: number }): string =>
  [en.players.roles[role], kills > 0 ? en.counts.kills(kills) : null].filter(Boolean).join(" · ");
