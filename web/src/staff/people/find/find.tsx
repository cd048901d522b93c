/** The page that finds players by alias, name, address or tag code. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../../paths.ts";
import { foldedMatcher } from "../../../state/search.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { ScanButton } from "../../../ui/camera/scanButton.tsx";
import { Empty, Skeleton } from "../../../ui/feedback.tsx";
import { Field } from "../../../ui/field.tsx";
import { Avatar, StateBadge } from "../../../ui/player.tsx";
import { read, type StaffPlayer } from "../../calls.ts";
import { usePolled } from "../../polled.ts";
import { useRoster } from "../../roster.ts";
import { fullName } from "../../staffPlayers.ts";
import { ReadError } from "../../ui/loading.tsx";
import { Group, SelectPlayer, useSelection } from "../players/group.tsx";

const DEBOUNCE_MS = 150;
/** The service returns at most ten players. */
const MAX_FOUND = 10;

const useDebounced = (value: string): string => {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
};

/** Searches players: returns matches from the cached roster at once, and then the service's result. */
const usePlayerSearch = (text: string) => {
  const query = text.trim();
  const q = useDebounced(query);
  const find = useCallback(() => read("find", { q }), [q]);
  const found = usePolled(q === "" ? null : find);
  const { value } = found;
  const hasTyped = useRef(false);
  hasTyped.current ||= query !== "";
  const roster = useRoster(hasTyped.current);
  const { players } = roster;
  const cached = useMemo(() => {
    if (query === "") return { players: [], more: false };
    const isMatch = foldedMatcher(query);
    const found = players.filter(({ text }) => isMatch(text)).map(({ player }) => player);
    return { players: found.slice(0, MAX_FOUND), more: found.length > MAX_FOUND };
  }, [query, players]);
  const readings = [found, roster];
  if (query === q && value !== null) return { ...value, isComplete: true, readings };
  return { ...cached, isComplete: query === "", readings };
};

const FoundRow = ({ player }: { player: StaffPlayer }) => (
  <>
    <Avatar key={player.player_id} player={player} />
    <span class="grow">
      {player.alias}
      <span class="sub">{[fullName(player), player.email].filter(Boolean).join(" · ")}</span>
    </span>
    <StateBadge state={player.state} />
  </>
);

export const Find = () => {
  const { query, route } = useLocation();
  const [text, setText] = useState(query.q ?? "");
  const { players, more, isComplete, readings } = usePlayerSearch(text);
  const selection = useSelection();
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The keyboard shortcut opens the page with `?focus`.
    if (query.focus !== undefined) box.current?.querySelector("input")?.focus();
  }, [query.focus]);
  const open = (event: Event): void => {
    event.preventDefault();
    const [first] = players;
    if (first !== undefined) route(paths.gm.player(first.player_ref));
  };
  const onScan = (found: string): boolean => {
    setText(found.trim());
    return found.trim() !== "";
  };
  const isEmpty = text.trim() === "";
  return (
    <main class="page stack">
      <h1>{gm.find.title}</h1>
      <search>
        <form ref={box} class="stack" onSubmit={open}>
          <Field
            label={snapshot.value?.player.role === "moderator" ? gm.find.labelModerator : gm.find.label}
            name="q"
            value={text}
            onChange={setText}
            hint={gm.find.hint}
            required={false}
          />
          <div class="actions">
            <ScanButton onFound={onScan} />
          </div>
        </form>
      </search>
      <ReadError of={readings} />
      {isEmpty ? <Empty>{gm.find.start}</Empty> : null}
      {players.length === 0 && !isComplete && readings.every(({ error }) => error === null) ? (
        <Skeleton rows={3} />
      ) : null}
      {players.length === 0 && isComplete && !isEmpty ? <Empty>{gm.find.empty(text.trim())}</Empty> : null}
      <ul class="list" aria-live="polite">
        {players.map((player, at) => (
          // Keyed by index, so that rows are reused as the text changes, which is faster than replacing them.
          <li key={at} class="found">
            <SelectPlayer alias={player.alias} selection={selection} />
            <a class="row" href={paths.gm.player(player.player_ref)}>
              <FoundRow player={player} />
            </a>
          </li>
        ))}
      </ul>
      {more ? <p class="muted">{gm.find.more}</p> : null}
      <Group selection={selection} />
    </main>
  );
};
