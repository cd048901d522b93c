/** Random steps of two games at once: what happens to the original zombie in one happens to the human in the other. */
import { expect } from "vitest";
import { gameTimeLeft } from "../../../lib/domain/game/clock.ts";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import type { Random } from "../../support/battery.ts";
import type { Result } from "../../support/service.ts";
import { fixed, placeOf, WEBHOOK } from "./fixed.ts";
import { type Codes, codeIn, expectAlike, readingOf } from "./views.ts";
import { MASTER, type Name, ORIGINAL, PLAYING, VIEWERS, type World } from "./world.ts";

type Body = Record<string, unknown>;
/** Loosely typed, as it is only read. */
type Row = Result["body"];

/** Lets both games, or one of them, do something with the same ids, codes and time. */
const inTurn = async <T>(worlds: readonly World[], work: (world: World) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (const world of worlds) {
    [fixed.given, fixed.uuids] = [0, 0];
    results.push(await work(world));
  }
  return results;
};

const send = (world: World, name: Name, path: string, body: Body): Promise<Result> =>
  world.s.call(`POST ${path}/{url_id}`, { as: world.people()[name], body });

/** The interactions that a player sees. */
const seenBy = async (world: World, name: Name, query: Record<string, string> = {}): Promise<Row[]> =>
  (await world.s.must("GET /interactions/{url_id}", { as: world.people()[name], query })).body.interactions;

const codeOf = async (world: World, name: Name) => ({ tag_code: (await world.player(name)).tag_code });

/** Both games. */
export class Games {
  /** The alias that the original has now. */
  alias: string = ORIGINAL;
  /** The infections that the hidden original has caused. */
  readonly hunts = new Set<string>();
  /** The tag codes that the original has had, the latest last. */
  readonly codes: Codes[] = [];
  readonly history: string[] = [];
  /** The missions, the latest last. */
  readonly missions: string[] = [];
  /** The missions of the zombies, which only one of the games has. */
  readonly secrets: string[] = [];
  readonly hidden: World;
  readonly plain: World;
  readonly random: Random;
  /** Whether the original may hunt: then only facts that do not follow from its hunts are compared. */
  readonly mayHunt: boolean;
  /** When a result that was declared is known, unless it is taken back. */
  finalAt: number | null = null;

  constructor([hidden, plain]: readonly [World, World], random: Random, mayHunt: boolean) {
    [this.hidden, this.plain, this.random, this.mayHunt] = [hidden, plain, random, mayHunt];
  }

  /** Sends the same request in both games. A player who does not know the original must get the same response. */
  async both(name: Name, path: string, body: Body | ((world: World) => Promise<Body>)): Promise<void> {
    const readings = await inTurn([this.hidden, this.plain], async (world) => {
      const sent = typeof body === "function" ? await body(world) : body;
      const result = await send(world, name, path, sent);
      this.history.push(`${name} ${path} ${JSON.stringify(sent)}: ${result.status}`);
      return readingOf(`${name} ${path}`, result);
    });
    if (name === MASTER || name === ORIGINAL) return;
    expectAlike(readings.slice(0, 1), readings.slice(1), this.hunts);
  }

  master(word: string, body: Body = {}): Promise<void> {
    return this.both(MASTER, `/admin/${word}`, body);
  }

  /** A command on a group, by either game master: one of them plays, and must not learn from its result. */
  group(word: string, body: Body = {}): Promise<void> {
    return this.both(this.random.pick([MASTER, PLAYING]), `/admin/${word}`, body);
  }

  /** Sends a request in one of the games, where it must succeed. */
  async only(world: World, name: Name, path: string, body: Body): Promise<Row> {
    const [result] = await inTurn([world], () => send(world, name, path, body));
    const say = `${world.isHidden ? "hidden" : "plain"}: ${name} ${path} ${JSON.stringify(body)}`;
    this.history.push(`${say}: ${result?.status}`);
    if (result === undefined || result.status >= 300) throw new Error(`${say}: ${result?.text}`);
    return result.body;
  }

