/** The texts of waivers. Each that was ever to be signed is kept, because a signature names its version. */
import * as z from "zod/mini";
import { text } from "../../domain/schemas.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Database, StoredItem, Write } from "../../dynamodb/database.ts";
import { sha256 } from "../../runtime/sha256.ts";
import { parseIfFound } from "../items.ts";
import { keys } from "../keys.ts";

/** 96 bits of the hash: nobody finds another text with the same version. */
const VERSION_LENGTH = 16;

/** The version of a waiver: a hash of its text. */
export const waiverVersion = (waiver: string): string => sha256(waiver).slice(0, VERSION_LENGTH);

export const waiverWrite = (waiver: string, now: number): Write => ({
  put: { ...keys.waiver(waiverVersion(waiver)), text: waiver, at: rfc3339(now) },
});

const parseWaiver = (item: StoredItem): string => z.object({ text }).parse(item).text;

/** The text of a version, which never changes; `null` if there was none. */
export const readWaiver = async (db: Database, version: string): Promise<string | null> =>
  parseIfFound(
    (await db.get(keys.waiver(version), { consistent: false })) ?? (await db.get(keys.waiver(version))),
    parseWaiver,
  );
