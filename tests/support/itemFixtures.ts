/** Fixtures with an item of every kind, as each version of the service stores them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRecap } from "../../lib/app/game/recap.ts";
import { queueMessagesFor } from "../../lib/app/notifications/queueMessages.ts";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { recipientsOf } from "../../lib/domain/events/eventRecipients.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { keyOf, lineOf, type RawItem } from "../../lib/dynamodb/rawItem.ts";
import { startContinuation } from "../../lib/jobs/continuation.ts";
import { firstIdAt, keys, missionPart } from "../../lib/store/keys.ts";
import { changePace, suppressionWrite } from "../../lib/store/mail/mails.ts";
import { newcomerTagsWrites } from "../../lib/store/notifications/alerts.ts";
import { recapItems } from "../../lib/store/seasons/recaps.ts";
import { readStatisticsEvents } from "../../lib/store/statistics.ts";
import { waiverVersion } from "../../lib/store/waiver/texts.ts";
import { itemOf } from "../../scripts/archive/format.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { makeConfirmation, WITH_MAIL } from "./confirmation.ts";
import { blackPng } from "./pictures.ts";
import { playGame } from "./playedGame.ts";
import { type PushService, status } from "./pushService.ts";
import type { TestEnvironment, TestPlayer } from "./service.ts";
import { shortRequests } from "./shortRequests.ts";
import { makeBrowser } from "./webPush.ts";

/** The players of a fixture, by name. */
export type People = Record<string, TestPlayer>;

const TEXTS = ["I play at my own risk.", "I play at **my own** risk."] as const;

/** A waiver and its signatures, mails, and the end of a season, which is reopened, and of one that came before. */
const playPaperwork = async (
  s: TestEnvironment,
  { gm, ada, master }: Record<"gm" | "ada" | "master", TestPlayer>,
): Promise<void> => {
  const { done, edit } = shortRequests(s);
  const set = (body: object) => done(gm, "settings", body);
  const { store, services } = s;
  const now = services.clock();
  const timeLeft = () => 60_000;
  const signed = (text: string, birth_date: string) => ({
    ...{ version: waiverVersion(text), full_name: "Zoë Example", birth_date },
    ...{ emergency_contact: "Her mother", photo_consent: true },
  });
  const sign = (as: TestPlayer, text: string) =>
    s.must("POST /player/sign/{url_id}", { as, body: signed(text, "1999-12-31") });
  const ask = ["birth_date", "emergency_contact", "photo_consent"];
  await set({
    registration: "open",
    waiver: TEXTS[0],
    waiver_ask: ask,
    minimum_age: 18,
    keep_signatures_days: 300,
  });
  await sign(ada, TEXTS[0]);
  // Two who wait: one because of the age, one who has not signed, and who leaves behind what another signed.
  const young = signed(TEXTS[0], rfc3339(now - 10 * 365 * DAY).slice(0, 10));
  const body = { alias: "Una", password: "too young to play", signature: young };
  await s.must("POST /new", { body });
  const [uma, udo] = await s.joinAll("Uma", "Udo");
  await done(gm, "paper_signature", {
    alias: "Uma",
    ...signed(TEXTS[0], "1990-01-01"),
    version: undefined,
    guardian_name: "Her father",
  });
  await sign(udo, TEXTS[0]);
  await s.must("DELETE /delete_player/{url_id}", { as: udo });
  await set({ waiver: TEXTS[1], waiver_keeps_signatures: true });
  await sign(ada, TEXTS[1]);
  await edit(uma, { photo_consent: false });
  // Mails: a link that was used, and one that waits; a server that was away, and an address that it has refused.
  await edit(master, { email: "master@example.org" });
  const link = await makeConfirmation(store, master.id, "master@example.org", now);
  await s.must("POST /confirm_email", { body: { token: link } });
  await makeConfirmation(store, uma.id, "uma@example.org", now);
  // With mail: an announcement, an invitation and a test of one, somebody who does not want announcements, and two who have
  // confirmed: one leaves, one is banned.
  const usual = services.mail;
  Object.assign(services, { mail: WITH_MAIL });
  await edit(ada, { mail_kinds: [] });
  await done(gm, "import_players", { rows: [{ alias: "Ivy", email: "ivy@example.org" }] });
  await done(gm, "send_invitations", { aliases: ["Ivy"] });
  await done(master, "send_mail", { sample: "invite" });
  const announcement = {
    title: "Bring water",
    content: "It is hot.",
    player_groups: "All",
    also_email: true,
  };
  const to = { unsigned: true, missions_below: 5 };
  await s.must("POST /notifications/send/{url_id}", { as: gm, body: { ...announcement, ...to } });
  const [ugo, ulf] = await s.joinAll("Ugo", "Ulf");
  for (const { alias, id } of [ugo, ulf]) {
    const email = `${alias}@example.org`;
    await done(gm, "edit_player", { alias, email });
    const token = await makeConfirmation(store, id, email, now);
    await s.must("POST /confirm_email", { body: { token } });
  }
  await s.must("DELETE /delete_player/{url_id}", { as: ugo });
  await done(gm, "ban", { alias: ulf.alias });
  Object.assign(services, { mail: usual });
  const failing = { failures: 1, retry_at: now, failing_since: now };
  await changePace(store.db, (pace) => ({ ...pace, ...failing }), timeLeft);
  const refused = { at: rfc3339(now), reason: "RCPT 550", player_id: ada.id };
  await store.commit([suppressionWrite("nobody@example.org", refused)], timeLeft);
  // The end, which was a mistake, and what will be left of the season.
  await edit(ada, { named_in_past: true });
  const award = { title: "Best costume", alias: "Ada", text: "The bandage." };
  await done(gm, "finish_season", { result: "both", note: "By a hair.", grace_seconds: 0, awards: [award] });
  const seasonId = firstIdAt(now);
  const recap = await makeRecap(store, await store.game(), { seasonId, now: services.clock(), timeLeft });
  if (recap === null) throw new Error("no season");
  for (const put of await recapItems(recap)) await store.db.put(put);
  await done(gm, "reopen_season");
  await done(gm, "resume_game");
};

