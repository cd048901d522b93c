/** The model's rules of disputes. */
import { DAY, rfc3339 } from "../../../lib/domain/time.ts";
import { ok } from "./accounts.ts";
import { disputesView, eventView } from "./bodies.ts";
import { forMasters, forPlayers, IDEMPOTENT, type Route, type Rules } from "./request.ts";
import { ModelError } from "./sessions.ts";
import type { Dispute, Event, Model } from "./state.ts";
import { voidHunt } from "./void.ts";

const disputable = (m: Model, id: string): Event => {
  const event = m.record.find((one) => one.id === id);
  if (event === undefined) throw new ModelError("not_found");
  if (event.kind !== "hunt" || event.voided) throw new ModelError("wrong_state");
  return event;
};

const disputeOf = (m: Model, id: string): { event: Event; dispute: Dispute } => {
  const event = m.record.find((one) => one.id === id);
  const dispute = m.disputes.find(({ n }) => n === event?.n);
  if (event === undefined || dispute === undefined) throw new ModelError("not_found");
  return { event, dispute };
};

const requireOpen = ({ status }: Dispute): void => {
  if (status !== "open") throw new ModelError("wrong_state");
};

export const DISPUTES = {
  "POST /interactions/dispute/{url_id}": forPlayers((m, { interaction_id, reason }, { id, ...caller }) => {
    const event = disputable(m, interaction_id);
    const { n, actor, target, recordedAt, completedAt } = event;
    if (id !== actor && id !== target) throw new ModelError("wrong_state");
    let dispute = m.disputes.find((one) => one.n === n);
    if (dispute === undefined) {
      if (m.now > (completedAt ?? recordedAt) + DAY) throw new ModelError("wrong_state");
      dispute = { n, status: "open", openedAt: m.now, entries: [], resolved: null };
      m.disputes.push(dispute);
    }
    requireOpen(dispute);
    if (dispute.entries.some(({ by, speaker }) => by === id && speaker !== "comment"))
      throw new ModelError("wrong_state");
    const speaker = id === actor ? "hunter" : "prey";
    dispute.entries.push({ speaker, by: id, at: m.now, text: reason });
    const opened_at = rfc3339(dispute.openedAt);
    return ok((after) => ({
      ...{ dispute_id: interaction_id, status: "open", opened_at },
      interaction: eventView(after, event, { id, ...caller }),
    }));
  }, IDEMPOTENT),

  "POST /admin/comment_dispute/{url_id}": forMasters((m, { dispute_id, comment }, { id }) => {
    const { dispute } = disputeOf(m, dispute_id);
    requireOpen(dispute);
    dispute.entries.push({ speaker: "comment", by: id, at: m.now, text: comment });
    const comments = dispute.entries.filter(({ speaker }) => speaker === "comment").length;
    return ok(() => ({ dispute_id, status: "open", comments }));
  }, IDEMPOTENT),

  "POST /admin/resolve_dispute/{url_id}": forMasters(
    (m, { dispute_id, outcome, note }, { id }, { facts }) => {
      const { dispute, event } = disputeOf(m, dispute_id);
      requireOpen(dispute);
      const newCode = (): string => facts.codeOf(event.target ?? "");
      const effects =
        outcome === "void" ? voidHunt(m, { hunt: event, actor: id, reason: note, newCode }).effects : [];
      Object.assign(dispute, { status: outcome, resolved: { at: m.now, by: id, note } });
      const resolved_at = rfc3339(m.now);
      return ok(() => ({ dispute_id, status: outcome, resolved_at, effects }));
    },
    IDEMPOTENT,
  ),

  "GET /admin/disputes/{url_id}": forMasters((m, { status }, viewer) =>
    ok(() => ({ disputes: disputesView(m, viewer, status), next_cursor: null })),
  ),
} satisfies Partial<Rules<Route>>;