  /** The viewers who are in a state. */
  async inState(state: string): Promise<Name[]> {
    const states = await Promise.all(VIEWERS.map((name) => this.plain.state(name)));
    return VIEWERS.filter((_, at) => states[at] === state);
  }

  /** The state of the original in each game. */
  states() {
    return Promise.all([this.hidden.state(ORIGINAL), this.plain.state(ORIGINAL)]);
  }
}

type Step = (g: Games) => Promise<void>;

const tag: Step = async (g) => {
  const [hunters, preys] = [await g.inState("zombie"), await g.inState("human")];
  // The original can be tagged while they are human in both games.
  if ((await g.states()).every((state) => state === "human")) preys.push(ORIGINAL);
  if (hunters.length === 0 || preys.length === 0) return;
  const [hunter, prey] = [g.random.pick(hunters), g.random.pick(preys)];
  const others = [...VIEWERS.filter((name) => name !== hunter), g.alias, g.alias];
  const share_with = [...new Set(g.random.shuffle(others).slice(0, g.random.below(3)))];
  await g.both(hunter, "/zombie/hunt", async (on) => ({ ...(await codeOf(on, prey)), share_with }));
};

/** A tag code that the original has or had, reported by a hunter, or at the desk. */
const useCode: Step = async (g) => {
  if (g.codes.length === 0) return;
  const used = g.random.pick(g.codes);
  const sent = async (world: World) => ({ tag_code: codeIn(world, used) });
  if (g.random.chance(0.5)) return g.both("Mia", "/admin/player_at_checkpoint", sent);
  const [hunter] = await g.inState("zombie");
  const [is, seems] = await g.states();
  // A hunt of a hidden original with their present code is rejected, but one of a human succeeds.
  const isTag = used === g.codes.at(-1) && seems === "human" && is !== "human";
  if (hunter !== undefined && !isTag) await g.both(hunter, "/zombie/hunt", sent);
};

/** A player disputes any interaction that players see. */
const disputeAny: Step = async (g) => {
  const seen = await seenBy(g.plain, "Jon");
  if (seen.length === 0) return;
  const { interaction_id, target } = g.random.pick(seen);
  const prey = VIEWERS.find((name) => name === target) ?? g.random.pick(VIEWERS);
  await g.both(prey, "/interactions/dispute", { interaction_id, reason: "We were at home." });
};

const report: Step = async (g) => {
  const humans = await g.inState("human");
  const by_alias = g.random.pick([g.alias, "Zoe"]);
  if (humans.length > 0) await g.both(g.random.pick(humans), "/player/report_tagged", { by_alias });
};

/** The hidden original tags somebody, who in the other game reports a tag without a hunter. @param at the time of the tag */
const tagHidden = async (g: Games, prey: Name, at?: string): Promise<void> => {
  const tag = { ...(await codeOf(g.hidden, prey)), hunted_at: at };
  const { interaction } = await g.only(g.hidden, ORIGINAL, "/zombie/hunt", tag);
  await g.only(g.plain, prey, "/player/report_tagged", { tagged_at: at });
  g.hunts.add(interaction.interaction_id);
};

const huntHidden: Step = async (g) => {
  const preys = await g.inState("human");
  if (!g.mayHunt || preys.length === 0) return;
  const { body } = await g.hidden.s.must("GET /game/{url_id}", { as: g.hidden.people()[MASTER] });
  const [is, seems] = await g.states();
  if (is !== "zombie" || seems === "zombie" || body.phase !== "running" || !body.in_play) return;
  await tagHidden(g, g.random.pick(preys));
};

/** A zombie starves who has tagged somebody just before, and reports it afterwards; often the hidden original. */
const lateTag: Step = async (g) => {
  const { hidden, plain, random, mayHunt } = g;
  const [preys, [zombie]] = [await g.inState("human"), await g.inState("zombie")];
  const [is, seems] = await g.states();
  const isHidden = mayHunt && is === "zombie" && seems !== "zombie" && random.chance(0.5);
  const hunter = isHidden ? ORIGINAL : zombie;
  const game = await hidden.s.store.game();
  if (hunter === undefined || preys.length === 0 || game.paused_at !== null) return;
  const { deadline } = await hidden.player(hunter);
  const left = gameTimeLeft(game, deadline ?? 0, fixed.now);
  await inTurn([hidden, plain], (world) => world.s.pass(left - 200));
  fixed.now += 600;
  const hunted_at = rfc3339(fixed.now - 500);
  if (isHidden || random.chance(0.5)) await sweep(g);
  // Ids start again.
  fixed.now += 100;
  const prey = random.pick(preys);
  if (isHidden) return tagHidden(g, prey, hunted_at);
  return g.both(hunter, "/zombie/hunt", async (on) => ({ ...(await codeOf(on, prey)), hunted_at }));
};

