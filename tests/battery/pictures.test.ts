/**
 * Pictures, through the service: whatever is sent, in whatever form, it is rejected or encoded anew as a small WebP, and
 * nothing else of it is stored.
 */
import sharp from "sharp";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { decodeInChild } from "../../lib/images/decodeInChild.ts";
import { IS_LARGE, part, randomFrom, SEED, share } from "../support/battery.ts";
import { MANY_PICTURES } from "../support/constants.ts";
import { decodeHere } from "../support/decoders.ts";
import { oneOf } from "../support/oneOf.ts";
import { blackPng, honest, phoneJpeg, plain, withSegments } from "../support/pictures.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../support/service.ts";
import { FRAMED } from "./pictures/framed.ts";
import { JPEGS } from "./pictures/jpegs.ts";
import { flawsOf, hasMarker, itemsWithMarker, keptPictures } from "./pictures/kept.ts";
import { tellingChunks, tellingSegments, withPlace } from "./pictures/marked.ts";
import { mutate, type Seed } from "./pictures/mutate.ts";
import { STRANGERS } from "./pictures/otherFormats.ts";
import { PNGS } from "./pictures/pngs.ts";

vi.mock("../../lib/images/decodeInChild.ts", () => ({ decodeInChild: vi.fn() }));

const { decodeInChild: inChild } = await vi.importActual<typeof import("../../lib/images/decodeInChild.ts")>(
  "../../lib/images/decodeInChild.ts",
);

/** Chooses whether pictures are decoded as in production, or in this process, which takes a fraction of the time. */
const decode = (how: "in a child process" | "here"): void => {
  vi.mocked(decodeInChild).mockImplementation((file, options) =>
    how === "here" ? decodeHere(file) : inChild(file, options),
  );
};

const s = testEnvironment({ services: () => ({ throttles: MANY_PICTURES }) });

const ROUTE = "POST /set_pfp/{url_id}";
const HOSTILE = [...PNGS, ...JPEGS, ...FRAMED, ...STRANGERS];

type Send = (as: Someone, file: Buffer) => Promise<Result>;

const MAX_TRIES = 10;

/** Sends a picture, again when those before it took too long. */
const send = async (asking: RequestOptions): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    const result = await s.call(ROUTE, asking);
    if (result.status !== 503 || tries === MAX_TRIES) return result;
  }
};

const asBytes: Send = (as, file) => send({ as, raw: { body: file, type: "application/octet-stream" } });

/** The forms in which a file may be sent. */
const FORMS: [string, Send][] = Object.entries<Send>({
  "as bytes": asBytes,
  "called a PNG": (as, file) => send({ as, raw: { body: file, type: "image/png" } }),
  "in base64": (as, file) => send({ as, body: { image: file.toString("base64") } }),
  "as a data URL": (as, file) =>
    send({ as, body: { image: `data:image/webp;base64,${file.toString("base64")}` } }),
});

const own = (as: Someone): Promise<Result> => s.call("GET /pfp/{url_id}", { as });

describe("a hostile file", () => {
  const files = part("pictures", { full: 60, of: "hostile files", always: true });

  it("is rejected or encoded anew, in whatever form it is sent, and nothing else of it is stored", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    const before = await asBytes(ben, await honest.png());
    const peak = process.resourceUsage().maxRSS;
    const random = randomFrom(SEED, 6);
    let withMarker = 0;
    for (const [nth, { name, file, becomes }] of HOSTILE.entries()) {
      const given = await file();
      if (hasMarker(given)) withMarker += 1;
      decode(IS_LARGE || (nth + SEED) % 8 === 0 ? "in a child process" : "here");
      const forms = random.shuffle(FORMS).slice(0, IS_LARGE ? 2 : 1);
      for (const [form, send] of forms) {
        const { status, body, text } = await send(typeof becomes === "object" ? ada : ben, given);
        const words = `${name}, ${form}: ${status} ${text}`;
        if (typeof becomes === "object") {
          expect(body, words).toMatchObject(becomes);
          const shown = await own(ada);
          expect({ etag: shown.headers.etag, bytes: shown.bytes.length }, words).toEqual({
            etag: body.etag,
            bytes: body.bytes,
          });
          expect(await flawsOf(shown.bytes), words).toEqual([]);
        } else {
          expect(status, words).toBe(becomes);
          expect(text, words).not.toMatch(/vips|heif|png_|jpeg:|stack|node_modules/i);
          // A rejected file leaves the player's picture as it was.
          expect((await own(ben)).headers.etag, words).toBe(before.body.etag);
        }
      }
      expect(await itemsWithMarker(s), `${name}: where its words stand`).toEqual([]);
      files.ran();
    }
    expect(new Set(HOSTILE.map(({ name }) => name)).size).toBe(HOSTILE.length);
    // Files without the marker are too small or too broken for it.
    expect(withMarker).toBeGreaterThan(HOSTILE.length / 2);
    const HALF_A_GIGABYTE = 512 * 1024;
    expect(process.resourceUsage().maxRSS - peak, "kilobytes more than before").toBeLessThan(HALF_A_GIGABYTE);
  });

  it("may be sent concurrently with others", async () => {
    decode("in a child process");
    const crowd = await Promise.all(["Ann", "Bob", "Cid", "Dot", "Eve", "Fay"].map((alias) => s.join(alias)));
    const small = [];
    for (const { name, file, becomes } of HOSTILE) {
      const given = await file();
      if (given.length < 100_000) small.push({ name, given, becomes });
    }
    const rest = randomFrom(SEED, 7).shuffle(small).slice(0, share(small.length, 6)).values();
    await Promise.all(
      crowd.map(async (as) => {
        for (const { name, given, becomes } of rest) {
          const { status, body, text } = await asBytes(as, given);
          const got = status === 200 ? { width: body.width, height: body.height } : status;
          expect(got, `${name}: ${text}`).toEqual(becomes);
        }
      }),
    );
    for (const kept of (await keptPictures(s)).values()) expect(await flawsOf(kept)).toEqual([]);
    expect(await itemsWithMarker(s)).toEqual([]);
  });
});

