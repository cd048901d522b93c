/** What is stored of a deleted player. The log is in tests/battery/model. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { PASSWORD, type RequestOptions, type Result, type TestPlayer } from "../support/service.ts";
import { scan } from "../support/table.ts";
import { watchedEnvironment } from "./support.ts";

const { s } = watchedEnvironment();

it.each(["by the player", "by a game master"])(
  "the table has nothing personal of a player who was deleted %s, also not in stored responses",
  async (how) => {
    const gm = await s.admin();
    const sent: [route: string, options: RequestOptions & { as: TestPlayer }][] = [];
    const must = async (path: string, as: TestPlayer, body: object): Promise<Result["body"]> => {
      const request: (typeof sent)[number] = [`POST ${path}/{url_id}`, { as, body, key: randomUUID() }];
      sent.push(request);
      return (await s.must(...request)).body;
    };
    const names = { alias: "Wilhelmina", first_name: "Philomena", last_name: "Harker" };
    const registration = { ...names, password: PASSWORD, email: "philomena@example.org" };
    await s.must("POST /new", { body: registration, key: randomUUID() });
    const mina = await s.login("Wilhelmina", PASSWORD);
    const [zed, prey, other] = await s.joinAll("Zed", "Prey", "Other");
    await s.outbreak(gm, zed);
    const ref = { player_id: mina.id };
    const admin = (word: string, more: object = ref) => must(`/admin/${word}`, gm, more);
    // She is in the responses that others got: as prey, hunter, sharer, infector and target.
    const hunt = (as: TestPlayer, tag_code: string | null, more = {}) =>
      must("/zombie/hunt", as, { tag_code, ...more });
    const { interaction_id } = (await hunt(zed, (await s.see(mina)).tag_code)).interaction;
    const own = (await hunt(mina, prey.code, { note: "a note of hers", share_with: ["Zed"] })).interaction;
    const { interaction_id: dispute_id } = (await hunt(zed, other.code, { share_with: ["Wilhelmina"] }))
      .interaction;
    await admin("feed_player");
    await admin("feed_player", { player_id: prey.id });
    for (const n of [3, 60]) await admin("feed", { n });
    await admin("set_checkpoint", { name: "The gate" });
    await admin("player_at_checkpoint");
    await admin("edit_player", { ...ref, is_moderator: true, last_name: null });
    await must("/interactions/dispute", mina, { interaction_id, reason: "a note of hers: at home" });
    await must("/interactions/dispute", other, { interaction_id: dispute_id, reason: "indoors" });
    await must("/interactions/dispute", prey, { interaction_id: own.interaction_id, reason: "outdoors" });
    await must("/admin/comment_dispute", mina, { dispute_id, comment: "a note of hers" });
    await admin("void_hunt", { interaction_id, reason: "A mistake." });
    for (const word of ["corpsify", "revive_z", "cure"]) await admin(word);
    await admin("edit_player", { ...ref, clear_picture: true, note: "a note about her" });
    await must("/edit_player", mina, { alias: "Wilhelmina II" });
    await admin("edit_player", { ...ref, alias_to: "Wilma" });
    expect((await scan(s)).map((item) => JSON.stringify(item))).toContainEqual(
      expect.stringMatching(/Wilma.*philomena@ex|philomena@ex.*Wilma/),
    );
    const { player_ref } = await s.see(mina);
    const personal = new RegExp(
      `wilhelm|wilma|philomena|harker|a note (of hers|about her)|"${player_ref}"`,
      "i",
    );
    if (how === "by the player") await s.call("DELETE /delete_player/{url_id}", { as: mina });
    else await admin("remove_player");
    expect((await s.call("GET /player/{url_id}", { as: mina })).status).toBe(403);
    for (const item of await scan(s)) {
      expect(JSON.stringify(item)).not.toMatch(personal);
      // Neither the hash of her password, nor sessions, nor subscriptions, nor stored responses.
      expect(item.pk).not.toMatch(new RegExp(`^SECRET#(ONCE#)?${mina.id}`));
    }
    // Others who repeat their requests do not get it either.
    for (const [route, options] of sent.filter(([, { as }]) => as.id !== mina.id)) {
      const { status, text } = await s.call(route, options);
      expect(text, `${route}: ${status}`).not.toMatch(personal);
    }
    // The name is free again, in every form that it had.
    for (const alias of ["Wilhelmina", "Wilma", "wilhelmina ii"]) {
      const body = { alias, password: "not her password" };
      expect((await s.call("POST /new", { body })).status, alias).toBe(201);
    }
  },
);
