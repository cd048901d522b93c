/** A game in which everything has happened, every secret of it a canary; played once, and put back again and again. */

import { createAdministrator } from "../../../lib/app/accounts/bootstrapAdmin.ts";
import { DAY, rfc3339 } from "../../../lib/domain/time.ts";
import { commandContext } from "../../../lib/lambda/services.ts";
import { CURSOR_KEY, VAPID } from "../../support/constants.ts";
import { blackPng } from "../../support/pictures.ts";
import type { RequestOptions, Result, Someone, TestEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { ADDRESS, bytesCanary, type Canary, hashesIn, SECRET_MARK } from "./canaries.ts";

/** What newcomers must know. */
export const JOIN_CODE = "canaria-join-us";

/** A page's cursor, and the query that it goes on from. */
export interface GivenCursor {
  query: Record<string, string>;
  cursor: string;
}

export interface Fixture {
  /** Game masters: one who plays, a zombie, and one who does not. */
  gm: Someone;
  second: Someone;
  /** Two humans, the first with a picture. */
  dee: Someone;
  ada: Someone;
  /** Zombies: an original one, one whom they infected, and others. */
  zed: Someone;
  ben: Someone;
  zombies: Someone[];
  /** Corpses and a spectator: players who can be revived. */
  corpses: Someone[];
  /** Humans who may be tagged, killed and deleted. */
  prey: Someone[];
  /** Who waits to be admitted. */
  pending: Someone[];
  /** Everybody. */
  all: Someone[];
  /** Codes that were given up, and that of a player who has left. */
  spentCodes: string[];
  /** What a game master has issued to some, by alias. */
  recoveryCodes: { alias: string; code: string }[];
  /** Ids of hunts that count, of all interactions, and of a notification. */
  hunts: string[];
  /** Tags that their prey has reported. */
  reported: string[];
  /** The hunt that is disputed. */
  disputed: string;
  interactions: string[];
  notification: string;
  scheduled: string;
  checkpoint: string;
  /** Cursors of each list, by its route. */
  cursors: Map<string, GivenCursor[]>;
  /** Subscribed endpoints of push services. */
  endpoints: string[];
  canaries: Canary[];
  table: Snapshot;
}

const LISTS: Record<string, Record<string, string>[]> = {
  "GET /users/{url_id}": [{}, { state: "human" }],
  "GET /admin/get_players/{url_id}": [{}, { state: "zombie" }, { passed: "false" }, { label: "waiver" }],
  "GET /admin/get_logs/{url_id}": [{}, { action: "login" }],
  "GET /interactions/{url_id}": [{}, { kind: "hunt" }],
  "GET /interactions/leaderboard/{url_id}": [{}, { board: "survivors" }],
  "GET /zombie/starvation/{url_id}": [{}],
};

/** One statement that has several pages. */
export const PAGED_STATEMENT = {
  statement: `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0'`,
  limit: 2,
};

const STATEMENTS = "POST /admin/inject_sql/{url_id}";

/** Plays the game, through the service and from many addresses. @param origin of a push service that takes everything */
export const makeFixture = async (s: TestEnvironment, origin: string): Promise<Fixture> => {
  let from = 0;
  const canaries: Canary[] = [];
  const plant = (name: string, value: string, owners: string[] = [], kind: Canary["kind"] = "secret") => {
    canaries.push({ name, value, kind, owners });
    return value;
  };
  const send = (route: string, asking: RequestOptions): Promise<Result> => {
    from += 1;
    return s.must(route, { from: `${ADDRESS}0.${from % 250}`, ...asking });
  };
  const passwordOf = (alias: string): string =>
    plant(`${alias}'s password`, `${SECRET_MARK} pass of ${alias}`);

  /** Makes canaries of a player who has just logged in. */
  const know = (one: Someone): Someone => {
    plant(`${one.alias}'s id`, one.id, [one.id], "private");
    canaries.push(
      ...bytesCanary({
        name: `${one.alias}'s token`,
        value: one.token.slice(-43),
        kind: "secret",
        owners: [],
      }),
    );
    if (one.code !== null) plant(`${one.alias}'s first tag code`, one.code, [one.id], "private");
    return one;
  };
  const join = async (alias: string): Promise<Someone> => {
    const password = passwordOf(alias);
    const word = alias.toLowerCase().replaceAll(" ", "");
    const person = {
      first_name: `Canaria ${alias} First`,
      last_name: `Canaria ${alias} Last`,
      email: `canaria.${word}@example.org`,
    };
    const { body } = await send("POST /new", { body: { alias, password, ...person } });
    for (const [name, value] of Object.entries(person))
      plant(`${alias}'s ${name}`, value, [body.player_id], "private");
    return know({ ...(await s.login(alias, password)), code: body.tag_code });
  };
  const appoint = async (alias: string, playing: boolean): Promise<Someone> => {
    const wanted = { alias, password: passwordOf(alias), playing };
    await createAdministrator(s.services, wanted, commandContext(s.services, s.services.clock()));
    return know(await s.login(alias, wanted.password));
  };

  const gm = await appoint("Game Master", true);
  const second = await appoint("Second Master", false);
  const upon = (word: string, { id }: Someone) =>
    send(`POST /admin/${word}/{url_id}`, { as: gm, body: { player_id: id } });
  const hunt = async (
    hunter: Someone,
    prey: Someone,
    more: Record<string, unknown> = {},
  ): Promise<string> => {
    const result = await s.hunt(hunter, prey, more);
    if (result.status !== 200) throw new Error(`hunt: ${result.status} ${result.text}`);
    return result.body.interaction.interaction_id;
  };

  const [ada, dee, zed, ben, gil, hal] = [
    await join("Ada"),
    await join("Dee"),
    await join("Zed"),
    await join("Ben"),
    await join("Gil"),
    await join("Hal"),
  ];
  const [eve, fay, ira, kim, leo] = [
    await join("Eve"),
    await join("Fay"),
    await join("Ira"),
    await join("Kim"),
    await join("Leo"),
  ];
  const joined = async (name: string, count: number): Promise<Someone[]> => {
    const people: Someone[] = [];
    for (let n = 0; n < count; n += 1) people.push(await join(`${name} ${n}`));
    return people;
  };
  const [prey, dead, bitten] = [await joined("Uma", 10), await joined("Cora", 4), await joined("Zora", 4)];

  await send("POST /admin/settings/{url_id}", { as: gm, body: { registration: "approval" } });
  const pending = await joined("Pia", 3);
  await send("POST /admin/settings/{url_id}", { as: gm, body: { registration: "open" } });

  await send("POST /admin/ban/{url_id}", { as: gm, body: { alias: "Banned" } });

  await s.outbreak(gm, zed);
  await s.outbreak(gm, gm);
  await s.outbreak(gm, ira);
  const noteOf = (hunter: Someone): Record<string, unknown> => ({
    note: plant(
      `the note of a hunt of ${hunter.alias}'s`,
      `Canaria saw ${hunter.alias} there`,
      [hunter.id],
      "private",
    ),
    latitude: 51.507351,
    longitude: -0.127758,
  });
  const hunts = [
    await hunt(zed, ben, noteOf(zed)),
    await hunt(ben, gil, { share_with: ["Zed"] }),
    await hunt(gm, hal, noteOf(gm)),
  ];
  const disputed = await hunt(zed, await join("Disa"), noteOf(zed));
  const claim = plant("the statement of a dispute", "Canaria was at home", [zed.id], "private");
  await send("POST /interactions/dispute/{url_id}", {
    as: zed,
    body: { interaction_id: disputed, reason: claim },
  });
  const mistaken = await hunt(gil, kim, noteOf(gil));
  const said = "Canaria says that it was the wrong code";
  const reason = plant("the reason of a void", said, [kim.id, gil.id], "private");
  await send("POST /admin/void_hunt/{url_id}", { as: gm, body: { interaction_id: mistaken, reason } });
  await send("POST /zombie/hunt/{url_id}", { as: hal, body: { tag_code: leo.code, ...noteOf(hal) } });
  await send("DELETE /delete_player/{url_id}", { as: leo });
  await upon("cure", hal);
  for (const one of [eve, fay, ira, ...dead]) await upon("corpsify", one);
  for (const one of bitten) await s.outbreak(gm, one);
  const reported: string[] = [];
  for (const as of await joined("Tess", 4)) {
    const { body } = await send("POST /player/report_tagged/{url_id}", { as, body: { by_alias: zed.alias } });
    reported.push(body.interaction.interaction_id);
  }
  await upon("feed_player", zed);
  await send("POST /admin/pause_game/{url_id}", { as: gm });
  await send("POST /admin/resume_game/{url_id}", { as: gm });

  const picture = { body: blackPng(8, 8), type: "application/octet-stream" };
  for (const as of [dee, gm]) await send("POST /set_pfp/{url_id}", { as, raw: picture });
  const endpoints: string[] = [];
  for (const [n, as] of [zed, dee, ada, gm].entries()) {
    const { p256dh, auth } = makeBrowser();
    const endpoint = `${origin}/${SECRET_MARK}-push-${n}`;
    await send("POST /notifications/subscribe/{url_id}", { as, body: { endpoint, p256dh, auth } });
    endpoints.push(plant(`${as.alias}'s push endpoint`, endpoint));
    for (const [name, value] of Object.entries({ p256dh, auth })) {
      canaries.push(...bytesCanary({ name: `${as.alias}'s ${name}`, value, kind: "secret", owners: [] }));
    }
  }
  const content = { title: "Run", content: "They come.", player_groups: "All" };
  const sent = await send("POST /notifications/send/{url_id}", { as: gm, body: content });
  const later = { ...content, send_at: rfc3339(s.services.clock() + DAY) };
  const waiting = await send("POST /notifications/send/{url_id}", { as: gm, body: later });
  const set = await send("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
  await upon("player_at_checkpoint", dee);
  await send("POST /admin/label/{url_id}", {
    as: gm,
    body: { aliases: [...prey, zed].map(({ alias }) => alias), add: ["waiver"] },
  });
  const staffNote = plant("a note on Dee", "Canaria is known to us", [], "private");
  await send("POST /admin/edit_player/{url_id}", { as: gm, body: { alias: dee.alias, note: staffNote } });
  const recoveryCodes: { alias: string; code: string }[] = [];
  for (const one of [ada, prey[0], prey[1]]) {
    if (one === undefined) continue;
    const { body } = await upon("recover_password", one);
    recoveryCodes.push({ alias: one.alias, code: plant(`${one.alias}'s recovery code`, body.recovery_code) });
    plant(`${one.alias}'s recovery code, bare`, body.recovery_code.replaceAll("-", ""));
  }
  const key = plant("an Idempotency-Key of Ada's", `${SECRET_MARK}-once-of-ada`);
  await send("POST /edit_player/{url_id}", { as: ada, body: { push_kinds: ["tagged"] }, key });
  for (const alias of ["Nobody", "Ada"]) {
    const wrong = { alias, password: plant("a wrong password", `${SECRET_MARK} wrong for ${alias}`) };
    await s.call("POST /login", { body: wrong, from: `${ADDRESS}1.1` });
  }

  // A game master who plays sees no codes.
  const everybody = await send("GET /admin/get_players/{url_id}", { as: second });
  for (const { alias, player_id, tag_code } of everybody.body.players) {
    if (tag_code !== null) plant(`${alias}'s tag code`, tag_code, [player_id], "private");
  }
  const cursors = new Map<string, GivenCursor[]>();
  for (const [route, filters] of Object.entries(LISTS)) {
    const pages = filters.map(async (query): Promise<GivenCursor> => {
      const { body } = await send(route, { as: gm, query: { ...query, limit: 2 } });
      if (typeof body.next_cursor !== "string") throw new Error(`${route} has one page`);
      return { query, cursor: body.next_cursor };
    });
    cursors.set(route, await Promise.all(pages));
  }
  const rows = await send(STATEMENTS, { as: gm, body: PAGED_STATEMENT });
  cursors.set(STATEMENTS, [{ query: {}, cursor: rows.body.next_cursor }]);
  const recorded = await send("GET /interactions/{url_id}", { as: gm, query: { limit: 200 } });

  plant("the join code", JOIN_CODE, [], "private");
  plant("the cursor key", CURSOR_KEY);
  for (const one of bytesCanary({
    name: "the VAPID private key",
    value: VAPID.VAPID_PRIVATE_KEY,
    kind: "secret",
    owners: [],
  })) {
    canaries.push(one);
  }
  plant("an address", ADDRESS);
  const table = await snapshot(s);
  return {
    gm,
    second,
    dee,
    ada,
    zed,
    ben,
    zombies: [zed, ben, gil, gm, ...bitten],
    corpses: [eve, fay, ira, second, ...dead],
    prey,
    pending,
    all: [gm, second, dee, ada, zed, ben, gil, hal, eve, fay, ira, kim, ...prey, ...dead, ...bitten],
    spentCodes: [ben, gil, kim, leo].flatMap(({ code }) => (code === null ? [] : [code])),
    recoveryCodes,
    hunts,
    reported,
    disputed,
    interactions: recorded.body.interactions.map(
      ({ interaction_id }: { interaction_id: string }) => interaction_id,
    ),
    notification: sent.body.notification.notification_id,
    scheduled: waiting.body.notification.notification_id,
    checkpoint: set.body.checkpoint_id,
    cursors,
    endpoints,
    canaries: [...canaries, ...hashesIn(table)],
    table,
  };
};
