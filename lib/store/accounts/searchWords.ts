/** Finds players by the beginning of a word of their alias, name or e-mail address. */
import type { Game } from "../../domain/game/game.ts";
import type { Database } from "../../dynamodb/database.ts";
import { idOf, parseAliasOwner, parseIfFound, parseOwner } from "../items.ts";
import { keys, rosterList, WORDS_LIST } from "../keys.ts";
import { type Entry, entries } from "../lists.ts";

/**
 * The maximum number of entries read per list. A roster entry has about 200 bytes, a word 100, so with one shard that is
 * up to one read unit.
 */
const MAX_READ = 40;

/** Sorts after every sort key with this prefix. */
const endOfPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/**
 * The ids of players with a word that begins like this, and whether there may be more.
 * @param word a word of `formsOfSearch`; it finds an alias with accents by the stored words
 * @param isAdmin whether an administrator searches: words for administrators alone are included
 */
export const idsByWord = async (
  db: Database,
  { shards }: Game,
  word: string,
  isAdmin: boolean,
): Promise<{ ids: Set<string>; more: boolean }> => {
  const range = { after: word, before: endOfPrefix(word) };
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
    db.get(keys.alias(word), { consistent: false }),
    read(entries(db, { index: "gsi1", partition: rosterList, shards, ...range }, MAX_READ)),
    read(entries(db, { partition: () => WORDS_LIST, shards: 1, ...range }, MAX_READ)),
  ]);
  const shown = words.filter(({ item }) => isAdmin || item.of_masters !== true);
  const exact = parseIfFound(alias, parseAliasOwner);
  const ids = [
    ...(exact === null ? [] : [exact]),
    ...roster.map(({ item }) => idOf(item)),
    ...shown.map(({ item }) => parseOwner(item)),
  ];
  return { ids: new Set(ids), more: [roster, words].some(({ length }) => length === MAX_READ) };
};
