/** A game in which most things have happened once. itemFixtures.ts adds the other kinds of items. */
import { randomUUID } from "node:crypto";
import { HOUR } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { blackPng } from "./pictures.ts";
import type { Result, TestEnvironment, TestPlayer } from "./service.ts";
import { shortRequests } from "./shortRequests.ts";
import { fill, scan } from "./table.ts";
import { makeBrowser } from "./webPush.ts";

/**
 * Ada is an original zombie, who has tagged Ben and Cid. Ben was cured, and tagged again by Cid. Dee is a human with a
 * picture and subscriptions. Gus, who tagged Eve, has left.
 */
const play = async (s: TestEnvironment) => {
  const { done } = shortRequests(s);
  const tag = async (hunter: TestPlayer, prey: TestPlayer | string, more = {}): Promise<Result> => {
    const result = await s.hunt(hunter, prey, more);
    if (result.status !== 200) throw new Error(`hunt: ${result.status} ${result.text}`);
    return result;
  };

  const gm = await s.admin();
  const upon = (word: string, { id }: TestPlayer) => done(gm, word, { player_id: id });
  const [ada, ben, cid, dee] = await s.joinAll("Ada", "Ben", "Cid", "Dee");
  const [eve, fay, gone, late] = await s.joinAll("Eve", "Fay", "Gus", "Ira Ößé");
  await s.outbreak(gm, ada);
  await s.outbreak(gm, gone);
  await tag(ada, ben, { note: "behind the library", latitude: 51.5, longitude: -0.1 });
  await tag(ada, cid, { share_with: ["Ben"] });
  await tag(gone, eve, { note: "at the bridge\u2028by night" });
  const { interaction_id } = (await tag(ada, late, { share_with: ["Cid"] })).body.interaction;
  await done(gm, "void_hunt", { interaction_id, reason: "The wrong code." });
  await upon("cure", ben);
  await tag(cid, (await s.see(ben)).tag_code);
  await upon("revive_h", gm);
  await upon("corpsify", fay);
  await upon("feed_player", ada);
  await s.must("POST /edit_player/{url_id}", { as: dee, body: { alias: "Dée", email: "dee@example.org" } });
  const raw = { body: blackPng(8, 8), type: "application/octet-stream" };
  await s.must("POST /set_pfp/{url_id}", { as: dee, raw });
  for (let n = 0; n < 2; n += 1) {
    const { p256dh, auth } = makeBrowser();
    const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${randomUUID()}`;
    await s.must("POST /notifications/subscribe/{url_id}", { as: dee, body: { endpoint, p256dh, auth } });
  }
  await done(gm, "set_checkpoint", { name: "The bridge" });
  await upon("player_at_checkpoint", dee);
  await upon("recover_password", ada);
  await done(gm, "zombies_add_day");
  await s.must("DELETE /delete_player/{url_id}", { as: gone });
  await s.must("POST /edit_player/{url_id}", { as: late, body: { first_name: "Ira" }, key: "once" });
  // Failed logins, of no account and of one.
  for (const alias of ["Nobody", "Ada"])
    await s.call("POST /login", { body: { alias, password: "not the password" } });
  await s.pass(HOUR);
  await s.sweep();
  return { gm, ada, ben, cid, dee, gone };
};

export type Played = Awaited<ReturnType<typeof play>>;

let known: { played: Played; items: readonly StoredItem[] } | undefined;

/** Puts the game into an empty table. Each process plays it once, because that takes a hundred requests. */
export const playGame = async (s: TestEnvironment): Promise<Played> => {
  if (known === undefined) known = { played: await play(s), items: await scan(s) };
  else await fill(s.place(), known.items);
  return known.played;
};
