/** Profile pictures: how they are set, shown, cached and removed, how they are decoded next to other requests, and their rate limit. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { MINUTE } from "../../lib/domain/time.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { parsePicture } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { decoders, until } from "../support/decoders.ts";
import { honest, phoneJpeg, slowJpeg, TRACES, tallPng } from "../support/pictures.ts";
import { drift } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

let later = 0;
/** How many updates of rate limits were tried. */
let drawn = 0;
const s = testEnvironment({
  services: (usual) => ({ clock: () => usual.clock() + later }),
  database: (usual) => ({
    ...usual,
    extendUntil(...args) {
      drawn += 1;
      return usual.extendUntil(...args);
    },
  }),
});

const ROUTE = "POST /set_pfp/{url_id}";
const MIB = 1024 * 1024;
const GONE = { status: 404, body: { code: "no_picture" } };

const set = (as: TestPlayer, body: string | Buffer, type = "application/octet-stream"): Promise<Result> =>
  s.call(ROUTE, { as, raw: { body, type } });
const setJson = (as: TestPlayer, image: unknown): Promise<Result> => s.call(ROUTE, { as, body: { image } });
const headersFor = (known?: string) => (known === undefined ? {} : { headers: { "if-none-match": known } });
const own = (as: TestPlayer, known?: string): Promise<Result> =>
  s.call("GET /pfp/{url_id}", { as, ...headersFor(known) });
const others = (as: TestPlayer, alias: string): Promise<Result> =>
  s.call("POST /get_pfp/{url_id}", { as, body: { alias } });
/** The picture that an `<img>` with this path shows. */
const image = (path: string, known?: string): Promise<Result> =>
  s.call("GET /pictures/{picture_id}", { id: path.slice("/pictures/".length), ...headersFor(known) });

/** All pictures in the table. */
const kept = async (): Promise<Buffer[]> =>
  (await scan(s)).filter(({ sk }) => sk === "PICTURE").map((item) => Buffer.from(parsePicture(item).bytes));

it("is shown to its player and to others without metadata, and sent again only when it has changed", async () => {
  const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
  expect(await own(ada, "*")).toMatchObject(GONE);
  expect(await others(ben, "Ada")).toMatchObject(GONE);
  const { status, body } = await set(ada, await phoneJpeg());
  expect([status, Object.keys(body).length]).toEqual([200, 5]);
  expect(body).toMatchObject({ content_type: "image/webp", width: 341, height: 512 });
  const { etag, bytes: length } = body;
  for (const shown of [await own(ada), await others(ben, "ADA")]) {
    expect(shown).toMatchObject({ status: 200, bytes: { length } });
    expect(shown.headers).toMatchObject({
      ...{ "content-type": "image/webp", "cache-control": "private, no-cache" },
      ...{ "x-content-type-options": "nosniff", etag },
    });
    expect(etag).toBe(`"${createHash("sha256").update(shown.bytes).digest("base64url")}"`);
    expect(shown.bytes.toString("latin1", 8, 12)).toBe("WEBP");
    for (const trace of TRACES) expect(shown.bytes.includes(trace)).toBe(false);
  }
  expect(await others(ben, "Nobody")).toMatchObject({ status: 404, body: { code: "player_not_found" } });
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b",W/"c" ,  W/${etag}`, "*", " * "]) {
    const same = await own(ada, known);
    expect([same.status, same.bytes.length], known).toEqual([304, 0]);
    expect(same.headers).toMatchObject({ etag, "cache-control": "private, no-cache" });
  }
  for (const other of ['"other"', etag.slice(1, -1), etag.toUpperCase(), `"x${etag.slice(1)}`, "", '"'])
    expect((await own(ada, other)).status, other).toBe(200);
});

it("may have 4 MiB and not a byte more, as bytes, in base64 or as a data URL", async () => {
  const ada = await s.join("Ada");
  const file = await honest.png();
  const padded = (size: number): Buffer => Buffer.concat([file, Buffer.alloc(size - file.length, 0xff)]);
  const { body } = await set(ada, padded(4 * MIB), "IMAGE/SVG+xml; q=1");
  expect(body.width).toBe(60);
  const base64 = file.toString("base64");
  for (const text of [
    padded(4 * MIB).toString("base64"),
    `DATA:;BASE64,${base64}`,
    `data:image/svg+xml;charset=x;base64,${base64.replaceAll(/.{76}/g, "$&\r\n")}`,
  ]) {
    expect(await setJson(ada, text)).toMatchObject({ status: 200, body });
  }
  for (const rejected of [
    await set(ada, padded(4 * MIB + 1)),
    await setJson(ada, padded(4 * MIB + 1).toString("base64")),
  ]) {
    expect(rejected).toMatchObject({ status: 413, body: { code: "too_large" } });
  }
  const invalid = ["", "====", "abc", `${base64}=`, `data:image/png,${base64}`, "data:image/png;base64,"];
  for (const text of [...invalid, file.toString("latin1"), 5, null, [base64]]) {
    const rejected = await setJson(ada, text);
    expect(rejected.status, String(text).slice(0, 40)).toBe(400);
    expect(rejected.body.errors).toMatchObject([{ path: "image" }]);
  }
  const unsupported = { status: 415, body: { code: "unsupported_media_type" } };
  expect(await setJson(ada, Buffer.from("no picture").toString("base64"))).toMatchObject(unsupported);
  // A gateway took it for text.
  const asText = await set(ada, file.toString(), "image/png");
  expect(asText).toMatchObject(unsupported);
  expect(asText.body.detail).toContain("application/octet-stream");
  expect((await own(ada)).headers.etag).toBe(body.etag);
});