/** Plays a game that stores an item of every kind. The push service rejects the first push, and accepts its retry. */
export const playEveryKind = async (s: TestEnvironment, push: PushService): Promise<People> => {
  const { gm, ada, ben, cid, dee } = await playGame(s);
  const { done, edit, read } = shortRequests(s);
  const command = (word: string, body: object = {}) => done(gm, word, body);
  const set = (body: object) => command("settings", body);
  const post = (path: string, as: TestPlayer, body: object = {}, key?: string) =>
    s.must(`POST ${path}/{url_id}`, { as, body, key });
  // The second change of the schedule stores a snapshot with the first one.
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  await set({
    ...{ rules: "# Rules", description: "A week of tag.", contact: "gm@hvz.example", stun: "15 minutes" },
    safe_places: "- The library",
    play_hours: Object.fromEntries(days.map((day) => [day, [["00:00", "24:00"]]])),
    ...{
      time_zone: "Europe/Berlin",
      starts_at: rfc3339(s.services.clock() - 365 * DAY),
      feeding_period_seconds: 172_800,
    },
  });
  await set({ ends_at: rfc3339(s.services.clock() + 365 * DAY) });
  const master = await s.admin("Grandmaster");
  await s.store.db.put({ ...keys.setUp, hash: "of a secret that nobody has used" });
  await s.must("DELETE /subscriptions/unsubscribe/{url_id}", { as: dee });
  const { p256dh, auth } = makeBrowser();
  await post("/notifications/subscribe", dee, { endpoint: `${push.origin}/dee`, p256dh, auth });
  push.answer("/dee", status(429, { "retry-after": "60" }));
  const news = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };
  await post("/notifications/send", gm, news, "news");
  const send_at = rfc3339(s.services.clock() + 29 * DAY);
  await post("/notifications/send", gm, { ...news, audience: "humans", send_at });

  // From another address, whose failures are counted.
  const from = "192.0.2.7";
  const jon = { alias: "Jon", password: "far from home" };
  await s.must("POST /new", { body: jon, from, key: "registration" });
  const login = (more: object) => s.call("POST /login", { body: { ...jon, ...more }, from });
  const wrong = { password: "not that one" };
  await login(wrong);
  const { device_token } = (await login({})).body;
  await login(wrong);
  await login({ ...wrong, device_token });
  await post("/admin/feed", gm, { n: 49 }, "dinner");
  for (const word of ["pause_game", "resume_game"]) await command(word);

  // A broadcast of an event, as the workers plan it.
  const { interactions } = await read(gm, "/interactions", { kind: "resume" });
  const resumed = await s.store.interaction(await s.store.game(), interactions[0].interaction_id);
  if (resumed === null) throw new Error("no resumption");
  const [message] = queueMessagesFor(recipientsOf(resumed), s.services.clock());
  if (message === undefined) throw new Error("nothing to tell");
  await processMessage({ services: s.services, requestId: "a broadcast", timeLeft: () => 60_000 }, message);
  push.answer("/dee", status(201));
  s.now += 2 * MINUTE;
  await s.work({ hurry: true });

  await command("kill_all_not_at_checkpoint");
  const { checkpoint } = await s.store.game();
  const { checkpoint_id } = checkpoint ?? {};
  await command("undo_checkpoint", { checkpoint_id, reason: "The list was late." });
  await post("/admin/kill_all_not_at_checkpoint", gm, {}, "kill-all");
  for (const { id: player_id } of [ada, cid]) await command("revive_z", { player_id });
  await command("revive_h", { player_id: ben.id });
  await s.pass(47 * HOUR);
  await command("feed_player", { player_id: ada.id });
  await s.sweep();
  await s.pass(2 * HOUR);
  await s.sweep();
  const hunt = ({ code: tag_code }: TestPlayer) => post("/zombie/hunt", ada, { tag_code });
  const [kim, lea, moe, ned, ola, ria] = await s.joinAll("Kim", "Lea", "Moe", "Ned", "Ola", "Ria");
  // A zombie with more than one feeding.
  await hunt(kim);
  // Tags from both sides: one that waits, one with its hunter, and the codes of two who have left, one of them used.
  s.now += MINUTE;
  for (const as of [lea, moe]) await post("/player/report_tagged", as, { by_alias: "Ada" });
  for (const as of [ned, ola]) await s.must("DELETE /delete_player/{url_id}", { as });
  await post("/zombie/hunt", ada, { tag_code: moe.code, hunted_at: rfc3339(s.now - 1) });
  await hunt(ola);
  // A dispute that is open, and one that is resolved.
  const recorded = await read(gm, "/interactions", { kind: "hunt" });
  const huntOf = ({ alias }: TestPlayer): string =>
    recorded.interactions.find(({ target }: { target: string }) => target === alias).interaction_id;
  for (const as of [moe, kim])
    await post("/interactions/dispute", as, { interaction_id: huntOf(as), reason: "I was at home." });
  await command("resolve_dispute", { dispute_id: huntOf(kim), outcome: "stands", note: "Ada saw it." });
  // Two who may be those who have left: one waits for a decision, the other is back.
  const password = "somebody else's horse";
  for (const alias of ["Ned", "Ola"]) await s.must("POST /new", { body: { alias, password, login: true } });
  await command("admit", { alias: "Ola", decision: "returned" });
  // A player who waits to be admitted, one who was admitted, and one who was taken out of play.
  await set({ registration: "approval" });
  const [pam, pia] = await s.joinAll("Pam", "Pia");
  await command("admit", { alias: "Pam" });
  await command("make_spectator", { alias: "Kim" });
  // A hidden original zombie.
  await set({ hide_originals: true });
  for (const word of ["corpsify", "revive_z"]) await command(word, { alias: "Pam" });
  // Codes: food for a hidden original zombie and for a zombie of hers, who is then cured; one is revoked, one undone.
  await post("/zombie/hunt", pam, { tag_code: ria.code });
  s.now += MINUTE;
  const year = { valid_from: rfc3339(s.now - DAY), valid_until: rfc3339(s.now + 300 * DAY) };
  const codesOf = async (effect: object) => {
    const batch = { ...year, label: "Crates", n: 4, audience: "zombies", uses: 9, uses_per_player: 9 };
    const { batch_id, codes } = await command("create_codes", { ...batch, effect, place: "The pond" });
    return { batch_id, codes: codes.map(({ code }: { code: string }) => code) };
  };
  const badge = { name: "Medic", symbol: "✚" };
  const food = await codesOf({ feed_seconds: 30, points: 2, badge, message: "Well done." });
  const antidotes = await codesOf({ cure: true });
  const points = await codesOf({ points: 1 });
  for (const as of [pam, ria]) await post("/player/redeem", as, { code: food.codes[0] });
  await post("/player/redeem", pam, { code: points.codes[0] });
  const { redemption_id } = (await post("/player/redeem", ria, { code: food.codes[1] })).body;
  await command("undo_redemption", { redemption_id, reason: "She photographed it." });
  await post("/player/redeem", ria, { code: antidotes.codes[0] });
  await command("revoke_codes", { batch_id: food.batch_id, code: food.codes[2] });
  // A mission that was closed, reopened and closed again, one that is still to be announced, and an enforcement of them.
  await set({ missions_required: 1, missions_counted_from: rfc3339(s.services.clock() - 2 * DAY) });
  const at = (hours: number): string => rfc3339(s.services.clock() + hours * HOUR);
  const briefings = ["all", "zombies"].map((audience) => ({
    ...{ audience, text: "Bring a **torch**.", reveal_at: at(-1), outcome_text: "It was dark." },
  }));
  const mission = {
    ...{
      title: "The drop",
      starts_at: at(-1),
      ends_at: at(1),
      place: "The bridge",
      latitude: 1.5,
      longitude: 2.5,
    },
    ...{ briefings, attendance: "desk", required: true },
    rewards: [
      { audience: "all", effect: { points: 3, badge, message: "Thank you." } },
      { audience: "zombies", effect: { feed_seconds: 3_600 } },
      { audience: "humans", effect: { cure: true } },
    ],
  };
  const { mission_id } = await command("set_mission", mission);
  await command("set_mission", { ...mission, starts_at: at(5), ends_at: at(6), required: false });
  await command("mission_picture", { mission_id, image: blackPng(2, 2).toString("base64") });
  const attended = { mission_id, aliases: ["Ada", "Pam"], late: true, reason: "On the list." };
  await command("mission_attendance", attended);
  await command("close_mission", { mission_id, result: "both", note: "By a hair." });
  await command("reopen_mission", { mission_id });
  await command("close_mission", { mission_id, result: "humans", note: "Counted again." });
  const { players } = await read(gm, "/admin/get_players");
  const exempt = players.map(({ alias }: TestPlayer) => alias).filter((alias: string) => alias !== "Jon");
  await post("/admin/enforce_missions", gm, { exempt, reason: "Never there." });
  // A game master who has looked at a secret.
  await done(master, "show_secrets", { alias: "Pam" });
  await playPaperwork(s, { gm, ada, master });
  // A ban of somebody who was called otherwise before.
  for (const email of ["pia@example.org", null]) await edit(pia, { email });
  await command("edit_player", { alias: "Pia", alias_to: "Pia Two" });
  const inAYear = rfc3339(s.services.clock() + 365 * DAY);
  await command("ban", { alias: "Pia", until: inAYear, reason: "Hit somebody." });
  await set({ unique_email: true });
  // A player about whose address game masters have to decide.
  for (const one of [lea, pam]) await edit(one, { email: "lea@example.org" });
  const brains = { code: "brains", uses: 2, ends_at: inAYear };
  await set({ registration: "open", join_codes: [brains, { code: "more brains" }] });
  await set({ webhooks: [{ url: "https://hooks.example.org/x", format: "signed", events: ["hunt"] }] });
  await set({ test_webhooks: true });
  const now = s.services.clock();
  const tag = { interaction_id: firstIdAt(now), target: kim.id, at: rfc3339(now) };
  const alert = { alert_id: firstIdAt(now), hunts: [tag] };
  const by = { hash: "h", hunter: ada.id, at: tag.at, now };
  const none = { rev: 0, tags: [], alert: null };
  await s.store.commit(newcomerTagsWrites(none, { tags: [tag], alert }, by), () => 60_000);
  // As if the hour had passed.
  await readStatisticsEvents(s.store, await s.store.game(), s.services.clock() + 2 * HOUR, () => 60_000);
  await startContinuation(s.services, "bulk work", null);
  return { gm, ada, ben, cid, dee, master };
};