/** Whether others have known the original as a zombie: then a revival as one cannot be hidden. */
const isKnown = async ({ plain }: Games): Promise<boolean> =>
  (await plain.player(ORIGINAL)).infected_at !== null;

/** Makes an original zombie of the player in one game, and a human in the other; who was known as one, in both. */
export const makeOriginal: Step = async (g) => {
  const { hidden, plain, alias, random } = g;
  const [is, seems] = await g.states();
  if (is === "human" && seems === "human") return g.only(hidden, MASTER, "/admin/draw_originals", { n: 1 });
  const known = await isKnown(g);
  if (seems === "human" && (is === "zombie" || known)) return;
  if (seems === "zombie") await g.master("corpsify", { alias });
  const said = random.chance(0.3) ? { hidden: true } : {};
  const group = { aliases: [alias], as: "zombie", ...said };
  const [word, body] = random.chance(0.7)
    ? ["revive_z", { alias, ...said }]
    : ["revive_all", { ...group, ...(seems === "spectator" ? { state: seems } : {}) }];
  if (known) return g.master(word, body);
  // A group has only those whom others see in its state.
  const isGroup = word === "revive_all" && seems === "human";
  await g.only(hidden, MASTER, `/admin/${isGroup ? "revive_z" : word}`, isGroup ? { alias } : body);
  if (seems !== "human") await g.only(plain, MASTER, "/admin/revive_h", { alias });
};

/** A game master's command on the original. The other game gets it only if others see its effect. */
const commandOriginal: Step = async (g) => {
  const { hidden, plain, random, alias } = g;
  const [is, seems] = await g.states();
  if (is === seems) {
    if (is !== "zombie" && random.chance(0.5)) return makeOriginal(g);
    if (is !== "corpse" && is !== "spectator") return g.master("corpsify", { alias });
    // A zombie whom others know of.
    if (random.chance(0.4)) return g.master("revive_z", { alias, hidden: false });
    return g.master("revive_h", { alias });
  }
  const revives = is === "corpse" && seems === "human";
  const mayRise = revives && !(await isKnown(g));
  const rising = mayRise ? ["revive_h", "revive_z"] : ["revive_h"];
  const word = random.pick(revives ? rising : ["feed_player", "cure", "corpsify"]);
  if (word === "corpsify") return g.master(word, { alias });
  await g.only(hidden, MASTER, `/admin/${word}`, { alias });
  // A hidden original who becomes human gets a new tag code, like a human whose code a game master has replaced.
  if (word === "cure" || word === "revive_h") await g.only(plain, MASTER, "/admin/new_tag_code", { alias });
};

/**
 * Does in both games what may record starvations. If the original is no zombie in the other game, nobody has the id of their
 * own there.
 */
const recordStarvations = async (
  { hidden, plain, alias }: Games,
  work: (world: World) => Promise<unknown>,
) => {
  const { state } = await plain.player(ORIGINAL);
  await inTurn([hidden], work);
  const starved = await seenBy(hidden, MASTER, { kind: "starve" });
  const own = starved.find(({ target }) => target === alias);
  fixed.skipped = own === undefined || state === "zombie" ? -1 : placeOf(own.interaction_id);
  await inTurn([plain], work);
  fixed.skipped = -1;
};

const sweep: Step = (g) => recordStarvations(g, (world) => world.s.sweep());

