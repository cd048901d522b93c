/** Has the framework run under Node.js 24, which npm has installed: what is here and in lib is TypeScript as it stands. */
const { spawnSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const NODE_NEEDED = 24;
// Not by its link in node_modules/.bin, for the reason that scripts/node.sh gives.
const NODE = ["x64", "arm64"]
  .map((processor) => join(__dirname, `../../node_modules/node-linux-${processor}/bin/node`))
  .find((file) => existsSync(file));
const RERUN = "ZOMBIE_GAME_RERUN";

const isNodeNewEnough = () => Number.parseInt(process.versions.node, 10) >= NODE_NEEDED;

/** Hands the same command over to the Node.js that npm has installed; returns only on a fault, in words. */
const rerun = () => {
  const fault = `Functions need Node.js ${NODE_NEEDED}; this is ${process.version}`;
  if (process.env[RERUN] !== undefined || NODE === undefined) return `${fault}: install it, or run npm ci.`;
  const env = { ...process.env, [RERUN]: "1" };
  const { status, error } = spawnSync(NODE, process.argv.slice(1), { stdio: "inherit", env });
  if (error !== undefined) return `${fault}, and ${NODE} does not start: ${error.message}`;
  process.exit(status ?? 1);
};

/** Goes on under Node.js 24 or not at all. @throws the framework's Error, which says what to do */
const requireNode = (serverless) => {
  const fault = isNodeNewEnough() ? null : rerun();
  if (fault !== null) throw new serverless.classes.Error(fault);
};

module.exports = { requireNode };
