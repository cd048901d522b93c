/** `npm run dev` sees every save, whatever the editor does to the file. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchSources } from "../../scripts/local/watch.ts";

let root = "";
const path = (name: string): string => join(root, name);
const write = (name: string, text: string): void => writeFileSync(path(name), text);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "watch-"));
  for (const folder of ["functions/player", "lib/domain", "resources"]) {
    mkdirSync(path(folder), { recursive: true });
  }
  write("serverless.yml", "service: x");
  write("lib/domain/clock.ts", "0");
});
afterEach(() => rmSync(root, { recursive: true }));

/** What is seen of one deed; the test ends by its time limit when nothing is. */
const seen = async (changes: AsyncGenerator<string[]>, deed: () => void): Promise<string[]> => {
  deed();
  return (await changes.next()).value;
};

const saveByRename = (name: string, text: string): void => {
  write(`${name}.tmp`, text);
  renameSync(path(`${name}.tmp`), path(name));
};

describe("the watch of the sources", () => {
  const SAVES: [how: string, save: (text: string) => void][] = [
    ["writes a new file and renames it", (text) => saveByRename("lib/domain/clock.ts", text)],
    ["truncates the file and writes it", (text) => write("lib/domain/clock.ts", text)],
    ["is sed -i", (text) => execFileSync("sed", ["-i", `s/.*/${text}/`, path("lib/domain/clock.ts")])],
    [
      "moves the file away and writes a new one, as vim may",
      (text) => {
        renameSync(path("lib/domain/clock.ts"), path("lib/domain/clock.ts~"));
        write("lib/domain/clock.ts", text);
      },
    ],
  ];

  it.each(SAVES)("sees five saves of one file by an editor that %s", async (_, save) => {
    const changes = watchSources({ root });
    for (let n = 1; n <= 5; n += 1) {
      expect(await seen(changes, () => save(`${n}`))).toEqual(["lib/domain/clock.ts"]);
    }
  });

  it("sees a replacement with the size and the time of the file before", async () => {
    const time = new Date("2026-01-01");
    utimesSync(path("lib/domain/clock.ts"), time, time);
    const changes = watchSources({ root });
    write("lib/domain/clock.ts.tmp", "1");
    utimesSync(path("lib/domain/clock.ts.tmp"), time, time);
    renameSync(path("lib/domain/clock.ts.tmp"), path("lib/domain/clock.ts"));
    expect((await changes.next()).value).toEqual(["lib/domain/clock.ts"]);
  });

  it("sees new files in new folders, what is written there later, and what is moved or removed", async () => {
    const changes = watchSources({ root });
    const made = await seen(changes, () => {
      mkdirSync(path("functions/vote/deep"), { recursive: true });
      write("functions/vote/deep/cast.ts", "1");
    });
    expect(made).toEqual(["functions/vote/deep/cast.ts"]);
    expect(await seen(changes, () => write("functions/vote/deep/cast.ts", "22"))).toEqual(made);
    expect(await seen(changes, () => saveByRename("functions/vote/deep/cast.ts", "3"))).toEqual(made);
    expect(await seen(changes, () => renameSync(path("functions/vote"), path("functions/poll")))).toEqual([
      "functions/poll/deep/cast.ts",
      ...made,
    ]);
    const removed = await seen(changes, () => rmSync(path("functions/poll"), { recursive: true }));
    expect(removed).toEqual(["functions/poll/deep/cast.ts"]);
    const file = await seen(changes, () => rmSync(path("lib/domain/clock.ts")));
    expect(file).toEqual(["lib/domain/clock.ts"]);
    expect(await seen(changes, () => saveByRename("serverless.yml", "service: y"))).toEqual([
      "serverless.yml",
    ]);
  });

  it("yields the files of one checkout at once", async () => {
    const git = (...args: string[]): void => {
      const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
      execFileSync("git", [...author, ...args], { cwd: root, stdio: "pipe" });
    };
    const names = Array.from({ length: 300 }, (_, n) => `lib/domain/rule${n}.ts`).toSorted();
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-qm", "One file");
    git("checkout", "-qb", "more");
    for (const name of names) write(name, "1");
    git("add", ".");
    git("commit", "-qm", "Many files");
    const changes = watchSources({ root });
    expect(await seen(changes, () => git("checkout", "-q", "main"))).toEqual(names);
    expect(await seen(changes, () => git("checkout", "-q", "more"))).toEqual(names);
    expect(await seen(changes, () => write(names[0] ?? "", "22"))).toEqual([names[0]]);
  });

  it("waits while files still change, and yields them together", async () => {
    let writes = 0;
    const pause = async (): Promise<void> => {
      writes += 1;
      if (writes <= 4) write(`lib/domain/rule${writes}.ts`, "1");
    };
    const { value } = await watchSources({ root, pause }).next();
    expect(value).toEqual([1, 2, 3, 4].map((n) => `lib/domain/rule${n}.ts`));
  });

  it("yields what changed between two names, and nothing that is no source", async () => {
    const changes = watchSources({ root });
    appendFileSync(path("lib/domain/clock.ts"), "1");
    await changes.next();
    write("lib/domain/alias.ts", "1");
    for (const name of [".clock.ts.swp", "4913", "clock.ts~", ".#clock.ts", "clock.ts___jb_tmp___"]) {
      write(`lib/domain/${name}`, "1");
    }
    write("README.md", "1");
    expect((await changes.next()).value).toEqual(["lib/domain/alias.ts"]);
  });
});
