/** Reads of the words by which players are found. */
import type { Game } from "../domain/game.ts";
import { plainWord } from "../domain/searchWords.ts";
import type { Database } from "../dynamodb/database.ts";
import { idOf, parseAliasOwner, parseIfFound, parseOwner } from "./items.ts";
import { keys, rosterList, WORDS_LIST } from "./keys.ts";
import { type Entry, entries } from "./lists.ts";

/**
 * The maximum number of entries read per list. A roster entry has about 200 bytes, a word 100, so that is one or two read
 * units.
 */
const MAX_READ = 40;

/** Sorts after every sort key with this prefix. */
const endOfPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/**
 * The ids of players with a word that begins like this, and whether there may be more.
 * @param folded the folded word, with its accents
 * @param isMaster whether a game master searches: words for administrators alone are included
 */
export const idsByWord = async (
  db: Database,
  { shards }: Game,
  folded: string,
  isMaster: boolean,
): Promise<{ ids: Set<string>; more: boolean }> => {
  const rangeOf = (word: string) => ({ after: word, before: endOfPrefix(word) });
  const read = async (source: AsyncIterable<Entry>): Promise<Entry[]> => {
    const found: Entry[] = [];
    for await (const entry of source) {
      found.push(entry);
      if (found.length === MAX_READ) break;
    }
    return found;
  };
  const [alias, roster, words] = await Promise.all([
    // Ranges are exclusive, so an alias that equals the word is read by its key.
    db.get(keys.alias(folded), { consistent: false }),
    read(entries(db, { index: "gsi1", partition: rosterList, shards, ...rangeOf(folded) }, MAX_READ)),
    read(entries(db, { partition: () => WORDS_LIST, shards: 1, ...rangeOf(plainWord(folded)) }, MAX_READ)),
  ]);
  const shown = words.filter(({ item }) => isMaster || item.of_masters !== true);
  const exact = parseIfFound(alias, parseAliasOwner);
  const ids = [
    ...(exact === null ? [] : [exact]),
    ...roster.map(({ item }) => idOf(item)),
    ...shown.map(({ item }) => parseOwner(item)),
  ];
  return { ids: new Set(ids), more: [roster, words].some(({ length }) => length === MAX_READ) };
};