const voidHunt: Step = async (g) => {
  const hunts = await seenBy(g.hidden, MASTER, { kind: "hunt" });
  const valid = hunts.filter(({ details }) => details.voided !== true);
  if (valid.length === 0) return;
  const { interaction_id } = g.random.pick(valid);
  const sent = { interaction_id, reason: "a mistake" };
  await recordStarvations(g, async (world) => {
    const { status } = await send(world, MASTER, "/admin/void_hunt", sent);
    g.history.push(`${MASTER} /admin/void_hunt ${interaction_id}: ${status}`);
  });
};

/** A game master names the hunter of any infection that players see; that of the original cannot have one. */
const nameHunter: Step = async (g) => {
  const infections = (await seenBy(g.plain, "Jon")).filter(({ kind }) => kind === "revive_zombie");
  const hunters = await g.inState("zombie");
  if (infections.length === 0 || hunters.length === 0) return;
  const name = (interaction_id: string) =>
    g.both(PLAYING, "/admin/name_hunter", { interaction_id, alias: g.random.pick(hunters) });
  await name(g.random.pick(infections).interaction_id);
  const own = (await g.hidden.player(ORIGINAL)).infection_id;
  const [is, seems] = await g.states();
  // For a game master who does not know of it, the hidden infection is what the other game has in its place.
  if (own !== null && is !== seems) await name(own);
};

/** Makes codes. @returns one of them, which is the same in all of these games */
const makeCode = async (worlds: readonly World[], audience: string, effect: Body): Promise<string> => {
  const body = { label: "Crates", n: 1, effect, audience, uses: 9, uses_per_player: 1 };
  const [made] = await inTurn(worlds, (world) => send(world, MASTER, "/admin/create_codes", body));
  // Ids start again.
  fixed.now += 100;
  return made?.body.codes[0].code;
};

/** A code that the original can redeem too: humans' codes also as a hidden one. */
const redeem: Step = async (g) => {
  const { hidden, plain, random } = g;
  const [is, seems] = await g.states();
  const who: Name[] = is === seems || is === "zombie" ? [ORIGINAL, ORIGINAL, ...VIEWERS] : [...VIEWERS];
  const effect = { points: 1 + random.below(3), badge: { name: "Scout", symbol: "S" } };
  const code = await makeCode([hidden, plain], random.pick(["humans", "all"]), effect);
  await g.both(random.pick(who), "/player/redeem", { code });
};

/** A hidden original redeems a code of zombies, of which nothing shows. */
const redeemHidden: Step = async (g) => {
  const { hidden, plain } = g;
  const { body } = await hidden.s.must("GET /game/{url_id}", { as: hidden.people()[MASTER] });
  const [is, seems] = await g.states();
  if (is !== "zombie" || seems === "zombie" || body.phase !== "running" || !body.in_play) return;
  const code = await makeCode([hidden, plain], "zombies", { points: 7, feed_seconds: 600 });
  await g.only(hidden, ORIGINAL, "/player/redeem", { code });
};

/**
 * Makes a code for one side in one game alone; those who are not on that side, and do not seem to be, try it in both, and learn
 * nothing.
 * @returns those who have tried
 */
export const tryCode = async (g: Games): Promise<Name[]> => {
  fixed.step += 1;
  const [side, state] = g.random.pick([
    ["humans", "human"],
    ["zombies", "zombie"],
  ] as const);
  const code = await makeCode([g.hidden], side, g.random.pick([{ cure: true }, { points: 3 }]));
  const own = await g.inState(state);
  const players = await Promise.all(VIEWERS.map((name) => g.plain.player(name)));
  const others = VIEWERS.filter(
    (name, at) => name !== PLAYING && !own.includes(name) && players[at]?.cover?.state !== state,
  );
  for (const name of others) {
    fixed.now += 100;
    await g.both(name, "/player/redeem", { code });
  }
  return others;
};

const COMMANDS = ["corpsify", "cure", "revive_h", "revive_z", "feed_player"];
const GROUPS = ["all", "humans", "zombies"];

/** A moderator's command on any player. */
const atDesk = (word: string) => (g: Games) =>
  g.both("Mia", `/admin/${word}`, { alias: g.random.pick([g.alias, g.alias, ...VIEWERS]) });

