/** All players as a table, with labels, and as a file in both directions. */
import { Download, Upload } from "lucide";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ErrorNote, Skeleton } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Avatar, StateBadge } from "../ui/player.tsx";
import { may, read, type StaffPlayer } from "./calls.ts";
import { saveFile, toCsv } from "./csv.ts";
import { fullName, pathOf } from "./find.tsx";
import { Group } from "./group.tsx";
import { Import } from "./import.tsx";
import { Select } from "./inputs.tsx";
import { changes } from "./plan.tsx";
import { gm } from "./texts.ts";
import "./players.css";

const PAGE = 1_000;
/** How many rows are drawn at first, and more with each press. */
const DRAWN = 60;

/** All players, page by page. */
const readAll = async (onPage: (players: StaffPlayer[]) => void): Promise<void> => {
  let cursor: string | undefined;
  do {
    const page = await read("/admin/get_players/{url_id}", {
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    onPage(page.players);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
};

type Column = (typeof gm.players.columns)[number][0];

const VALUES: Readonly<Record<Column, (player: StaffPlayer) => string | number>> = {
  alias: ({ alias }) => alias.toLocaleLowerCase(),
  name: (player) => fullName(player).toLocaleLowerCase(),
  state: ({ state }) => state,
  kills: ({ kills }) => -kills,
  labels: ({ labels }) => labels.join(" "),
  starves: ({ starves_at }) => starves_at ?? "~",
};

const COLLATOR = new Intl.Collator();

const compare = (one: string | number, other: string | number): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : COLLATOR.compare(String(one), String(other));

const searchText = (player: StaffPlayer): string =>
  [player.alias, fullName(player), player.email ?? "", ...player.labels].join("\n").toLocaleLowerCase();

const EXPORTED = [
  ...["alias", "first_name", "last_name", "email", "state", "role", "kills", "tag_code"],
  ...["infected_by", "starves_at", "passed_at", "created_at", "labels", "note"],
] as const;

const exportAll = (players: readonly StaffPlayer[]): void => {
  const rows = players.map((player) => {
    const { labels, ...fields } = player;
    const all: Record<string, unknown> = { ...fields, labels: labels.join(" ") };
    return EXPORTED.map((name) => String(all[name] ?? ""));
  });
  saveFile("players.csv", toCsv([[...EXPORTED], ...rows]));
};

const STATES = ["all", "human", "zombie", "corpse", "spectator"] as const;

const usePlayers = () => {
  const [players, setPlayers] = useState<StaffPlayer[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isLoading, setLoading] = useState(true);
  const count = changes.value;
  const load = useCallback(async () => {
    const all: StaffPlayer[] = [];
    setError(null);
    try {
      await readAll((page) => all.push(...page));
      setPlayers(all);
    } catch (failure) {
      setError(failure);
    }
    setLoading(false);
  }, []);
  useEffect(() => void load(), [load, count]);
  return { players, error, isLoading, reload: () => void load() };
};

const MAX_CHOSEN = 50;

export const Players = () => {
  const { players, error, isLoading, reload } = usePlayers();
  const [text, setText] = useState("");
  const [state, setState] = useState<(typeof STATES)[number]>("all");
  const [sort, setSort] = useState<Column>("alias");
  const [drawn, setDrawn] = useState(DRAWN);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isImporting, setImporting] = useState(false);
  // Sorted once, so that a letter of the filter takes only a search in each text.
  const sorted = useMemo(() => {
    const keyed = players.map((player) => ({ player, key: VALUES[sort](player), text: searchText(player) }));
    return keyed.toSorted((one, other) => compare(one.key, other.key));
  }, [players, sort]);
  const shown = useMemo(() => {
    const words = text.trim().toLocaleLowerCase();
    const isWanted = ({ player, text: searched }: (typeof sorted)[number]): boolean =>
      (state === "all" || player.state === state) && searched.includes(words);
    return sorted.filter(isWanted).map(({ player }) => player);
  }, [sorted, text, state]);
  const toggle = (alias: string): void => {
    const next = new Set(chosen);
    if (!next.delete(alias)) next.add(alias);
    setChosen(next);
  };
  const canLabel = may("/admin/label/{url_id}");
  return (
    <main class="page wide stack">
      <header class="head">
        <div>
          <h1>{gm.nav.players}</h1>
          <p class="muted">{gm.common.players(shown.length)}</p>
        </div>
        <div class="actions">
          <button type="button" class="button" disabled={isLoading} onClick={() => exportAll(shown)}>
            <Icon of={Download} size={20} />
            {gm.players.export}
          </button>
          {may("/admin/import_players/{url_id}") ? (
            <button
              type="button"
              class="button"
              aria-expanded={isImporting}
              onClick={() => setImporting(!isImporting)}
            >
              <Icon of={Upload} size={20} />
              {gm.players.import}
            </button>
          ) : null}
        </div>
      </header>
      {isImporting ? <Import /> : null}
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
      {chosen.size === 0 || !canLabel ? null : (
        <Group chosen={[...chosen]} onDone={() => setChosen(new Set())} />
      )}
      {error === null ? null : <ErrorNote error={error} onRetry={reload} />}
      {isLoading ? <Skeleton /> : null}
      <table class="players" hidden={isLoading}>
        <caption class="visually-hidden">{gm.nav.players}</caption>
        <thead>
          <tr>
            {canLabel ? (
              <th scope="col">
                <span class="visually-hidden">{gm.players.choose}</span>
              </th>
            ) : null}
            {gm.players.columns.map(([name, title]) => (
              <th
                key={name}
                scope="col"
                data-column={name}
                aria-sort={sort === name ? "ascending" : undefined}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, drawn).map((player) => (
            <tr key={player.player_id}>
              {canLabel ? (
                <td>
                  <label class="choose">
                    <input
                      type="checkbox"
                      checked={chosen.has(player.alias)}
                      disabled={!chosen.has(player.alias) && chosen.size >= MAX_CHOSEN}
                      onChange={() => toggle(player.alias)}
                    />
                    <span class="visually-hidden">{player.alias}</span>
                  </label>
                </td>
              ) : null}
              <th scope="row" data-column="alias">
                <a class="row" href={pathOf(player)}>
                  <Avatar player={player} />
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
      {shown.length > drawn ? (
        <button type="button" class="button" onClick={() => setDrawn(drawn + DRAWN)}>
          {gm.common.more}
        </button>
      ) : null}
    </main>
  );
};
