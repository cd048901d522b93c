/**
 * Previews equal effects: at the end of random games of the model, every command is tried, then carried out, and the
 * players are compared with what the trial and the words of the web app have promised. A trial changes nobody, and what
 * is not promised does not happen.
 */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import {
  drawEffects,
  enforceEffects,
  groupEffects,
  undoEffects,
  voidEffects,
} from "../../web/src/gm/previews.ts";
import type { Effect } from "../../web/src/gm/schemas.ts";
import { gm as texts } from "../../web/src/gm/texts.ts";
import { part, type Random, randomFrom } from "../support/battery.ts";
import type { Result, TestEnvironment, TestPlayer } from "../support/service.ts";
import { KINDS, sequences } from "./model/commands.ts";
import { LABELS } from "./model/names.ts";
import { opening } from "./model/opening.ts";
import { newStats } from "./model/stats.ts";
import { newWorld } from "./model/world.ts";

vi.mock("../../lib/images/decodeInChild.ts", async () => {
  const { decodeHere } = await import("../support/decoders.ts");
  return { decodeInChild: decodeHere };
});

/** A player as game masters see them; loosely typed, as tests assert what they read. */
type Row = Result["body"];
type Rows = Map<string, Row>;
type Body = Record<string, unknown>;

/** One random game, as its game master has it before one command. */
interface Scene {
  s: TestEnvironment;
  gm: TestPlayer;
  random: Random;
  now: number;
}

/** The feeding period, in milliseconds. */
const PERIOD = 48 * HOUR;

const admin = ({ s, gm }: Scene, word: string, body: Body = {}): Promise<Result> =>
  s.call(`POST /admin/${word}/{url_id}`, { as: gm, body });

const read = async ({ s, gm }: Scene, path: string, query = {}): Promise<Row> =>
  (await s.must(`GET ${path}/{url_id}`, { as: gm, query })).body;

const look = async (scene: Scene): Promise<Rows> => {
  const { players } = await read(scene, "/admin/get_players", { limit: 500 });
  return new Map(players.map((row: Row) => [row.alias, row]));
};

/** The aliases of those who differ. */
const changed = (before: Rows, after: Rows): string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((alias) => JSON.stringify(before.get(alias)) !== JSON.stringify(after.get(alias)))
    .toSorted();

const aliasesOf = (players: { alias: string | null }[]): string[] =>
  players.map(({ alias }) => alias ?? "").toSorted();

/** Those of the players whom a text names. */
const namedIn = (lines: readonly string[], rows: Rows): string[] => {
  const words = new Set(
    lines.flatMap((line) => line.split(/(?:: |, |\.$| (?:is|has|loses|keeps|stays|becomes)\b)/)),
  );
  return [...rows.keys()].filter((alias) => words.has(alias)).toSorted();
};

const inState = (rows: Rows, ...states: string[]): Row[] =>
  [...rows.values()].filter(({ state }) => states.includes(state));

const some = <T>(random: Random, from: readonly T[], most: number): T[] =>
  random.shuffle(from).slice(0, 1 + random.below(most));

interface Tried {
  dry: Row;
  done: Row;
  before: Rows;
  after: Rows;
}

/** Tries a command, page by page, and carries it out. @returns `null` if both are refused, for the same reason */
const tryAndDo = async (scene: Scene, word: string, body: Body): Promise<Tried | null> => {
  const before = await look(scene);
  const first = await admin(scene, word, { ...body, dry_run: true });
  for (let cursor = first.body.next_cursor; cursor; ) {
    const next = (await admin(scene, word, { ...body, dry_run: true, cursor })).body;
    first.body.players.push(...next.players);
    expect({ ...next, players: [] }).toEqual({ ...first.body, players: [], next_cursor: next.next_cursor });
    cursor = next.next_cursor;
  }
  expect(changed(before, await look(scene))).toEqual([]);
  // A draw is repeated by its seed.
  const done = await admin(scene, word, { ...body, limit: undefined, seed: first.body.seed });
  if (first.status >= 300) {
    expect(done).toMatchObject({ status: first.status, body: { code: first.body.code } });
    return null;
  }
  expect(done.status).toBe(200);
  return { dry: first.body, done: done.body, before, after: await look(scene) };
};

