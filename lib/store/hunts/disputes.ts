/** Reads and writes of disputes. The texts of statements and comments are stored as notes of their authors. */
import { Dispute, type Entry } from "../../domain/disputes/dispute.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { withoutKeys } from "../items.ts";
import { DISPUTES_LIST, disputeOrder, keys, statusInOrder } from "../keys.ts";
import { entries, type Entry as ListEntry } from "../lists.ts";
import { interactionRewrite } from "./voids.ts";

export const parseDispute = (item: StoredItem): Dispute => Dispute.parse(withoutKeys(item));

export const disputeItem = (dispute: Dispute): StoredItem => {
  const { dispute_id: id, status } = dispute;
  return { ...dispute, ...keys.dispute(id), gsi2pk: DISPUTES_LIST, gsi2sk: disputeOrder(id, status) };
};

export const readDispute = async (db: Database, id: string): Promise<Dispute | null> => {
  const item = await db.get(keys.dispute(id));
  return item === undefined ? null : parseDispute(item);
};

/** Writes a changed or new dispute, on condition that it has not changed since it was read. */
export const disputeWrite = (dispute: Dispute): Write => ({
  put: disputeItem(dispute),
  expect: dispute.rev === 1 ? "absent" : { rev: dispute.rev - 1 },
});

/** Stores the text of a statement or comment with its author. @param rev the `rev` that the author must still have */
export const entryWrites = ({ entry_id, by }: Entry, note: string, rev: number): Write[] => [
  { put: { ...keys.note(by, entry_id), note }, hasNewKey: true },
  { check: keys.player(by), expect: { rev } },
];

/**
 * Marks the hunt of a dispute with its status, on condition that the hunt is unchanged, and announces that the hunt
 * stands.
 */
export const disputeMark = (item: StoredItem, dispute: Dispute): Write => {
  const { status, note, resolved_at: at, resolved_by: actor } = dispute;
  const after = { ...item, dispute: status, ...(note === null ? {} : { dispute_note: note }) };
  return status === "stands" && at !== null
    ? interactionRewrite(item, after, { cause: "dispute_stands", at, actor })
    : interactionRewrite(item, after);
};

/** The texts of statements and comments, by their ids; those of deleted accounts are missing. */
export const readTexts = async (db: Database, disputes: readonly Dispute[]): Promise<Map<string, string>> => {
  const wanted = disputes.flatMap((one) => one.entries.map(({ by, entry_id }) => keys.note(by, entry_id)));
  const found = wanted.length === 0 ? [] : await db.getMany(wanted);
  const prefix = keys.note("", "").sk.length;
  return new Map(found.map(({ sk, note }) => [sk.slice(prefix), String(note)]));
};

/** Disputes, open ones first, each group with the newest first. @param status of the listed ones; any by default */
export async function* disputeEntries(
  db: Database,
  expected: number,
  { before, status }: { before?: string | undefined; status?: Dispute["status"] | undefined },
): AsyncGenerator<ListEntry> {
  const list = {
    index: "gsi2",
    partition: () => DISPUTES_LIST,
    shards: 1,
    descending: true,
    before,
  } as const;
  for await (const entry of entries(db, list, expected)) {
    if (status === undefined || statusInOrder(entry.position) === status) yield entry;
  }
}
