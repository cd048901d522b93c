/** Names that earlier versions have stored keep their keys and are found as before (decision 96). */
import { expect, it } from "vitest";
import { foldAlias, normalizeAlias } from "../../lib/domain/accounts/alias.ts";
import { aliasError } from "../../lib/domain/accounts/aliasRules.ts";
import { emailError, normalizeEmail } from "../../lib/domain/accounts/emailAddress.ts";
import { formsOfSearch, searchFor, storedWords } from "../../lib/domain/accounts/searchWords.ts";
import { guardKeys, lookAlikeKeys } from "../../lib/store/accounts/aliasGuards.ts";
import { keys } from "../../lib/store/keys.ts";
import {
  ADDRESS_BEFORE,
  addressBefore,
  keysBefore,
  type Named,
  wasFound,
  wasValid,
  wordsBefore,
} from "../support/aliasesBefore.ts";
import { type Random, randomFrom, SEED, share } from "../support/battery.ts";

const random = randomFrom(SEED);

/** Letters of many scripts, and every kind of character that the rules mention. */
const LETTERS = [
  ..."abcilmnorstuvxyzABCIJLMOR0123456789ßœæøłđðþıİſäéñçαβγσςΩабвгийКМдёїאבגתابجدرزوهيیکپ李王小明山田太郎さくらガジョンー김연아ก้คিক্ষकि",
  ..."ŀĿŉǆﬀﬃʻʼˈᐧ一〇丨𝐀𝓷Ａ１ｶﾞ\u0301\u0308\u0323\u094d\u09cd\u0e34\ufc5e\ufe70\ufdfa\u037a\u0345",
];
const SEPARATORS = [..." _.'-"];

const letter = ({ pick, below, chance }: Random): string => {
  if (chance(0.8)) return pick(LETTERS);
  const point = below(0x323af);
  return point >= 0xd800 && point <= 0xdfff ? "x" : String.fromCodePoint(point);
};

/** A text in which letters and separators alternate as in names, so that most were valid. */
const name = (): string => {
  const length = 1 + random.below(random.chance(0.1) ? 30 : 12);
  const characters = Array.from({ length }, () =>
    random.chance(0.15) ? random.pick(SEPARATORS) : letter(random),
  );
  return characters.join("").normalize("NFC");
};

const NAMES = Array.from({ length: share(3_000_000, 20_000) }, name);
const VALID = NAMES.filter(wasValid);

it("every alias that was valid is still valid, is shown as before, and has the same guards", () => {
  const wrong = VALID.filter((alias) => {
    const before = keysBefore(alias);
    return (
      aliasError(alias) !== null ||
      normalizeAlias(alias) !== alias ||
      [foldAlias(alias), ...lookAlikeKeys(alias)].join("\n") !== before.join("\n")
    );
  });
  expect(wrong, `seed ${SEED}`).toEqual([]);
  expect(VALID.length).toBeGreaterThan(NAMES.length / 5);
  expect(VALID.filter((alias) => /[ _.'-]/.test(alias)).length).toBeGreaterThan(1_000);
  expect(guardKeys("Ada")[0]).toEqual(keys.alias("ada"));
});

const orNull = (text: string): string | null => (text === "" || random.chance(0.3) ? null : text);

const player = (alias: string, at: number): Named => ({
  alias,
  first_name: orNull(NAMES[(at * 7 + 1) % NAMES.length] ?? ""),
  last_name: orNull(NAMES[(at * 11 + 2) % NAMES.length] ?? ""),
  email: random.chance(0.5) ? `${random.pick(["ada.lovelace", "o'neil", "a_b+c", "zoe"])}@example.org` : null,
});

it("every word that was stored is still one of the player, and every search finds whom it found", () => {
  const players = VALID.slice(0, 20_000).map(player);
  const wrong = players.filter((one) => {
    const stored = storedWords(one);
    return [...wordsBefore(one)].some(([word, hidden]) => {
      const now = stored.get(word);
      return now === undefined || (now && !hidden);
    });
  });
  expect(wrong, `seed ${SEED}`).toEqual([]);
  const lost = players.flatMap((one) => {
    const texts = [one.alias, one.first_name, one.last_name, one.email].flatMap(
      (text) => text?.split(/[ _.-]+/) ?? [],
    );
    const searches = texts.map((text) => text.slice(0, 1 + random.below(text.length || 1)));
    return searches
      .filter((search) => search.isWellFormed() && wasFound(search, one) && !searchFor(search)(one))
      .map((search) => [search, one]);
  });
  expect(lost, `seed ${SEED}`).toEqual([]);
  // A player of an earlier version has the words of then alone.
  const unknown = players.flatMap((one) =>
    [...wordsBefore(one).keys()].filter(
      (word) => !formsOfSearch(word).some((words) => words.length === 1 && words[0] === word),
    ),
  );
  expect(unknown, `seed ${SEED}`).toEqual([]);
});

it("every address that was accepted still is, and has the same hash", () => {
  const characters = [..."abzABZ019_'+-.xn--XN-@@.co.org"];
  const part = (most: number) =>
    Array.from({ length: 1 + random.below(most) }, () => random.pick(characters)).join("");
  const addresses = Array.from(
    { length: share(3_000_000, 50_000) },
    () => `${part(6)}@${part(8)}.${random.pick(["org", "COM", "de", "museum"])}`,
  ).filter((address) => ADDRESS_BEFORE.test(address));
  const wrong = addresses.filter(
    (address) => emailError(address) !== null || normalizeEmail(address) !== addressBefore(address),
  );
  expect(wrong, `seed ${SEED}`).toEqual([]);
  expect(addresses.length).toBeGreaterThan(2_000);
});
