/** The game in which every route is called: the people of the examples among thousands of players, with long settings. */

import { departureOf } from "../../lib/domain/accounts/departure.ts";
import { MAX_FORMER } from "../../lib/domain/accounts/renaming.ts";
import { resetForSeason } from "../../lib/domain/game/season.ts";
import { WAIVER_ASK } from "../../lib/domain/game/settings.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import type { ExampleGame } from "../../lib/http/documentation.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { type Ban, banHash, bansWrite, isRoomFor, readBans } from "../../lib/store/accounts/bans.ts";
import { departureWrite } from "../../lib/store/accounts/departures.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { logItem } from "../../lib/store/items.ts";
import { firstIdAt } from "../../lib/store/keys.ts";
import { newLogEntry } from "../../lib/store/logEntry.ts";
import { waiverVersion } from "../../lib/store/waiver/texts.ts";
import { makeBounced, makeConfirmation, unsubscribing, WITH_MAIL } from "../../tests/support/confirmation.ts";
import { CRATES } from "../../tests/support/constants.ts";
import { noisyPng } from "../../tests/support/pictures.ts";
import { fillSubscriptions } from "../../tests/support/subscribers.ts";
import { fill } from "../../tests/support/table.ts";
import type { Account, Game } from "../support/game.ts";
import { type Fixture, withPlayers } from "../support/players.ts";
import { openJournal } from "./journal.ts";

/** How many days the schedule lasts, half of which have passed. */
export const SCHEDULED_DAYS = 365;
/** The longest text of each field, of words that cannot be compressed to nothing. */
export const longText = (length: number): string =>
  Array.from({ length: Math.ceil(length / 5) }, (_, n) => (n * 7919).toString(36).padStart(4, "x"))
    .join(" ")
    .slice(0, length - 1)
    .padEnd(length, ".");

/** All day, in as many ranges as there may be: play never stops. */
const HOURS = Array.from({ length: 12 }, (_, n) =>
  [2 * n, 2 * n + 2].map((hour) => `${String(hour).padStart(2, "0")}:00`),
);
const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** As many missions as a page has. */
const MISSIONS = 20;

/** Everything that a signature may be asked. */
export const LONGEST_ASK = { waiver_ask: [...WAIVER_ASK], minimum_age: 120 };

/** Settings with the longest texts and lists. */
export const longestSettings = (now: number) => ({
  name: longText(80),
  description: longText(2_000),
  rules: longText(20_000),
  contact: longText(200),
  stun: longText(500),
  safe_places: longText(1_000),
  time_zone: "America/Argentina/ComodRivadavia",
  starts_at: rfc3339(now - (SCHEDULED_DAYS / 2) * DAY),
  ends_at: rfc3339(now + (SCHEDULED_DAYS / 2) * DAY),
  play_hours: Object.fromEntries(WEEK.map((day) => [day, HOURS])),
  public_board: true,
  ...LONGEST_ASK,
  keep_signatures_days: 3_660,
  waiver: WAIVER,
});

/** The longest waiver. */
export const WAIVER = longText(20_000);

/** The longest signature. */
export const longestSignature = () => ({
  version: waiverVersion(WAIVER),
  full_name: longText(120),
  birth_date: "1900-01-01",
  emergency_contact: longText(200),
  photo_consent: true,
});

/** Lets everybody play as if they had signed, because the thousands have not, and asks only for the name, like the examples. */
const countAllAsSigned = async ({ services: { store } }: Game): Promise<void> => {
  const before = await store.game();
  const waiver_versions = [...before.settings.waiver_versions, ""];
  const settings = { ...before.settings, waiver_versions, waiver_ask: [], minimum_age: null };
  const after = { ...before, settings };
  await store.commit(await writesOf({ game: { before, after } }), () => 10_000);
};

/** As many join codes as there may be, each as long as it may be. */
export const JOIN_CODES = Array.from({ length: 50 }, (_, n) => ({ code: `code ${n}`.padEnd(64, "x") }));

/** The people of the examples, who are logged in. */
export interface People extends ExampleGame {
  gm: Account;
  sue: Account;
  ada: Account;
  ben: Account;
  zed: Account;
}

export interface Stage extends Fixture {
  on: People;
  size: number;
  /** Restores the game as it was at the beginning. */
  undo: () => Promise<void>;
}

/** Makes a player a spectator, who has not enrolled in this season. */
const leaveSeason = async ({ services }: Game, { id }: Account): Promise<void> => {
  const { store, clock } = services;
  const before = await store.player(id);
  if (before === null) throw new Error("no such player");
  const after = resetForSeason(before, before.shard, commandContext(services, clock()), "opt_in");
  await store.commit(await writesOf({ players: [{ before, after }] }), () => 10_000);
};

