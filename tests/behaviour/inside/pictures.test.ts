/** Pictures sent by their own types, as AWS hands them over; the local gateway takes such bodies for text. */
import { describe, expect, it } from "vitest";
import { honest } from "../../support/pictures.ts";
import { stage } from "../../support/service.ts";
import { scan } from "../../support/table.ts";

const s = stage();
const ROUTE = "POST /set_pfp/{url_id}";

describe("a picture that is sent by its type", () => {
  it("is what its bytes are, whatever it is called", async () => {
    const ada = await s.join("Ada");
    const called = [
      "image/png",
      "image/svg+xml",
      "IMAGE/JPEG; q=1",
      "image/x-what",
      "application/octet-stream; a=b",
    ];
    for (const make of Object.values(honest)) {
      const body = await make();
      for (const type of called) {
        const answer = await s.call(ROUTE, { as: ada, raw: { body, type } });
        expect(answer, type).toMatchObject({ status: 200, body: { content_type: "image/webp", width: 60 } });
      }
    }
  });

  it("and was taken for text on its way is refused, and says so", async () => {
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
