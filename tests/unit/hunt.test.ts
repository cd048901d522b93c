/** The hunt: in which order it is refused, whom it feeds until when, and how many unknown codes are borne. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../lib/domain/domainError.ts";
import {
  HUNT_REPORT_WINDOW,
  type HuntContext,
  hunt,
  recordMiss,
  requireCanHunt,
} from "../../lib/domain/hunt.ts";
import type { Player } from "../../lib/domain/player.ts";
import {
  aGame,
  aMoment,
  aPlayer,
  DAY,
  deepFreeze,
  HOUR,
  iso,
  MINUTE,
  refusalOf,
  SECOND,
  T0,
} from "./support.ts";

const PERIOD = 48 * HOUR;
const CODE = "ABCD2345";

const aHunter = (more: Partial<Player> = {}): Player =>
  aPlayer({
    state: "zombie",
    infection_id: "01900000-0000-7000-8000-0000000000aa",
    infected_at: iso(T0 - 5 * HOUR),
    deadline: T0 + 2 * HOUR,
    epoch: 0,
    ...more,
  });

const aPrey = (more: Partial<Player> = {}): Player =>
  aPlayer({ state: "human", tag_code: CODE, code_since: iso(T0 - 4 * HOUR), ...more });

const aScene = (more: Partial<HuntContext> = {}): HuntContext => ({
  game: aGame(),
  hunter: aHunter(),
  prey: aPrey(),
  code: CODE,
  sharers: [],
  ...more,
});

const moment = (now = T0) => aMoment({ now, period: PERIOD });

const TEN_MISSES = Array.from({ length: 10 }, (_, at) => iso(T0 - 9 * MINUTE + at));

describe("a hunt is refused", () => {
  /** Faults in the contract's order; of each the scene with it, and the code it is refused with. */
  const FAULTS: { name: string; code: ErrorCode; spoil: (scene: HuntContext) => HuntContext }[] = [
    {
      name: "the game is paused",
      code: "paused",
      spoil: (scene) => ({ ...scene, game: { ...scene.game, paused_at: T0 - MINUTE } }),
    },
    {
      name: "the hunter is no living zombie",
      code: "wrong_state",
      spoil: (scene) => ({ ...scene, hunter: { ...scene.hunter, deadline: T0 - HOUR } }),
    },
    {
      name: "ten unknown codes were named",
      code: "too_many_attempts",
      spoil: (scene) => ({ ...scene, hunter: { ...scene.hunter, misses: TEN_MISSES } }),
    },
    {
      name: "nobody has the code",
      code: "unknown_tag_code",
      spoil: (scene) => ({ ...scene, prey: "unknown" }),
    },
    {
      name: "the code was used",
      code: "already_tagged",
      spoil: (scene) => ({
        ...scene,
        prey: typeof scene.prey === "string" ? scene.prey : { ...scene.prey, tag_code: null },
      }),
    },
    {
      name: "its human is dead by other means",
      code: "wrong_state",
      spoil: (scene) => ({
        ...scene,
        prey: typeof scene.prey === "string" ? scene.prey : { ...scene.prey, state: "corpse" },
      }),
    },
    {
      name: "the hunter was no zombie then",
      code: "too_early",
      spoil: (scene) => ({ ...scene, hunter: { ...scene.hunter, infected_at: iso(T0 - MINUTE) } }),
    },
    {
      name: "a sharer does not exist",
      code: "player_not_found",
      spoil: (scene) => ({ ...scene, sharers: [{ alias: "Nobody", player: null }] }),
    },
  ];
  const huntedAt = T0 - 2 * MINUTE;

  it.each(FAULTS.map((fault, first) => ({ ...fault, first })))(
    "because $name, whatever else is wrong after that",
    ({ code, first }) => {
      const spoilt = deepFreeze(FAULTS.slice(first).reduce((scene, { spoil }) => spoil(scene), aScene()));
      expect(refusalOf(() => hunt(spoilt, { huntedAt }, moment())).code).toBe(code);
      const alone = deepFreeze(FAULTS[first]?.spoil(aScene()) ?? aScene());
      expect(refusalOf(() => hunt(alone, { huntedAt }, moment())).code).toBe(code);
    },
  );

  it("in words that say who may hunt", () => {
    const hunter = aPlayer({ state: "human" });
    const { detail } = refusalOf(() => hunt(aScene({ hunter }), { huntedAt }, moment()));
    expect(detail).toBe(`${hunter.alias} is a human: only a zombie can hunt.`);
  });

  it("not at all when nothing is wrong", () => {
    expect(hunt(deepFreeze(aScene()), { huntedAt }, moment()).prey.state).toBe("zombie");
  });

  it("with the code of a deleted account, whose human is gone", () => {
    const gone = aScene({ prey: "gone" });
    expect(refusalOf(() => hunt(gone, { huntedAt: T0 }, moment())).code).toBe("wrong_state");
  });

  it("with the code of a former life of one who was cured", () => {
    const cured = aScene({ prey: aPrey({ tag_code: "WXYZ2345" }) });
    expect(refusalOf(() => hunt(cured, { huntedAt: T0 }, moment())).code).toBe("already_tagged");
  });

  it("before the hunter's own infection and before the prey got the code, to the millisecond", () => {
    const hunter = aHunter({ infected_at: iso(T0 - HOUR) });
    expect(refusalOf(() => hunt(aScene({ hunter }), { huntedAt: T0 - HOUR - 1 }, moment())).code).toBe(
      "too_early",
    );
    expect(hunt(aScene({ hunter }), { huntedAt: T0 - HOUR }, moment()).hunter.kills).toBe(3);
    const prey = aPrey({ code_since: iso(T0 - HOUR) });
    expect(refusalOf(() => hunt(aScene({ prey }), { huntedAt: T0 - HOUR - 1 }, moment())).code).toBe(
      "too_early",
    );
    expect(hunt(aScene({ prey }), { huntedAt: T0 - HOUR }, moment()).hunter.kills).toBe(3);
  });

  it.each([
    ["a human", aPrey({ tag_code: "WXYZ2345" }), "human"],
    ["a corpse", aPlayer({ state: "corpse" }), "corpse"],
    ["a spectator", aPlayer(), "spectator"],
    ["a zombie past the deadline", aHunter({ deadline: T0 }), "corpse"],
  ])("when one of two sharers is %s, and the other gets nothing either", (_who, bad, named) => {
    const good = aHunter();
    const sharers = [
      { alias: good.alias, player: good },
      { alias: bad.alias, player: bad },
    ];
    for (const order of [sharers, sharers.toReversed()]) {
      const refusal = refusalOf(() =>
        hunt(deepFreeze(aScene({ sharers: order })), { huntedAt: T0 }, moment()),
      );
      expect(refusal.code).toBe("wrong_state");
      expect(refusal.detail).toContain(named);
      expect(refusal.detail).toContain(bad.alias);
      expect(refusal.detail).toContain("only a zombie can share a meal.");
    }
  });
});

