/** Changes passwords of players who know the current one, or have a recovery code. */
import { requireOtherThanAlias } from "../../auth/credentials.ts";
import type { LoggedIn } from "../../auth/login.ts";
import { attemptLogin, type LoginContext } from "../../auth/loginAttempts.ts";
import { type PasswordChangeRequest, passwordChange } from "../../auth/passwordChange.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PublicCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import type { Changes } from "../../store/changes.ts";
import type { CommandResponse } from "../../store/idempotency.ts";

/** The write that tells the owner of an account about its new password. Imported on demand: few deployments send mail. */
const noticeWrites = async (
  { mail, newId }: Pick<Services, "mail" | "newId">,
  { player_id, email_confirmed: isConfirmed }: Player,
  now: number,
): Promise<Write[]> => {
  if (mail === null || isConfirmed !== true) return [];
  const { mailWrite } = await import("../../store/mail/mails.ts");
  return [mailWrite(newId(), { kind: "password_changed", player_id }, now)];
};

/** The changes that confirm the address of somebody who accepts a mailed invitation. Imported on demand, like the notice. */
const invitedChanges = async (
  { store }: Pick<Services, "store">,
  player: Player,
  now: number,
): Promise<Changes> => {
  const { confirmedChanges } = await import("./confirmation.ts");
  return confirmedChanges(store, player, now);
};

/**
 * Sets a new password and ends all of the player's sessions. A recovery code opens a new one, which is the result.
 * @throws DomainError `invalid_request` for the alias as the password; `bad_credentials`, `banned`, `too_many_attempts`
 */
export const changePassword = async (
  call: PublicCall<LoggedIn | undefined>,
  { alias, ...request }: PasswordChangeRequest & { alias: string },
): Promise<CommandResponse> => {
  const { audit, clientAddress, now, services } = call;
  requireOtherThanAlias(request.new_password, alias, "new_password");
  const change = passwordChange(services, request, clientAddress, now);
  const onLoaded = ({ player }: LoginContext) => {
    audit.target = player?.player_id ?? null;
  };
  const decide = async (context: LoginContext) => {
    const { player, confirmsAddress, writes, opened } = await change(context);
    requireOtherThanAlias(request.new_password, player.alias, "new_password");
    audit.actor = player.player_id;
    const told = await noticeWrites(services, player, now);
    const confirmed = confirmsAddress ? await invitedChanges(services, player, now) : {};
    return {
      changes: { ...confirmed, writes: [...writes, ...told, ...(confirmed.writes ?? [])] },
      result: opened === null ? undefined : { player, opened },
    };
  };
  const isByRecoveryCode = request.recovery_code !== undefined;
  const attempt = { alias, clientAddress, now, device: request.device_token, isByRecoveryCode };
  return attemptLogin(services, attempt, (checkAttempt) =>
    call.decide(({ isRetry }) => checkAttempt(isRetry, onLoaded, decide)),
  );
};
