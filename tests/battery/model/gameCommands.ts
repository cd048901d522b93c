/** Commands of players and game masters in the game. */
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import {
  type Actions,
  aliasBy,
  credentialsOf,
  inState,
  masterCredentials,
  refTo,
  requestOf,
  send,
} from "./actors.ts";
import { hungriest } from "./bodies.ts";
import type { Dice } from "./dice.ts";
import { LABELS, NOBODY } from "./names.ts";
import type { Model, Player, State } from "./state.ts";
import type { World } from "./world.ts";
import { LOCAL_CHANGES, rfc3339At } from "./zones.ts";

/** An instant as RFC 3339: in UTC, in local time, or in another offset from UTC. */
const written = (dice: Dice, instant: number): string =>
  dice.pick([
    () => rfc3339(instant),
    () => rfc3339At(instant),
    () => rfc3339At(instant, dice.pick([345, -210, 765, -720, 0])),
  ])();

/** Tag codes that nobody has: a valid one, and one with an invalid letter. */
const UNKNOWN = ["QQQQQQQQ", "O0O0O0O0", "WXYZWXYZ"] as const;

const codeBy = (dice: Dice, code: string): string =>
  dice.pick([
    code,
    code.toLowerCase(),
    `${code.slice(0, 4)}-${code.slice(4)}`,
    ` ${code.slice(0, 2)} ${code.slice(2)} `,
  ]);

const INFECTIONS = ["hunt", "revive_zombie"];

const codeFor = (m: Model, dice: Dice, prey: Player): string => {
  // A former code, or one of a corpse or of a player who has left.
  // One of a reported tag, or of a player who has left recently.
  const earlier = [...m.reported.keys(), ...m.left.keys()].slice(-6);
  const old = dice.chance(10) ? dice.of([...m.codes.keys()]) : dice.chance(25) ? dice.of(earlier) : undefined;
  return old ?? prey.code ?? dice.of([...m.codes.keys()]) ?? UNKNOWN[0];
};

const huntedAt = (m: Model, dice: Dice, hunter: Player, prey: Player): number | null => {
  const since = Math.max(hunter.infectedAt ?? 0, prey.codeSince, m.now - 6 * HOUR);
  if (!dice.chance(45)) return null;
  if (!dice.chance(20)) return dice.pick([since, m.now, Math.floor((since + m.now) / 2)]);
  const ahead = m.now + 2 * MINUTE;
  return dice.pick([since - 1, m.now - 6 * HOUR - 1, m.now - 6 * HOUR, m.now + 1, ahead, ahead + 1]);
};

/** Usually makes a hunt possible: resumes the game, and revives a zombie and a human. */
function* enliven(world: World, dice: Dice): Actions {
  if (dice.chance(20)) return false;
  const credentials = { ...(yield* masterCredentials(world, dice)), key: null };
  const m = world.model();
  if (m.pausedAt !== null) yield requestOf("POST /admin/resume_game/{url_id}", credentials, {});
  for (const [state, route] of [
    ["zombie", "POST /admin/revive_z/{url_id}"],
    ["human", "POST /admin/revive_h/{url_id}"],
  ] as const) {
    const dead = dice.of(inState(m, "corpse"));
    if (inState(m, state).length > 0 || dead === undefined) continue;
    yield requestOf(route, credentials, { player_id: dead.id });
  }
  return true;
}

export function* hunt(world: World, dice: Dice): Actions {
  yield* enliven(world, dice);
  const m = world.model();
  const hunter = dice.prefer(inState(m, "zombie"), m.players);
  const prey = dice.prefer(inState(m, "human"), m.players);
  const at = huntedAt(m, dice, hunter, prey);
  const others = inState(m, "zombie").filter(({ id }) => id !== hunter.id);
  const sharers = Array.from({ length: dice.pick([0, 0, 1, 2]) }, () => dice.prefer(others, m.players));
  const share = sharers.map(({ alias }) => aliasBy(dice, alias));
  const share_with = share[0] === share[1] ? share.slice(1) : share;
  return yield* send("POST /zombie/hunt/{url_id}", yield* credentialsOf(world, dice, hunter), {
    tag_code: codeBy(dice, codeFor(m, dice, prey)),
    ...(at === null ? {} : { hunted_at: written(dice, at) }),
    ...(share_with.length === 0 ? {} : { share_with }),
    ...(dice.chance(30) ? { note: "by the gate" } : {}),
  });
}