describe("a hunt that counts", () => {
  it("is recorded as the prey's infection, whose parent is the hunter's", () => {
    const scene = deepFreeze(aScene());
    const place = { latitude: 47.37, longitude: 0 };
    const { interaction, hunter, prey, players, interactions } = hunt(
      scene,
      { huntedAt: T0 - HOUR, note: "by the library", ...place },
      moment(),
    );
    expect(interactions).toEqual([interaction]);
    expect(interaction).toEqual({
      interaction_id: expect.any(String),
      kind: "hunt",
      at: iso(T0 - HOUR),
      recorded_at: iso(T0),
      actor: scene.hunter.player_id,
      target: prey.player_id,
      parent: scene.hunter.infection_id,
      shared_with: [],
      note: "by the library",
      ...place,
    });
    expect(prey).toMatchObject({
      infection_id: interaction.interaction_id,
      infected_at: iso(T0 - HOUR),
      infected_by: scene.hunter.player_id,
      last_fed_at: null,
      tag_code: null,
      code_since: null,
      kills: 2,
      // A full period from now, not from when the tag happened.
      deadline: T0 + PERIOD,
      epoch: 0,
    });
    expect(hunter).toMatchObject({
      kills: 3,
      last_kill_at: iso(T0 - HOUR),
      infection_id: scene.hunter.infection_id,
    });
    expect(players.map(({ before }) => before)).toEqual([scene.hunter, scene.prey]);
  });

  it("says nothing of a note and a place that were not given", () => {
    const { interaction } = hunt(aScene(), { huntedAt: T0 }, moment());
    expect(Object.keys(interaction)).not.toEqual(expect.arrayContaining(["note"]));
    expect("latitude" in interaction || "longitude" in interaction).toBe(false);
  });

  it("feeds hunter and sharers until the later of what they had and the hunt plus a period", () => {
    const short = aHunter({ deadline: T0 + MINUTE });
    const long = aHunter({ deadline: T0 + 3 * PERIOD, last_fed_at: iso(T0 - MINUTE) });
    const sharers = [short, long].map((player) => ({ alias: player.alias, player }));
    const { players, interaction, hunter } = hunt(
      deepFreeze(aScene({ sharers })),
      { huntedAt: T0 - HOUR },
      moment(),
    );
    expect(hunter.deadline).toBe(T0 - HOUR + PERIOD);
    expect(hunter.last_fed_at).toBe(iso(T0 - HOUR));
    expect(players.map(({ after }) => after?.deadline)).toEqual([
      T0 - HOUR + PERIOD,
      T0 + PERIOD,
      T0 - HOUR + PERIOD,
      T0 + 3 * PERIOD,
    ]);
    expect(players[3]?.after?.last_fed_at).toBe(iso(T0 - MINUTE));
    expect(players.slice(2).map(({ after }) => after?.kills)).toEqual([2, 2]);
    expect(interaction.shared_with).toEqual([short.player_id, long.player_id]);
  });

  it("counts for feeding from the last change of the clock, when it happened before that", () => {
    const game = aGame({ offset: DAY, epoch: 1, changed_at: T0 - MINUTE, cuts: [] });
    const hunter = aHunter({ deadline: T0 - DAY + 2 * HOUR });
    const fed = hunt(aScene({ game, hunter }), { huntedAt: T0 - 2 * HOUR }, moment()).hunter;
    expect((fed.deadline ?? 0) + DAY).toBe(T0 - MINUTE + PERIOD);
    expect(fed.last_kill_at).toBe(iso(T0 - 2 * HOUR));
    expect(fed.epoch).toBe(1);
  });

  it("does not take back the latest kill when an older one is reported after it", () => {
    const hunter = aHunter({ last_kill_at: iso(T0 - MINUTE) });
    const after = hunt(aScene({ hunter }), { huntedAt: T0 - HOUR }, moment()).hunter;
    expect(after).toMatchObject({ last_kill_at: iso(T0 - MINUTE), kills: 3 });
  });

  it("may be reported for six hours", () => {
    expect(HUNT_REPORT_WINDOW).toBe(6 * HOUR);
  });

  it("leaves the misses of the hunter as they were, and counts none for a used code", () => {
    const hunter = aHunter({ misses: TEN_MISSES.slice(0, 9) });
    expect(hunt(aScene({ hunter }), { huntedAt: T0 }, moment()).hunter.misses).toEqual(hunter.misses);
  });
});

