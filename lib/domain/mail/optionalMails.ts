/** The kinds of mails that a player can switch off. Every function loads this file, so it has nothing else. */
import * as z from "zod/mini";

/** A new kind is one of `MAIL_KINDS`, too. All others are part of what a player asks for, and cannot be switched off. */
export const OPTIONAL_MAILS = ["announcement"] as const;
export const OptionalMail = z.enum(OPTIONAL_MAILS);
export type OptionalMail = z.infer<typeof OptionalMail>;

/** The kind as one that can be switched off; `undefined` if it cannot. */
export const optionalMail = (kind: string): OptionalMail | undefined =>
  OPTIONAL_MAILS.find((one) => one === kind);

/** Whether a player gets mails of a kind, as far as the player has chosen. @param chosen `null` or absent for all */
export const isMailWanted = (kind: OptionalMail, chosen: readonly string[] | null | undefined): boolean =>
  chosen?.includes(kind) ?? true;
