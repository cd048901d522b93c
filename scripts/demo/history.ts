/**
 * The past of the demo's game: four days of a week, simulated and then played through the service's own endpoints, each
 * at its time.
 */
import { GameClient, GameError } from "../../client/src/index.ts";
import { createAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import type { HashCost } from "../../lib/auth/password.ts";
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { commandContext, type Services } from "../../lib/lambda/services.ts";
import { pictureChanges } from "../../lib/store/accounts/pictures.ts";
import { NO_DEADLINE } from "../../lib/store/commit.ts";
import { keys } from "../../lib/store/keys.ts";
import { type Random, randomOf } from "../simulate/crowd.ts";
import { playSeason, type SimulatedTag } from "../simulate/season.ts";
import { inProcess, type Send } from "./inProcess.ts";
import { ANTIDOTE, CRATES, missionTonight, PAST_MISSIONS, type PastMission } from "./missions.ts";
import { aliasOf, portrait } from "./people.ts";
import { NOTES, TOLD } from "./texts.ts";

/** Every account of the demo has this password. */
export const PASSWORD = "zombie demo 2026";
export const GAME_MASTER = "gm";

const LOGIN = { alias: GAME_MASTER, password: PASSWORD };

/** Hundreds of passwords that everybody knows need no expensive hashes. */
const CHEAP: HashCost = { memory: 64, passes: 1, parallelism: 1 };

const DAYS_PLAYED = 4;
const DAYS = 7;
const FEEDING = 48 * HOUR;
const SHARERS = 2;
/** So that a demo of thousands starts as quickly. */
const MOST_AT_MISSION = 24;
const CRATES_FOUND = 4;
const ORIGINALS = 3;
/** How many humans are left at least, for the crowd and the user to tag. */
const humansLeft = (players: number): number => Math.max(4, players / 10);
/**
 * Tags that a zombie makes in a day while nearly everybody is human. A lively game: half of the players are tagged on the
 * third day.
 */
export const RATE = 1.6;

/** A player of the demo, while the past is played. */
interface DemoPlayer {
  alias: string;
  game: GameClient;
  id: string;
  code: string;
}

export interface Demo {
  players: number;
  seed: number;
  now: number;
}

/** An event of the past: its time in milliseconds from the start, and its work. */
type Event = [at: number, work: () => Promise<unknown>];

/** The players whose logins the demo prints. */
export interface Cast {
  human: string;
  zombie: string;
  /** A tag code, and the code of an antidote, that the zombie can enter. */
  code: string;
  antidote: string;
}

/** The services with a clock that is set as the past is played. */
const atPastTimes = (services: Services): { services: Services; setTime: (now: number) => void } => {
  let now = 0;
  return {
    services: { ...services, cost: CHEAP, clock: () => now },
    setTime: (next) => {
      now = Math.max(now, next);
    },
  };
};

/** Whether the game allows a command. @throws Error if it fails in another way */
const succeeds = async (command: Promise<unknown>): Promise<boolean> => {
  try {
    await command;
    return true;
  } catch (error) {
    if (!(error instanceof GameError) || error.status >= 500) throw error;
    return false;
  }
};

class Past {
  readonly #demo: Demo;
  readonly #random: Random;
  readonly #services: Services;
  readonly #send: Send;
  readonly #setTime: (now: number) => void;
  readonly #players: DemoPlayer[] = [];
  readonly #tagged: DemoPlayer[] = [];
  #crates: readonly string[] = [];
  #antidote: readonly string[] = [];
  readonly #start: number;
  #gm = new GameClient();

  constructor(demo: Demo, past: ReturnType<typeof atPastTimes>, send: Send) {
    this.#demo = demo;
    this.#random = randomOf(demo.seed);
    this.#services = past.services;
    this.#setTime = past.setTime;
    this.#send = send;
    // The game starts on a full hour.
    this.#start = Math.floor((demo.now - DAYS_PLAYED * DAY) / HOUR) * HOUR;
  }

  #clientFrom(address: string, token?: string): GameClient {
    const fetch = this.#send(address);
    return new GameClient({ baseUrl: "http://demo", fetch, ...(token === undefined ? {} : { token }) });
  }

  async #prepare(): Promise<void> {
    const [services, day] = [this.#services, this.#start - DAY];
    this.#setTime(day);
    await createAdministrator(services, { ...LOGIN, playing: false }, commandContext(services, day));
    await this.#logInGameMaster();
    await this.#gm.post("/admin/settings/{url_id}", {
      body: {
        ...TOLD,
        starts_at: rfc3339(this.#start),
        ends_at: rfc3339(this.#start + DAYS * DAY),
        feeding_period_seconds: FEEDING / SECOND,
        sharers: SHARERS,
        hide_originals: true,
        public_board: true,
        missions_required: 2,
      },
    });
  }

  /** Sessions of game masters last for a few hours only. */
  async #logInGameMaster(): Promise<void> {
    const client = this.#clientFrom("192.0.2.1");
    this.#gm = client.withToken((await client.post("/login", { body: LOGIN })).token);
  }

  async #register(n: number): Promise<void> {
    const alias = aliasOf(n);
    const address = `198.51.${Math.floor(n / 250)}.${n % 250}`;
    const body = { alias, password: PASSWORD, login: true, wants_original: n < ORIGINALS };
    const { player_id, tag_code, token = "" } = await this.#clientFrom(address).post("/new", { body });
    this.#players[n] = { alias, id: player_id, code: tag_code ?? "", game: this.#clientFrom(address, token) };
    const bytes = await portrait(this.#random);
    const { store, clock } = this.#services;
    await store.apply(
      async () => {
        const player = await store.player(player_id);
        if (player === null) throw new Error(`${alias} is gone`);
        return { changes: pictureChanges(player, null, bytes), result: undefined };
      },
      { timeLeft: NO_DEADLINE, now: clock() },
    );
  }

  /** Records starvations, as the schedule would have done each minute. */
  async #sweep(now: number): Promise<void> {
    await this.#services.store.db.put({ ...keys.sweepClock, at: now - MINUTE });
    await sweep({ services: this.#services, requestId: "demo", timeLeft: () => 50_000 });
  }

  #pick<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.#random() * of.length)];
  }

  async #tag({ hunter, prey, sharers }: SimulatedTag): Promise<void> {
    const [zombie, human] = [this.#players[hunter], this.#players[prey]];
    if (zombie === undefined || human === undefined) return;
    const note = this.#random() < 0.4 ? this.#pick(NOTES) : undefined;
    // Nobody can share with the original zombies, who are hidden.
    const fed = sharers.filter((one) => one >= ORIGINALS).map((one) => this.#players[one]?.alias ?? "");
    const report = async (by: DemoPlayer, share_with: string[]): Promise<boolean> => {
      const body = { tag_code: human.code, share_with, ...(note === undefined ? {} : { note }) };
      const succeeded = await succeeds(by.game.post("/zombie/hunt/{url_id}", { body }));
      if (succeeded) this.#tagged.push(human);
      return succeeded;
    };
    if (await report(zombie, fed)) return;
    // The simulation has no cures, and feeds original zombies. So that the outbreak goes on, another zombie tags.
    await this.#logInGameMaster();
    const zombies = await this.#playersIn("zombie");
    const by = zombies.includes(zombie) ? zombie : this.#pick(zombies);
    if (by === undefined) return;
    const others = zombies.flatMap(({ alias }) => (alias === by.alias ? [] : [alias]));
    await report(
      by,
      fed.filter((alias) => others.includes(alias)),
    );
  }

  /** The commands of the game masters. */
  #commands(): Event[] {
    const send = (title: string, content: string, player_groups: "All" | "Human" | "Zombie") => () =>
      this.#gm.post("/notifications/send/{url_id}", { body: { title, content, player_groups } });
    const closes = this.#demo.now + 6 * HOUR;
    return [
      [
        HOUR,
        send("The game has begun", "Bandanas on. Stay out of the buildings, and look behind you.", "All"),
      ],
      ...PAST_MISSIONS.flatMap((mission) => this.#missionEvents(mission)),
      [2 * DAY + HOUR, () => this.#cureSomebody()],
      [3 * DAY + HOUR, () => this.#hideSupplies()],
      [3 * DAY + 2 * HOUR, () => this.#findSupplies()],
      [
        3 * DAY + 4 * HOUR,
        () =>
          this.#gm.post("/admin/set_checkpoint/{url_id}", {
            body: {
              name: "The lake house",
              description: "Show your code to a game master at the lake house.",
              closes_at: rfc3339(closes),
              applies_to: "humans",
            },
          }),
      ],
      [3 * DAY + 8 * HOUR, () => this.#checkIn()],
    ];
  }

  /** A mission from its announcement to its end. */
  #missionEvents({ starts, ends, body, result, note }: PastMission): Event[] {
    let mission_id = "";
    const set = async (): Promise<void> => {
      const wanted = body((time) => rfc3339(this.#start + time));
      ({ mission_id } = await this.#gm.post("/admin/set_mission/{url_id}", { body: wanted }));
    };
    const attend = async (): Promise<void> => {
      const players = [...(await this.#playersIn("human")), ...(await this.#playersIn("zombie"))];
      const some = players.filter(() => this.#random() < 0.2).slice(0, MOST_AT_MISSION);
      if (some.length === 0) return;
      const aliases = some.map(({ alias }) => alias);
      await this.#gm.post("/admin/mission_attendance/{url_id}", { body: { mission_id, aliases } });
    };
    return [
      [starts - 2 * HOUR, set],
      [starts + 10 * MINUTE, attend],
      [ends, () => this.#gm.post("/admin/close_mission/{url_id}", { body: { mission_id, result, note } })],
    ];
  }

  async #hideSupplies(): Promise<void> {
    const make = async (body: typeof CRATES | typeof ANTIDOTE): Promise<string[]> => {
      const { codes } = await this.#gm.post("/admin/create_codes/{url_id}", { body });
      return codes.map(({ code }) => code);
    };
    this.#crates = await make(CRATES);
    this.#antidote = await make(ANTIDOTE);
  }

  /** A few zombies find crates. */
  async #findSupplies(): Promise<void> {
    const finders = (await this.#playersIn("zombie")).slice(0, CRATES_FOUND);
    for (const [at, { game }] of finders.entries())
      await game.post("/player/redeem/{url_id}", { body: { code: this.#crates[at] ?? "" } });
  }

  async #playersIn(state: "human" | "zombie"): Promise<DemoPlayer[]> {
    const known = new Map(this.#players.map((player) => [player.alias, player]));
    const found: DemoPlayer[] = [];
    for await (const { players } of this.#gm.pages("/admin/get_players/{url_id}", { query: { state } })) {
      for (const { alias } of players) {
        const player = known.get(alias);
        if (player !== undefined) found.push(player);
      }
    }
    return found;
  }

  async #cureSomebody(): Promise<void> {
    const cured = (await this.#playersIn("zombie")).filter(
      (one) => this.#players.indexOf(one) >= ORIGINALS,
    )[0];
    if (cured === undefined) return;
    const reason = "Brought the antidote to the library.";
    await this.#gm.post("/admin/cure/{url_id}", { body: { alias: cured.alias, reason } });
  }

  /** Registers about 60 % of the humans at the checkpoint. */
  async #checkIn(): Promise<void> {
    for (const { alias } of await this.#playersIn("human")) {
      if (this.#random() > 0.6) continue;
      await this.#gm.post("/admin/player_at_checkpoint/{url_id}", { body: { alias } });
    }
  }

  /** The latest prey disputes the tag. */
  async #dispute(): Promise<void> {
    const prey = this.#tagged.at(-1);
    if (prey === undefined) return;
    const { interactions } = await prey.game.get("/interactions/{url_id}", {
      query: { kind: "hunt", limit: 1 },
    });
    const [latest] = interactions;
    if (latest === undefined) return;
    const body = {
      interaction_id: latest.interaction_id,
      reason: "I was inside the library, which is safe.",
    };
    // It may be too old.
    await succeeds(prey.game.post("/interactions/dispute/{url_id}", { body }));
  }

  /** The events of the season, in order. */
  #events(): Event[] {
    const { players, seed } = this.#demo;
    const rules = { players, originals: ORIGINALS, days: DAYS_PLAYED, feeding: FEEDING, sharers: SHARERS };
    const start = this.#start;
    const { tags: simulated } = playSeason(
      { ...rules, rate: RATE, playHours: null, missions: null, start },
      randomOf(seed),
    );
    const tags = simulated.slice(0, players - ORIGINALS - humansLeft(players));
    const sweeps = Array.from({ length: DAYS_PLAYED * 4 }, (_, at) => (at + 1) * 6 * HOUR);
    return [
      ...tags.map((tag): Event => [tag.at - start, () => this.#tag(tag)]),
      // The dispute follows at once, because a tag can be disputed for a day only.
      ...tags.slice(-1).map(({ at }): Event => [at - start, () => this.#dispute()]),
      ...sweeps.map((at): Event => [at, () => this.#sweep(start + at)]),
      ...this.#commands().map(([at, work]): Event => [at, () => this.#logInGameMaster().then(work)]),
    ].toSorted(([one], [other]) => one - other);
  }

  /** The past, in steps. */
  *steps(): Generator<() => Promise<unknown>> {
    const start = this.#start;
    yield () => this.#prepare();
    for (let n = 0; n < this.#demo.players; n += 1) {
      yield () => {
        this.#setTime(start - DAY + n * MINUTE);
        return this.#register(n);
      };
    }
    yield async () => {
      this.#setTime(start);
      await this.#logInGameMaster();
      return this.#gm.post("/admin/draw_originals/{url_id}", { body: { n: ORIGINALS } });
    };
    for (const [at, work] of this.#events()) {
      yield () => {
        this.#setTime(start + at);
        return work();
      };
    }
  }

  /** Ends the past, and chooses the players whose logins the demo prints. */
  async finish(): Promise<Cast> {
    this.#setTime(this.#demo.now);
    await this.#sweep(this.#demo.now);
    await this.#logInGameMaster();
    const tonight = missionTonight(this.#demo.now);
    await this.#gm.post("/admin/set_mission/{url_id}", { body: tonight });
    const [humans, zombies] = [await this.#playersIn("human"), await this.#playersIn("zombie")];
    const prey = this.#tagged.findLast((one) => zombies.includes(one));
    const [human, other] = humans;
    const { tag_code = null } = (await other?.game.get("/player/{url_id}")) ?? {};
    return {
      human: human?.alias ?? GAME_MASTER,
      zombie: (prey ?? zombies[0])?.alias ?? GAME_MASTER,
      code: tag_code ?? "",
      antidote: this.#antidote[0] ?? "",
    };
  }
}

/** Plays the past of a new game. @param services of an empty table; `onStep` is called after each of `total` steps */
export const playHistory = async (
  services: Services,
  demo: Demo,
  onStep: (total: number) => void,
): Promise<Cast> => {
  const atPast = atPastTimes(services);
  const past = new Past(demo, atPast, await inProcess(atPast.services));
  const steps = [...past.steps()];
  for (const step of steps) {
    await step();
    onStep(steps.length);
  }
  return past.finish();
};
