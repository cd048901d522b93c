/** The decoder, loaded when the first picture comes, and able to read nothing but what it is told. */
import type Sharp from "sharp";

/** It would read SVG, TIFF and more, and files by their names. Each of these reads one kind, from memory. */
const LOADERS = [
  "VipsForeignLoadPngBuffer",
  "VipsForeignLoadJpegBuffer",
  "VipsForeignLoadWebpBuffer",
  "VipsForeignLoadNsgifBuffer",
  "VipsForeignLoadHeifBuffer",
];

let opened: Promise<typeof Sharp> | undefined;

const open = async (): Promise<typeof Sharp> => {
  const { default: sharp } = await import("sharp");
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: LOADERS });
  // No picture is ever decoded twice.
  sharp.cache(false);
  return sharp;
};

/** The decoder. It takes 20 MB and some time to load, and no endpoint but one needs it. */
export const openSharp = (): Promise<typeof Sharp> => {
  opened ??= open();
  return opened;
};
