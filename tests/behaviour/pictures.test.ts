/** Profile pictures: how they are set, shown, cached and removed. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parsePicture } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { honest, phoneJpeg, TRACES } from "../support/pictures.ts";
import { drift } from "../support/recount.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment();

const BYTES = "application/octet-stream";
const MIB = 1024 * 1024;

const set = (as: Someone, file: Buffer, more: RequestOptions = {}): Promise<Result> =>
  s.call("POST /set_pfp/{url_id}", { as, raw: { body: file, type: BYTES }, ...more });

const setJson = (as: Someone, image: unknown): Promise<Result> =>
  s.call("POST /set_pfp/{url_id}", { as, body: { image } });

const own = (as: Someone, ifNoneMatch?: string): Promise<Result> =>
  s.call("GET /pfp/{url_id}", {
    as,
    ...(ifNoneMatch === undefined ? {} : { headers: { "if-none-match": ifNoneMatch } }),
  });

const others = (as: Someone, alias: string): Promise<Result> =>
  s.call("POST /get_pfp/{url_id}", { as, body: { alias } });

const isWebp = (bytes: Buffer): boolean =>
  bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";

/** The picture that an `<img>` with this path shows. */
const image = (path: string, ifNoneMatch?: string): Promise<Result> =>
  s.call("GET /pictures/{picture_id}", {
    id: path.slice("/pictures/".length),
    ...(ifNoneMatch === undefined ? {} : { headers: { "if-none-match": ifNoneMatch } }),
  });

const GONE = { status: 404, body: { code: "no_picture" } };

/** All pictures in the table. */
const kept = async (): Promise<Buffer[]> =>
  (await scan(s)).filter(({ sk }) => sk === "PICTURE").map((item) => Buffer.from(parsePicture(item).bytes));

const expectPicture = (shown: Result, answer: Result["body"]): void => {
  expect(shown.status).toBe(200);
  expect(shown.headers).toMatchObject({
    "content-type": "image/webp",
    "x-content-type-options": "nosniff",
    etag: answer.etag,
  });
  expect(isWebp(shown.bytes)).toBe(true);
  expect(shown.bytes.length).toBe(answer.bytes);
};