/** A human reports to be tagged; often a hunter enters the code then. */
export function* reportTagged(world: World, dice: Dice): Actions {
  yield* enliven(world, dice);
  const m = world.model();
  const prey = dice.prefer(inState(m, "human"), m.players);
  const hunter = dice.prefer(inState(m, "zombie"), m.players);
  const at = huntedAt(m, dice, hunter, prey);
  const { code } = prey;
  const reported = yield* send(
    "POST /player/report_tagged/{url_id}",
    yield* credentialsOf(world, dice, prey),
    {
      ...(at === null ? {} : { tagged_at: written(dice, at) }),
      ...(dice.chance(50) ? { by_alias: dice.chance(5) ? NOBODY : aliasBy(dice, hunter.alias) } : {}),
    },
  );
  if (!reported || code === null || !dice.chance(40)) return reported;
  const credentials = yield* credentialsOf(world, dice, dice.prefer([hunter], m.players));
  return yield* send("POST /zombie/hunt/{url_id}", credentials, { tag_code: codeBy(dice, code) });
}

/** Names the hunter of a tag that its prey reported. */
export function* nameHunter(world: World, dice: Dice): Actions {
  const m = world.model();
  const waiting = m.record.filter(({ waitingSince, voided }) => waitingSince !== null && !voided);
  if (waiting.length === 0 && !dice.chance(20)) return yield* reportTagged(world, dice);
  const credentials = yield* masterCredentials(world, dice);
  const hunter = refTo(dice, dice.prefer(inState(m, "zombie"), m.players));
  const { id } = dice.prefer(waiting, m.record);
  return yield* send("POST /admin/name_hunter/{url_id}", credentials, { ...hunter, interaction_id: id });
}

/** A game master enters a tag, also of a former zombie. */
export function* enterHunt(world: World, dice: Dice): Actions {
  yield* enliven(world, dice);
  const m = world.model();
  const hunter = dice.prefer(dice.chance(60) ? inState(m, "zombie") : m.players, m.players);
  const prey = dice.prefer(inState(m, "human"), m.players);
  const began = dice.of(
    m.record.filter(({ kind, target }) => target === hunter.id && INFECTIONS.includes(kind)),
  );
  const former = Math.max(began?.at ?? 0, prey.codeSince, m.now - 10 * DAY) + dice.pick([0, HOUR]);
  const at = dice.chance(50) ? former : huntedAt(m, dice, hunter, prey);
  const sharer = dice.of(inState(m, "zombie").filter(({ id }) => id !== hunter.id));
  return yield* send("POST /admin/hunt/{url_id}", yield* masterCredentials(world, dice), {
    ...{ hunter: aliasBy(dice, hunter.alias), prey: prey.id },
    ...(at === null ? {} : { hunted_at: written(dice, at) }),
    ...(sharer !== undefined && dice.chance(30) ? { share_with: [aliasBy(dice, sharer.alias)] } : {}),
  });
}

/** A leaked code is replaced; often somebody sends it nevertheless. */
export function* newTagCode(world: World, dice: Dice): Actions {
  const m = world.model();
  const prey = dice.prefer(inState(m, "human"), m.players);
  const { code } = prey;
  const target = refTo(dice, prey);
  const done = yield* send(
    "POST /admin/new_tag_code/{url_id}",
    yield* masterCredentials(world, dice),
    target,
  );
  if (!done || code === null || !dice.chance(50)) return done;
  const credentials = yield* credentialsOf(world, dice, dice.prefer(inState(m, "zombie"), m.players));
  yield* send("POST /zombie/hunt/{url_id}", credentials, { tag_code: codeBy(dice, code) });
  return done;
}

