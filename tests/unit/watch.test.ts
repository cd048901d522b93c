/** `npm run dev` notices every save, however the editor writes the file. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { watchSources } from "../../scripts/local/watch.ts";

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
  root = fs.mkdtempSync(join(tmpdir(), "watch-"));
  for (const folder of ["functions/player", "lib/domain", "resources"]) {
    fs.mkdirSync(path(folder), { recursive: true });
  }
  write("serverless.yml", "service: x");
  write(CLOCK, "0");
});
afterEach(() => fs.rmSync(root, { recursive: true }));

/** The files that change by an action; without a change the test times out. */
const changedBy = async (changes: AsyncGenerator<string[]>, action: () => void): Promise<string[]> => {
  action();
  return (await changes.next()).value;
};

const EDITORS: [string, (text: string) => void][] = [
  ["renames a new file", (text) => replace(CLOCK, text)],
  ["writes into the file", (text) => write(CLOCK, text)],
  ["is sed -i", (text) => execFileSync("sed", [...SED_IN_PLACE, `s/.*/${text}/`, path(CLOCK)])],
  ["moves the old file away", (text) => [rename(CLOCK, `${CLOCK}~`), write(CLOCK, text)]],
];

it.each(EDITORS)("notices two saves of one file by an editor that %s", async (_, save) => {
  const changes = watchSources({ root });
  for (const text of ["1", "2"]) expect(await changedBy(changes, () => save(text))).toEqual([CLOCK]);
});

it("notices a replacement of the same size and time", async () => {
  write(`${CLOCK}.tmp`, "1");
  for (const name of [CLOCK, `${CLOCK}.tmp`]) fs.utimesSync(path(name), 0, 0);
  const changes = watchSources({ root });
  expect(await changedBy(changes, () => rename(`${CLOCK}.tmp`, CLOCK))).toEqual([CLOCK]);
});

it("notices new, changed, moved and removed files, also in new folders", async () => {
  const changes = watchSources({ root });
  const [file, moved] = ["functions/vote/deep/cast.ts", "functions/poll/deep/cast.ts"];
  const made = await changedBy(changes, () => {
    fs.mkdirSync(path("functions/vote/deep"), { recursive: true });
    write(file, "1");
  });
  expect(made).toEqual([file]);
  const cases: [() => void, string[]][] = [
    [() => write(file, "22"), [file]],
    [() => replace(file, "3"), [file]],
    [() => rename("functions/vote", "functions/poll"), [moved, file]],
    [() => fs.rmSync(path("functions/poll"), { recursive: true }), [moved]],
    [() => fs.rmSync(path(CLOCK)), [CLOCK]],
    [() => replace("serverless.yml", "service: y"), ["serverless.yml"]],
  ];
  for (const [action, files] of cases) expect(await changedBy(changes, action)).toEqual(files);
});

it("yields all files of a checkout together", async () => {
  const git = (...args: string[]): void => {
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    execFileSync("git", [...author, ...args], { cwd: root, stdio: "pipe" });
  };
  const names = Array.from({ length: 100 }, (_, n) => `lib/domain/rule${n}.ts`).toSorted();
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "One file");
  for (const name of names) write(name, "1");
  const changes = watchSources({ root });
  expect(await changedBy(changes, () => git("stash", "-qu"))).toEqual(names);
  expect(await changedBy(changes, () => git("stash", "pop", "-q"))).toEqual(names);
  expect(await changedBy(changes, () => write(names[0] ?? "", "22"))).toEqual([names[0]]);
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
