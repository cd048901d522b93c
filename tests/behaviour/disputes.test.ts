/** Disputes of hunts: both sides, comments, and the decision, which is never "void" while the hunt stands. */
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { gameEventsOf } from "../../lib/store/stream.ts";
import { drift } from "../support/recount.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { snapshot } from "../support/snapshot.ts";
import { streamRecords } from "../support/streamRecords.ts";

const START = Date.parse("2026-11-23T09:00:00Z");
let now = START;
const s = testEnvironment({ services: () => ({ clock: () => now }) });

interface People {
  gm: Someone;
  mod: Someone;
  zed: Someone;
  ann: Someone;
  bob: Someone;
  /** Zed's hunt of Ann. */
  hunt: string;
}
let on: People;
beforeEach(async () => {
  now = START;
  const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
  now += HOUR;
  const { body } = await s.hunt(zed, ann, { note: "by the gate" });
  on = { gm, zed, ann, bob, mod: await s.moderator("Moe"), hunt: body.interaction.interaction_id };
});

const dispute = (as: Someone, reason = "I was at home.", interaction_id = on.hunt): Promise<Result> =>
  s.call("POST /interactions/dispute/{url_id}", { as, body: { interaction_id, reason } });
const comment = (as: Someone, text: string, dispute_id = on.hunt): Promise<Result> =>
  s.call("POST /admin/comment_dispute/{url_id}", { as, body: { dispute_id, comment: text } });
const resolve = (outcome: string, more: Record<string, unknown> = {}, as = on.gm): Promise<Result> =>
  s.call("POST /admin/resolve_dispute/{url_id}", {
    as,
    body: { dispute_id: on.hunt, outcome, note: "Two witnesses.", ...more },
  });
const takeBack = (interaction_id = on.hunt) =>
  s.call("POST /admin/void_hunt/{url_id}", { as: on.gm, body: { interaction_id, reason: "No." } });
const list = async (query: Record<string, string | number> = {}, as = on.gm): Promise<Result["body"]> =>
  (await s.must("GET /admin/disputes/{url_id}", { as, query })).body;
const shownTo = async (as: Someone): Promise<Result["body"]> => {
  const { body } = await s.must("GET /interactions/{url_id}", { as, query: { kind: "hunt" } });
  return body.interactions.find((one: Result["body"]) => one.interaction_id === on.hunt)?.details;
};
const pushed = async (): Promise<unknown[]> => {
  const images = (await streamRecords(s)).map(({ dynamodb }) => dynamodb?.NewImage);
  const events = images.flatMap((image) =>
    [true, false].flatMap((isNew) => gameEventsOf(image, isNew)?.events ?? []),
  );
  const ofOutcome = events.filter(({ event }) => /tag_stands|taken_back/.test(event.what));
  return [...new Set(ofOutcome.map(({ event, to }) => `${event.what} ${to}`))];
};

