/** A small game, as the naive clock has it: who is what, whose code is whose, and how each one's time runs. */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { keys } from "../../../lib/store/keys.ts";
import { SEED } from "../../support/battery.ts";
import { type Life, NaiveClock } from "../../support/naiveClock.ts";
import type { RequestOptions, Result, Someone, TestEnvironment } from "../../support/service.ts";

export const iso = (instant: number): string => new Date(instant).toISOString();

/** A player as anybody could tell from what has been done. */
export interface Person {
  someone: Someone;
  /** The code that they carry, or carried when they died a human. */
  code: string | null;
  /** Every code that was theirs and is no more. */
  usedCodes: string[];
  codeSince: number;
  isHuman: boolean;
  /** The last life as a zombie. */
  life: Life | null;
  infectedAt: number;
  fedAt: number | null;
}

/** Those of a scene, and when it was made. */
export interface Scene {
  gm: Someone;
  dead: Someone[];
  humans: Someone[];
  madeAt: number;
}

/** Whose sessions never end, so that a clock may jump by months: the time of this part is the game's. */
const keepSessions = async ({ store }: TestEnvironment, { id }: Someone): Promise<void> => {
  const sessions = await store.sessions(id);
  if (sessions === null) throw new Error("a session is missing");
  const LATER = Date.UTC(2100, 0, 1);
  const kept = sessions.sessions.map((session) => ({
    ...session,
    created_at: LATER,
    last_used: LATER,
    expires_at: LATER,
  }));
  await store.db.put({ ...keys.sessions(id), rev: sessions.rev + 1, sessions: kept });
};

/** Three corpses who will be zombies, and three humans. */
export const makeScene = async (s: TestEnvironment, madeAt: number): Promise<Scene> => {
  const gm = await s.admin();
  const [dead, humans]: [Someone[], Someone[]] = [[], []];
  for (const alias of ["Zed", "Yan", "Xia"]) {
    const someone = await s.join(alias);
    await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias } });
    dead.push(someone);
  }
  for (const alias of ["Hal", "Ida", "Job"]) humans.push(await s.join(alias));
  for (const someone of [gm, ...dead, ...humans]) await keepSessions(s, someone);
  return { gm, dead, humans, madeAt };
};

/** What an answer must be: its status, and the code of a refusal. */
export interface Wanted {
  status: number;
  code?: string;
}

export const OK: Wanted = { status: 200 };
export const refusal = (code: string, status = 409): Wanted => ({ status, code });

/** A schedule as it is played: the game, its naive double, and what has been done. */
export class World {
  readonly s: TestEnvironment;
  readonly gm: Someone;
  readonly people: Person[];
  readonly clock: NaiveClock;
  readonly story: string[] = [];
  /** Zombies beside the people, who do nothing, by alias. */
  readonly crowd = new Map<string, Life>();
  /** Each starvation: of whom, and when. */
  deaths: { target: string; life: Life }[] = [];
  pausedAt: number | null = null;
  checkpoint: { closesAt: number; passed: Set<string> } | null = null;
  private readonly name: string;

  constructor(
    s: TestEnvironment,
    scene: Scene,
    { now, period, name }: { now: number; period: number; name: string },
  ) {
    this.s = s;
    this.gm = scene.gm;
    this.name = name;
    this.clock = new NaiveClock(now, period);
    const person = (someone: Someone, isHuman: boolean): Person => ({
      someone,
      code: someone.code,
      usedCodes: [],
      codeSince: scene.madeAt,
      isHuman,
      life: null,
      infectedAt: 0,
      fedAt: null,
    });
    this.people = [
      ...scene.humans.map((one) => person(one, true)),
      ...scene.dead.map((one) => person(one, false)),
    ];
  }

  get now(): number {
    return this.clock.now;
  }

  isZombie({ life, isHuman }: Person): boolean {
    return !isHuman && life !== null && life.diedAt === null;
  }

  stateOf(person: Person): string {
    return person.isHuman ? "human" : this.isZombie(person) ? "zombie" : "corpse";
  }

  /** A person becomes a zombie now, by a tag at some time or by none. */
  infect(person: Person, at = this.now): void {
    if (person.code !== null) person.usedCodes.push(person.code);
    const life = this.clock.infect();
    Object.assign(person, { code: null, isHuman: false, life, infectedAt: at, fedAt: null });
    this.deaths.push({ target: person.someone.alias, life });
  }

  /** A zombie is human again, with a new code. */
  cure(person: Person, code: string): void {
    const { life } = person;
    if (life === null) throw new Error("only a zombie is cured");
    this.clock.cure(life);
    this.deaths = this.deaths.filter((death) => death.life !== life);
    Object.assign(person, { code, codeSince: this.now, isHuman: true, life: null, fedAt: null });
  }

  /** A zombie eats; what was before the last change of the clock counts from there. */
  feed(person: Person, at = this.now): void {
    const meal = Math.max(at, this.clock.changedAt ?? at);
    if (person.life !== null) this.clock.feed(person.life, meal);
    person.fedAt = Math.max(person.fedAt ?? meal, meal);
  }

  /** What was done, when things have gone wrong. */
  say(what: string): string {
    return `${what} at ${iso(this.now)}, in ${this.name}, seed ${SEED}, after:\n  ${this.story.join("\n  ")}\n`;
  }

  /** As `expect(got).toEqual(wanted)`, and far cheaper when it holds. */
  same(got: unknown, wanted: unknown, what: string): void {
    if (!isDeepStrictEqual(got, wanted)) expect(got, this.say(what)).toEqual(wanted);
  }

  /** Asks the service, which answers as it must. */
  async ask(route: string, asking: RequestOptions, wanted: Wanted = OK): Promise<Result> {
    const result = await this.s.call(route, asking);
    const got = { status: result.status, ...(result.status >= 400 ? { code: result.body?.code } : {}) };
    this.same(got, wanted, `${route} ${JSON.stringify(asking.body ?? {})} answered ${result.text}`);
    return result;
  }
}
