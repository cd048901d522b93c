/** Switches off a kind of mails by the token of one, without a session. */
import { idOfToken } from "../../auth/mailToken.ts";
import { DomainError } from "../../domain/domainError.ts";
import { isMailWanted, OPTIONAL_MAILS } from "../../domain/mail/optionalMails.ts";
import type { Player } from "../../domain/players/player.ts";
import type { PublicCall } from "../../lambda/call.ts";
import { mailKeys } from "../../secrets/mailKeys.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";

/** The player with an id, also if the account has become that of a player who has come back. */
const playerNow = async (store: Store, id: string): Promise<Player | null> => {
  const player = await store.player(id);
  if (player !== null) return player;
  const movedTo = (await store.sessions(id))?.moved_to;
  return movedTo === undefined ? null : store.player(movedTo);
};

/**
 * Switches off the kind of mails that a token is for. Idempotent; an account that does not exist any more gets none anyway.
 * @throws DomainError `code_not_valid` if the token is not of this deployment
 */
export const unsubscribeEmail = async (
  { audit, services, decide }: PublicCall<undefined>,
  token: string,
): Promise<CommandResponse> => {
  const { store, mailKeys: source } = services;
  const tokenKeys = source === null ? [] : await mailKeys(source);
  const found = OPTIONAL_MAILS.flatMap((kind) => {
    const id = idOfToken(tokenKeys, `unsubscribe ${kind}`, token);
    return id === null ? [] : [{ kind, id }];
  });
  const [switched] = found;
  if (switched === undefined)
    throw new DomainError(
      "code_not_valid",
      "This link is not valid. Change what you get on your profile page.",
    );
  const { kind, id } = switched;
  return decide(async () => {
    const [before, game] = await Promise.all([playerNow(store, id), store.game()]);
    if (before === null || !isMailWanted(kind, before.mail_kinds)) return { changes: {}, result: undefined };
    const { player_id } = before;
    Object.assign(audit, { actor: player_id, target: player_id });
    const mail_kinds = OPTIONAL_MAILS.filter((one) => one !== kind && isMailWanted(one, before.mail_kinds));
    return {
      changes: {
        players: [{ before, after: { ...before, mail_kinds } }],
        basedOn: await store.gameFor(game, before),
      },
      result: undefined,
    };
  });
};