/** What each effect of a void says of its player. */
const HOLDS: Readonly<Record<Effect["effect"], (effect: Effect, after: Row, before: Row) => void>> = {
  human_again: (_, after, before) => {
    expect(after.state).toBe("human");
    expect(after.tag_code).not.toBe(before.tag_code);
  },
  kill_taken_back: ({ kills }, after) => expect(after.kills).toBe(kills),
  meal_taken_back: ({ starves_at }, after) => expect(after.starves_at).toBe(starves_at),
  meal_kept: ({ starves_at }, after) => expect(after.starves_at).toBe(starves_at),
  starved: (_, after) => expect(after.state).toBe("corpse"),
  stays_zombie: (_, after) => expect(after.state).toBe("zombie"),
  unchanged: ({ state }, after) => expect(after.state).toBe(state),
};
const LEAVES: readonly string[] = ["meal_kept", "stays_zombie", "unchanged"];

const checkVoids = (effects: Effect[], before: Rows, after: Rows): void => {
  // Of several voids the last one decides.
  const last = new Map(effects.map((effect) => [`${effect.alias} ${effect.effect}`, effect]));
  for (const effect of last.values()) {
    if (effect.alias === null) continue;
    const isOvertaken = effects
      .slice(effects.indexOf(effect) + 1)
      .some(({ alias }) => alias === effect.alias);
    if (!isOvertaken) HOLDS[effect.effect](effect, after.get(effect.alias), before.get(effect.alias));
  }
  const promised = effects.filter(({ effect }) => !LEAVES.includes(effect));
  const moved = changed(before, after);
  expect(aliasesOf(promised)).toEqual(expect.arrayContaining(moved));
  expect(namedIn(voidEffects(promised), before)).toEqual([...new Set(aliasesOf(promised))].filter(Boolean));
};

const hunts = async (scene: Scene): Promise<string[]> =>
  (await read(scene, "/interactions", { kind: "hunt", limit: 100 })).interactions.map(
    (one: Row) => one.interaction_id,
  );

/** A checkpoint with an outcome, through which some have come. */
const setCheckpoint = async (scene: Scene): Promise<string> => {
  const { random } = scene;
  const checkpoint_outcome = random.pick(["corpse", "zombie"] as const);
  await admin(scene, "settings", { checkpoint_outcome });
  const applies_to = random.pick(["all", "humans", "zombies"] as const);
  const { body } = await admin(scene, "set_checkpoint", { name: "Library", applies_to });
  const living = inState(await look(scene), "human", "zombie");
  for (const { alias } of some(random, living, 4)) await admin(scene, "player_at_checkpoint", { alias });
  return body.checkpoint_id;
};

/** Newcomers, some of whom want to be an original zombie, and one who waits. */
const addNewcomers = async ({ s, gm, random }: Scene): Promise<void> => {
  const settle = (registration: string, hide_originals: boolean) =>
    s.must("POST /admin/settings/{url_id}", { as: gm, body: { registration, hide_originals } });
  await settle("open", random.chance(0.5));
  const join = (alias: string, wants_original: boolean) =>
    s.must("POST /new", { body: { alias, password: gm.password, wants_original } });
  for (const alias of ["Vic One", "Vic Two", "Vic Three"]) await join(alias, random.chance(0.7));
  await settle("approval", random.chance(0.5));
  await join("Waiter", false);
};

/** They have at least a full feeding period of play time from now; while the game is paused, nobody starves. */
const expectFed = ({ now }: Scene, after: Row, before: Row): void => {
  if (after.starves_at === null) return;
  expect(Date.parse(after.starves_at)).toBe(Math.max(now + PERIOD, Date.parse(before.starves_at)));
};

