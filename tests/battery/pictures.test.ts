/** Pictures: any upload is either rejected or encoded again as a small WebP, and nothing else of it is stored. */
import { expect, it, vi } from "vitest";
import { DomainError } from "../../lib/domain/domainError.ts";
import { decodeInChild } from "../../lib/images/decodeInChild.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { IS_LARGE, part, randomFrom, SEED } from "../support/battery.ts";
import { MANY_PICTURES } from "../support/constants.ts";
import { decodeHere } from "../support/decoders.ts";
import { honest } from "../support/pictures.ts";
import { type RequestOptions, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";
import { FILES } from "./pictures/hostile.ts";
import { expectOnlyPixels, hasMarker } from "./pictures/marked.ts";
import { mutate } from "./pictures/mutate.ts";

vi.mock("../../lib/images/decodeInChild.ts", () => ({ decodeInChild: vi.fn() }));

const { decodeInChild: inChild } = await vi.importActual<typeof import("../../lib/images/decodeInChild.ts")>(
  "../../lib/images/decodeInChild.ts",
);

const s = testEnvironment({ services: () => ({ throttles: MANY_PICTURES }) });

const send = (as: TestPlayer, form: RequestOptions): Promise<Result> =>
  s.call("POST /set_pfp/{url_id}", { as, ...form });

/** The forms in which a file may be sent. */
const formsOf = (file: Buffer): RequestOptions[] => [
  { raw: { body: file, type: "application/octet-stream" } },
  { raw: { body: file, type: "image/png" } },
  { body: { image: file.toString("base64") } },
  { body: { image: `data:image/webp;base64,${file.toString("base64")}` } },
];

const shown = (as: TestPlayer): Promise<Result> => s.call("GET /pfp/{url_id}", { as });

const files = part("pictures", { full: 58, of: "hostile files", always: true });

it("a hostile file is rejected or encoded anew, in whatever form it is sent, and nothing else of it is stored", async () => {
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
        expect([body.width, body.height], say).toEqual(becomes);
        const { headers, bytes } = await shown(ada);
        expect([headers.etag, bytes.length], say).toEqual([body.etag, body.bytes]);
        await expectOnlyPixels(bytes, say);
      } else {
        expect(status, say).toBe(becomes);
        if (status === 413) expect(body.detail).toMatch(/ at most 50 megapixels, and 16,384/);
        expect(text, say).not.toMatch(/vips|heif|png_|jpeg:|stack|node_modules/i);
        // A rejected file leaves the player's picture as it was.
        expect((await shown(ben)).headers.etag, say).toBe(before.body.etag);
      }
    }
    for (const item of await scan(s)) {
      const values = Object.values(item).map((one) =>
        Buffer.from(one instanceof Uint8Array ? one : JSON.stringify(one)),
      );
      expect(values.some(hasMarker), `${name}: its words are stored in ${item.sk}`).toBe(false);
    }
    files.ran();
  }
  expect(marked, "files with the marker").toBeGreaterThan(20);
  const HALF_A_GIGABYTE = 512 * 1024;
  expect(process.resourceUsage().maxRSS - peak, "kilobytes more than before").toBeLessThan(HALF_A_GIGABYTE);
});

let kept = 0;
const mutations = part("pictures", { full: 2_000, of: "mutations" });

it("a picture that was changed is rejected or encoded anew, whatever was changed", async () => {
  // The pictures among the files above, of all five formats and with metadata, except the largest.
  const pictures = FILES.filter(({ becomes }) => typeof becomes === "object");
  const files = await Promise.all([honest.jpeg(), ...pictures.map(({ file }) => file())]);
  const small = files.filter(({ length }) => length < 50_000);
  const random = randomFrom(mutations.seed, 5);
  for (let n = 0; n < mutations.cases; n += 1) {
    const file = mutate(random, small);
    try {
      const { bytes } = await decodeHere(examinePicture(file));
      await expectOnlyPixels(bytes, file.toString("base64"));
      kept += 1;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      expect(["too_large", "unsupported_media_type"], file.toString("base64")).toContain(error.code);
    }
    mutations.ran();
  }
  if (!IS_LARGE) return;
  // Some mutants are still pictures and others are not.
  expect(kept).toBeGreaterThan(mutations.cases / 20);
  expect(kept).toBeLessThan((mutations.cases * 9) / 10);
});
