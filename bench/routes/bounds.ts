/**
 * The most that one request of each route may cost, whoever sends it and whatever it contains, in a game that has lasted
 * half of a year's schedule. A route without a bound fails the `routes` part and tests/contract/lists.test.ts.
 */

/** A figure, or how it follows from the number of players. */
export type Amount = number | ((players: number) => number);

interface More {
  /** The units of the first of several requests, which stores or remembers something for the others. */
  first?: { read: Amount; write: Amount };
  /** Of a public route: bytes sent for each byte received. */
  perByte?: number;
  /** Processor time as a multiple of that of `GET /player`. It is shown, and never fails. */
  cpu?: Amount;
}

export interface Bound extends More {
  read: Amount;
  write: Amount;
  /** Kilobytes of the response with its headers, as sent to a client that accepts no compression. */
  kb: Amount;
}

const most = (read: Amount, write: Amount, kb: Amount, more: More = {}): Bound => ({
  ...{ read, write, kb },
  ...more,
});

/** A request without a valid token, or without the role. */
export const REJECTED = most(3, 0, 1);

/** A request to a public route that is rejected before anybody is known, which writes no log entry either. */
export const REJECTED_IN_PUBLIC = most(3, 0, 1);

/** Processor time that a route without a bound of its own may take. */
export const USUAL_CPU = 25;

/** An amount for each player, up to a number of players. */
const each =
  (fixed: number, amount: number, upTo = Number.POSITIVE_INFINITY): Amount =>
  (players) =>
    // The people of the examples and their game masters are players too.
    fixed + amount * Math.min(players + 20, upTo);

/** A page of up to 1,000 entries of an index, of which a unit has about 33, and its kilobytes. */
const page = (fixed: number, kbEach: number): Bound =>
  most(each(fixed, 0.034, 1_000), 0, each(3, kbEach, 1_000));

/** A command on one player: the player, three indexes, a tag code, an interaction, counters and a log entry. */
const ON_ONE_PLAYER = most(6.5, 17, 3);
/** The largest picture that is stored, in kilobytes, each of which is a write unit. */
const PICTURE = 352;
/** A setting, a note or a check-in, with its log entry. */
const SMALL = most(6.5, 12, 3);
/** The player of a token, and an item. */
const READ = most(5.5, 0, 3);
/** The same with a log entry. */
const READ_BY_STAFF = most(8, 1, 5);
/** The item of all bans, in kilobytes, and the units of reading it. A transaction writes two units for each kilobyte. */
const BANS = 36;
const BANS_READ = 9;
const CHANGE_OF_BANS = most(10 + BANS_READ, 12 + 2 * BANS, 3);
/** Whether the caller attended each of 20 missions, which takes half a unit each. */
const MISSION_READS = 20 / 2;
const PUBLIC_FILE = most(0, 0, 6, { perByte: 60 });
/** The page with the name of the game: its item, and its texts when they have changed. */
const PUBLIC_PAGE = most(1, 0, 8, { perByte: 80, first: { read: 6, write: 0 } });

