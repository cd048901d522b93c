/** Changes passwords of players who know the current one, or have a recovery code. */
import { requireOtherThanAlias } from "../../auth/credentials.ts";
import type { LoggedIn } from "../../auth/login.ts";
import { attemptLogin, type LoginContext } from "../../auth/loginAttempts.ts";
import { type PasswordChangeRequest, passwordChange } from "../../auth/passwordChange.ts";
import type { PublicCall } from "../../lambda/call.ts";
import type { CommandResponse } from "../../store/idempotency.ts";

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
    const { player, writes, opened } = await change(context);
    audit.actor = player.player_id;
    return { changes: { writes }, result: opened === null ? undefined : { player, opened } };
  };
  const isByRecoveryCode = request.recovery_code !== undefined;
  const attempt = { alias, clientAddress, now, device: request.device_token, isByRecoveryCode };
  return attemptLogin(services, attempt, (checkAttempt) =>
    call.decide(({ isRetry }) => checkAttempt(isRetry, onLoaded, decide)),
  );
};
