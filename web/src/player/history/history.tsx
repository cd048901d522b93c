/** The player's own events, with a form to dispute a tag. */
import { Flag } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { api, type Interaction, type Player } from "../../state/api.ts";
import { useDraft } from "../../state/draft.ts";
import { usePages, useSubmit } from "../../state/resource.ts";
import { lastEvent } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EventRow, latestFirst } from "../../ui/event.tsx";
import { FormError } from "../../ui/feedback.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PagesList } from "../../ui/layout/pagesList.tsx";
import { Restored } from "../../ui/layout/restored.tsx";

const PAGE_SIZE = 10;

/**
 * Whether a player may dispute a tag or add their side. The service rejects a dispute more than 24 hours after the tag was
 * recorded or its hunter became known. The page does not know the latter time, so it leaves this to the service.
 */
const isDisputable = (event: Interaction, { player_ref }: Player): boolean => {
  const { kind, details, actor_ref, target_ref } = event;
  const { voided, waiting, dispute = "open" } = details;
  const isParty = actor_ref === player_ref || target_ref === player_ref;
  return kind === "hunt" && isParty && !voided && !waiting && dispute === "open";
};

interface DisputeProps {
  event: Interaction;
  isPrey: boolean;
  onDone: () => void;
  onClose: () => void;
}

const DisputeForm = ({ event, isPrey, onDone, onClose }: DisputeProps) => {
  const reasons = isPrey ? en.dispute.preyReasons : en.dispute.hunterReasons;
  const draft = useDraft(`dispute:${event.interaction_id}`, { reason: reasons[0] ?? "", more: "" });
  const { reason, more } = draft.value;
  const form = useSubmit(async () => {
    const statement = [reason, more.trim()].filter((text) => text !== "").join(" ");
    const { interaction_id } = event;
    await api.post("/interactions/dispute/{url_id}", { body: { interaction_id, reason: statement } });
    draft.clear();
    onDone();
  });
  return (
    <form class="stack" onSubmit={form.submit}>
      <p class="muted">{en.dispute.lead}</p>
      <Restored draft={draft} />
      <fieldset>
        <legend class="visually-hidden">{en.dispute.reason}</legend>
        {reasons.map((text) => (
          <label key={text} class="row">
            <input
              type="radio"
              name="reason"
              checked={text === reason}
              onChange={() => draft.set({ reason: text, more })}
            />
            <span class="grow">{text}</span>
          </label>
        ))}
      </fieldset>
      <label class="stack">
        <span class="label">{en.dispute.more}</span>
        <textarea
          class="text-area"
          name="more"
          rows={3}
          maxLength={900}
          value={more}
          onInput={(input) => draft.set({ reason, more: input.currentTarget.value })}
        />
      </label>
      <FormError error={form.error} />
      <Button text={en.dispute.submit} kind="primary" type="submit" disabled={form.isSending} />
      <Button text={en.me.cancel} kind="quiet" onClick={onClose} />
    </form>
  );
};

/** Returns the status of the dispute about a tag, or `null`. */
const disputeText = ({ details: { dispute, dispute_note } }: Interaction): string | null => {
  if (dispute === undefined) return null;
  return [en.dispute.status[dispute], dispute_note].filter((text) => text !== undefined).join(" ");
};

const readOwn = async (cursor?: string) => {
  const query = { player: "me", limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
  const { interactions, next_cursor } = await api.get("/interactions/{url_id}", { query });
  return { items: interactions, next: next_cursor };
};

/** The player's own events, latest at the end, which are read again when something happens. */
export const useOwnHistory = () => {
  const pages = usePages(readOwn, "history");
  const newest = lastEvent.value;
  useEffect(() => {
    if (newest !== null && pages.items.length <= PAGE_SIZE && !pages.isLoading) void pages.reload();
  }, [newest]);
  return pages;
};

interface HistoryProps {
  player: Player;
  pages: ReturnType<typeof useOwnHistory>;
  at: number;
}

export const History = ({ player, pages, at }: HistoryProps) => {
  const [disputed, setDisputed] = useState<Interaction | null>(null);
  /** The ids of the tags about which the player has made a statement since the page was opened. */
  const [answered, setAnswered] = useState<readonly string[]>([]);
  const close = (): void => setDisputed(null);
  return (
    <section id="history" class="stack">
      <h2>{en.me.history}</h2>
      <PagesList pages={{ ...pages, items: latestFirst(pages.items) }} empty={en.me.noHistory}>
        {(event) => {
          const text = disputeText(event);
          const { interaction_id } = event;
          return (
            <EventRow key={interaction_id} event={event} at={at}>
              {text === null ? null : <span class="muted event-more">{text}</span>}
              {isDisputable(event, player) && !answered.includes(interaction_id) ? (
                <button type="button" class="button" data-kind="text" onClick={() => setDisputed(event)}>
                  <Icon of={Flag} size={16} />
                  {text === null ? en.dispute.open : en.dispute.answer}
                </button>
              ) : null}
            </EventRow>
          );
        }}
      </PagesList>
      <Dialog isOpen={disputed !== null} title={en.dispute.title} onClose={close}>
        {disputed === null ? null : (
          <DisputeForm
            event={disputed}
            isPrey={disputed.target_ref === player.player_ref}
            onClose={close}
            onDone={() => {
              setAnswered([...answered, disputed.interaction_id]);
              close();
              void pages.reload();
            }}
          />
        )}
      </Dialog>
    </section>
  );
};