describe("a dispute", () => {
  it("has the statements of both sides and the comments, and shows on the hunt to whom it concerns", async () => {
    const opened = await dispute(on.ann, "  I was at home. ");
    expect(opened).toMatchObject({
      status: 200,
      body: {
        ...{ dispute_id: on.hunt, status: "open", opened_at: rfc3339(now) },
        interaction: { actor: "Zed", target: "Ann", details: { dispute: "open" } },
      },
    });
    expect((await dispute(on.ann)).body.code).toBe("wrong_state");
    // The other side is heard later than a day after the hunt too.
    now += DAY + 1;
    for (const who of ["zed", "ann", "gm", "mod"] as const)
      on[who] = await s.login(on[who].alias, on[who].password);
    expect((await dispute(on.zed, "She was at the gate.")).status).toBe(200);
    expect((await comment(on.mod, "Bob saw it.")).body).toEqual({
      dispute_id: on.hunt,
      status: "open",
      comments: 1,
    });
    for (const as of [on.gm, on.mod]) {
      const { disputes, next_cursor } = await list({}, as);
      expect(next_cursor).toBeNull();
      expect(disputes).toMatchObject([
        {
          ...{ dispute_id: on.hunt, status: "open", resolved_at: null, resolved_by: null, note: null },
          interaction: { interaction_id: on.hunt, actor: "Zed", target: "Ann" },
          statements: [
            { side: "prey", alias: "Ann", statement: "I was at home." },
            { side: "hunter", alias: "Zed", statement: "She was at the gate.", at: rfc3339(now) },
          ],
          comments: [{ alias: "Moe", comment: "Bob saw it." }],
        },
      ]);
      // What the hunter noted is not for moderators.
      expect(disputes[0].interaction.details.note).toBe(as === on.gm ? "by the gate" : undefined);
    }
    for (const as of [on.zed, on.ann, on.gm, on.mod]) expect((await shownTo(as)).dispute).toBe("open");
    expect((await shownTo(on.bob)).dispute).toBeUndefined();
    expect(await drift(s)).toEqual([]);
  });

  it("that is void takes the hunt back, and both sides are pushed that", async () => {
    await dispute(on.zed, "It was a mistake.");
    const done = await resolve("void", { reason: "As agreed." });
    expect(done).toMatchObject({
      status: 200,
      body: { dispute_id: on.hunt, status: "void", resolved_at: rfc3339(now) },
    });
    expect(done.body.effects.map(({ effect }: Result["body"]) => effect)).toEqual([
      "human_again",
      "kill_taken_back",
      "meal_taken_back",
    ]);
    expect((await s.see(on.ann)).state).toBe("human");
    expect(await shownTo(on.ann)).toMatchObject({
      voided: true,
      dispute: "void",
      dispute_note: "Two witnesses.",
    });
    expect((await list({ status: "void" })).disputes).toMatchObject([
      {
        status: "void",
        resolved_by: on.gm.alias,
        note: "Two witnesses.",
        interaction: { details: { voided: true } },
      },
    ]);
    expect(await pushed()).toEqual([`tag_taken_back ${on.ann.id}`, `kill_taken_back ${on.zed.id}`]);
    for (const again of [await resolve("stands"), await dispute(on.ann), await comment(on.mod, "?")])
      expect(again.body.code).toBe("wrong_state");
    expect(await drift(s)).toEqual([]);
  });

  it("that is rejected leaves the hunt, both sides are pushed that, and a later void changes it", async () => {
    await dispute(on.ann);
    expect((await resolve("stands")).body).toMatchObject({ status: "stands", effects: [] });
    expect((await s.see(on.ann)).state).toBe("zombie");
    for (const as of [on.ann, on.zed])
      expect(await shownTo(as)).toMatchObject({ dispute: "stands", dispute_note: "Two witnesses." });
    expect(await pushed()).toEqual([`tag_stands ${on.ann.id}`, `tag_stands ${on.zed.id}`]);
    expect((await dispute(on.zed)).body.code).toBe("wrong_state");
    expect((await takeBack()).status).toBe(200);
    expect((await list()).disputes).toMatchObject([{ status: "void", note: "No." }]);
    expect(await shownTo(on.ann)).toMatchObject({ voided: true, dispute: "void", dispute_note: "No." });
    expect(await drift(s)).toEqual([]);
  });

  it("is closed by a void of its hunt, and concurrent decisions end as one of them", async () => {
    await dispute(on.ann);
    const results = await Promise.all([
      resolve("stands"),
      resolve("void"),
      takeBack(),
      dispute(on.zed),
      comment(on.mod, "?"),
    ]);
    for (const { status, body } of results) if (status !== 200) expect(body.code).toBe("wrong_state");
    const [{ status, interaction }] = (await list()).disputes;
    // `void_hunt` always succeeds, unless the dispute was decided the same way before.
    expect({ status, voided: interaction.details.voided }).toEqual({ status: "void", voided: true });
    expect((await s.see(on.ann)).state).toBe("human");
    expect(await drift(s)).toEqual([]);
  });

  it("of a tag that its prey reported has its hunter as a side, once known", async () => {
    const { interaction_id } = (await s.must("POST /player/report_tagged/{url_id}", { as: on.bob })).body
      .interaction;
    expect((await dispute(on.bob, "I was wrong.", interaction_id)).status).toBe(200);
    expect((await dispute(on.zed, "It was me.", interaction_id)).body.code).toBe("wrong_state");
    await s.hunt(on.zed, on.bob);
    expect((await dispute(on.zed, "It was me.", interaction_id)).status).toBe(200);
    const [{ statements, interaction }] = (await list()).disputes;
    expect(statements.map(({ alias }: Result["body"]) => alias)).toEqual(["Bob", "Zed"]);
    expect(interaction.details).toMatchObject({ dispute: "open" });
    expect((await takeBack(interaction_id)).status).toBe(200);
    expect(await drift(s)).toEqual([]);
  });
});

it("keeps no statement and no comment of a player who has left", async () => {
  await dispute(on.ann, "I was at my grandmother's.");
  await comment(on.mod, "Ask the grandmother.");
  for (const as of [on.ann, on.mod]) await s.must("DELETE /delete_player/{url_id}", { as });
  expect((await list()).disputes).toMatchObject([
    {
      statements: [{ side: "prey", alias: null, statement: null }],
      comments: [{ alias: null, comment: null }],
    },
  ]);
  expect(JSON.stringify([...(await snapshot(s)).values()])).not.toContain("grandmother");
  expect((await resolve("stands")).status).toBe(200);
  expect(await drift(s)).toEqual([]);
});
