/** Nearly valid: a request with one thing wrong with it, such as people and programs get wrong, or just not yet. */
import * as z from "zod/mini";
import type { Random } from "../../support/battery.ts";
import type { Field, Form } from "./forms.ts";
import { type Drawn, jsonOf, type Sent } from "./sent.ts";

type Fields = Record<string, Field>;
type Values = Record<string, unknown>;

/** One way to spoil a value: what it is then, and whether that is wrong whatever the schema says. */
interface Spoilt {
  how: string;
  value: unknown;
  wrong: boolean;
}

const spoilt = (how: string, value: unknown, wrong = false): Spoilt => ({ how, value, wrong });

const LOOKALIKES: Record<string, string> = {
  ...{
    a: "а",
    c: "с",
    e: "е",
    i: "і",
    o: "о",
    p: "р",
    s: "ѕ",
    x: "х",
    y: "у",
    A: "А",
    B: "В",
    E: "Е",
    H: "Н",
  },
  ...{ O: "О", T: "Т", 0: "О", 1: "l", 5: "Ƽ", "-": "‐" },
};

/** With one letter replaced by one that looks like it; as it was where none does. */
const lookAlike = (text: string, random: Random): string => {
  const places = [...text].flatMap((letter, at) => (letter in LOOKALIKES ? [at] : []));
  const [first = -1, ...others] = places;
  const place = random.pick([first, ...others]);
  return [...text].map((letter, at) => (at === place ? (LOOKALIKES[letter] ?? letter) : letter)).join("");
};

const swapCase = (text: string): string =>
  [...text].map((one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())).join("");

const MOST_GROWN = 8_192;

/** The longest text that a schema accepts of this one grown by a letter again and again. */
const grown = (text: string, schema: z.ZodMiniType): string => {
  const with_ = (more: number): string => text + "a".repeat(more);
  let [least, most] = [0, MOST_GROWN];
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (z.safeParse(schema, with_(middle)).success) least = middle;
    else most = middle;
  }
  return with_(least);
};

const ofText = (text: string, field: Field, random: Random): Spoilt[] => {
  const { form, schema } = field;
  const letters = [...text];
  const at = random.below(letters.length + 1);
  const longest = grown(text, schema);
  const found = [
    spoilt("empty", ""),
    spoilt("blank", "   "),
    spoilt("a letter less", letters.toSpliced(at, 1).join("")),
    spoilt("a letter more", letters.toSpliced(at, 0, random.pick(["a", "0", " ", "-", ".", "é"])).join("")),
    spoilt("a letter another", letters.toSpliced(at, 1, random.pick(["z", "9", "_", "ß", "@"])).join("")),
    spoilt("case swapped", swapCase(text)),
    spoilt("a look-alike", lookAlike(text, random)),
    spoilt("a space before", ` ${text}`),
    spoilt("a space after", `${text} `),
    spoilt("a line break after", `${text}\n`),
    spoilt("nothing visible in it", letters.toSpliced(at, 0, "\u200b").join("")),
    spoilt("a mark of another direction", `\u202e${text}`),
    spoilt("decomposed", text.normalize("NFD")),
    spoilt("twice", text + text),
    spoilt("as long as may be", longest),
    spoilt("a letter longer than may be", `${longest}a`),
  ];
  if (form.kind === "text" && form.least > 0)
    found.push(spoilt("too short", "a".repeat(form.least - 1), true));
  if (form.kind === "text" && form.most < 1e5)
    found.push(spoilt("too long", "a".repeat(form.most + 1), true));
  return found;
};

const ofNumber = (value: number, form: Extract<Form, { kind: "number" }>): Spoilt[] => {
  const { least, most, whole } = form;
  const isBound = (bound: number): boolean => Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  return [
    spoilt("the least", least),
    spoilt("the most", most),
    spoilt("the other way round", -value),
    ...(isBound(least) ? [spoilt("one too little", least - 1, true)] : []),
    ...(isBound(most) ? [spoilt("one too much", most + 1, true)] : []),
    ...(whole ? [spoilt("half", value + 0.5, true)] : []),
    ...(isBound(most) ? [spoilt("a hair too much", most + 1e-9, true)] : []),
  ];
};

