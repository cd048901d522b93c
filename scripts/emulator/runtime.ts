/** AWS's own runtime loop for Node.js, aws-lambda-ric: finds and installs it. Its native code is compiled on this machine. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../cli/findProgram.ts";
import { runInterruptible } from "../cli/interruptible.ts";
import { UserError } from "../cli/userError.ts";
import { FOLDER, installPackages, isInstalled } from "../local/emulator.ts";

const PACKAGE = join(FOLDER, "node_modules/aws-lambda-ric");
/** The program that a function's process runs. */
export const RUNTIME = join(PACKAGE, "index.mjs");
/** The compiled client of the Runtime API. */
const ADDON = join(PACKAGE, "rapid-client.node");

/** The programs that compile it, and what Debian's package of each is called. */
const BUILD_TOOLS: [programs: string[], debianPackage: string][] = [
  [["autoreconf"], "autoconf"],
  [["aclocal"], "automake"],
  [["libtoolize", "glibtoolize"], "libtool"],
  [["cmake3", "cmake"], "cmake"],
  [["make"], "make"],
  [["g++", "c++"], "g++"],
  [["python3"], "python3"],
  [["xz"], "xz-utils"],
];

/** Returns why the runtime loop cannot run on this machine, or `undefined`. */
export const missingForRuntime = (): string | undefined => {
  if (process.platform !== "linux") return "Linux is needed, as on Lambda";
  if (existsSync(ADDON)) return undefined;
  const missing = BUILD_TOOLS.filter(([programs]) => findProgram(programs) === undefined);
  if (missing.length === 0) return undefined;
  const packages = missing.map(([, name]) => name).join(" ");
  return `aws-lambda-ric cannot be compiled without these programs: apt-get install --no-install-recommends ${packages}`;
};

/** The headers of the Node.js that runs it, which npm installed with it; npm itself runs with another Node.js. */
const nodeFolder = (): string => join(process.execPath, "../..");

/**
 * Installs and compiles the runtime loop, unless it is there.
 * @throws UserError if npm or the compiler fails
 */
export const ensureRuntime = async (): Promise<void> => {
  const isThere = await isInstalled("aws-lambda-ric");
  if (isThere && existsSync(ADDON)) return;
  if (!isThere) await installPackages();
  console.log("Compiling AWS's runtime loop (aws-lambda-ric), which takes a minute of processor time.");
  const output: string[] = [];
  const end = await runInterruptible(["npm", "rebuild", "aws-lambda-ric", "--prefix", FOLDER], {
    // Otherwise node-gyp would fetch headers, from nodejs.org.
    env: { ...process.env, npm_config_nodedir: nodeFolder() },
    onLine: (line) => output.push(line),
  });
  if (existsSync(ADDON)) return;
  throw new UserError(`AWS's runtime loop could not be compiled (${end}): ${output.slice(-40).join("\n")}`);
};