/** A batch with as many codes as there may be, each with the longest texts. */
export const longestBatch = (effect: object) => ({
  label: longText(80),
  ...{ n: 500, audience: "all", uses: 10_000, uses_per_player: 500, place: longText(200) },
  effect: {
    points: 10_000,
    badge: { name: longText(30), symbol: longText(8) },
    message: longText(280),
    ...effect,
  },
});

/** Plays what the examples of the documentation refer to (tests/contract/exampleGame.ts). */
const playExamples = async ({ game, gm }: Fixture): Promise<People> => {
  const join = (alias: string): Promise<Account> => game.join(alias);
  const done = (command: string, body: object): Promise<unknown> =>
    game.call(`POST /admin/${command}/{url_id}`, { as: gm, body });
  const [ada, ben, zed] = [await join("Ada"), await join("Ben"), await join("Zed")];
  const [yan, rosa, cora, mo] = [await join("Yan"), await join("Rosa"), await join("Cora"), await join("Mo")];
  for (const command of ["corpsify", "revive_z"]) await done(command, { alias: "Zed" });
  const tagged = await game.call("POST /zombie/hunt/{url_id}", { as: zed, body: { tag_code: yan.code } });
  const hunt: string = tagged.interaction.interaction_id;
  const dispute = { interaction_id: hunt, reason: "I was indoors." };
  await game.call("POST /interactions/dispute/{url_id}", { as: yan, body: dispute });
  const report = await game.call("POST /player/report_tagged/{url_id}", { as: rosa, body: {} });
  await done("corpsify", { player_id: cora.id });
  await done("edit_player", { player_id: mo.id, is_moderator: true });
  await game.call("POST /edit_player/{url_id}", { as: ben, body: { wants_original: true } });
  const sue = await join("Sue");
  await leaveSeason(game, sue);
  await done("settings", { registration: "approval" });
  await join("Pia");
  await done("ban", { alias: "Mallory" });
  await done("settings", { registration: "open" });
  const image = (await noisyPng(512)).toString("base64");
  await game.call("POST /set_pfp/{url_id}", { as: ada, body: { image } });
  const { picture_url } = await game.call("GET /player/{url_id}", { as: ada });
  await done("set_checkpoint", { name: "The library" });
  const send = async (more: object): Promise<string> => {
    const body = { title: longText(120), content: longText(2_000), player_groups: "All", ...more };
    const { notification } = await game.call("POST /notifications/send/{url_id}", { as: gm, body });
    return notification.notification_id;
  };
  const sent = await send({});
  const scheduled = await send({ send_at: rfc3339(game.services.clock() + DAY) });
  const crates = { ...CRATES, n: 2, effect: { points: 2 } };
  const { batch_id, codes } = await game.call("POST /admin/create_codes/{url_id}", { as: gm, body: crates });
  const [used, supply] = codes.map(({ code }: { code: string }) => code);
  const redeemed = await game.call("POST /player/redeem/{url_id}", { as: ben, body: { code: used } });
  const picture = String(picture_url).split("/").at(-1) ?? "";
  const addMission = async (n: number): Promise<string> => {
    const now = game.services.clock();
    const body = {
      ...{
        title: `Mission ${n}`.padEnd(80, "x"),
        place: longText(200),
        latitude: 47.3769,
        longitude: 8.5417,
      },
      ...{ starts_at: rfc3339(now - HOUR), ends_at: rfc3339(now + HOUR), attendance: "desk" },
      briefings: [{ audience: "all", text: longText(600), reveal_at: rfc3339(now) }],
      rewards: ["all", "humans"].map((audience) => ({ audience, effect: { points: 5 } })),
    };
    const { mission_id } = await game.call("POST /admin/set_mission/{url_id}", { as: gm, body });
    return mission_id;
  };
  const missions: string[] = [];
  for (let n = 0; n < MISSIONS; n += 1) missions.push(await addMission(n));
  const [mission = "", ...closed] = missions;
  const [closedMission = ""] = closed;
  for (const mission_id of closed) {
    await done("mission_attendance", { mission_id, alias: "Ada" });
    await done("close_mission", { mission_id, result: "both" });
  }
  const email = "zed@example.org";
  await game.call("POST /edit_player/{url_id}", { as: zed, body: { email } });
  const mail = await makeBounced(game.services.store, zed.id, email, game.services.clock());
  Object.assign(game.services, { mail: WITH_MAIL });
  return {
    mail,
    unsubscribe: unsubscribing(zed.id),
    confirmation: await makeConfirmation(game.services.store, zed.id, email, game.services.clock()),
    gm,
    sue,
    ada,
    ben,
    zed,
    hunt,
    reported: report.interaction.interaction_id,
    sent,
    scheduled,
    picture,
    waiver: waiverVersion(WAIVER),
    batch: batch_id,
    supply,
    redemption: redeemed.redemption_id,
    mission,
    closedMission,
  };
};