/** Lifts the lock-out of mistyped codes, mostly of somebody who is locked out. */
export function* liftLockout(world: World, dice: Dice): Actions {
  if (dice.chance(50)) yield* guessCodes(world, dice);
  const m = world.model();
  const target = refTo(
    dice,
    dice.prefer(
      m.players.filter(({ misses }) => misses.length > 0),
      m.players,
    ),
  );
  return yield* send("POST /admin/lift_lockout/{url_id}", yield* masterCredentials(world, dice), target);
}

/** Unknown codes, sometimes more than are allowed. */
export function* guessCodes(world: World, dice: Dice): Actions {
  const m = world.model();
  const hunter = dice.prefer(inState(m, "zombie"), m.players);
  const credentials = yield* credentialsOf(world, dice, hunter);
  const times = dice.pick([1, 3, 11]);
  let wasUnknown = false;
  for (let n = 0; n < times; n += 1) {
    const body = { tag_code: dice.pick(UNKNOWN) };
    const { code } = yield requestOf("POST /zombie/hunt/{url_id}", credentials, body);
    wasUnknown ||= code === "unknown_tag_code";
  }
  return wasUnknown;
}

type Upon = "make_spectator" | "corpsify" | "cure" | "revive_h" | "revive_z" | "feed_player";

/** A game master's command upon a group, chosen by alias, label or state. */
export const uponGroup = (what: "revive_all" | "feed_group") =>
  function* (world: World, dice: Dice): Actions {
    const m = world.model();
    const fitting = inState(m, what === "feed_group" ? "zombie" : "corpse");
    const targets = Array.from({ length: dice.pick([1, 2, 3]) }, () => dice.prefer(fitting, m.players));
    const aliases = targets.map(({ alias }) => (dice.chance(2) ? NOBODY : aliasBy(dice, alias)));
    const state = what === "feed_group" ? ({ state: "zombie" } as const) : ({ state: "corpse" } as const);
    const selection = dice.pick<object>([
      { aliases },
      { aliases, label: dice.pick(LABELS) },
      { label: dice.pick(LABELS) },
      { aliases, ...state },
    ]);
    const how = dice.chance(25) ? { dry_run: true } : {};
    const credentials = yield* masterCredentials(world, dice);
    if (what === "feed_group")
      return yield* send("POST /admin/feed_group/{url_id}", credentials, { ...selection, ...how });
    const as = dice.pick<object>([{}, { as: "human" }, { as: "zombie" }]);
    return yield* send("POST /admin/revive_all/{url_id}", credentials, { ...selection, ...how, ...as });
  };

/** A game master's command on one player in a fitting state. */
export const upon = (what: Upon, ...states: State[]) =>
  function* (world: World, dice: Dice): Actions {
    const m = world.model();
    const fitting = inState(m, ...states);
    if (fitting.length === 0 && !dice.chance(25)) return yield* hunt(world, dice);
    const target = refTo(dice, dice.prefer(fitting, m.players));
    return yield* send(`POST /admin/${what}/{url_id}`, yield* masterCredentials(world, dice), target);
  };

/** A spectator asks to play. The same request must not bring back other players. */
export function* enrol(world: World, dice: Dice): Actions {
  const m = world.model();
  const player = dice.prefer(inState(m, "spectator"), m.players);
  return yield* send("POST /player/enrol/{url_id}", yield* credentialsOf(world, dice, player), {});
}

const SEEDS = ["00000000000000000000000000000000", "0123456789abcdef0123456789abcdef"] as const;

/** Some humans want to be an original zombie, or no longer; then originals are drawn, or it is a dry run. */
export function* drawOriginals(world: World, dice: Dice): Actions {
  const m = world.model();
  for (let times = dice.pick([1, 2, 3]); times > 0; times -= 1) {
    const others = inState(m, "human").filter(({ wantsOriginal }) => !wantsOriginal);
    const credentials = yield* credentialsOf(world, dice, dice.prefer(others, m.players));
    yield requestOf("POST /edit_player/{url_id}", credentials, { wants_original: !dice.chance(15) });
  }
  return yield* send("POST /admin/draw_originals/{url_id}", yield* masterCredentials(world, dice), {
    n: dice.pick([1, 1, 2, 3]),
    ...(dice.chance(30) ? { dry_run: true } : {}),
    ...(dice.chance(50) ? { seed: dice.pick(SEEDS) } : {}),
  });
}

