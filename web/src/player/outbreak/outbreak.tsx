/** The outbreak page: an interactive picture of who infected whom, its replay, and nested lists. */
import { useComputed, useSignal } from "@preact/signals";
import { Fingerprint, Search, X } from "lucide";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { TAKING_PART } from "../../../../lib/domain/players/states.ts";
import { paths } from "../../paths.ts";
import { api, type ZombieTree } from "../../state/api.ts";
import { whenIdle } from "../../state/idle.ts";
import { usePages, useValue } from "../../state/resource.ts";
import { textMatcher } from "../../state/search.ts";
import { isOffline, now, snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../../ui/button.tsx";
import { eventText } from "../../ui/event.tsx";
import { Empty, ErrorNote, Skeleton, StaleNote } from "../../ui/feedback.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Later } from "../../ui/layout/later.tsx";
import { Avatar, StateBadge } from "../../ui/player.tsx";
import { type Colouring, generationColour, svgColour } from "./colours.ts";
import { countAt, layOut, type Picture, resolveOverlaps, type Spot, warmUp } from "./layout.ts";
import { Branches, nameOf, noteOf } from "./outline.tsx";
import { Replay } from "./replay.tsx";
import { Stage } from "./stage.tsx";
import "./outbreak.css";

const MAX_RESULTS = 6;

const Finder = ({ picture, onSelect }: { picture: Picture; onSelect: (spot: Spot) => void }) => {
  const [text, setText] = useState("");
  const isMatch = textMatcher(text);
  const found =
    text.trim() === ""
      ? []
      : picture.spots.filter(({ node }) => node.alias !== null && isMatch(node.alias)).slice(0, MAX_RESULTS);
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
        {TAKING_PART.map((state) => (
          <StateBadge key={state} state={state} />
        ))}
      </p>
    );
  const steps = Array.from({ length: Math.min(picture.maxGeneration, 10) + 1 }, (_, step) => step);
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
            fill={svgColour(generationColour(step, picture.maxGeneration))}
          />
        ))}
      </svg>
      <span>{picture.maxGeneration}</span>
    </p>
  );
};

/**
 * Explains how a player with no known hunter became a zombie: a game master did it, or the player reported a tag that
 * the hunter has not completed yet. Reads the event, because the tree does not contain the cause.
 */
const Origin = ({ spot: { node } }: { spot: Spot }) => {
  const { infection_id, player_ref } = node;
  const read = useCallback(async () => {
    if (player_ref === null) return null;
    const query = { player: player_ref, limit: 50 };
    const { interactions } = await api.get("/interactions/{url_id}", { query });
    return interactions.find(({ interaction_id }) => interaction_id === infection_id) ?? null;
  }, [infection_id, player_ref]);
  const event = useValue(read);
  if (event === null) return null;
  return (
    <p class="muted">
      {eventText(event)}.{event.details.waiting === true ? ` ${en.feed.waiting}` : null}
    </p>
  );
};

/** The details panel of the selected infection. */
const SpotDetails = ({ spot, at, onClose }: { spot: Spot; at: number; onClose: () => void }) => {
  const { node, parent } = spot;
  return (
    <section class="chosen card" aria-label={en.outbreak.chosen} aria-live="polite">
      <Avatar player={{ ...node, alias: nameOf(spot) }} />
      <div class="grow">
        <h2>{nameOf(spot)}</h2>
        {node.state === null ? null : <StateBadge state={node.state} />}
        <p class="muted">{noteOf(spot, at)}</p>
        {parent === null ? <Origin spot={spot} /> : <p class="muted">{en.outbreak.by(nameOf(parent))}</p>}
        {node.player_ref === null ? null : <a href={paths.player(node.player_ref)}>{en.outbreak.open}</a>}
      </div>
      <button type="button" class="chosen-close" aria-label={en.outbreak.close} onClick={onClose}>
        <Icon of={X} size={20} />
      </button>
    </section>
  );
};

interface ExplorerProps {
  /** `null` while it is loading. Everything around it is rendered meanwhile, so that the tree appears sooner. */
  tree: { roots: ZombieTree[]; truncated: boolean } | null;
}

