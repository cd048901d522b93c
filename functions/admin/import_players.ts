/** POST /admin/import_players/{url_id}: creates accounts from a list, with invitations to set a password. */
import { ImportRequest, ImportResponse } from "../../lib/app/accounts/importRequest.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { readJson } from "../../lib/http/requestBody.ts";

const MAX_BODY_BYTES = 256 * 1024;

export const handler = endpoint({
  route: "POST /admin/import_players/{url_id}",
  access: "administrator",
  request: { parseBody: (raw) => readJson(raw, MAX_BODY_BYTES), body: ImportRequest },
  response: { schema: ImportResponse },
  run: async (call) => {
    // Imported on demand, because the table of look-alikes is large.
    const { importPlayers } = await import("../../lib/app/accounts/importPlayers.ts");
    return importPlayers(call);
  },
});
