/** The game masters' page of one player: facts, history and commands. */
import { ArrowLeft } from "lucide";
import type { ComponentChildren } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../../paths.ts";
import { api } from "../../../state/api.ts";
import { type PageOf, usePages } from "../../../state/resource.ts";
import { lastEvent, now } from "../../../state/session.ts";
import { en } from "../../../text/en.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { EventRow, latestFirst } from "../../../ui/event.tsx";
import { Empty } from "../../../ui/feedback.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { PagesList } from "../../../ui/layout/pagesList.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { Badges } from "../../../ui/prizes.tsx";
import { type Interaction, may, read, readGame, type StaffPlayer } from "../../calls.ts";
import { changeCount } from "../../changes.ts";
import { EventCommands } from "../../live/disputes/eventCommands.tsx";
import { usePolled } from "../../polled.ts";
import { fullName } from "../../staffPlayers.ts";
import { CommandButton, type CommandButtonProps } from "../../ui/commandButton.tsx";
import { Loading, ReadError } from "../../ui/loading.tsx";
import { accountCommands, showSecretsConfirmation, stateCommands } from "./playerCommands.tsx";

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** In place of a tag code that the game master may not see while they play. */
const HiddenCode = ({ player }: { player: StaffPlayer }) => (
  <span class="hidden-code">
    {gm.player.codeHidden}
    <CommandButton action="show_secrets" confirmation={showSecretsConfirmation(player)} />
  </span>
);

const Facts = ({ player }: { player: StaffPlayer }) => {
  const at = now.value ?? Date.now();
  const time = (value: string | null): string | null =>
    value === null ? null : timeText(Date.parse(value), at);
  const { state, kills, infected_by, infected_at, starves_at, last_fed_at, passed_at, email } = player;
  const isGameMaster = may("edit_player");
  return (
    <dl class="facts-grid">
      {fullName(player) === "" ? null : <Fact name={gm.player.name}>{fullName(player)}</Fact>}
      {email === null ? null : <Fact name={gm.player.email}>{email}</Fact>}
      {state === "human" && isGameMaster ? (
        <Fact name={gm.player.code}>
          {player.tag_code === null ? (
            <HiddenCode player={player} />
          ) : (
            <span class="number">{player.tag_code}</span>
          )}
        </Fact>
      ) : null}
      {state === "zombie" ? (
        <Fact name={gm.player.starves}>{time(starves_at) ?? gm.player.never}</Fact>
      ) : null}
      {state === "zombie" && last_fed_at !== null ? (
        <Fact name={gm.player.fed}>{time(last_fed_at)}</Fact>
      ) : null}
      <Fact name={gm.player.kills}>{kills}</Fact>
      {player.points > 0 ? <Fact name={en.prizes.points}>{player.points}</Fact> : null}
      {player.badges.length > 0 ? (
        <Fact name={en.prizes.badges}>
          <Badges badges={player.badges} />
        </Fact>
      ) : null}
      {infected_at === null ? null : <Fact name={gm.player.by}>{infected_by ?? gm.common.none}</Fact>}
      {infected_at === null ? null : <Fact name={gm.player.since}>{time(infected_at)}</Fact>}
      {passed_at === null ? null : <Fact name={gm.player.passed}>{time(passed_at)}</Fact>}
      {player.wants_original === true ? <Fact name={gm.player.original}>{gm.player.volunteer}</Fact> : null}
      <Fact name={gm.player.joined}>{time(player.created_at)}</Fact>
    </dl>
  );
};

const Commands = ({ title, commands }: { title: string; commands: CommandButtonProps[] }) => {
  const allowed = commands.filter(({ action }) => may(action));
  if (allowed.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{title}</h2>
      <div class="actions">
        {allowed.map((command) => (
          <CommandButton key={`${command.action} ${command.text}`} {...command} />
        ))}
      </div>
    </section>
  );
};

const History = ({ playerRef }: { playerRef: string }) => {
  const changesSeen = changeCount.value;
  const latest = lastEvent.value;
  const load = useCallback(
    async (cursor?: string): Promise<PageOf<Interaction>> => {
      const { interactions, next_cursor } = await api.get("/interactions/{url_id}", {
        query: { player: playerRef, limit: 20, ...(cursor === undefined ? {} : { cursor }) },
      });
      return { items: interactions, next: next_cursor };
    },
    [playerRef, changesSeen, latest],
  );
  const pages = usePages(load);
  const at = now.value ?? Date.now();
  return (
    <section class="card stack">
      <h2>{gm.player.history}</h2>
      <PagesList pages={{ ...pages, items: latestFirst(pages.items) }} empty={gm.player.historyEmpty}>
        {(event) => (
          <EventRow key={event.interaction_id} event={event} at={at}>
            <EventCommands event={event} />
          </EventRow>
        )}
      </PagesList>
    </section>
  );
};

const PlayerDetails = ({ player }: { player: StaffPlayer }) => {
  const reading = usePolled(readGame);
  const checkpoint = reading.value?.checkpoint ?? null;
  const { alias, state, role, labels, note, shown_as } = player;
  return (
    <>
      <header class="row">
        <Avatar player={player} size={72} />
        <div class="grow">
          <h1>{alias}</h1>
          <div class="labels">
            <StateBadge state={state} />
            {role === "player" ? null : <span class="badge">{gm.role[role]}</span>}
            {labels.map((label) => (
              <span key={label} class="label-chip">
                {label}
              </span>
            ))}
          </div>
        </div>
      </header>
      {shown_as === undefined ? null : <p class="note">{gm.player.shownAs(gm.state[shown_as])}</p>}
      {note === null ? null : <p class="note">{note}</p>}
      <ReadError of={[reading]} />
      <Commands title={gm.player.state} commands={stateCommands(player, checkpoint)} />
      <section class="card">
        <Facts player={player} />
      </section>
      <Commands title={gm.player.account} commands={accountCommands(player)} />
      <History playerRef={player.player_ref} />
    </>
  );
};

export const PlayerPage = () => {
  const { path } = useLocation();
  const playerRef = decodeURIComponent(path.split("/").at(-1) ?? "");
  const find = useMemo(() => () => read("find", { q: playerRef }), [playerRef]);
  const polled = usePolled(find);
  const { value } = polled;
  const player = value?.players.find((one) => one.player_ref === playerRef);
  return (
    <main class="page stack">
      <a class="row muted" href={paths.gm.find}>
        <Icon of={ArrowLeft} size={20} />
        {gm.player.back}
      </a>
      <Loading of={polled} />
      {value !== null && player === undefined ? <Empty>{gm.player.unknown}</Empty> : null}
      {player === undefined ? null : <PlayerDetails key={player.player_id} player={player} />}
    </main>
  );
};