/** A moderator enters a signature on paper. */
const enterPaper = async (g: Games): Promise<void> => {
  await g.master("settings", { waiver: "I play at my own risk." });
  const alias = g.random.pick([g.alias, ...VIEWERS]);
  await g.both("Mia", "/admin/paper_signature", { alias, full_name: `Name ${g.random.below(3)}` });
  // Nobody is drawn who has not signed.
  await g.master("settings", { waiver: null });
};

/** What those who attend get. Each side has something of its own, so that a reward tells a side. */
const REWARDS = [
  { audience: "all", effect: { message: "Thank you." } },
  { audience: "humans", effect: { points: 5, badge: { name: "Carrier", symbol: "C" } } },
  { audience: "zombies", effect: { points: 3, feed_seconds: 3_600 } },
];

/** A request about one of the missions. */
const onMission = async (g: Games, name: Name, word: string, body: Body): Promise<void> => {
  if (g.missions.length > 0)
    await g.both(name, `/admin/${word}`, { mission_id: g.random.pick(g.missions), ...body });
};

const setMission: Step = async (g) => {
  const { random, hidden } = g;
  const [start, reveal] = [random.below(60) - 30, random.below(20) - 10];
  const audience = random.pick(["all", "humans", "zombies", "corpses"]);
  const time = (minutes: number): string => rfc3339(fixed.now + minutes * MINUTE);
  const text = "Be there. ".repeat(1 + random.below(200));
  await g.master("set_mission", {
    ...{ title: `Mission ${fixed.step}`, starts_at: time(start), ends_at: time(start + 60) },
    briefings: [{ audience, text, reveal_at: time(reveal), outcome_text: "It is over." }],
    ...{ attendance: "desk", required: random.chance(0.3) },
    rewards: REWARDS.filter(() => random.chance(0.6)),
  });
  const { body } = await hidden.s.must("GET /missions/{url_id}", { as: hidden.people()[MASTER] });
  g.missions.splice(0, Number.POSITIVE_INFINITY, ...body.missions.map((one: Row) => one.mission_id));
};

const STEPS: Record<string, (g: Games) => Promise<void>> = {
  ...{ tag, tagAgain: tag, report, huntHidden, huntAgain: huntHidden, lateTag, commandOriginal, sweep },
  ...{ redeem, redeemHidden },
  ...{ useCode, useAgain: useCode, nameHunter, disputeAny, voidHunt },
  /** A game master's command on a viewer. */
  command: (g) => g.master(g.random.pick(COMMANDS), { alias: g.random.pick(VIEWERS) }),
  async pass({ hidden, plain, random }) {
    const hours = 1 + random.below(30);
    await inTurn([hidden, plain], (world) => world.s.pass(hours * HOUR));
  },
  setCheckpoint: (g) => g.master("set_checkpoint", { name: "Bridge", applies_to: g.random.pick(GROUPS) }),
  register: atDesk("player_at_checkpoint"),
  enforce: (g) => g.group("kill_all_not_at_checkpoint"),
  async undo(g) {
    const { checkpoint_id } = (await g.plain.s.store.game()).checkpoint ?? {};
    if (checkpoint_id !== undefined) await g.group("undo_checkpoint", { checkpoint_id, reason: "a mistake" });
  },
  ...{ setMission, setAnother: setMission },
  /** The original is the last player, so that what only one of the games records shifts no id that others see. */
  attend: (g) =>
    onMission(g, g.random.pick(["Mia", PLAYING]), "mission_attendance", {
      aliases: [g.random.pick(VIEWERS.filter((name) => name !== "Mia")), g.alias],
      ...{ late: true, reason: "on the list" },
    }),
  attendAll: (g) =>
    onMission(g, g.random.pick([MASTER, PLAYING]), "mission_attendance", { all_with_label: "waiver" }),
  changeMission: (g) =>
    onMission(g, g.random.pick([MASTER, PLAYING]), "set_mission", { place: `Room ${fixed.step}` }),
  closeMission: (g) => onMission(g, g.random.pick([MASTER, PLAYING]), "close_mission", { result: "both" }),
  reopenMission: (g) => onMission(g, g.random.pick([MASTER, PLAYING]), "reopen_mission", {}),
  enforceMissions: (g) => g.group("enforce_missions", { min: 1 }),
  feedGroup: (g) => g.both(PLAYING, "/admin/feed_group", { state: "zombie" }),
  feedAtDesk: atDesk("feed_player"),
  paper: enterPaper,
  outcome: (g) => g.master("settings", { checkpoint_outcome: g.random.pick(["corpse", "zombie"]) }),
  clock: (g) => g.group(g.random.pick(["pause_game", "resume_game", "resume_game", "zombies_add_day"])),
  message(g) {
    const audience = g.random.pick([...GROUPS, "corpses", "moderators"]);
    const body = { title: `For ${audience}`, content: "Be there.", player_groups: "All", audience };
    const also_email = g.random.chance(0.5);
    const dry_run = also_email && g.random.chance(0.3);
    return g.both(g.random.pick([MASTER, PLAYING]), "/notifications/send", { ...body, also_email, dry_run });
  },
  async rename(g) {
    const alias_to = `Ova ${fixed.step}`;
    await g.master("edit_player", { alias: g.alias, alias_to });
    g.alias = alias_to;
  },
  /** The original deletes the account and registers again: a known way to find out who is one. */
  async comeBack({ hidden, plain, alias }) {
    await inTurn([hidden, plain], (world) => world.comeBack(alias));
  },
};

