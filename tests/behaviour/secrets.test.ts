/** No secret is ever written to a log, an error or a list. */
import { describe, expect, it } from "vitest";
import { logLines } from "../support/logLines.ts";
import { type Result, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const PASSWORD = "Tr0ub4dor&3-unmistakable";

describe("a log line or a response", () => {
  const lines = logLines();

  it("holds no password, token or code", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada", PASSWORD), await s.join("Ben", PASSWORD)];
    await s.outbreak(gm, ada);
    const hunted = await s.hunt(ada, ben);
    const everything: Result[] = [
      hunted,
      await s.hunt(ada, ben),
      await s.hunt(ada, "ZZZZZZZZ"),
      await s.call("POST /login", { body: { alias: "Ada", password: `${PASSWORD}!` } }),
      await s.call("POST /login", { body: { alias: "Ada", password: { wrong: PASSWORD } } }),
      await s.call("POST /login", { raw: { body: `{"password":"${PASSWORD}"`, type: "application/json" } }),
      await s.call("POST /new", { body: { alias: "Ada", password: PASSWORD } }),
      await s.call("POST /new", { body: { alias: PASSWORD.slice(0, 8), password: PASSWORD, [PASSWORD]: 1 } }),
      await s.call("GET /player/{url_id}", { as: ben, id: ada.id }),
      await s.call("GET /users/{url_id}", { as: ben }),
      await s.call("GET /interactions/{url_id}", { as: ben }),
      await s.call("GET /interactions/leaderboard/{url_id}", { as: ben }),
      await s.call("GET /interactions/tree/{url_id}", { as: ben }),
      await s.call("GET /zombie/starvation/{url_id}", { as: ben }),
      await s.call("POST /get_player/{url_id}", { as: ben, body: { alias: "Ada" } }),
      await s.call("GET /admin/get_players/{url_id}", { as: gm }),
      await s.call("POST /change_password", {
        body: { alias: "Ada", current_password: PASSWORD, new_password: `${PASSWORD}?` },
      }),
    ];
    expect(lines.length).toBeGreaterThan(everything.length);
    const tokens = [gm, ada, ben].map(({ token }) => token);
    const secretParts = tokens.map((token) => token.split(".")[2] ?? "");
    const secrets = [PASSWORD, ...secretParts, "$argon2id"];
    for (const line of lines) {
      for (const secret of [...secrets, ada.code, ben.code]) expect(line).not.toContain(secret);
    }
    for (const { status, text } of everything) {
      for (const secret of secrets) {
        // A key of the caller's own is returned to the caller alone.
        if (!(status === 400 && secret === PASSWORD)) expect(text).not.toContain(secret);
      }
      expect(text).not.toContain(ada.code);
      expect(text).not.toContain(ben.code);
    }
    // What other players may read has no ids either.
    for (const { text } of everything.slice(9, 15)) {
      for (const { id } of [gm, ada, ben]) expect(text).not.toContain(id);
    }
  });
});
