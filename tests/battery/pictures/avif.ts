/** AVIF files that no encoder makes: grids of tiles, and false sizes. */
import { bytes, type Piece, patched, plain, u16, u32 } from "../../support/pictures.ts";

/** An ISO box; `full` ones begin with a version and flags. */
export const box = (type: string, ...data: Piece[]): Buffer => {
  const all = bytes(...data);
  return bytes(u32(8 + all.length), type, all);
};
const full = (type: string, version: number, ...data: Piece[]): Buffer =>
  box(type, u32(version * 2 ** 24), ...data);

const squareAvif = (side: number): Promise<Buffer> =>
  plain(side, side).avif({ effort: 0, quality: 30 }).toBuffer();

const boxIn = (file: Buffer, type: string): Buffer => {
  const at = file.indexOf(type) - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
};

interface Tiling {
  /** Side of a tile in pixels, as it is and as its header claims. */
  tile: number;
  claimed?: number;
  rows: number;
  columns?: number;
  /** Side of the whole, and as the plan of the tiles has it. */
  side: number;
  planned?: number;
}

/** An AVIF that is put together of one and the same tile, again and again. */
export const tiledAvif = async (tiling: Tiling): Promise<Buffer> => {
  const { tile, claimed = tile, rows, columns = rows, side, planned = side } = tiling;
  const [TILE, WHOLE] = [u16(1), u16(2)];
  const one = await squareAvif(tile);
  const pixels = boxIn(one, "mdat").subarray(8);
  const plan = bytes(0, 1, rows - 1, columns - 1, u32(planned), u32(planned));
  const size = (of: number): Buffer => full("ispe", 0, u32(of), u32(of));
  const item = (id: Buffer, type: string): Buffer => full("infe", 2, id, u16(0), type, 0);
  const ofTile = (at: number) => bytes(TILE, u16(0), u16(0), u16(1), u32(at), u32(pixels.length));
  const ofWhole = bytes(WHOLE, u16(1), u16(0), u16(1), u32(0), u32(plan.length));
  const tiles = Buffer.alloc(2 * rows * columns, TILE);
  const properties = [boxIn(one, "av1C"), size(claimed), boxIn(one, "pixi"), size(side)];
  const association = full("ipma", 0, u32(2), TILE, 3, 0x81, 2, 3, WHOLE, 2, 4, 3);
  const metaAt = (offset: number): Buffer =>
    full(
      "meta",
      0,
      full("hdlr", 0, u32(0), "pict", Buffer.alloc(13)),
      full("pitm", 0, WHOLE),
      full("iloc", 1, 0x44, 0, 0, 2, ofTile(offset), ofWhole),
      full("iinf", 0, u16(2), item(TILE, "av01"), item(WHOLE, "grid")),
      full("iref", 0, box("dimg", WHOLE, u16(rows * columns), tiles)),
      box("iprp", box("ipco", ...properties), association),
      box("idat", plan),
    );
  const head = box("ftyp", "avif\0\0\0\0avifmif1miaf");
  const before = head.length + metaAt(0).length + 8;
  return bytes(head, metaAt(before), box("mdat", pixels));
};

/** An AVIF with another size in its header than it has. */
export const lyingAvif = async (side: number, claimed: number): Promise<Buffer> => {
  const file = await squareAvif(side);
  return patched(file, file.indexOf("ispe") + 8, u32(claimed), u32(claimed));
};
