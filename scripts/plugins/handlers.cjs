/** Maps function names to handlers for serverless-offline, through scripts/local/gateway.ts. */
const files = new Map();

/** Registers the file of a function's handler. Returns the handler setting for serverless-offline. */
const register = (name, file) => {
  files.set(name, file);
  return `scripts/plugins/handlers.handlers.${name}`;
};

const handlerOf = (name) => {
  const file = files.get(name);
  if (file === undefined) return undefined;
  let handler;
  return async (event, context) => {
    const { localHandler, notFound } = await import("../local/gateway.ts");
    handler ??= file === null ? notFound : localHandler(name, file);
    return handler(event, context);
  };
};

module.exports = { register, handlers: new Proxy({}, { get: (_, name) => handlerOf(name) }) };
