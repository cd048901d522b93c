/** Values for fields whose schema is not enough to make a useful value, and values with which requests succeed. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { HOUR } from "../../../lib/domain/time.ts";
import { blackPng } from "../../support/pictures.ts";
import type { TestPlayer } from "../../support/service.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { SECRET_MARK, TEXT_MARK } from "./canaries.ts";
import { type Fixture, JOIN_CODE, PAGED_STATEMENT } from "./fixture.ts";
import type { Words } from "./values.ts";

/** Fields of a body or a query; `undefined` for a field that must be absent. */
export type Apt = fc.Arbitrary<Record<string, unknown>>;

const pickOne = <T>(all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);

const wide = (text: string): string =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));

/** An alias in a random spelling: width and case make no difference. */
const written = (alias: string): fc.Arbitrary<string> =>
  fc.constantFrom(alias, alias, alias.toUpperCase(), alias.toLowerCase(), wide(alias));

const aliasOf = (people: readonly TestPlayer[]): fc.Arbitrary<string> =>
  pickOne(people).chain(({ alias }) => written(alias));

const letters = (text: string) => fc.string({ unit: fc.constantFrom(...text), minLength: 1, maxLength: 12 });

const newAlias = fc
  .tuple(fc.constantFrom("Neo", "Ößé", "Жук", "梅", "Ωm", "N.o-p_q"), letters("abcdefghjkmnpqrstuvwxyz"))
  .map((parts) => parts.join(" "));

/** Texts with a mark, and others before and after it. */
const marked = (before: string[], text: string, after: string): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...before), letters(after)).map(([head, tail]) => head + text + tail);

const secret = marked(["", "pässwörd ", "  ", "密碼", "\u{1f47b}"], SECRET_MARK, "abcXYZ0189 !§€");
const prose = (name: string) =>
  marked(["", "Ünï ", "'; -- ", "<b>", "🧟 ", "%2e%2e "], `${TEXT_MARK} ${name}`, "abc xyz,.!?é");

/** A tag code as people write it. */
const asWritten = (code: string): fc.Arbitrary<string> =>
  fc.constantFrom(code, code, code.toLowerCase(), `${code.slice(0, 4)}-${code.slice(4)}`, ` ${code} `);

const codesOf = (people: readonly TestPlayer[]): string[] =>
  people.flatMap(({ code }) => (code === null ? [] : [code]));

const ago = (least: number, most: number): fc.Arbitrary<string> =>
  fc.integer({ min: least, max: most }).map((ms) => new Date(Date.now() - ms).toISOString());

const browsers = Array.from({ length: 5 }, makeBrowser);

const endpoint = marked(
  [
    ...["https://fcm.googleapis.com/fcm/send/", "https://updates.push.services.mozilla.com/wpush/v2/"],
    ...["https://web.push.apple.com/", "https://wns2-by3p.notify.windows.com/w/?token="],
  ],
  SECRET_MARK,
  "abcdef0123456789-_",
);

const picture = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom("", "data:image/png;base64,"))
  .map(([side, head]) => head + blackPng(side, 8).toString("base64"));

/** Endpoints that set an alias. */
const NAMING = new Set(["POST /new", "POST /edit_player/{url_id}"]);

/** Values for the fields of an endpoint, by the name of the field. */
export const wordsOf = (on: Fixture, route: string): Words => {
  const [anybody, interaction] = [aliasOf(on.all), pickOne(on.interactions)];
  const label = pickOne(["waiver", " Waiver", "überprüft"]);
  const named = (names: string, make: (name: string) => fc.Arbitrary<unknown>) =>
    Object.fromEntries(names.split(" ").map((name) => [name, make(name)]));
  return {
    ...named("password current_password new_password recovery_code", () => secret),
    ...named("first_name last_name name description rules contact stun note reason comment", prose),
    ...named("title content player_groups", prose),
    ...named("hunter prey player target actor", () => anybody),
    ...named("hunted_at tagged_at", () => ago(-HOUR, 7 * HOUR)),
    ...named("closes_at send_at", () => ago(-HOUR, -1_000)),
    ...named("starts_at ends_at until registration_closes_at", () => ago(-9 * HOUR, HOUR)),
    ...named("interaction_id root ban_id", () => interaction),
    ...named("alias by_alias", () => fc.oneof(...Array(NAMING.has(route) ? 1 : 4).fill(anybody), newAlias)),
    alias_to: newAlias,
    player_id: pickOne([...on.all.map(({ id }) => id), randomUUID()]),
    join_code: fc.oneof(fc.constant(JOIN_CODE), secret),
    email: letters("abcxyz019.+_'-").map((head) => `${head}${TEXT_MARK}@example.org`),
    time_zone: pickOne(["UTC", "Europe/Berlin", "America/St_Johns", "Nowhere/Else"]),
    play_hours: pickOne([{ sunday: [["00:00", "24:00"]] }, { monday: [["08:00", "22:00"]] }]),
    rows: newAlias.map((alias) => [{ alias, labels: ["waiver"] }, { alias: on.ada.alias }, { email: "x" }]),
    label,
    ...named("add remove", () => fc.array(label, { minLength: 1, maxLength: 3 })),
    audience: pickOne(["all", "humans", "moderators", "label:waiver", "label:Briefing_2"]),
    aliases: fc.array(fc.oneof(aliasOf(on.pending), anybody), { minLength: 1, maxLength: 4 }),
    code: letters("abcXYZ019"),
    uses: fc.integer({ min: 1, max: 9 }),
    tag_code: pickOne([...codesOf(on.prey), ...on.spentCodes, "ZZZZ2222", "0OIL", SECRET_MARK]).chain(
      asWritten,
    ),
    checkpoint_id: fc.oneof(fc.constant(on.checkpoint), fc.uuid()),
    dispute_id: pickOne(on.hunts),
    notification_id: fc.oneof(fc.constant(on.notification), fc.uuid({ version: 7 })),
    after: fc.constant(on.notification),
    interaction_ids: fc.uniqueArray(interaction, { minLength: 1, maxLength: 5 }),
    endpoint: fc.oneof({ weight: 4, arbitrary: endpoint }, { weight: 1, arbitrary: pickOne(on.endpoints) }),
    p256dh: pickOne(browsers.map(({ p256dh }) => p256dh)),
    auth: pickOne(browsers.map(({ auth }) => auth)),
    image: picture,
    statement: pickOne(STATEMENTS.map(({ statement }) => statement)),
  };
};