describe("a picture", () => {
  it("is shown to its player and to others, made smaller and without metadata", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    expect(await own(ada)).toMatchObject({ status: 404, body: { code: "no_picture" } });
    expect(await others(ben, "Ada")).toMatchObject({ status: 404, body: { code: "no_picture" } });
    expect((await s.see(ada)).has_pfp).toBe(false);

    const phone = await phoneJpeg();
    const { status, body } = await set(ada, phone);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(["bytes", "content_type", "etag", "height", "width"]);
    expect(body).toMatchObject({ content_type: "image/webp", width: 341, height: 512 });
    expect(body.etag).toMatch(/^"[\w-]{43}"$/);

    for (const shown of [await own(ada), await others(ben, "ADA")]) {
      expectPicture(shown, body);
      for (const trace of TRACES) expect(shown.bytes.includes(trace)).toBe(false);
    }
    expect((await own(ada)).headers["cache-control"]).toBe("private, no-cache");
    expect((await s.see(ada)).has_pfp).toBe(true);
    const told = await s.call("POST /get_player/{url_id}", { as: ben, body: { alias: "Ada" } });
    expect(told.body.has_pfp).toBe(true);
    const users = await s.call("GET /users/{url_id}", { as: ben });
    expect(users.body.users.map(({ has_pfp }: Result["body"]) => has_pfp)).toEqual([true, false]);
    expect(await own(ben)).toMatchObject({ status: 404, body: { code: "no_picture" } });
    expect(await others(ben, "Nobody")).toMatchObject({ status: 404, body: { code: "player_not_found" } });
  });

  it("is sent again only when it has changed", async () => {
    const ada = await s.join("Ada");
    const { etag } = (await set(ada, await honest.png())).body;
    const same = [etag, `W/${etag}`, `"other", ${etag}`, `"a,b",W/"c" ,  W/${etag}`, "*", " * "];
    for (const known of same) {
      const { status, headers, bytes } = await own(ada, known);
      expect(status, known).toBe(304);
      expect(bytes).toHaveLength(0);
      expect(headers).toMatchObject({ etag, "cache-control": "private, no-cache" });
    }
    for (const other of ['"other"', etag.slice(1, -1), etag.toUpperCase(), `"x${etag.slice(1)}`, "", '"']) {
      expect((await own(ada, other)).status, other).toBe(200);
    }
    const next = (await set(ada, await phoneJpeg())).body;
    expectPicture(await own(ada, etag), next);
    // Without a picture there is no 304.
    const ben = await s.join("Ben");
    expect((await own(ben, "*")).status).toBe(404);
  });

  it("may be sent as JSON, in base64 or as a data URL, with the same result", async () => {
    const ada = await s.join("Ada");
    const file = await honest.png();
    const { body } = await set(ada, file);
    const base64 = file.toString("base64");
    for (const image of [
      base64,
      `data:image/png;base64,${base64}`,
      `data:image/svg+xml;charset=x;base64,${base64}`,
      `DATA:;BASE64,${base64}`,
      base64.replaceAll(/.{76}/g, "$&\r\n"),
    ]) {
      expect(await setJson(ada, image)).toMatchObject({ status: 200, body });
    }
    const invalid = ["", "====", "abc", `${base64}=`, `data:image/png,${base64}`, "data:image/png;base64,"];
    for (const image of [...invalid, file.toString("latin1"), 5, null, [base64]]) {
      const rejected = await setJson(ada, image);
      expect(rejected.status, String(image).slice(0, 40)).toBe(400);
      expect(rejected.body.errors).toMatchObject([{ path: "image" }]);
    }
    const odd = await s.call("POST /set_pfp/{url_id}", { as: ada, body: { image: base64, nonsense: 1 } });
    expect(odd.body.errors).toMatchObject([{ path: "nonsense" }]);
    expect((await s.call("POST /set_pfp/{url_id}", { as: ada })).status).toBe(400);
    expect(await setJson(ada, Buffer.from("no picture").toString("base64"))).toMatchObject({
      status: 415,
      body: { code: "unsupported_media_type" },
    });
    expectPicture(await own(ada), body);
  });

  it("may have 4 MiB and not a byte more, as bytes or in JSON", async () => {
    const ada = await s.join("Ada");
    const file = await honest.png();
    const padded = (size: number): Buffer => Buffer.concat([file, Buffer.alloc(size - file.length, 0xff)]);
    const { body } = await set(ada, padded(4 * MIB));
    expect(body.width).toBe(60);
    expect((await setJson(ada, padded(4 * MIB).toString("base64"))).body).toEqual(body);
    for (const size of [4 * MIB + 1, 4 * MIB + 100_000]) {
      const rejected = { status: 413, body: { code: "too_large" } };
      expect(await set(ada, padded(size))).toMatchObject(rejected);
      expect(await setJson(ada, padded(size).toString("base64"))).toMatchObject(rejected);
    }
  });
});

