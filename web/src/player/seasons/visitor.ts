/** Past seasons for who has no session: the service shows them while the board is public. */
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../paths.ts";
import { GameError } from "../../state/api.ts";
import { sessionState } from "../../state/session.ts";

/** Whether somebody without a session looks. */
export const isVisitor = (): boolean => sessionState.value === "anonymous";

/** Leads to the login, and back afterwards, if a visitor may not see a page. @param error of the request for it */
export const useLoginIfRejected = (error: unknown): void => {
  const { url, route } = useLocation();
  const isRejected = isVisitor() && error instanceof GameError && error.code === "token_rejected";
  useEffect(() => {
    if (isRejected) route(paths.loginBefore(url), true);
  }, [isRejected]);
};