const mark = `'${TEXT_MARK}'`;

/** Accepted statements with parameters. Writing ones change only fields that no rule reads. */
const STATEMENTS: { statement: string; parameters?: unknown[] }[] = [
  ...[
    `SELECT * FROM "game" WHERE pk = 'GAME'`,
    `SELECT alias, state FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND begins_with(gsi1sk, 'u')`,
    `SELECT player_id FROM "game" WHERE pk = 'ALIAS#ada'`,
    `SELECT * FROM "game" WHERE pk IN ('COUNT#0', 'COUNT#1') AND (humans = 3 OR NOT zombies < 2)`,
    `SELECT at, actor FROM "game" WHERE pk = 'INTERACTIONS#0' AND kind = 'hunt' AND note <> ${mark}`,
    `SELECT alias FROM "game"."gsi3" WHERE gsi3pk = 'KILLS#0' AND kills BETWEEN 0 AND 3`,
    `INSERT INTO "game" VALUE {'pk': 'FREE#1', 'sk': 'a', 'text': ${mark}, 'n': [1, {'m': NULL}]}`,
    `DELETE FROM "game" WHERE pk = 'FREE#1' AND sk = 'a' RETURNING ALL OLD *`,
  ].map((statement) => ({ statement })),
  { statement: `SELECT * FROM "game" WHERE pk = ? AND alias > ?`, parameters: ["NOTHING", "a"] },
  { statement: `UPDATE "game" SET text = ? WHERE pk = 'FREE#1' AND sk = 'a'`, parameters: [TEXT_MARK] },
];

/** Fields that say whom or what a request is about, or go on from a page: values of others would not fit. */
export const OF_THE_GAME = new Set(
  `alias player_id player_ref tag_code aliases label state passed pending kind action limit cursor recovery_code
  current_password device_token checkpoint_id clear applies_to alert_id add remove root parameters
  hunted_at tagged_at share_with by_alias starts_at ends_at reveal_originals_at registration_closes_at play_hours
  time_zone test_webhooks after player target actor`.split(/\s+/),
);

const upon = (...people: (readonly TestPlayer[])[]): Apt =>
  pickOne(people.flat()).chain(({ id, alias }) =>
    fc.oneof(
      fc.constant({ player_id: id }),
      written(alias).map((name) => ({ alias: name })),
    ),
  );

/** A group: by aliases or by a label. */
const inGroup = (people: readonly TestPlayer[]): Apt => {
  const aliases = people.map(({ alias }) => alias);
  return fc.oneof(
    fc.subarray(aliases, { minLength: 1 }).map((some) => ({ aliases: some })),
    fc.constant({ label: "waiver", dry_run: true }),
  );
};

const tagged = (by: Words) => fc.record({ ...by, hunted_at: fc.option(ago(0, 1_000), { nil: undefined }) });

