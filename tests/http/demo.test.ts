/** `npm run demo` starts a game in full swing, which a crowd goes on playing. */
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { GameClient } from "../../client/src/index.ts";
import { copyTree } from "../support/copiedTree.ts";
import { npmStart } from "../support/npmStart.ts";
import { expectError, runScript } from "../support/runScript.ts";

it("npm run demo starts a game in full swing, and a crowd keeps playing", async () => {
  // The demo always uses the same file, so it runs in a copy of the tree: a demo may be running in this one.
  const { root, remove } = await copyTree();
  const args = ["--players", "40", "--speed", "3600"];
  onTestFinished(remove);
  const demo = await npmStart({}, { root, command: "demo", args });
  onTestFinished(async () => expect(await demo.stop()).toBe(0));
  await vi.waitFor(() => expect(demo.output()).toMatch(/ tagged .*\./), { timeout: 90_000 });
  // Without a terminal, lines say what is being done.
  for (const line of ["Making a game of 40 players ...", "Starting the functions ..."])
    expect(demo.output()).toContain(line);
  const login = /The game master .*\s(\S+)\n\n.*every account is: (.+)/.exec(demo.output());
  const [, alias = "", password = ""] = login ?? [];
  const game = new GameClient({ baseUrl: demo.base });
  const gm = game.withToken((await game.post("/login", { body: { alias, password } })).token);
  const { players } = await gm.get("/admin/get_players/{url_id}", { query: { limit: 100 } });
  expect(players).toHaveLength(41);
  expect(players.filter(({ picture_url }) => picture_url !== null)).toHaveLength(40);
  const { interactions } = await gm.get("/interactions/{url_id}", { query: { limit: 100 } });
  const kinds = interactions.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(["hunt", "cure"]));
  expect(await gm.get("/admin/disputes/{url_id}")).toMatchObject({ disputes: [{ status: "open" }] });
  expect(await gm.get("/checkpoint/{url_id}")).toMatchObject({ checkpoint: { name: "The lake house" } });
  const { missions } = await gm.get("/missions/{url_id}");
  expect(missions.map(({ result }) => result)).toEqual([null, "zombies", "humans"]);
  const { batches } = await gm.get("/admin/codes/{url_id}");
  expect(batches.map(({ effect }) => Object.keys(effect)[0])).toEqual(["cure", "feed_seconds"]);
  const second = await runScript([join(root, "scripts/commands/demo.ts")], {});
  expectError(second, /is in use by the service on .* End that demo first\./);
});