const word = (text: string): string => text.split("#", 1)[0]?.toLowerCase() ?? "";

/** Partitions of secrets that do not belong to a player. */
const OF_NOBODY =
  /^SECRET#(NOBODY|ENDPOINT|ONCE|BROADCAST|THROTTLE|TAGS|JOIN_CODES|SETUP|WEBHOOKS|EMAIL|CONFIRMED|TOMBSTONES|BANS|CODES|OUTBOX|MAIL_PACE|SUPPRESSED)(?:#|$)/;

/** The kind of an item, by its key; the name of its fixture file. */
export const kindOf = ({ pk, sk }: Key): string => {
  if (pk === keys.game.pk) return `game-${word(sk)}`;
  const [, secret] = OF_NOBODY.exec(pk) ?? [];
  if (secret !== undefined) {
    const hasSeveral = secret === "BROADCAST" || secret === "CODES";
    return hasSeveral ? `${secret.toLowerCase()}-${word(sk)}` : secret.toLowerCase();
  }
  if (pk.startsWith(missionPart(""))) return `mission-${word(sk)}`;
  if (pk.startsWith("SECRET#") || pk.startsWith(keys.player("").pk)) return word(sk);
  return pk.startsWith("JOB#") ? `job-${word(sk)}` : word(pk);
};

