/** `npm run dev` notices every save, however the editor writes the file. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { watchSources } from "../../scripts/local/watch.ts";
import { tempDirOfTest } from "../support/tempDir.ts";

const CLOCK = "lib/domain/clock.ts";
/** The sed of macOS demands a suffix for a backup. */
const SED_IN_PLACE = process.platform === "darwin" ? ["-i", ""] : ["-i"];

let root = "";
const path = (name: string): string => join(root, name);
const write = (name: string, text: string): void => fs.writeFileSync(path(name), text);
const rename = (from: string, to: string): void => fs.renameSync(path(from), path(to));
const replace = (name: string, text: string): void => {
  write(`${name}.tmp`, text);
  rename(`${name}.tmp`, name);
};

beforeEach(() => {
  root = tempDirOfTest();
  for (const folder of ["functions/player", "lib/domain", "resources"]) {
    fs.mkdirSync(path(folder), { recursive: true });
  }
  write("serverless.yml", "service: x");
  write(CLOCK, "0");
});

/** The files that change by an action; without a change the test times out. */
const changedBy = async (changes: AsyncGenerator<string[]>, action: () => void): Promise<string[]> => {
  action();
  return (await changes.next()).value;
};

const [FILE, MOVED] = ["functions/vote/deep/cast.ts", "functions/poll/deep/cast.ts"];

it("notices every save, however the editor writes the file, and new, moved and removed files", async () => {
  const changes = watchSources({ root });
  const cases: [() => void, string[]][] = [
    [() => replace(CLOCK, "1"), [CLOCK]],
    [() => write(CLOCK, "33"), [CLOCK]],
    [() => execFileSync("sed", [...SED_IN_PLACE, "s/.*/4/", path(CLOCK)]), [CLOCK]],
    [() => [rename(CLOCK, `${CLOCK}~`), write(CLOCK, "5")], [CLOCK]],
    [() => [fs.mkdirSync(path("functions/vote/deep"), { recursive: true }), write(FILE, "1")], [FILE]],
    [() => rename("functions/vote", "functions/poll"), [MOVED, FILE]],
    [() => fs.rmSync(path("functions/poll"), { recursive: true }), [MOVED]],
    [() => replace("serverless.yml", "service: y"), ["serverless.yml"]],
  ];
  for (const [action, files] of cases) expect(await changedBy(changes, action)).toEqual(files);
});

it("notices a replacement of the same size and time", async () => {
  write(`${CLOCK}.tmp`, "1");
  for (const name of [CLOCK, `${CLOCK}.tmp`]) fs.utimesSync(path(name), 0, 0);
  const changes = watchSources({ root });
  expect(await changedBy(changes, () => rename(`${CLOCK}.tmp`, CLOCK))).toEqual([CLOCK]);
});

it("waits while files still change", async () => {
  let writes = 0;
  const pause = async (): Promise<void> => {
    writes += 1;
    if (writes <= 4) write(`lib/domain/rule${writes}.ts`, "1");
  };
  const { value } = await watchSources({ root, pause }).next();
  expect(value).toEqual([1, 2, 3, 4].map((n) => `lib/domain/rule${n}.ts`));
});

it("keeps changes until they are read, and ignores files that are no sources", async () => {
  const changes = watchSources({ root });
  await changedBy(changes, () => write(CLOCK, "1"));
  const names = "alias.ts .clock.ts.swp 4913 clock.ts~ .#clock.ts clock.ts___jb_tmp___".split(" ");
  for (const name of names) write(`lib/domain/${name}`, "1");
  write("README.md", "1");
  expect((await changes.next()).value).toEqual(["lib/domain/alias.ts"]);
});
