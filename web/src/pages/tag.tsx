/** Entering a tag: the code, when it was, and whom to feed with it. */
import { CloudUpload, TriangleAlert } from "lucide";
import { useCallback, useRef, useState } from "preact/hooks";
import { api, type HuntResult, isUnreachable } from "../api.ts";
import { en } from "../en.ts";
import type { QueuedTag } from "../queue.ts";
import { usePages, useSubmit } from "../resource.ts";
import { dismissTag, now, queueTag, refresh, snapshot, tags } from "../session.ts";
import { agoText, timeText } from "../times.ts";
import { Empty, ErrorNote, Skeleton } from "../ui/feedback.tsx";
import { Icon } from "../ui/icon.tsx";
import { Avatar } from "../ui/player.tsx";
import "./tag.css";

const CODE_LENGTH = 8;
const STEP_MINUTES = 5;
/** How many of the hungriest zombies are offered. */
const OFFERED = 8;

/** The letters and digits of a code, as it may be typed or pasted. */
const normalized = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
    .slice(0, CODE_LENGTH);

const CodeBoxes = ({ code, onChange }: { code: string; onChange: (code: string) => void }) => (
  <label class="code-boxes">
    <span class="label">{en.tag.code}</span>
    <input
      name="tag_code"
      value={code}
      autocomplete="off"
      autocapitalize="characters"
      spellcheck={false}
      aria-describedby="code-hint"
      onInput={(event) => {
        const next = normalized(event.currentTarget.value);
        event.currentTarget.value = next;
        onChange(next);
      }}
    />
    <span class="boxes" aria-hidden="true">
      {Array.from({ length: CODE_LENGTH }, (_, at) => (
        <span key={at} data-current={at === code.length}>
          {code[at] ?? ""}
        </span>
      ))}
    </span>
    <span id="code-hint" class="muted">
      {en.tag.codeHint}
    </span>
  </label>
);

interface SharersProps {
  max: number;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  at: number;
}

