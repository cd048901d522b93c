/** The form to report a tag: its code, time and place, and the zombies to share the meal with. */
import { useSignal } from "@preact/signals";
import { CloudUpload, TriangleAlert } from "lucide";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api, type HuntResult } from "../../state/api.ts";
import { recordSuccess } from "../../state/device.ts";
import { useDraft } from "../../state/draft.ts";
import { fieldError } from "../../state/errors.ts";
import { type StoredTag, sendTag } from "../../state/queue.ts";
import { usePages, useSubmit, useValue } from "../../state/resource.ts";
import { dismissTag, isOffline, now, refresh, snapshot, syncWhenOnline, tags } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { situationText } from "../../text/situation.ts";
import { agoText, timeText } from "../../text/times.ts";
import { ScanButton } from "../../ui/camera/scanButton.tsx";
import { Empty, FormError, Skeleton } from "../../ui/feedback.tsx";
import { FormErrors } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Offers } from "../../ui/layout/offers.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { Avatar } from "../../ui/player.tsx";
import { timeAgo, When } from "../../ui/when.tsx";
import "./tag.css";

const CODE_LENGTH = 8;
/** The number of zombies that are offered to share the meal, hungriest first. */
const MAX_OFFERED = 8;

/** Returns the letters and digits of a typed or pasted code, in upper case. */
const normalizeCode = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
    .slice(0, CODE_LENGTH);

/** Returns the tag code in the text of a QR code, or `null`. */
const parseScannedCode = (text: string): string | null => {
  const code = normalizeCode(text);
  return text.trim().length <= CODE_LENGTH + 2 && code.length === CODE_LENGTH ? code : null;
};

/** Characters that tag codes do not use, because they are easily confused. */
const CONFUSABLE = /[01OIL]/;

interface CodeBoxesProps {
  code: string;
  error: string | undefined;
  onChange: (code: string) => void;
}

