/** The keys of a local service: made at its first start, and kept beside its game. */
import { createECDH, randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";

const Keys = z.object({
  CURSOR_KEY: z.string(),
  VAPID_PUBLIC_KEY: z.string(),
  VAPID_PRIVATE_KEY: z.string(),
});
export type Keys = z.infer<typeof Keys>;

/** New keys, at random. */
export const makeKeys = async (): Promise<Keys> => {
  const { default: webPush } = await import("web-push");
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  return {
    CURSOR_KEY: randomBytes(32).toString("base64url"),
    VAPID_PUBLIC_KEY: publicKey,
    VAPID_PRIVATE_KEY: privateKey,
  };
};

const parseKeys = (text: string, file: string): Keys => {
  try {
    return Keys.parse(JSON.parse(text));
  } catch {
    throw new UserError(`The keys in ${file} cannot be read: remove the file, and new ones are made.`);
  }
};

/**
 * The keys kept in a file; `null` when there is none.
 * @throws UserError when the file holds something else
 */
export const readKeys = async (file: string): Promise<Keys | null> => {
  try {
    return parseKeys(await readFile(file, "utf8"), file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
};

/**
 * The keys kept in a file, made there when it does not exist; without a file they last as long as the process.
 * @throws UserError when the file holds something else
 */
export const loadOrMakeKeys = async (file: string | null): Promise<Keys> => {
  if (file === null) return makeKeys();
  const kept = await readKeys(file);
  if (kept !== null) return kept;
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(await makeKeys(), null, 2)}\n`, { mode: 0o600 });
  // A link is never half written, and does not replace what another start has made meanwhile.
  await link(draft, file).catch(() => {});
  await rm(draft);
  const made = await readKeys(file);
  if (made === null)
    throw new UserError(`The keys cannot be kept in ${file}: see that its directory can be written.`);
  return made;
};

/** @throws UserError when the two halves of the VAPID key are not of one pair */
export const assertVapidPair = ({ VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY }: Keys): void => {
  const curve = createECDH("prime256v1");
  let derived = "";
  try {
    curve.setPrivateKey(VAPID_PRIVATE_KEY, "base64url");
    derived = curve.getPublicKey("base64url");
  } catch {
    // Not a key of this curve: no pair either.
  }
  if (derived !== VAPID_PUBLIC_KEY) {
    throw new UserError(
      "Bad setting: VAPID_PUBLIC_KEY does not belong to VAPID_PRIVATE_KEY: give a pair, as npx web-push generate-vapid-keys makes one, or neither.",
    );
  }
};
