import { describe, expect, it } from "vitest";
import { type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const recover = (gm: Someone, alias: string) =>
  s.call("POST /admin/recover_password/{url_id}", { as: gm, body: { alias } });
const redeem = (alias: string, recovery_code: string, new_password: string) =>
  s.call("POST /change_password", { body: { alias, recovery_code, new_password } });

describe("a recovery code", () => {
  it("sets a new password once, ends every session, and may be written in any case and spacing", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const issued = await recover(gm, "ada");
    expect(issued.body).toMatchObject({ alias: "Ada" });
    const { recovery_code: code } = issued.body;
    expect(code).toMatch(/^([2-9A-HJ-NP-Z]{4}-){6}[2-9A-HJ-NP-Z]{4}$/);
    const minutes = (Date.parse(issued.body.expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(59);
    expect(minutes).toBeLessThanOrEqual(60);
    // The old password works until it is changed.
    expect((await s.login("Ada", ada.password)).id).toBe(ada.id);
    expect((await redeem("Ada", "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG", "a better password")).status).toBe(401);
    expect((await redeem("Nobody", code, "a better password")).status).toBe(401);
    const redeemed = await redeem("ada", code.toLowerCase().replaceAll("-", " "), "a better password");
    expect(redeemed).toMatchObject({ status: 200, body: { player_id: ada.id, alias: "Ada" } });
    expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(403);
    expect((await s.see({ ...ada, token: redeemed.body.token })).alias).toBe("Ada");
    expect((await redeem("Ada", code, "an even better one")).status).toBe(401);
    expect((await s.login("Ada", "a better password")).id).toBe(ada.id);
    const both = { alias: "Ada", current_password: "a better password", recovery_code: code };
    for (const body of [
      { ...both, new_password: "whatever it is" },
      { alias: "Ada", new_password: "whatever it is" },
    ]) {
      expect((await s.call("POST /change_password", { body })).status).toBe(400);
    }
  });
});

describe("the log", () => {
  it("logs a repeated request with its stored result", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    const cure = () =>
      s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Zed" }, key: "cure-of-zed" });
    const first = await cure();
    expect(first.status).toBe(200);
    // Meanwhile somebody else has that alias, who could be cured.
    for (const [as, alias] of [
      [zed, "Zoe"],
      [ann, "Zed"],
    ] as const) {
      expect((await s.call("POST /edit_player/{url_id}", { as, body: { alias } })).status).toBe(200);
      await s.freeAliases(as);
    }
    await s.outbreak(gm, ann);
    // The response is the one that was stored, with the name that its player has now.
    const { player, interaction } = first.body;
    expect(await cure()).toMatchObject({
      status: 200,
      body: { player: { ...player, alias: "Zoe" }, interaction: { ...interaction, target: "Zoe" } },
    });
    const { body } = await s.call("GET /admin/get_logs/{url_id}", { as: gm, query: { action: "cure" } });
    expect(body.logs).toMatchObject([
      { outcome: "done", target: null },
      { outcome: "done", target: "Zoe" },
    ]);
  });
});
