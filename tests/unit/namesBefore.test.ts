/**
 * Names that earlier versions have stored keep their keys and are found as before (decision 96). The rules of then made
 * tests/fixtures/namesBefore.ndjson, of names of many scripts with every kind of character that the rules mention.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { foldAlias, normalizeAlias } from "../../lib/domain/accounts/alias.ts";
import { aliasError } from "../../lib/domain/accounts/aliasRules.ts";
import { emailError, normalizeEmail } from "../../lib/domain/accounts/emailAddress.ts";
import { formsOfSearch, searchFor, storedWords } from "../../lib/domain/accounts/searchWords.ts";
import { guardKeys, lookAlikeKeys } from "../../lib/store/accounts/aliasGuards.ts";
import { keys } from "../../lib/store/keys.ts";

const Text = z.nullable(z.string());
const Player = z.object({
  ...{ alias: z.string(), first_name: Text, last_name: Text, email: Text },
  /** The words that were stored, and whether game masters alone searched them. */
  words: z.record(z.string(), z.boolean()),
  /** Some that found the player. */
  searches: z.array(z.string()),
});
const Line = z.object({
  /** An alias that was valid, its folded form, and the keys of what looks like it. */
  name: z.optional(z.array(z.string())),
  player: z.optional(Player),
  /** An address that was accepted, and the form of which its hash was made. */
  address: z.optional(z.tuple([z.string(), z.string()])),
});

const FILE = new URL("../fixtures/namesBefore.ndjson", import.meta.url);
const LINES = readFileSync(FILE, "utf8")
  .trim()
  .split("\n")
  .map((line) => Line.parse(JSON.parse(line)));

it("every alias that was valid is still valid, is shown as before, and has the same guards", () => {
  expect(LINES.length).toBeGreaterThan(3_000);
  for (const { name: [alias, ...before] = [] } of LINES) {
    if (alias === undefined) continue;
    expect([aliasError(alias), normalizeAlias(alias)]).toEqual([null, alias]);
    expect([foldAlias(alias), ...lookAlikeKeys(alias)], alias).toEqual(before);
  }
  expect(guardKeys("Ada")[0]).toEqual(keys.alias("ada"));
});

it("every word that was stored is still one of the player, and every search finds whom it found", () => {
  for (const { words, searches, ...player } of LINES.flatMap((line) => line.player ?? [])) {
    const stored = storedWords(player);
    const lost = Object.entries(words).filter(([word, isHidden]) => {
      const now = stored.get(word);
      return now === undefined || (now && !isHidden);
    });
    expect(lost, player.alias).toEqual([]);
    expect(
      searches.filter((search) => !searchFor(search)(player)),
      player.alias,
    ).toEqual([]);
    // A player of an earlier version has the words of then alone.
    const unknown = Object.keys(words).filter(
      (word) => !formsOfSearch(word).some((forms) => forms.length === 1 && forms[0] === word),
    );
    expect(unknown, player.alias).toEqual([]);
  }
});

it("every address that was accepted still is, and has the same hash", () => {
  for (const { address } of LINES)
    if (address !== undefined)
      expect([emailError(address[0]), normalizeEmail(address[0])]).toEqual([null, address[1]]);
});
