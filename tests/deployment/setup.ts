/** Packages the service without an AWS account, for a test stage and for a stage with a real game. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { packageTo } from "../../scripts/bundle/package.ts";
import { zipped } from "../../scripts/bundle/zips.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { messageOf } from "../../scripts/cli/userError.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folders of the packages of the stages `test-packages`, and `spring` with `SETTINGS` for the template. */
    packages: { forTests: string; forGame: string };
    /** The file that exists once they are built, with the error message if there is one. */
    packaging: string;
    /** The process id of this run. */
    run: number;
  }
}

/** The settings of the stage with a real game. */
export const SETTINGS = {
  JOIN_CODE: "brains-of-the-template",
  ...{ INJECT_SQL_WRITES: "true", ALLOWED_ORIGINS: "https://hvz.example", ALARM_EMAIL: "gm@hvz.example" },
  ...{ BUDGET_USD: "20", REQUESTS_PER_SECOND: "300", REQUESTS_BURST: "600", DOMAIN: "api.hvz.example" },
  ...{ CERTIFICATE_ARN: "arn:aws:acm:eu-central-1:123456789012:certificate/1-2", API_ADDRESS: "off" },
  PROXY_SECRET: "s3cret".repeat(6),
  ...{ MAIL_URL: "smtps://user:pass@smtp.hvz.example", MAIL_FROM: "game@hvz.example" },
};

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await makeTempDir();
  const packages = { forTests: join(folder, "test-packages"), forGame: join(folder, "spring") };
  const result = join(folder, "result.txt");
  project.provide("run", process.pid);
  project.provide("packages", packages);
  project.provide("packaging", result);

  // Tests that read only the template get empty zips: bundling takes most of the time.
  const zips = project.name === "roles" ? await mkdtemp(join(folder, "zips-")) : undefined;
  if (zips !== undefined) {
    const empty = await zipped(new Map());
    for (const { name } of listedFunctions()) await writeFile(join(zips, `${name}.zip`), empty);
  }
  const ending = new AbortController();
  // Not awaited here: other tests run meanwhile, and the tests of this project wait for the result.
  const packageAll = async (): Promise<void> => {
    if (zips === undefined) return packageTo(packages.forTests, {}, ending.signal);
    // One after the other, because the framework builds all packages in the same folder.
    await packageTo(packages.forTests, { ZIPS_OF: zips }, ending.signal);
    await packageTo(packages.forGame, { ZIPS_OF: zips, ...SETTINGS }, ending.signal);
  };
  const packaging = packageAll()
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