/** Valid pictures of the five formats, with metadata. */
const seeds = (): Promise<Seed[]> => {
  const made: [Seed["format"], Buffer | Promise<Buffer>][] = [
    ["png", honest.png()],
    ["png", tellingChunks().then((chunks) => blackPng(40, 30, chunks))],
    ["png", plain(40, 30, 4).png({ palette: true, progressive: true }).toBuffer()],
    ["jpeg", phoneJpeg()],
    ["jpeg", tellingSegments().then(async (told) => withSegments(await honest.jpeg(), ...told))],
    ["jpeg", plain().jpeg({ progressive: true }).toBuffer()],
    [
      "webp",
      withPlace(plain(60, 40, 4))
        .webp()
        .toBuffer(),
    ],
    ["webp", plain(40, 30, 4).webp({ lossless: true }).toBuffer()],
    ["gif", withPlace(plain()).gif().toBuffer()],
    [
      "gif",
      sharp([blackPng(20, 20), blackPng(20, 20)], { join: { animated: true } })
        .gif()
        .toBuffer(),
    ],
    ["avif", withPlace(plain()).avif({ effort: 0 }).toBuffer()],
    ["avif", plain(40, 30, 4).avif({ effort: 0 }).toBuffer()],
  ];
  return Promise.all(made.map(async ([format, file]) => ({ format, file: await file })));
};

describe("a picture that was changed", () => {
  beforeAll(() => decode("here"));

  const ended = new Map<number, number>();
  const mutations = part("pictures", { full: 2_000, of: "mutations" });

  /** Concurrent requests, each by another player. */
  const AT_ONCE = 4;

  it("is rejected or encoded anew, whatever was changed", async () => {
    const crowd = await Promise.all(["Ann", "Bob", "Cid", "Dot"].map((alias) => s.join(alias)));
    const valid = await seeds();
    const random = randomFrom(mutations.seed, 5);
    for (let done = 0; done < mutations.cases; done += AT_ONCE) {
      const wave = crowd.map((as) => ({ as, ...mutate(random, valid), form: oneOf(random, FORMS) }));
      const answers = await Promise.all(
        wave.map(async ({ as, file, how, form: [name, send] }) => {
          const response = await send(as, file);
          return {
            as,
            file,
            response,
            words: `${how}, sent ${name}: ${response.status} ${response.text}, seed ${SEED}`,
          };
        }),
      );
      const kept = await keptPictures(s);
      for (const { as, file, response, words } of answers) {
        // Only where nothing is left of it is it no request.
        expect(file.length === 0 ? [400] : [200, 413, 415], words).toContain(response.status);
        ended.set(response.status, (ended.get(response.status) ?? 0) + 1);
        if (response.status === 200) {
          const bytes = kept.get(as.id);
          if (bytes === undefined) throw new Error(`nothing was kept: ${words}`);
          expect(bytes.length, words).toBe(response.body.bytes);
          expect(await flawsOf(bytes), words).toEqual([]);
        }
        mutations.ran();
      }
      expect(await itemsWithMarker(s), answers.map(({ words }) => words).join("\n")).toEqual([]);
    }
    if (!IS_LARGE) return;
    // Some are no pictures any more, and some still are.
    expect(ended.get(200) ?? 0).toBeGreaterThan(mutations.cases / 20);
    expect(ended.get(415) ?? 0).toBeGreaterThan(mutations.cases / 10);
  });
});
