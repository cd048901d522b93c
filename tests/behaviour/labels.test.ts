/** Labels and notes that game masters give to players; random labels are in `tests/battery/model`. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import type { Result, TestPlayer } from "../support/service.ts";
import { aliasesIn, shortRequests } from "../support/shortRequests.ts";

const { s, push, disturbed, subscribe, fillFor, send, statusOf } = pushEnvironment();
const { read, admin, edit, logsOf } = shortRequests(s);

let on: Record<"gm" | "mod" | "ada" | "ben", TestPlayer>;
beforeEach(async () => {
  on = {
    ...{ gm: await s.admin(), mod: await s.moderator("Moe") },
    ...{ ada: await s.join("Ada"), ben: await s.join("Ben") },
  };
});
const label = (aliases: string[], change: object) => admin(on.gm, "label", { aliases, ...change });
const list = async (query: Record<string, string>, as = on.gm): Promise<Result["body"][]> =>
  (await read(as, "/admin/get_players", query)).players;
const change = (body: object, key?: string) => admin(on.gm, "edit_player", { alias: "Ada", ...body }, key);

describe("labels", () => {
  it("are folded, sorted and without doubles, for all players of a request or for none, and logged", async () => {
    const { body } = await label(["ada", "BEN", "Ada"], { add: [" Waiver", "briefing", "waiver"] });
    expect(body.players).toEqual(["Ada", "Ben"].map((alias) => ({ alias, labels: ["briefing", "waiver"] })));
    const [{ details }] = await logsOf(on.gm, "label");
    const player_ids = [on.ada.id, on.ben.id];
    expect(details).toEqual({ add: ["waiver", "briefing", "waiver"], remove: [], player_ids });
    const unknown = await label(["Ada", "Nobody", "Nemo"], { add: ["late"] });
    const detail = "There is no player with the alias Nobody, Nemo.";
    expect([unknown.status, unknown.body.detail]).toEqual([404, detail]);
    await label(["Ada"], { add: Array.from({ length: 18 }, (_, n) => `label-${n + 1}`) });
    const many = await label(["Ben", "Ada"], { add: ["late"] });
    const most = "A player has at most 20 labels: Ada would have 21";
    expect([many.status, many.body.detail]).toEqual([400, most]);
    expect(await list({ label: "late" })).toEqual([]);
    const [ada] = (await label(["Ada", "Ben"], { add: ["late"], remove: ["label-7"] })).body.players;
    expect([ada.labels.includes("late"), ada.labels.includes("label-7")]).toEqual([true, false]);
  });

  it.each([
    ...["", "two words", "a".repeat(33), "waiver!", "-a", "a\u200b"].map((bad) => ({ add: [bad] })),
    ...[{}, { add: [] }, { add: ["a"], remove: ["A"] }, { aliases: Array(51).fill("Ada"), add: ["a"] }],
  ])("are not changed by %j", async (body) => {
    expect((await label(["Ada"], body)).status).toBe(400);
  });

  it("filter the list of players, together with its other filters, page by page", async () => {
    for (const alias of ["Ann Lee", "Bob Lee"]) await s.join(alias);
    await label(["Ann Lee", "Bob Lee", "Moe"], { add: ["waiver"] });
    await admin(on.gm, "corpsify", { alias: "Bob Lee" });
    expect(aliasesIn(await list({ label: "Waiver" }, on.mod))).toEqual(["Ann Lee", "Bob Lee", "Moe"]);
    expect(aliasesIn(await list({ label: "waiver", search: "lee" }))).toEqual(["Ann Lee", "Bob Lee"]);
    expect(aliasesIn(await list({ label: "waiver", search: "lee", state: "corpse" }))).toEqual(["Bob Lee"]);
    const query = { label: "waiver", limit: "1" };
    const { next_cursor: cursor } = await read(on.gm, "/admin/get_players", query);
    expect(aliasesIn(await list({ ...query, cursor }))).toEqual(["Bob Lee"]);
    const other = { as: on.gm, query: { ...query, cursor, label: "x" } };
    expect((await s.call("GET /admin/get_players/{url_id}", other)).status).toBe(400);
  });
});

describe("a note", () => {
  it("is for administrators alone, and so are the labels but for moderators", async () => {
    const note = "Has asthma.\nCall her brother.";
    expect((await change({ note })).body).toMatchObject({ alias: "Ada", labels: [], note });
    await label(["Ada"], { add: ["waiver"] });
    const search = { search: "ada" };
    expect(await list(search)).toMatchObject([{ note, labels: ["waiver"] }]);
    expect(await list(search, on.mod)).toMatchObject([{ note: null, labels: ["waiver"] }]);
    expect(await list({ search: "asthma" })).toEqual([]);
    for (const seen of [(await edit(on.ada, { first_name: "A" })).body, await s.see(on.ada)])
      for (const name of ["note", "labels"]) expect(seen).not.toHaveProperty(name);
    const [{ details }] = await logsOf(on.gm, "edit_player");
    expect(details).toMatchObject({ note_changed: true });
    expect(JSON.stringify(details)).not.toContain("asthma");
    expect((await change({ note: "n".repeat(1_001) })).status).toBe(400);
    expect((await change({ note: null })).body.note).toBeNull();
  });

  it("goes with the account, also from stored responses", async () => {
    const body = { note: "Has asthma.", clear_picture: true };
    const edited = await change(body, "a-key");
    expect((await change(body, "a-key")).body).toEqual(edited.body);
    const stored = await s.store.db.query({ pk: `SECRET#ONCE#${on.gm.id}` }, 10);
    expect(stored.items).toHaveLength(1);
    expect(JSON.stringify(stored.items)).not.toContain("asthma");
    await s.must("DELETE /delete_player/{url_id}", { as: on.ada });
    expect((await change(body, "a-key")).status).toBe(404);
  });
});

describe("the audience of a label", () => {
  it("is judged at delivery, in the request, through the queue and in the inbox", async () => {
    const { gm, ada, ben } = on;
    const paths = () =>
      push()
        .received()
        .map(({ path }) => path);
    for (const one of [ada, ben]) await subscribe(one, `/${one.alias}`);
    await label(["Ada"], { add: ["waiver"] });
    const within = await send(gm, undefined, { ...NEWS, audience: "label: Waiver" });
    expect(within.body).toMatchObject({ sent: 1, notification: { audience: "label:waiver" } });
    expect(paths()).toEqual(["/Ada"]);
    const send_at = rfc3339(s.services.clock() + HOUR);
    const { notification } = (await send(gm, undefined, { ...NEWS, audience: "label:waiver", send_at })).body;
    disturbed.passed = HOUR;
    await s.sweep();
    await label(["Ada"], { remove: ["waiver"] });
    await label(["Ben"], { add: ["waiver"] });
    await fillFor({ ...gm, id: crypto.randomUUID() }, 201);
    await s.work({ hurry: true });
    expect(await statusOf(gm, notification.notification_id)).toMatchObject({ sent: 1, complete: true });
    expect(paths()).toEqual(["/Ada", "/Ben"]);
    const inbox = (as: TestPlayer) => read(as, "/notifications/inbox");
    expect(await inbox(ada)).toMatchObject({ unread: 0, notifications: [] });
    // Which label it is stays with the game masters.
    const [shown] = (await inbox(ben)).notifications;
    expect(shown).toMatchObject({ title: NEWS.title, audience: "label" });
  });

  it.each(["label:", "label:two words", "label", "waiver"])("is not called %s", async (audience) => {
    const { status, text } = await send(on.gm, undefined, { ...NEWS, audience });
    expect([status, text]).toEqual([400, expect.stringContaining("such as label:waiver")]);
  });
});
