/** Serverless plugin: runs the functions on this machine as `npm start` does, under Node.js 24 and on the local game. */
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { requireNode } = require("./node.cjs");

const RUNS_FUNCTIONS = ["invoke local", "offline", "offline start"];

/** What the game on this machine has of its own, as settings that nobody deploys. */
const OF_THE_GAME = ["QUEUE_URL", "QUEUE_ENDPOINT", "CURSOR_KEY", "VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY"];

module.exports = class LocalFunctions {
  constructor(serverless, options) {
    this.serverless = serverless;
    this.options = options;
    this.close = async () => {};
    this.hooks = {};
    if (!RUNS_FUNCTIONS.includes(serverless.processedInput.commands.join(" "))) return;
    requireNode(serverless);
    this.hooks = {
      // The framework puts the deployed environment over the process's own, and asks AWS for what it refers to.
      initialize: () => this.placeGame(),
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

  async prepare() {
    const { openLocal } = await import("../local/open.ts");
    const { readSettings } = await import("../local/settings.ts");
    const { UserError } = await import("../local/userError.ts");
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
