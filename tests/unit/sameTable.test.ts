/** A deploy that would take the game away from the service is refused before anything is changed. */
import { expect, it } from "vitest";
import { requireSameTable } from "../../scripts/deploy/sameTable.ts";
import type { Template } from "../../scripts/deploy/template.ts";

const KEYS = { TableName: "game", KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }] };
const templateOf = (Properties?: Record<string, unknown>): Template => ({
  Resources: Properties === undefined ? {} : { Table: { Type: "AWS::DynamoDB::Table", Properties } },
});

it.each<[string, Record<string, unknown> | undefined, RegExp]>([
  [
    "leaves the table out",
    undefined,
    /^The new template has no table any more, .* Restore resources\/table\.yml/,
  ],
  ["renames it", { ...KEYS, TableName: "other" }, /changes TableName of the table, which AWS replaces/],
  ["changes its keys", { ...KEYS, KeySchema: [] }, /changes KeySchema of the table, which AWS replaces/],
])("a template that %s", (_, next, message) => {
  expect(() => requireSameTable(templateOf(KEYS), templateOf(next))).toThrow(message);
});

it("a template that changes anything else of it, and the first one with a table, are accepted", () => {
  requireSameTable(templateOf(KEYS), templateOf({ ...KEYS, BillingMode: "PAY_PER_REQUEST" }));
  requireSameTable(templateOf(), templateOf(KEYS));
});
