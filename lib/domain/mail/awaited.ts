/** Which address a player has to confirm. Pure. */
import type { Player } from "../players/player.ts";

/** The address that a player has to confirm; `null` if there is none. */
export const awaitedAddress = ({
  email,
  email_confirmed: isConfirmed,
  pending_email: pending,
}: Pick<Player, "email" | "email_confirmed" | "pending_email">): string | null =>
  pending ?? (isConfirmed === true ? null : email);
