/** Every transition of the contract and no other; a refused one changes nothing. */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

type Standing = "human" | "zombie" | "corpse" | "spectator" | "starved";

/** The contract's table, written out: what each command makes of each standing; `409` where it is refused. */
const TABLE: Record<string, Record<Standing, string>> = {
  corpsify: { human: "corpse", zombie: "corpse", corpse: "409", spectator: "409", starved: "409" },
  cure: { human: "409", zombie: "human", corpse: "409", spectator: "409", starved: "409" },
  revive_h: { human: "409", zombie: "409", corpse: "human", spectator: "human", starved: "human" },
  revive_z: { human: "409", zombie: "409", corpse: "zombie", spectator: "zombie", starved: "zombie" },
  feed_player: { human: "409", zombie: "zombie", corpse: "409", spectator: "409", starved: "409" },
};

const KIND: Record<string, string> = {
  corpsify: "corpsify",
  cure: "cure",
  revive_h: "revive_human",
  revive_z: "revive_zombie",
  feed_player: "feed",
};

const CASES = Object.entries(TABLE).flatMap(([command, row]) =>
  Object.entries(row).map(([standing, result]) => [command, standing as Standing, result] as const),
);

/** A player who stands so, and a game master to command. */
const standing = async (wanted: Standing): Promise<{ gm: Someone; target: Someone }> => {
  const gm = await s.admin();
  if (wanted === "spectator") return { gm, target: await s.admin("Onlooker") };
  const target = await s.join("Target");
  if (wanted === "zombie" || wanted === "starved") await s.outbreak(gm, target);
  if (wanted === "starved") await s.pass(49 * HOUR);
  if (wanted === "corpse") {
    await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Target" } });
  }
  return { gm, target };
};

describe("a game master's command", () => {
  it.each(CASES)("%s makes of a %s: %s", async (command, from, result) => {
    const { gm, target } = await standing(from);
    const before = await s.store.player(target.id);
    const answer = await s.call(`POST /admin/${command}/{url_id}`, {
      as: gm,
      body: { player_id: target.id },
    });
    const after = await s.store.player(target.id);
    if (result === "409") {
      expect(answer).toMatchObject({ status: 409, body: { code: "wrong_state" } });
      expect(answer.body.detail).toContain(from === "starved" ? "corpse" : from);
      expect(after).toEqual(before);
      return;
    }
    expect(answer.status).toBe(200);
    expect(answer.body.player.state).toBe(result);
    expect(answer.body.interaction).toMatchObject({
      kind: KIND[command],
      actor: gm.alias,
      target: target.alias,
    });
    expect((await s.see(target)).state).toBe(result);
    const seen = await s.see(target);
    expect(seen).toEqual(answer.body.player);
    if (result === "human") expect(seen.tag_code).not.toBe(target.code);
    if (result === "zombie") expect(Date.parse(seen.starves_at)).toBeGreaterThan(Date.now() + 47 * HOUR);
  });

  it.each(["corpsify", "cure", "revive_h", "revive_z", "feed_player"])(
    "%s upon nobody is 404",
    async (command) => {
      const gm = await s.admin();
      for (const body of [{ alias: "Nobody" }, { player_id: crypto.randomUUID() }]) {
        const answer = await s.call(`POST /admin/${command}/{url_id}`, { as: gm, body });
        expect(answer).toMatchObject({ status: 404, body: { code: "player_not_found" } });
      }
    },
  );
});

