/** The largest legal request of each route that takes a body or a query. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { MAX_BADGES } from "../../lib/domain/rewards/reward.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { firstIdAt, keys } from "../../lib/store/keys.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { noisyPng } from "../../tests/support/pictures.ts";
import { makeBrowser } from "../../tests/support/webPush.ts";
import type { RequestOptions } from "../support/events.ts";
import { PASSWORD } from "../support/game.ts";
import {
  JOIN_CODES,
  LONGEST_ASK,
  longestBatch,
  longestSettings,
  longestSignature,
  longText,
  SCHEDULED_DAYS,
  type Stage,
} from "./stage.ts";

/** A request, and its status if it does not succeed. */
export type LargestRequest = RequestOptions & { status?: number };
export type Largest = LargestRequest | ((stage: Stage) => LargestRequest | Promise<LargestRequest>);

const REASON = longText(280);
const LONG_ALIAS = "ﷺ".repeat(200);
const NOBODY = "A".repeat(22);

const page = (limit: number, query: Record<string, string> = {}, status?: number): LargestRequest => ({
  query: { limit: `${limit}`, ...query },
  ...(status === undefined ? {} : { status }),
});

/** Ids of the first interactions: everything is later. */
const oldest = ({ game }: Stage): string => firstIdAt(game.services.clock() - SCHEDULED_DAYS * DAY);

const aliases = ({ players }: Stage, most: number): string[] =>
  players.slice(0, most).map(({ alias }) => alias);

/** One-letter words: each is stored as an item of its own. */
const manyWords = (from: number, length: number): string =>
  Array.from({ length: Math.ceil(length / 2) }, (_, n) => String.fromCodePoint(from + n))
    .join(" ")
    .slice(0, length);

const enforce = async ({ game, on }: Stage): Promise<string> => {
  const { checkpoint } = await game.call("GET /checkpoint/{url_id}", { as: on.gm });
  const route = "POST /admin/kill_all_not_at_checkpoint/{url_id}";
  const { checkpoint_id } = checkpoint;
  await game.call(route, { as: on.gm, body: { checkpoint_id } });
  return checkpoint_id;
};

/** Finishes the season, for requests that need it. @returns the stage with the id of the season */
export const finishSeason = async (stage: Stage): Promise<Stage> => {
  const { game, on } = stage;
  const body = { result: "none", grace_seconds: 0 };
  await game.call("POST /admin/finish_season/{url_id}", { as: on.gm, body });
  const { season_id: season } = await game.call("GET /game/{url_id}", { as: on.gm });
  return { ...stage, on: { ...on, season } };
};

const askAll = async ({ game, on }: Stage): Promise<void> => {
  await game.call("POST /admin/settings/{url_id}", { as: on.gm, body: LONGEST_ASK });
};

const withJoinCodes = async ({ game, on }: Stage): Promise<void> => {
  await game.call("POST /admin/settings/{url_id}", { as: on.gm, body: { join_codes: JOIN_CODES } });
};

/** A code of the largest batch. An antidote cures Zed, an original zombie, who has all other badges. */
const newCode = async ({ game, on }: Stage, effect: object): Promise<string> => {
  await game.call("POST /admin/settings/{url_id}", { as: on.gm, body: { originals_cured: true } });
  const body = longestBatch(effect);
  const { codes } = await game.call("POST /admin/create_codes/{url_id}", { as: on.gm, body });
  const { db } = game.services.store;
  const item = await db.get(keys.player(on.zed.id));
  const badge = { name: longText(30), symbol: longText(8), by: firstIdAt(0) };
  if (item !== undefined)
    await db.put({ ...item, badges: Array.from({ length: MAX_BADGES - 1 }, () => badge) });
  return codes[7].code;
};

/** Lets Ada change her alias: once play has begun, a registration counts as the change of that day. */
const registeredLongAgo = async ({ game, on }: Stage): Promise<void> => {
  const { db } = game.services.store;
  const item = await db.get(keys.player(on.ada.id));
  const created_at = rfc3339(game.services.clock() - SCHEDULED_DAYS * DAY);
  if (item !== undefined) await db.put({ ...item, created_at });
};

/** The path of the largest file of the web app. */
const largestAsset = async (): Promise<string> => {
  const folder = join(ROOT, "web/dist/assets");
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return `assets/${names[sizes.indexOf(Math.max(...sizes))]}`;
};

