/** The list of disputes, with both sides, their statements and the comments. */
import type { Dispute, Entry } from "../../domain/disputes/dispute.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { disputeEntries, parseDispute, readTexts } from "../../store/hunts/disputes.ts";
import { parseInteraction } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { expectedEntries, readPage } from "../../store/lists.ts";
import { loadAliases, showInteractions } from "../lookups.ts";
import type { InteractionInfo } from "../shown.ts";

const authorsOf = ({ entries, resolved_by }: Dispute): string[] => [
  ...entries.map(({ by }) => by),
  ...(resolved_by === null ? [] : [resolved_by]),
];

/** A page of disputes after a position: open ones first, and the newest first. */
export const listDisputes = async (
  { game, now, player: viewer, services: { store } }: ReadCall,
  { limit, status }: { limit: number; status?: Dispute["status"] | undefined },
  before: string | undefined,
) => {
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
  const statementOf = (interaction: InteractionInfo, { entry_id, speaker, by, at }: Entry) =>
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
  return {
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
    next: page.next,
  };
};
