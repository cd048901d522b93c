/** Responses with a new session, and its cookie. */
import * as z from "zod/mini";
import type { LoggedIn, NewSession } from "../auth/login.ts";
import { invalidRequest } from "../domain/domainError.ts";
import { boolean, optionalText, type Prose, text } from "../domain/schemas.ts";
import { instantOf, rfc3339 } from "../domain/time.ts";
import type { CommandResponse } from "../store/idempotency.ts";
import { type HttpResponse, jsonResponse } from "./responses.ts";
import { type Presented, withSessionCookie } from "./sessionCookie.ts";
import { playerFields, Timestamp } from "./views.ts";

const SESSION = {
  token: text,
  token_type: z.literal("Bearer"),
  expires_at: Timestamp,
  device_token: text,
};
const SessionReturn = z.object(SESSION);

export const LoginReturn = z.object({ player_id: text, alias: text, is_admin: boolean, ...SESSION });

export const LOGIN_PROSE: Prose<z.infer<typeof LoginReturn>> = {
  token: "The token, for `Authorization: Bearer`.",
  token_type: "Always `Bearer`.",
  expires_at: "When the session ends in any case.",
  device_token: "A secret of the device; send it with the next login.",
};

/** The response of a registration, with a session if the request logs in. */
export const NewPlayerReturn = z.lazy(() =>
  z.object({
    ...playerFields(),
    token: optionalText,
    token_type: z.optional(SESSION.token_type),
    expires_at: z.optional(Timestamp),
    device_token: optionalText,
  }),
);

export const NEW_PLAYER_PROSE: Prose<z.infer<typeof NewPlayerReturn>> = {
  expires_at: "With `login: true`: when the session ends.",
  token: "With `login: true`: the token, for `Authorization: Bearer`.",
  device_token: "With `login: true`: a secret of the device; send it with the next login.",
};

export const sessionView = ({
  token,
  deviceToken,
  expiresAt,
}: NewSession): z.infer<typeof SessionReturn> => ({
  token,
  token_type: "Bearer",
  expires_at: rfc3339(expiresAt),
  device_token: deviceToken,
});

export const loginView = ({ player, opened }: LoggedIn): z.infer<typeof LoginReturn> => ({
  ...player,
  ...sessionView(opened),
});

/** Whether the session is to be set as a cookie. */
export const Cookie = z.optional(boolean);

/** A request that may ask for the session cookie. */
interface CookieRequest {
  body: { cookie?: boolean | undefined };
  presented: Presented;
  now: number;
}

/**
 * Opens a session, and sets its cookie if the request asks for it.
 * @param open returns the response with the session
 * @throws DomainError `invalid_request` if the request comes from another origin, whose page could log in its visitors
 *   unnoticed
 */
export const openWithCookie = async (
  { body, presented, now }: CookieRequest,
  open: () => Promise<CommandResponse>,
): Promise<CommandResponse | HttpResponse> => {
  if (body.cookie !== true) return open();
  if (presented.isSameOrigin === false) {
    throw invalidRequest({
      path: "cookie",
      message: "may be true only for a page of the service's own origin",
    });
  }
  const { status, body: text } = await open();
  const { token, expires_at } = SessionReturn.parse(JSON.parse(text ?? ""));
  return withSessionCookie(jsonResponse(status, text), presented, token, instantOf(expires_at) - now);
};