const NO_ROOTS: ZombieTree[] = [];

const Explorer = ({ tree }: ExplorerProps) => {
  const roots = tree?.roots ?? NO_ROOTS;
  const { query } = useLocation();
  // Updated only with the tree, not every second, because the texts that use it change only at midnight.
  const at = useMemo(() => now.peek() ?? Date.now(), [roots]);
  const laidOut = useMemo(() => layOut(roots, at), [roots]);
  const [improved, setImproved] = useState(laidOut);
  const picture = improved.spots === laidOut.spots ? improved : laidOut;
  const { spots } = picture;
  useEffect(
    () => (laidOut.overlapsResolved ? undefined : whenIdle(() => setImproved(resolveOverlaps(laidOut)))),
    [laidOut],
  );
  const [colouring, setColouring] = useState<Colouring>("generation");
  const [selected, setSelected] = useState<Spot | null>(null);
  const progress = useSignal(1);
  const visibleCount = useComputed(() =>
    progress.value >= 1
      ? spots.length
      : countAt(picture, picture.from + (picture.until - picture.from) * progress.value),
  );
  const ref = snapshot.value?.player.player_ref;
  const own = useMemo(
    () => new Set(spots.filter(({ node }) => ref !== undefined && node.player_ref === ref)),
    [spots, ref],
  );
  useEffect(() => {
    setSelected(spots.findLast(({ node }) => node.player_ref === query.player) ?? null);
  }, [spots, query.player]);
  const latestOwn = [...own].at(-1);
  return (
    <>
      <Finder picture={picture} onSelect={setSelected} />
      <div class="stage-tools">
        <Legend picture={picture} colouring={colouring} />
        <div class="stage-choices">
          {latestOwn === undefined ? null : (
            <Button
              text={en.outbreak.mine}
              icon={Fingerprint}
              aria-pressed={selected === latestOwn}
              onClick={() => setSelected(selected === latestOwn ? null : latestOwn)}
            />
          )}
          <Button
            text={en.outbreak.byState}
            aria-pressed={colouring === "state"}
            onClick={() => setColouring(colouring === "state" ? "generation" : "state")}
          />
        </div>
      </div>
      <Stage {...{ picture, visibleCount, colouring, own, selected }} onSelect={setSelected}>
        {tree === null ? <Skeleton rows={3} /> : null}
        {selected === null ? null : <SpotDetails spot={selected} at={at} onClose={() => setSelected(null)} />}
      </Stage>
      <Replay picture={picture} progress={progress} />
      <section class="outline">
        <h2>{en.outbreak.list}</h2>
        {tree?.truncated ? <p class="muted">{en.outbreak.truncated}</p> : null}
        {tree === null ? null : (
          <Later>
            {() => (
              <Branches
                spots={spots.filter(({ parent }) => parent === null)}
                now={at}
                onSelect={(spot) => {
                  setSelected(spot);
                  document.querySelector(".stage-frame")?.scrollIntoView({ block: "center" });
                }}
              />
            )}
          </Later>
        )}
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
  useEffect(() => whenIdle(warmUp), []);
  const { items, error, reload, isStale, readAt } = usePages(read, "outbreak");
  // The number of humans changes with an infection or a cure.
  useEffect(() => {
    if (items.length > 0) void reload();
  }, [humans]);
  const [tree] = items;
  return (
    <main class="outbreak">
      <header>
        <h1>{en.outbreak.title}</h1>
        <p class="muted">{tree === undefined ? en.common.loading : en.outbreak.lead(tree.size)}</p>
        {isStale || (isOffline.value && tree !== undefined) ? <StaleNote readAt={readAt} /> : null}
      </header>
      {tree === undefined && error !== null ? (
        <ErrorNote error={error} onRetry={reload} />
      ) : tree?.roots.length === 0 ? (
        <Empty>{en.outbreak.empty}</Empty>
      ) : (
        <Explorer tree={tree ?? null} />
      )}
    </main>
  );
};
