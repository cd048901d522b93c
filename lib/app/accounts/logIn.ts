/** Logs players in with their passwords. */
import { type LoggedIn, openSession } from "../../auth/login.ts";
import { attemptLogin, type LoginContext, passwordChecker } from "../../auth/loginAttempts.ts";
import type { PublicCall } from "../../lambda/call.ts";
import type { CommandResponse } from "../../store/idempotency.ts";

interface Login {
  alias: string;
  password: string;
  /** The device token of an earlier login. */
  device_token?: string | null | undefined;
}

/** Opens a session. @throws DomainError `bad_credentials`, `banned`, `too_many_attempts` */
export const logIn = (
  call: PublicCall<LoggedIn>,
  { alias, password, device_token: device }: Login,
): Promise<CommandResponse> => {
  const { audit, clientAddress, now, services } = call;
  const check = passwordChecker(password, services.cost);
  const onLoaded = ({ player }: LoginContext) => {
    audit.target = player?.player_id ?? null;
  };
  const open = async (loaded: LoginContext) => {
    const account = await check(loaded);
    audit.actor = account.player.player_id;
    const success = { context: { ...loaded, ...account }, clientAddress, givenDevice: device, now };
    const { writes, opened } = await openSession(success, password, services);
    return { changes: { writes }, result: { player: account.player, opened } };
  };
  return attemptLogin(services, { alias, clientAddress, now, device }, (checkAttempt) =>
    call.decide(({ isRetry }) => checkAttempt(isRetry, onLoaded, open)),
  );
};
