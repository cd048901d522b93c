/** The keys of tokens in mails. */
import { keyReader } from "./keyReader.ts";
import type { MailKey } from "./secrets.ts";

/**
 * Reads the keys.
 * @throws DomainError `unavailable` if they cannot be read at the moment; Error if their parameter is missing, forbidden
 *   or malformed
 */
export const mailKeys = keyReader<MailKey>(async (parameter) => {
  const { cachedMailKeys } = await import("./parameters.ts");
  return cachedMailKeys(parameter);
});
