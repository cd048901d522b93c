/** Packages the service without an AWS account, for a test stage and for a stage with a real game. */
import { execFile } from "node:child_process";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";
import { zipped } from "../../scripts/bundle/zips.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { messageOf } from "../../scripts/cli/userError.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folders of the packages: for the stage `test-packages`, and for `spring`, where statements may write. */
    packages: { forTests: string; kept: string };
    /** The file that exists once they are built, with the error message if there is one. */
    packaging: string;
    /** The process id of this run. */
    run: number;
  }
}

const SERVERLESS = join(ROOT, "node_modules/serverless/bin/serverless.js");

/** The registry and the proxies of npm, which fetches sharp. */
const NPM_SETTING = /^(npm_config_.*|https?_proxy|no_proxy)$/i;

/** Without the settings of this machine for the service, and without credentials. */
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

/** Packages the service into folders with the names of the stages. @param zips the zips of the functions, if they exist */
const packageBoth = async (
  { forTests, kept }: ProvidedContext["packages"],
  zips: string | undefined,
  signal: AbortSignal,
): Promise<void> => {
  const packageTo = async (target: string, more: Record<string, string> = {}): Promise<void> => {
    const args = [SERVERLESS, "package", "--stage", basename(target), "--package", target];
    // The framework prints its errors to stdout, which execFile's error message does not contain.
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: env(more), signal }).catch(
      (error: { stdout?: string }) => {
        throw new Error(`${messageOf(error)}\n${error.stdout ?? ""}`);
      },
    );
  };
  // One after the other, because the framework builds all packages in the same folder.
  await packageTo(forTests, zips === undefined ? {} : { ZIPS_OF: zips });
  await packageTo(kept, {
    ZIPS_OF: zips ?? forTests,
    INJECT_SQL_WRITES: "true",
    ALLOWED_ORIGINS: "https://hvz.example",
    ALARM_EMAIL: "gm@hvz.example",
    BUDGET_USD: "20",
    DOMAIN: "api.hvz.example",
    CERTIFICATE_ARN: "arn:aws:acm:eu-central-1:123456789012:certificate/1-2",
    REQUESTS_PER_SECOND: "300",
    REQUESTS_BURST: "600",
  });
};

/** Writes an empty zip for each function, for tests that read only the template: bundling takes most of the time. */
const writeEmptyZips = async (folder: string): Promise<string> => {
  const empty = await zipped(new Map());
  await mkdir(folder);
  await Promise.all(listedFunctions().map(({ name }) => writeFile(join(folder, `${name}.zip`), empty)));
  return folder;
};

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await makeTempDir();
  const packages = { forTests: join(folder, "test-packages"), kept: join(folder, "spring") };
  const result = join(folder, "result.txt");
  project.provide("run", process.pid);
  project.provide("packages", packages);
  project.provide("packaging", result);

  const zips = project.name === "roles" ? await writeEmptyZips(join(folder, "zips")) : undefined;
  const ending = new AbortController();
  // Not awaited here: other tests run meanwhile, and the tests of this project wait for the result.
  const packaging = packageBoth(packages, zips, ending.signal)
    .then(() => "", messageOf)
    .then(async (error) => {
      // Renamed, because the file is polled.
      await writeFile(`${result}.new`, error);
      await rename(`${result}.new`, result);
    });
  return async () => {
    ending.abort();
    await packaging;
    await rm(folder, { recursive: true, force: true });
  };
};
