/** PartiQL on the embedded engine: it reads one SET clause of an UPDATE, where DynamoDB takes as many as there are. */
import { ExecuteStatementCommand } from "@aws-sdk/client-dynamodb";

let isInstalled = false;

/** The statement with one SET clause for all of its attributes, as lib/partiql/render.ts writes them. */
const withOneSet = (statement: string): string => statement.replaceAll(" = ? SET ", " = ?, ");

/**
 * Has every DynamoDB client of this process join the SET clauses of a statement before it is sent. AWS documents
 * repeated clauses (`SET a = ? SET b = ?`), so that is what the service writes; the embedded engine takes commas alone,
 * and AWS's own emulator takes both. Harmless twice.
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
