/** Maps function names to handlers for serverless-offline, through scripts/local/gateway.ts. */
const files = new Map();

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
  let handler;
  return async (event, context) => {
    const { localHandler, notFound } = await import("../local/gateway.ts");
    handler ??= file === null ? notFound : localHandler(name, file, takesHead);
    return handler(event, context);
  };
};

module.exports = { register, handlers: new Proxy({}, { get: (_, name) => handlerOf(name) }) };
