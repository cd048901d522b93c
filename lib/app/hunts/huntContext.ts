/** Parses the report of a hunt, and loads the players on whom the hunt depends: the prey and the sharers. */
import { foldAlias } from "../../domain/accounts/alias.ts";
import { type DomainError, invalidRequest } from "../../domain/domainError.ts";
import { playBetween } from "../../domain/game/clock.ts";
import type { Game } from "../../domain/game/game.ts";
import { durationText } from "../../domain/game/settings.ts";
import { type HuntContext, type HuntReport, recordMiss, unknownTagCode } from "../../domain/hunts/hunt.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import type { EarlierTag, HuntOutcome } from "../../domain/hunts/tag.ts";
import { isTagCode, normalizeTagCode } from "../../domain/hunts/tagCode.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Hunter } from "../../domain/players/lives.ts";
import type { Player } from "../../domain/players/player.ts";
import { coverState, shownPlayer } from "../../domain/players/visibility.ts";
import { instantOf, MINUTE, SECOND } from "../../domain/time.ts";
import type { IssueCode, ValidationIssue } from "../../domain/validation.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import type { Changes } from "../../store/changes.ts";
import { usedCodeWrite } from "../../store/hunts/tagCodes.ts";
import { parseIfFound, parseInteraction, type TagCodeRecord } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";
import { completeTag } from "./completeTag.ts";

/** A phone's clock may be ahead by this much; such a time counts as now. */
const MAX_AHEAD = 2 * MINUTE;

/**
 * The time of a tag in a request; now by default. It may be up to {@link MAX_AHEAD} in the future, and not before the
 * report window.
 * @param isLate whether the report window is ignored
 */
export const readTagTime = (
  path: string,
  time: string | undefined,
  game: Game,
  now: number,
  isLate = false,
): { instant: number; issues: ValidationIssue[] } => {
  const instant = time === undefined ? now : instantOf(time);
  const { report_window_seconds: seconds } = game.settings;
  const issue = (code: IssueCode, message: string, params: { seconds: number }) => ({
    instant,
    issues: [{ path, message, code, params }],
  });
  if (instant > now + MAX_AHEAD)
    return issue("in_future", "is in the future", { seconds: MAX_AHEAD / SECOND });
  if (!isLate && playBetween(game, instant, now) > seconds * SECOND)
    return issue("too_late", `is more than ${durationText(seconds * SECOND)} ago`, { seconds });
  return { instant: Math.min(instant, now), issues: [] };
};