/** Notes the tag code of the original that others may know now. */
const noteCodes = async ({ hidden, plain, codes }: Games): Promise<void> => {
  const now = { hidden: await hidden.shownCode(), plain: await plain.shownCode() };
  if (now.hidden !== "" && now.plain !== codes.at(-1)?.plain) codes.push(now);
};

/** Plays a random one of these steps, and compares what is pushed because of it. */
export const playStep = async (g: Games, steps: Readonly<Record<string, Step>> = STEPS): Promise<void> => {
  const { hidden, plain, hunts, history, random } = g;
  fixed.step += 1;
  fixed.now += 1_000;
  const before = hunts.size;
  await noteCodes(g);
  const [name, step] = random.pick(Object.entries(steps));
  history.push(`${fixed.step} ${name}`);
  await step(g);
  await noteCodes(g);
  const [one = [], other] = await inTurn([hidden, plain], (world) => world.work());
  for (const { endpoint, text } of one) {
    // A webhook may name the original, except as the hunter of its tags.
    if (endpoint !== WEBHOOK) expect(text).not.toContain(ORIGINAL);
    else
      for (const { interaction_id, actor } of JSON.parse(text).data.interactions ?? [])
        if (hunts.has(interaction_id)) expect(actor).toBeNull();
  }
  // A hunt is pushed to its prey, but the prey's own report is not.
  if (hunts.size === before) expect(one).toEqual(other);
};

/** What can happen until the grace is over. */
const IN_GRACE: Readonly<Record<string, Step>> = {
  ...{ tag, report, useCode, nameHunter, disputeAny, voidHunt, sweep },
  message: (g) => STEPS.message?.(g) ?? Promise.resolve(),
};

const GRACE = 20 * HOUR;

/**
 * The season is finished, and its grace lasts. Results, notes and awards may differ between the games: they are known when it
 * is over. Sometimes the season is reopened before that, and they never are. Ends in the last millisecond of the grace, or
 * after it would have been over.
 * @returns those who are told nothing of them
 */
export const playGrace = async (g: Games): Promise<readonly (typeof VIEWERS)[number][]> => {
  const { random } = g;
  const differs = random.chance(0.85);
  const finish: Step = () =>
    g.both(MASTER, "/admin/finish_season", async ({ isHidden }) => {
      const grace_seconds = GRACE / SECOND;
      if (!differs || isHidden)
        return {
          result: "zombies",
          grace_seconds,
          awards: [{ title: "Teeth", alias: "Zoe", text: "Many." }],
        };
      const awards = ["Jon", "Hal"].map((alias) => ({ title: "Runner", alias, text: "Fast and far." }));
      return { result: "humans", note: "They all got away.", grace_seconds, awards };
    });
  await playStep(g, { finish });
  g.finalAt = fixed.now + GRACE;
  for (let step = 0; step < 3; step += 1) await playStep(g, IN_GRACE);
  const isReopened = random.chance(0.25);
  if (isReopened) await playStep(g, { reopen: () => g.master("reopen_season") });
  fixed.now = g.finalAt + (isReopened ? MINUTE : -1);
  if (isReopened) g.finalAt = null;
  // A game master who plays reads what was declared, but not more of the originals.
  return VIEWERS.filter((name) => !differs || name !== PLAYING);
};

