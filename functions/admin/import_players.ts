/** POST /admin/import_players/{url_id}: creates accounts from a list, with invitations to set a password. */
import { ImportRequest, ImportResponse, importPlayers } from "../../lib/app/accounts/importPlayers.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { readJson } from "../../lib/http/requestBody.ts";

const MAX_BODY_BYTES = 256 * 1024;

export const handler = endpoint({
  route: "POST /admin/import_players/{url_id}",
  access: "administrator",
  request: { parseBody: (raw) => readJson(raw, MAX_BODY_BYTES), body: ImportRequest },
  response: { schema: ImportResponse },
  run: (call) => importPlayers(call),
});
