/** Rejects banned aliases and e-mail addresses. */
import { DomainError } from "../../domain/domainError.ts";
import type { Newcomer } from "../../domain/player.ts";
import { findBan, readBans } from "../../store/bans.ts";
import type { Store } from "../../store/store.ts";

/** Requires that neither an alias nor an address is banned. @throws DomainError `banned` */
export const requireUnbanned = async (
  { db }: Store,
  who: Pick<Newcomer, "alias" | "email">,
  now: number,
): Promise<void> => {
  const ban = await findBan(await readBans(db), who, now);
  if (ban === undefined) return;
  const until = ban.until === null ? "" : ` until ${ban.until}`;
  throw new DomainError(
    "banned",
    `This alias or e-mail address is banned from the game${until}, or the alias looks like one that is.`,
  );
};
