/** The page to report a tag: its code, time and place, and the zombies to share the meal with. */
import { useSignal } from "@preact/signals";
import { useCallback, useRef, useState } from "preact/hooks";
import { recordSuccess } from "../../state/device.ts";
import { useDraft } from "../../state/draft.ts";
import { fieldError } from "../../state/errors.ts";
import { type StoredTag, sendTag } from "../../state/queue.ts";
import { useSubmit, useValue } from "../../state/resource.ts";
import { isOffline, now, refresh, snapshot, syncWhenOnline } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { situationText } from "../../text/situation.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, FormError, Skeleton } from "../../ui/feedback.tsx";
import { FormErrors } from "../../ui/field.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { TagCode } from "../../ui/tagCode.tsx";
import { timeAgo, When } from "../../ui/when.tsx";
import { CODE_LENGTH, CodeBoxes, ScanCode } from "./codeField.tsx";
import { type Place, PlaceField } from "./placeField.tsx";
import { ReportTagged } from "./reportTagged.tsx";
import { Sharers } from "./sharers.tsx";
import { readStarvation } from "./starvation.ts";
import { TagQueue } from "./tagQueue.tsx";
import { hoursBetween, type TagOutcome, TagResult } from "./tagResult.tsx";
import "./tag.css";

/** The fields that refusals are about. */
const FIELDS = {
  ...{ unknown_tag_code: "tag_code", already_tagged: "tag_code", code_replaced: "tag_code" },
  ...{ too_many_attempts: "tag_code", wrong_state: "tag_code", paused: "tag_code" },
  ...{ too_early: "hunted_at", not_running: "hunted_at" },
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
        setResult({ ...done, hoursGained, livesAgain, isLast: current.game.counts.humans === 1 });
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
  if (player.state === "human" && player.tag_code !== null)
    return (
      <main class="page stack">
        <h1>{en.tag.humanTitle}</h1>
        <TagQueue at={at} sending={sending.value} />
        <TagCode code={player.tag_code} />
        <ol class="steps">
          {en.tag.human.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {game.in_play ? (
          <ReportTagged window={game.report_window_seconds} at={at} />
        ) : (
          <p class="offline">{situationText(game, at)}</p>
        )}
      </main>
    );
  if (player.state !== "zombie" && !(mayBeLate && isLate))
    return (
      <main class="page stack">
        <h1>{en.tag.title}</h1>
        <TagQueue at={at} sending={sending.value} />
        <Empty>{en.tag.notZombie}</Empty>
        {mayBeLate ? <Button text={en.tag.late} onClick={() => setLate(true)} /> : null}
      </main>
    );
  return (
    <main class="page">
      <form class="stack" onSubmit={form.submit}>
        <h1>{en.tag.title}</h1>
        {starvedAt === null || !mayBeLate ? null : <p class="muted">{en.tag.lateText}</p>}
        {isOffline.value ? <p class="offline">{en.tag.offline}</p> : null}
        {game.in_play && !game.paused ? null : <p class="offline">{situationText(game, at)}</p>}
        <TagQueue at={at} sending={sending.value} />
        <Restored draft={draft} />
        <CodeBoxes
          code={code}
          error={code === refused.current ? fieldError(form.error, "tag_code") : undefined}
          onChange={setCode}
        />
        <ScanCode onCode={setCode} />
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
        <div class="main-action">
          <Button
            text={en.tag.submit}
            kind="primary"
            type="submit"
            disabled={code.length < CODE_LENGTH || form.isSending}
            aria-busy={form.isSending}
          />
        </div>
      </form>
    </main>
  );
};
