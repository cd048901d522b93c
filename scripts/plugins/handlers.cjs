/** Maps function names to handlers for serverless-offline, through scripts/local/gateway.ts. */
const files = new Map();
/** The handlers of the functions that have been called: each keeps count of its execution environments. */
const called = new Map();

/**
 * Registers the file of a function's handler, and whether one of its routes is for HEAD. Returns the handler setting for
 * serverless-offline.
 */
const register = (name, file, takesHead) => {
  files.set(name, { file, takesHead });
  return `scripts/plugins/handlers.handlers.${name}`;
};

const handlerOf = (name) => {
  if (!files.has(name)) return undefined;
  const { file, takesHead } = files.get(name);
  return async (event, context) => {
    const { localHandler, notFound } = await import("../local/gateway.ts");
    const { likeLambda } = await import("../local/lambdaLimits.ts");
    // The gateway itself answers a request without an endpoint.
    if (!called.has(name))
      called.set(name, file === null ? notFound : likeLambda(localHandler(name, file, takesHead)));
    return called.get(name)(event, context);
  };
};

module.exports = { register, handlers: new Proxy({}, { get: (_, name) => handlerOf(name) }) };
