/** The list of disputes, with both sides, their statements and the comments. */
import * as z from "zod/mini";
import { DISPUTE_STATUSES, type Dispute, DisputeStatus, type Entry } from "../../domain/disputes/dispute.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import type { ReadCallOf as ReadCall } from "../../http/definition.ts";
import { pagingFields } from "../../http/fields.ts";
import { InteractionReturnType, Timestamp } from "../../http/views.ts";
import { disputeEntries, parseDispute, readTexts } from "../../store/hunts/disputes.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { parseInteraction } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { expectedEntries, readPage } from "../../store/lists.ts";
import { loadAliases, showInteractions } from "../lookups.ts";

export const DisputesQuery = z.strictObject({
  ...pagingFields(50, 100),
  status: z.optional(z.enum(DISPUTE_STATUSES)),
});

const aliasOrNull = z.nullable(z.string());

const DisputeView = z.object({
  dispute_id: z.string(),
  status: DisputeStatus,
  opened_at: Timestamp,
  resolved_at: z.nullable(Timestamp),
  resolved_by: aliasOrNull,
  note: z.nullable(z.string()),
  interaction: InteractionReturnType,
  /** `alias` and `statement` are `null` if the author's account is deleted. */
  statements: z.array(
    z.object({
      side: z.enum(["hunter", "prey"]),
      alias: aliasOrNull,
      at: Timestamp,
      statement: z.nullable(z.string()),
    }),
  ),
  comments: z.array(z.object({ alias: aliasOrNull, at: Timestamp, comment: z.nullable(z.string()) })),
});

export const DisputesResponse = z.object({
  disputes: z.array(DisputeView),
  next_cursor: z.nullable(z.string()),
});

const authorsOf = ({ entries, resolved_by }: Dispute): string[] => [
  ...entries.map(({ by }) => by),
  ...(resolved_by === null ? [] : [resolved_by]),
];

/** A page of disputes: open ones first, and the newest first. @throws DomainError `invalid_request` for a bad cursor */
export const listDisputes = async (
  call: ReadCall<"moderator", z.infer<typeof DisputesQuery>, z.infer<typeof DisputesResponse>>,
): Promise<CommandResponse> => {
  const { game, now, player: viewer, query, services } = call;
  const { limit, status } = query;
  const { store } = services;
  const place = { list: "disputes", filters: { status } };
  const before = await readCursor(services, place, query.cursor);
  const listed = disputeEntries(store.db, expectedEntries(limit, status !== undefined), { before, status });
  const page = await readPage(listed, limit, ({ pk, sk }) => ({ pk, sk }));
  const found = (await store.db.getMany(page.items)).map(parseDispute);
  const byId = new Map(found.map((dispute) => [keys.dispute(dispute.dispute_id).pk, dispute]));
  // The index may lag behind the items.
  const disputes = page.items
    .map(({ pk }) => byId.get(pk))
    .filter((dispute) => dispute !== undefined)
    .filter((dispute) => status === undefined || dispute.status === status);
  const hunts = await store.db.getMany(
    disputes.map(({ shard, dispute_id }) => keys.interaction(shard, dispute_id)),
  );
  const [aliases, texts, interactions] = await Promise.all([
    loadAliases(store, disputes.flatMap(authorsOf)),
    readTexts(store.db, disputes),
    showInteractions(
      store,
      hunts
        .map((item) => shownInteraction(parseInteraction(item), viewer, game, now))
        .filter((hunt) => hunt !== null),
      viewer,
    ),
  ]);
  const shown = new Map(interactions.map((interaction) => [interaction.interaction_id, interaction]));
  const aliasOf = (id: string | null): string | null => aliases.get(id ?? "") ?? null;
  const statementOf = (interaction: InteractionReturnType, { entry_id, speaker, by, at }: Entry) =>
    speaker === "comment"
      ? []
      : [
          {
            side: speaker,
            // The alias in the interaction, which may hide the hunter.
            alias: speaker === "hunter" ? interaction.actor : aliasOf(by),
            at,
            statement: texts.get(entry_id) ?? null,
          },
        ];
  return call.respond({
    disputes: disputes.flatMap((dispute) => {
      const { dispute_id, entries, opened_at, resolved_at, resolved_by, note } = dispute;
      const interaction = shown.get(dispute_id);
      if (interaction === undefined) return [];
      return [
        {
          dispute_id,
          status: dispute.status,
          opened_at,
          resolved_at,
          note,
          interaction,
          resolved_by: aliasOf(resolved_by),
          statements: entries.flatMap((entry) => statementOf(interaction, entry)),
          comments: entries
            .filter(({ speaker }) => speaker === "comment")
            .map(({ entry_id, by, at }) => ({
              alias: aliasOf(by),
              at,
              comment: texts.get(entry_id) ?? null,
            })),
        },
      ];
    }),
    next_cursor: await makeCursor(services, place, page.next),
  });
};
