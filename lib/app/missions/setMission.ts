/** Creates and changes missions. */
import { requireNoneChanged } from "../../domain/changedMeanwhile.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import { changeMessages, dueMessages } from "../../domain/missions/messages.ts";
import {
  afterAnnouncing,
  type Briefing,
  closingOf,
  isAmong,
  knownTo,
  type Mission,
  noSuchMission,
  REMIND_BEFORE,
  SIDES,
} from "../../domain/missions/mission.ts";
import { instantOf, rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { keys } from "../../store/keys.ts";
import { newDeskWrite } from "../../store/missions/attendance.ts";
import { missionWrite, readMission } from "../../store/missions/missions.ts";
import { messageWrites } from "./announce.ts";
import { type MissionView, missionView } from "./missionView.ts";

interface BriefingRequest {
  audience: Briefing["audience"];
  text: string;
  reveal_at: string;
  outcome_text?: string | null | undefined;
}

/** A new mission, which is complete; or one to change, by its `mission_id`: fields that are left out stay. */
export interface SetMissionRequest {
  mission_id?: string | undefined;
  /** The version as it was read. */
  version?: number | undefined;
  title?: string | undefined;
  starts_at?: string | undefined;
  ends_at?: string | undefined;
  /** `null` removes the place with its coordinates. */
  place?: string | null | undefined;
  /** `null` removes the coordinates. */
  latitude?: number | null | undefined;
  longitude?: number | null | undefined;
  briefings?: readonly BriefingRequest[] | undefined;
  attendance?: Mission["attendance"] | undefined;
  rewards?: Mission["rewards"] | undefined;
  required?: boolean | undefined;
  required_to_play?: boolean | undefined;
  draft?: boolean | undefined;
  clear_picture?: true | undefined;
}

/** A mission without anything that a request has to say. */
const blankMission = (mission_id: string, changed_by: string): Mission => ({
  mission_id,
  ...{ rev: 0, version: 0, title: "", starts_at: "", ends_at: "" },
  ...{ place: null, latitude: null, longitude: null, picture_hash: null },
  ...{ briefings: [], rewards: [], closings: [], job: null },
  ...{ attendance: "none", required: false, required_to_play: false, draft: false, reminded: false },
  changed_by,
});

/** Whether everybody to whom a briefing was revealed knows the mission by others. */
const isReplaced = ({ audience }: Briefing, briefings: Briefing[], now: number): boolean => {
  const known = knownTo({ briefings }, now);
  return audience === "all"
    ? SIDES.every((side) => side === "all" || isAmong(side, known))
    : isAmong(audience, known);
};

const staysVisible = ({ audience }: Pick<Briefing, "audience">): DomainError =>
  new DomainError("wrong_state", `The briefing for ${audience} was revealed: it stays visible.`);

/**
 * The briefings of a request. Those of one audience are the same as before, in their order, so that no reveal is announced
 * twice.
 * @throws DomainError `wrong_state` if one that was revealed would be hidden again
 */
const changedBriefings = (
  { briefings: before }: Mission,
  wanted: readonly BriefingRequest[],
  now: number,
): Briefing[] => {
  const left = [...before];
  const after = wanted.map(({ audience, text, reveal_at, outcome_text = null }): Briefing => {
    const at = left.findIndex((one) => one.audience === audience);
    const [same] = at < 0 ? [] : left.splice(at, 1);
    const reveal = instantOf(reveal_at);
    if (same?.announced === true && reveal > now) throw staysVisible(same);
    return {
      ...same,
      ...{ audience, text, outcome_text, reveal_at: rfc3339(reveal), announced: same?.announced ?? false },
    };
  });
  const hidden = left.find((one) => one.announced && !isReplaced(one, after, now));
  if (hidden !== undefined) throw staysVisible(hidden);
  return after;
};

/** What a mission that was closed keeps: rewards were given by it. */
const FIXED = ["starts_at", "ends_at", "attendance", "rewards", "draft"] as const;

/** @throws DomainError `wrong_state`, `invalid_request` */
const requirePossible = (before: Mission, after: Mission, wanted: SetMissionRequest): void => {
  const fixed = FIXED.filter((name) => wanted[name] !== undefined && before[name] !== after[name]);
  if ((closingOf(before) !== null || before.job !== null) && fixed.length > 0)
    throw new DomainError(
      "wrong_state",
      `The mission is closed: reopen it to change its ${fixed.join(", ")}.`,
    );
  if (after.draft && before.briefings.some(({ announced }) => announced))
    throw new DomainError("wrong_state", "The mission was revealed, so it cannot be a draft: close it.");
  const isCounted = after.required ? "required" : after.required_to_play ? "required_to_play" : null;
  if (isCounted !== null && after.attendance === "none")
    throw invalidRequest({ path: isCounted, message: "is only for missions with a desk for attendance" });
  if (instantOf(after.ends_at) <= instantOf(after.starts_at))
    throw invalidRequest({ path: "ends_at", message: "must be after the start" });
};

/** The mission as a request wants it. */
const changed = (before: Mission, wanted: SetMissionRequest, now: number): Mission => {
  const { title, place, latitude, longitude, briefings, attendance, rewards, required } = wanted;
  const { required_to_play, draft, clear_picture } = wanted;
  const time = (entered: string | undefined, old: string): string =>
    entered === undefined ? old : rfc3339(instantOf(entered));
  const starts_at = time(wanted.starts_at, before.starts_at);
  const isReminded = before.reminded && now >= instantOf(starts_at) - REMIND_BEFORE;
  return {
    ...before,
    title: title ?? before.title,
    starts_at,
    ends_at: time(wanted.ends_at, before.ends_at),
    ...(place === null ? { place, latitude: null, longitude: null } : { place: place ?? before.place }),
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    ...(briefings === undefined ? {} : { briefings: changedBriefings(before, briefings, now) }),
    attendance: attendance ?? before.attendance,
    rewards: rewards ?? before.rewards,
    required: required ?? before.required,
    required_to_play: required_to_play ?? before.required_to_play,
    draft: draft ?? before.draft,
    ...(clear_picture === true ? { picture_hash: null } : {}),
    reminded: isReminded,
  };
};

/** The mission to change. @throws DomainError `not_found`, `changed_meanwhile` */
const readBefore = async (
  { services }: PlayerCall,
  { mission_id: id = "", version }: SetMissionRequest,
): Promise<Mission> => {
  const before = await readMission(services.store.db, id);
  if (before === null) throw noSuchMission();
  if (version !== undefined && version !== before.version) requireNoneChanged(["mission"]);
  return before;
};

/**
 * Creates a mission, or changes one. What a side knows already is announced to it when it changes.
 * @throws DomainError `not_found`, `changed_meanwhile`, `wrong_state`, `invalid_request`
 */
export const setMission = async (
  call: PlayerCall,
  wanted: SetMissionRequest,
): Promise<Decision<MissionView>> => {
  const { audit, context, game, now, player } = call;
  const isNew = wanted.mission_id === undefined;
  const before = isNew ? null : await readBefore(call, wanted);
  const { player_id } = player;
  const base = before ?? blankMission(context.newId(), player_id);
  const entered = { ...changed(base, wanted, now), version: base.version + 1, changed_by: player_id };
  requirePossible(base, entered, wanted);
  const isSilent = entered.draft || closingOf(entered) !== null;
  const after = isSilent ? entered : afterAnnouncing(entered, now);
  const messages = isSilent
    ? []
    : [...changeMessages(base, entered, game, now), ...dueMessages(entered, game, now)];
  const { mission_id } = after;
  audit.details = { mission_id, title: after.title, version: after.version };
  const hadPicture = before?.picture_hash != null && after.picture_hash === null;
  const writes: Write[] = [
    missionWrite(before, after),
    ...(isNew ? [newDeskWrite(mission_id)] : []),
    ...(hadPicture ? [{ remove: keys.missionPicture(mission_id, before.picture_hash ?? "") }] : []),
    ...messageWrites(messages, after, { game, newId: context.newId, now }),
  ];
  return { changes: { writes }, result: missionView(after, player, game, now) };
};
