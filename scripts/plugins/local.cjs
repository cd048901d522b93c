/** Serverless plugin: runs the functions locally as `npm start` does, with Node.js 24 and the local game. */
const { existsSync, mkdtempSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { register } = require("./handlers.cjs");
const { requireNode } = require("./node.cjs");

const SERVES = ["offline", "offline start"];
const RUNS_FUNCTIONS = ["invoke local", ...SERVES];

/** Settings of the local game that are not deployed. */
const GAME_SETTINGS = [
  ...["QUEUE_URL", "QUEUE_ENDPOINT", "CURSOR_KEY", "VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY"],
  ...["MAIL_URL", "MAIL_KEY", "MAIL_FROM", "MAIL_PER_MINUTE", "PUBLIC_URL"],
];

const isHead = ({ httpApi = "" }) => httpApi.startsWith("HEAD ");

module.exports = class LocalFunctions {
  constructor(serverless, options) {
    this.serverless = serverless;
    this.options = options;
    this.close = async () => {};
    this.hooks = {};
    const command = serverless.processedInput.commands.join(" ");
    if (!RUNS_FUNCTIONS.includes(command)) return;
    requireNode(serverless);
    // Packaging validates the definitions. It takes a third of the framework's start.
    serverless.configSchemaHandler.validateConfig = async () => {};
    this.hooks = {
      // The framework overwrites the process's environment with the deployed one, and resolves its references on AWS.
      initialize: async () => {
        this.placeGame();
        const { adaptStatements } = await import("../local/statements.ts");
        adaptStatements();
        if (SERVES.includes(command)) await this.serveLikeGateway();
      },
      // After the framework has set the deployed environment, before it applies --env.
      "before:invoke:local:loadEnvVars": () => this.prepare(),
      "after:invoke:local:invoke": () => this.close(),
    };
  }

  placeGame() {
    const { environment } = this.serverless.service.provider;
    const own = Object.fromEntries(GAME_SETTINGS.map((name) => [name, process.env[name] ?? ""]));
    const { TABLE_NAME } = process.env;
    // The keys are stored next to the game, not on AWS.
    Object.assign(
      environment,
      own,
      { PARAMETERS: "", PROXY_SECRET_HASH: "" },
      TABLE_NAME ? { TABLE_NAME } : {},
    );
  }

  /** Emulates API Gateway and Lambda where serverless-offline differs. */
  async serveLikeGateway() {
    const { service } = this.serverless;
    // Functions are invoked over a Unix socket only, because any web page could send requests to a port.
    const socket =
      process.env.INVOCATIONS_SOCKET || join(mkdtempSync(join(tmpdir(), "zombie-game-")), "lambda");
    service.custom["serverless-offline"].lambdaPort = socket;
    for (const [name, definition] of Object.entries(service.functions)) {
      // serverless-offline sends HEAD to the function of the GET, whether that has a route for HEAD or not.
      const takesHead = definition.events.some(isHead);
      definition.events = definition.events.filter((event) => !isHead(event));
      definition.handler = register(name, definition.handler.replace(/\.handler$/, ".ts"), takesHead);
    }
    const name = "no_such_endpoint";
    service.functions[name] = {
      name: `${service.service}-${this.options.stage}-${name}`,
      handler: register(name, null, false),
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
    // The framework finds only JavaScript files, unless the handler's path has an extension.
    const definition = this.serverless.service.getFunction(this.options.function);
    const [, path, name] = /^(.*)\.([^.]+)$/.exec(definition.handler) ?? [];
    if (path !== undefined && existsSync(join(this.serverless.serviceDir, `${path}.ts`))) {
      definition.handler = `${path}.ts.${name}`;
    }
  }
};
