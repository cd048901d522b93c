/** Files of formats that are not accepted, whatever they contain. */
import { deflateRawSync, gzipSync } from "node:zlib";
import { box, bytes, type Hostile, honest, plain, u16, u32 } from "../../support/pictures.ts";
import { le32 } from "./framed.ts";
import { HTML, hostile, MARKER, withPlace, zip } from "./marked.ts";

const svg = (inside: string, before = ""): string =>
  `<?xml version="1.0"?>${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">${inside}</svg>`;

const LAUGHS = `<!DOCTYPE svg [<!ENTITY a0 "${MARKER}">${Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join("")}]>`;

const FILES: readonly [string, () => Buffer | Promise<Buffer>][] = [
  ["an SVG of a billion laughs", () => Buffer.from(svg("<text>&a9;</text>", LAUGHS))],
  [
    "an SVG that reads /etc/passwd",
    () => Buffer.from(svg("<text>&x;</text>", `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>`)),
  ],
  ["an SVG that calls home", () => Buffer.from(svg(`<image xlink:href="http://127.0.0.1:9/${MARKER}"/>`))],
  ["an SVG with a script", () => Buffer.from(svg(HTML))],
  ["an SVG that is packed", () => gzipSync(svg(HTML))],
  ["an SVG in UTF-16", () => Buffer.from(`\ufeff${svg(HTML)}`, "utf16le")],
  [
    "an SVG with a picture in it",
    async () =>
      Buffer.from(svg(`<image href="data:image/png;base64,${(await honest.png()).toString("base64")}"/>`)),
  ],
  ["a TIFF that tells where", () => withPlace(plain()).tiff().toBuffer()],
  [
    "a BMP with a picture",
    () =>
      Buffer.concat([
        Buffer.from("BM"),
        le32(58),
        le32(0),
        le32(54),
        le32(40),
        le32(1),
        le32(1),
        bytes(1, 0, 24, 0),
        Buffer.alloc(24),
        bytes(0, 0, 255, 0),
      ]),
  ],
  [
    "an icon with a PNG in it",
    async () => {
      const inside = await honest.png();
      return Buffer.concat([
        bytes(0, 0, 1, 0, 1, 0, 60, 40, 0, 0, 1, 0, 32, 0),
        le32(inside.length),
        le32(22),
        inside,
      ]);
    },
  ],
  [
    "a PDF with a JPEG in it",
    async () =>
      Buffer.concat([
        Buffer.from("%PDF-1.7\n1 0 obj<</Subtype/Image/Filter/DCTDecode>>stream\n"),
        await honest.jpeg(),
        Buffer.from(`\nendstream ${MARKER}\n%%EOF`),
      ]),
  ],
  ["a PostScript file", () => Buffer.from(`%!PS-Adobe-3.0 EPSF-3.0\n(%pipe%echo ${MARKER}) (w) file`)],
  [
    "a film of one picture",
    () => Buffer.concat([box("ftyp", Buffer.from("isom\0\0\0\0isommp42")), box("mdat", Buffer.from(MARKER))]),
  ],
  [
    "a HEIC with everything",
    () =>
      Buffer.concat([
        box("ftyp", Buffer.from("heic\0\0\0\0mif1heic")),
        box("meta", u32(0)),
        box("mdat", Buffer.from(MARKER)),
      ]),
  ],
  [
    "a JPEG XL in boxes",
    () =>
      Buffer.concat([
        box("JXL ", bytes(13, 10, 0x87, 10)),
        box("ftyp", Buffer.from("jxl \0\0\0\0jxl ")),
        box("jxlc", bytes(0xff, 10), Buffer.from(MARKER)),
      ]),
  ],
  [
    "a Photoshop file of layers",
    () =>
      Buffer.concat([
        Buffer.from("8BPS\0\x01"),
        Buffer.alloc(6),
        u16(3),
        u32(9),
        u32(9),
        u16(8),
        u16(3),
        u32(0),
        Buffer.from(MARKER),
      ]),
  ],
  ["a ZIP of a picture", async () => Buffer.concat([zip(), deflateRawSync(await honest.png())])],
  [
    "a QOI",
    () =>
      Buffer.concat([
        Buffer.from("qoif"),
        u32(1),
        u32(1),
        bytes(3, 0, 0xfe, 1, 2, 3),
        Buffer.alloc(7),
        bytes(1),
      ]),
  ],
  ["an OpenEXR", () => Buffer.concat([bytes(0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0), Buffer.from(MARKER)])],
  [
    "a picture in C",
    () => Buffer.from(`/* XPM */ static char *x[] = {"1 1 1 1","a c #000","a"}; /* ${MARKER} */`),
  ],
  [
    "a list of commands for ImageMagick",
    () => Buffer.from(`<?xml version="1.0"?><image><read filename="/etc/passwd"/><!-- ${MARKER} --></image>`),
  ],
  ["a file of pixels that libvips would read as a matrix", () => Buffer.from("3 3\n1 2 3\n4 5 6\n7 8 9\n")],
  ["HTML with a PNG in it", async () => Buffer.concat([Buffer.from(HTML), await honest.png()])],
  ["a line break before a PNG", async () => Buffer.concat([Buffer.from("\n"), await honest.png()])],
  ["a PNG whose bytes became text", async () => Buffer.from((await honest.png()).toString("latin1"), "utf8")],
  ["a program", () => Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01"), Buffer.from(MARKER)])],
];

export const STRANGERS: readonly Hostile[] = FILES.map(([name, file]) => hostile(name, 415, file));
