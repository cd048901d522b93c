/** The game of the examples with more players, every secret of it a canary; played once, and restored again and again. */
import { seedJoinCode } from "../../../lib/app/game/seedJoinCode.ts";
import { createExampleGame } from "../../contract/exampleGame.ts";
import { makeBounced, makeConfirmation } from "../../support/confirmation.ts";
import { CURSOR_KEY, VAPID } from "../../support/constants.ts";
import type { RequestOptions, Result, TestEnvironment, TestPlayer } from "../../support/service.ts";
import { restore, snapshot } from "../../support/snapshot.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { ADDRESS, bytesCanary, type Canary, hashesIn, indexOf, SECRET_MARK } from "./canaries.ts";

/** The code that newcomers must enter. */
export const JOIN_CODE = "canaria-join-us";

export type Fixture = Awaited<ReturnType<typeof makeFixture>>;

const addressOf = (alias: string): string => `canaria.${alias.toLowerCase().replaceAll(" ", "")}@example.org`;

/** Plays the game, through the service and from many addresses. @param origin of a push service that accepts all */
export const makeFixture = async (s: TestEnvironment, origin: string) => {
  const example = await createExampleGame(s, () => {});
  const { gm, sue, ada, ben, zed } = example;
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
  const command = (word: string, body: Record<string, unknown> = {}) => post(`/admin/${word}`, gm, body);
  const upon = (word: string, { id }: TestPlayer) => command(word, { player_id: id });
  const personOf = ({ id, alias }: Pick<TestPlayer, "id" | "alias">) => {
    const email = addressOf(alias);
    const person = { first_name: `Canaria ${alias} First`, last_name: `Canaria ${alias} Last`, email };
    for (const [name, value] of Object.entries(person)) plant(`${alias}'s ${name}`, value, [id], "private");
    return person;
  };
  const join = async (alias: string): Promise<TestPlayer> => {
    const password = plant(`${alias}'s password`, `${SECRET_MARK} pass of ${alias}`);
    const signature = { version: example.waiver, full_name: alias };
    const { body } = await send("POST /new", { body: { alias, password, signature } });
    return { ...(await s.login(alias, password)), code: body.tag_code };
  };
  /** Players of this name with numbers. */
  const joinAll = async (name: string, count = 4): Promise<TestPlayer[]> => {
    const people: TestPlayer[] = [];
    for (let n = 0; n < count; n += 1) people.push(await join(`${name} ${n}`));
    return people;
  };

  const [prey, dead, bitten] = [await joinAll("Uma", 10), await joinAll("Dora"), await joinAll("Zora")];
  const gone = [await join("Gil"), await join("Hal"), await join("Kim"), await join("Leo")] as const;
  const [gil, hal, kim, leo] = gone;
  const addresses: string[] = [];
  for (const one of [ada, zed, ...prey, ...dead]) {
    const person = personOf(one);
    await post("/edit_player", one, person);
    addresses.push(person.email);
  }
  const ofZed = addressOf(zed.alias);
  const confirmation = plant("the token of a link", await makeConfirmation(s.store, zed.id, ofZed, s.now));
  const mail = await makeBounced(s.store, zed.id, ofZed, s.now);
  await command("settings", { registration: "approval" });
  const pending = await joinAll("Pip", 3);
  await command("settings", { registration: "open" });
  // The only game master may bring themselves into play.
  await upon("revive_z", gm);
  const max = await s.admin("Max");
  const hunt = async (as: TestPlayer, { alias, code }: TestPlayer, more = {}): Promise<string> => {
    const note = plant(`a note of ${as.alias}'s`, `Canaria hunted ${alias}`, [as.id], "private");
    const place = { note, latitude: 51.507351, longitude: -0.127758 };
    const { interaction } = await post("/zombie/hunt", as, { tag_code: code, ...place, ...more });
    return interaction.interaction_id;
  };
  const hunts = [await hunt(zed, gil, { share_with: ["Yan"] }), await hunt(gm, hal), example.hunt];
  const claim = plant("the statement of a dispute", "Canaria was at home", [zed.id], "private");
  await post("/interactions/dispute", zed, { interaction_id: hunts[0], reason: claim });
  const mistaken = await hunt(gil, kim);
  const said = "Canaria says that it was the wrong code";
  const reason = plant("the reason of a void", said, [kim.id, gil.id], "private");
  await command("void_hunt", { interaction_id: mistaken, reason });
  await hunt(hal, leo);
  await send("DELETE /delete_player/{url_id}", { as: leo });
  await upon("cure", hal);
  for (const one of dead) await upon("corpsify", one);
  for (const one of bitten) await s.outbreak(gm, one);
  const reports = [example.reported];
  for (const as of await joinAll("Tess")) {
    const { interaction } = await post("/player/report_tagged", as, { by_alias: zed.alias });
    reports.push(interaction.interaction_id);
  }
  for (const word of ["pause_game", "resume_game"]) await command(word);
  const endpoints: string[] = [];
  for (const [n, as] of [zed, ben, ada, gm].entries()) {
    const { p256dh, auth } = makeBrowser();
    const endpoint = plant(`${as.alias}'s push endpoint`, `${origin}/${SECRET_MARK}-push-${n}`);
    await post("/notifications/subscribe", as, { endpoint, p256dh, auth });
    endpoints.push(endpoint);
    for (const [name, value] of Object.entries({ p256dh, auth })) plantBytes(`${as.alias}'s ${name}`, value);
  }
  await upon("player_at_checkpoint", ben);
  await command("label", { aliases: [...prey, zed].map(({ alias }) => alias), add: ["waiver"] });
  const staffNote = plant("a note on Ben", "Canaria is known to us", [], "private");
  await command("edit_player", { alias: ben.alias, note: staffNote });
  const recoveries: { alias: string; recovery_code: string }[] = [];
  for (const { alias } of [ada, ...prey.slice(0, 2)]) {
    const { recovery_code } = await command("recover_password", { alias });
    recoveries.push({ alias, recovery_code: plant(`${alias}'s recovery code`, recovery_code) });
    plant(`${alias}'s recovery code, bare`, recovery_code.replaceAll("-", ""));
  }
  const key = plant("an Idempotency-Key of Ada's", `${SECRET_MARK}-once-of-ada`);
  await post("/edit_player", ada, { push_kinds: ["tagged"], wants_original: true }, { key });
  for (const alias of ["Nobody", "Ada"]) {
    const wrong = { alias, password: plant("a wrong password", `${SECRET_MARK} wrong for ${alias}`) };
    await s.call("POST /login", { body: wrong, from: `${ADDRESS}1.1` });
  }

  const players = [gm, max, sue, ada, ben, zed, ...prey, ...dead, ...bitten];
  for (const { alias, id, token, code } of [...players, ...gone, ...pending]) {
    plant(`${alias}'s id`, id, [id], "private");
    plantBytes(`${alias}'s token`, token.slice(-43));
    if (code !== null) plant(`${alias}'s first tag code`, code, [id], "private");
  }
  // A game master who plays sees no codes.
  const everybody = await send("GET /admin/get_players/{url_id}", { as: max });
  for (const { alias, player_id, tag_code } of everybody.body.players) {
    if (tag_code !== null) plant(`${alias}'s tag code`, tag_code, [player_id], "private");
  }
  const recorded = await send("GET /interactions/{url_id}", { as: gm, query: { limit: 200 } });

  await seedJoinCode(s.store, JOIN_CODE, s.now);
  plant("the join code", JOIN_CODE, [], "private");
  plant("the cursor key", CURSOR_KEY);
  plantBytes("the VAPID private key", VAPID.VAPID_PRIVATE_KEY);
  plant("an address", ADDRESS);
  const table = await snapshot(s);
  // Some endpoints succeed only when the season is over.
  await command("finish_season", { result: "humans", grace_seconds: 0 });
  const [finished, { finish }] = [await snapshot(s), await s.store.game()];
  await restore(s, table, finished);
  const planted = [...canaries, ...hashesIn(table)];
  return {
    ...example,
    ...{
      addresses,
      confirmation,
      mail,
      max,
      prey,
      pending,
      dead,
      hunts,
      reports,
      recoveries,
      endpoints,
      table,
      finished,
      players,
      season: finish?.season_id ?? "",
    },
    zombies: [zed, gil, gm, ...bitten],
    checkpoint: (await s.store.game()).checkpoint?.checkpoint_id ?? "",
    /** Codes that were given up, and that of a player who has left. */
    spentCodes: gone.flatMap(({ code }) => (code === null ? [] : [code])),
    interactions: recorded.body.interactions.map((one: Result["body"]): string => one.interaction_id),
    canaries: indexOf(planted),
    secrets: indexOf(planted.filter(({ kind }) => kind === "secret")),
  };
};
