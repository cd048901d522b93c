/** Decodes a file of text, in whatever encoding a spreadsheet has saved it. */
import { gm } from "../../../text/staff.ts";

/** Encodings in which programs of some country save text that is not Unicode. Nothing in such a file names its encoding. */
export type Encoding = (typeof gm.import.encodings)[number][0];

/** How a file is to be read: as Unicode, which it shows by itself, or else in an encoding that a person may change. */
export interface Decoded {
  text: string;
  isUnicode: boolean;
}

/** Bytes that are looked at for the zeros of UTF-16. */
const SAMPLE_BYTES = 4_096;

/** Whether every second byte may be a zero, and no other is: the upper halves of Latin letters and separators in UTF-16. */
const utf16Of = (bytes: Uint8Array): "utf-16le" | "utf-16be" | null => {
  const zeros = [0, 0];
  for (const [at, byte] of bytes.subarray(0, SAMPLE_BYTES).entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even === 0 && odd > 0) return "utf-16le";
  return odd === 0 && even > 0 ? "utf-16be" : null;
};

const startsWith = (bytes: Uint8Array, ...start: number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte);

const unicodeOf = (bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" => {
  if (startsWith(bytes, 0xff, 0xfe)) return "utf-16le";
  if (startsWith(bytes, 0xfe, 0xff)) return "utf-16be";
  return utf16Of(bytes) ?? "utf-8";
};

/**
 * Decodes by the byte order mark; without one as UTF-16 if it plainly is that, else as UTF-8 if it is valid, else in the
 * given encoding. A byte order mark is not part of the text.
 */
export const decode = (bytes: Uint8Array, otherwise: Encoding = "windows-1252"): Decoded => {
  try {
    return { text: new TextDecoder(unicodeOf(bytes), { fatal: true }).decode(bytes), isUnicode: true };
  } catch {
    return { text: new TextDecoder(otherwise).decode(bytes), isUnicode: false };
  }
};

/** Files that are chosen in place of a CSV file, by their first bytes as Latin-1. */
const OTHER_FILES: readonly (readonly [start: string, name: string])[] = [
  ["%PDF", "PDF"],
  ["{\\rtf", "RTF"],
  ["\x89PNG", "PNG"],
  ["\xff\xd8\xff", "JPEG"],
  ["GIF8", "GIF"],
  ["\x1f\x8b", "compressed"],
  ["7z\xbc\xaf", "compressed"],
  ["Rar!", "compressed"],
];

const MARKUP = /^\s*<(?:!doctype|html|\?xml|table)/i;

const HEAD_BYTES = 2_048;

/** Spreadsheets are ZIP files; those of Numbers and of OpenDocument differ in what they contain, and in its order. */
const spreadsheetText = (head: string): string => {
  const { calc, numbers, excel } = gm.import.spreadsheet;
  if (head.includes("application/vnd.oasis.opendocument")) return calc;
  return head.includes("Index/") || head.includes(".iwa") ? numbers : excel;
};

/** Why a file is no CSV file, and how to make one of it; `null` if it may be one. */
export const otherFileText = (bytes: Uint8Array): string | null => {
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  if (head.startsWith("PK\x03\x04")) return spreadsheetText(head);
  // The format of Excel before 2007.
  if (head.startsWith("\xd0\xcf\x11\xe0")) return gm.import.spreadsheet.excel;
  const [, name] = OTHER_FILES.find(([start]) => head.startsWith(start)) ?? [];
  if (name !== undefined) return gm.import.otherFile(name);
  if (MARKUP.test(decode(bytes.subarray(0, HEAD_BYTES)).text)) return gm.import.otherFile("HTML or XML");
  return unicodeOf(bytes) === "utf-8" && head.includes("\0") ? gm.import.noCsv : null;
};
