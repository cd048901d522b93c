/** Redacts statements for the audit log. */
import { tokenize } from "./tokens.ts";

const MAX_LOGGED_CHARACTERS = 2_000;
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The statement without texts, comments and unusual names, truncated to {@link MAX_LOGGED_CHARACTERS}. If it has an
 * invalid token, such as an open quote, everything after the first text, quoted name or invalid token is removed.
 */
export const redact = (statement: string): string => {
  const tokens = tokenize(statement);
  const hasInvalidToken = tokens.some(({ kind }) => kind === "bad");
  let redacted = "";
  for (const { kind, source, value } of tokens) {
    if (kind === "text") redacted += "'…'";
    else if (kind === "comment") redacted += source.startsWith("--") ? "--…" : "/*…*/";
    else if (kind === "name") redacted += PLAIN_NAME.test(value) ? source : '"…"';
    else if (kind === "bad") redacted += "…";
    else redacted += source;
    if (hasInvalidToken && (kind === "text" || kind === "name" || kind === "bad"))
      return cut(`${redacted} …`);
  }
  return cut(redacted);
};

const cut = (text: string): string => [...text].slice(0, MAX_LOGGED_CHARACTERS).join("");