describe("the path of a picture", () => {
  it("needs no token, and is gone with the picture and the account", async () => {
    const [ada, gm] = [await s.join("Ada"), await s.admin()];
    await set(ada, await honest.png());
    const { picture_url: first, player_ref } = await s.see(ada);
    expect(first).toMatch(new RegExp(`^/pictures/${player_ref}\\.[\\w-]{22}$`));
    const shown = await image(first);
    expect(shown).toMatchObject({ status: 200, bytes: (await own(ada)).bytes });
    expect(shown.headers).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-resource-policy": "cross-origin",
    });
    expect((await image(first, shown.headers.etag)).status).toBe(304);
    const body = { alias: "Ada", clear_picture: true };
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body });
    expect(await image(first)).toMatchObject(GONE);
    await set(ada, await phoneJpeg());
    const { picture_url: second } = await s.see(ada);
    expect(second).not.toBe(first);
    expect(await image(first)).toMatchObject(GONE);
    expect((await image(second)).status).toBe(200);
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    for (const gone of [second, "/pictures/", `/pictures/${player_ref}`, `${second}.x`, `${second}x`])
      expect(await image(gone)).toMatchObject(GONE);
  });

  it("is given to a picture of an earlier version by the first who sees it", async () => {
    const ada = await s.join("Ada");
    await set(ada, await honest.png());
    const { picture_url: path, player_ref } = await s.see(ada);
    for (const see of [() => own(ada), () => others(ada, "Ada")]) {
      const stored = await s.store.db.get(keys.player(ada.id));
      await s.store.db.put({ ...stored, ...keys.player(ada.id), target: undefined });
      await s.store.commit([{ remove: keys.playerRef(player_ref) }], () => 10_000);
      expect(await s.see(ada)).toMatchObject({ has_pfp: true, picture_url: null });
      expect((await see()).status).toBe(200);
      expect((await s.see(ada)).picture_url).toBe(path);
      expect((await image(path)).status).toBe(200);
      expect(await drift(s)).toEqual([]);
    }
  });
});

describe("concurrent requests", () => {
  it("leave one picture, and exactly when the player has one", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const files = [await honest.png(), await phoneJpeg()];
    const clear = { as: gm, body: { alias: "Ada", clear_picture: true } };
    const [first, cleared, last] = await Promise.all([
      set(ada, files[0] ?? ""),
      s.call("POST /admin/edit_player/{url_id}", clear),
      set(ada, files[1] ?? ""),
    ]);
    expect([first.status, cleared.status, last.status]).toEqual([200, 200, 200]);
    const shown = await own(ada);
    expect((await s.see(ada)).has_pfp).toBe(shown.status === 200);
    expect(await kept()).toEqual(shown.status === 200 ? [shown.bytes] : []);
    if (shown.status === 200) expect([first.body.etag, last.body.etag]).toContain(shown.headers.etag);
  });

  it("of a player who leaves and sets a picture leave no picture, in either order", async () => {
    for (const hasOne of [true, false]) {
      const ada = await s.join("Ada");
      if (hasOne) await set(ada, await honest.png());
      const [left, wasSet] = await Promise.all([
        s.call("DELETE /delete_player/{url_id}", { as: ada }),
        set(ada, await phoneJpeg()),
      ]);
      expect(left.status).toBe(204);
      expect([200, 403, 404], wasSet.text).toContain(wasSet.status);
      expect(await kept()).toEqual([]);
    }
  });

  it("are not blocked by a picture that takes long to decode, nor by those that wait for it", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    const slow = set(ada, slowJpeg());
    const decoder = await until(() => decoders()[0]);
    process.kill(decoder, "SIGSTOP");
    const waiting = set(ben, await honest.png());
    for (const { alias, password } of [ada, ben]) await s.login(alias, password);
    expect(decoders()).toEqual([decoder]);
    process.kill(decoder, "SIGKILL");
    expect((await slow).status).toBe(415);
    expect((await waiting).status).toBe(200);
  });
});

describe("the rate limit of pictures", () => {
  it("allows one more each minute, costs one write, and nothing for a file that its header rules out", async () => {
    expect(THROTTLES.pictures).toEqual({ burst: 10, intervalMs: MINUTE });
    // Fewer here, because each takes a process of its own.
    Object.assign(s.services, { throttles: { ...THROTTLES, pictures: { ...THROTTLES.pictures, burst: 2 } } });
    const now = s.services.clock();
    s.services.clock = () => now + later;
    const ada = await s.join("Ada");
    const file = await honest.png();
    drawn = 0;
    expect((await set(ada, tallPng())).status).toBe(413);
    expect((await set(ada, Buffer.from("none"))).status).toBe(415);
    expect(drawn).toBe(0);
    expect((await set(ada, file)).status).toBe(200);
    expect(drawn).toBe(1);
    expect((await set(ada, file)).status).toBe(200);
    const rejected = await set(ada, file);
    expect(rejected).toMatchObject({ status: 429, body: { code: "too_many_attempts" } });
    expect(rejected.headers["retry-after"]).toBe("60");
    later = MINUTE;
    expect((await set(ada, file)).status).toBe(200);
    expect((await set(ada, file)).status).toBe(429);
    later = 0;
  });

  it("is 503 when the database is unavailable, and nothing is decoded", async () => {
    const ada = await s.join("Ada");
    s.services.store.db.extendUntil = () => Promise.reject(new DatabaseBusy("away"));
    const rejected = await set(ada, await honest.png());
    expect(rejected).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(await kept()).toEqual([]);
  });
});
