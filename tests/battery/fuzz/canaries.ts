/** Canaries: planted secrets and private data, and the search for them in any encoding. */
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { KEY_ATTRIBUTES } from "../../../lib/dynamodb/key.ts";
import { SECRET } from "../../../lib/store/keys.ts";
import type { Snapshot } from "../../support/snapshot.ts";

/** Marks whatever is made up as a secret: a password, a code, a key; and whatever else is made up as a text. */
export const SECRET_MARK = "Qzx7Kdw9Rb";
export const TEXT_MARK = "Wvk3Lmt8Hc";

/** Marks an Idempotency-Key: a job that a request has begun is known by it. */
export const KEY_MARK = "Jn4RtxP6ys";

/** What the addresses that requests come from begin with. */
export const ADDRESS = "198.18.";

export interface Canary {
  /** What it is, for the report. */
  name: string;
  value: string;
  /**
   * `secret` may be in no response; `private` only in those to its owner and to administrators.
   */
  kind: "secret" | "private";
  /** Ids of the players who may read what is private. */
  owners: readonly string[];
}

const decoded = (run: string, encoding: "base64" | "hex"): string =>
  Buffer.from(run, encoding).toString("latin1");

/** The text, and what is written in it in another way: escaped, percent-encoded, in base64 and in hex. */
export const unfolded = (text: string): string => {
  const found = [text];
  if (text.includes("\\")) {
    found.push(
      text
        .replaceAll(/\\u([0-9a-f]{4})/gi, (_all, code: string) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        )
        .replaceAll(/\\(["\\/])/g, "$1"),
    );
  }
  if (text.includes("%")) {
    found.push(text.replaceAll(/%([0-9a-f]{2})/gi, (_all, code: string) => decoded(code, "hex")));
  }
  for (const [run] of text.matchAll(/[\w+/-]{11,}/g)) {
    // The text before it may be of the same alphabet: it begins at one of four offsets.
    for (let at = 0; at < 4; at += 1) found.push(decoded(run.slice(at), "base64"));
  }
  for (const [run] of text.matchAll(/[0-9a-f]{12,}/gi)) {
    for (let at = 0; at < 2; at += 1) found.push(decoded(run.slice(at), "hex"));
  }
  return found.join("\n");
};

/** The names of the canaries that are in a text that has been unfolded. */
export const canariesIn = (text: string, canaries: readonly Canary[]): string[] =>
  canaries.flatMap(({ name, value }) => (text.includes(value) ? [name] : []));

/** The forms of what is bytes: as it is kept, and in hex. */
export const bytesCanary = (canary: Canary): Canary[] => {
  const bytes = Buffer.from(canary.value, "base64url");
  return [
    canary,
    { ...canary, name: `${canary.name}, in base64`, value: bytes.toString("base64").replaceAll("=", "") },
    { ...canary, name: `${canary.name}, in hex`, value: bytes.toString("hex") },
    // In the base64 of a whole document it is unfolded to itself; in that of its own bytes, to them.
    { ...canary, name: `${canary.name}, as bytes`, value: bytes.toString("latin1") },
  ];
};

const SECRET_PARTS = new Set(["hash", "from"]);

/** The hashes that lie in a table's partitions of secrets: of passwords, tokens and codes, and of addresses. */
export const hashesIn = (table: Snapshot): Canary[] => {
  const found = new Map<string, Canary>();
  const look = (value: unknown, key: string, place: string): void => {
    if (Array.isArray(value)) for (const inner of value) look(inner, key, place);
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) look(inner, name, place);
    } else if (typeof value === "string" && SECRET_PARTS.has(key)) {
      const name = `the ${key} at ${place}`;
      // Of a password's hash the salt and the tag are secret.
      const parts = value.startsWith("$argon2id$") ? value.split("$").slice(-2) : [value];
      // The hash that no password has is nothing but zeros: an alias may well have as many letters A.
      for (const part of parts.filter((one) => !/^A+$/.test(one))) {
        for (const one of bytesCanary({ name, value: part, kind: "secret", owners: [] }))
          found.set(one.value, one);
      }
    }
  };
  for (const { pk, sk, ...item } of table.values()) if (pk.startsWith(SECRET)) look(item, "", `${pk} ${sk}`);
  return [...found.values()];
};

/** Items that lie in no partition of secrets, each as text. */
export const openItems = (items: Iterable<StoredItem>): { place: string; text: string }[] =>
  [...items]
    .filter((item) => !KEY_ATTRIBUTES.some((name) => String(item[name] ?? "").startsWith(SECRET)))
    .map((item) => ({ place: `${item.pk} ${item.sk}`, text: JSON.stringify(item) }));
