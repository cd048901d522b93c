/** A page of what a judged statement answers: full unless it is the last, and never with a secret in it. */
import * as z from "zod/mini";
import { invalid } from "../domain/domainError.ts";
import type { Database, Item, StatementPage } from "../dynamodb/database.ts";
import type { Select, Statement } from "./ast.ts";
import { toJson } from "./json.ts";
import { type Rendered, render } from "./render.ts";
import { isSecret } from "./secrets.ts";

/** Where the next page begins: at a page of the database's, or within one. */
export const Position = z.object({
  /** The database's own mark of its page; none for the first. */
  token: z.nullable(z.string()),
  /** Within that page: how large it was, how many of its items are gone by, and the key of the last of them. */
  within: z.optional(z.object({ size: z.int(), gone: z.int(), last: z.string() })),
});
export type Position = z.infer<typeof Position>;

export interface ResultPage {
  items: Record<string, unknown>[];
  next: Position | null;
}

interface Options {
  limit: number;
  from?: Position | undefined;
  /** Milliseconds until the caller must have answered. */
  timeLeft: () => number;
}

/** Time kept for the answer itself, in milliseconds. */
const RESERVE = 3_000;
/** An answer may have 6 MB; this leaves room for what surrounds the items. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Items that the database reads at once for a statement of which few pass the conditions. */
const FILTERED_READ = 500;

const keyOf = (item: Item): string => JSON.stringify([item.pk, item.sk]);

const textOf = (value: unknown): Buffer => Buffer.from(typeof value === "string" ? value : "");

/** Whether two items stand in the order that was asked for; sort keys have one within a partition. */
const inOrder = ({ table, order }: Select, one: Item, other: Item): boolean => {
  const pk = table.index === null ? "pk" : `${table.index}pk`;
  for (const { key, descending } of order) {
    if (key.name !== pk && one[pk] !== other[pk]) return true;
    const compared = Buffer.compare(textOf(one[key.name]), textOf(other[key.name]));
    if (compared !== 0) return descending ? compared > 0 : compared < 0;
  }
  return true;
};

/** The last line of defence: whatever went wrong before, a secret is not given. */
const requireNoSecret = (items: readonly Item[]): void => {
  if (!items.some(isSecret)) return;
  throw invalid({ path: "statement", message: "its answer would hold a secret, and is not given" });
};

/**
 * Some engines do not heed ORDER BY, or sort each of their pages by itself; a wrong order is not passed off as
 * the right one.
 */
const requireOrder = (select: Select, items: readonly Item[]): void => {
  const wrong = items.findIndex((item, at) => {
    const before = items[at - 1];
    return before !== undefined && !inOrder(select, before, item);
  });
  if (wrong < 0) return;
  throw invalid({
    path: "statement",
    message: "the database here does not heed this ORDER BY: leave it out",
  });
};

const shown = (item: Item, { hidden }: Rendered): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => (hidden.includes(name) ? [] : [[name, toJson(value)]])),
  );

/** The items of a page of the database's that have not gone by. */
const rest = (page: StatementPage, within: Position["within"]): { items: Item[]; gone: number } => {
  if (within === undefined) return { items: page.items, gone: 0 };
  // By its key, for the page may have changed; should the item itself be gone, rather one twice than one never.
  const last = page.items.findIndex((item) => keyOf(item) === within.last);
  const gone = last < 0 ? Math.min(within.gone - 1, page.items.length) : last + 1;
  return { items: page.items.slice(gone), gone };
};

const selected = async (db: Database, select: Select, options: Options): Promise<ResultPage> => {
  const { limit, from, timeLeft } = options;
  const descends = select.order.some(({ descending }) => descending);
  const rendered = render(select);
  const taken: Item[] = [];
  const items: ResultPage["items"] = [];
  let bytes = 0;
  let { token, within }: Position = from ?? { token: null };
  let size = within?.size ?? limit;
  for (;;) {
    const page = await db.execute(rendered, { limit: size, ...(token === null ? {} : { from: token }) });
    requireNoSecret(page.items);
    requireOrder(select, [...taken.slice(-1), ...page.items]);
    if (descends && page.next !== undefined) {
      const ahead = await db.execute(rendered, { limit: FILTERED_READ, from: page.next });
      requireOrder(select, [...page.items.slice(-1), ...ahead.items]);
    }
    const { items: fresh, gone } = rest(page, within);
    for (const [at, item] of fresh.entries()) {
      const value = shown(item, rendered);
      const length = Buffer.byteLength(JSON.stringify(value));
      const full = items.length === limit || (items.length > 0 && bytes + length > MOST_BYTES);
      const before = taken.at(-1);
      if (full && before !== undefined) {
        // Nothing of this page is on ours: then it is simply the next.
        if (at === 0 && gone === 0) return { items, next: { token } };
        return { items, next: { token, within: { size, gone: gone + at, last: keyOf(before) } } };
      }
      taken.push(item);
      items.push(value);
      bytes += length;
    }
    if (page.next === undefined) return { items, next: null };
    token = page.next;
    within = undefined;
    // Short of time, a page may be short too: its reader goes on from there.
    if (timeLeft() < RESERVE) return { items, next: { token } };
    // A full page looks a little further, to know whether it is the last.
    size = items.length === limit && fresh.length > 0 ? 1 : Math.max(limit - items.length, FILTERED_READ);
  }
};

/**
 * Runs a statement that {@link judge} has let pass.
 * @returns a page of its items as JSON says them, and where the next begins; `null` after the last
 * @throws DomainError `invalid_request` when the answer would hold a secret or the database ignores ORDER BY;
 *   StatementRejected, DatabaseBusy
 */
export const execute = async (db: Database, statement: Statement, options: Options): Promise<ResultPage> => {
  if (statement.kind === "select") return selected(db, statement, options);
  if (options.from !== undefined) throw invalid({ path: "cursor", message: "a write has no pages" });
  const rendered = render(statement);
  const { items } = await db.execute(rendered);
  requireNoSecret(items);
  return { items: items.map((item) => shown(item, rendered)), next: null };
};
