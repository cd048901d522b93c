/** Who infected whom: a picture to explore and to replay, and the same as lists. */
import { useComputed, useSignal } from "@preact/signals";
import { Fingerprint, Search, X } from "lucide";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, type ZombieTree } from "../../api.ts";
import { en } from "../../en.ts";
import { usePages } from "../../resource.ts";
import { matching } from "../../search.ts";
import { now, snapshot } from "../../session.ts";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Avatar, StateBadge } from "../../ui/player.tsx";
import { type Colouring, generationColour, paint } from "./colours.ts";
import { countAt, layOut, type Picture, type Spot } from "./layout.ts";
import { Branches, nameOf, noteOf } from "./outline.tsx";
import { Replay } from "./replay.tsx";
import { Stage } from "./stage.tsx";
import "./outbreak.css";

const MOST_FOUND = 6;

const Finder = ({ picture, onSelect }: { picture: Picture; onSelect: (spot: Spot) => void }) => {
  const [text, setText] = useState("");
  const isMatch = matching(text);
  const found =
    text.trim() === ""
      ? []
      : picture.spots.filter(({ node }) => node.alias !== null && isMatch(node.alias)).slice(0, MOST_FOUND);
  const choose = (spot: Spot | undefined): void => {
    if (spot === undefined) return;
    setText("");
    onSelect(spot);
  };
  return (
    <search class="finder">
      <form
        class="field-box"
        onSubmit={(event) => {
          event.preventDefault();
          choose(found[0]);
        }}
      >
        <Icon of={Search} size={20} />
        <input
          type="search"
          name="find"
          aria-label={en.outbreak.find}
          placeholder={en.outbreak.find}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={({ key }) => key === "Escape" && setText("")}
        />
      </form>
      {text.trim() === "" ? null : (
        <ul class="finder-found card" aria-label={en.outbreak.found(found.length)}>
          {found.map((spot) => (
            <li key={spot.order}>
              <button type="button" onClick={() => choose(spot)}>
                <Avatar player={{ ...spot.node, alias: nameOf(spot) }} />
                {nameOf(spot)}
              </button>
            </li>
          ))}
          {found.length === 0 ? <li class="muted">{en.players.none}</li> : null}
        </ul>
      )}
    </search>
  );
};

const Legend = ({ picture, colouring }: { picture: Picture; colouring: Colouring }) => {
  if (colouring === "state")
    return (
      <p class="legend">
        {(["zombie", "corpse", "human"] as const).map((state) => (
          <StateBadge key={state} state={state} />
        ))}
      </p>
    );
  const steps = Array.from({ length: Math.min(picture.deepest, 10) + 1 }, (_, step) => step);
  return (
    <p class="legend">
      <span>{en.outbreak.generations} 0</span>
      <svg width={steps.length * 14} height="12" aria-hidden="true">
        {steps.map((step) => (
          <circle
            key={step}
            cx={7 + step * 14}
            cy="6"
            r="5.5"
            fill={paint(generationColour(step, picture.deepest))}
          />
        ))}
      </svg>
      <span>{picture.deepest}</span>
    </p>
  );
};

/** What is known of the chosen infection. */
const Chosen = ({ spot, at, onClose }: { spot: Spot; at: number; onClose: () => void }) => {
  const { node, parent } = spot;
  return (
    <section class="chosen card" aria-label={en.outbreak.chosen} aria-live="polite">
      <Avatar player={{ ...node, alias: nameOf(spot) }} />
      <div class="grow">
        <h2>{nameOf(spot)}</h2>
        {node.state === null ? null : <StateBadge state={node.state} />}
        <p class="muted">{noteOf(spot, at)}</p>
        {parent === null ? null : <p class="muted">{en.outbreak.by(nameOf(parent))}</p>}
        {node.player_ref === null ? null : <a href={`/app/players/${node.player_ref}`}>{en.outbreak.open}</a>}
      </div>
      <button type="button" class="chosen-close" aria-label={en.outbreak.close} onClick={onClose}>
        <Icon of={X} size={20} />
      </button>
    </section>
  );
};

const Explorer = ({ roots, truncated }: { roots: ZombieTree[]; truncated: boolean }) => {
  const { query } = useLocation();
  const at = now.value ?? Date.now();
  const picture = useMemo(() => layOut(roots, at), [roots]);
  const [colouring, setColouring] = useState<Colouring>("generation");
  const [selected, setSelected] = useState<Spot | null>(null);
  const part = useSignal(1);
  const shown = useComputed(() =>
    part.value >= 1
      ? picture.spots.length
      : countAt(picture, picture.from + (picture.until - picture.from) * part.value),
  );
  const ref = snapshot.value?.player.player_ref;
  const own = useMemo(
    () => new Set(picture.spots.filter(({ node }) => ref !== undefined && node.player_ref === ref)),
    [picture, ref],
  );
  useEffect(() => {
    setSelected(picture.spots.findLast(({ node }) => node.player_ref === query.player) ?? null);
  }, [picture, query.player]);
  const latestOwn = [...own].at(-1);
  return (
    <>
      <Finder picture={picture} onSelect={setSelected} />
      <div class="stage-tools">
        <Legend picture={picture} colouring={colouring} />
        <div class="stage-choices">
          {latestOwn === undefined ? null : (
            <button
              type="button"
              class="button"
              aria-pressed={selected === latestOwn}
              onClick={() => setSelected(selected === latestOwn ? null : latestOwn)}
            >
              <Icon of={Fingerprint} size={20} />
              {en.outbreak.mine}
            </button>
          )}
          <button
            type="button"
            class="button"
            aria-pressed={colouring === "state"}
            onClick={() => setColouring(colouring === "state" ? "generation" : "state")}
          >
            {en.outbreak.byState}
          </button>
        </div>
      </div>
      <Stage {...{ picture, shown, colouring, own, selected }} onSelect={setSelected}>
        {selected === null ? null : <Chosen spot={selected} at={at} onClose={() => setSelected(null)} />}
      </Stage>
      <Replay picture={picture} part={part} />
      <section class="outline">
        <h2>{en.outbreak.list}</h2>
        {truncated ? <p class="muted">{en.outbreak.truncated}</p> : null}
        <Branches
          spots={picture.spots.filter(({ parent }) => parent === null)}
          now={at}
          onSelect={(spot) => {
            setSelected(spot);
            document.querySelector(".stage-frame")?.scrollIntoView({ block: "center" });
          }}
        />
      </section>
    </>
  );
};

export const Outbreak = () => {
  const humans = snapshot.value?.game.counts.humans;
  const read = useCallback(async () => {
    const tree = await api.get("/interactions/tree/{url_id}", { revalidate: true });
    return { items: [tree], next: null };
  }, []);
  const { items, isLoading, error, reload } = usePages(read);
  // Somebody was infected, or cured.
  useEffect(() => {
    if (items.length > 0) void reload();
  }, [humans]);
  const [tree] = items;
  return (
    <main class="outbreak">
      <header>
        <h1>{en.outbreak.title}</h1>
        {tree === undefined ? null : <p class="muted">{en.outbreak.lead(tree.size)}</p>}
      </header>
      {tree !== undefined && tree.roots.length > 0 ? (
        <Explorer roots={tree.roots} truncated={tree.truncated} />
      ) : error !== null ? (
        <ErrorNote error={error} onRetry={reload} />
      ) : isLoading ? (
        <Skeleton />
      ) : (
        <Empty>{en.outbreak.empty}</Empty>
      )}
    </main>
  );
};
