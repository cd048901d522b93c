/** What becomes of a player: field by field, and in which words what may not be is refused. */
import { describe, expect, it } from "vitest";
import type { Feeding, Player } from "../../lib/domain/player.ts";
import {
  asCorpse,
  asFed,
  asHuman,
  asZombie,
  corpsify,
  cure,
  feedPlayer,
  newInteraction,
  requireState,
  reviveHuman,
  reviveZombie,
  starve,
  type TargetCommand,
} from "../../lib/domain/transitions.ts";
import { aGame, aMoment, aPlayer, DAY, deepFreeze, HOUR, iso, refusalOf, T0 } from "./support.ts";

const MEALS: Feeding[] = [
  { hunt: null, deadline: T0 + HOUR, epoch: 0, at: iso(T0 - DAY) },
  { hunt: "h", deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) },
];

const zombie: Player = deepFreeze(
  aPlayer({
    ...{ alias: "Zoe", state: "zombie", infection_id: "i", infected_at: iso(T0 - DAY), infected_by: "eve" },
    ...{ deadline: T0 + DAY, epoch: 0, last_fed_at: iso(T0 - HOUR), meals: MEALS },
  }),
);
const human: Player = deepFreeze(
  aPlayer({ alias: "Ada", state: "human", tag_code: "ABCD2345", code_since: iso(T0 - DAY) }),
);

describe("a player becomes", () => {
  it("a human: a new code, and nothing of the life before but kills and when it began", () => {
    const moment = aMoment();
    expect(asHuman(zombie, moment)).toEqual({
      ...zombie,
      ...{ state: "human", tag_code: moment.codes[0], code_since: iso(T0) },
      ...{ infection_id: null, infected_by: null, last_fed_at: null, deadline: null, epoch: null, meals: [] },
    });
  });

  it("a zombie: a full period from now, of one infection, and no meal yet", () => {
    const infection = { id: "another", at: iso(T0 - HOUR), by: "eve" };
    const game = aGame({ offset: HOUR, epoch: 3 });
    expect(asZombie({ ...human, meals: MEALS, last_fed_at: iso(T0) }, game, aMoment(), infection)).toEqual({
      ...human,
      ...{ state: "zombie", tag_code: null, code_since: null },
      ...{ infection_id: "another", infected_at: iso(T0 - HOUR), infected_by: "eve" },
      ...{ last_fed_at: null, deadline: T0 - HOUR + 48 * HOUR, epoch: 3, meals: [] },
    });
  });

  it("a corpse: no deadline, and all the rest as it was", () => {
    expect(asCorpse(zombie)).toEqual({ ...zombie, state: "corpse", deadline: null, epoch: null });
    expect(asCorpse(human)).toEqual({ ...human, state: "corpse" });
  });
});

describe("a player who is fed", () => {
  const game = aGame();
  const fed = (before: Partial<Player>, period: number, hunt: string | null = null, instant = T0) =>
    asFed(deepFreeze({ ...zombie, meals: [], ...before }), game, instant, period, hunt);

  it("lives until the later of the deadline and the meal plus a period, by the epoch of that one", () => {
    const added = aGame({ epoch: 5 });
    const feed = (period: number) => asFed({ ...zombie, meals: [] }, added, T0, period);
    expect(feed(DAY - 1)).toMatchObject({ deadline: T0 + DAY, epoch: 0 });
    // Just as late: the older one, which older cuts may have ended.
    expect(feed(DAY)).toMatchObject({ deadline: T0 + DAY, epoch: 0 });
    expect(feed(DAY + 1)).toMatchObject({ deadline: T0 + DAY + 1, epoch: 5 });
  });

  it("without a deadline lives until the meal plus a period", () => {
    for (const without of [{ deadline: null }, { epoch: null }, { deadline: null, epoch: null }]) {
      expect(fed(without, HOUR)).toMatchObject({ deadline: T0 + HOUR, epoch: 0 });
    }
    for (const without of [{ deadline: null }, { deadline: null, epoch: null }]) {
      expect(fed(without, -T0 - HOUR)).toMatchObject({ deadline: -HOUR, epoch: 0 });
    }
  });

  it("was fed when it was fed last", () => {
    expect(fed({}, HOUR).last_fed_at).toBe(iso(T0));
    expect(fed({ last_fed_at: null }, HOUR).last_fed_at).toBe(iso(T0));
    expect(fed({}, HOUR, null, T0 - DAY).last_fed_at).toBe(iso(T0 - HOUR));
  });

  it("by a hunt remembers which, what it asked for and when", () => {
    expect(fed({}, 2 * DAY, "h2").meals).toEqual([
      { hunt: null, deadline: T0 + DAY, epoch: 0, at: iso(T0 - HOUR) },
      { hunt: "h2", deadline: T0 + 2 * DAY, epoch: 0, at: iso(T0) },
    ]);
    expect(fed({}, 2 * DAY).meals).toEqual([]);
    expect(fed({ meals: MEALS }, 2 * DAY).meals).toEqual([
      { hunt: null, deadline: T0 + 2 * DAY, epoch: 0, at: iso(T0) },
      MEALS[1],
    ]);
  });
});

it("an event is now unless it is said when, and befalls somebody or nobody", () => {
  const moment = aMoment();
  expect(newInteraction("cure", zombie, "gm", moment)).toEqual({
    ...{ interaction_id: moment.ids[0], kind: "cure", at: iso(T0), recorded_at: iso(T0) },
    ...{ actor: "gm", target: zombie.player_id },
  });
  expect(newInteraction("pause", null, null, moment, iso(T0 - HOUR))).toMatchObject({
    ...{ at: iso(T0 - HOUR), recorded_at: iso(T0), actor: null, target: null },
  });
});

it("a starvation is recorded at the deadline, once", () => {
  const before = { ...zombie, deadline: T0 - HOUR };
  const outcome = starve(before, aGame(), aMoment());
  expect(outcome?.players).toEqual([{ before, after: asCorpse(before) }]);
  expect(outcome?.interactions).toMatchObject([
    { kind: "starve", at: iso(T0 - HOUR), recorded_at: iso(T0), actor: null, target: zombie.player_id },
  ]);
  expect(starve(asCorpse(before), aGame(), aMoment())).toBeNull();
  expect(starve(zombie, aGame(), aMoment())).toBeNull();
});

describe("what may not be is refused", () => {
  const spectator = aPlayer({ alias: "Sam", state: "spectator" });
  const detailOf = (command: TargetCommand, target: Player): string =>
    refusalOf(() => command({ game: aGame(), target, actor: "gm" }, aMoment())).detail;

  it.each([
    [corpsify, spectator, "Sam is a spectator: only a human or a zombie can be killed."],
    [cure, human, "Ada is a human: only a zombie can be cured."],
    [reviveHuman, human, "Ada is a human: only a corpse or a spectator can be revived."],
    [reviveZombie, zombie, "Zoe is a zombie: only a corpse or a spectator can be revived."],
    [feedPlayer, human, "Ada is a human: only a zombie can be fed."],
    [feedPlayer, { ...zombie, deadline: T0 }, "Zoe is a corpse: only a zombie can be fed."],
  ])("in a sentence that says what they are", (command, target, words) => {
    expect(detailOf(command, target)).toBe(words);
  });

  it("unless they are what they must be", () => {
    expect(requireState(human, ["human"], "be this")).toBeUndefined();
    expect(refusalOf(() => requireState(human, ["zombie"], "be this")).code).toBe("wrong_state");
  });
});
