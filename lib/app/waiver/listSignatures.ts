/** The signatures for game masters: to look one up, to export and to print them. */
import { counts } from "../../domain/waiver/mustSign.ts";
import type { Signature } from "../../domain/waiver/signature.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { readAll, readPage } from "../../store/lists.ts";
import {
  isLatest,
  ofPlayer,
  parseSignature,
  readKeptSignatures,
  readSignature,
  signatureEntries,
} from "../../store/waiver/signatures.ts";
import { readWaiver } from "../../store/waiver/texts.ts";
import { loadAliases } from "../lookups.ts";
import { unsealAnswers } from "./answers.ts";

interface SignaturesQuery {
  player_id?: string | undefined;
  /** Whether to show what is encrypted. */
  contacts: boolean;
  limit: number;
}

/** A signature as game masters see it. What is encrypted is absent unless it is asked for, and `null` if it is lost. */
const signatureInfo = async (
  { game, now, services }: ReadCall,
  signature: Signature,
  contacts: boolean,
  aliases: ReadonlyMap<string, string>,
) => {
  const { player_id = null, entered_by, version, full_name, guardian_name, signed_at } = signature;
  const answers = contacts && player_id !== null ? await unsealAnswers(services, signature, now) : null;
  return {
    ...{ player_id, version, full_name, guardian_name, signed_at },
    alias: player_id === null ? null : (aliases.get(player_id) ?? null),
    counts: counts(game, version),
    on_paper: entered_by !== null,
    entered_by: entered_by === null ? null : (aliases.get(entered_by) ?? null),
    photo_consent: signature.photo_consent,
    photo_consent_at: signature.photo_consent_at,
    deleted_at: signature.deleted_at ?? null,
    kept_until: signature.kept_until ?? null,
    ...(contacts
      ? {
          birth_date: answers?.birth_date ?? null,
          emergency_contact: answers?.emergency_contact ?? null,
          address: answers?.address ?? null,
        }
      : {}),
  };
};

/** The signatures of one player, the latest first. */
const readOf = async ({ services: { store } }: ReadCall, playerId: string): Promise<Signature[]> => {
  const latest = await readSignature(store.db, playerId);
  if (latest === null) return [];
  const earlier = (await readAll(store.db, ofPlayer(playerId), 10)).map(parseSignature);
  return [latest, ...earlier.toSorted((one, other) => (one.signed_at < other.signed_at ? 1 : -1))];
};

/**
 * A page of the latest signature of each player, or all of one player. Signatures of deleted accounts come with the first
 * page, and so do the texts of the waivers that the page's signatures are of. The log tells who has read what.
 * @param after a position
 */
export const listSignatures = async (
  call: ReadCall,
  { player_id, contacts, limit }: SignaturesQuery,
  after: string | undefined,
) => {
  const {
    audit,
    now,
    services: { store },
  } = call;
  const { items, next } =
    player_id === undefined
      ? await readPage(signatureEntries(store.db, 2 * limit, after), limit, (item) =>
          isLatest(item) ? parseSignature(item) : null,
        )
      : { items: await readOf(call, player_id), next: null };
  const isFirst = player_id === undefined && after === undefined;
  const kept = isFirst ? await readKeptSignatures(store.db, now) : [];
  const all = [...items, ...kept];
  audit.target = player_id ?? null;
  audit.details = { contacts, signatures: all.length };
  const aliases = await loadAliases(
    store,
    new Set(all.flatMap(({ player_id: id, entered_by }) => [id ?? [], entered_by ?? []].flat())),
  );
  const versions = [...new Set(all.map(({ version }) => version))];
  const texts = await Promise.all(
    versions.map(async (version) => ({ version, text: await readWaiver(store.db, version) })),
  );
  return {
    signatures: await Promise.all(all.map((one) => signatureInfo(call, one, contacts, aliases))),
    waivers: texts,
    next,
  };
};
