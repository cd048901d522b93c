/** Reading the file of a game: first to its end, to see whether it is whole, before anything is done with it. */
import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { messageOf, UserError } from "../cli/userError.ts";
import { FORMAT, Header, itemOf, Trailer, VERSION } from "./format.ts";
import type { RawItem } from "./rawItem.ts";

/** No item of the table makes a longer line. */
const LONGEST_LINE = 4 * 1024 * 1024;

const END = "\n".charCodeAt(0);

/** The lines of a file, each with its end; the last may have none. @throws UserError */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
      rest = Buffer.concat([rest, chunk]);
      let from = 0;
      for (let end = rest.indexOf(END); end !== -1; end = rest.indexOf(END, from)) {
        yield rest.subarray(from, end + 1);
        from = end + 1;
      }
      rest = rest.subarray(from);
      if (rest.length > LONGEST_LINE) throw new UserError(`${file} is no file of a game: a line never ends.`);
    }
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${file} cannot be read: ${messageOf(error)}`);
  }
  if (rest.length > 0) yield rest;
}

const json = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
};

const readHeader = (file: string, line: Buffer): Header => {
  const header = Header.safeParse(json(line));
  if (!header.success) {
    throw new UserError(
      `${file} is no file of a game: its first line is not the header of a ${FORMAT} export.`,
    );
  }
  if (header.data.version !== VERSION) {
    throw new UserError(
      `${file} is of version ${header.data.version}, and this service reads version ${VERSION}: use the service that wrote it.`,
    );
  }
  return header.data;
};

const readItem = (file: string, line: Buffer, number: number): RawItem => {
  try {
    if (!isUtf8(line)) throw new Error("no text");
    return itemOf(line.toString());
  } catch {
    throw new UserError(`${file} is broken: line ${number} is no item.`);
  }
};

const requireWhole = (file: string, line: Buffer, items: number, hash: Hash): Trailer => {
  const trailer = Trailer.safeParse(json(line));
  if (line.at(-1) !== END || !trailer.success) {
    throw new UserError(`${file} is cut off: its last line is not the trailer with the checksum.`);
  }
  if (trailer.data.items !== items) {
    throw new UserError(`${file} is broken: it has ${items} items, and should have ${trailer.data.items}.`);
  }
  if (trailer.data.sha256 !== hash.digest("hex")) {
    throw new UserError(`${file} is broken: its checksum is another than the one it was written with.`);
  }
  return trailer.data;
};

/** What a file says of itself, once it has been read to its end. */
export interface Verified {
  header: Header;
  trailer: Trailer;
}

/**
 * Reads a file to its end, item by item.
 * @param onItem gets each item and the number of its line; it is waited for, so that no more is read than can be worked on
 * @throws UserError when it is not whole: not before its end
 */
export const readGame = async (
  file: string,
  onItem: (item: RawItem, line: number) => Promise<void> | void,
): Promise<Verified> => {
  const hash = createHash("sha256");
  let header: Header | null = null;
  let items = 0;
  let held: Buffer | null = null;
  // The last line is the trailer, which is known only when there is no further one.
  for await (const line of linesOf(file)) {
    if (held !== null) {
      hash.update(held);
      if (header === null) header = readHeader(file, held);
      else {
        items += 1;
        const line = items + 1;
        await onItem(readItem(file, held, line), line);
      }
    }
    held = line;
  }
  if (held === null) throw new UserError(`${file} is empty.`);
  if (header === null) {
    // One line alone: a header that was cut off behind, or another file.
    readHeader(file, held);
    throw new UserError(`${file} is cut off after its header.`);
  }
  return { header, trailer: requireWhole(file, held, items, hash) };
};
