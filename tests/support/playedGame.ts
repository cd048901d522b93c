/** A game in which everything has happened once, with every kind of item that the service stores. */
import { randomUUID } from "node:crypto";
import { HOUR } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { blackPng } from "./pictures.ts";
import type { Result, TestEnvironment, TestPlayer } from "./service.ts";
import { fill, scan } from "./table.ts";
import { makeBrowser } from "./webPush.ts";

/** Its players. */
export interface Played {
  gm: TestPlayer;
  /** An original zombie, who has tagged Ben and Cid. */
  ada: TestPlayer;
  /** Tagged by Ada, cured, tagged again by Cid. */
  ben: TestPlayer;
  cid: TestPlayer;
  /** A human with a picture and subscriptions. */
  dee: TestPlayer;
  /** Tagged Ewa's prey, and left. */
  gone: TestPlayer;
}

const play = async (s: TestEnvironment): Promise<Played> => {
  const upon = (gm: TestPlayer, what: string, { id }: TestPlayer) =>
    s.must(`POST /admin/${what}/{url_id}`, { as: gm, body: { player_id: id } });
  const tag = async (hunter: TestPlayer, prey: TestPlayer | string, more = {}): Promise<Result> => {
    const result = await s.hunt(hunter, prey, more);
    if (result.status !== 200) throw new Error(`hunt: ${result.status} ${result.text}`);
    return result;
  };

  const gm = await s.admin();
  const [ada, ben, cid, dee] = [
    await s.join("Ada"),
    await s.join("Ben"),
    await s.join("Cid"),
    await s.join("Dee"),
  ];
  const [eve, fay, gone, late] = [
    await s.join("Eve"),
    await s.join("Fay"),
    await s.join("Gus"),
    await s.join("Ira Ößé"),
  ];
  await s.outbreak(gm, ada);
  await s.outbreak(gm, gone);
  await tag(ada, ben, { note: "behind the library", latitude: 51.5, longitude: -0.1 });
  await tag(ada, cid, { share_with: ["Ben"] });
  await tag(gone, eve, { note: "at the bridge\u2028by night" });
  const mistake = await tag(ada, late, { share_with: ["Cid"] });
  await s.must("POST /admin/void_hunt/{url_id}", {
    as: gm,
    body: { interaction_id: mistake.body.interaction.interaction_id, reason: "The wrong code." },
  });
  await upon(gm, "cure", ben);
  await tag(cid, (await s.see(ben)).tag_code);
  await s.must("POST /admin/revive_h/{url_id}", { as: gm, body: { player_id: gm.id } });
  await upon(gm, "corpsify", fay);
  await upon(gm, "feed_player", ada);
  await s.must("POST /edit_player/{url_id}", { as: dee, body: { alias: "Dée", email: "dee@example.org" } });
  await s.must("POST /set_pfp/{url_id}", {
    as: dee,
    raw: { body: blackPng(8, 8), type: "application/octet-stream" },
  });
  for (let n = 0; n < 2; n += 1) {
    const { p256dh, auth } = makeBrowser();
    const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${randomUUID()}`;
    await s.must("POST /notifications/subscribe/{url_id}", { as: dee, body: { endpoint, p256dh, auth } });
  }
  await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
  await s.must("POST /admin/player_at_checkpoint/{url_id}", { as: gm, body: { player_id: dee.id } });
  await s.must("POST /admin/recover_password/{url_id}", { as: gm, body: { player_id: ada.id } });
  await s.must("POST /admin/zombies_add_day/{url_id}", { as: gm });
  await s.must("DELETE /delete_player/{url_id}", { as: gone });
  await s.must("POST /edit_player/{url_id}", { as: late, body: { first_name: "Ira" }, key: "once" });
  // Failed logins, of no account and of one.
  for (const alias of ["Nobody", "Ada"]) {
    await s.call("POST /login", { body: { alias, password: "not the password" } });
  }
  await s.pass(HOUR);
  await s.sweep();
  return { gm, ada, ben, cid, dee, gone };
};

let known: { played: Played; items: readonly StoredItem[] } | undefined;

/** Puts it into an empty table. It is played once in a process, because that takes a hundred requests. */
export const playGame = async (s: TestEnvironment): Promise<Played> => {
  if (known === undefined) known = { played: await play(s), items: await scan(s) };
  else await fill(s.place(), known.items);
  return known.played;
};
