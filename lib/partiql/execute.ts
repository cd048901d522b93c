/** Executes validated statements and returns their results in pages, never with a secret. */
import * as z from "zod/mini";
import { invalidRequest } from "../domain/domainError.ts";
import type { Database, Item, StatementPage } from "../dynamodb/database.ts";
import type { Select, Statement } from "./ast.ts";
import { toJson } from "./json.ts";
import { type Rendered, render } from "./render.ts";
import { isSecret } from "./secrets.ts";

/** Where the next page of results starts: at or within a page of the database. */
export const Position = z.object({
  /** The token of the database's page; `null` for the first. */
  token: z.nullable(z.string()),
  /** In that page: its size limit, the number of items already returned, and the key of the last one. */
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
  /** Returns the milliseconds until the caller must respond. */
  timeLeft: () => number;
}

const RESPONSE_RESERVE_MS = 3_000;
/** Lambda limits a response to 6 MB. The rest is a margin, such as for escaped quotes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** The number of items to read when conditions may filter most of them. */
const FILTERED_READ = 500;

const keyOf = (item: Item): string => JSON.stringify([item.pk, item.sk]);

/** The final check, independent of the validator: no secret is returned. */
const requireNoSecret = (items: readonly Item[]): void => {
  if (!items.some(isSecret)) return;
  throw invalidRequest({
    path: "statement",
    message: "it was executed, but its result contains a secret and is not returned",
  });
};

const shown = (item: Item, { hidden }: Rendered): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => (hidden.includes(name) ? [] : [[name, toJson(value)]])),
  );

/** The items of a database page that were not returned yet. */
const remaining = (page: StatementPage, within: Position["within"]): { items: Item[]; gone: number } => {
  if (within === undefined) return { items: page.items, gone: 0 };
  // The page may have changed, so look for the last key. If it was removed, repeat an item rather than skip one.
  const last = page.items.findIndex((item) => keyOf(item) === within.last);
  const gone = last < 0 ? Math.min(within.gone - 1, page.items.length) : last + 1;
  return { items: page.items.slice(gone), gone };
};

const executeSelect = async (db: Database, select: Select, options: Options): Promise<ResultPage> => {
  const { limit, from, timeLeft } = options;
  const rendered = render(select);
  let before: Item | undefined;
  const items: ResultPage["items"] = [];
  let bytes = 0;
  let { token, within }: Position = from ?? { token: null };
  let size = within?.size ?? limit;
  for (;;) {
    const page = await db.execute(rendered, { limit: size, ...(token === null ? {} : { from: token }) });
    requireNoSecret(page.items);
    const { items: unread, gone } = remaining(page, within);
    for (const [at, item] of unread.entries()) {
      const value = shown(item, rendered);
      const length = Buffer.byteLength(JSON.stringify(value));
      const full = items.length === limit || (items.length > 0 && bytes + length > MAX_BYTES);
      if (full && before !== undefined) {
        // Nothing of this database page was taken: the next page of results starts at its beginning.
        if (at === 0 && gone === 0) return { items, next: { token } };
        return { items, next: { token, within: { size, gone: gone + at, last: keyOf(before) } } };
      }
      before = item;
      items.push(value);
      bytes += length;
    }
    if (page.next === undefined) return { items, next: null };
    token = page.next;
    within = undefined;
    // A page may be short if time runs out. The cursor continues after it.
    if (timeLeft() < RESPONSE_RESERVE_MS) return { items, next: { token } };
    // After a full page, read one more item to know whether another page follows; if it is filtered, read more.
    size = items.length === limit && unread.length > 0 ? 1 : Math.max(limit - items.length, FILTERED_READ);
  }
};

/**
 * Executes a statement that `validate` has returned.
 * @returns a page of items as JSON, and the start of the next page; `null` after the last
 * @throws DomainError `invalid_request` if the result contains a secret (a write is done nevertheless);
 *   StatementRejected or DatabaseBusy as `Database.execute`
 */
export const execute = async (db: Database, statement: Statement, options: Options): Promise<ResultPage> => {
  if (statement.kind === "select") return executeSelect(db, statement, options);
  if (options.from !== undefined)
    throw invalidRequest({ path: "cursor", message: "only SELECT takes a cursor" });
  const rendered = render(statement);
  const { items } = await db.execute(rendered);
  requireNoSecret(items);
  return { items: items.map((item) => shown(item, rendered)), next: null };
};
