/** Files of formats that are not accepted, whatever they contain; plainer ones are in `tests/support/pictures.ts`. */
import { gzipSync } from "node:zlib";
import { box, bytes, type Hostile, honest, hostile, le32, plain, u32 } from "../../support/pictures.ts";
import { HTML, MARKER, withPlace, zip } from "./marked.ts";

const svg = (inside: string, before = ""): string =>
  `<?xml version="1.0"?>${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">${inside}</svg>`;

const LAUGHS = `<!DOCTYPE svg [<!ENTITY a0 "${MARKER}">${Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join("")}]>`;

export const STRANGERS: readonly Hostile[] = hostile(415, {
  "an SVG of a billion laughs": () => bytes(svg("<text>&a9;</text>", LAUGHS)),
  "an SVG that calls home": () => bytes(svg(`<image xlink:href="http://127.0.0.1:9/${MARKER}"/>`)),
  "an SVG with a script": () => bytes(svg(HTML)),
  "an SVG that is packed": () => gzipSync(svg(HTML)),
  "an SVG in UTF-16": () => Buffer.from(`\ufeff${svg(HTML)}`, "utf16le"),
  "a TIFF that tells where": () => withPlace(plain()).tiff().toBuffer(),
  "an icon with a PNG in it": async () => {
    const inside = await honest.png();
    const head = bytes(0, 0, 1, 0, 1, 0, 60, 40, 0, 0, 1, 0, 32, 0);
    return bytes(head, le32(inside.length), le32(22), inside);
  },
  "a PDF with a JPEG in it": async () => {
    const head = "%PDF-1.7\n1 0 obj<</Subtype/Image/Filter/DCTDecode>>stream\n";
    return bytes(head, await honest.jpeg(), `\nendstream ${MARKER}\n%%EOF`);
  },
  "a PostScript file": () => bytes(`%!PS-Adobe-3.0 EPSF-3.0\n(%pipe%echo ${MARKER}) (w) file`),
  "a film of one picture": () => bytes(box("ftyp", "isom\0\0\0\0isommp42"), box("mdat", MARKER)),
  "a HEIC with everything": () =>
    bytes(box("ftyp", "heic\0\0\0\0mif1heic"), box("meta", u32(0)), box("mdat", MARKER)),
  "a ZIP of a picture": async () => bytes(await zip(), await honest.png()),
  "a QOI": () => bytes("qoif", u32(1), u32(1), 3, 0, 0xfe, 1, 2, 3, Buffer.alloc(7), 1),
  "an OpenEXR": () => bytes(0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0, MARKER),
  "a picture in C": () => bytes(`/* XPM */ static char *x[] = {"1 1 1 1","a c #000","a"}; /* ${MARKER} */`),
  "a list of commands for ImageMagick": () =>
    bytes(`<?xml version="1.0"?><image><read filename="/etc/passwd"/><!-- ${MARKER} --></image>`),
  "HTML with a PNG in it": async () => bytes(HTML, await honest.png()),
  "a line break before a PNG": async () => bytes("\n", await honest.png()),
  "a PNG whose bytes became text": async () => Buffer.from((await honest.png()).toString("latin1"), "utf8"),
  "a program": () => bytes("\x7fELF\x02\x01\x01", MARKER),
});
