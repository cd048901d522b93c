/**
 * Tags from both sides: what a human reports before the hunter, and the code of a player who has left. Random ones are in
 * `tests/battery/model`, concurrent ones in `tests/battery/races`.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { gameEventsOf } from "../../lib/store/stream.ts";
import { drift } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { streamRecords } from "../support/streamRecords.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
let now = START;
const s = testEnvironment({ services: () => ({ clock: () => now }) });

let [gm, zed, ann, bob]: Someone[] = [];
beforeEach(async () => {
  now = START;
  [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
  now += HOUR;
});

const given = (someone: Someone | undefined): Someone => {
  if (someone === undefined) throw new Error("nobody");
  return someone;
};

const reportTagged = (who: Someone | undefined, body: Record<string, unknown> = {}): Promise<Result> =>
  s.call("POST /player/report_tagged/{url_id}", { as: given(who), body });
const hunt = (who: Someone | undefined, prey: Someone | undefined, body: Record<string, unknown> = {}) =>
  s.call("POST /zombie/hunt/{url_id}", { as: given(who), body: { tag_code: given(prey).code, ...body } });
const nameHunter = (interaction_id: string, body: Record<string, unknown>) =>
  s.call("POST /admin/name_hunter/{url_id}", { as: given(gm), body: { interaction_id, ...body } });
const see = (who: Someone | undefined) => s.see(given(who));
const idOf = ({ body }: Result): string => body.interaction.interaction_id;
const ago = (milliseconds: number): string => rfc3339(now - milliseconds);
const rootsOf = async () =>
  (await s.must("GET /interactions/tree/{url_id}", { as: given(gm) })).body.roots as Result["body"][];

describe("a tag that its prey reports", () => {
  it("waits for its hunter, whose report makes it what it would have been before: one infection", async () => {
    const reported = await reportTagged(ann, { by_alias: "zed", tagged_at: ago(10 * MINUTE) });
    expect(reported).toMatchObject({
      status: 200,
      body: {
        player: { state: "zombie", tag_code: null, infected_by: null, infected_at: ago(10 * MINUTE) },
        interaction: { kind: "hunt", actor: null, target: "Ann", details: { waiting: true } },
      },
    });
    expect(reported.body.interaction.details.by_alias).toBeUndefined();
    const [shown] = (await s.must("GET /interactions/{url_id}", { as: given(gm), query: { kind: "hunt" } }))
      .body.interactions;
    expect(shown.details).toMatchObject({ waiting: true, by_alias: "Zed", parent_infection_id: null });
    expect((await rootsOf()).map(({ alias }) => alias)).toEqual(["Zed", "Ann"]);

    const before = await see(zed);
    const place = { note: "by the gate", latitude: 51, longitude: 0 };
    const done = await hunt(zed, ann, { hunted_at: ago(8 * MINUTE), ...place });
    const parent = { parent_infection_id: (await rootsOf())[0]?.infection_id };
    expect(done).toMatchObject({
      status: 200,
      body: {
        interaction: {
          at: ago(10 * MINUTE),
          recorded_at: ago(0),
          actor: "Zed",
          details: { ...parent, ...place },
        },
        hunter: { kills: before.kills + 1, starves_at: rfc3339(now - 10 * MINUTE + 48 * HOUR) },
        prey: { alias: "Ann", state: "zombie" },
      },
    });
    expect(idOf(done)).toBe(idOf(reported));
    expect(done.body.interaction.details.waiting).toBeUndefined();
    expect(await see(ann)).toMatchObject({ state: "zombie", infected_by: "Zed" });
    expect(await rootsOf()).toMatchObject([{ alias: "Zed", kills: 1, children: [{ alias: "Ann" }] }]);
    expect((await hunt(zed, ann)).body.code).toBe("already_tagged");
    expect(await drift(s)).toEqual([]);

    const reason = "She was indoors.";
    const body = { interaction_id: idOf(done), reason };
    const undone = await s.must("POST /admin/void_hunt/{url_id}", { as: given(gm), body });
    expect(undone.body.effects).toMatchObject([
      { alias: "Ann", effect: "human_again" },
      { alias: "Zed", effect: "kill_taken_back", kills: 0 },
      { alias: "Zed", effect: "meal_taken_back" },
    ]);
    expect(await drift(s)).toEqual([]);
  });

  it("is pushed when its hunter is known, and not before", async () => {
    await reportTagged(ann);
    const events = async (isNew: boolean) => {
      const records = (await streamRecords(s)).map(({ dynamodb }) => dynamodb?.NewImage);
      return records.flatMap((image) => gameEventsOf(image, isNew)?.events ?? []);
    };
    const tags = async (isNew: boolean) =>
      (await events(isNew)).filter(({ event }) => event.what === "tagged").map(({ to }) => to);
    expect([await tags(true), await tags(false)]).toEqual([[], []]);
    await hunt(zed, ann);
    expect(await events(false)).toMatchObject([
      { event: { what: "tagged", actor: given(zed).id }, to: given(ann).id },
    ]);
  });

  it("gets its hunter by the code within the report window, and by a game master at any time", async () => {
    const id = idOf(await reportTagged(ann));
    now += 6 * HOUR;
    const second = idOf(await reportTagged(bob));
    now += 1;
    expect((await hunt(zed, ann)).body).toMatchObject({
      code: "already_tagged",
      detail: expect.stringContaining("6 hours"),
    });
    const named = await nameHunter(id, { alias: "Zed", reason: "He told me." });
    expect(named).toMatchObject({
      status: 200,
      body: { player: { alias: "Zed", kills: 1 }, interaction: { actor: "Zed", target: "Ann" } },
    });
    expect(idOf(named)).toBe(id);
    expect((await nameHunter(id, { alias: "Zed" })).body.code).toBe("wrong_state");
    const void_ = { as: given(gm), body: { interaction_id: second, reason: "A joke." } };
    expect((await s.must("POST /admin/void_hunt/{url_id}", void_)).body.effects).toHaveLength(1);
    expect((await nameHunter(second, { alias: "Zed" })).body.code).toBe("wrong_state");
    expect((await hunt(zed, bob)).body.code).toBe("already_tagged");
    expect((await nameHunter("01900000-0000-7000-8000-000000000000", { alias: "Zed" })).body.code).toBe(
      "not_found",
    );
    const query = { action: "name_hunter" };
    const { logs } = (await s.must("GET /admin/get_logs/{url_id}", { as: given(gm), query })).body;
    expect(logs.at(-1)).toMatchObject({
      target: "Zed",
      details: { interaction_id: id, reason: "He told me." },
    });
    expect(await drift(s)).toEqual([]);
  });
});

describe("the time of a tag", () => {
  it("may be two minutes ahead, which counts as now; beyond that and after the window it has codes of its own", async () => {
    const [code, late] = [given(bob).code, 6 * 3_600];
    for (const [time, fault] of [
      [ago(-2 * MINUTE - 1), { code: "in_future", params: { seconds: 120 } }],
      [ago(6 * HOUR + 1), { code: "too_late", params: { seconds: late } }],
    ] as const) {
      for (const [result, path] of [
        [await hunt(zed, bob, { hunted_at: time }), "hunted_at"],
        [await reportTagged(bob, { tagged_at: time }), "tagged_at"],
      ] as const) {
        expect(result).toMatchObject({
          status: 400,
          body: { code: "invalid_request", errors: [{ path, ...fault }] },
        });
      }
    }
    const { errors } = (await hunt(zed, bob, { tag_code: code, nonsense: 1 })).body;
    expect(errors).toMatchObject([{ path: "nonsense", code: "invalid" }]);
    const ahead = await hunt(zed, bob, { hunted_at: ago(-2 * MINUTE) });
    expect(ahead.body.interaction.at).toBe(ago(0));
    expect((await reportTagged(ann, { tagged_at: ago(-SECOND) })).body.interaction.at).toBe(ago(0));
  });
});
