/** Nearly valid requests: with one typical mistake, or with one change that is still valid. */
import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";
import { type Drawn, jsonOf, type Sent } from "./cases.ts";
import type { Field, Form } from "./forms.ts";

/** A changed value, and how it was changed. */
type Spoilt = readonly [how: string, value: unknown];

const LOOKALIKES = new Map(
  [..."aceiopsxyABEHOT015-"].map((letter, at) => [letter, [..."асеіорѕхуАВЕНОТОlƼ‐"][at]]),
);

/** Replaces the first possible letter by one that looks like it. */
const lookAlike = (text: string): string => {
  const at = [...text].findIndex((letter) => LOOKALIKES.has(letter));
  return [...text].map((letter, n) => (n === at ? (LOOKALIKES.get(letter) ?? "") : letter)).join("");
};

const swapCase = (text: string): string =>
  [...text].map((one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())).join("");

const ofText = (text: string, form: Form, random: Random): Spoilt[] => {
  const letters = [...text];
  const at = random.below(letters.length + 1);
  const { least, most } = form.kind === "text" ? form : { least: 0, most: 100 };
  const longest = Math.min(most, 5_000);
  return [
    ["empty", ""],
    ["blank", "   "],
    ["a letter less", letters.toSpliced(at, 1).join("")],
    ["a letter more", letters.toSpliced(at, 0, random.pick(["a", "0", " ", "-", ".", "é"])).join("")],
    ["another letter", letters.toSpliced(at, 1, random.pick(["z", "9", "_", "ß", "@"])).join("")],
    ["case swapped", swapCase(text)],
    ["a look-alike", lookAlike(text)],
    ["a space before", ` ${text}`],
    ["a space after", `${text} `],
    ["a line break after", `${text}\n`],
    ["an invisible character", letters.toSpliced(at, 0, "\u200b").join("")],
    ["a mark of direction", `\u202e${text}`],
    ["decomposed", text.normalize("NFD")],
    ["twice", text + text],
    ["as short as allowed", "a".repeat(least)],
    ["too short", "a".repeat(Math.max(0, least - 1))],
    ["as long as allowed", text.padEnd(longest, "a")],
    ["too long", text.padEnd(longest + 1, "a")],
  ];
};

const ofNumber = (value: number, { least, most }: Extract<Form, { kind: "number" }>): Spoilt[] =>
  [least, least - 1, most, most + 1, -value, value + 0.5, most + 1e-9].map((other) => [
    `the number ${other}`,
    other,
  ]);

const ofDigits = (text: string, { least, most }: Extract<Form, { kind: "digits" }>): Spoilt[] =>
  [
    ...[least, least - 1, most, most + 1].map(String),
    ...["", " ", `${text} `, `+${text}`, `-${text}`, `${text}.0`, `${text}e0`, `0x${text}`, "٥"],
  ].map((other): Spoilt => [`written as ${JSON.stringify(other)}`, other]);

const ofForm = (value: unknown, form: Form, random: Random): Spoilt[] => {
  if (form.kind === "digits" && typeof value === "string") return ofDigits(value, form);
  if (form.kind === "number" && typeof value === "number") return ofNumber(value, form);
  if (form.kind === "list" && Array.isArray(value)) {
    const tooMany = Array.from({ length: Math.min(form.most, 1_000) + 1 }, () => value[0] ?? "a");
    return [
      ["each element twice", [...value, ...value]],
      ["with null in it", [...value, null]],
      ["empty", []],
      ["too many elements", tooMany],
    ];
  }
  return typeof value === "string" ? ofText(value, form, random) : [];
};

/** The value with a mistake: within its own form, of another type, or null. */
const spoiltValue = (value: unknown, { form }: Field, random: Random, isQuery: boolean): Spoilt => {
  const others = [JSON.stringify(value), 7, true, [value], { value }, null];
  const types = others.map((other): Spoilt => [`as ${JSON.stringify(other)?.slice(0, 40)}`, other]);
  const all = [...ofForm(value, form, random), ...types];
  return oneOf(random, isQuery ? all.filter(([, other]) => typeof other === "string") : all);
};

const nearNames = (name: string): string[] => [
  ...[swapCase(name), lookAlike(name), `${name}s`, `${name} `, `_${name}`, "constructor", "toString"],
  name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
];

/** A body or a query with one field invalid, missing, or under another name. */
const spoilOne = (
  values: Record<string, unknown>,
  fields: Record<string, Field>,
  random: Random,
  part: "body" | "query",
): { how: string; values: Record<string, unknown> } => {
  const present = Object.keys(fields).filter((name) => Object.hasOwn(values, name));
  const name = present.length > 0 ? oneOf(random, present) : "limit";
  const { [name]: value = "1", ...rest } = values;
  const field = fields[name];
  const way = random.below(10);
  if (field !== undefined && way === 0) return { how: `${part} ${name}: missing`, values: rest };
  if (field !== undefined && way < 8) {
    const [how, other] = spoiltValue(value, field, random, part === "query");
    return { how: `${part} ${name}: ${how}`, values: { ...values, [name]: other } };
  }
  const unknown = oneOf(random, nearNames(name));
  const kept = random.chance(0.5) ? values : rest;
  return { how: `${part} ${name}: called ${JSON.stringify(unknown)}`, values: { ...kept, [unknown]: value } };
};

/** The JSON text of a body that has its first field twice, with different values. */
const doubled = (body: Record<string, unknown>, random: Random): string => {
  const [[name, value] = ["a", 1]] = random.shuffle(Object.entries(body));
  const [one, two] = random.shuffle([random.pick<unknown>([1, null, "other", [], {}]), value]);
  const both = [one, two].map((each) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join(",");
  const { [name]: _, ...rest } = body;
  return `{${both}${JSON.stringify(rest)
    .slice(1)
    .replace(/^(?!})/, ",")}`;
};

const notQuiteJson = (text: string): [string, ...string[]] => [
  ...([text.slice(0, -1), `${text},`, `[${text}]`, `${text}${text}`] as const),
  text.replaceAll('"', "'"),
];

/** Changes a valid request in one place. */
export const spoilRequest = (
  { method, bodyFields, queryFields, body, query }: Drawn,
  random: Random,
): Sent => {
  const isGet = method === "GET";
  const text = JSON.stringify(body);
  const asking = { ...(Object.keys(query).length > 0 ? { query } : {}), ...(isGet ? {} : jsonOf(text)) };
  const sent = (how: string, more: Partial<Sent["asking"]>): Sent => ({
    what: `nearly valid: ${how}`,
    asking: { ...asking, ...more },
  });
  const way = random.below(20);
  if (isGet || (Object.keys(queryFields).length > 0 ? way < 12 : way === 4)) {
    const { how, values } = spoilOne(query, queryFields, random, "query");
    const texts = Object.entries(values).map(([name, value]) => [name, String(value)]);
    return sent(how, { query: Object.fromEntries(texts) });
  }
  if (way === 0) return sent("a field twice", jsonOf(doubled(body, random)));
  if (way === 1) return sent("not quite JSON", jsonOf(random.pick(notQuiteJson(text))));
  const { how, values } = spoilOne(body, bodyFields, random, "body");
  return sent(how, jsonOf(JSON.stringify(values)));
};
