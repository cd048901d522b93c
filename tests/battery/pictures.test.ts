/**
 * Pictures: any upload, in any form, is either rejected or encoded again as a small WebP, and nothing else of it is
 * stored.
 */
import sharp, { type Sharp } from "sharp";
import { describe, expect, it, vi } from "vitest";
import { DomainError, type ErrorCode } from "../../lib/domain/domainError.ts";
import { decodeInChild } from "../../lib/images/decodeInChild.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { IS_LARGE, part, randomFrom, SEED } from "../support/battery.ts";
import { MANY_PICTURES } from "../support/constants.ts";
import { decodeHere } from "../support/decoders.ts";
import { blackPng, honest, phoneJpeg, plain, withSegments } from "../support/pictures.ts";
import { type RequestOptions, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";
import { FILES } from "./pictures/hostile.ts";
import { flawsOf, hasMarker, tellingChunks, tellingSegments, withPlace } from "./pictures/marked.ts";
import { mutate, type Seed } from "./pictures/mutate.ts";

vi.mock("../../lib/images/decodeInChild.ts", () => ({ decodeInChild: vi.fn() }));

const { decodeInChild: inChild } = await vi.importActual<typeof import("../../lib/images/decodeInChild.ts")>(
  "../../lib/images/decodeInChild.ts",
);

const s = testEnvironment({ services: () => ({ throttles: MANY_PICTURES }) });

const MAX_TRIES = 10;

/** Sends a picture, and repeats it while the decoder is busy with earlier ones. */
const send = async (as: TestPlayer, form: RequestOptions): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    const result = await s.call("POST /set_pfp/{url_id}", { as, ...form });
    if (result.status !== 503 || tries === MAX_TRIES) return result;
  }
};

/** The forms in which a file may be sent. */
const formsOf = (file: Buffer): RequestOptions[] => [
  { raw: { body: file, type: "application/octet-stream" } },
  { raw: { body: file, type: "image/png" } },
  { body: { image: file.toString("base64") } },
  { body: { image: `data:image/webp;base64,${file.toString("base64")}` } },
];

const bytesOf = (value: unknown): Buffer =>
  Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value));

const shown = (as: TestPlayer): Promise<Result> => s.call("GET /pfp/{url_id}", { as });

describe("a hostile file", () => {
  const files = part("pictures", { full: 60, of: "hostile files", always: true });

  it("is rejected or encoded anew, in whatever form it is sent, and nothing else of it is stored", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    const [honestly = {}] = formsOf(await honest.png());
    const before = await send(ben, honestly);
    const peak = process.resourceUsage().maxRSS;
    const random = randomFrom(SEED, 6);
    let marked = 0;
    for (const [nth, { name, file, becomes }] of FILES.entries()) {
      const given = await file();
      if (hasMarker(given)) marked += 1;
      // Decoding in this process is much faster.
      const isAsDeployed = IS_LARGE || (nth + SEED) % 8 === 0;
      vi.mocked(decodeInChild).mockImplementation(isAsDeployed ? inChild : decodeHere);
      for (const form of random.shuffle(formsOf(given)).slice(0, IS_LARGE ? 2 : 1)) {
        const { status, body, text } = await send(typeof becomes === "object" ? ada : ben, form);
        const say = `${name}, as ${form.raw?.type ?? "JSON"}: ${status} ${text}`;
        if (typeof becomes === "object") {
          expect(body, say).toMatchObject(becomes);
          const { headers, bytes } = await shown(ada);
          expect([headers.etag, bytes.length], say).toEqual([body.etag, body.bytes]);
          expect(await flawsOf(bytes), say).toEqual([]);
        } else {
          expect(status, say).toBe(becomes);
          expect(text, say).not.toMatch(/vips|heif|png_|jpeg:|stack|node_modules/i);
          // A rejected file leaves the player's picture as it was.
          expect((await shown(ben)).headers.etag, say).toBe(before.body.etag);
        }
      }
      const telling = (await scan(s)).filter((item) =>
        Object.values(item).some((one) => hasMarker(bytesOf(one))),
      );
      expect(telling, `${name}: where its words are stored`).toEqual([]);
      files.ran();
    }
    expect(marked, "files with the marker").toBeGreaterThan(20);
    const HALF_A_GIGABYTE = 512 * 1024;
    expect(process.resourceUsage().maxRSS - peak, "kilobytes more than before").toBeLessThan(HALF_A_GIGABYTE);
  });
});

/** Valid pictures of the five formats, with metadata. */
const seeds = async (): Promise<Seed[]> => {
  const [chunks, segments, jpeg] = [await tellingChunks(), await tellingSegments(), await honest.jpeg()];
  const frames = sharp([blackPng(20, 20), blackPng(20, 20)], { join: { animated: true } });
  const progressive = { palette: true, progressive: true };
  const made: [Seed["format"], ...(Buffer | Sharp)[]][] = [
    ["png", await honest.png(), blackPng(40, 30, chunks), plain(40, 30, 4).png(progressive)],
    ["jpeg", await phoneJpeg(), withSegments(jpeg, ...segments), plain().jpeg({ progressive: true })],
    ["webp", withPlace(plain(60, 40, 4)).webp(), plain(40, 30, 4).webp({ lossless: true })],
    ["gif", withPlace(plain()).gif(), frames.gif()],
    ["avif", withPlace(plain()).avif({ effort: 0 }), plain(40, 30, 4).avif({ effort: 0 })],
  ];
  const files = made.flatMap(([format, ...all]) =>
    all.map(async (one) => ({ format, file: Buffer.isBuffer(one) ? one : await one.toBuffer() })),
  );
  return Promise.all(files);
};

/** How a file may be rejected. */
const REJECTED: readonly ErrorCode[] = ["too_large", "unsupported_media_type"];

describe("a picture that was changed", () => {
  let kept = 0;
  const mutations = part("pictures", { full: 2_000, of: "mutations" });

  it("is rejected or encoded anew, whatever was changed", async () => {
    const valid = await seeds();
    const random = randomFrom(mutations.seed, 5);
    for (let n = 0; n < mutations.cases; n += 1) {
      const { file, how } = mutate(random, valid);
      const say = `${how}, seed ${SEED}`;
      try {
        const { bytes } = await decodeHere(examinePicture(file));
        expect(await flawsOf(bytes), say).toEqual([]);
        expect(hasMarker(bytes), say).toBe(false);
        kept += 1;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        expect(REJECTED, say).toContain(error.code);
      }
      mutations.ran();
    }
    if (!IS_LARGE) return;
    // Some mutants are still pictures and others are not.
    expect(kept).toBeGreaterThan(mutations.cases / 20);
    expect(kept).toBeLessThan((mutations.cases * 9) / 10);
  });
});
