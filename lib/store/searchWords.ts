/** Reads of the words by which players are found. */
import type { Game } from "../domain/clock.ts";
import { plainWord } from "../domain/searchWords.ts";
import type { Database } from "../dynamodb/database.ts";
import { idOf, parseAliasOwner, parseIfFound, parseOwner } from "./items.ts";
import { keys, rosterList, WORDS_LIST } from "./keys.ts";
import { type Entry, entries } from "./lists.ts";

/** Entries of the roster take some 200 bytes, those of words 100: so many take a read unit or two. */
const MAX_READ = 40;

/** Sorts after every sort key with this beginning. */
const endOf = (beginning: string): string => `${beginning}\u{10ffff}`;

/**
 * The ids of players one of whose words begins like this, and whether there may be more.
 * @param folded the word, with its accents
 */
export const idsByWord = async (
  db: Database,
  { shards }: Game,
  folded: string,
  isMaster: boolean,
): Promise<{ ids: Set<string>; more: boolean }> => {
  const rangeOf = (word: string) => ({ after: word, before: endOf(word) });
  const read = async (source: AsyncIterable<Entry>): Promise<Entry[]> => {
    const found: Entry[] = [];
    for await (const entry of source) {
      found.push(entry);
      if (found.length === MAX_READ) break;
    }
    return found;
  };
  const [alias, roster, words] = await Promise.all([
    // The range begins after the alias that is this word.
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
