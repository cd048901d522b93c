/** Pictures: what goes in comes out small, upright and bare, or is refused; whatever it is, quickly. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../lib/domain/domainError.ts";
import type { Picture } from "../../lib/images/decodeInChild.ts";
import { LONGEST_SIDE } from "../../lib/images/limits.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { decodeHere } from "../support/decoders.ts";
import { blackPng, emptyWebp, HOSTILE, honest, phoneJpeg, plain, TRACES } from "../support/pictures.ts";
import { refusalOf } from "./support.ts";

const makePicture = (given: Uint8Array): Promise<Picture> => decodeHere(examinePicture(given));

const outcome = async (file: Uint8Array): Promise<Picture | string> => {
  try {
    return await makePicture(file);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

/** A picture as one may be kept: WebP, small, and nothing beside. */
const expectKept = async ({ bytes, width, height }: Picture): Promise<void> => {
  const head = await sharp(bytes).metadata();
  expect(head).toMatchObject({ format: "webp", width, height });
  for (const extra of ["exif", "icc", "xmp", "iptc", "orientation", "pages"])
    expect(head).not.toHaveProperty(extra);
  expect(Math.max(width, height)).toBeLessThanOrEqual(512);
  expect(bytes.length).toBeLessThan(350 * 1024);
};

/** The colour of a dot, each channel from 0 to 255. */
const colourAt = async ({ bytes, width }: Picture, x: number, y: number): Promise<number[]> => {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray((y * width + x) * info.channels, (y * width + x + 1) * info.channels)];
};

