/** POST /admin/resolve_dispute/{url_id}: decides whether a disputed hunt stands or is void. */
import { ResolveRequest, ResolveResponse, resolveDispute } from "../../lib/app/disputes/resolveDispute.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/resolve_dispute/{url_id}",
  access: "administrator",
  request: { body: ResolveRequest },
  response: { schema: ResolveResponse },
  idempotency: { scope: "player" },
  run: (call) => resolveDispute(call),
});
