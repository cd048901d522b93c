/** Loads what a reported hunt depends on: the prey and the sharers. */
import { foldAlias } from "../../domain/alias.ts";
import { type Game, playBetween } from "../../domain/clock.ts";
import { type DomainError, invalid } from "../../domain/domainError.ts";
import {
  type HuntContext,
  type HuntReport,
  recordMiss,
  requireCanHunt,
  unknownTagCode,
} from "../../domain/hunt.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player } from "../../domain/player.ts";
import { durationText } from "../../domain/settings.ts";
import { isTagCode, normalizeTagCode } from "../../domain/tagCode.ts";
import { instantOf, SECOND } from "../../domain/time.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import type { Changes } from "../../store/changes.ts";
import type { Store } from "../../store/store.ts";

interface HuntBody {
  tag_code: string;
  hunted_at?: string | undefined;
  share_with?: string[] | undefined;
  note?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

/**
 * The report in a request, with the checks that need nothing but the game.
 * @throws DomainError `invalid_request` for a time in the future or before the report window, and for sharing with too
 *   many, oneself or twice with one player
 */
export const readHuntReport = (body: HuntBody, hunter: Player, game: Game, now: number): HuntReport => {
  const huntedAt = body.hunted_at === undefined ? now : instantOf(body.hunted_at);
  const issues: ValidationIssue[] = [];
  if (huntedAt > now) issues.push({ path: "hunted_at", message: "is in the future" });
  const window = game.settings.report_window_seconds * SECOND;
  if (playBetween(game, huntedAt, now) > window)
    issues.push({ path: "hunted_at", message: `is more than ${durationText(window)} ago` });
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
  if (issues.length > 0) throw invalid(...issues);
  return { huntedAt, note: body.note, latitude: body.latitude, longitude: body.longitude };
};

/** The player with a tag code; `unknown` for a code that nobody has had, `gone` for a deleted player. */
export const findPrey = async (store: Store, code: string): Promise<HuntContext["prey"]> => {
  const owner = isTagCode(code) ? await store.ownerOfCode(code) : null;
  return owner === null ? "unknown" : ((await store.player(owner)) ?? "gone");
};

/** A hunt context, with the aliases of everyone in it by player id. */
export type NamedHuntContext = HuntContext & { names: Map<string, string> };

/** Reads the prey and the sharers concurrently. */
export const loadHuntContext = async (
  store: Store,
  hunter: Player,
  game: Game,
  { tag_code, share_with = [] }: HuntBody,
): Promise<NamedHuntContext> => {
  const code = normalizeTagCode(tag_code);
  const [prey, ...sharers] = await Promise.all([
    findPrey(store, code),
    ...share_with.map(async (alias) => ({ alias, player: await store.playerByAlias(alias) })),
  ]);
  const present = [prey, ...sharers.map(({ player }) => player)].filter((one) => typeof one === "object");
  const everyone = [hunter, ...present].filter((one) => one !== null);
  return {
    game: await store.gameFor(game, ...everyone),
    hunter,
    code,
    prey,
    sharers,
    names: new Map(everyone.map(({ player_id, alias }) => [player_id, alias])),
  };
};

/** Counts an attempt with an unknown code, and rejects it. @throws DomainError as {@link requireCanHunt} */
export const countUnknownCode = (
  hunter: Player,
  context: CommandContext,
  game: Game,
  huntedAt: number,
): { changes: Changes; error: DomainError } => {
  requireCanHunt(hunter, game, huntedAt, context);
  return { changes: { ...recordMiss(hunter, context), seen: game }, error: unknownTagCode() };
};