/** The instant in which the grace is over: everybody knows the result, and who was an original zombie. */
export const expectTold = async ({ hidden, plain, alias, finalAt }: Games): Promise<void> => {
  if (finalAt === null) return;
  fixed.now = finalAt;
  for (const world of [hidden, plain]) {
    const as = world.people().Hal;
    const { result } = (await world.s.must("GET /game/{url_id}", { as })).body;
    const { state } = (await world.s.must("POST /get_player/{url_id}", { as, body: { alias } })).body;
    const told = (await seenBy(world, "Hal")).find(({ kind }) => kind === "finish");
    expect([state, told.details.season_result]).toEqual([await world.state(ORIGINAL), result]);
    expect(["humans", "zombies"]).toContain(result);
  }
};

/** What a player signs in each game. Only game masters may know of the names, dates and contacts. */
const SIGNATURES = {
  hidden: { full_name: "Ann Example", birth_date: "2020-02-29", emergency_contact: "Mum, +41 44 000 00 00" },
  plain: { full_name: "Zoë Annabelle Longname", birth_date: "2031-12-01", emergency_contact: "+44 1" },
};

/**
 * A player signs the waiver in both games, with other answers, or in one of them alone.
 * @returns those who are told nothing of that: a moderator sees who has signed
 */
export const playSignatures = async (g: Games): Promise<readonly (typeof VIEWERS)[number][]> => {
  const { hidden, plain, random } = g;
  fixed.step += 1;
  if (random.chance(0.5)) await g.master("pause_game");
  const waiver_ask = ["birth_date", "emergency_contact", "photo_consent"];
  await g.master("settings", { waiver: "I play at my own risk.", waiver_ask, minimum_age: 16 });
  const signer = random.pick<Name>([ORIGINAL, ...VIEWERS.filter((name) => name !== PLAYING)]);
  const as = hidden.people()[MASTER];
  const { version } = (await hidden.s.must("GET /waiver/{url_id}", { as })).body;
  fixed.step += 1;
  // In one game a newcomer is under age and waits for a game master, in the other one they have yet to sign.
  if (random.chance(0.4)) {
    const body = { alias: "Nia", password: "correct horse battery" };
    const minor = { ...SIGNATURES.plain, version, photo_consent: random.chance(0.5) };
    for (const world of random.chance(0.5) ? [hidden, plain] : [plain, hidden]) {
      const sent = world.isHidden ? { ...body, signature: minor } : body;
      const [joined] = await inTurn([world], () => world.s.must("POST /new", { body: sent }));
      expect(joined?.body).toMatchObject({ state: "spectator", pending: true });
    }
    // Their own page is read, too.
    g.alias = "Nia";
    return VIEWERS.filter((name) => name !== PLAYING && name !== "Mia");
  }
  // Nobody is told of consent to photos, or of an age in a game that has begun.
  const isInBoth = random.chance(0.6);
  const photos = random.chance(0.5);
  const adult = { ...SIGNATURES.plain, birth_date: "2012-03-01" };
  const { paused_since } = (await hidden.s.must("GET /game/{url_id}", { as })).body;
  const other = paused_since === null ? SIGNATURES.plain : adult;
  await g.only(hidden, signer, "/player/sign", { version, photo_consent: true, ...SIGNATURES.hidden });
  if (isInBoth) await g.only(plain, signer, "/player/sign", { version, photo_consent: photos, ...other });
  const others = VIEWERS.filter((name) => name !== PLAYING && name !== signer);
  return others.filter((name) => (isInBoth && photos) || name !== "Mia");
};

