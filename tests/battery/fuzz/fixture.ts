/** A game in which everything has happened, every secret of it a canary; played once, and put back again and again. */
import { createAdministrator } from "../../../lib/app/accounts/bootstrapAdmin.ts";
import { DAY, rfc3339 } from "../../../lib/domain/time.ts";
import { commandContext } from "../../../lib/lambda/services.ts";
import { CURSOR_KEY, VAPID } from "../../support/constants.ts";
import { blackPng } from "../../support/pictures.ts";
import type { RequestOptions, Result, TestEnvironment, TestPlayer } from "../../support/service.ts";
import { snapshot } from "../../support/snapshot.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { ADDRESS, bytesCanary, type Canary, hashesIn, indexOf, SECRET_MARK } from "./canaries.ts";

/** What newcomers must know. */
export const JOIN_CODE = "canaria-join-us";

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

const HUMANS = ["Ada", "Dee", "Zed", "Ben", "Gil", "Hal", "Eve", "Fay", "Ira", "Kim", "Leo", "Disa"] as const;
const UMAS = Array.from({ length: 10 }, (_, n) => `Uma ${n}`);
const ofFour = (name: string): string[] => [0, 1, 2, 3].map((n) => `${name} ${n}`);

export type Fixture = Awaited<ReturnType<typeof makeFixture>>;