const Sharers = ({ max, chosen, onChange, at }: SharersProps) => {
  const self = snapshot.value?.player.alias;
  const read = useCallback(async () => {
    const query = { limit: OFFERED + 1 };
    const { zombies } = await api.get("/zombie/starvation/{url_id}", { query });
    return { items: zombies.filter(({ alias }) => alias !== self).slice(0, OFFERED), next: null };
  }, [self]);
  const { items, isLoading } = usePages(read);
  if (max === 0) return null;
  const toggle = (alias: string): void =>
    onChange(chosen.includes(alias) ? chosen.filter((one) => one !== alias) : [...chosen, alias]);
  return (
    <fieldset class="stack">
      <legend class="label">{en.tag.share(max)}</legend>
      {isLoading ? <Skeleton rows={2} /> : null}
      {!isLoading && items.length === 0 ? <p class="muted">{en.tag.noSharers}</p> : null}
      <ul class="list">
        {items.map(({ alias, seconds_left, starves_at }) => {
          const isChosen = chosen.includes(alias);
          return (
            <li key={alias}>
              <label class="row">
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={!isChosen && chosen.length >= max}
                  onChange={() => toggle(alias)}
                />
                <Avatar player={{ alias, state: "zombie" }} />
                <span class="grow">{alias}</span>
                <span class="muted number">
                  {starves_at === null ? "" : agoText(at - seconds_left * 1_000, at)}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
};

/** Tags that wait for a network, and those that the service has refused. */
const Queue = ({ at }: { at: number }) =>
  tags.value.length === 0 ? null : (
    <ul class="stack" aria-label={en.tag.queue}>
      {tags.value.map(({ key, body, entered_at, refusal }) => (
        <li key={key} class="card queued" data-refused={refusal !== null}>
          <Icon of={refusal === null ? CloudUpload : TriangleAlert} size={20} />
          <p class="grow">
            <strong>{body.tag_code}</strong> · {timeText(Date.parse(entered_at), at)}
            <br />
            <span class="muted">{refusal ?? en.tag.waiting}</span>
          </p>
          {refusal === null ? null : (
            <button type="button" class="button" onClick={() => void dismissTag(key)}>
              {en.tag.dismiss}
            </button>
          )}
        </li>
      ))}
    </ul>
  );

interface Attempt extends Pick<QueuedTag, "key" | "body"> {
  /** What was entered. */
  of: string;
}

const Done = ({ result, onAgain, at }: { result: HuntResult; onAgain: () => void; at: number }) => {
  const { alias } = result.prey;
  const { starves_at } = result.hunter;
  return (
    <main class="page stack done" data-state="zombie" aria-live="polite">
      <Avatar player={{ alias: alias ?? "?", state: "zombie" }} size={72} />
      <h1>{alias === null ? en.tag.doneUnknown : en.tag.done(alias)}</h1>
      {starves_at === null ? null : <p>{en.tag.fedUntil(timeText(Date.parse(starves_at), at))}</p>}
      <p class="number muted">{en.counts.kills(result.hunter.kills)}</p>
      <button type="button" class="button" onClick={onAgain}>
        {en.tag.again}
      </button>
    </main>
  );
};

export const Tag = () => {
  const shown = snapshot.value;
  const at = now.value;
  const [code, setCode] = useState("");
  const [minutesAgo, setMinutesAgo] = useState(0);
  const [sharers, setSharers] = useState<string[]>([]);
  const [result, setResult] = useState<HuntResult | null>(null);
  // The same tag keeps its key and its time when it is sent again, because its answer may have been lost.
  const attempt = useRef<Attempt | null>(null);
  const clear = (): void => {
    attempt.current = null;
    setResult(null);
    setCode("");
    setMinutesAgo(0);
    setSharers([]);
  };
  const form = useSubmit(async () => {
    if (at === null) return;
    const of = JSON.stringify([code, minutesAgo, sharers]);
    if (attempt.current?.of !== of) {
      const hunted_at = new Date(at - minutesAgo * 60_000).toISOString();
      const share = sharers.length === 0 ? {} : { share_with: sharers };
      attempt.current = { of, key: crypto.randomUUID(), body: { tag_code: code, hunted_at, ...share } };
    }
    const { key, body } = attempt.current;
    try {
      setResult(await api.post("/zombie/hunt/{url_id}", { body, key }));
    } catch (error) {
      if (!isUnreachable(error) || shown === null) throw error;
      const entered_at = new Date(at).toISOString();
      const { player_id } = shown.player;
      await queueTag({ key, player_id, entered_at, body, refusal: null });
      clear();
      return;
    }
    void refresh().catch(() => {});
  });
  if (shown === null || at === null) return <Skeleton />;
  if (result !== null) {
    return <Done result={result} onAgain={clear} at={at} />;
  }
  const { player, game } = shown;
  if (player.state !== "zombie")
    return (
      <main class="page stack">
        <h1>{en.tag.title}</h1>
        <Empty>{en.tag.notZombie}</Empty>
      </main>
    );
  return (
    <main class="page" data-state="zombie">
      <form class="stack" onSubmit={form.submit}>
        <h1>{en.tag.title}</h1>
        <Queue at={at} />
        <CodeBoxes code={code} onChange={setCode} />
        <label class="stack">
          <span class="label">
            {en.tag.when}{" "}
            <output class="muted">{minutesAgo === 0 ? en.tag.now : en.tag.ago(minutesAgo)}</output>
          </span>
          <input
            type="range"
            min="0"
            max={Math.floor(game.report_window_seconds / 60)}
            step={STEP_MINUTES}
            value={minutesAgo}
            aria-valuetext={minutesAgo === 0 ? en.tag.now : en.tag.ago(minutesAgo)}
            onInput={(event) => setMinutesAgo(event.currentTarget.valueAsNumber)}
          />
        </label>
        <Sharers max={game.sharers} chosen={sharers} onChange={setSharers} at={at} />
        {form.error === null ? null : <ErrorNote error={form.error} />}
        <button
          type="submit"
          class="button"
          data-kind="primary"
          disabled={code.length < CODE_LENGTH || form.isSending}
          aria-busy={form.isSending}
        >
          {en.tag.submit}
        </button>
      </form>
    </main>
  );
};
