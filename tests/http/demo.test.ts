/** `npm run demo` starts a game in full swing, which a crowd goes on playing. */
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GameClient } from "../../client/src/index.ts";
import { GAME_MASTER, PASSWORD, playHistory } from "../../scripts/demo/history.ts";
import { copyTree } from "../support/copiedTree.ts";
import { listen } from "../support/listen.ts";
import { npmStart } from "../support/npmStart.ts";
import { expectError, runScript } from "../support/runScript.ts";
import { testEnvironment } from "../support/service.ts";

it("npm run demo starts a game in full swing, and a crowd keeps playing", async () => {
  // The demo always uses the same file, so it runs in a copy of the tree: a demo may be running in this one.
  const { root, remove } = await copyTree();
  const args = ["--players", "40", "--speed", "3600"];
  onTestFinished(remove);
  const taken = createServer();
  onTestFinished(() => void taken.close());
  const PORT = String(await listen(taken));
  expectError(await runScript([join(root, "scripts/commands/demo.ts")], { PORT }), /^Port \d+ is in use/);
  const ofOwnGame = {
    DYNAMODB_ENDPOINT: "http://127.0.0.1:1",
    JOIN_CODE: "braaains",
    MAIL_URL: "smtp://127.0.0.1:1",
  };
  const demo = await npmStart(ofOwnGame, { root, command: "demo", args });
  onTestFinished(async () => expect(await demo.stop()).toBe(0));
  await vi.waitFor(() => expect(demo.output()).toMatch(/ tagged .*\./), { timeout: 90_000 });
  expect(demo.output()).toContain(`${demo.base}/app/login`);
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

describe("the past of a demo", () => {
  const now = Date.UTC(2026, 10, 28, 19, 18);
  const s = testEnvironment({ at: now });

  it("goes on where the simulation's hunters were cured, or have starved", async () => {
    await playHistory(s.services, { players: 40, seed: 2, now }, () => {});
    const as = await s.login(GAME_MASTER, PASSWORD);
    const { body } = await s.must("GET /interactions/{url_id}", { as, query: { kind: "hunt", limit: 100 } });
    // As many as in the simulation.
    expect(body.interactions).toHaveLength(29);
    const { body: disputed } = await s.must("GET /admin/disputes/{url_id}", { as });
    expect(disputed.disputes).toHaveLength(1);
  });

  it("leaves humans to tag, also where the simulation leaves none", async () => {
    const { human, code } = await playHistory(s.services, { players: 20, seed: 3, now }, () => {});
    expect([human, code]).toEqual([expect.stringMatching(/^(?!gm$)./), expect.stringMatching(/./)]);
  });
});
