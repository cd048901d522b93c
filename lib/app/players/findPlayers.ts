/** Finds players by alias, name, e-mail address, tag code or reference, for game masters and moderators. */
import { foldAlias } from "../../domain/accounts/alias.ts";
import { formsOfSearch, searchFor } from "../../domain/accounts/searchWords.ts";
import { isTagCode, normalizeTagCode } from "../../domain/hunts/tagCode.ts";
import { shownPlayer } from "../../domain/players/visibility.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { isPlayerRef } from "../../store/accounts/playerRefs.ts";
import { idsByWord } from "../../store/accounts/searchWords.ts";
import { startCodeGuess } from "../accounts/codeGuess.ts";
import { showAllToStaff } from "../lookups.ts";
import { infoForStaff, playerInfo, type StaffInfo } from "../shown.ts";

/** Keeps the whole search within ten read units (decision 62): each player takes half a unit. */
const MAX_FOUND = 10;

interface Found {
  /** Sorted by alias. */
  players: StaffInfo[];
  /** Whether more players may match. */
  more: boolean;
}

/** The ids of players with this tag code or reference. @param mayGuess whether a tag code may be looked up */
const idsByCodeOrRef = async ({ services }: ReadCall, q: string, mayGuess: boolean): Promise<string[]> => {
  const { store } = services;
  const code = normalizeTagCode(q);
  const ids = await Promise.all([
    mayGuess && isTagCode(code) ? store.ownerOfCode(code) : null,
    isPlayerRef(q) ? store.playerIdByRef(q) : null,
  ]);
  return ids.filter((id) => id !== null);
};

/** The most words that are looked up, of a search in one form and of one in two. */
const MAX_LOOKED_UP = [3, 2] as const;

/** The ids of players with all words of a search in one of its forms, and whether there may be more. */
const idsByWords = async ({ game, player, services }: ReadCall, q: string) => {
  const forms = formsOfSearch(q);
  const most = forms.length === 1 ? MAX_LOOKED_UP[0] : MAX_LOOKED_UP[1];
  const found = new Map<string, ReturnType<typeof idsByWord>>();
  const lookUp = (word: string) => {
    const known = found.get(word) ?? idsByWord(services.store.db, game, word, player.is_admin);
    found.set(word, known);
    return known;
  };
  const ids = await Promise.all(
    forms.map(async (words) => {
      const [first, ...others] = await Promise.all(words.slice(0, most).map(lookUp));
      return [...(first?.ids ?? [])].filter((id) => others.every((one) => one.ids.has(id)));
    }),
  );
  const looked = await Promise.all(found.values());
  return { ids: [...new Set(ids.flat())], more: looked.some(({ more }) => more) };
};

/**
 * Finds at most ten players who match all words of the search, or have the tag code or reference.
 * @throws DomainError `too_many_attempts` if a tag code may not be looked up, and no word matches
 */
export const findPlayers = async (call: ReadCall, search: string): Promise<Found> => {
  const { game, now, player: viewer, services } = call;
  const { store } = services;
  const q = search.trim();
  const code = normalizeTagCode(q);
  const guess = await startCodeGuess(services, viewer, code, now);
  const [named, worded] = await Promise.all([
    idsByCodeOrRef(call, q, guess.error === null),
    idsByWords(call, q),
  ]);
  const ids = [...new Set([...named, ...worded.ids])];
  const read = await store.players(ids.slice(0, MAX_FOUND), { consistent: false });
  const isFound = searchFor(q);
  const players = [...read.values()].filter((one) => {
    const shown = playerInfo(one, viewer, game, now, null);
    // Moderators find a code that a player tells them, although lists do not show codes to them. A code may have been
    // replaced, and an index may lag.
    return shown.tag_code === code || isPlayerRef(q) || isFound(infoForStaff(shown, one, viewer));
  });
  // A name may look like a tag code, so a search that matches names goes on.
  if (guess.error !== null && players.length === 0) throw guess.error;
  if (players.some((one) => shownPlayer(one, viewer, game, now).tag_code === code)) await guess.isKnown();
  const sorted = players.toSorted((one, other) => (foldAlias(one.alias) < foldAlias(other.alias) ? -1 : 1));
  return {
    players: await showAllToStaff(store, sorted, game, now, viewer),
    more: worded.more || ids.length > MAX_FOUND,
  };
};
