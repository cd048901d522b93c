/** Commands on groups of players: whom they select, what a preview shows, and that they end. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { drift } from "../support/recount.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

/** How many transactions fit into a run before its time is up. */
let perRun = Number.POSITIVE_INFINITY;
let used = 0;

const s = testEnvironment({
  database: (usual) => ({
    ...usual,
    transact: async (writes, token) => {
      used += 1;
      await usual.transact(writes, token);
    },
  }),
  timeLeft: () => (used >= perRun ? 2 * SECOND : 20 * SECOND),
  services: (usual) => ({
    queue: {
      async send(messages) {
        await usual.queue.send(messages);
        used = 0;
      },
    },
  }),
});

beforeEach(() => {
  perRun = Number.POSITIVE_INFINITY;
  used = 0;
});

const upon = (as: Someone, word: string, body: object, key?: string) =>
  s.call(`POST /admin/${word}/{url_id}`, { as, body, key });
/** The entries of the log that say what a command has done. */
const endsOf = async (as: Someone, action: string): Promise<{ details: Record<string, unknown> }[]> => {
  const { logs } = (await s.must("GET /admin/get_logs/{url_id}", { as, query: { action } })).body;
  return logs.filter(({ details }: { details: { complete?: boolean } }) => details.complete === true);
};
const aliasesIn = async (as: Someone, query: Record<string, string>): Promise<string[]> =>
  (
    await s.must("GET /admin/get_players/{url_id}", { as, query: { limit: "1000", ...query } })
  ).body.players.map(({ alias }: { alias: string }) => alias);

describe("a group", () => {
  const corpses = async () => {
    const gm = await s.admin();
    for (const alias of ["Ada", "Ben", "Cid", "Dan", "Eve"]) await s.join(alias);
    await upon(gm, "label", { aliases: ["Ada", "Ben", "Dan", "Game Master"], add: ["late"] });
    for (const alias of ["Ada", "Ben", "Cid"]) await upon(gm, "corpsify", { alias });
    return gm;
  };
  const SELECTIONS: [selection: object, count: string[], skipped: number][] = [
    [{ state: "corpse" }, ["Ada", "Ben", "Cid"], 0],
    [{ label: "Late" }, ["Ada", "Ben"], 2],
    [{ label: "late", state: "corpse" }, ["Ada", "Ben"], 0],
    [{ aliases: ["cid", "EVE", "Ada", "ada"] }, ["Ada", "Cid"], 1],
    [{ aliases: ["Cid", "Ada"], label: "late" }, ["Ada"], 0],
    [{ label: "late", state: "spectator" }, ["Game Master"], 0],
  ];
  it.each(SELECTIONS)("selected by %j is revived as the preview shows", async (selection, names, skipped) => {
    const gm = await corpses();
    const counts = { count: names.length, skipped, complete: true };
    const shown = await upon(gm, "revive_all", { ...selection, dry_run: true, limit: 2 });
    expect(shown.body).toMatchObject({ ...counts, job_id: null });
    const { players, next_cursor } = shown.body;
    const rest =
      next_cursor === null
        ? []
        : (await upon(gm, "revive_all", { ...selection, dry_run: true, cursor: next_cursor })).body.players;
    expect([...players, ...rest].map(({ alias }: { alias: string }) => alias)).toEqual(names);
    const before = await aliasesIn(gm, { state: "human" });
    expect(before).toEqual(["Dan", "Eve"]);
    const done = await upon(gm, "revive_all", { ...selection, reason: "The storm." }, "a-key");
    expect(done.body).toMatchObject({ ...counts, job_id: expect.any(String) });
    expect(await aliasesIn(gm, { state: "human" })).toEqual([...names, ...before].toSorted());
    // Sent again, it changes nothing.
    expect((await upon(gm, "revive_all", { ...selection, reason: "The storm." }, "a-key")).body).toEqual(
      done.body,
    );
    const [log, ...others] = await endsOf(gm, "revive_all");
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      actor: "Game Master",
      details: { ...counts, reason: "The storm.", as: "human" },
    });
    const { interactions } = (
      await s.must("GET /interactions/{url_id}", { as: gm, query: { kind: "revive_human" } })
    ).body;
    expect(interactions).toHaveLength(names.length);
    for (const { details } of interactions) expect(details.reason).toBe("The storm.");
    expect(await drift(s)).toEqual([]);
  });

  it("is refused whole for an unknown alias, and needs something that selects it", async () => {
    const gm = await corpses();
    const unknown = await upon(gm, "revive_all", { aliases: ["Ada", "Nobody"] });
    expect([unknown.status, unknown.body.detail]).toEqual([404, "There is no player with the alias Nobody."]);
    expect(await aliasesIn(gm, { state: "corpse" })).toHaveLength(3);
    for (const body of [{}, { as: "zombie" }, { state: "zombie" }, { label: "late", limit: 3 }])
      expect((await upon(gm, "revive_all", body)).status, JSON.stringify(body)).toBe(400);
    for (const body of [{}, { state: "corpse" }, { label: "late", as: "human" }])
      expect((await upon(gm, "feed_group", body)).status, JSON.stringify(body)).toBe(400);
  });

  it("of corpses becomes original zombies, those too who have starved by the clock alone", async () => {
    const [gm, zed] = await s.game("Zed");
    await s.pass(49 * HOUR);
    const revived = await upon(gm, "revive_all", { state: "corpse", as: "zombie" });
    expect(revived.body).toMatchObject({ count: 1, skipped: 0 });
    expect(await s.see(zed)).toMatchObject({ state: "zombie", infected_by: null, tag_code: null });
    const { interactions } = (await s.must("GET /interactions/{url_id}", { as: gm, query: { limit: "2" } }))
      .body;
    expect(interactions.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
      "revive_zombie",
      "starve",
    ]);
    await s.pass(10 * HOUR);
    const hungry = await s.see(zed);
    await upon(gm, "label", { aliases: ["Zed"], add: ["crew"] });
    expect((await upon(gm, "feed_group", { label: "crew" })).body).toMatchObject({ count: 1, skipped: 0 });
    expect((await s.see(zed)).starves_at > hungry.starves_at).toBe(true);
  });
});

describe("a large group", () => {
  const MANY = 130;
  const setUp = async () => {
    const gm = await s.admin();
    const humans = await makeCrowd(s, MANY, "human", Date.now() - MINUTE);
    await s.crowd(humans.map((human) => ({ ...human, state: "corpse", labels: ["late"] })));
    return gm;
  };

  it("is 202 while the queue continues it, and the same request then returns its end", async () => {
    const gm = await setUp();
    const body = { label: "late" };
    used = 0;
    perRun = 3;
    const begun = await upon(gm, "revive_all", body, "a-key");
    expect(begun.status, begun.text).toBe(202);
    expect(begun.body).toMatchObject({ complete: false, skipped: MANY - begun.body.count });
    expect(begun.body.count).toBeLessThan(MANY);
    await s.work({ hurry: true });
    perRun = Number.POSITIVE_INFINITY;
    const ended = await upon(gm, "revive_all", body, "a-key");
    expect(ended).toMatchObject({ status: 200, body: { count: MANY, skipped: 0, complete: true } });
    expect((await s.call("GET /game/{url_id}", { as: gm })).body.counts).toMatchObject({ humans: MANY });
    const ends = await endsOf(gm, "revive_all");
    expect(ends).toHaveLength(1);
    expect(ends[0]?.details).toMatchObject({ label: "late", count: MANY, asked_by: expect.any(String) });
  });
});
