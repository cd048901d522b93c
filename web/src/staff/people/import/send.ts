/** Sends rows to be checked or created, in parts that the service takes. */
import { command, type Result } from "../../calls.ts";
import type { Draft } from "./rows.ts";

export type Imported = Result<"import_players">;
export type RowResult = Imported["rows"][number];

/** The results by the numbers of the rows. */
export type Results = ReadonlyMap<number, RowResult>;

type Sent = Pick<Draft, "row" | "alias"> & Partial<Draft>;

interface Options {
  dry_run?: boolean;
  renew_invitations?: boolean;
  create?: boolean;
}

/** The service takes this many rows at once. Their text may have 256 KB. */
const MAX_ROWS = 500;
const MAX_LENGTH = 120_000;

const bodyOf = ({ row, alias, first_name = "", last_name = "", email = "", labels = [] }: Sent) => {
  const fields = { first_name, last_name, email };
  const filled = Object.entries(fields).filter(([, value]) => value !== "");
  return { row, alias, ...Object.fromEntries(filled), ...(labels.length === 0 ? {} : { labels }) };
};

type RowBody = ReturnType<typeof bodyOf>;

const partsOf = (rows: readonly RowBody[]): RowBody[][] => {
  const parts: RowBody[][] = [];
  let length = 0;
  for (const row of rows) {
    const part = parts.at(-1);
    const more = JSON.stringify(row).length;
    if (part === undefined || part.length === MAX_ROWS || length + more > MAX_LENGTH) {
      parts.push([row]);
      length = more;
    } else {
      part.push(row);
      length += more;
    }
  }
  return parts;
};

/**
 * Sends rows part by part. What the service had no time for is sent again, as long as each call brings some results.
 * @param onResults called with the results so far, after each call
 * @throws GameError; the results until then were given to `onResults`
 */
export const sendRows = async (
  rows: readonly Sent[],
  options: Options,
  onResults: (results: Results) => void = () => {},
): Promise<Results> => {
  const results = new Map<number, RowResult>();
  for (const part of partsOf(rows.map(bodyOf))) {
    let left = part;
    for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before; ) {
      before = left.length;
      const answer = await command("import_players", { rows: left, ...options });
      for (const result of answer.rows) results.set(result.row, result);
      left = left.filter(({ row }) => results.get(row)?.status === "pending");
      onResults(new Map(results));
    }
  }
  return results;
};
