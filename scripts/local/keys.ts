/** The keys of a local service, created at its first start and stored next to its game. */
import { createECDH, createHash, randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { codeOf, UserError } from "../cli/userError.ts";
import { PRIVATE_FILE_MODE } from "./privateFiles.ts";

const Keys = z.object({
  CURSOR_KEY: z.string(),
  VAPID_PUBLIC_KEY: z.string(),
  VAPID_PRIVATE_KEY: z.string(),
});
export type Keys = z.infer<typeof Keys>;

/** Generates random keys. */
export const makeKeys = async (): Promise<Keys> => {
  const { default: webPush } = await import("web-push");
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  return {
    CURSOR_KEY: randomBytes(32).toString("base64url"),
    VAPID_PUBLIC_KEY: publicKey,
    VAPID_PRIVATE_KEY: privateKey,
  };
};

/** The key of tokens in mails of a local service: made of another key, because the file of an older game has none. */
export const mailKeyOf = (key: string): string =>
  createHash("sha256").update(`mail ${key}`).digest("base64url");

const parseKeys = (text: string, file: string): Keys => {
  try {
    return Keys.parse(JSON.parse(text));
  } catch {
    throw new UserError(
      `The keys in ${file} cannot be read. Put a copy of the file back. Without one, remove it to create new keys: browsers then get no push messages until they subscribe again, and what signatures of the waiver keep encrypted cannot be read any more.`,
    );
  }
};

/**
 * Reads the keys in a file; `null` if it does not exist.
 * @throws UserError if the file is invalid
 */
export const readKeys = async (file: string): Promise<Keys | null> => {
  try {
    return parseKeys(await readFile(file, "utf8"), file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
};

/**
 * Reads the keys in a file, or creates them there. Without a file they last as long as the process.
 * @throws UserError if the file is invalid
 */
export const loadOrMakeKeys = async (file: string | null): Promise<Keys> => {
  if (file === null) return makeKeys();
  const kept = await readKeys(file);
  if (kept !== null) return kept;
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(await makeKeys(), null, 2)}\n`, {
    mode: PRIVATE_FILE_MODE,
    // Before it has its name, so that a power cut leaves no empty file.
    flush: true,
  });
  // A link is atomic, and does not replace keys that a concurrent start has created.
  await link(draft, file).catch(() => {});
  await rm(draft);
  const made = await readKeys(file);
  if (made === null)
    throw new UserError(`The keys cannot be written to ${file}. Check that its directory is writable.`);
  return made;
};

/** @throws UserError if the VAPID keys are not a pair */
export const assertVapidPair = ({ VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY }: Keys): void => {
  const curve = createECDH("prime256v1");
  let derived = "";
  try {
    curve.setPrivateKey(VAPID_PRIVATE_KEY, "base64url");
    derived = curve.getPublicKey("base64url");
  } catch {
    // Not a key of this curve, so not a pair.
  }
  if (derived !== VAPID_PUBLIC_KEY) {
    throw new UserError(
      "Bad setting: VAPID_PUBLIC_KEY does not belong to VAPID_PRIVATE_KEY. Give a pair, as npx web-push generate-vapid-keys makes one, or neither.",
    );
  }
};
