/** The model's rules of the waiver (decision 128). The game has no minimum age and no set start. */
import { createHash } from "node:crypto";
import { rfc3339 } from "../../../lib/domain/time.ts";
import * as game from "./game.ts";
import { type Input, ok, type Rules, requireThat } from "./request.ts";
import type { Model, Player, Signature } from "./state.ts";
import { ownView } from "./views.ts";

export const versionOf = (waiver: string): string =>
  createHash("sha256").update(waiver).digest("base64url").slice(0, 16);

/** @throws ModelError `invalid_request` for an answer about photos that was not asked for, or is missing */
const requireAnswer = ({ waiver }: Model, answer: boolean | undefined, isRequired: boolean): void => {
  const isAsked = waiver.asks.includes("photo_consent");
  requireThat(answer === undefined ? !isAsked || !isRequired : isAsked, "invalid_request");
};

/** The signature of somebody who registers, for a version that is checked. @throws ModelError `changed_meanwhile`, `invalid_request` */
export const requireSignable = (m: Model, wanted: Input<"POST /player/sign/{url_id}">): void => {
  requireThat(m.waiver.versions[0] === wanted.version, "changed_meanwhile");
  requireAnswer(m, wanted.photo_consent, true);
};

/** Keeps a signature that another one replaces, or another answer, as it was signed. */
const keepEarlier = (player: Player, earlier: Signature): void => {
  if ((earlier.photo_consent_at ?? 0) > earlier.signed_at) return;
  player.earlierSignatures = player.earlierSignatures.filter(({ step }) => step !== earlier.step);
  player.earlierSignatures.push(earlier);
};

/** A signature with an answer about photos. A refusal removes the picture. */
const withAnswer = (m: Model, player: Player, signature: Signature, photos: boolean): Signature => {
  if (signature.photo_consent === photos) return signature;
  if (!photos) player.picture = null;
  return { ...signature, photo_consent: photos, photo_consent_at: m.now };
};

/** Signs for a player. Who waits only for that plays, unless they know secrets or the season is finished. @param by who entered it on paper */
export const sign = (
  m: Model,
  player: Player,
  { full_name, photo_consent: photos }: { full_name: string; photo_consent?: boolean | undefined },
  by: string | null,
  newCode: () => string,
): Signature => {
  const { signature: earlier } = player;
  const version = m.waiver.versions[0] ?? "";
  const { photo_consent = null, photo_consent_at = null } = earlier ?? {};
  const made = { step: m.step, version, full_name, signed_at: m.now, by, photo_consent, photo_consent_at };
  const signature = photos === undefined ? made : withAnswer(m, player, made, photos);
  if (earlier !== null) keepEarlier(player, earlier);
  Object.assign(player, { signature, signed: version });
  if (player.waitsToSign && !game.knowsSecrets(player) && m.finish === null)
    game.makeHuman(m, player, newCode());
  return signature;
};

/** Gives or withdraws the consent to photos. */
export const consent = (m: Model, player: Player, photos: boolean): void => {
  const { signature } = player;
  if (signature === null || signature.photo_consent === photos) return;
  keepEarlier(player, signature);
  player.signature = withAnswer(m, player, signature, photos);
};

/** Keeps the signatures of an account that is deleted, without whose they were. */
export const keepSignatures = (m: Model, { signature, earlierSignatures }: Player): void => {
  const own = signature === null ? [] : [signature, ...earlierSignatures];
  m.keptSignatures.push(...own.map((one) => ({ ...one, deleted_at: m.now })));
};

export const WAIVER = {
  "POST /admin/settings/{url_id}": (
    m,
    { waiver, waiver_ask, waiver_keeps_signatures: keeps },
    _,
    { text },
  ) => {
    requireThat(keeps !== true || waiver != null, "invalid_request");
    const before = m.waiver;
    const wanted = waiver === undefined ? before.text : waiver;
    const version = wanted === null ? null : versionOf(wanted);
    const isKept = keeps === true || version === before.versions[0];
    const earlier = isKept ? before.versions.filter((one) => one !== version) : [];
    const versions = version === null ? [] : [version, ...earlier];
    m.waiver = { text: wanted, versions, asks: waiver_ask ?? before.asks };
    return ok({ ...JSON.parse(text), waiver: wanted, waiver_ask: m.waiver.asks });
  },

  "POST /player/sign/{url_id}": (m, wanted, caller, { codeOf }) => {
    const repeated = caller.signature?.version === wanted.version;
    if (!repeated) requireSignable(m, wanted);
    const signature =
      repeated && caller.signature !== null
        ? caller.signature
        : sign(m, caller, wanted, null, () => codeOf(caller.id));
    const { version, full_name, signed_at } = signature;
    const player = ownView(m, caller);
    return ok({ version, full_name, signed_at: rfc3339(signed_at), repeated, player });
  },

  "POST /admin/paper_signature/{url_id}": (m, body, caller, { codeOf }) => {
    const { full_name: name, photo_consent: photos } = body;
    const player = game.named(m, body);
    requireThat(m.waiver.versions.length > 0, "wrong_state");
    requireAnswer(m, photos, false);
    const own = player.signature;
    const isOther = own?.full_name !== name || (photos !== undefined && own?.photo_consent !== photos);
    const isPresent = own !== null && own.version === m.waiver.versions[0];
    const repeated = isPresent && !isOther;
    const signature =
      own !== null && repeated ? own : sign(m, player, body, caller.id, () => codeOf(player.id));
    const { version, full_name, signed_at } = signature;
    return ok({
      ...{ alias: player.alias, version, full_name, guardian_name: null, signed_at: rfc3339(signed_at) },
      ...{ state: player.state, pending: player.isPending, repeated },
    });
  },

  "GET /waiver/{url_id}": (m, _, caller) => {
    const { text, versions, asks } = m.waiver;
    const { signature } = caller;
    const signedAt =
      signature === null || !versions.includes(signature.version) ? null : rfc3339(signature.signed_at);
    const photosAt = signature?.photo_consent_at ?? null;
    return ok({
      ...{ version: versions[0] ?? null, text, waiver_ask: versions.length > 0 ? asks : [] },
      ...{ minimum_age: null, keep_signatures_days: 90, signed_at: signedAt },
      signature: signature && {
        ...{ version: signature.version, full_name: signature.full_name },
        ...{ signed_at: rfc3339(signature.signed_at), guardian_name: null, on_paper: signature.by !== null },
        photo_consent: signature.photo_consent,
        photo_consent_at: photosAt === null ? null : rfc3339(photosAt),
      },
    });
  },
} satisfies Rules;
