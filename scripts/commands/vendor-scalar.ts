/** `npm run vendor-scalar -- FILE`: stores Scalar's script, with which /docs shows the API. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { sha256 } from "../../lib/runtime/sha256.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

await runCommand(async () => {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new UserError("Give the folder of the unpacked @scalar/api-reference.");
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const script = await readFile(join(folder, "dist/browser/standalone.js"));
  const stored = {
    source: `@scalar/api-reference ${version}, dist/browser/standalone.js, MIT`,
    sha256: sha256(script),
    brotli: brotliCompressSync(script).toString("base64"),
  };
  await writeFile(join(ROOT, "lib/http/scalar.json"), `${JSON.stringify(stored, null, 2)}\n`);
  console.log(`Stored ${stored.source}.`);
  return 0;
});
