/** The table of all players, with group commands and CSV import and export. */
import { Download, Upload } from "lucide";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { STATE_NAMES } from "../../../../../lib/domain/players/states.ts";
import { paths } from "../../../paths.ts";
import { foldedMatcher } from "../../../state/search.ts";
import { gm } from "../../../text/staff.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ErrorNote, Skeleton } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { may, type StaffPlayer, sendsMail } from "../../calls.ts";
import { changeCount } from "../../changes.ts";
import { readAllPlayers, useRoster } from "../../roster.ts";
import { fullName, orderOf, type SortColumn, sortPlayers } from "../../staffPlayers.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import { toCsv } from "../../ui/csv.ts";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import { Checkbox, NumberField, Select } from "../../ui/inputs.tsx";
import { saveFile } from "../../ui/saveFile.ts";
import { renewConfirmation } from "../import/renew.ts";
import { Group, maySelect, SelectPlayer, useSelection } from "./group.tsx";
import "./players.css";

const EXPORT_COLUMNS = [
  ...["alias", "first_name", "last_name", "email", "state", "role", "kills", "tag_code"],
  ...["infected_by", "starves_at", "passed_at", "created_at", "labels", "note"],
] as const;

const exportPlayers = (players: readonly StaffPlayer[]): void => {
  const rows = players.map((player) => {
    const { labels, ...fields } = player;
    const all: Record<string, unknown> = { ...fields, labels: labels.join(", ") };
    return EXPORT_COLUMNS.map((name) => String(all[name] ?? ""));
  });
  saveFile("players.csv", toCsv([[...EXPORT_COLUMNS], ...rows]));
};

const STATES = ["all", ...STATE_NAMES] as const;

type Filter = Parameters<typeof readAllPlayers>[0];

/** The ids of the players whom a filter of the service finds; `null` while they are unknown or not wanted. */
const useFiltered = (filter: Filter | null) => {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  const [error, setError] = useState<unknown>(null);
  const changesSeen = changeCount.value;
  const key = JSON.stringify(filter);
  /** The number of the latest request. The response to an earlier one is older, or to another filter. */
  const latest = useRef(0);
  const reload = (): void => {
    latest.current += 1;
    const turn = latest.current;
    if (filter === null) return;
    readAllPlayers(filter).then(
      (found) => {
        if (turn !== latest.current) return;
        setIds(new Set(found.map(({ player_id }) => player_id)));
        setError(null);
      },
      (reason: unknown) => {
        if (turn === latest.current) setError(reason);
      },
    );
  };
  useEffect(() => {
    setIds(null);
    setError(null);
  }, [key]);
  useEffect(reload, [key, changesSeen]);
  return { ids, error, reload };
};

const MAX_MISSIONS = 100;

/** The number of missions in the address; `null` without one. */
const missionsIn = ({ missions_below }: Record<string, string>): number | null => {
  const n = Number(missions_below);
  return Number.isInteger(n) && n >= 1 && n <= MAX_MISSIONS ? n : null;
};

export const Players = () => {
  const { players, error, isLoading, reload } = useRoster();
  const [text, setText] = useState("");
  const [state, setState] = useState<(typeof STATES)[number]>("all");
  const [sort, setSort] = useState<SortColumn>("alias");
  const [isInvitedOnly, setInvitedOnly] = useState(false);
  const invited = useFiltered(isInvitedOnly ? { invited: "true" } : null);
  const { query } = useLocation();
  const [below, setBelow] = useState(missionsIn(query));
  const short = useFiltered(below === null ? null : { missions_below: below });
  const selection = useSelection();
  // Memoized, so that typing in the filter only searches the prepared texts.
  const sorted = useMemo(() => sortPlayers(players, sort), [players, sort]);
  const shown = useMemo(() => {
    const isMatch = foldedMatcher(text);
    return sorted
      .filter(({ player, text }) => (state === "all" || player.state === state) && isMatch(text))
      .map(({ player }) => player)
      .filter(({ player_id }) => !isInvitedOnly || invited.ids?.has(player_id) === true)
      .filter(({ player_id }) => below === null || short.ids?.has(player_id) === true);
  }, [sorted, text, state, isInvitedOnly, invited.ids, below, short.ids]);
  const { first, more } = useIncrementalList(shown);
  const isSelectable = maySelect();
  return (
    <main class="page wide stack">
      <header class="head">
        <div>
          <h1>{gm.nav.players}</h1>
          <p class="muted">{gm.common.players(shown.length)}</p>
        </div>
        <div class="actions">
          <Button
            text={gm.players.export}
            icon={Download}
            disabled={isLoading}
            onClick={() => exportPlayers(shown)}
          />
          {may("import_players") ? (
            <ButtonLink text={gm.commands.import_players.button} icon={Upload} href={paths.gm.import} />
          ) : null}
        </div>
      </header>
      <div class="pair">
        <Field label={gm.players.filter} name="filter" value={text} onChange={setText} required={false} />
        <Select
          label={gm.players.state}
          name="state"
          value={state}
          options={STATES.map((one) => [one, gm.players.states[one]] as const)}
          onChange={setState}
        />
        <Select
          label={gm.players.sort}
          name="sort"
          value={sort}
          options={gm.players.columns}
          onChange={setSort}
        />
      </div>
      {may("import_players") ? (
        <Checkbox label={gm.players.invited} name="invited" value={isInvitedOnly} onChange={setInvitedOnly} />
      ) : null}
      {may("enforce_missions") ? (
        <NumberField
          label={gm.players.missionsBelow}
          name="missions_below"
          min={1}
          max={MAX_MISSIONS}
          value={below}
          onChange={setBelow}
        />
      ) : null}
      <ErrorNote error={short.error} onRetry={short.reload} />
      {isInvitedOnly && shown.length > 0 ? (
        <div class="actions">
          <CommandButton
            action="import_players"
            text={gm.players.renew.title(shown.length)}
            confirmation={renewConfirmation(shown)}
          />
          {sendsMail() ? <ButtonLink text={gm.import.byMail} href={paths.gm.invitations} /> : null}
        </div>
      ) : null}
      <ErrorNote error={invited.error} onRetry={invited.reload} />
      <Group selection={selection} />
      <ErrorNote error={error} onRetry={reload} />
      {isLoading ? <Skeleton /> : null}
      <table class="players" hidden={isLoading}>
        <caption class="visually-hidden">{gm.nav.players}</caption>
        <thead>
          <tr>
            {isSelectable ? (
              <th scope="col">
                <span class="visually-hidden">{gm.players.choose}</span>
              </th>
            ) : null}
            {gm.players.columns.map(([name, title]) => (
              <th
                key={name}
                scope="col"
                data-column={name}
                aria-sort={sort === name ? orderOf(name) : undefined}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first.map((player, at) => (
            // Keyed by index, so that rows are reused as the filter changes, which is faster than replacing them.
            <tr key={at}>
              {isSelectable ? (
                <td>
                  <SelectPlayer alias={player.alias} selection={selection} />
                </td>
              ) : null}
              <th scope="row" data-column="alias">
                <a class="row" href={paths.gm.player(player.player_ref)}>
                  <Avatar key={player.player_id} player={player} />
                  <span class="grow">{player.alias}</span>
                </a>
              </th>
              <td data-column="name">{fullName(player)}</td>
              <td data-column="state">
                <StateBadge state={player.state} />
              </td>
              <td data-column="kills" class="number">
                {player.kills}
              </td>
              <td data-column="labels">{player.labels.join(", ")}</td>
              <td data-column="starves" class="number">
                {player.starves_at === null ? "" : gm.players.time(player.starves_at)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </main>
  );
};
