/** Labels and notes that game masters give to players; random labels are in `tests/battery/model`. */
import { beforeEach, expect, it } from "vitest";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { aliasesIn, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment();
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

it("labels are folded and sorted without duplicates, change for all players of a request or for none, and are logged", async () => {
  const { body } = await label(["ada", "BEN", "Ada"], { add: [" Waiver", "briefing", "waiver"] });
  expect(body.players).toEqual(["Ada", "Ben"].map((alias) => ({ alias, labels: ["briefing", "waiver"] })));
  const [{ details }] = await logsOf(on.gm, "label");
  const player_ids = [on.ada.id, on.ben.id];
  expect(details).toEqual({ add: ["waiver", "briefing", "waiver"], remove: [], player_ids });
  await admin(on.gm, "corpsify", { alias: "Ben" });
  expect(aliasesIn(await list({ label: "Waiver" }, on.mod))).toEqual(["Ada", "Ben"]);
  expect(aliasesIn(await list({ label: "waiver", search: "be" }))).toEqual(["Ben"]);
  expect(await list({ label: "waiver", search: "be", state: "human" })).toEqual([]);
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

it("a note is shown to administrators alone, and labels to administrators and moderators alone", async () => {
  const note = "Has asthma.\nCall her brother.";
  const noted = (await change({ note }, "a-key")).body;
  expect(noted).toMatchObject({ alias: "Ada", labels: [], note });
  expect((await change({ note }, "a-key")).body).toEqual(noted);
  // It is stored with the player alone.
  expect((await scan(s)).filter((item) => JSON.stringify(item).includes("asthma"))).toHaveLength(1);
  await label(["Ada"], { add: ["waiver"] });
  const search = { search: "ada" };
  expect(await list(search)).toMatchObject([{ note, labels: ["waiver"] }]);
  expect(await list(search, on.mod)).toMatchObject([{ note: null, labels: ["waiver"] }]);
  expect(await list({ search: "asthma" })).toEqual([]);
  for (const seen of [(await edit(on.ada, { first_name: "A" })).body, await s.see(on.ada)])
    for (const name of ["note", "labels"]) expect(seen).not.toHaveProperty(name);
  const { details } = (await logsOf(on.gm, "edit_player")).at(-1);
  expect(details).toMatchObject({ note_changed: true });
  expect(JSON.stringify(details)).not.toContain("asthma");
  expect((await change({ note: null })).body.note).toBeNull();
});
