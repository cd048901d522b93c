/**
 * Pictures with their own content types, as AWS passes them on (the local gateway takes such bodies for text); their
 * decoding next to other requests; and their rate limit.
 */
import { describe, expect, it } from "vitest";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { decoders, until } from "../support/decoders.ts";
import { honest, slowJpeg, tallPng } from "../support/pictures.ts";
import { type Someone, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment();
const ROUTE = "POST /set_pfp/{url_id}";

describe("a picture with a picture's content type", () => {
  it("is what its bytes are, whatever its content type", async () => {
    const called = [
      "image/png",
      "image/svg+xml",
      "IMAGE/JPEG; q=1",
      "image/x-what",
      "application/octet-stream; a=b",
    ];
    const kinds = await Promise.all(Object.values(honest).map((make) => make()));
    const ada = await s.join("Ada");
    for (let n = 0; n < Math.max(kinds.length, called.length); n += 1) {
      const raw = { body: kinds[n % kinds.length] ?? "", type: called[n % called.length] ?? "" };
      const answer = await s.call(ROUTE, { as: ada, raw });
      expect(answer, raw.type).toMatchObject({
        status: 200,
        body: { content_type: "image/webp", width: 60 },
      });
    }
  });

  it("that a gateway took for text is rejected with the reason", async () => {
    const ada = await s.join("Ada");
    for (const make of Object.values(honest)) {
      const body = (await make()).toString();
      const answer = await s.call(ROUTE, { as: ada, raw: { body, type: "image/png" } });
      expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
      expect(answer.body.detail).toContain("application/octet-stream");
    }
    expect((await scan(s)).filter(({ sk }) => sk === "PICTURE")).toEqual([]);
  });
});

describe("a picture that takes long to decode", () => {
  it("does not block logins, and neither do pictures that wait for it", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    const set = (as: Someone, body: Buffer) => s.call(ROUTE, { as, raw: { body, type: "image/jpeg" } });
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
  const MINUTE = 60_000;
  let now = Date.now();
  let [taken, drawn] = [0, 0];
  const limited = testEnvironment({
    services: ({ throttles }) => ({
      clock: () => now,
      throttles: { ...throttles, pictures: { ...throttles.pictures, burst: 3 } },
    }),
    database: (usual) => ({
      ...usual,
      async extendUntil(...args) {
        drawn += 1;
        const isTaken = await usual.extendUntil(...args);
        if (isTaken) taken += 1;
        return isTaken;
      },
    }),
  });
  const set = (as: Someone, body: Buffer) => limited.call(ROUTE, { as, raw: { body, type: "image/png" } });

  it("allows one more each minute, costs one write, and nothing for a file that its header rules out", async () => {
    // Fewer here, because each takes a process of its own.
    expect(THROTTLES.pictures).toEqual({ burst: 10, intervalMs: MINUTE });
    const ada = await limited.join("Ada");
    const file = await honest.png();
    expect((await set(ada, tallPng())).status).toBe(413);
    expect((await set(ada, Buffer.from("none"))).status).toBe(415);
    expect(drawn).toBe(0);
    expect((await set(ada, file)).status).toBe(200);
    expect([taken, drawn]).toEqual([1, 1]);
    for (let n = 1; n < 3; n += 1) expect((await set(ada, file)).status).toBe(200);
    for (let minute = 0; minute < 2; minute += 1) {
      const rejected = await set(ada, file);
      expect(rejected).toMatchObject({ status: 429, body: { code: "too_many_attempts" } });
      expect(rejected.headers["retry-after"]).toBe("60");
      now += MINUTE;
      expect((await set(ada, file)).status).toBe(200);
    }
    expect(taken).toBe(5);
  });

  it("is 503 when the database is unavailable, and nothing is decoded", async () => {
    const ada = await limited.join("Ada");
    limited.services.store.db.extendUntil = () => Promise.reject(new DatabaseBusy("away"));
    const rejected = await set(ada, await honest.png());
    expect(rejected).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect((await scan(limited)).filter(({ sk }) => sk === "PICTURE")).toEqual([]);
  });
});
