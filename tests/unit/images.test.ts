/** How pictures are encoded. tests/battery/pictures.test.ts tests hostile files and formats. */
import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { Picture } from "../../lib/images/decodeInChild.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { decodeHere } from "../support/decoders.ts";
import { blackPng, plain } from "../support/pictures.ts";

const normalize = (given: Uint8Array): Promise<Picture> => decodeHere(examinePicture(given));

/** The channels of a pixel, each from 0 to 255. */
const pixelAt = async ({ bytes, width }: Picture, x: number, y: number): Promise<number[]> => {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray((y * width + x) * info.channels, (y * width + x + 1) * info.channels)];
};

describe("a picture", () => {
  it.each([
    [3_000, 1_000, 512, 171],
    [1, 16_384, 1, 512],
    [513, 513, 512, 512],
    [512, 20, 512, 20],
  ])("of %i by %i becomes %i by %i", async (width, height, ...size) => {
    const picture = await normalize(blackPng(width, height));
    expect([picture.width, picture.height]).toEqual(size);
  });

  it("keeps its transparency", async () => {
    const picture = await normalize(await plain(60, 40, 4).png().toBuffer());
    expect((await pixelAt(picture, 5, 5))[3]).toBeCloseTo(128, -1);
  });

  it.each(["gif", "webp"] as const)("that is animated, as a %s, becomes its first frame", async (format) => {
    const create = { width: 30, height: 20, channels: 3 } as const;
    const frames = ["#f00", "#0f0"].map((background) =>
      sharp({ create: { ...create, background } })
        .png()
        .toBuffer(),
    );
    const animated = sharp(await Promise.all(frames), { join: { animated: true } });
    const picture = await normalize(await animated.toFormat(format).toBuffer());
    expect(picture).toMatchObject({ width: 30, height: 20 });
    expect((await pixelAt(picture, 15, 10))[0]).toBeGreaterThan(200);
  });

  it("of noise fits into an item", async () => {
    const raw = { width: 512, height: 512, channels: 4 } as const;
    const noise = await sharp(randomBytes(512 * 512 * 4), { raw })
      .png()
      .toBuffer();
    expect((await normalize(noise)).bytes.length).toBeLessThan(350 * 1024);
  });
});
