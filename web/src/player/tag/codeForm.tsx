/** The form for codes: of a tag with its time, its place and the zombies to share the meal with, or of a slip. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { readCode } from "../../../../lib/domain/rewards/rewardCode.ts";
import type { HuntResult, RedeemResult } from "../../state/api.ts";
import { recordSuccess } from "../../state/device.ts";
import { useDraft } from "../../state/draft.ts";
import { fieldError } from "../../state/errors.ts";
import { sendCode } from "../../state/queue.ts";
import { useSubmit } from "../../state/resource.ts";
import { isOffline, refresh, type Snapshot, syncWhenOnline } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { situationText } from "../../text/situation.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/feedback.tsx";
import { FormErrors } from "../../ui/field.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { timeAgo, When } from "../../ui/when.tsx";
import { CodeBoxes, type CodeKind, ScanCode } from "./codeField.tsx";
import { CodeQueue } from "./codeQueue.tsx";
import { type Place, PlaceField } from "./placeField.tsx";
import { Sharers } from "./sharers.tsx";

/** The fields that refusals are about. */
const FIELDS = {
  ...{ unknown_tag_code: "tag_code", already_tagged: "tag_code", code_replaced: "tag_code" },
  ...{ too_many_attempts: "tag_code", wrong_state: "tag_code", paused: "tag_code" },
  ...{ code_not_valid: "tag_code", too_early: "hunted_at", not_running: "hunted_at" },
};

interface CodeFormProps {
  current: Snapshot;
  at: number;
  /** The kinds of codes that the player can enter now. */
  kinds: readonly CodeKind[];
  /** Tags count that are at least so many minutes old. */
  earliest: number;
  /** Whether its button is the main one of the page. */
  isMain: boolean;
  onDone: (result: HuntResult | RedeemResult) => void;
}

export const CodeForm = ({ current, at, kinds, earliest, isMain, onDone }: CodeFormProps) => {
  const { player, game } = current;
  const draft = useDraft("tag", "");
  const { value: code, set: setCode } = draft;
  const [minutesAgo, setMinutesAgo] = useState(0);
  const [sharers, setSharers] = useState<string[]>([]);
  const [place, setPlace] = useState<Place | null>(null);
  const sending = useSignal<string | null>(null);
  /** The code that was refused. Its error goes when another one is typed. */
  const refused = useRef("");
  const entered = readCode(code);
  // The camera of a phone opens the address of a slip.
  useEffect(() => {
    const found = readCode(location.hash);
    if (found === null) return;
    history.replaceState(null, "", location.pathname);
    setCode(found.code);
  }, []);
  /** Forgets what was sent, and not what has been entered for the next code meanwhile. */
  const clear = (): void => {
    draft.sent(code);
    setMinutesAgo((now) => (now === minutesAgo ? 0 : now));
    setSharers((now) => (now === sharers ? [] : now));
    setPlace((now) => (now === place ? null : now));
  };
  const form = useSubmit(async () => {
    if (entered === null) return;
    const key = crypto.randomUUID();
    const entered_at = new Date(at).toISOString();
    const share = sharers.length === 0 ? {} : { share_with: sharers };
    const body =
      entered.kind === "reward"
        ? { code, redeemed_at: entered_at }
        : { tag_code: code, hunted_at: timeAgo(at, Math.max(minutesAgo, earliest)), ...share, ...place };
    sending.value = key;
    refused.current = code;
    try {
      const done = await sendCode({ key, player_id: player.player_id, entered_at, body, refusal: null });
      clear();
      if (done === null) await syncWhenOnline();
      else {
        recordSuccess();
        onDone(done);
      }
      void refresh().catch(() => {});
    } finally {
      sending.value = null;
    }
  }, FIELDS);
  const submit = (
    <Button
      text={en.redeem.submit[entered?.kind ?? kinds[0] ?? "tag"]}
      kind={isMain ? "primary" : undefined}
      type="submit"
      disabled={entered === null || !kinds.includes(entered.kind) || form.isSending}
      aria-busy={form.isSending}
    />
  );
  return (
    <form class="stack" onSubmit={form.submit}>
      {isOffline.value ? <p class="offline">{en.tag.offline}</p> : null}
      {game.in_play && !game.paused ? null : <p class="offline">{situationText(game, at)}</p>}
      <CodeQueue at={at} sending={sending.value} />
      <Restored draft={draft} />
      <CodeBoxes
        code={code}
        kinds={kinds}
        error={code === refused.current ? fieldError(form.error, "tag_code") : undefined}
        onChange={setCode}
      />
      <ScanCode onCode={setCode} />
      {kinds.includes("tag") && entered?.kind !== "reward" ? (
        <>
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
        </>
      ) : null}
      <FormError error={form.error} />
      {isMain ? <div class="main-action">{submit}</div> : submit}
    </form>
  );
};