const ofDigits = (text: string, { least, most }: Extract<Form, { kind: "digits" }>): Spoilt[] => [
  spoilt("one too little", String(least - 1), true),
  spoilt("one too much", String(most + 1), true),
  spoilt("the least", String(least)),
  spoilt("the most", String(most)),
  ...[
    "",
    " ",
    `${text} `,
    `+${text}`,
    `-${text}`,
    `${text}.0`,
    `${text}e0`,
    `0x${text}`,
    `${text},${text}`,
    "٥",
  ].map((other) => spoilt(`written as ${JSON.stringify(other)}`, other, true)),
];

/** Values of every type that JSON has but this one's. */
const ofAnotherType = (value: unknown): Spoilt[] => {
  const type = Array.isArray(value) ? "array" : typeof value;
  const others: [string, unknown][] = [
    ["string", JSON.stringify(value)],
    ["number", 7],
    ["boolean", true],
    ["array", [value]],
    ["object", { value }],
  ];
  return others.flatMap(([name, other]) =>
    name === type ? [] : [spoilt(`of the type ${name}`, other, true)],
  );
};

const longerThan = (most: number, list: readonly unknown[]): unknown[] =>
  Array.from({ length: most + 1 }, () => list[0] ?? "a");

const waysOf = (value: unknown, field: Field, random: Random): Spoilt[] => {
  const { form, nullable } = field;
  const types = form.kind === "json" || value === null ? [] : ofAnotherType(value);
  const own = (): Spoilt[] => {
    if (form.kind === "digits" && typeof value === "string") return ofDigits(value, form);
    if (form.kind === "number" && typeof value === "number") return ofNumber(value, form);
    if (form.kind === "choice") {
      const told = String(value);
      const others = [swapCase(told), `${told} `, `${told}s`, lookAlike(told, random), ""];
      return others.map((other) =>
        spoilt(`${JSON.stringify(other)} in its place`, other, !form.values.includes(other)),
      );
    }
    if (form.kind === "list" && Array.isArray(value)) {
      return [
        spoilt("each thing twice", [...value, ...value]),
        spoilt("with nothing in it", [...value, null], form.element.form.kind !== "json"),
        spoilt("empty", []),
        ...(form.most < 1e4 ? [spoilt("one more than may be", longerThan(form.most, value), true)] : []),
      ];
    }
    if (typeof value === "string") return ofText(value, field, random);
    return [];
  };
  const none = spoilt("null", null, !nullable && form.kind !== "json");
  return [...own(), ...types, none];
};

/** Names that are nearly one of these fields'. */
const nearNames = (name: string, random: Random): string[] => [
  swapCase(name),
  lookAlike(name, random),
  `${name}s`,
  `${name} `,
  `_${name}`,
  name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
  "constructor",
  "toString",
];

/** A body or a query with one field spoilt, one too many, or one that is not there. */
const spoil = (
  values: Values,
  fields: Fields,
  random: Random,
  part: "body" | "query",
): { how: string; values: Values; wrong: string[] } => {
  const names = Object.keys(fields);
  const present = names.filter((name) => Object.hasOwn(values, name));
  const [first = "", ...others] = present.length > 0 ? present : names;
  const name = random.pick([first, ...others]);
  const field = fields[name];
  const place = `${part} ${name}`;
  const way = field === undefined ? 9 : random.below(10);
  if (field !== undefined && way === 0 && Object.hasOwn(values, name)) {
    const { [name]: _gone, ...rest } = values;
    return { how: `${place}: missing`, values: rest, wrong: field.optional ? [] : [name] };
  }
  if (field !== undefined && way < 8 && Object.hasOwn(values, name)) {
    // Of a query everything is text: there another type is only another text.
    const ways = waysOf(values[name], field, random).filter(
      ({ value }) => part === "body" || typeof value === "string",
    );
    const [one = spoilt("as it is", values[name]), ...more] = ways;
    const { how, value, wrong } = random.pick([one, ...more]);
    return { how: `${place}: ${how}`, values: { ...values, [name]: value }, wrong: wrong ? [name] : [] };
  }
  const [near = "nonsense", ...further] = nearNames(name === "" ? "limit" : name, random).filter(
    (other) => !Object.hasOwn(fields, other),
  );
  const unknown = random.pick([near, ...further]);
  const { [name]: value = "1", ...rest } = values;
  const kept = random.chance(0.5) ? values : rest;
  return {
    how: `${place}: called ${JSON.stringify(unknown)}`,
    values: { ...kept, [unknown]: value },
    wrong: [unknown],
  };
};

