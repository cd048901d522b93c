/** Serverless plugin: builds a zip with its own bundle for each function (docs/decisions/0022-bundles.md). */
const { mkdir } = require("node:fs/promises");
const { join, relative } = require("node:path");
const { requireNode } = require("./node.cjs");

const BUNDLING_COMMANDS = ["package", "deploy", "deploy function"];

module.exports = class Bundles {
  constructor(serverless, options) {
    this.serverless = serverless;
    this.hooks = {};
    if (!BUNDLING_COMMANDS.includes(serverless.processedInput.commands.join(" "))) return;
    // Deploying an existing package builds nothing. Its definitions were validated when it was made, which takes two fifths
    // of the framework's start.
    if (options.package !== undefined && serverless.processedInput.commands[0] === "deploy") {
      serverless.configSchemaHandler.validateConfig = async () => {};
      return;
    }
    requireNode(serverless);
    this.hooks = {
      "before:package:createDeploymentArtifacts": () => this.bundle(serverless.service.getAllFunctions()),
      "before:deploy:function:packageFunction": () => this.bundle([options.function]),
    };
  }

  async bundle(names) {
    const { service, serviceDir, classes } = this.serverless;
    // Reuses existing zips, also those of another stage, because they do not depend on the stage.
    const { ZIPS_OF } = process.env;
    if (ZIPS_OF !== undefined) {
      for (const name of names)
        service.getFunction(name).package = { artifact: join(ZIPS_OF, `${name}.zip`) };
      return;
    }
    const { writeZips } = await import("../bundle/zips.ts");
    const { UserError } = await import("../cli/userError.ts");
    const folder = join(serviceDir, ".serverless");
    await mkdir(folder, { recursive: true });
    const sources = names.map((name) => {
      const { handler } = service.getFunction(name);
      return { name, entry: handler.replace(/\.[^./]+$/, ".ts") };
    });
    try {
      for (const [name, file] of await writeZips(sources, folder)) {
        service.getFunction(name).package = { artifact: relative(serviceDir, file) };
      }
    } catch (error) {
      throw error instanceof UserError ? new classes.Error(error.message) : error;
    }
  }
};