/** What a hunter reports of a tag. Times are RFC 3339. */
export interface HuntBody {
  tag_code: string;
  hunted_at?: string | undefined;
  share_with?: string[] | undefined;
  note?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

/**
 * Parses the report in a request, with the checks that need only the game and the hunter.
 * @throws DomainError `invalid_request` for a time that {@link readTagTime} rejects, and for sharing with too many
 *   players, with oneself, or with the same player twice
 */
export const readHuntReport = (
  body: Omit<HuntBody, "tag_code">,
  hunter: Player,
  game: Game,
  now: number,
  isLate = false,
): HuntReport => {
  const { instant: huntedAt, issues } = readTagTime("hunted_at", body.hunted_at, game, now, isLate);
  const { sharers } = game.settings;
  if ((body.share_with?.length ?? 0) > sharers)
    issues.push({
      path: "share_with",
      message: `must have at most ${sharers} ${sharers === 1 ? "entry" : "entries"}`,
    });
  const seen = new Set([foldAlias(hunter.alias)]);
  for (const [at, alias] of (body.share_with ?? []).entries()) {
    const folded = foldAlias(alias);
    if (seen.has(folded))
      issues.push({
        path: `share_with.${at}`,
        message: "You cannot share with yourself, or twice with one player.",
      });
    seen.add(folded);
  }
  if (issues.length > 0) throw invalidRequest(...issues);
  return { huntedAt, note: body.note, latitude: body.latitude, longitude: body.longitude };
};

/** The player with a tag code; `unknown` if no player has had the code, `gone` if the player is deleted. */
export const findPrey = async (store: Store, code: string): Promise<HuntContext["prey"]> => {
  const owner = isTagCode(code) ? await store.ownerOfCode(code) : null;
  return owner === null ? "unknown" : ((await store.player(owner)) ?? "gone");
};

/**
 * The prey as their hunter may see them. A hidden original zombie cannot be tagged. The code that they had as a human
 * counts as unknown, which reveals least.
 */
const shownPrey = (
  prey: HuntContext["prey"],
  hunter: Player,
  code: string,
  game: Game,
  now: number,
): HuntContext["prey"] => {
  if (typeof prey === "string" || coverState(prey, game, now) === null) return prey;
  const shown = shownPlayer(prey, hunter, game, now);
  return shown.state === "human" && shown.tag_code === code ? "unknown" : shown;
};

/** The stored items of a tag code whose player has reported being tagged, or has left the game. */
interface EarlierItems {
  code: string;
  record: TagCodeRecord;
  /** The infection, if the player reported being tagged. */
  infection: StoredItem | undefined;
}

/**
 * Reads the record of a code that its player no longer has. The player must have been read before, so that the record
 * includes a report or a deletion in the meantime.
 */
export const readSpentCode = async (
  store: Store,
  code: string,
  prey: HuntContext["prey"],
): Promise<TagCodeRecord | null> =>
  prey === "unknown" || (prey !== "gone" && prey.tag_code === code) ? null : store.tagCode(code);

const readEarlier = async (
  store: Store,
  game: Game,
  code: string,
  record: TagCodeRecord | null,
): Promise<EarlierItems | null> => {
  if (record === null || (record.infection_id === undefined && record.left_at === undefined)) return null;
  const { infection_id: id } = record;
  return { code, record, infection: id === undefined ? undefined : await store.interactionItem(game, id) };
};

const earlierTag = ({ record, infection }: EarlierItems): EarlierTag => ({
  player_id: record.player_id,
  codeSince: record.code_since ?? null,
  infection: parseIfFound(infection, parseInteraction),
  leftAt: record.left_at ?? null,
  isUsed: record.hunt_id !== undefined,
});

/** What a hunt is decided from besides its hunter, with the aliases of everyone in it by player id. */
interface NamedHuntContext extends Omit<HuntContext, "hunter"> {
  aliases: Map<string, string>;
  /** The further writes that the hunt requires. @throws DomainError `too_early` as {@link completeTag} */
  writes: (outcome: Pick<HuntOutcome, "interaction" | "prey">) => Promise<Write[]>;
}

const earlierWrites = async (
  store: Store,
  game: Game,
  items: EarlierItems | null,
  outcome: Pick<HuntOutcome, "interaction" | "prey">,
): Promise<Write[]> => {
  if (items === null) return [];
  const { code, record, infection } = items;
  if (infection === undefined) return [usedCodeWrite(code, record, outcome.interaction)];
  return completeTag(store, game, infection, outcome);
};

/** The player whom the prey of a reported tag has named as the hunter, if any. */
export const findSuspect = async (store: Store, tag: Interaction | null): Promise<Player[]> => {
  const suspect = tag?.suspect === undefined ? null : await store.player(tag.suspect);
  return suspect === null ? [] : [suspect];
};

/** Reads the prey and the sharers concurrently, and a newer game if one of them knows it. */
export const loadHuntContext = async (
  store: Store,
  hunter: Player,
  game: Game,
  body: HuntBody,
  now: number,
): Promise<NamedHuntContext> => {
  const { tag_code, share_with = [] } = body;
  const code = normalizeTagCode(tag_code);
  const [found, ...sharers] = await Promise.all([
    findPrey(store, code),
    ...share_with.map(async (alias) => ({ alias, player: await store.playerByAlias(alias) })),
  ]);
  const present = [found, ...sharers.map(({ player }) => player)].filter((one) => typeof one === "object");
  const everyone = [hunter, ...present].filter((one) => one !== null);
  const current = await store.gameFor(game, ...everyone);
  const prey = shownPrey(found, hunter, code, current, now);
  const record = await readSpentCode(store, code, prey);
  // Somebody who has left and whose code says so no more has come back since.
  const isBack =
    found === "gone" && record?.left_at === undefined && (await findPrey(store, code)) !== "gone";
  if (isBack) return loadHuntContext(store, hunter, game, body, now);
  const earlier = await readEarlier(store, current, code, record);
  const tag = earlier === null ? null : earlierTag(earlier);
  const suspect = await findSuspect(store, tag?.infection ?? null);
  return {
    game: current,
    code,
    prey,
    earlier: tag,
    isReplaced: record?.replaced_at !== undefined,
    writes: (outcome) => earlierWrites(store, current, earlier, outcome),
    sharers,
    aliases: new Map([...everyone, ...suspect].map(({ player_id, alias }) => [player_id, alias])),
  };
};

/** Counts an attempt with an unknown code. Returns the error, so that the count is saved. */
export const countUnknownCode = (
  { stored }: Hunter,
  context: CommandContext,
  game: Game,
): { changes: Changes; error: DomainError } => ({
  changes: { ...recordMiss(stored, context), basedOn: game },
  error: unknownTagCode(),
});
