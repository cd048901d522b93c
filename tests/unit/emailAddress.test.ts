/** E-mail addresses by RFC 6531: which are accepted, and which are the same. */
import { expect, it } from "vitest";
import { emailError, normalizeEmail } from "../../lib/domain/accounts/emailAddress.ts";
import { Email } from "../../lib/http/fields.ts";

const FORM = "must have the form name@example.org";

it.each([
  ["Ada.Lovelace+hvz@Example.ORG", null],
  ["o'brien@example.org", null],
  ["a&b=c!#$%*/?^_`{|}~-@example.org", null],
  ["jürgen@bücher.example", null],
  ["用户@例子.广告", null],
  ["ada@例え。jp", null],
  ["ada@xn--bcher-kva.xn--p1ai", null],
  [" ada@example.org ", null],
  ["ada", FORM],
  ["ada@", FORM],
  ["ada@example", FORM],
  ["ada@@example.org", FORM],
  [".ada@example.org", FORM],
  ["a..b@example.org", FORM],
  ['"a b"@example.org', FORM],
  ["ada@-example.org", FORM],
  ["ada@[127.0.0.1]", FORM],
  ["ada@exa/mple.org", FORM],
  ["ada\u200b@example.org", FORM],
  ["😀@example.org", FORM],
  [`${"a".repeat(243)}@example.org`, "must have at most 254 characters"],
  [`${"ü".repeat(122)}@example.org`, "must have at most 254 characters"],
])("%j has the error %j", (address, error) => {
  expect(emailError(address)).toBe(error);
});

it("keeps an address as it was typed, without white space around it", () => {
  expect(Email.parse(" Jürgen+HvZ@Bücher.Example ")).toBe("Jürgen+HvZ@Bücher.Example");
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
