/** POST /admin/import_players/{url_id}: creates accounts from a list, with invitations to set a password. */
import * as z from "zod/mini";
import type { ImportRow } from "../../lib/app/accounts/importRows.ts";
import { MAX_LABELS } from "../../lib/domain/accounts/labels.ts";
import { asSentence } from "../../lib/domain/validation.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Email, Label, NewAlias, PersonName } from "../../lib/http/fields.ts";
import { distinctIssues, parseShape, readJson } from "../../lib/http/requestBody.ts";
import { Timestamp } from "../../lib/http/views.ts";

const MAX_BODY_BYTES = 256 * 1024;
const MAX_ROWS = 500;

const ImportRequest = z.strictObject({
  /** Each row is validated by itself, so that an invalid row does not reject the others. */
  rows: z.array(z.record(z.string(), z.unknown())).check(z.minLength(1), z.maxLength(MAX_ROWS)),
  dry_run: z.optional(z.boolean()),
  renew_invitations: z.optional(z.boolean()),
  create: z.optional(z.boolean()),
});

/** The number of a row, as a spreadsheet shows it to whoever looks for the row. */
const RowNumber = z.int().check(z.minimum(1), z.maximum(10_000_000));

const Row = z.strictObject({
  alias: NewAlias,
  first_name: z.optional(PersonName),
  last_name: z.optional(PersonName),
  email: z.optional(Email),
  labels: z.optional(z.array(Label).check(z.maxLength(MAX_LABELS))),
});

/** Drops empty values, because an empty cell of a spreadsheet means no value. */
const withoutEmpty = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => name === "alias" || (value !== "" && value !== null)),
  );

const parseRow = (given: Record<string, unknown>, at: number): ImportRow => {
  const { row: number, ...fields } = given;
  const row = RowNumber.safeParse(number).data;
  // A number that is none is reported like an unknown field.
  const { value, issues } = parseShape(Row, withoutEmpty(row === undefined ? given : fields));
  const errors = distinctIssues(issues).map((issue) => {
    const { path, message, code = "invalid", params } = asSentence(issue);
    return { path, message, code, ...(params === undefined ? {} : { params }) };
  });
  return {
    row: row ?? at + 1,
    alias: value?.alias ?? (typeof given.alias === "string" ? given.alias.slice(0, 100) : null),
    newcomer: value === undefined ? null : { ...value, labels: [...new Set(value.labels)].sort() },
    errors,
  };
};

const RowError = z.object({
  path: z.string(),
  message: z.string(),
  code: z.string(),
  params: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
});

const RowResult = z.object({
  row: z.int(),
  alias: z.nullable(z.string()),
  status: z.enum(["created", "invited", "exists", "rejected", "pending"]),
  player_id: z.optional(z.string()),
  recovery_code: z.optional(z.string()),
  expires_at: z.optional(Timestamp),
  needs_decision: z.optional(z.literal(true)),
  errors: z.optional(z.array(RowError)),
});

const ImportResponse = z.object({
  dry_run: z.boolean(),
  created: z.int(),
  invited: z.int(),
  exists: z.int(),
  rejected: z.int(),
  complete: z.boolean(),
  rows: z.array(RowResult),
});

export const handler = endpoint({
  route: "POST /admin/import_players/{url_id}",
  access: "administrator",
  request: { parseBody: (raw) => readJson(raw, MAX_BODY_BYTES), body: ImportRequest },
  response: { schema: ImportResponse },
  run: async (call) => {
    // Imported on demand, because the table of look-alikes is large.
    const { importPlayers } = await import("../../lib/app/accounts/importPlayers.ts");
    const rows = call.body.rows.map(parseRow);
    return call.respond(await importPlayers(call, { ...call.body, rows }));
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
    recovery_code: "The code with which the player sets a new password.",
    expires_at: "When it expires.",
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
