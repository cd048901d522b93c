/**
 * The packages under AWS's own runtime loop, on AWS's own emulator of DynamoDB: each starts and answers, every example of
 * the API document succeeds, and a short game is played (npm run test:emulator -- --packages).
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { makeInvoker } from "../../scripts/local/invocation.ts";
import { functionName } from "../../scripts/local/service.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { expectConforms } from "../contract/conforms.ts";
import { ENDPOINTS } from "../contract/endpoints.ts";
import { createExampleGame, recordExamples } from "../contract/exampleGame.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { running } from "../support/running.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { insertRecord } from "../support/streamRecords.ts";
import { scan } from "../support/table.ts";

const { s, push, subscribe, send, statusOf } = pushEnvironment();
const { done } = shortRequests(s);

/** Invokes a function as Lambda's event sources do. */
const invoke = (name: string, event: unknown): Promise<unknown> => {
  const options = { name: functionName(name), timeoutMs: 120_000 };
  return makeInvoker(() => inject("invocations"), options, new AbortController().signal)(event);
};

const exampleEvent = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(ROOT, `events/${name}.json`), "utf8"));

/** A page of the web app, as a browser loads it. */
const PAGES: Record<string, [path: string, status: number, what: RegExp]> = {
  home: ["/", 200, /<!doctype html>/i],
  app: ["/app/me", 200, /"\/app\/assets\/[\w.-]+\.js"/],
  app_redirect: ["/app", 308, /^$/],
  unsubscribe_page: ["/unsubscribe_email?token=x", 303, /^$/],
  preview: ["/preview.png", 200, /PNG/],
};

it.each(listedFunctions())(
  "the package of $name starts and answers",
  async ({ name, route = "", isPage }) => {
    if (isPage) {
      const [path, status, what] = PAGES[name] ?? ["", 0, /$^/];
      const response = await fetch(`${running().base}${path}`, { redirect: "manual" });
      expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(what)]);
      return;
    }
    if (name === "sweep") {
      const swept = await invoke(name, await exampleEvent("schedule"));
      expect(swept).toMatchObject({ starved: 0, warned: 0, complete: true });
      return;
    }
    if (name === "deliver") {
      expect(await invoke(name, await exampleEvent("queue"))).toEqual({ batchItemFailures: [] });
      return;
    }
    if (name === "announce") {
      const [, zombie] = await s.game("Zed");
      const told = (await scan(s)).filter(({ pk, actor }) => pk === "INTERACTIONS#0" && actor !== zombie.id);
      const Records = told.map((item) => insertRecord(item));
      expect(Records.length).toBeGreaterThan(0);
      expect(await invoke(name, { Records })).toBeNull();
      return;
    }
    const own = ENDPOINTS.find((one) => one.route === route);
    const result = await s.call(route);
    expect(result.status, result.text).toBeLessThan(500);
    expectConforms(route, result);
    // Without a token.
    if (own?.access !== "public") expect(result.status, result.text).toBe(403);
  },
);

it("the example of every endpoint succeeds in its package", async () => {
  await recordExamples(s, await createExampleGame(s, () => {}), () => s.work());
});

it("a short game is played, and its tags reach a browser by stream, queue and push", async () => {
  const gm = await s.admin();
  const [ada, ben, cid] = await s.joinAll("Ada", "Ben", "Cid");
  const [toBen, toCid] = [await subscribe(ben, "/ben"), await subscribe(cid, "/cid")];
  await s.must("POST /edit_player/{url_id}", { as: ada, body: { wants_original: true } });
  expect(await done(gm, "draw_originals", { n: 1 })).toMatchObject({ drawn: [{ alias: "Ada" }] });
  expect((await s.hunt(ada, ben, { note: "by the bridge" })).body).toMatchObject({ prey: { alias: "Ben" } });
  expect((await s.hunt(ada, ben)).status).toBe(409);
  await s.work();
  const titles = (path: string, browser: typeof toBen): string[] =>
    push()
      .received(path)
      .map(({ body }) => JSON.parse(browser.decrypt(body)).notification.title);
  expect(titles("/ben", toBen)).toHaveLength(1);
  expect(titles("/cid", toCid)).toHaveLength(0);
  const { notification } = (await send(gm)).body;
  await s.work();
  expect((await statusOf(gm, notification.notification_id)).sent).toBe(2);
  expect(titles("/cid", toCid)).toEqual(["Game masters: Curfew"]);

  const board = (await s.must("GET /interactions/leaderboard/{url_id}", { as: cid })).body;
  expect(board.players[0]).toMatchObject({ alias: "Ada", kills: 1 });
  const tree = (await s.must("GET /interactions/tree/{url_id}", { as: cid })).body;
  expect(JSON.stringify(tree)).toMatch(/Ada.*Ben/);
  const { interactions } = (await s.must("GET /interactions/{url_id}", { as: cid })).body;
  expect(interactions[0]).toMatchObject({ kind: "hunt" });

  await done(gm, "pause_game", undefined);
  expect((await s.hunt(ada, cid)).body.code).toBe("paused");
  await done(gm, "resume_game", undefined);
  // Nobody fed for two days.
  await s.pass(49 * HOUR);
  expect(await invoke("sweep", await exampleEvent("schedule"))).toMatchObject({ starved: 2, complete: true });
  expect((await s.see(ben)).state).toBe("corpse");
  await s.must("DELETE /delete_player/{url_id}", { as: ben });
  expect(await s.login("Ben", ben.password).catch(String)).toMatch(/401/);
  expect((await s.must("GET /admin/player_count/{url_id}", { as: gm })).body).toMatchObject({
    ...{ humans: 1, zombies: 0, corpses: 1 },
  });
});