/** The commands that can be tried. */
const TRIED: Record<string, (scene: Scene) => Promise<void>> = {
  async void_hunt(scene) {
    const id = scene.random.shuffle(await hunts(scene))[0];
    if (id === undefined) return;
    const tried = await tryAndDo(scene, "void_hunt", { interaction_id: id, reason: "Not seen." });
    if (tried === null) return;
    expect(tried.done.effects).toEqual(tried.dry.effects);
    checkVoids(tried.dry.effects, tried.before, tried.after);
  },
  async resolve_dispute(scene) {
    const { disputes } = await read(scene, "/admin/disputes", { status: "open", limit: 50 });
    const dispute_id = scene.random.shuffle(disputes as Row[])[0]?.dispute_id;
    if (dispute_id === undefined) return;
    const before = await look(scene);
    const body = { interaction_id: dispute_id, reason: "Not seen.", dry_run: true };
    const { effects } = (await admin(scene, "void_hunt", body)).body;
    const done = await admin(scene, "resolve_dispute", { dispute_id, outcome: "void", note: "Not seen." });
    expect(done.status).toBe(200);
    checkVoids(effects, before, await look(scene));
  },
  async void_hunts(scene) {
    const ids = some(scene.random, await hunts(scene), 6);
    if (ids.length === 0) return;
    const tried = await tryAndDo(scene, "void_hunts", { interaction_ids: ids });
    if (tried === null) return;
    expect(tried.done).toEqual({ ...tried.dry, dry_run: false });
    // The latest is voided first.
    const inOrder = tried.dry.hunts.toSorted((one: Row, other: Row) =>
      one.interaction_id < other.interaction_id ? 1 : -1,
    );
    checkVoids(
      inOrder.flatMap(({ effects }: Row) => effects),
      tried.before,
      tried.after,
    );
  },
  async enforce(scene) {
    const checkpoint_id = await setCheckpoint(scene);
    const tried = await tryAndDo(scene, "kill_all_not_at_checkpoint", { checkpoint_id, limit: 3 });
    if (tried === null) throw new Error("the checkpoint cannot be enforced");
    const { dry, done, before, after } = tried;
    expect(done).toMatchObject({ killed: dry.killed, spared: dry.spared, complete: true });
    expect(changed(before, after)).toEqual(aliasesOf(dry.players));
    for (const { alias, state, becomes } of dry.players) {
      expect([before.get(alias).state, after.get(alias).state]).toEqual([state, becomes]);
    }
    const lines = enforceEffects(dry);
    expect(namedIn(lines, before)).toEqual(aliasesOf(dry.players));
    const turned = inState(after, "corpse").filter(({ alias }) => before.get(alias).state === "human");
    if (turned.length > 1) expect(lines.join()).toContain(`${turned.length} humans become corpses: `);
    const first = enforceEffects({ ...dry, players: dry.players.slice(0, 1) });
    if (dry.killed > 1) expect(first).toContain(texts.checkpoint.others(dry.killed - 1));

    // Some change before it is undone.
    for (const { alias } of some(scene.random, dry.players as Row[], 2))
      await admin(scene, "revive_h", { alias });
    const undone = await tryAndDo(scene, "undo_checkpoint", {
      checkpoint_id,
      reason: "Too early.",
      limit: 3,
    });
    if (undone === null) throw new Error("the checkpoint cannot be undone");
    const { players, restored, changed: others } = undone.dry;
    expect(undone.done).toMatchObject({ restored, changed: others, complete: true });
    expect(namedIn(undoEffects(undone.dry), before)).toEqual(aliasesOf(players));
    const isRestored = ({ outcome }: Row): boolean => outcome === "restored";
    expect(changed(undone.before, undone.after)).toEqual(aliasesOf(players.filter(isRestored)));
    for (const { alias } of players.filter(isRestored)) {
      const { state, tag_code, starves_at, kills } = before.get(alias);
      expect(undone.after.get(alias)).toMatchObject({ state, tag_code, starves_at, kills });
    }
  },
  async draw(scene) {
    await addNewcomers(scene);
    const tried = await tryAndDo(scene, "draw_originals", { n: 1 + scene.random.below(3) });
    if (tried === null) return;
    const { dry, done, before, after } = tried;
    expect(done).toMatchObject({ ...dry, dry_run: false });
    expect(changed(before, after)).toEqual(aliasesOf(dry.drawn));
    expect(namedIn(drawEffects(dry.drawn), before)).toEqual(aliasesOf(dry.drawn));
    for (const { alias } of dry.drawn) {
      expect(before.get(alias)).toMatchObject({ state: "human", wants_original: true });
      expect(after.get(alias).state).toBe("zombie");
    }
  },
  async group(scene) {
    const { random } = scene;
    // A game master who plays would see no tag codes any more.
    const rows = [...(await look(scene)).keys()].filter((alias) => alias !== scene.gm.alias);
    const selections: [Body, Body] = [{ aliases: some(random, rows, 6) }, { label: random.pick(LABELS) }];
    const isFeeding = random.chance(0.4);
    const from = isFeeding ? "zombie" : random.pick(["corpse", "spectator"] as const);
    const as = isFeeding ? "zombie" : random.pick(["human", "zombie"] as const);
    const selection = random.pick<Body>([...selections, ...(from === "spectator" ? [] : [{ state: from }])]);
    const body = { ...selection, ...(isFeeding ? {} : { as, state: from }), limit: 2 };
    const tried = await tryAndDo(scene, isFeeding ? "feed_group" : "revive_all", body);
    if (tried === null) return;
    const { dry, done, before, after } = tried;
    expect(done).toMatchObject({ count: dry.count, skipped: dry.skipped, complete: true });
    expect(dry.players).toHaveLength(dry.count);
    expect(aliasesOf(dry.players)).toEqual(expect.arrayContaining(changed(before, after)));
    expect(namedIn(groupEffects(dry, "Each is fed."), before)).toEqual(aliasesOf(dry.players));
    for (const { alias, state } of dry.players) {
      expect([state, before.get(alias).state]).toEqual([from, from]);
      expect(after.get(alias).state).toBe(as);
      if (isFeeding) expectFed(scene, after.get(alias), before.get(alias));
    }
  },
  async import(scene) {
    const [{ alias }] = inState(await look(scene), "human", "zombie", "corpse", "spectator") as [Row];
    const rows = [
      { alias },
      { alias: "New One", labels: ["waiver"] },
      { alias: "admin" },
      { alias: "NEW one" },
    ];
    const tried = await tryAndDo(scene, "import_players", { rows: some(scene.random, rows, 4) });
    if (tried === null) return;
    const { dry, done, before, after } = tried;
    const outline = ({ created, exists, rejected, rows: all }: Row) => ({
      ...{ created, exists, rejected },
      rows: all.map(({ row, status, errors }: Row) => ({ row, status, errors })),
    });
    expect(outline(done)).toEqual(outline(dry));
    const created = done.rows.filter(({ status }: Row) => status === "created");
    expect(changed(before, after)).toEqual(aliasesOf(created));
    expect(texts.import.summary(dry)).toContain(`${created.length} new player`);
  },
};

const stats = newStats();
const counted = new Map<string, number>();
const battery = part("previews", {
  full: 200,
  of: "games",
  also: () => [...counted].map(([word, times]) => `${word} ${times}`).join(", "),
});
const world = newWorld(stats, PERIOD, true);

it("does what every preview has promised, and nothing else", async () => {
  await world.begin(opening({ humans: ["Ada", "Ben", "Cid", "Dee", "Eve", "Fay"], zombies: ["Yan", "Zed"] }));
  for (let n = 0; n < battery.cases; n += 1) {
    const random = randomFrom(battery.seed, n);
    const [commands] = fc.sample(sequences(stats, KINDS, { min: 20, max: 40 }), {
      seed: battery.seed + n,
      numRuns: 1,
    });
    await world.restart();
    await fc.asyncModelRun(() => ({ model: {}, real: world }), commands ?? []);
    for (const [name, work] of Object.entries(TRIED)) {
      await world.aside(async (s) => {
        world.note(`${name}, game ${n} of seed ${battery.seed}`);
        await work({ s, gm: await s.admin("Overseer"), random, now: world.model().now });
        counted.set(name, (counted.get(name) ?? 0) + 1);
      });
    }
    battery.ran();
  }
});
