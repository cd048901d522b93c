/** Packages the service as `npx serverless package` does, without an AWS account and without this machine's settings. */
import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

const SERVERLESS = join(ROOT, "node_modules/serverless/bin/serverless.js");

/** The registry, proxies and certificates of npm, which fetches sharp. */
const NPM_SETTING = /^(npm_config_.*|https?_proxy|no_proxy|node_extra_ca_certs)$/i;

/** The environment of the framework, without credentials and without this machine's settings of the service. */
const env = (more: Record<string, string>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NPM_SETTING.test(name))),
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? "",
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  AWS_CONFIG_FILE: "/dev/null",
  ...more,
});

/**
 * Packages the service into a folder with the name of the stage: the template, and a zip for each function.
 * @param settings settings of the deployment
 * @param signal ends the framework
 * @throws Error with the framework's output if it fails
 */
export const packageTo = async (
  target: string,
  settings: Record<string, string>,
  signal: AbortSignal,
): Promise<void> => {
  const args = [SERVERLESS, "package", "--stage", basename(target), "--package", target];
  // The framework prints its errors to stdout, which execFile's error message does not contain.
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: env(settings), signal }).catch(
    (error: { stdout?: string }) => {
      throw new Error(`${messageOf(error)}\n${error.stdout ?? ""}`);
    },
  );
};