describe("a hunt", () => {
  it.each([
    ["human", 409, "wrong_state"],
    ["corpse", 409, "wrong_state"],
    ["spectator", 409, "wrong_state"],
    ["starved", 409, "wrong_state"],
    ["zombie", 200, undefined],
  ] as const)("by a %s is %i", async (from, status, code) => {
    const { target } = await standing(from);
    const prey = await s.join("Prey");
    const before = [await s.store.player(target.id), await s.store.player(prey.id)];
    const answer = await s.hunt(target, prey);
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
    if (status !== 200) {
      expect([await s.store.player(target.id), await s.store.player(prey.id)]).toEqual(before);
    }
  });

  it("of a code of a former life, of one who died, of one who left, and of nobody is refused as the contract says", async () => {
    const gm = await s.admin();
    const hunter = await s.join("Hunter");
    await s.outbreak(gm, hunter);
    const [tagged, dead, gone] = [await s.join("Tagged"), await s.join("Dead"), await s.join("Gone")];
    await s.hunt(hunter, tagged);
    await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Dead" } });
    await s.call("DELETE /delete_player/{url_id}", { as: gone });
    const codes = async () =>
      Promise.all(
        [tagged, dead, gone, "22222222", "not a code!"].map(
          async (prey) => (await s.hunt(hunter, prey)).body.code,
        ),
      );
    expect(await codes()).toEqual([
      "already_tagged",
      "wrong_state",
      "wrong_state",
      "unknown_tag_code",
      "unknown_tag_code",
    ]);
    await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "Tagged" } });
    await s.call("POST /admin/revive_h/{url_id}", { as: gm, body: { alias: "Dead" } });
    expect((await codes()).slice(0, 2)).toEqual(["already_tagged", "already_tagged"]);
    // The codes of their new lives are taken, however they are written.
    const fresh = (await s.see(dead)).tag_code as string;
    const written = `${fresh.slice(0, 4).toLowerCase()} - ${fresh.slice(4)}`;
    expect((await s.hunt(hunter, written)).status).toBe(200);
  });

  it("is refused after ten unknown codes in ten minutes, also with a right one", async () => {
    const gm = await s.admin();
    const hunter = await s.join("Hunter");
    const prey = await s.join("Prey");
    await s.outbreak(gm, hunter);
    for (let n = 0; n < 10; n += 1) {
      expect((await s.hunt(hunter, "22222222")).status).toBe(404);
    }
    const throttled = await s.hunt(hunter, prey);
    expect(throttled).toMatchObject({ status: 429, body: { code: "too_many_attempts" } });
    const wait = Number(throttled.headers["retry-after"]);
    expect(wait).toBeGreaterThan(590);
    expect(wait).toBeLessThanOrEqual(600);
    expect((await s.see(prey)).state).toBe("human");
  });

  it("can be shared with two, and one bad sharer refuses it whole", async () => {
    const gm = await s.admin();
    const [hunter, ann, bob, cid] = [
      await s.join("Hunter"),
      await s.join("Ann"),
      await s.join("Bob"),
      await s.join("Cid"),
    ];
    for (const one of [hunter, ann, bob]) await s.outbreak(gm, one);
    await s.pass(40 * HOUR);
    const prey = await s.join("Prey");
    expect((await s.hunt(hunter, prey, { share_with: ["ann", "Nobody"] })).body.code).toBe(
      "player_not_found",
    );
    expect((await s.hunt(hunter, prey, { share_with: ["ann", "Cid"] })).body.code).toBe("wrong_state");
    expect((await s.hunt(hunter, prey, { share_with: ["HUNTER"] })).status).toBe(400);
    expect((await s.hunt(hunter, prey, { share_with: ["Ann", "ann"] })).status).toBe(400);
    expect((await s.hunt(hunter, prey, { share_with: ["Ann", "Bob", "Cid"] })).status).toBe(400);
    expect((await s.see(prey)).state).toBe("human");
    const shared = await s.hunt(hunter, prey, { share_with: ["ann", "BOB"] });
    expect(shared.body.interaction.details.shared_with).toEqual(["Ann", "Bob"]);
    for (const one of [hunter, ann, bob]) {
      expect(Date.parse((await s.see(one)).starves_at)).toBeGreaterThan(Date.now() + 47 * HOUR);
    }
    expect((await s.see(ann)).kills).toBe(0);
    const hunts = await s.call("GET /interactions/{url_id}", { as: cid, query: { kind: "hunt" } });
    expect(hunts.body.interactions).toHaveLength(1);
  });

  it("shows its note and place to its hunter and to game masters only", async () => {
    const gm = await s.admin();
    const [hunter, prey] = [await s.join("Hunter"), await s.join("Prey")];
    await s.outbreak(gm, hunter);
    const place = { note: "behind the gym", latitude: 48.1, longitude: 11.5 };
    expect((await s.hunt(hunter, prey, { note: "x", latitude: 48.1 })).status).toBe(400);
    await s.hunt(hunter, prey, place);
    const detailsFor = async (as: Someone) =>
      (await s.call("GET /interactions/{url_id}", { as, query: { kind: "hunt" } })).body.interactions[0]
        .details;
    expect(await detailsFor(hunter)).toMatchObject(place);
    expect(await detailsFor(gm)).toMatchObject(place);
    expect(Object.keys(await detailsFor(prey)).toSorted()).toEqual([
      "infection_id",
      "parent_infection_id",
      "shared_with",
    ]);
  });
});

describe("lists", () => {
  it("come in pages that are full unless they are the last, also when filtered", async () => {
    const gm = await s.admin("Zz Master");
    for (let n = 0; n < 7; n += 1) {
      const one = await s.join(`Player ${n}`);
      if (n % 2 === 0) await s.outbreak(gm, one);
    }
    const walk = async (route: string, items: string, query: Record<string, string | number>) => {
      const pages: string[][] = [];
      let cursor: string | null = null;
      do {
        const { body }: { body: Record<string, unknown> & { next_cursor: string | null } } = await s.call(
          route,
          {
            as: gm,
            query: { ...query, ...(cursor === null ? {} : { cursor }) },
          },
        );
        pages.push((body[items] as { alias: string }[]).map(({ alias }) => alias));
        cursor = body.next_cursor;
      } while (cursor !== null);
      return pages;
    };
    expect(await walk("GET /users/{url_id}", "users", { limit: 3 })).toEqual([
      ["Player 0", "Player 1", "Player 2"],
      ["Player 3", "Player 4", "Player 5"],
      ["Player 6", "Zz Master"],
    ]);
    expect(await walk("GET /users/{url_id}", "users", { limit: 2, state: "zombie" })).toEqual([
      ["Player 0", "Player 2"],
      ["Player 4", "Player 6"],
    ]);
    expect(await walk("GET /admin/get_players/{url_id}", "players", { limit: 2, state: "human" })).toEqual([
      ["Player 1", "Player 3"],
      ["Player 5"],
    ]);
    expect(await walk("GET /admin/get_players/{url_id}", "players", { passed: "true" })).toEqual([[]]);
    const cursor = (await s.call("GET /users/{url_id}", { as: gm, query: { limit: 3 } })).body.next_cursor;
    for (const [route, query] of [
      ["GET /users/{url_id}", { cursor, state: "zombie" }],
      ["GET /admin/get_players/{url_id}", { cursor }],
      ["GET /interactions/{url_id}", { cursor }],
      ["GET /users/{url_id}", { cursor: `${cursor}x` }],
      ["GET /users/{url_id}", { cursor: "nonsense" }],
    ] as const) {
      const refused = await s.call(route, { as: gm, query });
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "cursor" }] } });
    }
  });
});
