/** The address of the mail server. */
import { keyReader } from "./keyReader.ts";
import type { KeySource } from "./secrets.ts";

const readUrl = keyReader<string>(async (parameter) => {
  const { cachedMailUrl } = await import("./parameters.ts");
  return cachedMailUrl(parameter);
});

/**
 * Reads `MAIL_URL`.
 * @throws DomainError `unavailable` if it cannot be read at the moment; Error if its parameter is missing or forbidden
 */
export const mailUrl = async (source: KeySource<string>): Promise<string> => {
  const [url] = await readUrl(source);
  if (url === undefined) throw new Error("the setting MAIL_URL is missing");
  return url;
};
