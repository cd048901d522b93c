/** Serverless plugin: runs the functions on this machine as `npm start` does, under Node.js 24 and on the local game. */
const { existsSync, mkdtempSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { register } = require("./handlers.cjs");
const { requireNode } = require("./node.cjs");

const SERVES = ["offline", "offline start"];
const RUNS_FUNCTIONS = ["invoke local", ...SERVES];

/** What the game on this machine has of its own, as settings that nobody deploys. */
const OF_THE_GAME = ["QUEUE_URL", "QUEUE_ENDPOINT", "CURSOR_KEY", "VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY"];

module.exports = class LocalFunctions {
  constructor(serverless, options) {
    this.serverless = serverless;
    this.options = options;
    this.close = async () => {};
    this.hooks = {};
    const command = serverless.processedInput.commands.join(" ");
    if (!RUNS_FUNCTIONS.includes(command)) return;
    requireNode(serverless);
    this.hooks = {
      // The framework puts the deployed environment over the process's own, and asks AWS for what it refers to.
      initialize: async () => {
        this.placeGame();
        const { joinSetClauses } = await import("../local/statements.ts");
        joinSetClauses();
        if (SERVES.includes(command)) await this.serveLikeGateway();
      },
      // After the framework has set the environment that is deployed, before it sets what --env gives.
      "before:invoke:local:loadEnvVars": () => this.prepare(),
      "after:invoke:local:invoke": () => this.close(),
    };
  }

  placeGame() {
    const { environment } = this.serverless.service.provider;
    const own = Object.fromEntries(OF_THE_GAME.map((name) => [name, process.env[name] ?? ""]));
    const { TABLE_NAME } = process.env;
    // Its keys lie beside the game, and not with AWS.
    Object.assign(environment, own, { PARAMETERS: "" }, TABLE_NAME ? { TABLE_NAME } : {});
  }

  /** Does what API Gateway and Lambda do with requests, where serverless-offline does otherwise. */
  async serveLikeGateway() {
    const { service } = this.serverless;
    // Functions can be invoked at a Unix socket alone: any web page could send a request to a port.
    const socket =
      process.env.INVOCATIONS_SOCKET || join(mkdtempSync(join(tmpdir(), "zombie-game-")), "lambda");
    service.custom["serverless-offline"].lambdaPort = socket;
    for (const [name, definition] of Object.entries(service.functions)) {
      definition.handler = register(name, definition.handler.replace(/\.handler$/, ".ts"));
    }
    const name = "no_such_endpoint";
    service.functions[name] = {
      name: `${service.service}-${this.options.stage}-${name}`,
      handler: register(name, null),
      events: [{ httpApi: "*" }],
    };
    const { joinAuthorizations } = await import("../local/gateway.ts");
    joinAuthorizations();
  }

  async prepare() {
    const { openLocal } = await import("../local/openLocal.ts");
    const { readSettings } = await import("../local/settings.ts");
    const { UserError } = await import("../cli/userError.ts");
    try {
      const { settings, close } = await openLocal(readSettings(), { withQueue: true });
      this.close = close;
      Object.assign(process.env, settings);
    } catch (error) {
      throw error instanceof UserError ? new this.serverless.classes.Error(error.message) : error;
    }
    // The framework looks for JavaScript alone, unless the handler's path has its extension.
    const definition = this.serverless.service.getFunction(this.options.function);
    const [, path, name] = /^(.*)\.([^.]+)$/.exec(definition.handler) ?? [];
    if (path !== undefined && existsSync(join(this.serverless.serviceDir, `${path}.ts`))) {
      definition.handler = `${path}.ts.${name}`;
    }
  }
};