describe("unknown codes", () => {
  const miss = (hunter: Player, now: number): Player => {
    const { players, interactions } = recordMiss(deepFreeze(hunter), moment(now));
    expect(interactions).toEqual([]);
    expect(players).toHaveLength(1);
    const after = players[0]?.after;
    if (after === null || after === undefined) throw new Error("the hunter is gone");
    expect({ ...after, misses: [] }).toEqual({ ...hunter, misses: [] });
    return after;
  };

  it("are borne ten times in ten minutes; the eleventh is told how long to wait", () => {
    let hunter = aHunter({ deadline: T0 + DAY });
    for (let at = 0; at < 10; at += 1) {
      expect(() => requireCanHunt(hunter, aGame(), moment(T0 + at * 10 * SECOND))).not.toThrow();
      hunter = miss(hunter, T0 + at * 10 * SECOND);
    }
    const now = T0 + 2 * MINUTE;
    const refusal = refusalOf(() => requireCanHunt(hunter, aGame(), moment(now)));
    expect(refusal.code).toBe("too_many_attempts");
    expect(refusal.retryAfter).toBe(480);
    // Also with the right code: otherwise one could go on guessing.
    expect(refusalOf(() => hunt(aScene({ hunter }), { huntedAt: now }, moment(now))).code).toBe(
      "too_many_attempts",
    );
    // Who waits as long as was said is heard again; a second less, and not.
    expect(() => requireCanHunt(hunter, aGame(), moment(now + 480 * SECOND))).not.toThrow();
    expect(refusalOf(() => requireCanHunt(hunter, aGame(), moment(now + 479 * SECOND))).retryAfter).toBe(1);
  });

  it("are never remembered more than ten at a time", () => {
    const { misses } = miss(aHunter({ misses: TEN_MISSES }), T0);
    expect(misses).toEqual([...TEN_MISSES.slice(1), iso(T0)]);
  });

  let walks = 0;
  let refused = 0;

  it("are counted as a naive list of them counts", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3 * MINUTE }), { minLength: 5, maxLength: 40, size: "max" }),
        (pauses) => {
          let now = T0;
          let hunter = aHunter({ deadline: T0 + 300 * DAY });
          const all: number[] = [];
          for (const pause of pauses) {
            now += pause;
            const recent = all.filter((at) => at > now - 10 * MINUTE);
            if (recent.length < 10) {
              requireCanHunt(hunter, aGame(), moment(now));
              hunter = miss(hunter, now);
              all.push(now);
              expect(hunter.misses.length).toBeLessThanOrEqual(10);
              continue;
            }
            refused += 1;
            const { code, retryAfter = 0 } = refusalOf(() => requireCanHunt(hunter, aGame(), moment(now)));
            expect(code).toBe("too_many_attempts");
            const free = (recent.at(-10) ?? 0) + 10 * MINUTE;
            expect(retryAfter).toBe(Math.ceil((free - now) / SECOND));
          }
          walks += 1;
        },
      ),
      { numRuns: 500 },
    );
  });

  afterAll(() => {
    expect(walks).toBe(500);
    expect(refused).toBeGreaterThan(100);
  });
});
