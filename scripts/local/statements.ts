/** Adapts PartiQL to the embedded engine, which accepts only one SET clause per UPDATE. */
import { ExecuteStatementCommand } from "@aws-sdk/client-dynamodb";

let isInstalled = false;

/** Merges the SET clauses of a statement, in the form that lib/partiql/render.ts writes them. */
const withOneSet = (statement: string): string => statement.replaceAll(" = ? SET ", " = ?, ");

/**
 * Makes every DynamoDB client of this process merge the SET clauses of a statement. AWS documents repeated clauses
 * (`SET a = ? SET b = ?`), so the service writes those; the embedded engine accepts only commas, AWS's own emulator
 * both. Idempotent.
 */
export const joinSetClauses = (): void => {
  if (isInstalled) return;
  isInstalled = true;
  const { resolveMiddleware } = ExecuteStatementCommand.prototype;
  ExecuteStatementCommand.prototype.resolveMiddleware = function (stack, ...rest) {
    const joining = stack.clone();
    joining.add(
      (next) => (args) => {
        const { input } = args;
        if (!("Statement" in input) || input.Statement === undefined) return next(args);
        return next({ ...args, input: { ...input, Statement: withOneSet(input.Statement) } });
      },
      { step: "initialize", name: "joinSetClauses" },
    );
    return resolveMiddleware.call(this, joining, ...rest);
  };
};
