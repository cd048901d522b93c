/**
 * Previews equal effects: at the end of random games of the model, commands are tried in a dry run, then carried out.
 * The players must be as the dry run and the texts of the web app have promised. A dry run changes no player, and no
 * change happens that was not promised.
 */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import type { Effect } from "../../web/src/schemas.ts";
import * as words from "../../web/src/staff/ui/previews.ts";
import { gm as texts } from "../../web/src/text/staff.ts";
import { part, type Random, randomFrom } from "../support/battery.ts";
import { missionAt } from "../support/constants.ts";
import type { Result, TestEnvironment, TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { run, sequences } from "./model/commands.ts";
import { LABELS } from "./model/names.ts";
import { newStats, newWorld } from "./model/world.ts";

vi.mock("../../lib/images/decodeInChild.ts", async () => ({
  decodeInChild: (await import("../support/decoders.ts")).decodeHere,
}));

/** Loosely typed, as tests assert what they read. */
type Row = Result["body"];
/** The players as game masters see them, by alias. */
type Rows = Map<string, Row>;
type Body = Record<string, unknown>;

/** A random game before a command, and its game master. */
interface Scene {
  s: TestEnvironment;
  gm: TestPlayer;
  random: Random;
}

const admin = ({ s, gm }: Scene, word: string, body: Body = {}): Promise<Result> =>
  shortRequests(s).admin(gm, word, body);

const read = ({ s, gm }: Scene, path: string, query = {}): Promise<Row> =>
  shortRequests(s).read(gm, path, query);

const look = async (scene: Scene): Promise<Rows> => {
  const { players } = await read(scene, "/admin/get_players", { limit: 500 });
  return new Map(players.map((row: Row) => [row.alias, row]));
};

/** A command that was tried and carried out, and the players before and after it. */
interface Tried {
  before: Rows;
  after: Rows;
  dry: Row;
  done: Row;
}

/** The aliases of those whom a command has changed. */
const changed = ({ before, after }: Pick<Tried, "before" | "after">): string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((alias) => JSON.stringify(before.get(alias)) !== JSON.stringify(after.get(alias)))
    .toSorted();

const aliasesOf = (players: { alias: string | null }[]): string[] =>
  players.map(({ alias }) => alias ?? "").toSorted();

/** The aliases that a text names. */
const namedIn = (lines: readonly string[], rows: Rows): string[] => {
  const parts = new Set(
    lines.flatMap((line) => line.split(/(?:: |, |\.$| (?:is|has|loses|keeps|stays|becomes)\b)/)),
  );
  return [...rows.keys()].filter((alias) => parts.has(alias)).toSorted();
};

const inState = (rows: Rows, ...states: string[]): Row[] =>
  [...rows.values()].filter(({ state }) => states.includes(state));

const some = <T>(random: Random, from: readonly T[], most: number): T[] =>
  random.shuffle(from).slice(0, 1 + random.below(most));

/** Tries a command, page by page, and carries it out. @returns `null` if both are rejected, with the same code */
const tryAndDo = async (scene: Scene, word: string, body: Body): Promise<Tried | null> => {
  const before = await look(scene);
  const first = await admin(scene, word, { ...body, dry_run: true });
  for (let cursor = first.body.next_cursor; cursor; ) {
    const next = (await admin(scene, word, { ...body, dry_run: true, cursor })).body;
    first.body.players.push(...next.players);
    expect({ ...next, players: [] }).toEqual({ ...first.body, players: [], next_cursor: next.next_cursor });
    cursor = next.next_cursor;
  }
  expect(changed({ before, after: await look(scene) })).toEqual([]);
  const done = await admin(scene, word, { ...body, limit: undefined });
  if (first.status >= 300) {
    expect(done).toMatchObject({ status: first.status, body: { code: first.body.code } });
    return null;
  }
  expect(done.status).toBe(200);
  return { dry: first.body, done: done.body, before, after: await look(scene) };
};

const checkVoids = (effects: Effect[], { before, after }: Tried): void => {
  // Of several effects on a player the last one decides.
  for (const [alias, last] of new Map(effects.map((one) => [one.alias, one]))) {
    const { effect: _, at: _when, ...facts } = last;
    if (alias !== null) expect(after.get(alias)).toMatchObject(facts);
  }
  const promised = effects.filter(({ effect }) => !/^(meal_kept|stays_zombie|unchanged)$/.test(effect));
  expect(aliasesOf(promised)).toEqual(expect.arrayContaining(changed({ before, after })));
  expect(namedIn(words.voidEffects(promised), before)).toEqual(
    [...new Set(aliasesOf(promised))].filter(Boolean),
  );
};

/** The commands that can be tried, besides the void of one hunt, which the model predicts (model/hunts.ts). */
const TRIED: Record<string, (scene: Scene) => Promise<void>> = {
  async void_hunts(scene) {
    const { interactions } = await read(scene, "/interactions", { kind: "hunt", limit: 100 });
    const interaction_ids = some<Row>(scene.random, interactions, 6).map((one) => one.interaction_id);
    if (interaction_ids.length === 0) return;
    const tried = await tryAndDo(scene, "void_hunts", { interaction_ids });
    if (tried === null) return;
    expect(tried.done).toEqual({ ...tried.dry, dry_run: false });
    // The latest is voided first.
    const voided = Map.groupBy<string, Row>(tried.dry.hunts, ({ interaction_id }) => interaction_id);
    const ids = [...voided.keys()].toSorted().toReversed();
    const effects = ids.flatMap((id) => voided.get(id)?.[0].effects);
    checkVoids(effects, tried);
  },
  async undo_redemption(scene) {
    const { interactions } = await read(scene, "/interactions", { limit: 200 });
    const given = interactions.filter(({ kind, details }: Row) => {
      return kind !== "void" && details.reward?.source === "code" && details.voided !== true;
    });
    if (given.length === 0) return;
    const { interaction_id: redemption_id } = scene.random.pick(given as [Row, ...Row[]]);
    const tried = await tryAndDo(scene, "undo_redemption", { redemption_id });
    if (tried === null) return;
    const { interaction, ...done } = tried.done;
    expect({ ...done, interaction: null }).toEqual({ ...tried.dry, dry_run: false });
    expect(interaction).toMatchObject({ kind: "void" });
    checkVoids(tried.dry.effects, tried);
  },
  async close_mission(scene) {
    const { random, s } = scene;
    const rows = await look(scene);
    const now = s.services.clock();
    const effects = [{ points: 2 }, { feed_seconds: 3_600 }, { cure: true }, { message: "Well done." }];
    const audience = () => random.pick(["all", "humans", "zombies"]);
    const starts_at = new Date(now - (1 + random.below(40)) * HOUR).toISOString();
    const rewards = some(random, effects, 3).map((effect) => ({ audience: audience(), effect }));
    const { body } = await admin(scene, "set_mission", missionAt(now, { starts_at, rewards }));
    const { mission_id } = body;
    const aliases = some(random, [...rows.keys()], 8);
    expect((await admin(scene, "mission_attendance", { mission_id, aliases })).status).toBe(200);
    const closing = { mission_id, result: random.pick(["both", "cancelled"]), limit: 3 };
    const tried = (await tryAndDo(scene, "close_mission", closing)) ?? expect.fail("not closed");
    const { dry, done, before, after } = tried;
    expect(done).toMatchObject({ count: dry.count, skipped: dry.skipped, complete: true });
    expect(aliasesOf(dry.players)).toEqual(expect.arrayContaining(changed(tried)));
    for (const { alias, state, becomes } of dry.players)
      expect([before.get(alias).state, after.get(alias).state]).toEqual([state, becomes]);
    expect((await admin(scene, "close_mission", { mission_id, result: "none" })).status).toBe(409);
    // Reopening gives back what everybody had, unless they would have starved since.
    await admin(scene, "reopen_mission", { mission_id });
    const points = (seen: Rows) => [...seen.values()].map((row) => [row.alias, row.points]);
    expect(points(await look(scene))).toEqual(points(before));
  },
  async enforce_missions(scene) {
    const { random, s } = scene;
    await admin(scene, "settings", { checkpoint_outcome: random.pick(["corpse", "zombie"]) });
    const rows = await look(scene);
    const now = s.services.clock();
    const { body } = await admin(scene, "set_mission", missionAt(now, { required: true }));
    const aliases = some(random, [...rows.keys()], 4);
    await admin(scene, "mission_attendance", { mission_id: body.mission_id, aliases });
    const exempt = some(random, [...rows.keys()], 2);
    const tried =
      (await tryAndDo(scene, "enforce_missions", { min: 1, exempt, limit: 3 })) ?? expect.fail("no");
    const { dry, done, before, after } = tried;
    expect(done).toMatchObject({
      killed: dry.killed,
      spared: dry.spared,
      needed: dry.needed,
      complete: true,
    });
    expect(changed(tried)).toEqual(aliasesOf(dry.players));
    for (const { alias, state, becomes } of dry.players)
      expect([before.get(alias).state, after.get(alias).state]).toEqual([state, becomes]);
  },
  async enforce(scene) {
    const { random } = scene;
    await admin(scene, "settings", { checkpoint_outcome: random.pick(["corpse", "zombie"]) });
    const applies_to = random.pick(["all", "humans", "zombies"] as const);
    const { checkpoint_id } = (await admin(scene, "set_checkpoint", { name: "Library", applies_to })).body;
    const living = inState(await look(scene), "human", "zombie");
    for (const { alias } of some(random, living, 4)) await admin(scene, "player_at_checkpoint", { alias });
    const killing = { checkpoint_id, limit: 3 };
    const tried =
      (await tryAndDo(scene, "kill_all_not_at_checkpoint", killing)) ?? expect.fail("not enforced");
    const { dry, done, before, after } = tried;
    expect(done).toMatchObject({ killed: dry.killed, spared: dry.spared, complete: true });
    expect(changed(tried)).toEqual(aliasesOf(dry.players));
    for (const { alias, state, becomes } of dry.players) {
      expect([before.get(alias).state, after.get(alias).state]).toEqual([state, becomes]);
    }
    const effectsOf = (some: Row) => words.enforceEffects(some, { applies_to, closes_at: null }, null);
    const lines = effectsOf(dry);
    expect(namedIn(lines, before)).toEqual(aliasesOf(dry.players));
    const turned = inState(after, "corpse").filter(({ alias }) => before.get(alias).state === "human");
    if (turned.length > 1) expect(lines.join()).toContain(`${turned.length} humans become corpses: `);
    const first = effectsOf({ ...dry, players: dry.players.slice(0, 1) });
    if (dry.killed > 1) expect(first).toContain(texts.checkpoint.others(dry.killed - 1));

    // Some players change before the undo.
    for (const { alias } of some<Row>(random, dry.players, 2)) await admin(scene, "revive_h", { alias });
    const undo = { ...killing, reason: "Early." };
    const undone = (await tryAndDo(scene, "undo_checkpoint", undo)) ?? expect.fail("not undone");
    const { players, restored, changed: others } = undone.dry;
    expect(undone.done).toMatchObject({ restored, changed: others, complete: true });
    expect(namedIn(words.undoEffects(undone.dry), before)).toEqual(aliasesOf(players));
    const ofRestored = players.filter(({ outcome }: Row) => outcome === "restored");
    expect(changed(undone)).toEqual(aliasesOf(ofRestored));
    for (const { alias } of ofRestored) {
      const { state, tag_code, starves_at, kills } = before.get(alias);
      expect(undone.after.get(alias)).toMatchObject({ state, tag_code, starves_at, kills });
    }
  },
  async draw(scene) {
    const { s, gm, random } = scene;
    // Newcomers, some of whom want to be an original zombie, and one who waits.
    for (const alias of ["Vic One", "Vic Two", "Vic Three", "Waiter"]) {
      const registration = alias === "Waiter" ? "approval" : "open";
      await admin(scene, "settings", { registration, hide_originals: random.chance(0.5) });
      const body = { alias, password: gm.password, wants_original: random.chance(0.7) };
      await s.must("POST /new", { body });
    }
    const tried = await tryAndDo(scene, "draw_originals", { n: 1 + random.below(3) });
    if (tried === null) return;
    const { dry, done } = tried;
    const { drawn, seed, ...rest } = dry;
    // A draw is known once it is made.
    expect([drawn, seed]).toEqual([[], null]);
    expect(done).toMatchObject({ ...rest, dry_run: false });
    expect(changed(tried)).toEqual(aliasesOf(done.drawn));
  },
  async group(scene) {
    const { random, gm } = scene;
    // A game master who plays would see no tag codes any more.
    const aliases = [...(await look(scene)).keys()].filter((alias) => alias !== gm.alias);
    const isFeeding = random.chance(0.4);
    const from = isFeeding ? "zombie" : random.pick(["corpse", "spectator"]);
    const as = isFeeding ? "zombie" : random.pick(["human", "zombie"]);
    const selections: Body[] = [{ aliases: some(random, aliases, 6) }, { label: random.pick(LABELS) }];
    const selection = random.pick([...selections, ...(from === "spectator" ? [] : [{ state: from }])]);
    const body = { ...selection, ...(isFeeding ? {} : { as, state: from }), limit: 2 };
    const tried = await tryAndDo(scene, isFeeding ? "feed_group" : "revive_all", body);
    if (tried === null) return;
    const { dry, done, before, after } = tried;
    expect(done).toMatchObject({ count: dry.count, skipped: dry.skipped, complete: true });
    expect(dry.players).toHaveLength(dry.count);
    expect(aliasesOf(dry.players)).toEqual(expect.arrayContaining(changed(tried)));
    expect(namedIn(words.groupEffects(dry, "Each is fed."), before)).toEqual(aliasesOf(dry.players));
    for (const { alias, state } of dry.players)
      expect([state, before.get(alias).state, after.get(alias).state]).toEqual([from, from, as]);
  },
  async finish_season(scene) {
    const { random } = scene;
    const awarded = some(random, [...(await look(scene)).keys()], 2);
    const awards = awarded.map((alias) => ({ title: "Best costume", alias, text: "A walking hedge." }));
    const [result, grace_seconds] = [random.pick(["humans", "none"]), random.pick([0, 60])];
    const tried = await tryAndDo(scene, "finish_season", { result, grace_seconds, awards });
    if (tried === null) return;
    const { dry, done } = tried;
    // The awards are computed when the grace is over.
    expect({ ...done, awards: null }).toEqual({ ...dry, awards: null });
    // Nobody starves after the end, and who has not signed in a paused game is not waited for any more.
    const ofPlay = { starves_at: null, pending: null };
    const rowsOf = (rows: Rows) => [...rows].map(([alias, row]) => [alias, { ...row, ...ofPlay }]);
    expect(rowsOf(tried.after)).toEqual(rowsOf(tried.before));
    expect(aliasesOf(dry.given)).toEqual(awarded.toSorted());
    if (grace_seconds > 0) return;
    expect(await read(scene, "/interactions/awards")).toMatchObject({ ...dry.awards, given: dry.given });
    const hidden = [...tried.before.values()].filter(({ shown_as }) => shown_as !== undefined);
    expect(dry.revealed).toEqual(expect.arrayContaining(aliasesOf(hidden)));
  },
  async import(scene) {
    const rows = [
      ...["admin", "NEW one", scene.gm.alias].map((alias) => ({ alias })),
      { alias: "New One", labels: ["waiver"] },
    ];
    const tried = await tryAndDo(scene, "import_players", { rows: some<object>(scene.random, rows, 4) });
    if (tried === null) return;
    const { dry, done } = tried;
    const outline = ({ created, exists, rejected, rows: all }: Row) => [
      ...[created, exists, rejected],
      ...all.map(({ row, status, errors }: Row) => ({ row, status, errors })),
    ];
    expect(outline(done)).toEqual(outline(dry));
    const created = done.rows.filter(({ status }: Row) => status === "created");
    expect(changed(tried)).toEqual(aliasesOf(created));
    expect(texts.import.summary(dry)).toContain(`${created.length} new player`);
  },
};

const counted = new Map<string, number>();
const battery = part("previews", {
  full: 200,
  of: "games",
  also: () => [...counted].map(([word, times]) => `${word} ${times}`).join(", "),
});
const world = newWorld(newStats(), 48 * HOUR, true);

it("does what every preview has promised, and nothing else", async () => {
  await world.begin();
  for (let n = 0; n < battery.cases; n += 1) {
    const random = randomFrom(battery.seed, n);
    const [commands = []] = fc.sample(sequences(20, 40), { seed: battery.seed + n, numRuns: 1 });
    await world.restart();
    await run(world, commands);
    for (const [name, work] of Object.entries(TRIED)) {
      await world.aside(`${name}, game ${n} of seed ${battery.seed}`, async (s) => {
        await work({ s, gm: await s.admin("Overseer"), random });
        counted.set(name, (counted.get(name) ?? 0) + 1);
      });
    }
    battery.ran();
  }
});