/** By route, each or several. The request of the documented example is the largest of the other routes. */
export const LARGEST: Readonly<Record<string, Largest | readonly Largest[]>> = {
  "POST /new": async (stage) => {
    await withJoinCodes(stage);
    await askAll(stage);
    return {
      body: {
        alias: manyWords(0x61, 30),
        password: longText(128),
        first_name: manyWords(0x3b1, 60),
        last_name: manyWords(0x430, 60),
        email: `${"a.b-c.".repeat(10)}x@${"example.".repeat(22)}org`,
        wants_original: true,
        join_code: JOIN_CODES[7]?.code,
        signature: longestSignature(),
        login: true,
        cookie: true,
      },
    };
  },
  "POST /login": {
    body: { alias: LONG_ALIAS, password: "x".repeat(512), device_token: "x".repeat(200) },
    status: 401,
  },
  "POST /logout": { body: { everywhere: true } },
  "POST /change_password": {
    body: {
      alias: "Ada",
      current_password: PASSWORD,
      new_password: longText(128),
      device_token: "x".repeat(200),
    },
  },
  "POST /edit_player/{url_id}": async (stage) => {
    await registeredLongAgo(stage);
    return {
      body: {
        alias: manyWords(0x61, 30),
        first_name: manyWords(0x3b1, 60),
        last_name: manyWords(0x430, 60),
        email: `${"a.b-c.".repeat(10)}x@${"example.".repeat(22)}org`,
        wants_original: true,
      },
    };
  },
  "POST /get_player/{url_id}": [
    { body: { player_ref: NOBODY }, status: 404 },
    { body: { alias: LONG_ALIAS }, status: 404 },
  ],
  "GET /users/{url_id}": page(1_000),
  "GET /live/{url_id}": (stage) => ({ query: { after: oldest(stage), inbox_after: oldest(stage) } }),
  "POST /get_pfp/{url_id}": { body: { alias: LONG_ALIAS }, status: 404 },
  "POST /set_pfp/{url_id}": async () => {
    // Four megabytes, not compressed.
    const png = await noisyPng(1_160);
    return { body: { image: png.toString("base64") } };
  },
  "POST /player/report_tagged/{url_id}": ({ game }) => ({
    body: { by_alias: "Zed", tagged_at: rfc3339(game.services.clock() - 1) },
  }),
  "POST /player/sign/{url_id}": async (stage) => {
    await askAll(stage);
    return { body: longestSignature() };
  },
  "POST /admin/paper_signature/{url_id}": async (stage) => {
    await askAll(stage);
    const { on } = stage;
    const { version: _, ...paper } = longestSignature();
    return {
      body: { player_id: on.ben.id, ...paper, full_name: longText(119), guardian_name: longText(120) },
    };
  },
  "GET /public": { query: { waiver: "true" } },
  "POST /player/redeem/{url_id}": [
    // An antidote that was entered offline.
    async (stage) => ({
      as: stage.on.zed,
      body: {
        code: await newCode(stage, { cure: true }),
        redeemed_at: rfc3339(stage.game.services.clock() - 1),
      },
    }),
    async (stage) => ({ as: stage.on.zed, body: { code: await newCode(stage, { feed_seconds: HOUR }) } }),
    { body: { code: "2222222222" }, status: 404 },
  ],
  "POST /admin/create_codes/{url_id}": ({ game }) => ({
    body: {
      ...longestBatch({ feed_seconds: HOUR }),
      valid_from: rfc3339(game.services.clock()),
      valid_until: rfc3339(game.services.clock() + DAY),
    },
  }),
  "GET /admin/codes/{url_id}": [
    page(1_000),
    async ({ game, on }) => {
      const body = longestBatch({});
      const made = await game.call("POST /admin/create_codes/{url_id}", { as: on.gm, body });
      return page(1_000, { batch_id: made.batch_id, sheet: "1" });
    },
  ],
  "POST /admin/revoke_codes/{url_id}": async ({ game, on }) => {
    const body = longestBatch({});
    const made = await game.call("POST /admin/create_codes/{url_id}", { as: on.gm, body });
    return { body: { batch_id: made.batch_id } };
  },
  "POST /admin/undo_redemption/{url_id}": async (stage) => {
    const { game, on } = stage;
    const body = { code: await newCode(stage, { cure: true }) };
    const made = await game.call("POST /player/redeem/{url_id}", { as: on.zed, body });
    return { body: { redemption_id: made.redemption_id } };
  },
  "POST /zombie/hunt/{url_id}": ({ game, on, players }) => ({
    body: {
      tag_code: on.ada.code,
      hunted_at: rfc3339(game.services.clock() - 1),
      share_with: [0, 3].map((n) => players[n]?.alias),
      latitude: 47.376_912_345,
      longitude: 8.541_712_345,
      note: longText(280),
    },
  }),
  "GET /zombie/starvation/{url_id}": page(1_000),
  "GET /interactions/{url_id}": [
    page(200),
    // Nothing is of this kind and about this player: a search looks through as many interactions as it may.
    (stage) => page(200, { kind: "cure", player: "me", after: oldest(stage) }),
    page(200, { player: NOBODY }, 404),
  ],
  "GET /interactions/leaderboard/{url_id}": [
    page(1_000),
    page(1_000, { board: "survivors" }),
    page(1_000, { board: "points" }),
  ],
  "GET /interactions/tree/{url_id}": { query: { depth: "200" } },
  "POST /interactions/dispute/{url_id}": ({ on }) => ({
    body: { interaction_id: on.hunt, reason: longText(1_000) },
  }),
  "GET /admin/player_count/{url_id}": [{ query: { audience: "all" } }, { query: { audience: "humans" } }],
  "POST /notifications/subscribe/{url_id}": () => {
    const { p256dh, auth } = makeBrowser();
    const endpoint = `https://fcm.googleapis.com/fcm/send/${"x".repeat(900)}`;
    return { body: { endpoint, p256dh, auth } };
  },
  "DELETE /subscriptions/unsubscribe/{url_id}": {
    query: { endpoint: `https://fcm.googleapis.com/fcm/send/${"x".repeat(900)}` },
  },
  "POST /notifications/send/{url_id}": {
    body: { title: longText(120), content: longText(2_000), player_groups: "All", reason: REASON },
  },
  "GET /notifications/inbox/{url_id}": (stage) => page(100, { after: oldest(stage) }),
  "POST /admin/draw_originals/{url_id}": { body: { n: 40 } },
  "POST /admin/feed/{url_id}": { body: { n: 1_000 } },
  "GET /admin/get_players/{url_id}": [
    page(1_000),
    page(1_000, { search: "nobody" }),
    page(1_000, { invited: "true" }),
  ],
  "GET /admin/find/{url_id}": { query: { q: "player x 1" } },
  "GET /admin/get_logs/{url_id}": page(1_000, { action: "unban" }),
  "POST /admin/set_checkpoint/{url_id}": ({ game }) => ({
    body: {
      name: longText(80),
      description: longText(1_000),
      latitude: 47.376_912_345,
      longitude: 8.541_712_345,
      closes_at: rfc3339(game.services.clock() + HOUR),
      applies_to: "all",
    },
  }),
  "GET /missions/{url_id}": [
    page(20),
    page(100),
    // Of open missions, a game master is shown how many attended.
    async ({ game, on }) => {
      const { missions } = await game.call("GET /missions/{url_id}", { as: on.gm, query: { limit: "20" } });
      for (const { mission_id, closed_at } of missions)
        if (closed_at !== null)
          await game.call("POST /admin/reopen_mission/{url_id}", { as: on.gm, body: { mission_id } });
      return { ...page(20), as: on.gm };
    },
    // How many of the required ones the caller attended stands in the first page.
    async ({ game, on }) => {
      await game.call("POST /admin/settings/{url_id}", { as: on.gm, body: { missions_required: 3 } });
      return page(20);
    },
  ],
  "POST /admin/set_mission/{url_id}": ({ game }) => {
    const now = game.services.clock();
    const reveal_at = rfc3339(now - HOUR);
    const audiences = ["all", "humans", "zombies", "corpses", "all", "humans", "zombies", "corpses"];
    return {
      body: {
        ...{ title: longText(80), place: longText(200), latitude: 47.376_912_345, longitude: 8.541_712_345 },
        ...{ starts_at: rfc3339(now + HOUR), ends_at: rfc3339(now + DAY), attendance: "desk" },
        briefings: audiences.map((audience) => ({ audience, text: longText(5_000), reveal_at })),
      },
    };
  },
  "POST /admin/close_mission/{url_id}": ({ on }) => ({ body: { mission_id: on.mission, result: "both" } }),
  // A dry run computes the awards.
  "POST /admin/finish_season/{url_id}": (stage) => ({
    body: {
      ...{ result: "humans", note: longText(280), grace_seconds: 3_600, dry_run: true },
      awards: aliases(stage, 20).map((alias) => ({ title: longText(60), alias, text: longText(280) })),
    },
  }),
  "POST /admin/reopen_season/{url_id}": async (stage) => {
    await finishSeason(stage);
    return { body: { reason: REASON } };
  },
  "POST /admin/enforce_missions/{url_id}": { body: { min: 1 } },
  "POST /admin/kill_all_not_at_checkpoint/{url_id}": { body: {} },
  "POST /admin/undo_checkpoint/{url_id}": async (stage) => ({
    body: { checkpoint_id: await enforce(stage), reason: REASON },
  }),
  "POST /admin/void_hunts/{url_id}": async ({ game, on }) => {
    const { interactions } = await game.call("GET /interactions/{url_id}", {
      as: on.gm,
      query: { kind: "hunt", limit: "200" },
    });
    const ids = interactions.map(({ interaction_id }: { interaction_id: string }) => interaction_id);
    return { body: { interaction_ids: ids.slice(0, 100) } };
  },
  "GET /admin/alerts/{url_id}": page(100),
  "GET /admin/archive/{url_id}": page(1_000),
  "POST /admin/edit_player/{url_id}": {
    body: {
      alias: "Ada",
      alias_to: manyWords(0x61, 30),
      first_name: manyWords(0x3b1, 60),
      last_name: manyWords(0x430, 60),
      email: `${"a.b-c.".repeat(10)}x@${"example.".repeat(22)}org`,
      is_moderator: true,
      clear_picture: true,
      note: longText(1_000),
    },
  },
  "POST /admin/inject_sql/{url_id}": {
    body: {
      statement: `SELECT * FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND alias <> '${"x".repeat(8_000)}'`,
      limit: 1_000,
    },
  },
  "GET /admin/settings/{url_id}": async (stage) => {
    await withJoinCodes(stage);
    return {};
  },
  "POST /admin/settings/{url_id}": [
    ({ game }) => ({
      body: {
        ...longestSettings(game.services.clock()),
        description: longText(1_999),
        join_codes: JOIN_CODES,
      },
    }),
    // Every player has an address.
    { body: { unique_email: true } },
  ],
  "POST /admin/ban/{url_id}": ({ on }) => ({ body: { alias: on.ada.alias } }),
  "GET /admin/disputes/{url_id}": page(100),
  "POST /admin/comment_dispute/{url_id}": ({ on }) => ({
    body: { dispute_id: on.hunt, comment: longText(1_000) },
  }),
  "POST /admin/resolve_dispute/{url_id}": ({ on }) => ({
    body: { dispute_id: on.hunt, outcome: "void", note: longText(280) },
  }),
  "POST /admin/admit/{url_id}": (stage) => ({ body: { aliases: ["Pia", ...aliases(stage, 99)] } }),
  "POST /admin/label/{url_id}": (stage) => ({
    body: { aliases: aliases(stage, 50), add: Array.from({ length: 10 }, (_, n) => `label-${n}`) },
  }),
  "POST /admin/revive_all/{url_id}": async (stage) => {
    await enforce(stage);
    return { body: { state: "corpse" } };
  },
  "POST /admin/feed_group/{url_id}": { body: { state: "zombie" } },
  "POST /admin/import_players/{url_id}": ({ size }) => ({
    body: {
      rows: Array.from({ length: Math.min(500, size) }, (_, n) => ({
        alias: `Imported ${n} person`,
        first_name: `First${n}`,
        last_name: `Last${n}`,
        email: `imported.${n}@campus.example.org`,
        labels: ["waiver", "paid", "team-a"],
      })),
    },
  }),
  "GET /docs/scalar.js": { query: { v: "x".repeat(100) } },
  "GET /app/{path+}": [
    // A path without an extension is a page.
    { id: `${"x/".repeat(500)}x` },
    async () => ({ id: await largestAsset() }),
  ],
};

/** Requests without a token that find nothing, by route. */
export const NOT_FOUND: Readonly<Record<string, (stage: Stage) => RequestOptions[]>> = {
  "GET /app/{path+}": () => [{ id: "assets/none.js" }],
  "GET /pictures/{picture_id}": ({ on: { picture } }) => [
    { id: `${NOBODY}.${NOBODY}` },
    { id: picture.replace(/\..*/, `.${NOBODY}`) },
  ],
};