/** Plays the game, through the service and from many addresses. @param origin of a push service that takes everything */
export const makeFixture = async (s: TestEnvironment, origin: string) => {
  let from = 0;
  const canaries: Canary[] = [];
  const plant = (name: string, value: string, owners: string[] = [], kind: Canary["kind"] = "secret") => {
    canaries.push({ name, value, kind, owners });
    return value;
  };
  const plantBytes = (name: string, value: string): void => {
    canaries.push(...bytesCanary({ name, value, kind: "secret", owners: [] }));
  };
  const send = (route: string, asking: RequestOptions): Promise<Result> => {
    from += 1;
    return s.must(route, { from: `${ADDRESS}0.${from % 250}`, ...asking });
  };
  const post = async (path: string, as: TestPlayer, body: unknown, more: RequestOptions = {}) =>
    (await send(`POST ${path}/{url_id}`, { as, body, ...more })).body;
  const passwordOf = (alias: string): string =>
    plant(`${alias}'s password`, `${SECRET_MARK} pass of ${alias}`);

  /** Makes canaries of a player who has just logged in. */
  const know = (one: TestPlayer): TestPlayer => {
    plant(`${one.alias}'s id`, one.id, [one.id], "private");
    plantBytes(`${one.alias}'s token`, one.token.slice(-43));
    if (one.code !== null) plant(`${one.alias}'s first tag code`, one.code, [one.id], "private");
    return one;
  };
  const join = async (alias: string): Promise<TestPlayer> => {
    const password = passwordOf(alias);
    const email = `canaria.${alias.toLowerCase().replaceAll(" ", "")}@example.org`;
    const person = { first_name: `Canaria ${alias} First`, last_name: `Canaria ${alias} Last`, email };
    const { body } = await send("POST /new", { body: { alias, password, ...person } });
    for (const [name, value] of Object.entries(person))
      plant(`${alias}'s ${name}`, value, [body.player_id], "private");
    return know({ ...(await s.login(alias, password)), code: body.tag_code });
  };
  const appoint = async (alias: string, playing: boolean): Promise<TestPlayer> => {
    const wanted = { alias, password: passwordOf(alias), playing };
    await createAdministrator(s.services, wanted, commandContext(s.services, s.services.clock()));
    return know(await s.login(alias, wanted.password));
  };
  const joined = async (names: readonly string[]): Promise<TestPlayer[]> => {
    const people: TestPlayer[] = [];
    for (const name of names) people.push(await join(name));
    return people;
  };

  const gm = await appoint("Game Master", true);
  const second = await appoint("Second Master", false);
  const command = (word: string, body: Record<string, unknown> = {}) => post(`/admin/${word}`, gm, body);
  const upon = (word: string, { id }: TestPlayer) => command(word, { player_id: id });
  const humans = await joined(HUMANS);
  const of = (name: (typeof HUMANS)[number]): TestPlayer => humans[HUMANS.indexOf(name)] ?? gm;
  const [ada, dee, zed, ben, gil, hal] = [of("Ada"), of("Dee"), of("Zed"), of("Ben"), of("Gil"), of("Hal")];
  const [prey, dead, bitten] = [
    await joined(UMAS),
    await joined(ofFour("Cora")),
    await joined(ofFour("Zora")),
  ];
  await command("settings", { registration: "approval" });
  const pending = await joined(["Pia 0", "Pia 1", "Pia 2"]);
  await command("settings", { registration: "open" });
  await command("ban", { alias: "Banned" });

  for (const one of [zed, gm, of("Ira")]) await s.outbreak(gm, one);
  const noteOf = ({ alias, id }: TestPlayer): Record<string, unknown> => ({
    note: plant(`the note of a hunt of ${alias}'s`, `Canaria saw ${alias} there`, [id], "private"),
    latitude: 51.507351,
    longitude: -0.127758,
  });
  const hunt = async (as: TestPlayer, { code }: TestPlayer, more = {}): Promise<string> =>
    (await post("/zombie/hunt", as, { tag_code: code, ...more })).interaction.interaction_id;
  const hunts = [
    await hunt(zed, ben, noteOf(zed)),
    await hunt(ben, gil, { share_with: ["Zed"] }),
    await hunt(gm, hal, noteOf(gm)),
  ];
  const disputed = await hunt(zed, of("Disa"), noteOf(zed));
  const claim = plant("the statement of a dispute", "Canaria was at home", [zed.id], "private");
  await post("/interactions/dispute", zed, { interaction_id: disputed, reason: claim });
  const mistaken = await hunt(gil, of("Kim"), noteOf(gil));
  const said = "Canaria says that it was the wrong code";
  const reason = plant("the reason of a void", said, [of("Kim").id, gil.id], "private");
  await command("void_hunt", { interaction_id: mistaken, reason });
  await hunt(hal, of("Leo"), noteOf(hal));
  await send("DELETE /delete_player/{url_id}", { as: of("Leo") });
  await upon("cure", hal);
  for (const one of [of("Eve"), of("Fay"), of("Ira"), ...dead]) await upon("corpsify", one);
  for (const one of bitten) await s.outbreak(gm, one);
  const reported: string[] = [];
  for (const as of await joined(ofFour("Tess"))) {
    const { interaction } = await post("/player/report_tagged", as, { by_alias: zed.alias });
    reported.push(interaction.interaction_id);
  }
  await upon("feed_player", zed);
  for (const word of ["pause_game", "resume_game"]) await command(word);

  const picture = { body: blackPng(8, 8), type: "application/octet-stream" };
  for (const as of [dee, gm]) await send("POST /set_pfp/{url_id}", { as, raw: picture });
  const endpoints: string[] = [];
  for (const [n, as] of [zed, dee, ada, gm].entries()) {
    const { p256dh, auth } = makeBrowser();
    const endpoint = plant(`${as.alias}'s push endpoint`, `${origin}/${SECRET_MARK}-push-${n}`);
    await post("/notifications/subscribe", as, { endpoint, p256dh, auth });
    endpoints.push(endpoint);
    for (const [name, value] of Object.entries({ p256dh, auth })) plantBytes(`${as.alias}'s ${name}`, value);
  }
  const content = { title: "Run", content: "They come.", player_groups: "All" };
  const sent = await post("/notifications/send", gm, content);
  const later = { ...content, send_at: rfc3339(s.services.clock() + DAY) };
  const waiting = await post("/notifications/send", gm, later);
  const set = await command("set_checkpoint", { name: "The bridge" });
  await upon("player_at_checkpoint", dee);
  await command("label", { aliases: [...prey, zed].map(({ alias }) => alias), add: ["waiver"] });
  const staffNote = plant("a note on Dee", "Canaria is known to us", [], "private");
  await command("edit_player", { alias: dee.alias, note: staffNote });
  const recoveries: { alias: string; recovery_code: string }[] = [];
  for (const one of [ada, ...prey.slice(0, 2)]) {
    const { recovery_code } = await upon("recover_password", one);
    recoveries.push({
      alias: one.alias,
      recovery_code: plant(`${one.alias}'s recovery code`, recovery_code),
    });
    plant(`${one.alias}'s recovery code, bare`, recovery_code.replaceAll("-", ""));
  }
  const key = plant("an Idempotency-Key of Ada's", `${SECRET_MARK}-once-of-ada`);
  await post("/edit_player", ada, { push_kinds: ["tagged"], wants_original: true }, { key });
  for (const alias of ["Nobody", "Ada"]) {
    const wrong = { alias, password: plant("a wrong password", `${SECRET_MARK} wrong for ${alias}`) };
    await s.call("POST /login", { body: wrong, from: `${ADDRESS}1.1` });
  }

  // A game master who plays sees no codes.
  const everybody = await send("GET /admin/get_players/{url_id}", { as: second });
  for (const { alias, player_id, tag_code } of everybody.body.players) {
    if (tag_code !== null) plant(`${alias}'s tag code`, tag_code, [player_id], "private");
  }
  /** Cursors of each list with their queries, by its route. */
  const cursors = new Map<string, { query: Record<string, string>; cursor: string }[]>();
  for (const [route, filters] of Object.entries(LISTS)) {
    const pages = filters.map(async (query) => {
      const { body } = await send(route, { as: gm, query: { ...query, limit: 2 } });
      if (typeof body.next_cursor !== "string") throw new Error(`${route} has one page`);
      return { query, cursor: body.next_cursor };
    });
    cursors.set(route, await Promise.all(pages));
  }
  const { next_cursor } = await command("inject_sql", PAGED_STATEMENT);
  cursors.set("POST /admin/inject_sql/{url_id}", [{ query: {}, cursor: next_cursor }]);
  const recorded = await send("GET /interactions/{url_id}", { as: gm, query: { limit: 200 } });

  plant("the join code", JOIN_CODE, [], "private");
  plant("the cursor key", CURSOR_KEY);
  plantBytes("the VAPID private key", VAPID.VAPID_PRIVATE_KEY);
  plant("an address", ADDRESS);
  const table = await snapshot(s);
  const planted = [...canaries, ...hashesIn(table)];
  return {
    ...{
      gm,
      second,
      dee,
      ada,
      zed,
      ben,
      prey,
      pending,
      hunts,
      reported,
      disputed,
      cursors,
      endpoints,
      table,
    },
    ...{
      recoveries,
      picture: (await s.see(dee)).picture_url.split("/").at(-1),
      checkpoint: String(set.checkpoint_id),
    },
    zombies: [zed, ben, gil, gm, ...bitten],
    corpses: [of("Eve"), of("Fay"), of("Ira"), second, ...dead],
    all: [gm, second, ...humans.filter(({ alias }) => !/Leo|Disa/.test(alias)), ...prey, ...dead, ...bitten],
    /** Codes that were given up, and that of a player who has left. */
    spentCodes: [ben, gil, of("Kim"), of("Leo")].flatMap(({ code }) => (code === null ? [] : [code])),
    interactions: recorded.body.interactions.map((one: Result["body"]): string => one.interaction_id),
    notification: String(sent.notification.notification_id),
    scheduled: String(waiting.notification.notification_id),
    canaries: indexOf(planted),
    secrets: indexOf(planted.filter(({ kind }) => kind === "secret")),
  };
};
