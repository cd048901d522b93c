/** Labels and notes that game masters keep on players, and messages to the players with a label. */
import { describe, expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import type { Someone } from "../support/service.ts";

const { s, push, disturbed, subscribe, fillFor, send, statusOf } = pushEnvironment();

const label = (as: Someone, aliases: string[], change: object, key?: string) =>
  s.call("POST /admin/label/{url_id}", { as, body: { aliases, ...change }, key });
const list = async (as: Someone, query: Record<string, string> = {}) =>
  (await s.must("GET /admin/get_players/{url_id}", { as, query })).body.players;
const aliases = async (as: Someone, query: Record<string, string>): Promise<string[]> =>
  (await list(as, query)).map(({ alias }: { alias: string }) => alias);
const edit = (as: Someone, alias: string, change: object, key?: string) =>
  s.call("POST /admin/edit_player/{url_id}", { as, body: { alias, ...change }, key });

describe("labels", () => {
  it("are set and removed for several players at once, folded, sorted and without doubles", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben", "Cid"]) await s.join(alias);
    const set = await label(gm, ["ada", "BEN", "Ada"], { add: [" Waiver", "briefing", "waiver"] });
    expect(set.body.players).toEqual([
      { alias: "Ada", labels: ["briefing", "waiver"] },
      { alias: "Ben", labels: ["briefing", "waiver"] },
    ]);
    const changed = await label(gm, ["Ben", "Cid"], { add: ["über-18"], remove: ["waiver", "briefing"] });
    expect(changed.body.players).toEqual([
      { alias: "Ben", labels: ["über-18"] },
      { alias: "Cid", labels: ["über-18"] },
    ]);
    const { logs } = (await s.must("GET /admin/get_logs/{url_id}", { as: gm, query: { action: "label" } }))
      .body;
    const [ada, ben, cid] = await list(gm, { state: "human" });
    expect(logs.map(({ details }: { details: object }) => details)).toEqual([
      { add: ["über-18"], remove: ["waiver", "briefing"], player_ids: [ben.player_id, cid.player_id] },
      { add: ["waiver", "briefing", "waiver"], remove: [], player_ids: [ada.player_id, ben.player_id] },
    ]);
  });

  it("are changed for all players of a request or for none", async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben"]) await s.join(alias);
    const unknown = await label(gm, ["Ada", "Nobody", "Nemo"], { add: ["waiver"] });
    expect([unknown.status, unknown.body.detail]).toEqual([
      404,
      "There is no player with the alias Nobody, Nemo.",
    ]);
    const twenty = Array.from({ length: 20 }, (_, n) => `label-${n + 1}`);
    await label(gm, ["Ada"], { add: twenty });
    const many = await label(gm, ["Ben", "Ada"], { add: ["waiver"] });
    expect([many.status, many.body.detail]).toEqual([
      400,
      "A player has at most 20 labels: Ada would have 21",
    ]);
    expect(await aliases(gm, { label: "waiver" })).toEqual([]);
    expect((await label(gm, ["Ben", "Ada"], { add: ["waiver"], remove: ["label-7"] })).status).toBe(200);
    for (const bad of ["", "two words", "a".repeat(33), "waiver!", "-a", "a\u200b"])
      expect((await label(gm, ["Ada"], { add: [bad] })).status, bad).toBe(400);
    for (const body of [{}, { add: [] }, { add: ["a"], remove: ["A"] }])
      expect((await label(gm, ["Ada"], body)).status, JSON.stringify(body)).toBe(400);
    expect((await label(gm, Array(51).fill("Ada"), { add: ["a"] })).status).toBe(400);
  });

  it("filter the list of players, together with its other filters", async () => {
    const [gm, mod] = [await s.admin(), await s.moderator("Moe")];
    for (const alias of ["Ann Lee", "Ann Ray", "Bob Lee"]) await s.join(alias);
    await label(gm, ["Ann Lee", "Bob Lee", "Moe"], { add: ["waiver"] });
    await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Bob Lee" } });
    expect(await aliases(mod, { label: "Waiver" })).toEqual(["Ann Lee", "Bob Lee", "Moe"]);
    expect(await aliases(gm, { label: "waiver", search: "lee" })).toEqual(["Ann Lee", "Bob Lee"]);
    expect(await aliases(gm, { label: "waiver", search: "lee", state: "corpse" })).toEqual(["Bob Lee"]);
    expect(await aliases(gm, { label: "waive" })).toEqual([]);
    const first = (
      await s.must("GET /admin/get_players/{url_id}", { as: gm, query: { label: "waiver", limit: "1" } })
    ).body;
    const next = { label: "waiver", limit: "1", cursor: first.next_cursor };
    expect(await aliases(gm, next)).toEqual(["Bob Lee"]);
    const other = await s.call("GET /admin/get_players/{url_id}", { as: gm, query: { ...next, label: "x" } });
    expect(other.status).toBe(400);
  });
});

