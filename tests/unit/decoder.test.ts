/** The decoder of pictures is loaded by what needs it, when it needs it, and by nothing else. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listedFunctions } from "../../scripts/local/functions.ts";
import { ROOT } from "../support/endpoints.ts";
import { blackPng } from "../support/pictures.ts";

const PICTURE = join(ROOT, "lib/picture/picture.ts");

/** The native libraries of the decoder that a process has loaded after running these lines. */
const loadedBy = (lines: string[]): string[] => {
  const script = [
    ...lines,
    "process.report.excludeNetwork = true;",
    "const { sharedObjects } = process.report.getReport();",
    "console.log(JSON.stringify(sharedObjects.filter((path) => /sharp|vips/.test(path))));",
  ].join("\n");
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(ran.status, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
};

const importing = (file: string): string => `await import(${JSON.stringify(join(ROOT, file))});`;

const making = (file: Buffer): string[] => [
  `const { makePicture } = await import(${JSON.stringify(PICTURE)});`,
  `await makePicture(Buffer.from("${file.toString("base64")}", "base64")).catch(({ code }) => code);`,
];

describe("the decoder of pictures", () => {
  it("is loaded by no function, not even by the one that needs it before the first picture comes", () => {
    const files = listedFunctions().map(({ file }) => file);
    expect(files.length).toBeGreaterThan(30);
    expect(files).toContain("functions/player/set_pfp.ts");
    expect(loadedBy(files.map(importing))).toEqual([]);
  });

  it("is not even loaded for 20,000 by 20,000 pixels, which the header tells", () => {
    const huge = blackPng(20_000, 20_000);
    expect(huge.length).toBeLessThan(50_000);
    expect(loadedBy(making(huge))).toEqual([]);
  });

  it("is loaded for a picture", () => {
    expect(loadedBy(making(blackPng(1, 1))).length).toBeGreaterThan(0);
  });
});
