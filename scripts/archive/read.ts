/** Reads export files. A file is read to its end and verified before its items are used. */
import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { RawItem } from "../../lib/dynamodb/rawItem.ts";
import { FORMAT, VERSION } from "../../lib/store/archiveItems.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { Header, itemOf, Trailer } from "./format.ts";

/** The maximum length of a line in bytes; no item of the table makes a longer one. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

const END = "\n".charCodeAt(0);

/** Yields the lines of a file with their line breaks; the last line may have none. @throws UserError */
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
      if (rest.length > MAX_LINE_BYTES)
        throw new UserError(`${file} is not an export file: it contains a line that is too long.`);
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
      `${file} is not an export file: its first line is not the header of a ${FORMAT} export.`,
    );
  }
  if (header.data.version !== VERSION) {
    throw new UserError(
      `${file} has version ${header.data.version}, but this service reads version ${VERSION}. Use the service that wrote it.`,
    );
  }
  return header.data;
};

const readItem = (file: string, line: Buffer, number: number): RawItem => {
  try {
    if (!isUtf8(line)) throw new Error("not UTF-8");
    return itemOf(line.toString());
  } catch {
    throw new UserError(`${file} is invalid: line ${number} is not an item.`);
  }
};

const requireWhole = (file: string, line: Buffer, items: number, hash: Hash): Trailer => {
  const trailer = Trailer.safeParse(json(line));
  if (line.at(-1) !== END || !trailer.success) {
    throw new UserError(`${file} is incomplete: its last line is not the trailer with the checksum.`);
  }
  if (trailer.data.items !== items) {
    throw new UserError(`${file} is invalid: it has ${items} items instead of ${trailer.data.items}.`);
  }
  if (trailer.data.sha256 !== hash.digest("hex")) {
    throw new UserError(`${file} is invalid: its checksum does not match.`);
  }
  return trailer.data;
};

/** The header and trailer of a verified file. */
export interface Verified {
  header: Header;
  trailer: Trailer;
}

/**
 * Reads a file item by item and verifies it.
 * @param onItem called with each item; reading waits for it
 * @throws UserError if the file is incomplete or invalid, which may be known only at its end
 */
export const readGame = async (
  file: string,
  onItem: (item: RawItem) => Promise<void> | void = () => {},
): Promise<Verified> => {
  const hash = createHash("sha256");
  let header: Header | null = null;
  let items = 0;
  let previous: Buffer | null = null;
  // The last line is the trailer, so each line is processed only when the next one has been read.
  for await (const line of linesOf(file)) {
    if (previous !== null) {
      hash.update(previous);
      if (header === null) header = readHeader(file, previous);
      else {
        items += 1;
        await onItem(readItem(file, previous, items + 1));
      }
    }
    previous = line;
  }
  if (previous === null) throw new UserError(`${file} is empty.`);
  if (header === null) {
    // A single line: a header without items and trailer, or another kind of file.
    readHeader(file, previous);
    throw new UserError(`${file} is incomplete: it ends after its header.`);
  }
  return { header, trailer: requireWhole(file, previous, items, hash) };
};
