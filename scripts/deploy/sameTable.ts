/** Prevents a change that CloudFormation would execute and that would leave the service without its game. */
import { isDeepStrictEqual } from "node:util";
import { UserError } from "../cli/userError.ts";
import type { Template } from "./template.ts";

/** The properties by which CloudFormation replaces a table with an empty one. */
const REPLACING = ["TableName", "KeySchema"];

/**
 * Checks that a template keeps the table of the one that runs. CloudFormation itself would retain the table, but take it
 * out of the stack, or create an empty one with another name:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 * @throws UserError
 */
export const requireSameTable = (running: Template, next: Template): void => {
  const [before, after] = [running, next].map(({ Resources }) => Resources.Table?.Properties);
  if (before === undefined) return;
  const changed = REPLACING.filter((name) => !isDeepStrictEqual(before[name], after?.[name]));
  if (after !== undefined && changed.length === 0) return;
  const what =
    after === undefined
      ? "has no table any more"
      : `changes ${changed.join(" and ")} of the table, which AWS replaces by an empty one`;
  throw new UserError(
    `The new template ${what}, so the service would lose its game. Nothing has been changed. Restore resources/table.yml; to move a game into another table, export it, deploy under another stage, and import it (docs/restore.md).`,
  );
};