describe("a note", () => {
  it("is for administrators alone, and so are the labels but for moderators", async () => {
    const [gm, mod, ada] = [await s.admin(), await s.moderator("Moe"), await s.join("Ada")];
    const note = "Has asthma.\nCall her brother.";
    const edited = await edit(gm, "Ada", { note });
    expect(edited.body).toMatchObject({ alias: "Ada", labels: [], note });
    await label(gm, ["Ada"], { add: ["waiver"] });
    expect((await list(gm, { search: "ada" }))[0]).toMatchObject({ note, labels: ["waiver"] });
    expect((await list(mod, { search: "ada" }))[0]).toMatchObject({ note: null, labels: ["waiver"] });
    expect(await aliases(gm, { search: "asthma" })).toEqual([]);
    const own = await s.must("POST /edit_player/{url_id}", { as: ada, body: { first_name: "A" } });
    for (const seen of [own.body, await s.see(ada)]) {
      expect(seen).not.toHaveProperty("note");
      expect(seen).not.toHaveProperty("labels");
    }
    const [{ details }] = (
      await s.must("GET /admin/get_logs/{url_id}", { as: gm, query: { action: "edit_player" } })
    ).body.logs;
    expect(details).toMatchObject({ note_changed: true });
    expect(JSON.stringify(details)).not.toContain("asthma");
    expect((await edit(gm, "Ada", { note: "n".repeat(1_001) })).status).toBe(400);
    expect((await edit(gm, "Ada", { note: null })).body.note).toBeNull();
  });

  it("goes with the account, also from stored responses", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const change = { note: "Has asthma.", clear_picture: true };
    const edited = await edit(gm, "Ada", change, "a-key");
    expect((await edit(gm, "Ada", change, "a-key")).body).toEqual(edited.body);
    const stored = await s.store.db.query({ pk: `SECRET#ONCE#${gm.id}` }, 10);
    expect(stored.items).toHaveLength(1);
    expect(JSON.stringify(stored.items)).not.toContain("asthma");
    await s.must("DELETE /delete_player/{url_id}", { as: ada });
    expect((await edit(gm, "Ada", change, "a-key")).status).toBe(404);
  });
});

describe("the audience of a label", () => {
  it("is judged at delivery, in the request, through the queue and in the inbox", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    const paths = () =>
      push()
        .received()
        .map(({ path }) => path);
    for (const one of [ada, ben]) await subscribe(one, `/${one.alias}`);
    await label(gm, ["Ada"], { add: ["waiver"] });
    const within = await send(gm, undefined, { ...NEWS, audience: "label: Waiver" });
    expect(within.body).toMatchObject({ sent: 1, notification: { audience: "label:waiver" } });
    expect(paths()).toEqual(["/Ada"]);
    const send_at = rfc3339(s.services.clock() + HOUR);
    const { notification } = (await send(gm, undefined, { ...NEWS, audience: "label:waiver", send_at })).body;
    disturbed.passed = HOUR;
    await s.sweep();
    await label(gm, ["Ada"], { remove: ["waiver"] });
    await label(gm, ["Ben"], { add: ["waiver"] });
    await fillFor({ ...gm, id: crypto.randomUUID() }, 201);
    await s.work({ hurry: true });
    expect(await statusOf(gm, notification.notification_id)).toMatchObject({ sent: 1, complete: true });
    expect(paths()).toEqual(["/Ada", "/Ben"]);
    const inbox = async (as: Someone) => (await s.must("GET /notifications/inbox/{url_id}", { as })).body;
    expect(await inbox(ada)).toMatchObject({ unread: 0, notifications: [] });
    // Which label it is stays with the game masters.
    const [shown] = (await inbox(ben)).notifications;
    expect(shown).toMatchObject({ title: NEWS.title, audience: "label" });
    for (const audience of ["label:", "label:two words", "label", "waiver"]) {
      const { status, text } = await send(gm, undefined, { ...NEWS, audience });
      expect([status, text], audience).toEqual([400, expect.stringContaining("such as label:waiver")]);
    }
  });
});
