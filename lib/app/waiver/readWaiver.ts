/** The waiver as a player reads it, with their own signature. */
import { counts } from "../../domain/waiver/mustSign.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { readSignature } from "../../store/waiver/signatures.ts";
import { readWaiver } from "../../store/waiver/texts.ts";
import { asksOf } from "./answers.ts";

/** The present waiver and the player's latest signature; of what was encrypted, nothing. */
export const readOwnWaiver = async ({ game, player, services: { store } }: ReadCall) => {
  const [version = null] = game.settings.waiver_versions;
  const [text, own] = await Promise.all([
    version === null ? null : readWaiver(store.db, version),
    player.signed === undefined ? null : readSignature(store.db, player.player_id),
  ]);
  const isSigned = own !== null && counts(game, own.version);
  return {
    version,
    text,
    waiver_ask: version === null ? [] : asksOf(game),
    minimum_age: version === null ? null : game.settings.minimum_age,
    keep_signatures_days: game.settings.keep_signatures_days,
    signed_at: isSigned ? own.signed_at : null,
    signature: own && {
      version: own.version,
      full_name: own.full_name,
      signed_at: own.signed_at,
      guardian_name: own.guardian_name,
      on_paper: own.entered_by !== null,
      photo_consent: own.photo_consent,
      photo_consent_at: own.photo_consent_at,
    },
  };
};
