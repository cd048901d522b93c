/** E-mail addresses: which ones are valid (RFC 5321, and RFC 6531 for letters of all scripts), and which two are the same. */
import { domainToASCII } from "node:url";
import { foldText } from "./alias.ts";

export const EMAIL_LENGTH = { min: 6, max: 254 };

/** Words that dots join, without quoted texts. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;

/** A domain of at least two names; domainToASCII says whether their letters of other scripts are valid. */
const DOMAIN =
  /^(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}\p{Join_Control}·・-]*\.)+(?!\d+$)[\p{L}\p{N}][\p{L}\p{M}\p{N}\p{Join_Control}-]+$/u;

const ASCII = /^[\x20-\x7e]*$/;

/** The full stops of East Asian keyboards, which separate the names of a domain too. */
const FULL_STOPS = /[\u3002\uff0e\uff61]/g;

const partsOf = (email: string): { local: string; domain: string } => {
  const trimmed = email.trim();
  const at = trimmed.lastIndexOf("@");
  return { local: trimmed.slice(0, Math.max(at, 0)), domain: trimmed.slice(at + 1) };
};

/**
 * A domain in the form in which domains are compared: with A-labels, which are those of ASCII letters alone. An invalid
 * domain is empty or stays as it is.
 */
const asciiDomain = (domain: string): string =>
  (ASCII.test(domain) ? domain : domainToASCII(domain.replaceAll(FULL_STOPS, "."))).toLowerCase();

/**
 * Checks an e-mail address.
 * @returns the end of a sentence that begins with the field's name; `null` for a valid address
 */
export const emailError = (input: string): string | null => {
  if (
    input.length > 4 * EMAIL_LENGTH.max ||
    Buffer.byteLength(input.trim().normalize("NFC")) > EMAIL_LENGTH.max
  )
    return `must have at most ${EMAIL_LENGTH.max} characters`;
  const { local, domain } = partsOf(input);
  const isValid =
    LOCAL_PART.test(local.normalize("NFC")) &&
    DOMAIN.test(domain.replaceAll(FULL_STOPS, ".")) &&
    asciiDomain(domain) !== "";
  return isValid ? null : "must have the form name@example.org";
};

/**
 * The form in which addresses are compared: it ignores case, composition and compatibility forms, and whether a domain is
 * written in its own script or in A-labels (`bücher.example` is `xn--bcher-kva.example`). Case of the part before the @
 * could make a difference by RFC 5321, section 2.4, but does nowhere, and must not help to evade a ban.
 */
export const normalizeEmail = (email: string): string => {
  const { local, domain } = partsOf(email.normalize("NFKC"));
  return `${foldText(local)}@${asciiDomain(domain)}`;
};
