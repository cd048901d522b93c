/** Finds players by whatever is known of them. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { snapshot } from "../session.ts";
import { Empty, ErrorNote, Skeleton } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Avatar, StateBadge } from "../ui/player.tsx";
import { read, type StaffPlayer } from "./calls.ts";
import { usePolled } from "./polled.ts";
import { gm } from "./texts.ts";

const PAUSE_MS = 150;

export const pathOf = ({ player_ref }: Pick<StaffPlayer, "player_ref">): string =>
  `/app/gm/players/${player_ref}`;

export const fullName = ({ first_name, last_name }: Pick<StaffPlayer, "first_name" | "last_name">): string =>
  [first_name, last_name].filter((name) => name !== null).join(" ");

/** A value once it has stood still for a moment. */
const useSettled = (value: string): string => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
};

/** The players whom a text finds. */
export const useFound = (text: string) => {
  const q = useSettled(text.trim());
  const find = useCallback(() => read("/admin/find/{url_id}", { q }), [q]);
  return { q, ...usePolled(q === "" ? null : find) };
};

export const FoundRow = ({ player }: { player: StaffPlayer }) => (
  <>
    <Avatar player={player} />
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
  const { q, value, error, reload } = useFound(text);
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Whoever came by the shortcut wants to type.
    if (query.focus !== undefined) box.current?.querySelector("input")?.focus();
  }, [query.focus]);
  const open = (event: Event): void => {
    event.preventDefault();
    const first = value?.players[0];
    if (first !== undefined) route(pathOf(first));
  };
  return (
    <main class="page stack">
      <h1>{gm.find.title}</h1>
      <search>
        <form ref={box} onSubmit={open}>
          <Field
            label={snapshot.value?.player.role === "moderator" ? gm.find.labelModerator : gm.find.label}
            name="q"
            value={text}
            onChange={setText}
            hint={gm.find.hint}
            required={false}
          />
        </form>
      </search>
      {error === null ? null : <ErrorNote error={error} onRetry={reload} />}
      {q === "" ? <Empty>{gm.find.start}</Empty> : null}
      {q !== "" && value === null && error === null ? <Skeleton rows={3} /> : null}
      {value?.players.length === 0 ? <Empty>{gm.find.empty(q)}</Empty> : null}
      <ul class="list" aria-live="polite">
        {value?.players.map((player) => (
          <li key={player.player_id}>
            <a class="row" href={pathOf(player)}>
              <FoundRow player={player} />
            </a>
          </li>
        ))}
      </ul>
      {value?.more ? <p class="muted">{gm.find.more}</p> : null}
    </main>
  );
};