/** Values with which a request succeeds, by route: for the body, or for the query of a GET. */
export const aptOf = (on: Fixture): Record<string, Apt> => {
  const [prey, zombies, corpses, anybody] = [upon(on.prey), upon(on.zombies), upon(on.corpses), upon(on.all)];
  const living = upon(on.prey, on.zombies);
  const code = pickOne(codesOf(on.prey)).chain(asWritten);
  const hunt = pickOne(on.hunts).map((interaction_id) => ({ interaction_id }));
  const { checkpoint: checkpoint_id, disputed: dispute_id } = on;
  const admin: Record<string, Apt> = {
    ...{ corpsify: living, make_spectator: living, new_tag_code: prey, remove_player: prey, void_hunt: hunt },
    ...{ cure: zombies, feed_player: zombies, lift_lockout: zombies, recover_password: anybody },
    ...{ revive_h: corpses, revive_z: corpses, revive_all: inGroup(on.corpses) },
    ...{ feed_group: inGroup(on.zombies), comment_dispute: fc.constant({ dispute_id }) },
    resolve_dispute: fc.constant({ dispute_id }),
    settings: fc.constant({ sharers: 2 }),
    draw_originals: fc.constant({ n: 1 }),
    name_hunter: fc.tuple(zombies, pickOne(on.reported)).map(([who, id]) => ({ ...who, interaction_id: id })),
    hunt: tagged({ hunter: aliasOf(on.zombies), prey: aliasOf(on.prey) }),
    admit: fc.oneof(upon(on.pending), fc.constant({ aliases: on.pending.map(({ alias }) => alias) })),
    ban: fc.constantFrom({ alias: "Mallory", email: undefined }, { email: "mallory@example.org" }),
    unban: fc.constant({ alias: "Banned", email: undefined, ban_id: undefined }),
    set_checkpoint: fc.constantFrom({ name: "Bridge" }, { checkpoint_id }),
    player_at_checkpoint: fc.oneof(
      living,
      code.map((tag_code) => ({ tag_code })),
    ),
    import_players: newAlias.map((alias) => ({ rows: [{ alias, first_name: TEXT_MARK }] })),
    label: prey.chain(({ alias = on.ada.alias }) =>
      fc.constantFrom(
        ...["add", "remove"].map((word) => ({ aliases: [alias, on.zed.alias], [word]: ["waiver"] })),
      ),
    ),
    edit_player: fc.tuple(prey, newAlias).map(([who, alias_to]) => ({ ...who, alias_to })),
    void_hunts: fc
      .uniqueArray(pickOne(on.hunts), { minLength: 1 })
      .map((interaction_ids) => ({ interaction_ids })),
    kill_all_not_at_checkpoint: fc.constantFrom({}, { checkpoint_id }, { dry_run: true }),
    undo_checkpoint: fc.constantFrom({ checkpoint_id }, { checkpoint_id, dry_run: true }),
    inject_sql: fc.oneof(
      { weight: 5, arbitrary: pickOne<Record<string, unknown>>(STATEMENTS) },
      {
        weight: 1,
        arbitrary: pickOne(on.cursors.get("POST /admin/inject_sql/{url_id}") ?? []).map(({ cursor }) => ({
          ...PAGED_STATEMENT,
          cursor,
        })),
      },
    ),
  };
  return {
    ...Object.fromEntries(Object.entries(admin).map(([word, apt]) => [`POST /admin/${word}/{url_id}`, apt])),
    "POST /login": pickOne(on.all).chain(({ alias, password }) =>
      written(alias).map((name) => ({ alias: name, password })),
    ),
    "POST /change_password": fc.oneof(
      pickOne(on.prey).map(({ alias, password }) => ({ alias, current_password: password })),
      pickOne(on.recoveries),
    ),
    "POST /new": newAlias.map((alias) => ({ alias, join_code: JOIN_CODE })),
    "POST /edit_player/{url_id}": fc.option(newAlias, { nil: undefined }).map((alias) => ({ alias })),
    "POST /get_player/{url_id}": aliasOf(on.all).map((alias) => ({ alias })),
    "POST /get_pfp/{url_id}": written(on.dee.alias).map((alias) => ({ alias })),
    "POST /zombie/hunt/{url_id}": tagged({ tag_code: code, share_with: pickOne([undefined, [], ["Gil"]]) }),
    "POST /player/report_tagged/{url_id}": fc.record({
      by_alias: pickOne([undefined, on.zed.alias]),
      tagged_at: fc.option(ago(0, 1_000), { nil: undefined }),
    }),
    "POST /interactions/dispute/{url_id}": hunt,
    "POST /notifications/withdraw/{url_id}": fc.constant({ notification_id: on.scheduled }),
    "GET /interactions/tree/{url_id}": pickOne([undefined, ...on.hunts]).map((root) => ({ root })),
    "GET /notifications/status/{url_id}": fc.constant({ notification_id: on.notification }),
    ...Object.fromEntries(
      [...on.cursors]
        .filter(([route]) => route.startsWith("GET "))
        .map(([route, pages]) => {
          const continued = pages.map(({ query, cursor }) => ({ ...query, cursor }));
          return [route, pickOne([...continued, ...pages.map(({ query }) => query), {}])];
        }),
    ),
  };
};
