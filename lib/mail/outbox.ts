/** The outbox of a local service: a folder with the messages that were not sent, each as a mail and as what it shows. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";

/** What a mail program shows of a message. */
const StoredMessage = z.object({
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
});
export type StoredMessage = z.infer<typeof StoredMessage>;

/** A file is there as a whole or not at all. */
const store = async (file: string, content: Uint8Array | string): Promise<void> => {
  await writeFile(`${file}.part`, content, { mode: 0o600 });
  await rename(`${file}.part`, file);
};

/** Stores a message by its id, so that it is stored once however often it is sent. @param mail its bytes as it would be sent */
export const storeMessage = async (
  folder: string,
  id: string,
  mail: Uint8Array,
  shown: StoredMessage,
): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await store(join(folder, `${id}.eml`), mail);
  await store(join(folder, `${id}.json`), JSON.stringify(shown));
};

/** The message with an id; `null` if there is none, or it cannot be read. */
export const readMessage = async (folder: string, id: string): Promise<StoredMessage | null> => {
  try {
    return StoredMessage.parse(JSON.parse(await readFile(join(folder, `${id}.json`), "utf8")));
  } catch {
    return null;
  }
};
