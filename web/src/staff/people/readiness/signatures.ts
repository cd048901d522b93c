/** Reads who is ready and what they signed, and exports it. */
import type { ResultOf } from "../../../../../client/src/types.ts";
import { gm } from "../../../text/staff.ts";
import { read } from "../../calls.ts";
import { toCsv } from "../../ui/csv.ts";
import { saveFile } from "../../ui/saveFile.ts";

export type Readiness = ResultOf<"/admin/readiness/{url_id}", "get">;
export type ReadyPlayer = Readiness["players"][number];
export type Lack = ReadyPlayer["lacks"][number];
export type SignatureInfo = ResultOf<"/admin/signatures/{url_id}", "get">["signatures"][number];

/** All who take part, with what they lack. */
export const readReadiness = async (): Promise<Readiness> => {
  const players: ReadyPlayer[] = [];
  let cursor: string | null = null;
  let needed = 0;
  do {
    const page: Readiness = await read("readiness", { limit: 1_000, ...(cursor === null ? {} : { cursor }) });
    players.push(...page.players);
    needed = page.orientations_needed;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { players, orientations_needed: needed, next_cursor: null };
};

/** All signatures, with the texts that were signed. @param contacts whether to decrypt what is encrypted, which is logged */
export const readSignatures = async (contacts: boolean) => {
  const signatures: SignatureInfo[] = [];
  const texts = new Map<string, string>();
  let cursor: string | null = null;
  do {
    const query = { limit: 500, ...(contacts ? { contacts: "true" as const } : {}) };
    const page: ResultOf<"/admin/signatures/{url_id}", "get"> = await read("signatures", {
      ...query,
      ...(cursor === null ? {} : { cursor }),
    });
    signatures.push(...page.signatures);
    for (const { version, text } of page.waivers) texts.set(version, text ?? gm.readiness.noText);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { signatures, texts };
};

const COLUMNS = [
  ...["alias", "full_name", "guardian_name", "signed_at", "version", "counts", "on_paper", "entered_by"],
  ...["birth_date", "emergency_contact", "photo_consent", "photo_consent_at", "address"],
  ...["deleted_at", "kept_until"],
] as const;

/** Saves all signatures as a CSV file. */
export const exportSignatures = async (): Promise<void> => {
  const { signatures } = await readSignatures(true);
  const rows = signatures.map((one) => {
    const all: Record<string, unknown> = { ...one };
    return COLUMNS.map((name) => String(all[name] ?? ""));
  });
  saveFile("signatures.csv", toCsv([[...COLUMNS], ...rows]));
};
