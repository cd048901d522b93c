/** Makes the framework run with Node.js 24, which npm installs, because it loads TypeScript files. */
const { spawnSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

/** The first version with argon2. */
const REQUIRED_NODE = "24.7";
// Not the link in node_modules/.bin, see scripts/node.sh.
const CANDIDATES = ["x64", "arm64"].map((processor) =>
  join(__dirname, `../../node_modules/node-linux-${processor}/bin/node`),
);
const RERUN = "ZOMBIE_GAME_RERUN";

const isNodeNewEnough = () =>
  process.versions.node.localeCompare(REQUIRED_NODE, undefined, { numeric: true }) >= 0;

/** Whether a program starts on this machine: npm's Node.js needs glibc. */
const starts = (file) => existsSync(file) && spawnSync(file, ["--version"]).status === 0;

/** Runs the same command with the installed Node.js; returns only on an error, with its message. */
const rerun = () => {
  const fault = `Functions need Node.js ${REQUIRED_NODE}; this is ${process.version}`;
  const installed = process.env[RERUN] === undefined ? CANDIDATES.find(starts) : undefined;
  if (installed === undefined) return `${fault}. docs/platforms.md says how to install it.`;
  const env = { ...process.env, [RERUN]: "1" };
  const { status, error } = spawnSync(installed, process.argv.slice(1), { stdio: "inherit", env });
  if (error !== undefined) return `${fault}, and ${installed} does not start: ${error.message}`;
  process.exit(status ?? 1);
};

/** Continues with Node.js 24 only. @throws the framework's Error, with what to do */
const requireNode = (serverless) => {
  const fault = isNodeNewEnough() ? null : rerun();
  if (fault !== null) throw new serverless.classes.Error(fault);
};

module.exports = { requireNode };