/** What game masters do with missions of the zombies, in one of the games only. */
const SECRET: Record<string, (g: Games, world: World) => Promise<unknown>> = {
  async create(g, world) {
    const { random } = g;
    const time = (minutes: number): string => rfc3339(fixed.now + minutes * MINUTE);
    const start = random.below(90) - 30;
    const { mission_id } = await g.only(world, MASTER, "/admin/set_mission", {
      ...{
        title: `Nest ${fixed.step}`,
        starts_at: time(start),
        ends_at: time(start + 60),
        place: "The nest",
      },
      briefings: [
        {
          audience: "zombies",
          text: "Bite. ".repeat(1 + random.below(500)),
          reveal_at: time(random.below(40) - 20),
        },
      ],
      ...{ attendance: "desk", required: random.chance(0.5), draft: random.chance(0.2) },
      rewards: [{ audience: "zombies", effect: { message: "Well bitten." } }],
    });
    g.secrets.push(mission_id);
  },
  change: (g, world) => onSecret(g, world, "set_mission", { place: `Nest ${fixed.step}` }),
  attend: (g, world) =>
    onSecret(g, world, "mission_attendance", { alias: "Zoe", late: true, reason: "on the list" }),
  close: (g, world) => onSecret(g, world, "close_mission", { result: "zombies", note: "They have it." }),
  reopen: (g, world) => onSecret(g, world, "reopen_mission", {}),
};

/** A request about one of the zombies' missions, which may be rejected. */
const onSecret = async (g: Games, world: World, word: string, body: Body): Promise<void> => {
  if (g.secrets.length === 0) return;
  const sent = { mission_id: g.random.pick(g.secrets), ...body };
  const [result] = await inTurn([world], () => send(world, MASTER, `/admin/${word}`, sent));
  g.history.push(`${word}: ${result?.status}`);
};

/** What both games have: nothing of it is still to be announced, so that a sweep announces only what one game has. */
const SHARED: Record<string, Step> = {
  mission: (g) =>
    g.master("set_mission", {
      ...{
        title: `Open ${fixed.step}`,
        starts_at: rfc3339(fixed.now - HOUR),
        ends_at: rfc3339(fixed.now + HOUR),
      },
      briefings: [
        { audience: g.random.pick(["all", "humans"]), text: "Run.", reveal_at: rfc3339(fixed.now - HOUR) },
      ],
    }),
  message: (g) => STEPS.message?.(g) ?? Promise.resolve(),
  report: (g) => report(g),
  rename: (g) => STEPS.rename?.(g) ?? Promise.resolve(),
};

/** The viewers who are told nothing of a mission of the zombies. The game master who plays may change every mission. */
export const untold = async ({
  plain,
}: Games): Promise<Exclude<(typeof VIEWERS)[number], typeof PLAYING>[]> => {
  const states = await Promise.all(VIEWERS.map((name) => plain.state(name)));
  return VIEWERS.filter((_, at) => states[at] !== "zombie").filter((name) => name !== PLAYING);
};

/**
 * Plays a random step with missions of the zombies in one game only, then a sweep, and compares what is pushed to those who are
 * not told.
 */
export const playSecretStep = async (g: Games): Promise<void> => {
  const { hidden, plain, history, random } = g;
  fixed.step += 1;
  fixed.now += random.below(20) * MINUTE + 1_000;
  const isSecret = random.chance(0.7);
  const [name, step] = random.pick(
    Object.entries<(g: Games, w: World) => Promise<unknown>>(isSecret ? SECRET : SHARED),
  );
  history.push(`${fixed.step} ${name}`);
  await step(g, hidden);
  fixed.step += 1;
  await inTurn([hidden, plain], (world) => world.s.sweep());
  const [one = [], other = []] = await inTurn([hidden, plain], (world) => world.work());
  const others = await untold(g);
  const toUntold = (pushed: readonly { endpoint: string }[]) =>
    pushed.filter(({ endpoint }) => others.some((alias) => endpoint.endsWith(`/${alias}`)));
  expect(toUntold(one)).toEqual(toUntold(other));
};
