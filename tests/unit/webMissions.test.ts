/** Missions on the pages: their order, what each side sees in the editor, what a change sends, and lists at the desk. */
import { describe, expect, it } from "vitest";
import type { Checkpoint, Mission } from "../../web/src/schemas.ts";
import {
  bodyOf,
  changedFields,
  EMPTY_FORM,
  formOf,
  hasLists,
  isComplete,
  type MissionForm,
  newBriefing,
  newReward,
  partOf,
  readCoordinates,
  viewsOf,
} from "../../web/src/staff/game/missions/missionForm.ts";
import { byDay, timelineOf } from "../../web/src/staff/game/missions/timeline.ts";
import { namesIn } from "../../web/src/staff/live/desk/deskEntries.ts";
import { targetId, targetsOf } from "../../web/src/staff/live/desk/deskTargets.ts";
import { inOrder, nextMission, publishedOf } from "../../web/src/state/missionOrder.ts";
import { earnedTexts, effectTexts } from "../../web/src/text/missions.ts";
import { dayIn } from "../../web/src/text/zoned.ts";

const AT = Date.parse("2026-11-26T12:00:00Z");
const hour = (n: number): string => new Date(AT + n * 3_600_000).toISOString();

const mission = (mission_id: string, more: Partial<Mission> = {}): Mission => ({
  ...{ mission_id, title: mission_id, starts_at: hour(1), ends_at: hour(2), closed_at: null },
  ...{ place: null, latitude: null, longitude: null, picture_url: null, result: null, note: null },
  ...{ attendance: "desk", required: false, required_to_play: false, attended: false, earned: [] },
  briefings: [{ audience: "all", text: "Come.", reveal_at: hour(-1), outcome_text: null }],
  ...{ rewards: [], version: 1, draft: false, complete: true },
  ...more,
});
const ids = (all: readonly Mission[]): string[] => all.map(({ mission_id }) => mission_id);

describe("missions", () => {
  const running = mission("running", { starts_at: hour(-1), ends_at: hour(0.5) });
  const tomorrow = mission("tomorrow", { starts_at: hour(24), ends_at: hour(25) });
  const ended = mission("ended", { starts_at: hour(-3), ends_at: hour(-2) });
  const closed = mission("closed", {
    starts_at: hour(-1),
    ends_at: hour(3),
    closed_at: hour(0),
    result: "none",
  });

  it("are in the order of their times: what goes on or comes next, and the latest of those that are over", () => {
    const { coming, past } = inOrder([closed, tomorrow, ended, running], AT);
    expect([ids(coming), ids(past)]).toEqual([
      ["running", "tomorrow"],
      ["closed", "ended"],
    ]);
    expect(nextMission([ended, closed], AT)).toBeUndefined();
  });

  it("show game masters on the players' page no draft, and no text before its time", () => {
    const later = { audience: "zombies" as const, text: "Wait.", reveal_at: hour(1), outcome_text: null };
    const both = mission("both", { briefings: [...tomorrow.briefings, later] });
    const all = [mission("draft", { draft: true }), mission("later", { briefings: [later] }), both];
    expect(publishedOf(all, AT)).toEqual([{ ...both, briefings: tomorrow.briefings }]);
  });

  it("make a week by days of the zone, in which an end comes before a start at the same time", () => {
    const next = mission("next", { starts_at: hour(2), ends_at: hour(14) });
    const days = byDay(timelineOf([next, mission("first")]), (time) => dayIn(time, "Europe/Berlin"));
    const texts = days.map(([day, all]) => [day, all.map(({ kind, mission: of }) => `${of.title} ${kind}`)]);
    expect(texts).toEqual([
      ["Thursday 26 November", ["next reveal", "first reveal", "first start", "first end", "next start"]],
      ["Friday 27 November", ["next end"]],
    ]);
  });

  it("name what they give and what somebody got", () => {
    const badge = { name: "Carrier", symbol: "C" };
    expect(effectTexts({ feed_seconds: 7_200, points: 1, badge, message: "Thanks." })).toEqual([
      ...["food for 2 hours", "1 point", "the badge C Carrier", "“Thanks”"],
    ]);
    expect(earnedTexts({ cured: true, points: 5 })).toEqual(["an antidote: you are human again", "5 points"]);
  });
});

