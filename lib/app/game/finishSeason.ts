/** Finishes the season with a result, and reopens it. Each is one transaction. */
import { v7 } from "uuid";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import { type FinishRequest, finishGame, isFinal, reopenGame } from "../../domain/game/finish.ts";
import { graceMessage, reopenedMessage, resultMessage } from "../../domain/game/seasonMessages.ts";
import type { SeasonResult } from "../../domain/game/seasonResult.ts";
import { atWork, closingOf, type Mission } from "../../domain/missions/mission.ts";
import type { News } from "../../domain/notifications/news.ts";
import { stateOf } from "../../domain/players/player.ts";
import { newInteraction } from "../../domain/players/transitions.ts";
import { hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import { latestReopened } from "../../domain/reopened.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import type { Write } from "../../dynamodb/database.ts";
import { enforcementBusy } from "../../jobs/enforcementJob.ts";
import type { PlayerCall, ReadCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { disputeEntries } from "../../store/hunts/disputes.ts";
import { hiddenFrom } from "../../store/hunts/hiddenOriginals.ts";
import { readMissions } from "../../store/missions/missions.ts";
import { notificationRecord, withdrawalWrite } from "../../store/notifications/notifications.ts";
import {
  type FinishEntry,
  type GivenAward,
  readSeasonEnd,
  type SeasonEnd,
  seasonEndWrite,
  untoldResultWrites,
} from "../../store/seasons/seasonEnd.ts";
import { type AwardsInfo, loadAwards } from "../hunts/awards.ts";
import { scheduledMessage } from "../notifications/scheduledMessage.ts";
import { countsFor } from "./gameView.ts";
import { requireNoReset } from "./resetSeason.ts";

/** An award of game masters as it was entered. */
interface EnteredAward {
  title: string;
  alias: string;
  text: string;
}

interface FinishBody {
  result: SeasonResult;
  note?: string | undefined;
  grace_seconds: number;
  awards?: EnteredAward[] | undefined;
  dry_run?: boolean | undefined;
}

/** What speaks against a result, or is still open. */
export const FINISH_WARNINGS = [
  "no_humans_left",
  "humans_left",
  "paused",
  "checkpoint_open",
  "missions_open",
  "disputes_open",
] as const;
export type FinishWarning = (typeof FINISH_WARNINGS)[number];

/** More open disputes are counted as this many. */
const MAX_DISPUTES = 100;

/** What finishing the season does or, in a dry run, would do. */
export interface FinishResult {
  result: SeasonResult;
  note: string | null;
  ended_at: string;
  final_at: string;
  counts: Awaited<ReturnType<typeof countsFor>>;
  warnings: FinishWarning[];
  checkpoint: string | null;
  missions: { mission_id: string; title: string }[];
  disputes: number;
  /** Who is revealed; `null` if the game master may not know. */
  revealed: string[] | null;
  /** Only in a dry run, and `null` if the game master may not know. */
  awards: AwardsInfo | null;
  given: { title: string; alias: string; text: string }[];
}

const busy = (detail: string): DomainError => new DomainError("busy", detail, { retryAfter: 5 });

/** The missions of the season, if no job of one is at work. @throws DomainError `busy` */
const readIdleMissions = async ({ services: { store } }: ReadCall): Promise<Mission[]> => {
  const missions = await readMissions(store.db, { consistent: true });
  const working = missions.find(({ job }) => job !== null);
  if (working !== undefined) throw busy(atWork(working));
  return missions;
};

const countDisputes = async ({ services: { store } }: ReadCall): Promise<number> => {
  let count = 0;
  for await (const _ of disputeEntries(store.db, MAX_DISPUTES, { status: "open" })) {
    count += 1;
    if (count === MAX_DISPUTES) break;
  }
  return count;
};

/** What speaks against a result by the numbers of players. */
export const contradictionsOf = (result: SeasonResult, { humans }: { humans: number }): FinishWarning[] => {
  if (result === "humans" && humans === 0) return ["no_humans_left"];
  return result === "zombies" && humans > 0 ? ["humans_left"] : [];
};

/** The awards with the players who get them. @throws DomainError `invalid_request` for unknown aliases */
const readGiven = async (
  { services: { store } }: ReadCall,
  entered: readonly EnteredAward[],
): Promise<{ award: GivenAward; alias: string }[]> => {
  const issues: ValidationIssue[] = [];
  const found = await Promise.all(entered.map(({ alias }) => store.playerByAlias(alias)));
  const given = entered.flatMap(({ title, alias, text }, at) => {
    const player = found[at];
    if (player != null) return [{ award: { title, player_id: player.player_id, text }, alias: player.alias }];
    issues.push({ path: `awards.${at}.alias`, message: `No player is called ${alias}.` });
    return [];
  });
  if (issues.length > 0) throw invalidRequest(...issues);
  return given;
};

/** The original zombies who are hidden now; `null` if the game master may not know them. */
const readHidden = async ({ game, now, player, services: { store } }: ReadCall): Promise<string[] | null> => {
  if (hidesOriginalsFrom(player, game, now)) return null;
  const load = hiddenFrom(store.db, null, game, now);
  if (load === undefined) return [];
  const { players } = await load();
  return [...players.values()]
    .filter((one) => stateOf(one.player, game, now) !== stateOf(one.shown, game, now))
    .map((one) => one.player.alias)
    .toSorted();
};

/** The message to everybody. @param at when it is sent: now or later */
const messageWrite = (
  { title, content }: { title: string; content: string },
  { game, player, now }: ReadCall,
  at: number,
  news?: News,
) => {
  const id = v7({ msecs: at });
  const sending = { id, by: player.player_id, game, now, at, news };
  return { id, ...scheduledMessage({ title, content, audience: "all" }, sending) };
};

/** Ongoing work whose outcome would belong to the season. @throws DomainError `busy` */
const requireQuiet = async ({ game, services: { store } }: ReadCall): Promise<void> => {
  if (game.enforcing !== null) throw enforcementBusy();
  await requireNoReset(store);
};

/**
 * Finishes the season: play is over, tags from before are accepted until the grace is over, and then the result is known. All
 * of it follows from the stored end, so that no job is needed. In a dry run nothing changes.
 * @throws DomainError `wrong_state` for a season that is finished or has not started; `busy` during an enforcement, the
 *   closing of a mission, a reset or an import; `invalid_request` for an award of an unknown player
 */
export const finishSeason = async (call: PlayerCall, body: FinishBody): Promise<Decision<FinishResult>> => {
  const { audit, context, game: before, now, player, services } = call;
  const { store } = services;
  const { result, note = null, grace_seconds, dry_run = false } = body;
  const request: FinishRequest = { result, note, graceSeconds: grace_seconds };
  const [end, counts, missions, disputes, given, revealed] = await Promise.all([
    readSeasonEnd(store.db),
    countsFor(call),
    readIdleMissions(call),
    countDisputes(call),
    readGiven(call, body.awards ?? []),
    readHidden(call),
    requireQuiet(call),
  ]);
  const after = finishGame(before, request, end?.season_id ?? context.newId(), now);
  const { final_at } = after.finish;
  const ended_at = rfc3339(after.schedule?.ends_at ?? now);
  const { checkpoint } = before;
  const openMissions = missions.filter((one) => !one.draft && closingOf(one) === null);
  const isCheckpointOpen = checkpoint !== null && checkpoint.enforced_at === null;
  const info: FinishResult = {
    ...{ result, note, ended_at, final_at: rfc3339(final_at), counts, disputes, revealed },
    warnings: [
      ...contradictionsOf(result, counts),
      ...(before.paused_at === null ? [] : ["paused" as const]),
      ...(isCheckpointOpen ? ["checkpoint_open" as const] : []),
      ...(openMissions.length === 0 ? [] : ["missions_open" as const]),
      ...(disputes === 0 ? [] : ["disputes_open" as const]),
    ],
    checkpoint: isCheckpointOpen ? checkpoint.name : null,
    missions: openMissions.map(({ mission_id, title }) => ({ mission_id, title })),
    awards: null,
    given: given.map(({ award: { title, text }, alias }) => ({ title, alias, text })),
  };
  const awards = given.map(({ award }) => award);
  audit.details = { result, note, grace_seconds, ended_at, final_at: info.final_at, awards: awards.length };
  const aliases = new Map(given.map(({ award, alias }) => [award.player_id, alias]));
  if (dry_run) {
    audit.details = { ...audit.details, dry_run };
    const shown = hidesOriginalsFrom(player, before, now) ? null : await loadAwards(store, before, now);
    return { changes: {}, result: { ...info, awards: shown }, aliases };
  }
  const announced = messageWrite(resultMessage(result, note), call, final_at, { what: "season_result" });
  const ended = {
    ...newInteraction("finish", null, player.player_id, context, ended_at),
    season: { is: "finish" as const, result, note, final_at: info.final_at },
  };
  const entry: FinishEntry = {
    ...{ at: rfc3339(now), by: player.player_id, result, note, ended_at, final_at: info.final_at },
    ...{ notification_id: announced.id, shard: announced.shard, interaction_id: ended.interaction_id },
  };
  return {
    changes: {
      game: { before, after },
      interactions: [ended],
      writes: [
        seasonEndWrite(end, {
          season_id: after.finish.season_id,
          awards,
          finishes: [...(end?.finishes ?? []), entry],
        }),
        announced.write,
        ...(grace_seconds === 0 ? [] : [messageWrite(graceMessage(after, final_at), call, now).write]),
      ],
    },
    result: info,
    aliases,
  };
};

/** The write that withdraws the announcement of the result; none if it is being sent. */
const withdrawal = async ({ game, services: { store } }: ReadCall, end: SeasonEnd): Promise<Write[]> => {
  const latest = end.finishes.at(-1);
  const record = latest && (await notificationRecord(store, game, latest.notification_id));
  return record?.scheduling === "scheduled" ? [withdrawalWrite(record)] : [];
};

/**
 * Reopens the season: its result and the awards of game masters are taken back, and the game is paused since play ended.
 * Everybody is told. The finish stays on record.
 * @throws DomainError `wrong_state` for a season that is not finished; `busy` during a reset or an import
 */
export const reopenSeason = async (call: PlayerCall): Promise<Decision<{ paused_since: string }>> => {
  const { audit, context, game: before, now, player, services } = call;
  const { store } = services;
  const [end] = await Promise.all([readSeasonEnd(store.db), requireNoReset(store)]);
  const after = reopenGame(before, now);
  const paused_since = rfc3339(after.paused_at ?? now);
  const { finish } = before;
  audit.details = { result: finish?.result ?? null, paused_since };
  const isKnown = isFinal(before, now);
  const told = messageWrite(reopenedMessage(isKnown), call, now);
  const reopened = {
    ...newInteraction("reopen", null, player.player_id, context),
    season: { is: "reopen" as const },
  };
  return {
    changes: {
      game: { before, after },
      interactions: [reopened],
      writes: [
        ...(end === null
          ? []
          : [
              seasonEndWrite(end, {
                ...end,
                awards: [],
                finishes: latestReopened(end.finishes, player.player_id, now),
              }),
              ...(await withdrawal(call, end)),
              ...(isKnown ? [] : end.finishes.slice(-1).flatMap((one) => untoldResultWrites(one, before))),
            ]),
        told.write,
      ],
    },
    result: { paused_since },
  };
};

/** The end of the present season for game masters, who may change their mind while the grace lasts. */
export const seasonEndInfo = async (call: ReadCall) => {
  const { game, now, services } = call;
  const { store } = services;
  const { finish } = game;
  const [end, counts] = await Promise.all([
    readSeasonEnd(store.db),
    finish === null ? null : countsFor(call),
  ]);
  const ids = [
    ...(end?.finishes ?? []).flatMap(({ by, reopened_by }) => [by, ...(reopened_by ?? [])]),
    ...(end?.awards ?? []).map(({ player_id }) => player_id),
  ];
  const named = await store.named(ids);
  const aliasOf = (id: string): string | null => named.get(id)?.alias ?? null;
  return {
    finish:
      finish === null || counts === null
        ? null
        : {
            season_id: finish.season_id,
            result: finish.result,
            note: finish.note,
            final_at: rfc3339(finish.final_at),
            is_final: isFinal(game, now),
            warnings: contradictionsOf(finish.result, counts),
            given: (end?.awards ?? []).map(({ title, text, player_id }) => ({
              ...{ title, text, alias: aliasOf(player_id) },
            })),
          },
    finishes: (end?.finishes ?? []).toReversed().map((one) => ({
      at: one.at,
      by: aliasOf(one.by),
      result: one.result,
      note: one.note,
      ended_at: one.ended_at,
      final_at: one.final_at,
      reopened_at: one.reopened_at ?? null,
      reopened_by: one.reopened_by === undefined ? null : aliasOf(one.reopened_by),
    })),
  };
};
