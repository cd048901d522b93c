/** Canaries: planted secrets and private data, and the search for them in any encoding. */
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { KEY_ATTRIBUTES } from "../../../lib/dynamodb/key.ts";
import { SECRET } from "../../../lib/store/keys.ts";
import type { Snapshot } from "../../support/snapshot.ts";

/** Prefixes of invented texts: of secrets (passwords, codes, keys), and of other texts. */
export const SECRET_MARK = "Qzx7Kdw9Rb";
export const TEXT_MARK = "Wvk3Lmt8Hc";

/** Prefix of Idempotency-Keys, which identify jobs. */
export const KEY_MARK = "Jn4RtxP6ys";

/** Prefix of the addresses of clients. */
export const ADDRESS = "198.18.";

/** A `secret` may be in no response, a `private` text only in those to its owners and to administrators. */
export interface Canary {
  /** A description for the report. */
  name: string;
  value: string;
  kind: "secret" | "private";
  /** Ids of players. */
  owners: readonly string[];
}

const decoded = (run: string, encoding: "base64" | "hex"): string =>
  Buffer.from(run, encoding).toString("latin1");

/** The text, and its parts in decoded form: escaped, percent-encoded, base64 and hex. */
export const unfolded = (text: string): string => {
  const unescaped = text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\(["\\/])/g, "$1");
  const found = new Set([text, unescaped]);
  found.add(text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => decoded(code, "hex")));
  // Preceding text may use the same alphabet, so the encoded part begins at one of four offsets, or of two.
  for (const [run] of text.matchAll(/[\w+/-]{11,}/g))
    for (let at = 0; at < 4; at += 1) found.add(decoded(run.slice(at), "base64"));
  for (const [run] of text.matchAll(/[0-9a-f]{12,}/gi))
    for (let at = 0; at < 2; at += 1) found.add(decoded(run.slice(at), "hex"));
  return [...found].join("\n");
};

/** Canaries are looked up by their first characters: each text is compared with hundreds of them. */
const PREFIX = 4;
export type Canaries = Map<string, Canary[]>;

export const indexOf = (canaries: readonly Canary[]): Canaries =>
  Map.groupBy(canaries, ({ name, value }) => {
    if (value.length < PREFIX) throw new Error(`${name} is too short for a canary`);
    return value.slice(0, PREFIX);
  });

/** The canaries in a decoded text. */
export const canariesIn = (text: string, canaries: Canaries): Canary[] => {
  const found = new Set<Canary>();
  for (let at = 0; at <= text.length - PREFIX; at += 1) {
    for (const canary of canaries.get(text.slice(at, at + PREFIX)) ?? [])
      if (text.startsWith(canary.value, at)) found.add(canary);
  }
  return [...found];
};

/** A secret of bytes as it is stored, and the bytes themselves, to which other encodings are unfolded. */
export const bytesCanary = (canary: Canary): Canary[] => [
  canary,
  { ...canary, name: `the bytes of ${canary.name}`, value: decoded(canary.value, "base64") },
];

/** The hashes in a table's partitions of secrets: of passwords, tokens, codes and addresses. */
export const hashesIn = (table: Snapshot): Canary[] => {
  const found: Canary[] = [];
  for (const item of table.values()) {
    if (!item.pk.startsWith(SECRET)) continue;
    JSON.stringify(item, (key, value: unknown) => {
      if (typeof value !== "string" || (key !== "hash" && key !== "from")) return value;
      // The salt and the tag of a password hash are secret.
      const parts = value.startsWith("$argon2id$") ? value.split("$").slice(-2) : [value];
      const name = `the ${key} at ${item.pk} ${item.sk}`;
      // The decoy hash of unknown aliases is all zeros: an alias may have as many letters A.
      for (const part of parts.filter((one) => !/^A+$/.test(one)))
        found.push(...bytesCanary({ name, value: part, kind: "secret", owners: [] }));
      return value;
    });
  }
  return found;
};

/** Items outside the partitions of secrets, each as text. */
export const openItems = (items: Iterable<StoredItem>): string[] =>
  [...items]
    .filter((item) => !KEY_ATTRIBUTES.some((name) => String(item[name] ?? "").startsWith(SECRET)))
    .map((item) => JSON.stringify(item));
