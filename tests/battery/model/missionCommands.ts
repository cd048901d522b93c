/** Commands about missions in the model's game. */
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { effectIn } from "./codeCommands.ts";
import { hunt, spellTime } from "./gameCommands.ts";
import { NOBODY } from "./names.ts";
import type { Mission, Model } from "./state.ts";
import type { Actions, Turn } from "./turn.ts";

const UNKNOWN_MISSION = "01900000-0000-7000-8000-000000000000";

const isOpen = ({ closings }: Mission): boolean => closings.every(({ reopened_at }) => reopened_at !== null);

const open = ({ missions }: Model): Mission[] => missions.filter(isOpen);

const rewardsIn = (t: Turn): Mission["rewards"] =>
  Array.from({ length: t.pick([1, 2, 0]) }, () => ({
    audience: t.pick(["zombies", "humans", "all"]),
    effect: effectIn(t),
  }));

function* create(t: Turn): Actions {
  const { now } = t.m;
  const starts = now + t.pick([0, 0, -HOUR, 1, HOUR]);
  const briefing = (audience: "all" | "humans" | "zombies" | "corpses") => ({
    ...{ audience, text: `For ${audience}.`, reveal_at: spellTime(t, now + t.pick([0, -MINUTE, HOUR])) },
    ...t.maybe(40, { outcome_text: "It is over." }),
  });
  const hasDesk = t.chance(92);
  return yield* t.master("set_mission", {
    ...{ title: t.pick(["The drop", "The bridge"]), starts_at: spellTime(t, starts) },
    ends_at: spellTime(t, starts + t.pick([2 * HOUR, 6 * HOUR, 1, 0])),
    briefings: [
      briefing(t.pick(["all", "humans", "zombies", "corpses"])),
      ...(t.chance(30) ? [briefing("zombies")] : []),
    ],
    ...{ attendance: hasDesk ? "desk" : "none", rewards: rewardsIn(t), required: hasDesk && t.chance(70) },
  });
}

/** A game master creates a mission, or changes one; sometimes as it was read long ago. */
export function* setMission(t: Turn): Actions {
  const mission = t.maybeOne(t.m.missions);
  if (mission === undefined || t.chance(50)) return yield* create(t);
  const version = mission.version - (t.chance(20) ? 1 : 0);
  const starts_at = spellTime(t, mission.starts + t.pick([MINUTE, -MINUTE, 3 * HOUR]));
  return yield* t.master("set_mission", {
    mission_id: t.chance(4) ? UNKNOWN_MISSION : mission.id,
    ...(version > 0 ? t.maybe(50, { version }) : {}),
    ...t.maybe(50, { title: t.pick(["The tunnel", "The drop"]) }),
    ...t.maybe(isOpen(mission) ? 30 : 10, { starts_at }),
    ...t.maybe(isOpen(mission) ? 30 : 10, { rewards: rewardsIn(t) }),
    ...t.maybe(20, { required: t.chance(50) }),
  });
}

/** A mission, mostly one that takes attendance now; if there is none, one is created. */
function* missionNow(t: Turn): Actions<string> {
  const current = (): Mission[] => open(t.m).filter(({ ends, hasDesk }) => hasDesk && ends > t.m.now);
  if (current().length === 0) yield* create(t);
  return t.maybeOne(t.chance(90) ? current() : t.m.missions)?.id ?? UNKNOWN_MISSION;
}

/** Game masters enter who attends, or take it back. */
export function* attend(t: Turn): Actions {
  const mission_id = yield* missionNow(t);
  const chosen = Array.from({ length: t.pick([3, 1, 2, 5]) }, () => t.playerIn("zombie", "human"));
  const aliases = [...new Set(chosen)].map(({ alias }) => (t.chance(2) ? NOBODY : t.spell(alias)));
  const [alias = NOBODY] = aliases;
  const named = t.chance(30) ? { alias } : { aliases: [...new Set(aliases)] };
  const late = t.maybe(15, { late: true, reason: "From the list on paper." });
  return yield* t.master("mission_attendance", {
    ...{ mission_id, ...named, ...late, ...t.maybe(15, { undo: true as const }) },
  });
}

/** A game master closes a mission that somebody attended, often after a tag; sometimes only as a dry run. */
export function* close(t: Turn): Actions {
  const attended = (): Mission[] => open(t.m).filter((one) => one.attended.length > 0);
  if (attended().length === 0 || t.chance(30)) yield* attend(t);
  if (t.chance(50)) {
    yield { pass: t.pick([MINUTE, HOUR]) };
    yield* hunt(t);
  }
  const mission_id = t.maybeOne(t.chance(90) ? attended() : t.m.missions)?.id ?? UNKNOWN_MISSION;
  const result = t.pick(["humans", "zombies", "both", "none", "cancelled"]);
  const body = { mission_id, result, ...t.maybe(30, { note: "By a whisker." }) };
  if (t.chance(30)) {
    const done = yield* t.master("close_mission", { ...body, dry_run: true });
    if (!done || t.chance(30)) return done;
  }
  return yield* t.master("close_mission", body);
}

/** A game master reopens a mission. */
export function* reopen(t: Turn): Actions {
  const closed = (): Mission[] => t.m.missions.filter((one) => !isOpen(one));
  if (closed().length === 0) yield* close(t);
  const mission = t.maybeOne(t.chance(92) ? closed().slice(-3) : t.m.missions);
  return yield* t.master("reopen_mission", { mission_id: mission?.id ?? UNKNOWN_MISSION });
}

/** A game master enforces required missions, mostly as a dry run first. */
export function* enforce(t: Turn): Actions {
  if (t.chance(70)) yield* attend(t);
  if (t.chance(30)) yield* close(t);
  const exempt = t.chance(50) ? [t.spell(t.playerIn("human", "zombie").alias)] : [];
  const body = {
    ...(t.chance(95) ? { min: t.pick([1, 1, 2]) } : {}),
    ...(exempt.length > 0 ? { exempt } : {}),
  };
  if (t.chance(60)) {
    const done = yield* t.master("enforce_missions", { ...body, dry_run: true });
    if (!done || t.chance(50)) return done;
  }
  return yield* t.master("enforce_missions", body);
}