/** The body as text with one of its fields twice, the one that counts being last. */
const doubled = (body: Values, random: Random): string | null => {
  const [first, ...others] = Object.entries(body);
  if (first === undefined) return null;
  const [name, value] = random.pick([first, ...others]);
  const before = random.pick<unknown>([1, null, "other", [], {}]);
  const [one, two] = random.chance(0.5) ? [before, value] : [value, before];
  const { [name]: _gone, ...rest } = body;
  const tail = JSON.stringify(rest).slice(1);
  return `{${JSON.stringify(name)}:${JSON.stringify(one)},${JSON.stringify(name)}:${JSON.stringify(two)}${tail === "}" ? "" : ","}${tail}`;
};

const TYPES = [
  "application/json; charset=utf-8",
  "APPLICATION/JSON",
  "application/merge-patch+json",
  "",
  " ",
];
const OTHER_TYPES = [
  "text/plain",
  "application/json; charset=latin1",
  "application/jsonx",
  "text/json",
  "multipart/form-data",
];
const BAD_KEYS = ["", " ", "a b", "é", "k".repeat(129), "\u007f", "a\tb"];

/** Spoils a valid request in one place. */
export const spoilRequest = (drawn: Drawn, random: Random): Sent => {
  const { method, bodyFields, queryFields, body, query } = drawn;
  const asking = { ...(Object.keys(query).length > 0 ? { query } : {}) };
  const isRead = method !== "GET";
  const sent = (how: string, more: Partial<Sent>): Sent => ({
    what: `nearly: ${how}`,
    asking,
    wrong: [],
    ...more,
  });
  const hasQuery = Object.keys(queryFields).length > 0;
  const way = random.below(20);
  if (isRead && way === 0) {
    const text = doubled(body, random);
    if (text !== null) return sent("a field twice", { asking: { ...asking, ...jsonOf(text) } });
  }
  if (isRead && way === 1) {
    const text = JSON.stringify(body);
    const cut = random.pick([
      text.slice(0, -1),
      `${text},`,
      `[${text}]`,
      `${text}${text}`,
      text.replaceAll('"', "'"),
    ]);
    return sent(`not quite JSON: ${cut.slice(0, 80)}`, { asking: { ...asking, ...jsonOf(cut) } });
  }
  if (isRead && way === 2) {
    const type = random.chance(0.5)
      ? random.pick(["", ...TYPES])
      : random.pick(["text/html", ...OTHER_TYPES]);
    return sent(`sent as ${JSON.stringify(type)}`, {
      asking: { ...asking, raw: { body: JSON.stringify(body), type } },
    });
  }
  if (isRead && way === 3) {
    const key = random.pick(["a b", ...BAD_KEYS]);
    const wrong = drawn.once ? ["Idempotency-Key"] : [];
    return sent("a bad Idempotency-Key", {
      asking: { ...asking, ...jsonOf(JSON.stringify(body)), key },
      wrong,
    });
  }
  if (!isRead || (hasQuery ? way < 12 : way === 4)) {
    const { how, values, wrong } = spoil(query, queryFields, random, "query");
    const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
    return sent(how, { asking: { ...(isRead ? jsonOf(JSON.stringify(body)) : {}), query: texts }, wrong });
  }
  const { how, values, wrong } = spoil(body, bodyFields, random, "body");
  return sent(how, { asking: { ...asking, ...jsonOf(JSON.stringify(values)) }, wrong });
};
