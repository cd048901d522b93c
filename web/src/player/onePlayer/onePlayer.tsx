/** The public page of one player: state, kills, points, badges and history. */
import { Network } from "lucide";
import { useCallback } from "preact/hooks";
import { useRoute } from "preact-iso";
import { paths } from "../../paths.ts";
import { api, type Interaction } from "../../state/api.ts";
import { type PageOf, usePages } from "../../state/resource.ts";
import { now, snapshot } from "../../state/session.ts";
import { en, numberText } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EventRow, latestFirst } from "../../ui/event.tsx";
import { ErrorNote, Skeleton } from "../../ui/feedback.tsx";
import { PagesList } from "../../ui/layout/pagesList.tsx";
import { Avatar, StateBadge } from "../../ui/player.tsx";
import { Badges } from "../../ui/prizes.tsx";
import "../players/players.css";

const History = ({ player, at }: { player: string; at: number }) => {
  const read = useCallback(
    async (cursor?: string): Promise<PageOf<Interaction>> => {
      const query = { player, limit: 50, ...(cursor === undefined ? {} : { cursor }) };
      const { interactions, next_cursor } = await api.get("/interactions/{url_id}", { query });
      return { items: interactions, next: next_cursor };
    },
    [player],
  );
  const pages = usePages(read);
  return (
    <section class="stack">
      <h2>{en.players.history}</h2>
      <PagesList pages={{ ...pages, items: latestFirst(pages.items) }} empty={en.players.noHistory}>
        {(event) => <EventRow key={event.interaction_id} event={event} at={at} />}
      </PagesList>
    </section>
  );
};

export const OnePlayer = () => {
  const { ref = "" } = useRoute().params;
  const read = useCallback(async () => {
    const player = await api.post("/get_player/{url_id}", { body: { player_ref: ref } });
    return { items: [player], next: null };
  }, [ref]);
  const { items, error, reload } = usePages(read);
  const at = now.value ?? Date.now();
  const [player] = items;
  if (player === undefined)
    return (
      <main class="page stack">
        {error === null ? <Skeleton /> : <ErrorNote error={error} onRetry={reload} />}
      </main>
    );
  const role = en.players.roles[player.role];
  const isOwn = snapshot.value?.player.player_ref === player.player_ref;
  return (
    <main class="page stack">
      <header class="one-player card">
        <Avatar player={player} size={144} />
        <h1>{player.alias}</h1>
        <StateBadge state={player.state} />
        <dl class="one-player-facts">
          <div>
            <dt class="muted">{en.players.kills}</dt>
            <dd class="number">{player.kills}</dd>
          </div>
          {player.points > 0 ? (
            <div>
              <dt class="muted">{en.prizes.points}</dt>
              <dd class="number">{numberText(player.points)}</dd>
            </div>
          ) : null}
          <div>
            <dt class="muted">{en.players.since}</dt>
            <dd>{timeText(Date.parse(player.created_at), at)}</dd>
          </div>
          {role === null ? null : (
            <div>
              <dt class="muted">{en.players.role}</dt>
              <dd>{role}</dd>
            </div>
          )}
        </dl>
        {player.badges?.length > 0 ? <Badges badges={player.badges} /> : null}
        {player.state === "human" && player.kills === 0 ? null : (
          <ButtonLink text={en.players.showLine} icon={Network} href={paths.outbreakOf(player.player_ref)} />
        )}
        {isOwn ? <p class="muted">{en.players.you}</p> : null}
      </header>
      <History key={ref} player={ref} at={at} />
    </main>
  );
};
