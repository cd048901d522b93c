/** E-mail addresses by RFC 6531: which are accepted, and which are the same. */
import { expect, it } from "vitest";
import { emailError, normalizeEmail } from "../../lib/domain/accounts/emailAddress.ts";

const VALID =
  "Ada.Lovelace+hvz@Example.ORG o'brien@example.org a&b=c!#$%*/?^_`{|}~-@example.org jürgen@bücher.example " +
  "用户@例子.广告 ada@例え。jp ada@xn--bcher-kva.xn--p1ai";
const INVALID =
  "ada ada@ ada@example ada@@example.org .ada@example.org a..b@example.org ada@-example.org ada@[127.0.0.1] " +
  "ada@exa/mple.org ada\u200b@example.org 😀@example.org";
const LONG = ["a".repeat(243), "ü".repeat(122)].map((local) => `${local}@example.org`);

it.each<[string[], string | null]>([
  [[...VALID.split(" "), " ada@example.org "], null],
  [[...INVALID.split(" "), '"a b"@example.org'], "must have the form name@example.org"],
  [LONG, "must have at most 254 characters"],
])("%j have the error %j", (addresses, error) => {
  for (const address of addresses) expect(emailError(address), address).toBe(error);
});

it.each([
  ["Ada@Example.ORG", "ada@example.org", true],
  ["ada@bücher.example", "ada@xn--bcher-kva.example", true],
  ["ada@bu\u0308cher.example", "ada@bücher.example", true],
  ["ju\u0308rgen@example.org", "JÜRGEN@example.org", true],
  ["ada@例え。jp", "ada@例え.jp", true],
  ["ａｄａ@example.org", "ada@example.org", true],
  // All of these are the same in upper case.
  ["ΝΙΚΟΣ@example.org", "νικος@example.org", true],
  ["STRASSE@example.org", "straße@example.org", true],
  ["ada+hvz@example.org", "ada@example.org", false],
  ["a.da@example.org", "ada@example.org", false],
  ["ada@faß.de", "ada@fass.de", false],
  ["jurgen@example.org", "jürgen@example.org", false],
])("%j and %j are the same: %j", (one, other, areSame) => {
  expect([emailError(one), emailError(other)]).toEqual([null, null]);
  expect(normalizeEmail(one) === normalizeEmail(other)).toBe(areSame);
});
