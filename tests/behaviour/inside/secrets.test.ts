/** Secrets: nothing that opens a door is ever written to a log, an error or a list; who leaves is gone. */
import { describe, expect, it } from "vitest";
import { logLines } from "../../support/logLines.ts";
import { type Result, testEnvironment } from "../../support/service.ts";
import { scan } from "../../support/table.ts";

const s = testEnvironment();

const PASSWORD = "Tr0ub4dor&3-unmistakable";

describe("what is logged and answered", () => {
  const lines = logLines();

  it("holds no password, token or code", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada", PASSWORD);
    const ben = await s.join("Ben", PASSWORD);
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
        // A key that the caller made up is named back to the caller alone.
        if (!(status === 400 && secret === PASSWORD)) expect(text).not.toContain(secret);
      }
      expect(text).not.toContain(ada.code);
      expect(text).not.toContain(ben.code);
    }
    // What other players may see has no ids either.
    for (const { text } of everything.slice(9, 15)) {
      for (const { id } of [gm, ada, ben]) expect(text).not.toContain(id);
    }
  });

  it("is logged in the table without them too: every login, failed login, change and administrator's call", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada", PASSWORD);
    await s.call("POST /login", { body: { alias: "Ada", password: "wrong password" } });
    await s.call("GET /admin/player_count/{url_id}", { as: gm });
    await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Ada" } });
    await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Ada" } });
    await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { nonsense: true } });
    await s.call("POST /admin/corpsify/{url_id}", { as: ada, body: { alias: "Ada" } });
    const items = (await scan(s)).filter(({ pk }) => pk.startsWith("LOGS#"));
    const told = items
      .toSorted((one, other) => (one.sk < other.sk ? -1 : 1))
      .map(({ action, actor, target, outcome }) => [action, actor, target, outcome]);
    expect(told).toEqual([
      ["login", gm.id, gm.id, "done"],
      ["login", ada.id, ada.id, "done"],
      ["login", null, ada.id, "bad_credentials"],
      ["player_count", gm.id, null, "done"],
      ["cure", gm.id, ada.id, "wrong_state"],
      ["corpsify", gm.id, ada.id, "done"],
      ["corpsify", gm.id, null, "invalid_request"],
    ]);
    const text = JSON.stringify(items);
    for (const secret of [PASSWORD, "wrong password", ada.token, ada.code])
      expect(text).not.toContain(secret);
  });
});

describe("a player who leaves", () => {
  it("is in no item of the table any more, by alias, name, mail, code or password", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    const ben = await s.join("Ben");
    const edit = {
      first_name: "Augusta",
      last_name: "Lovelace",
      email: "countess@example.org",
      alias: "Adälheid",
    };
    expect((await s.call("POST /edit_player/{url_id}", { as: ada, body: edit })).status).toBe(200);
    await s.outbreak(gm, ada);
    await s.hunt(ada, ben, { note: "Lovelace was here", latitude: 51.5, longitude: -0.14 });
    expect(JSON.stringify(await scan(s))).toContain("countess@example.org");
    expect(JSON.stringify(await scan(s))).toContain("Lovelace was here");
    expect((await s.call("DELETE /delete_player/{url_id}", { as: ada })).status).toBe(204);
    const left = await scan(s);
    const text = JSON.stringify(left).toLowerCase();
    for (const trace of ["adälheid", "adalheid", "augusta", "lovelace", "countess", "51.5"])
      expect(text).not.toContain(trace);
    const own = left.filter(({ pk }) => pk.includes(ada.id));
    expect(own).toEqual([]);
  });
});
