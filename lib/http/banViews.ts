/** Responses about bans. */
import * as z from "zod/mini";
import { boolean, nullableText, text, textList } from "../domain/schemas.ts";
import type { Ban } from "../store/accounts/bans.ts";
import { Timestamp } from "./views.ts";

/** A ban of an alias with its account, if there is one, or of an e-mail address, of which only a hash is stored. */
export const BanView = z.object({
  ban_id: text,
  /** `null` for the ban of an e-mail address. */
  alias: nullableText,
  /** The aliases that the account had given up before. */
  former_aliases: textList,
  covers_email: boolean,
  /** Whether it has locked out an account. */
  has_account: boolean,
  until: z.nullable(Timestamp),
  reason: nullableText,
  created_at: Timestamp,
});

export const banView = (ban: Ban): z.infer<typeof BanView> => ({
  ...ban,
  covers_email: ban.email_hash !== null || ban.former_addresses.length > 0,
  has_account: ban.player_id !== null,
});