describe("the form of a mission", () => {
  const form: MissionForm = {
    ...EMPTY_FORM,
    ...{ title: " The drop ", starts_at: hour(1), ends_at: hour(2), coordinates: "52.5, 13.4" },
    briefings: [
      { ...newBriefing("humans"), text: "Carry.", reveal_at: hour(3) },
      { ...newBriefing("zombies"), text: "Stop them." },
    ],
    rewards: [{ ...newReward(), audience: "humans", points: 5 }],
  };

  it("sends what is stored again as it was, and empty times as now", () => {
    const body = bodyOf(form, AT);
    expect(body).toMatchObject({ title: "The drop", place: null, latitude: 52.5, longitude: 13.4 });
    expect(body.briefings[1]).toEqual({
      ...{ audience: "zombies", text: "Stop them.", reveal_at: hour(0), outcome_text: null },
    });
    expect(body.rewards).toEqual([{ audience: "humans", effect: { points: 5 } }]);
    const stored = mission("stored", { ...body, briefings: body.briefings, rewards: body.rewards });
    expect(bodyOf(formOf(stored), AT)).toEqual(body);
    expect(changedFields(formOf(stored), formOf(stored))).toEqual([]);
  });

  it("sends only what was changed, and removes coordinates together", () => {
    const names = changedFields(form, { ...form, coordinates: "", draft: true });
    expect(partOf({ ...form, coordinates: "", draft: true }, names, AT)).toEqual({
      ...{ latitude: null, longitude: null, draft: true },
    });
  });

  it("shows sides that see the same together, and says who knows nothing", () => {
    const views = viewsOf(bodyOf(form, AT));
    const seenBy = views.map(({ sides, seen: { briefings, rewards } }) => [
      ...[sides, briefings.map(({ text }) => text), rewards.length],
    ]);
    expect(seenBy).toEqual([
      [["humans"], ["Carry."], 1],
      [["zombies"], ["Stop them."], 0],
      [["corpses"], [], 0],
    ]);
    const forAll = { ...form, briefings: [newBriefing()], rewards: [] };
    expect(viewsOf(bodyOf(forAll, AT)).map(({ sides }) => sides)).toEqual([["humans", "zombies", "corpses"]]);
  });

  it.each([
    ["52.5163, 13.3777", { latitude: 52.5163, longitude: 13.3777 }],
    ["-33.9 151", { latitude: -33.9, longitude: 151 }],
    ["52.5", null],
    ["91, 0", null],
    ["52,5; 13,4", null],
  ])("reads coordinates: %s", (typed, expected) => {
    expect(readCoordinates(typed)).toEqual(expected);
  });

  it("is sent only when every part of it says something", () => {
    expect(isComplete(form)).toBe(true);
    for (const part of [
      { title: " " },
      { starts_at: null },
      { briefings: [newBriefing()] },
      { rewards: [newReward()] },
      { coordinates: "north" },
    ])
      expect(isComplete({ ...form, ...part }), JSON.stringify(part)).toBe(false);
  });

  it("takes no draft of another build", () => {
    expect(hasLists({ title: "x" })).toBe(true);
    expect(hasLists({ briefings: form.briefings, rewards: form.rewards })).toBe(true);
    expect(hasLists({ briefings: [{ audience: "all" }] })).toBe(false);
    expect(hasLists({ rewards: [null] })).toBe(false);
  });
});

describe("the desk", () => {
  it("offers the mission that is on, then the checkpoint, then the others that are open", () => {
    const checkpoint: Checkpoint = {
      ...{ checkpoint_id: "gate", name: "Gate", applies_to: "all", set_at: hour(-1), closes_at: null },
      ...{ description: null, latitude: null, longitude: null, enforced_at: null, undone_at: null },
    } as Checkpoint;
    const all = [
      mission("tomorrow", { starts_at: hour(24), ends_at: hour(25) }),
      mission("ended", { starts_at: hour(-3), ends_at: hour(-2) }),
      mission("soon", { starts_at: hour(0.5) }),
      mission("draft", { draft: true }),
      mission("closed", { closed_at: hour(0) }),
      mission("no desk", { attendance: "none" }),
      mission("being reopened", { complete: false }),
    ];
    expect(targetsOf(checkpoint, all, AT).map(targetId)).toEqual(["soon", "gate", "ended", "tomorrow"]);
    expect(targetsOf(null, [], AT)).toEqual([]);
  });

  it("reads the names of a list, however they are separated, each once", () => {
    expect(namesIn(" Ada\r\nBen, Cy;\tAda\n\n O'Neil 李 ")).toEqual(["Ada", "Ben", "Cy", "O'Neil 李"]);
  });
});
