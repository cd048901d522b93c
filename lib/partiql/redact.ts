/** A statement as the log may have it: what was asked, without what was asked for. */
import { tokenize } from "./tokens.ts";

const MOST_LOGGED = 2_000;
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The statement with every text, comment and strange name left out, cut to 2,000 characters. Where quotes do
 * not match, nobody can tell what is a text: then nothing after the first of them is told.
 */
export const redact = (statement: string): string => {
  const tokens = tokenize(statement);
  const broken = tokens.some(({ kind }) => kind === "bad");
  let told = "";
  for (const { kind, source, value } of tokens) {
    if (kind === "text") told += "'…'";
    else if (kind === "comment") told += source.startsWith("--") ? "--…" : "/*…*/";
    else if (kind === "name") told += PLAIN_NAME.test(value) ? source : '"…"';
    else if (kind === "bad") told += "…";
    else told += source;
    if (broken && (kind === "text" || kind === "name" || kind === "bad")) return cut(`${told} …`);
  }
  return cut(told);
};

const cut = (text: string): string => [...text].slice(0, MOST_LOGGED).join("");
