/** The disputes page: the statements of both sides, comments and the decision. */
import { useCallback, useState } from "preact/hooks";
import { api } from "../../../state/api.ts";
import { openDraft, useDraft } from "../../../state/draft.ts";
import { useSubmit } from "../../../state/resource.ts";
import { now } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { timeText } from "../../../text/times.ts";
import { Button } from "../../../ui/button.tsx";
import { eventText } from "../../../ui/event.tsx";
import { Empty, FormError } from "../../../ui/feedback.tsx";
import { Restored } from "../../../ui/layout/restored.tsx";
import { command, type Dispute, may } from "../../calls.ts";
import { notifyChanged } from "../../changes.ts";
import { usePolled } from "../../polled.ts";
import { CommandButton } from "../../ui/commandButton.tsx";
import type { Confirmation } from "../../ui/confirmation.tsx";
import { useIncrementalList } from "../../ui/incrementalList.tsx";
import { bindSignal, Select, TextArea } from "../../ui/inputs.tsx";
import { Loading } from "../../ui/loading.tsx";
import { voidEffects } from "../../ui/previews.ts";
import { TagTree } from "./tagTree.tsx";

type Status = Dispute["status"];

const SIDES = ["hunter", "prey"] as const;

/** Returns a function that makes the confirmation to resolve a dispute. The note for both sides is kept between calls. */
const resolveConfirmation = (
  { dispute_id, interaction }: Dispute,
  outcome: "void" | "stands",
  effects: string[],
): (() => Confirmation) => {
  const draft = openDraft(`decision:${dispute_id}:${outcome}`, "");
  const note = draft.signal;
  const isVoid = outcome === "void";
  const title = gm.disputes[isVoid ? "voidTitle" : "standTitle"](interaction.actor);
  return () => ({
    action: "resolve_dispute",
    title,
    decides: dispute_id,
    effects: [...effects, gm.disputes.notifiedWithNote],
    submit: title,
    isDelayed: isVoid,
    drafts: [draft],
    isReady: () => note.value.trim() !== "",
    fields: <TextArea label={gm.disputes.note} name="note" {...bindSignal(note)} />,
    run: async (_, key) => {
      await command("resolve_dispute", { dispute_id, outcome, note: note.value.trim() }, key);
      return { text: isVoid ? gm.disputes.voidDone : gm.disputes.standDone };
    },
  });
};

const previewVoid = async (dispute: Dispute): Promise<() => Confirmation> => {
  // A dispute has the id of its hunt. The endpoint requires a reason, which is stored only in the audit log.
  const reason = gm.disputes.voidTitle(null);
  const body = { interaction_id: dispute.dispute_id, dry_run: true, reason };
  const { effects } = await command("void_hunt", body);
  return resolveConfirmation(dispute, "void", voidEffects(effects));
};

const Comment = ({ dispute_id }: { dispute_id: string }) => {
  const draft = useDraft(`comment:${dispute_id}`, "");
  const { value: text, set: setText } = draft;
  const form = useSubmit(async (keyOf) => {
    const body = { dispute_id, comment: text.trim() };
    await command("comment_dispute", body, keyOf(body));
    draft.sent(text);
    notifyChanged();
  });
  if (!may("comment_dispute")) return null;
  return (
    <form class="stack" onSubmit={form.submit}>
      <Restored draft={draft} />
      <TextArea label={gm.disputes.comment} name="comment" rows={2} value={text} onChange={setText} />
      <FormError error={form.error} />
      <div class="actions">
        <Button
          text={gm.commands.comment_dispute.button}
          type="submit"
          disabled={text.trim() === "" || form.isSending}
        />
      </div>
    </form>
  );
};

const Card = ({ dispute }: { dispute: Dispute }) => {
  const present = now.value ?? Date.now();
  const { interaction, statements, comments, status, dispute_id, resolved_at, resolved_by, note } = dispute;
  const time = (value: string): string => timeText(Date.parse(value), present);
  return (
    <article class="card stack">
      <header>
        <h2>{eventText(interaction)}</h2>
        <p class="muted">{gm.disputes.tagged(time(interaction.at))}</p>
      </header>
      <div class="sides">
        {SIDES.map((side) => {
          const statement = statements.find((statement) => statement.side === side);
          const author = side === "hunter" ? interaction.actor : interaction.target;
          return (
            <figure key={side} data-state={side === "hunter" ? "zombie" : "human"} class="statement">
              <figcaption>
                <strong>{author ?? gm.common.gone}</strong>{" "}
                {statement === undefined ? null : gm.disputes.speaksAs(side)}
              </figcaption>
              {statement === undefined ? (
                <p class="muted">{gm.disputes.noStatement(side)}</p>
              ) : (
                <blockquote>{statement.statement ?? gm.disputes.authorLeft}</blockquote>
              )}
            </figure>
          );
        })}
      </div>
      <TagTree of={interaction} />
      {comments.length === 0 ? null : (
        <ul class="list" aria-label={gm.disputes.comments}>
          {comments.map(({ alias, at, comment }) => (
            <li key={at} class="row">
              <p class="grow">
                <strong>{alias ?? gm.common.gone}</strong>: {comment ?? gm.disputes.authorLeft}
                <span class="sub">{time(at)}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {status === "open" ? (
        <>
          <div class="actions">
            <CommandButton
              action="resolve_dispute"
              text={gm.disputes.voidTitle(interaction.actor)}
              kind="danger"
              preview={() => previewVoid(dispute)}
            />
            <CommandButton
              action="resolve_dispute"
              text={gm.disputes.standTitle(interaction.actor)}
              confirmation={resolveConfirmation(dispute, "stands", [gm.disputes.standEffect])}
            />
          </div>
          <Comment dispute_id={dispute_id} />
        </>
      ) : (
        <p class="note">
          {gm.disputes[status]}.{" "}
          {resolved_at === null
            ? null
            : gm.disputes.resolved(resolved_by ?? gm.common.gone, time(resolved_at))}
          {note === null ? null : `: “${note}”`}
        </p>
      )}
    </article>
  );
};

const readAll = async (status: Status): Promise<Dispute[]> => {
  const all: Dispute[] = [];
  const pages = api.pages("/admin/disputes/{url_id}", { query: { status, limit: 100 } });
  for await (const { disputes } of pages) all.push(...disputes);
  return all;
};

export const Disputes = () => {
  const [status, setStatus] = useState<Status>("open");
  const load = useCallback(() => readAll(status), [status]);
  const polled = usePolled(load);
  const { value } = polled;
  const { first, more } = useIncrementalList(value ?? [], status);
  return (
    <main class="page stack">
      <header class="head">
        <h1>{gm.disputes.title}</h1>
        <Select
          label={gm.disputes.which}
          name="status"
          value={status}
          onChange={setStatus}
          options={[
            ["open", gm.disputes.open],
            ["void", gm.disputes.void],
            ["stands", gm.disputes.stands],
          ]}
        />
      </header>
      <Loading of={polled} />
      {value?.length === 0 ? <Empty>{gm.disputes.empty}</Empty> : null}
      {first.map((dispute) => (
        <Card key={dispute.dispute_id} dispute={dispute} />
      ))}
      {more}
    </main>
  );
};