export const BOUNDS: Readonly<Record<string, Bound>> = {
  // Without a token.
  "GET /health": most(0, 0, 1, { perByte: 6 }),
  "GET /": PUBLIC_PAGE,
  "GET /app": PUBLIC_FILE,
  "GET /unsubscribe_email": PUBLIC_FILE,
  // The largest script, which a client may keep for a year.
  "GET /app/{path+}": most(1, 0, 195, { perByte: 80, first: { read: 6, write: 0 } }),
  // Drawn at most once a minute.
  "GET /preview.png": most(0, 0, 90, { perByte: 900, first: { read: each(40, 0.1), write: 0 } }),
  "GET /docs": most(0, 0, 3, { perByte: 25 }),
  "GET /openapi.json": most(0, 0, 360, { perByte: 3_100 }),
  // Only the compressed script is stored, and a client may keep it for a year.
  "GET /docs/scalar.js": most(0, 0, 1_300, { perByte: 12_000 }),
  "GET /notifications/vapid_public_key": most(0, 0, 1, { perByte: 6 }),
  // The game, and the board that is stored every 15 seconds for everybody; rules of 20 KB and a year of history. With the
  // waiver, its 20 KB.
  "GET /public": most(5, 0, 90, { perByte: 650, first: { read: each(40, 0.1), write: 100 } }),
  "GET /pictures/{picture_id}": most(2 + PICTURE / 8, 0, 10 + PICTURE, { perByte: 3_500 }),
  // The bans, which must not change meanwhile, and whether the newcomer has left before; a unit for each word of the names and
  // the address, and for each form of the alias; a signature; and the link that confirms the address, with the mail.
  "POST /new": most(20 + BANS_READ, 55 + 2 * BANS, 3, { perByte: 8 }),
  "POST /check_setup": most(4, 3, 1),
  "POST /forgot_password": most(2, 4, 1),
  // The bans, which must not change meanwhile.
  "POST /confirm_email": most(8 + BANS_READ, 8 + 2 * BANS, 1),
  "POST /unsubscribe_email": most(4, 8, 1),
  "POST /login": most(3, 6, 1, { perByte: 8 }),
  // Of a player with a push subscription.
  "POST /logout": most(3.5, 10, 1),
  "POST /change_password": most(5.5, 16, 1, { perByte: 8 }),

  // Of players.
  "GET /session/me": READ,
  "GET /player/{url_id}": READ,
  "POST /get_player/{url_id}": READ,
  "GET /checkpoint/{url_id}": READ,
  "GET /pfp/{url_id}": most(4 + PICTURE / 4, 0, 10 + PICTURE),
  "POST /get_pfp/{url_id}": most(6 + PICTURE / 4, 0, 10 + PICTURE),
  // 20 missions, of which a unit has 8 KB, and for each with a desk whether the caller attended; for a game master also how many
  // attended each that is open.
  "GET /missions/{url_id}": most(6.5 + 2 * MISSION_READS, 0, 40),
  "GET /game/{url_id}": most(12, 0, 30),
  "GET /live/{url_id}": most(35, 0, 40),
  "GET /users/{url_id}": page(4, 0.2),
  "GET /zombie/next_feeding/{url_id}": READ,
  // The first counts up to 1,000 hungry zombies.
  "GET /zombie/starvation/{url_id}": most(each(8, 0.042, 1_000), 0, each(3, 0.2, 1_000), {
    first: { read: each(8, 0.042), write: 0 },
  }),
  // At most 1,000 interactions are looked through, and each of 200 that are shown has two names.
  "GET /interactions/{url_id}": most(210, 0, 100),
  // The board of survivors reads the roster.
  "GET /interactions/leaderboard/{url_id}": most(each(4, 0.034), 0, each(3, 0.22, 1_000), { cpu: 50 }),
  // At most 10,000 infections.
  "GET /interactions/tree/{url_id}": most(each(4, 0.02, 30_000), 0, each(3, 0.1, 30_000), { cpu: 400 }),
  "GET /interactions/awards/{url_id}": most(2.5, 0, 10, { first: { read: each(6, 0.1), write: 0 } }),
  // The roster, and what was stored of closed hours.
  "GET /interactions/stats/{url_id}": most(each(8, 0.04), 0, 70, {
    ...{ cpu: 50, first: { read: each(10, 0.1), write: 100 } },
  }),
  "GET /notifications/inbox/{url_id}": most(35, 0, 300),
  // With the bans, as above, and the link that confirms a new address, and its mail.
  "POST /edit_player/{url_id}": most(16 + BANS_READ, 53 + 2 * BANS, 3),
  // The password and the names of a player who leaves during play.
  "DELETE /delete_player/{url_id}": most(16, 64 + PICTURE, 1),
  "POST /set_pfp/{url_id}": most(6 + PICTURE / 4, 30 + 2 * PICTURE, 1, { cpu: 100 }),
  "POST /player/report_tagged/{url_id}": ON_ONE_PLAYER,
  "POST /player/enrol/{url_id}": SMALL,
  // An antidote; the player may have all badges, and all codes of the batch.
  "POST /player/redeem/{url_id}": most(12, 20, 5),
  "GET /waiver/{url_id}": most(8, 0, 30),
  "POST /player/sign/{url_id}": most(12, 20, 5),
  // Five who share, each with three indexes.
  "POST /zombie/hunt/{url_id}": most(11, 65, 3),
  "POST /interactions/dispute/{url_id}": SMALL,
  "POST /notifications/subscribe/{url_id}": most(5.5, 16, 3),
  "DELETE /subscriptions/unsubscribe/{url_id}": most(9, 12, 1),

  // Of moderators and game masters.
  "GET /admin/settings/{url_id}": most(21, 1, 60),
  // A page of the table, which has at most a megabyte.
  "GET /admin/archive/{url_id}": most(270, 1, 2_500, { cpu: 300 }),
  "GET /admin/season/{url_id}": most(30, 1, 30),
  // The whole table, which the dry run reads and counts.
  "POST /admin/reset_season/{url_id}": most(each(50, 5), 12, 3, { cpu: each(300, 3) }),
  // 50 join codes, or with `unique_email` a transaction for each address.
  "POST /admin/settings/{url_id}": most(each(20, 0.6), each(60, 4), 60, { cpu: each(60, 5) }),
  // All subscriptions, and up to 1,000 players who have one.
  "GET /admin/player_count/{url_id}": most(
    (players) => 15 + 0.07 * (players + 20) + 0.55 * Math.min(players + 20, 1_000),
    1,
    3,
    {
      cpu: 100,
    },
  ),
  // Of reviews, 100 players are looked through and 60 departures read, each with the records that its state depends on:
  // up to 17 tags and feedings, each of which may have been voided.
  "GET /admin/alerts/{url_id}": most(8 + BANS_READ + 100 + 60 * (4 + 2 * 17), 1, 50),
  "GET /admin/bans/{url_id}": most(8 + BANS_READ, 1, 5 + BANS),
  "GET /admin/find/{url_id}": most(14, 1, 7),
  "GET /admin/disputes/{url_id}": most(110, 1, 200),
  // Complete players: a search reads them all.
  // With the filter `invited` also the credential of each.
  "GET /admin/get_players/{url_id}": most(each(6, 1.1), 1, each(3, 0.7, 1_000), { cpu: 300 }),
  "GET /admin/get_logs/{url_id}": most(each(8, 0.062), 1, each(3, 0.7, 1_000), { cpu: 50 }),
  "GET /notifications/status/{url_id}": READ_BY_STAFF,
  "POST /admin/inject_sql/{url_id}": most(each(6, 0.032, 1_000), 1, each(3, 0.4, 1_000)),
  "POST /admin/corpsify/{url_id}": ON_ONE_PLAYER,
  "POST /admin/cure/{url_id}": ON_ONE_PLAYER,
  "POST /admin/revive_h/{url_id}": ON_ONE_PLAYER,
  "POST /admin/revive_z/{url_id}": ON_ONE_PLAYER,
  "POST /admin/feed_player/{url_id}": ON_ONE_PLAYER,
  "POST /admin/make_spectator/{url_id}": ON_ONE_PLAYER,
  "POST /admin/show_secrets/{url_id}": ON_ONE_PLAYER,
  // The hunter's line of infections: at most as many generations as a game has.
  "POST /admin/name_hunter/{url_id}": most(40, 30, 3),
  "POST /admin/new_tag_code/{url_id}": ON_ONE_PLAYER,
  "POST /admin/hunt/{url_id}": most(11, 65, 3),
  "POST /admin/lift_lockout/{url_id}": SMALL,
  "POST /admin/recover_password/{url_id}": SMALL,
  "POST /admin/player_at_checkpoint/{url_id}": SMALL,
  // The attendance, the desk of the mission and a log entry; the stored response of a request with a key is the fourth.
  "POST /admin/mission_attendance/{url_id}": most(6.5, 8, 3),
  // A mission of 48 KB, of which a transaction writes two units for each, and what it announces.
  "POST /admin/set_mission/{url_id}": most(6.5, 200, 60),
  "POST /admin/mission_picture/{url_id}": most(10, 40 + 2 * PICTURE, 10, { cpu: 100 }),
  "POST /admin/close_mission/{url_id}": most(each(20, 3), each(60, 20), 3, { cpu: 5_000 }),
  "POST /admin/reopen_mission/{url_id}": most(each(20, 3), each(60, 20), 3, { cpu: 5_000 }),
  "POST /admin/enforce_missions/{url_id}": most(each(70, 1.3), each(20, 7), 3, { cpu: 5_000 }),
  // Of everybody: the credential, the mails, and whether the address is suppressed or has another owner.
  "POST /admin/send_invitations/{url_id}": most(each(30, 6), each(30, 12), 3, { cpu: each(300, 3) }),
  "POST /admin/send_mail/{url_id}": SMALL,
  "POST /admin/lift_suppression/{url_id}": SMALL,
  // 1,000 mails, and the alias of each recipient; suppressed addresses, each with its player.
  "GET /admin/mail/{url_id}": most(each(40, 1.7, 1_000), 1, each(3, 0.4, 1_000)),
  "POST /admin/pause_game/{url_id}": SMALL,
  "POST /admin/resume_game/{url_id}": SMALL,
  "POST /admin/zombies_add_day/{url_id}": most(6.5, 20, 1),
  "POST /admin/set_checkpoint/{url_id}": most(6.5, 20, 3),
  "POST /admin/ban/{url_id}": CHANGE_OF_BANS,
  "POST /admin/unban/{url_id}": CHANGE_OF_BANS,
  "POST /admin/comment_dispute/{url_id}": SMALL,
  "POST /admin/resolve_dispute/{url_id}": most(11, 34, 3),
  "POST /admin/void_hunt/{url_id}": most(8.5, 32, 3),
  "POST /admin/remove_player/{url_id}": most(16, 64 + PICTURE, 1),
  "POST /admin/edit_player/{url_id}": most(12, 52 + PICTURE, 3),
  "POST /notifications/withdraw/{url_id}": most(6.5, 12, 4),

  // Codes: the player, the interactions, the code and the redemption.
  "POST /admin/undo_redemption/{url_id}": most(14, 25, 3),
  // 500 codes, each an item, and their sheet.
  "POST /admin/create_codes/{url_id}": most(12, 1_060, 16, { cpu: 200 }),
  "POST /admin/revoke_codes/{url_id}": most(10, 1_030, 3, { cpu: 100 }),
  // 200 batches, or the redemptions of one, and its sheet.
  "POST /admin/paper_signature/{url_id}": most(12, 20, 5),
  "GET /admin/readiness/{url_id}": most(each(30, 1.1), 1, each(3, 0.7, 1_000), { cpu: 300 }),
  "GET /admin/signatures/{url_id}": most(each(40, 1), 1, each(40, 1, 500), { cpu: 300 }),
  "GET /admin/codes/{url_id}": most(each(40, 0.1), 4, each(140, 0.5, 1_000), { cpu: 100 }),

  // On many players.
  "POST /admin/admit/{url_id}": most(160, 1_200, 10),
  "POST /admin/label/{url_id}": most(85, 180, 10, { cpu: 50 }),
  "POST /admin/void_hunts/{url_id}": most(460, 2_350, 40, { cpu: 600 }),
  // The rows of the bench are as many as the players, up to 500. Rows that are created together read the bans once.
  "POST /admin/import_players/{url_id}": most(each(20, 15, 500), each(20, 37, 500), each(2, 0.22, 500), {
    cpu: 2_500,
  }),
  // All humans are looked at, and 40 drawn.
  "POST /admin/draw_originals/{url_id}": most(each(10, 0.6), 400, 5, { cpu: 500 }),
  // Up to 1,000 zombies.
  "POST /admin/feed/{url_id}": most(each(8, 0.014, 3_000), each(30, 3.2, 3_000), each(1, 0.03, 3_000), {
    cpu: 1_500,
  }),
  "POST /admin/kill_all_not_at_checkpoint/{url_id}": most(each(10, 1.2), each(20, 7), 3, { cpu: 5_000 }),
  "POST /admin/undo_checkpoint/{url_id}": most(each(10, 3.3), each(20, 9), 3, { cpu: 5_000 }),
  "POST /admin/revive_all/{url_id}": most(each(10, 1.7), each(20, 9), 3, { cpu: 5_000 }),
  "POST /admin/feed_group/{url_id}": most(each(10, 1), each(20, 3.2), 3, { cpu: 3_000 }),
  // Up to some hundred subscriptions are read with their players; of more, the list is planned first.
  "POST /notifications/send/{url_id}": most(each(190, 0.06), 60, 4, { cpu: 100 }),
  // Those who get awards, all missions and open disputes; a dry run computes the awards.
  // The lines of fifty seasons.
  "GET /seasons": most(150, 0, 30),
  "GET /seasons/{season_id}": most(each(150, 0.3), 0, 600, { cpu: 500 }),
  "POST /admin/finish_season/{url_id}": most(each(200, 0.2), 60, 30, { cpu: 300 }),
  "POST /admin/reopen_season/{url_id}": most(15, 60, 3),
};
