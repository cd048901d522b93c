/** The page `/docs` and its script. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { docsPage } from "../../lib/http/docsPage.ts";
import { docsScript } from "../../lib/http/docsScript.ts";
import { ROOT } from "../../scripts/project/root.ts";

const STORED = join(ROOT, ".cache/scalar.json");

// It is missing where `npm ci` did not reach a registry.
it.runIf(existsSync(STORED))(
  "names the version of Scalar in the URL of the script, which is cached for a year",
  async () => {
    const { version } = JSON.parse(await readFile(STORED, "utf8"));
    expect(docsPage().body).toContain(`src="/docs/scalar.js?v=${version}-`);
    expect((await docsScript()).headers?.["cache-control"]).toContain("max-age=31536000, immutable");
  },
);