describe("the path of a picture", () => {
  /** The paths of the pictures of a player that some other player sees, in every view. */
  const paths = async (alias: string, as: Someone): Promise<Set<string | null>> => {
    const read = async (path: string) => (await s.must(`GET ${path}/{url_id}`, { as })).body;
    const named = (all: Result["body"][]) => all.find((one) => one.alias === alias)?.picture_url;
    const [master] = [await s.login("Game Master", as.password)];
    return new Set([
      (await s.must("POST /get_player/{url_id}", { as, body: { alias } })).body.picture_url,
      named((await read("/users")).users),
      named((await read("/interactions/leaderboard")).players),
      named((await read("/interactions/tree")).roots),
      named((await read("/zombie/starvation")).zombies),
      named((await s.must("GET /admin/get_players/{url_id}", { as: master })).body.players),
    ]);
  };

  it("is the same in every view, needs no token, and is gone with the picture and the account", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    expect(await paths("Ada", ben)).toEqual(new Set([null]));
    await set(ada, await honest.png());
    const { picture_url: first, player_ref } = await s.see(ada);
    expect(first).toMatch(new RegExp(`^/pictures/${player_ref}\\.[\\w-]{22}$`));
    expect(await paths("Ada", ben)).toEqual(new Set([first]));
    const shown = await image(first);
    expect(shown).toMatchObject({ status: 200, bytes: (await own(ada)).bytes });
    expect(shown.headers).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-resource-policy": "cross-origin",
    });
    expect((await image(first, shown.headers.etag)).status).toBe(304);
    expect((await s.hunt(ada, ben)).status).toBe(200);
    expect(await paths("Ada", ben)).toEqual(new Set([first]));

    await set(ada, await phoneJpeg());
    const { picture_url: second } = await s.see(ada);
    expect(second).not.toBe(first);
    expect(await paths("Ada", ben)).toEqual(new Set([second]));
    expect(await image(first)).toMatchObject(GONE);
    expect((await image(second)).status).toBe(200);
    await s.must("POST /admin/edit_player/{url_id}", {
      as: gm,
      body: { alias: "Ada", clear_picture: true },
    });
    expect(await paths("Ada", ben)).toEqual(new Set([null]));
    expect(await image(second)).toMatchObject(GONE);

    await set(ada, await honest.png());
    expect((await image(first)).status).toBe(200);
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    for (const gone of [first, "/pictures/", `/pictures/${player_ref}`, `${first}.x`, `${first}x`]) {
      expect(await image(gone)).toMatchObject(GONE);
    }
  });

  it("is given to a picture of an earlier version by the first who sees it", async () => {
    for (const see of [own, (as: Someone) => others(as, as.alias)]) {
      const ada = await s.join(see === own ? "Ada" : "Dan");
      await set(ada, await honest.png());
      const { picture_url: path, player_ref } = await s.see(ada);
      const stored = await s.store.db.get(keys.player(ada.id));
      await s.store.db.put({ ...stored, ...keys.player(ada.id), target: undefined });
      await s.store.commit([{ remove: keys.playerRef(player_ref) }], () => 10_000);
      expect(await s.see(ada)).toMatchObject({ has_pfp: true, picture_url: null });
      expect((await see(ada)).status).toBe(200);
      expect((await s.see(ada)).picture_url).toBe(path);
      expect((await image(path)).status).toBe(200);
      expect(await drift(s)).toEqual([]);
    }
  });
});

describe("concurrent requests", () => {
  it("each set a picture, one of which stays, complete", async () => {
    const ada = await s.join("Ada");
    const files = await Promise.all([1, 3, 6, 8].map((orientation) => phoneJpeg(orientation)));
    const answers = await Promise.all(files.map((file) => set(ada, file)));
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200));
    const shown = await own(ada);
    expect(answers.map(({ body }) => body.etag)).toContain(shown.headers.etag);
    const hash = createHash("sha256").update(shown.bytes).digest("base64url");
    expect(shown.headers.etag).toBe(`"${hash}"`);
  });

  it("of a player who leaves and sets a picture leave no picture, in either order", async () => {
    const file = await honest.png();
    for (let round = 0; round < 4; round += 1) {
      const ada = await s.join("Ada");
      if (round % 2 === 0) await set(ada, file);
      const [left, wasSet] = await Promise.all([
        s.call("DELETE /delete_player/{url_id}", { as: ada }),
        set(ada, await phoneJpeg()),
      ]);
      expect(left.status).toBe(204);
      expect([200, 403, 404], wasSet.text).toContain(wasSet.status);
      expect(await kept()).toEqual([]);
    }
  });
});

describe("a game master", () => {
  const clear = (gm: Someone, alias: string): Promise<Result> =>
    s.call("POST /admin/edit_player/{url_id}", { as: gm, body: { alias, clear_picture: true } });

  it("removes a picture while another is set: one is stored exactly when the player has one", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const file = await honest.png();
    for (let round = 0; round < 3; round += 1) {
      if (round % 2 === 0) await clear(gm, "Ada");
      const done = await Promise.all([set(ada, file), clear(gm, "Ada"), set(ada, file)]);
      expect(done.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await kept()).length === 1).toBe((await s.see(ada)).has_pfp);
    }
  });
});