/**
 * Every kind that has a key, except marks of imports and resets, with which no game is played on, and what any version
 * computes anew.
 */
export const everyKind = (): Set<string> => {
  // The first argument is a shard or a name: either will do for the kind.
  const made = Object.values(keys).map(
    (key): Key => (typeof key === "function" ? Reflect.apply(key, undefined, ["0", "0", "0"]) : key),
  );
  const excluded = [keys.importing, keys.resetting, keys.publicPage].map(kindOf);
  return new Set(made.map(kindOf).filter((kind) => !excluded.includes(kind)));
};

const FOLDER = join(ROOT, "tests/fixtures/items");
const ENDING = ".ndjson";

/** A game as a version of the service has stored it. */
export interface Fixture {
  version: string;
  /** When it was stored, in milliseconds since 1970. */
  at: number;
  people: People;
  items: RawItem[];
}

/** The versions with a fixture, the newest last. */
export const versions = (): string[] =>
  readdirSync(FOLDER).toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)));

export const readFixture = (version: string): Fixture => {
  const folder = join(FOLDER, version);
  const left: Pick<Fixture, "at" | "people"> = JSON.parse(readFileSync(join(folder, "game.json"), "utf8"));
  const files = readdirSync(folder).filter((name) => name.endsWith(ENDING));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
  return { version, ...left, items: lines.map(itemOf) };
};

