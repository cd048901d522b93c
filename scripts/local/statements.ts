/** Adapts PartiQL to the embedded engine, which accepts only one SET clause per UPDATE, and ignores DESC. */
import { ExecuteStatementCommand } from "@aws-sdk/client-dynamodb";

let isInstalled = false;

/** Merges the SET clauses of a statement, in the form that lib/partiql/render.ts writes them. */
const mergeSetClauses = (statement: string): string => statement.replaceAll(" = ? SET ", " = ?, ");

/** Throws the error that DynamoDB has for an invalid statement. */
const throwValidationError = (message: string): never => {
  throw Object.assign(new Error(message), { name: "ValidationException" });
};

/**
 * Makes every DynamoDB client of this process merge the SET clauses of a statement, and reject DESC. AWS documents
 * repeated clauses (`SET a = ? SET b = ?`), so the service writes those; the embedded engine accepts only commas,
 * AWS's own emulator accepts both. Idempotent.
 */
export const adaptStatements = (): void => {
  if (isInstalled) return;
  isInstalled = true;
  const { resolveMiddleware } = ExecuteStatementCommand.prototype;
  ExecuteStatementCommand.prototype.resolveMiddleware = function (stack, ...rest) {
    const patchedStack = stack.clone();
    patchedStack.add(
      (next) => (args) => {
        const { input } = args;
        if (!("Statement" in input) || input.Statement === undefined) return next(args);
        if (/ ORDER BY .* DESC/.test(input.Statement))
          throwValidationError("The local database does not support DESC.");
        return next({ ...args, input: { ...input, Statement: mergeSetClauses(input.Statement) } });
      },
      { step: "initialize", name: "adaptStatements" },
    );
    return resolveMiddleware.call(this, patchedStack, ...rest);
  };
};
