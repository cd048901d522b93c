/** As much of opentype.js as the build uses. Its published types bring those of browsers into the service. */
declare module "opentype.js" {
  export interface Command {
    type: string;
    x?: number;
    y?: number;
    x1?: number;
    y1?: number;
    x2?: number;
    y2?: number;
  }
  interface Glyph {
    index: number;
    advanceWidth?: number;
    getPath(x: number, y: number, fontSize: number): { commands: Command[] };
  }
  interface Font {
    unitsPerEm: number;
    charToGlyph(letter: string): Glyph;
  }
  const opentype: { parse(bytes: ArrayBufferLike): Font };
  export default opentype;
}
