/** Names the format of a file that a browser cannot read as a photograph. */
import { en } from "../../text/en.ts";

/** Formats by the first bytes of a file, as Latin-1. The first match counts. */
const FORMATS: readonly (readonly [start: RegExp, name: string])[] = [
  [/^.{4}ftyp.{0,56}avi[fs]/s, "AVIF"],
  [/^.{4}ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)/s, "HEIC"],
  [/^.{4}ftypcrx /s, "RAW"],
  [/^.{4}ftyp/s, "film"],
  [/^(?:II[*+]\0|MM\0[*+])/, "TIFF"],
  [/^(?:FUJIFILMCCD-RAW|IIR[OS]|IIU\0)/, "RAW"],
  [/^8BP[SB]/, "Photoshop"],
  [/^%PDF/, "PDF"],
  [/^(?:\xff\n|.{4}JXL )/s, "JPEG XL"],
  [/^.{4}jP {2}/s, "JPEG 2000"],
  [/^\xff\xd8\xff/, "JPEG"],
  [/^\x89PNG/, "PNG"],
  [/^GIF8/, "GIF"],
  [/^RIFF.{4}WEBP/s, "WebP"],
  [/^BM/, "BMP"],
  [/^\s*<(?:svg|\?xml)/, "SVG"],
];

/** Cameras write their own formats as TIFF, and name the files differently. */
const RAW_NAME = /\.(?:arw|cr2|dng|nef|nrw|orf|pef|raf|rw2|srw)$/i;

const HEAD_BYTES = 64;

/** What to tell somebody whose file the browser could not decode: the name of its format, and the way out. */
export const unreadableText = async (file: File): Promise<string> => {
  const { picture } = en;
  const bytes = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    // A file that is in a cloud, or was moved meanwhile.
    .catch(() => null);
  if (bytes === null) return picture.gone;
  const head = String.fromCharCode(...new Uint8Array(bytes));
  const [, name] = FORMATS.find(([start]) => start.test(head)) ?? [];
  if (name === undefined) return picture.unknown;
  if (name === "HEIC") return picture.heic;
  if (["JPEG", "PNG", "GIF"].includes(name)) return picture.damaged(name, file.size / 1e6);
  return picture.format(name === "TIFF" && RAW_NAME.test(file.name) ? "RAW" : name);
};