const CodeBoxes = ({ code, error, onChange }: CodeBoxesProps) => {
  const moveCaretToEnd = ({ currentTarget: input }: { currentTarget: HTMLInputElement }): void =>
    input.setSelectionRange(input.value.length, input.value.length);
  return (
    <label class="code-boxes" data-invalid={error !== undefined}>
      <span class="label">{en.tag.code}</span>
      <input
        name="tag_code"
        value={code}
        autocomplete="off"
        autocapitalize="characters"
        enterkeyhint="done"
        spellcheck={false}
        aria-describedby="code-hint"
        aria-invalid={error !== undefined}
        // The caret is invisible, so it is kept at the end.
        onFocus={moveCaretToEnd}
        onClick={moveCaretToEnd}
        onInput={(event) => {
          const next = normalizeCode(event.currentTarget.value);
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
      <span id="code-hint" class={error === undefined ? "muted" : "code-error"} aria-live="assertive">
        {error ?? (CONFUSABLE.test(code) ? en.tag.confusable : en.tag.codeHint)}
      </span>
    </label>
  );
};

const Scan = ({ onCode }: { onCode: (code: string) => void }) => {
  const found = (text: string): boolean => {
    const code = parseScannedCode(text);
    if (code !== null) onCode(code);
    return code !== null;
  };
  return <ScanButton onFound={found} />;
};

interface Place {
  latitude: number;
  longitude: number;
}

const readPosition = (): Promise<Place> =>
  new Promise((resolve, reject) => {
    const options = { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 };
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => resolve({ latitude, longitude }),
      reject,
      options,
    );
  });

/** A checkbox that adds the device's position to the tag. */
const PlaceField = ({
  place,
  onChange,
}: {
  place: Place | null;
  onChange: (place: Place | null) => void;
}) => {
  const [state, setState] = useState<"" | "searching" | "failed">("");
  const toggle = async (): Promise<void> => {
    if (place !== null) return onChange(null);
    setState("searching");
    try {
      onChange(await readPosition());
      setState("");
    } catch {
      setState("failed");
    }
  };
  return (
    <label class="row">
      <input
        type="checkbox"
        checked={place !== null}
        disabled={state === "searching"}
        onChange={() => void toggle()}
      />
      <span class="grow">
        {en.tag.place}
        <span class="muted event-more" aria-live="polite">
          {state === "" ? en.tag.placeHint : en.tag.placeState[state]}
        </span>
      </span>
    </label>
  );
};

interface SharersProps {
  max: number;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  at: number;
}

const Sharers = ({ max, chosen, onChange, at }: SharersProps) => {
  const self = snapshot.value?.player.alias;
  const read = useCallback(async () => {
    const query = { limit: MAX_OFFERED + 1 };
    const { zombies } = await api.get("/zombie/starvation/{url_id}", { query });
    return { items: zombies.filter(({ alias }) => alias !== self).slice(0, MAX_OFFERED), next: null };
  }, [self]);
  const { items, isLoading, error } = usePages(read);
  if (max === 0) return null;
  const toggle = (alias: string): void =>
    onChange(chosen.includes(alias) ? chosen.filter((one) => one !== alias) : [...chosen, alias]);
  return (
    <fieldset class="stack">
      <legend class="label">{en.tag.share(max)}</legend>
      {isLoading ? <Skeleton rows={2} /> : null}
      {!isLoading && items.length === 0 && error === null ? <p class="muted">{en.tag.noSharers}</p> : null}
      <ul class="list">
        {items.map(({ alias, seconds_left, starves_at, picture_url }) => {
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
                <Avatar player={{ alias, state: "zombie", picture_url }} />
                <span class="grow">{alias}</span>
                <span class="muted number" data-urgent={seconds_left < 6 * 3_600}>
                  {starves_at === null ? "" : en.tag.left(agoText(at - seconds_left * 1_000, at))}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
};

/** The queued and refused tags. @param props.sending the key of the tag that the form is sending, which is not listed */
const Queue = ({ at, sending }: { at: number; sending: string | null }) => {
  const visibleTags = tags.value.filter(({ key }) => key !== sending);
  return visibleTags.length === 0 ? null : (
    <ul class="stack" aria-label={en.tag.queue}>
      {visibleTags.map(({ key, body, entered_at, refusal }) => (
        <li key={key} class="card queued" data-refused={refusal !== null}>
          <Icon of={refusal === null ? CloudUpload : TriangleAlert} size={20} />
          <p class="grow">
            <strong>{body.tag_code}</strong> · {timeText(Date.parse(entered_at), at)}
            <br />
            <span class="muted">{refusal ?? (isOffline.value ? en.tag.waiting : en.tag.waitingOnline)}</span>
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
};

interface TagOutcome extends HuntResult {
  /** By how many hours the hunter's deadline moved; `null` if it has none. */
  hoursGained: number | null;
  /** Whether the hunter had starved before the tag arrived, and lives again. */
  livesAgain: boolean;
}

const HOUR_MS = 3_600_000;

const hoursBetween = (before: string | null, after: string | null): number | null =>
  before === null || after === null ? null : Math.round((Date.parse(after) - Date.parse(before)) / HOUR_MS);

/** Returns the URL of a player's picture; `null` without a picture, or after an error. */
const readPictureUrl = async (player_ref: string | null): Promise<string | null> => {
  if (player_ref === null) return null;
  const player = await api.post("/get_player/{url_id}", { body: { player_ref } }).catch(() => null);
  return player?.picture_url ?? null;
};

const TagResult = ({ result, onAgain, at }: { result: TagOutcome; onAgain: () => void; at: number }) => {
  const { alias } = result.prey;
  const { starves_at } = result.hunter;
  const { target_ref, details } = result.interaction;
  const face = useValue(useCallback(() => readPictureUrl(target_ref), [target_ref]));
  const heading = useRef<HTMLHeadingElement>(null);
  // The form that had the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  const sharers = details.shared_with?.filter((sharer) => sharer !== null) ?? [];
  return (
    <main class="page stack done" data-state="zombie">
      <Avatar player={{ alias: alias ?? "?", state: "zombie", picture_url: face }} size={144} />
      <h1 ref={heading} tabIndex={-1}>
        {alias === null ? en.tag.doneUnknown : en.tag.done(alias)}
      </h1>
      {result.livesAgain ? <p class="badge hours-won">{en.tag.livesAgain}</p> : null}
      {result.hoursGained === null || result.hoursGained <= 0 ? null : (
        <p class="badge hours-won">{en.tag.won(result.hoursGained)}</p>
      )}
      {starves_at === null ? null : <p>{en.tag.fedUntil(timeText(Date.parse(starves_at), at))}</p>}
      {sharers.length === 0 ? null : <p class="muted">{en.feed.sharedWith(sharers)}</p>}
      <p class="number muted">{en.counts.kills(result.hunter.kills)}</p>
      <button type="button" class="button" data-kind="primary" onClick={onAgain}>
        {en.tag.again}
      </button>
      <Offers />
    </main>
  );
};

/** The fields that refusals are about. */
const FIELDS = {
  ...{ unknown_tag_code: "tag_code", already_tagged: "tag_code", code_replaced: "tag_code" },
  ...{ too_many_attempts: "tag_code", wrong_state: "tag_code", paused: "tag_code" },
  ...{ too_early: "hunted_at", not_running: "hunted_at" },
};

const DEATHS = ["starve", "corpsify", "checkpoint_kill"];
const INFECTIONS = ["hunt", "revive_zombie"];
/** Each minute a sweep records who has starved. Until then the page does not know when that was. */
const UNRECORDED_MS = 75_000;

/** When the player starved at the earliest; `null` for one who is not dead, or is dead by other means. */
const readStarvation = async (): Promise<number | null> => {
  const { player, game } = snapshot.peek() ?? {};
  if (player?.state !== "corpse") return null;
  const query = { player: "me", limit: 50 } as const;
  const { interactions } = await api.get("/interactions/{url_id}", { query });
  const last = interactions.find(
    ({ target_ref, kind, details }) =>
      target_ref === player.player_ref &&
      details.voided !== true &&
      (DEATHS.includes(kind) || INFECTIONS.includes(kind)),
  );
  if (last?.kind === "starve") return Date.parse(last.at);
  return last === undefined || DEATHS.includes(last.kind)
    ? null
    : Date.parse(game?.now ?? last.at) - UNRECORDED_MS;
};

export const Tag = () => {
  const current = snapshot.value;
  const at = now.value;
  const state = current?.player.state;
  const starvedAt = useValue(useCallback(readStarvation, [state]));
  const [isLate, setLate] = useState(false);
  const draft = useDraft("tag", "");
  const { value: code, set: setCode } = draft;
  const [minutesAgo, setMinutesAgo] = useState(0);
  const [sharers, setSharers] = useState<string[]>([]);
  const [place, setPlace] = useState<Place | null>(null);
  const [result, setResult] = useState<TagOutcome | null>(null);
  const sending = useSignal<string | null>(null);
  const clear = (): void => {
    setResult(null);
    draft.clear();
    setMinutesAgo(0);
    setSharers([]);
    setPlace(null);
  };
  // Of a corpse, only tags from before they starved count.
  const earliest =
    state === "corpse" && starvedAt !== null && at !== null ? Math.floor((at - starvedAt) / 60_000) + 1 : 0;
  const form = useSubmit(async () => {
    if (at === null || current === null) return;
    const { player_id, starves_at, state } = current.player;
    const share = sharers.length === 0 ? {} : { share_with: sharers };
    const key = crypto.randomUUID();
    const tag: StoredTag = {
      key,
      player_id,
      entered_at: new Date(at).toISOString(),
      body: { tag_code: code, hunted_at: timeAgo(at, Math.max(minutesAgo, earliest)), ...share, ...place },
      refusal: null,
    };
    sending.value = key;
    refused.current = code;
    try {
      const done = await sendTag(tag);
      if (done === null) {
        clear();
        await syncWhenOnline();
      } else {
        recordSuccess();
        draft.clear();
        const hoursGained = hoursBetween(starves_at, done.hunter.starves_at);
        const livesAgain = state === "corpse" && done.hunter.starves_at !== null;
        setResult({ ...done, hoursGained, livesAgain });
      }
      void refresh().catch(() => {});
    } finally {
      sending.value = null;
    }
  }, FIELDS);
  /** The code that was refused. Its error goes when another one is typed. */
  const refused = useRef("");
  if (current === null || at === null) return <Skeleton />;
  if (result !== null) {
    return <TagResult result={result} onAgain={clear} at={at} />;
  }
  const { player, game } = current;
  const mayBeLate = earliest > 0 && earliest * 60 <= game.report_window_seconds;
  if (player.state !== "zombie" && !(mayBeLate && isLate))
    return (
      <main class="page stack">
        <h1>{en.tag.title}</h1>
        <Queue at={at} sending={sending.value} />
        <Empty>{en.tag.notZombie}</Empty>
        {mayBeLate ? (
          <button type="button" class="button" onClick={() => setLate(true)}>
            {en.tag.late}
          </button>
        ) : null}
      </main>
    );
  return (
    <main class="page" data-state="zombie">
      <form class="stack" onSubmit={form.submit}>
        <h1>{en.tag.title}</h1>
        {starvedAt === null || !mayBeLate ? null : <p class="muted">{en.tag.lateText}</p>}
        {isOffline.value ? <p class="offline">{en.tag.offline}</p> : null}
        {game.in_play && !game.paused ? null : <p class="offline">{situationText(game, at)}</p>}
        <Queue at={at} sending={sending.value} />
        <Restored draft={draft} />
        <CodeBoxes
          code={code}
          error={code === refused.current ? fieldError(form.error, "tag_code") : undefined}
          onChange={setCode}
        />
        <Scan onCode={setCode} />
        <FormErrors.Provider value={form.error}>
          <When
            name="hunted_at"
            minutesAgo={Math.max(minutesAgo, earliest)}
            from={earliest}
            window={game.report_window_seconds}
            onChange={setMinutesAgo}
          />
        </FormErrors.Provider>
        <Sharers max={game.sharers} chosen={sharers} onChange={setSharers} at={at} />
        <PlaceField place={place} onChange={setPlace} />
        <FormError error={form.error} />
        <div class="submit">
          <button
            type="submit"
            class="button"
            data-kind="primary"
            disabled={code.length < CODE_LENGTH || form.isSending}
            aria-busy={form.isSending}
          >
            {en.tag.submit}
          </button>
        </div>
      </form>
    </main>
  );
};
