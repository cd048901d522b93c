/** The archive of the game as a file that `npm run import` reads. */
import { readUntil } from "../../../state/resource.ts";
import { readAwards } from "../../../ui/awards.tsx";
import { read } from "../../calls.ts";

const hex = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Reads the archive page by page: a header with the awards, a line for each item, and the checksum of all that.
 * @param onItems called with the number of items so far
 * @throws GameError
 */
export const readArchive = async (onItems: (items: number) => void) => {
  let header: object = {};
  let count = 0;
  const { items: lines } = await readUntil(
    async (cursor) => {
      const page = await read("archive", cursor === undefined ? {} : { cursor });
      header = page.header;
      count += page.lines.length;
      onItems(count);
      return { items: page.lines, next: page.next_cursor };
    },
    undefined,
    Number.POSITIVE_INFINITY,
  );
  const all = [JSON.stringify({ ...header, awards: await readAwards() }), ...lines];
  const bytes = new TextEncoder().encode(all.map((line) => `${line}\n`).join(""));
  const sha256 = hex(await crypto.subtle.digest("SHA-256", bytes));
  const trailer = `${JSON.stringify({ items: count, sha256 })}\n`;
  return { count, file: new Blob([bytes, trailer], { type: "application/x-ndjson" }) };
};