export function* feedMany(world: World, dice: Dice): Actions {
  // 48 or more are fed by a job.
  const n = dice.pick([1, 2, 3, 5, 60]);
  return yield* send("POST /admin/feed/{url_id}", yield* masterCredentials(world, dice), { n });
}

/** When feedings end that are not the last of their zombie. */
const spent = (m: Model): number[] =>
  m.players
    .filter(({ state }) => state === "zombie" && m.pausedAt === null)
    .flatMap(({ feedings, deadline }) => feedings.map(({ ends }) => ends).filter((ends) => ends < deadline))
    .filter((ends) => ends > m.now);

/** Adds a day; sometimes just after a feeding has ended, which a later void must respect. */
export function* addDay(world: World, dice: Dice): Actions {
  const m = world.model();
  const until = dice.of(spent(m));
  if (until !== undefined && dice.chance(60)) yield { pass: until - m.now + dice.pick([0, -1, 1]) };
  return yield* send("POST /admin/zombies_add_day/{url_id}", yield* masterCredentials(world, dice), {});
}

export function* pause(world: World, dice: Dice): Actions {
  return yield* send("POST /admin/pause_game/{url_id}", yield* masterCredentials(world, dice), {});
}

/** Resumes a paused game; otherwise mostly hunts. */
export function* resume(world: World, dice: Dice): Actions {
  if (world.model().pausedAt === null && !dice.chance(20)) return yield* hunt(world, dice);
  return yield* send("POST /admin/resume_game/{url_id}", yield* masterCredentials(world, dice), {});
}

export function* setCheckpoint(world: World, dice: Dice): Actions {
  const { now } = world.model();
  const set = {
    name: dice.pick(["The bridge", "The mill"]),
    ...(dice.chance(40) ? { closes_at: written(dice, now + dice.pick([HOUR, 30 * MINUTE, 0, DAY])) } : {}),
    ...(dice.chance(50) ? { applies_to: dice.pick(["all", "humans", "zombies"] as const) } : {}),
  };
  const body = dice.chance(10) ? { clear: true as const } : set;
  return yield* send("POST /admin/set_checkpoint/{url_id}", yield* masterCredentials(world, dice), body);
}

export function* passCheckpoint(world: World, dice: Dice): Actions {
  const m = world.model();
  if (m.checkpoint === null && !dice.chance(15)) return yield* setCheckpoint(world, dice);
  const target = dice.prefer(inState(m, "human", "zombie"), m.players);
  const byCode = target.code !== null && dice.chance(40);
  const code = dice.chance(10) ? dice.pick(UNKNOWN) : codeFor(m, dice, target);
  const body = byCode ? { tag_code: codeBy(dice, code) } : refTo(dice, target);
  const credentials = yield* masterCredentials(world, dice);
  return yield* send("POST /admin/player_at_checkpoint/{url_id}", credentials, body);
}

const ANOTHER = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";

/** Registers some players at the checkpoint, and kills the others; or makes a dry run. */
export function* killAll(world: World, dice: Dice): Actions {
  if (world.model().checkpoint === null && !dice.chance(15)) yield* setCheckpoint(world, dice);
  const isDry = dice.chance(50);
  const passing = isDry ? 1 : 4;
  for (let n = 0; n < passing; n += 1) yield* passCheckpoint(world, dice);
  const credentials = yield* masterCredentials(world, dice);
  const id = dice.chance(20) ? ANOTHER : world.model().checkpoint?.id;
  return yield* send("POST /admin/kill_all_not_at_checkpoint/{url_id}", credentials, {
    ...(isDry ? { dry_run: true } : {}),
    ...(dice.chance(50) && id !== undefined ? { checkpoint_id: id } : {}),
  });
}

