/** What a deploy does before it changes anything, packaging and validation, is done once for the same input. */
import childProcess, { type SpawnOptions } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  RegoEngine,
  type StandardReport,
  type TemplateFile,
  type ValidateConfig,
} from "@aws/cloudformation-validate";
import { afterAll, beforeAll } from "vitest";
import { PACKAGE } from "../../scripts/cloud/framework.ts";
import { replaceSpawn } from "./runScript.ts";

/** The name of a package: its time, in milliseconds and as a date. */
const STAMP = /\d{13}-\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** What packaging does not read: credentials and addresses of AWS and, with ZIPS_OF, the earlier pages. */
const UNREAD = /^(EARLIER_PAGES|AWS_(?!REGION$).*)$/;

/** Lets the framework package once for the same settings; later its files are written again, under a new time. */
export const usePackagedOnce = () => {
  const packages = new Map<string, { files: [name: string, text: string][]; output: string }>();
  const reports = new Map<string, StandardReport>();
  let earlierPages: Buffer | undefined;
  const { spawn } = childProcess;
  const { validateStandard } = RegoEngine.prototype;

  const spawnOnce = (command: string, args: string[], options: SpawnOptions) => {
    if (args[1] !== "package") return spawn(command, args, options);
    const { EARLIER_PAGES } = options.env ?? {};
    earlierPages = EARLIER_PAGES === undefined ? undefined : readFileSync(EARLIER_PAGES);
    const read = Object.entries(options.env ?? {}).flatMap(([name, value]) => {
      if (UNREAD.test(name)) return [];
      // Of the code, packaging reads only whether there is one.
      return [[name, name === "JOIN_CODE" ? value !== "" : value]];
    });
    const key = JSON.stringify([args, read.toSorted()]);
    const known = packages.get(key);
    if (known !== undefined) {
      const now = new Date();
      const stamp = `${now.getTime()}-${now.toISOString()}`;
      rmSync(PACKAGE, { recursive: true, force: true });
      mkdirSync(PACKAGE);
      for (const [name, text] of known.files)
        writeFileSync(join(PACKAGE, name), text.replaceAll(STAMP, stamp));
      return spawn("printf", ["%s", known.output], options);
    }
    const child = spawn(command, args, options);
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => said.push(chunk.toString()));
    child.once("close", (code) => {
      const contentOf = (name: string): [string, string] => [name, readFileSync(join(PACKAGE, name), "utf8")];
      if (code === 0)
        packages.set(key, { files: readdirSync(PACKAGE).map(contentOf), output: said.join("") });
    });
    return child;
  };

  beforeAll(() => {
    replaceSpawn(spawnOnce);
    RegoEngine.prototype.validateStandard = function (template: TemplateFile, config?: ValidateConfig) {
      const text = readFileSync(template.path, "utf8").replaceAll(STAMP, "");
      const key = JSON.stringify([text, config]);
      const report = reports.get(key) ?? validateStandard.call(this, template, config);
      reports.set(key, report);
      return report;
    };
  });
  afterAll(() => {
    RegoEngine.prototype.validateStandard = validateStandard;
    replaceSpawn(spawn);
  });
  /** The zip of earlier pages that the last packaging was given. */
  return { earlierPages: () => earlierPages };
};