describe("a picture", () => {
  it.each(Object.entries(honest))("may be a %s", async (_kind, make) => {
    const picture = await makePicture(await make());
    expect(picture).toMatchObject({ width: 60, height: 40 });
    await expectKept(picture);
  });

  it.each([
    ["3,000 by 1,000", 3_000, 1_000, 512, 171],
    ["100 by 16,384", 100, 16_384, 3, 512],
    ["1 by 16,384", 1, 16_384, 1, 512],
    ["513 by 513", 513, 513, 512, 512],
    ["512 by 20", 512, 20, 512, 20],
    ["1 by 1", 1, 1, 1, 1],
  ])("of %s is made to fit 512 by 512, and never larger", async (_name, width, height, ...fits) => {
    const picture = await makePicture(blackPng(width, height));
    expect([picture.width, picture.height]).toEqual(fits);
    await expectKept(picture);
  });

  it.each([
    ["grey", () => plain().greyscale().jpeg()],
    ["of 16 bits", () => plain().toColourspace("rgb16").png()],
    ["of four inks", () => plain().toColourspace("cmyk").jpeg()],
    ["of a palette", () => plain().png({ palette: true })],
    ["interlaced", () => plain().png({ progressive: true })],
    ["progressive", () => plain().jpeg({ progressive: true })],
    ["lossless", () => plain().webp({ lossless: true })],
  ])("may be %s", async (_name, made) => {
    await expectKept(await makePicture(await made().toBuffer()));
  });

  it("stays transparent where it is", async () => {
    const picture = await makePicture(await plain(60, 40, 4).png().toBuffer());
    expect((await colourAt(picture, 5, 5))[3]).toBeCloseTo(128, -1);
  });

  it.each(["gif", "webp"] as const)("that moves, a %s, stands still at its first frame", async (format) => {
    const frames = await Promise.all(
      ["#f00", "#0f0", "#00f"].map((background) =>
        sharp({ create: { width: 30, height: 20, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const moving = await sharp(frames, { join: { animated: true } })
      .toFormat(format)
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(3);
    const picture = await makePicture(moving);
    expect(picture).toMatchObject({ width: 30, height: 20 });
    await expectKept(picture);
    expect((await colourAt(picture, 15, 10))[0]).toBeGreaterThan(200);
  });

  it("of nothing but noise still fits into an item", async () => {
    const size = 512 * 512 * 4;
    const noise = createHash("shake256", { outputLength: size }).update("noise").digest();
    const raw = { width: 512, height: 512, channels: 4 } as const;
    await expectKept(await makePicture(await sharp(noise, { raw }).png().toBuffer()));
  });
});

describe("a phone's picture", () => {
  it("comes out upright, without its place, its maker, its comments and its profile", async () => {
    const taken = await phoneJpeg();
    const head = await sharp(taken).metadata();
    expect(head).toMatchObject({ width: 600, height: 400, orientation: 6 });
    for (const extra of ["exif", "icc", "xmp"]) expect(head).toHaveProperty(extra);
    for (const trace of TRACES) expect(taken.includes(trace), trace).toBe(true);

    const picture = await makePicture(taken);
    expect(picture).toMatchObject({ width: 341, height: 512 });
    await expectKept(picture);
    for (const trace of TRACES) expect(picture.bytes.includes(trace), trace).toBe(false);
    // What was left is on top.
    const [top, bottom] = [await colourAt(picture, 170, 50), await colourAt(picture, 170, 460)];
    expect(top[0]).toBeGreaterThan(top[2] ?? 0);
    expect(bottom[2]).toBeGreaterThan(bottom[0] ?? 0);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("held in way %i is turned as it says", async (orientation) => {
    const { width, height } = await makePicture(await phoneJpeg(orientation));
    expect([width, height]).toEqual(orientation > 4 ? [341, 512] : [512, 341]);
  });
});

/** Files with one side longer than any may be, by their kind. */
const LONG = {
  png: () => blackPng(1, LONGEST_SIDE + 1),
  jpeg: () =>
    plain(LONGEST_SIDE + 1, 1)
      .jpeg()
      .toBuffer(),
  webp: () => emptyWebp(LONGEST_SIDE + 1, 1),
  gif: () =>
    plain(1, LONGEST_SIDE + 1)
      .gif()
      .toBuffer(),
  avif: async () => {
    const file = await honest.avif();
    file.writeUInt32BE(LONGEST_SIDE + 1, file.indexOf("ispe") + 8);
    return file;
  },
} satisfies Record<keyof typeof honest, () => Buffer | Promise<Buffer>>;

describe("a picture with a side of over 16,384 pixels", () => {
  it.each(Object.entries(LONG))("is refused by its header before it is decoded: %s", async (_kind, make) => {
    const file = await make();
    expect(refusalOf(() => examinePicture(file))).toMatchObject({
      code: "too_large",
      detail: expect.stringContaining("16,384 pixels on each side"),
    });
  });
});

describe("a hostile file", () => {
  it("comes in at least forty forms", () => {
    expect(HOSTILE.length).toBeGreaterThan(40);
    expect(new Set(HOSTILE.map(({ name }) => name)).size).toBe(HOSTILE.length);
  });

  it.each(HOSTILE)("such as $name is refused or made harmless", async ({ file, becomes }) => {
    const result = await outcome(await file());
    if (typeof becomes === "object") expect(result).toMatchObject(becomes);
    else expect(result).toBe(becomes === 413 ? "too_large" : "unsupported_media_type");
    if (typeof result === "object") await expectKept(result);
  });

  it.each(Object.entries(honest))(
    "such as a %s that ends anywhere is refused or made harmless",
    async (_, make) => {
      const whole = await make();
      let refused = 0;
      for (let length = 0; length < whole.length; length += 1) {
        const result = await outcome(whole.subarray(0, length));
        if (typeof result === "object") await expectKept(result);
        else refused += 1;
      }
      expect(refused).toBeGreaterThan(whole.length * 0.8);
    },
  );

  it.each(Object.entries(honest))(
    "such as a %s with other bytes here and there never breaks anything",
    async (_, make) => {
      const whole = await make();
      const change = fc.record({ at: fc.nat(whole.length - 1), value: fc.nat(255) });
      const RUNS = process.env.TEST_SCALE === "quick" ? 60 : 400;
      let cases = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
          cases += 1;
          const file = Buffer.from(whole);
          for (const { at, value } of changes) file.writeUInt8(value, at);
          const result = await outcome(file);
          if (typeof result === "object") await expectKept(result);
          else expect(["too_large", "unsupported_media_type"]).toContain(result);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
      expect(cases).toBe(RUNS);
    },
  );
});
