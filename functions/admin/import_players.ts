/** POST /admin/import_players/{url_id}: creates accounts from a list, with invitations to set a password. */
import { ImportRequest, ImportResponse } from "../../lib/app/accounts/importRequest.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
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

export const docs: EndpointDocs = {
  summary: "Import players",
  description:
    "Creates a human for each valid row, with an invitation: a recovery code that is valid for 14 days. An invalid row does not affect the others. Sending the same rows again creates nobody twice; `Idempotency-Key` is ignored.",
  fields: {
    rows: "Up to 500 rows with `alias`, `first_name?`, `last_name?`, `email?`, `labels?` and `row?`; in the response, the result of each row.",
    row: "The number of the row: the one that the request gives it, for example that of a spreadsheet, or its place, from 1.",
    dry_run: "`true` changes nothing.",
    renew_invitations: "Whether to issue new invitations to players who have not used theirs.",
    create:
      "`false` creates nobody: with `renew_invitations`, the players in the rows get new invitations, and one who has left meanwhile is rejected with `player_not_found`.",
    created: "How many accounts were created.",
    invited: "How many got a new invitation.",
    exists: "How many rows belong to existing players.",
    rejected: "How many rows are invalid.",
    complete: "`false` if time ran out: send the same rows again.",
    needs_decision:
      "`true` if the new player is a spectator about whom a game master has to decide: see `reviews` of the alerts.",
    status: "The result of the row; `pending` if time ran out or the database was too busy.",
    errors: "The validation errors of the row.",
    path: "The field.",
    message: "The error message.",
    code: "What is wrong, for programs.",
    params: "The values in the message. Of an invalid alias: `character`, `code_point` and `suggestion`.",
  },
  example: {
    body: { rows: [{ alias: "Ivy", email: "ivy@example.org", labels: ["waiver"] }, { alias: "!" }] },
  },
};