/** Undoes an enforcement, after somebody was revived; or makes a dry run. Mostly there is one to undo. */
export function* undoCheckpoint(world: World, dice: Dice): Actions {
  const ended = () => world.model().players.flatMap((player) => (player.ended === null ? [] : [player]));
  if (ended().length === 0 && !dice.chance(20)) yield* killAll(world, dice);
  const credentials = yield* masterCredentials(world, dice);
  const dead = dice.of(ended());
  const id = dead?.ended?.checkpoint ?? world.model().checkpoint?.id ?? ANOTHER;
  if (dead !== undefined && dice.chance(40)) {
    const route = dice.pick(["POST /admin/revive_h/{url_id}", "POST /admin/revive_z/{url_id}"] as const);
    yield requestOf(route, { ...credentials, key: null }, { player_id: dead.id });
  }
  return yield* send("POST /admin/undo_checkpoint/{url_id}", credentials, {
    ...{ checkpoint_id: dice.chance(5) ? ANOTHER : id, reason: "The list was late." },
    ...(dice.chance(25) ? { dry_run: true } : {}),
  });
}

/** The hunts on which a zombie's deadline depends. */
const lifelines = (m: Model): Set<number | null> =>
  new Set(
    inState(m, "zombie").flatMap(({ feedings, deadline }) =>
      feedings.filter(({ ends }) => ends === deadline).map((feeding) => feeding.hunt),
    ),
  );

/** Voids a hunt, or makes a dry run. */
export function* voidHunt(world: World, dice: Dice): Actions {
  const m = world.model();
  const hunts = m.record.filter(({ kind, voided }) => kind === "hunt" && !voided);
  if (hunts.length === 0 && !dice.chance(20)) return yield* hunt(world, dice);
  const vital = lifelines(m);
  const telling = hunts.filter(({ n }) => vital.has(n));
  const event = dice.prefer(dice.chance(50) && telling.length > 0 ? telling : hunts, m.record);
  const credentials = yield* masterCredentials(world, dice);
  const interaction_id = dice.chance(4) ? "01900000-0000-7000-8000-000000000000" : event.id;
  const body = { interaction_id, reason: "He was not near her." };
  const isDry = dice.chance(30);
  const route = "POST /admin/void_hunt/{url_id}";
  const done = yield* send(route, credentials, isDry ? { ...body, dry_run: true } : body);
  if (!isDry || !done || dice.chance(30)) return done;
  return yield* send(route, { ...credentials, key: null }, body);
}

export function* sweep(): Actions {
  yield { sweep: true };
  return true;
}

/** The next instants at which something ends. */
const due = (m: Model): number[] =>
  [
    ...LOCAL_CHANGES,
    ...(m.pausedAt === null ? hungriest(m).map(({ deadline }) => deadline) : []),
    ...spent(m),
    m.checkpoint?.closesAt ?? 0,
    ...m.recoveries.map(({ until }) => until),
    ...m.responses.map(({ until }) => until),
    ...m.sessions.map(({ expiresAt }) => expiresAt),
  ]
    .filter((at) => at > m.now)
    .toSorted((one, other) => one - other);

/** Lets time pass: a little, a lot, or until a deadline, a millisecond before or after it. */
export function* wait(world: World, dice: Dice): Actions {
  const m = world.model();
  const next = dice.pick(["a while", "hunger", "soon", "long", "anything"] as const);
  const [starves] = hungriest(m);
  const until = next === "hunger" && m.pausedAt === null ? starves?.deadline : dice.of(due(m).slice(0, 3));
  const exactly = until === undefined ? MINUTE : until - m.now + dice.pick([0, -1, 1]);
  const milliseconds = {
    "a while": dice.pick([HOUR, 3 * HOUR, 5 * HOUR, 7 * HOUR]),
    hunger: exactly,
    anything: exactly,
    soon: dice.pick([1, SECOND, MINUTE, 11 * MINUTE]),
    long: dice.pick([12 * HOUR, DAY, 40 * HOUR, 8 * DAY]),
  }[next];
  // A limit, so that not everybody starves.
  yield { pass: milliseconds > 8 * DAY ? HOUR : milliseconds };
  return true;
}

/** Milliseconds between two commands, usually 0. */
export const shortWait = (dice: Dice): number =>
  dice.pick([0, 0, 0, 1, 700, SECOND, 40 * SECOND, 10 * MINUTE]);