/** Writes a fixture of a new version: one file for each kind, one line for each item. @throws Error if it has one */
export const writeFixture = ({ version, at, people, items }: Fixture): void => {
  const folder = join(FOLDER, version);
  mkdirSync(folder);
  writeFileSync(join(folder, "game.json"), `${JSON.stringify({ at, people }, null, 2)}\n`);
  for (const [kind, own] of Map.groupBy(items, (item) => kindOf(keyOf(item)))) {
    const lines = own.map(lineOf).toSorted();
    writeFileSync(join(folder, `${kind}${ENDING}`), `${lines.join("\n")}\n`);
  }
};

const pathsOf = (value: RawItem[string], path: string): string[] => [
  `${path}: ${Object.keys(value)[0]}`,
  ...Object.entries(value.M ?? {}).flatMap(([name, within]) => pathsOf(within, `${path}.${name}`)),
  ...(value.L ?? []).flatMap((within) => pathsOf(within, `${path}[]`)),
];

/** The attributes of each kind of item and their types, also within lists and maps, as `kind attribute.within: type`. */
export const shapesOf = (items: readonly RawItem[]): Set<string> =>
  new Set(
    items.flatMap((item) =>
      Object.entries(item).flatMap(([name, value]) => pathsOf(value, `${kindOf(keyOf(item))} ${name}`)),
    ),
  );

/** An attribute of a later version, which this one does not know. */
export const UNKNOWN_ATTRIBUTE = "of_a_later_version";

const withUnknownIn = (value: RawItem[string]): RawItem[string] => {
  if (value.L !== undefined) return { L: value.L.map(withUnknownIn) };
  if (value.M !== undefined) return { M: withUnknownAttributes(value.M) };
  return value;
};

/**
 * Maps whose names are data: the details of a log entry, which game masters see as they are; the progress of each kind
 * of warning; and the days of the play hours.
 */
const DATA = ["details", "upTo", "play_hours"];

/** An item as a later version may have written it: with an attribute more, also in every map within. */
export const withUnknownAttributes = (item: RawItem): RawItem => ({
  ...Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, DATA.includes(name) ? value : withUnknownIn(value)]),
  ),
  [UNKNOWN_ATTRIBUTE]: { S: "?" },
});
