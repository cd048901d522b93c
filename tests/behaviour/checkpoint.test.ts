/** Enforcing a checkpoint kills everybody who has not passed, whatever else happens meanwhile. */
import { describe, expect, it } from "vitest";
import { MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { randomFrom, SEED, share } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const set = (gm: Someone, body: unknown) => s.call("POST /admin/set_checkpoint/{url_id}", { as: gm, body });
const register = (gm: Someone, body: unknown) =>
  s.call("POST /admin/player_at_checkpoint/{url_id}", { as: gm, body });
describe("enforcing a checkpoint", () => {
  const SIZE = share(5_000, 300);
  it(`is exact for ${SIZE} players while others pass, are renamed, are infected and join`, async () => {
    const gm = await s.admin();
    const since = Date.now() - MINUTE;
    const zombies = await makeCrowd(s, SIZE, "zombie", since);
    const humans = await makeCrowd(s, SIZE, "human", since);
    const players = humans.map((human, n) => (n % 3 === 0 ? (zombies[n] ?? human) : human));
    const { checkpoint_id } = (await set(gm, { name: "Library" })).body;
    const passed_at = rfc3339(Date.now());
    const withPass = players.map((one, n) => (n % 2 === 0 ? { ...one, checkpoint_id, passed_at } : one));
    await s.crowd(withPass);

    let over = false;
    /** Repeats an action until the enforcement has ended. */
    const meanwhile = async (action: (n: number) => Promise<void>): Promise<number> => {
      let times = 0;
      for (; !over; times += 1) {
        await action(times);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return times;
    };
    const registered = new Map<string, Result>();
    console.info(`checkpoint: seed ${SEED}`);
    const random = randomFrom(SEED);
    const pick = () => players[random.below(SIZE)] ?? players[0];
    const registering = meanwhile(async () => {
      const player_id = pick()?.player_id ?? "";
      const result = await register(gm, { player_id });
      if (!registered.has(player_id) || result.status === 200) registered.set(player_id, result);
    });
    const renaming = meanwhile(async (n) => {
      const body = { player_id: pick()?.player_id, alias_to: `Aa renamed ${n} x` };
      await s.call("POST /admin/edit_player/{url_id}", { as: gm, body });
    });
    const hunter = await s.join("Hunter");
    await s.outbreak(gm, hunter);
    await register(gm, { alias: "Hunter" });
    const hunting = meanwhile(async () => {
      const prey = await s.store.player(pick()?.player_id ?? "");
      if (prey?.state === "human" && prey.tag_code !== null) await s.hunt(hunter, prey.tag_code);
    });
    const joined: Someone[] = [];
    const joining = meanwhile(async (n) => {
      joined.push(await s.join(`Newcomer ${n} x`));
    });
    const result = await s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", {
      as: gm,
      body: { checkpoint_id },
    });
    over = true;
    const times = await Promise.all([registering, renaming, hunting, joining]);
    expect(result).toMatchObject({ status: 200, body: { complete: true } });
    for (const count of times) expect(count).toBeGreaterThan(0);
    expect(registered.size).toBeGreaterThan(0);

    const began = (
      await s.call("GET /admin/get_logs/{url_id}", {
        as: gm,
        query: { action: "kill_all_not_at_checkpoint" },
      })
    ).body.logs[0].at;
    const after = await s.store.players(players.map(({ player_id }) => player_id));
    let killed = 0;
    for (const [n, { player_id }] of players.entries()) {
      const one = after.get(player_id);
      const hadPass = n % 2 === 0 || registered.get(player_id)?.status === 200;
      expect(one?.state === "corpse", `${one?.alias} passed: ${hadPass}`).toBe(!hadPass);
      if (one?.state === "corpse") killed += 1;
    }
    const others = await s.store.players(joined.map(({ id }) => id));
    for (const { created_at, state } of others.values()) {
      if (created_at > began) expect(state).toBe("human");
    }
    killed += [...others.values()].filter(({ state }) => state === "corpse").length;
    expect(result.body.killed).toBe(killed);
    const deaths: string[] = [];
    for await (const { item } of s.store.interactionEntries(await s.store.game(), 1_000)) {
      if (item.kind === "checkpoint_kill") deaths.push(String(item.target));
    }
    expect(deaths).toHaveLength(killed);
    expect(new Set(deaths).size).toBe(killed);
    expect((await s.store.game()).enforcing).toBeNull();
  }, 240_000);
});
