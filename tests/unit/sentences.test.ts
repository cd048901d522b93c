/** Messages for people have no names of fields in them. */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { asSentence, fieldName } from "../../lib/domain/validation.ts";

/** Names with underscores, outside of backticks and placeholders. */
const rawNames = (text: string): string[] =>
  text.replaceAll(/\$\{[^}]*\}|\\?`[^`]*`/g, "").match(/\b[a-z]+_[a-z_]+\b/g) ?? [];

/** What begins like a sentence, or like the part of one after the name of a field. */
const SENTENCE = /^"(must|may|is|are|has|needs|cannot|exactly|at least|[A-Z][a-z]+ [a-z]+) [^"]*"$/;

it("in the sources, messages name fields in words", () => {
  const found = globSync("lib/{app,auth,domain,http}/**/*.ts").flatMap((path) => {
    const code = readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    const texts = code.match(/"(?:[^"\\\n]|\\.)*"/g) ?? [];
    return texts.filter((text) => SENTENCE.test(text) && rawNames(text).length > 0);
  });
  expect(found).toEqual([]);
});

/** The names of all fields of requests. */
const requestFields = (): string[] => {
  const { paths } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
  const names = new Set<string>();
  JSON.stringify(paths, (key, value) => {
    if (key === "responses") return;
    if (key === "properties") for (const name of Object.keys(value)) names.add(name);
    return value;
  });
  return [...names];
};

it.each([
  ["ends_at", "must be after the start", "The end must be after the start."],
  ["reveal_originals_at", "must not be after the end", "The time of the reveal must not be after the end."],
])("%s is named in words", (path, message, sentence) => {
  expect(asSentence({ path, message }).message).toBe(sentence);
});

it("no field of a request is named by a word that needs another: of what, at, by or until", () => {
  const unnatural = requestFields()
    .map(fieldName)
    .filter((name) => /( (at|by|id|ids|after|seconds))$|^(until|was|q|is |has |hide |wants )/.test(name));
  expect(unnatural).toEqual(["player id"]);
});
