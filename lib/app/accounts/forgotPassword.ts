/** Takes the request of somebody who has forgotten the password. */
import type { PublicCall } from "../../lambda/call.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { mailWrite } from "../../store/mail/mails.ts";

interface Accepted {
  accepted: true;
}

/**
 * Stores what was typed, for the worker that sends mail. Nothing is looked up, so that neither the response nor its
 * duration tells whether there is such an account.
 */
export const requestRecovery = (
  { decide, now, services: { mail, newId } }: PublicCall<Accepted>,
  named: string,
): Promise<CommandResponse> =>
  decide(async () => ({
    changes: {
      writes: mail === null ? [] : [mailWrite(newId(), { kind: "recover", player_id: null, named }, now)],
    },
    result: { accepted: true },
  }));
