/** Profile pictures: how they are set, shown, cached and removed, and their rate limit. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { MINUTE } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { honest, phoneJpeg, TRACES, tallPng } from "../support/pictures.ts";
import { drift } from "../support/recount.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, outcomeOf } from "../support/shortRequests.ts";

const s = testEnvironment({ at: Date.now() });

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

// Files of every kind with metadata are in tests/battery/pictures.test.ts.
it("a picture is shown to its player and to others without metadata, and sent again only when it has changed", async () => {
  const [ada, ben] = await s.joinAll("Ada", "Ben");
  const none = await own(ada, "*");
  expect([none.status, none.body.code, none.headers.etag]).toEqual([404, "no_picture", undefined]);
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
    for (const trace of TRACES) expect(shown.bytes.includes(trace)).toBe(false);
  }
  expect(await others(ben, "Nobody")).toMatchObject({ status: 404, body: { code: "player_not_found" } });
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b",W/"c" ,  W/${etag}`, " * "]) {
    const same = await own(ada, known);
    expect([same.status, same.bytes.length], known).toEqual([304, 0]);
    expect(same.headers).toMatchObject({ etag, "cache-control": "private, no-cache" });
  }
  for (const other of ['"other"', etag.slice(1, -1), etag.toUpperCase(), `"x${etag.slice(1)}`, "", '"'])
    expect((await own(ada, other)).status, other).toBe(200);
});

it("a picture that a client has already is not read, and one that is gone is not called unchanged", async () => {
  const [ada, gm] = [await s.join("Ada"), await s.admin()];
  await set(ada, await honest.png());
  const { picture_url: path } = await s.see(ada);
  const { etag } = (await own(ada)).headers;
  const { pk, sk } = keys.picture(ada.id);
  let reads = 0;
  s.beforeCall = (_, asked) => {
    reads += asked.filter((key) => key.pk === pk && key.sk === sk).length;
  };
  for (const answer of [await own(ada, etag), await image(path, etag)]) expect(answer.status).toBe(304);
  expect(reads).toBe(0);
  for (const answer of [await own(ada, '"other"'), await image(path, '"other"')])
    expect(answer.status).toBe(200);
  expect(reads).toBe(2);
  await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { alias: "Ada", clear_picture: true } });
  for (const answer of [await own(ada, etag), await image(path, etag)]) expect(answer.status).toBe(404);
});

it("a picture may have 4 MiB and not a byte more, as bytes, in base64 or as a data URL", async () => {
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
  ])
    expect(await setJson(ada, text)).toMatchObject({ status: 200, body });
  const over = padded(4 * MIB + 1);
  for (const rejected of [await set(ada, over), await setJson(ada, over.toString("base64"))])
    await expectRefused(rejected, "too_large");
  for (const text of ["abc", `${base64}=`, `data:image/png,${base64}`, 5, [base64]])
    expect((await setJson(ada, text)).body.errors).toMatchObject([{ path: "image" }]);
  // Sent as text, as by a gateway that does not take it for binary.
  const asText = await set(ada, file.toString(), "image/png");
  for (const rejected of [asText, await setJson(ada, Buffer.from("no picture").toString("base64"))])
    await expectRefused(rejected, "unsupported_media_type");
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

  it("is added to a picture of an earlier version by the first request that shows it", async () => {
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

it("the stored picture agrees with its player also when another is set, or the player leaves, just before", async () => {
  const [ada, file, other] = [await s.join("Ada"), await honest.png(), await phoneJpeg()];
  for (const [meanwhile, status] of [
    [() => set(ada, other), 200],
    [() => s.must("DELETE /delete_player/{url_id}", { as: ada }), 404],
  ] as const) {
    s.beforeTransaction(meanwhile);
    expect((await set(ada, file)).status).toBe(status);
    expect(await drift(s)).toEqual([]);
  }
});

it("the rate limit of pictures allows one more each minute, costs one write, and is not charged for a file that its header rules out", async () => {
  expect(THROTTLES.pictures).toEqual({ burst: 10, intervalMs: MINUTE });
  // Fewer here, because each takes a process of its own.
  Object.assign(s.services, { throttles: { ...THROTTLES, pictures: { ...THROTTLES.pictures, burst: 2 } } });
  const ada = await s.join("Ada");
  const file = await honest.png();
  /** The number of attempted updates of rate limits. */
  let drawn = 0;
  s.beforeCall = (call) => {
    if (call === "extendUntil") drawn += 1;
  };
  expect((await set(ada, tallPng())).status).toBe(413);
  expect((await set(ada, Buffer.from("none"))).status).toBe(415);
  expect(drawn).toBe(0);
  for (const n of [1, 2]) {
    expect((await set(ada, file)).status).toBe(200);
    expect(drawn).toBe(n);
  }
  const rejected = await set(ada, file);
  expect([...outcomeOf(rejected), rejected.headers["retry-after"]]).toEqual([429, "too_many_attempts", "60"]);
  s.now += MINUTE;
  expect((await set(ada, file)).status).toBe(200);
  expect((await set(ada, file)).status).toBe(429);
});
