/** The OpenAPI document and docs/api.md agree with the schemas, the documentation and the service itself. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MINUTE } from "../../lib/domain/time.ts";
import { buildDocument, type RecordedExample } from "../../scripts/openapi/document.ts";
import { generatedParts, withParts } from "../../scripts/openapi/markdown.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { testEnvironment } from "../support/service.ts";
import { DOCUMENTED } from "./endpoints.ts";
import { createExampleGame, recordExamples } from "./exampleGame.ts";

const s = testEnvironment({ at: Date.parse("2026-10-31T12:00:00Z") });
let examples = new Map<string, RecordedExample>();

it("the example of every endpoint succeeds, as the document shows it", async () => {
  const on = await createExampleGame(s, () => {
    s.now += 10 * MINUTE;
  });
  examples = await recordExamples(s, on);
});

it("the documents agree with the endpoints, their documentation and their responses: npm run openapi", async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const document = buildDocument(DOCUMENTED, examples, version);
  const json = join(ROOT, "docs/openapi.json");
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(json);
  const file = join(ROOT, "docs/api.md");
  const parts = generatedParts(DOCUMENTED, document);
  await expect(withParts(await readFile(file, "utf8"), parts)).toMatchFileSnapshot(file);
});