/** Log entries, as many as there are players, and a subscription for each player. */
const fillLists = async ({ game, players }: Fixture): Promise<void> => {
  const { services, place } = game;
  const now = services.clock();
  const entries = players.map(({ alias }, n) => {
    const at = now - ((n + 1) * SCHEDULED_DAYS * DAY) / 2 / players.length;
    const context = { ...commandContext(services, at), newId: () => firstIdAt(at) };
    const details = { reason: longText(280) };
    return logItem(newLogEntry(context, "request", { action: "feed_player", target: alias, details }), 0);
  });
  await fill(place, entries);
  const wanted = players.map(({ player_id }, n) => ({ playerId: player_id, path: `/fcm/send/${n}` }));
  await fillSubscriptions(place, "https://fcm.googleapis.com", wanted);
};

/** As many bans as there may be, but for one, each with the longest reason and all that a ban can remember. */
const fillBans = async ({ game }: Fixture): Promise<void> => {
  const { store, clock } = game.services;
  const read = await readBans(store.db);
  const ban = (n: number): Ban => ({
    ...{ ban_id: firstIdAt(clock() + n), player_id: firstIdAt(n), reason: longText(280), of_email: false },
    ...{ until: rfc3339(clock() + DAY), created_at: rfc3339(clock()) },
    alias: `Banned ${n}`.padEnd(30, "x"),
    former_aliases: Array.from({ length: MAX_FORMER }, (_, at) => `Former ${at} of ${n}`.padEnd(30, "x")),
    email_hash: banHash(`${n}@example.org`),
    former_addresses: Array.from({ length: MAX_FORMER }, (_, at) => banHash(`${at}.${n}@example.org`)),
    former_ids: [],
    confirmed_addresses: [],
  });
  const bans = [...read.bans];
  while (isRoomFor([...bans, ban(bans.length), ban(0)])) bans.push(ban(bans.length));
  await store.commit([bansWrite(read, bans)], () => 10_000);
};

/** More reviews than are shown, and more departures in each. */
const REVIEWS = 25;
const DEPARTURES = 4;

/** Players about whom game masters have to decide, each of whom may be several of the others, who have left. */
const fillReviews = async ({ game: { services }, players }: Fixture): Promise<void> => {
  const { store, clock } = services;
  const loaded = await store.game();
  const chosen = players.slice(0, REVIEWS * (DEPARTURES + 1)).map(({ player_id }) => player_id);
  const stored = [...(await store.players(chosen)).values()];
  const [reviewed, away] = [stored.slice(0, REVIEWS), stored.slice(REVIEWS)];
  for (const player of away) {
    const departure = departureOf(player, loaded, clock());
    if (departure === null) throw new Error("the game is over");
    await store.commit([await departureWrite(store.db, departure, player.alias)], () => 10_000);
  }
  for (const [n, before] of reviewed.entries()) {
    const claims = Array.from({ length: DEPARTURES }, (_, at) => away[(n * DEPARTURES + at) % away.length]);
    const review = claims.map(
      (one) => ({ kind: "returns", by: "address", of: one?.player_id ?? "" }) as const,
    );
    const changes = { players: [{ before, after: { ...before, review } }] };
    await store.commit(await writesOf(changes), () => 10_000);
  }
};

/** Opens the game with `size` players, runs work in it, and closes it. */
export const onStage = async (size: number, work: (stage: Stage) => Promise<void>): Promise<void> => {
  const { between, undo } = openJournal();
  await withPlayers(size, { days: SCHEDULED_DAYS / 2, named: true, between }, async (fixture) => {
    const on = await playExamples(fixture);
    const { game, gm } = fixture;
    await fillLists(fixture);
    await fillBans(fixture);
    const body = longestSettings(game.services.clock());
    await game.call("POST /admin/settings/{url_id}", { as: gm, body });
    await countAllAsSigned(game);
    await fillReviews(fixture);
    await undo();
    await work({ ...fixture, on, size, undo });
  });
};
