/** `npm run test:battery`: runs the random and exhaustive tests at full scale and reports the results. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { runCommand } from "../cli/command.ts";
import { numberOption } from "../cli/numberOption.ts";
import { UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const BATTERY_PROJECT = [...VITEST, "--project", "battery", "--project", "mocks"];

/** The arguments of Node.js that run each part. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  model: [...BATTERY_PROJECT, "tests/battery/model"],
  races: [...BATTERY_PROJECT, "tests/battery/races"],
  faults: [...BATTERY_PROJECT, "tests/battery/faults"],
  fuzz: [...BATTERY_PROJECT, "tests/battery/fuzz"],
  access: [...BATTERY_PROJECT, "tests/battery/access"],
  pictures: [...BATTERY_PROJECT, "tests/battery/pictures"],
  time: [...BATTERY_PROJECT, "tests/battery/time"],
  visibility: [...BATTERY_PROJECT, "tests/battery/visibility"],
  previews: [...BATTERY_PROJECT, "tests/battery/previews"],
  crowds: [...VITEST, "--project", "service", "tests/behaviour/bulk", "tests/behaviour/delivery"],
  emulator: ["scripts/commands/emulator.ts"],
  mutants: ["scripts/commands/mutants.ts"],
};

const HELP = `Runs the battery, the random and exhaustive tests, at full scale. That takes hours on two cores. \`npm test\` runs it at
a three-hundredth of the scale.

  npm run test:battery                         all parts, one after the other
  npm run test:battery -- model faults         only these parts
  npm run test:battery -- model --seed 12      repeats a run with the seed that it printed
  npm run test:battery -- faults --rounds 5    up to five times with new seeds; ends after a failure
  npm run test:battery -- --tenth              at a tenth of the full scale
  npm run test:battery -- --write              writes the results into docs/battery.md if all parts pass

Parts: ${Object.keys(PARTS).join(", ")}.
The output of each part is written to .local/battery/PART.log. The exit code is 1 if a part fails.
`;

const OUTPUT = join(ROOT, ".local/battery");
const DOCUMENT = join(ROOT, "docs/battery.md");
const [BEGIN, END] = ["<!-- result -->", "<!-- end of result -->"];

const Recorded = z.object({
  name: z.string(),
  cases: z.int(),
  of: z.string(),
  seed: z.int(),
  seconds: z.int(),
  more: z.string(),
});
type Recorded = z.infer<typeof Recorded>;

interface PartResult {
  part: string;
  isClean: boolean;
  seconds: number;
  /** The recorded cases; empty if the part failed before it recorded any. */
  recorded: Recorded[];
}

const readRecord = async (file: string): Promise<Recorded[]> => {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Recorded.parse(JSON.parse(line)));
};

const minutes = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;

/** Shows the elapsed time of a part at a terminal; the remaining time is unknown. */
const showElapsedTime = (part: string): (() => void) => {
  const began = Date.now();
  if (!process.stderr.isTTY) return () => {};
  const timer = setInterval(() => {
    process.stderr.write(`\r\x1b[K${part}: ${minutes(Math.round((Date.now() - began) / 1_000))}`);
  }, 1_000);
  return () => {
    clearInterval(timer);
    process.stderr.write("\r\x1b[K");
  };
};

let running: Child | undefined;

const runPart = async (part: string, env: NodeJS.ProcessEnv): Promise<PartResult> => {
  const record = join(OUTPUT, `${part}.jsonl`);
  const log = join(OUTPUT, `${part}.log`);
  await rm(record, { force: true });
  const began = Date.now();
  const output: string[] = [];
  const stopElapsedTime = showElapsedTime(part);
  running = await spawnChild([process.execPath, ...(PARTS[part] ?? [])], {
    env: { ...process.env, ...env, BATTERY_RECORD: record, NO_COLOR: "1" },
    onLine: (line) => output.push(line),
  });
  const end = await running.ended;
  running = undefined;
  stopElapsedTime();
  await writeFile(log, `${output.join("\n")}\n`);
  const recorded = await readRecord(record);
  const seconds = Math.round((Date.now() - began) / 1_000);
  const isClean = end === "exit code 0";
  console.log(`${isClean ? "clean " : "FAILED"}  ${part}, ${minutes(seconds)}`);
  for (const { name, cases, of, seed, more } of recorded) {
    const detail = more === "" ? "" : `; ${more}`;
    console.log(`        ${name}: ${cases.toLocaleString("en")} ${of}, seed ${seed}${detail}`);
  }
  if (!isClean)
    console.log(`${output.slice(-40).join("\n")}\n\n${part} ended with ${end}. Complete output: ${log}`);
  return { part, isClean, seconds, recorded };
};

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The table rows of a part, one per record. Each starts with the name of the part. */
const rowsOf = ({ part, seconds, recorded }: PartResult): string[] => {
  const day = new Date().toISOString().slice(0, 10);
  if (recorded.length === 0) return [`| ${part} | all | | ${day} | ${minutes(seconds)} | |`];
  return recorded.map(({ name, cases, of, seed, seconds: took, more }) => {
    const label = name.startsWith(part) ? name : `${part}: ${name}`;
    const ran = `${cases.toLocaleString("en")} ${cell(of)}`;
    return `| ${label} | ${ran} | ${seed} | ${day} | ${minutes(took)} | ${cell(more)} |`;
  });
};

const HEAD = ["| part | cases that ran | seed | day | time | details |", "|---|---|---|---|---|---|"];

/** Replaces the rows of these parts in the document; other rows stay. */
const write = async (results: readonly PartResult[]): Promise<void> => {
  const text = await readFile(DOCUMENT, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end === -1) throw new UserError(`docs/battery.md has no ${BEGIN} … ${END}.`);
  const old = text.slice(begin, end).split("\n");
  const rows = Object.keys(PARTS).flatMap((part) => {
    const result = results.findLast((one) => one.part === part);
    return result === undefined ? old.filter((line) => line.startsWith(`| ${part}`)) : rowsOf(result);
  });
  await writeFile(
    DOCUMENT,
    `${text.slice(0, begin)}${[BEGIN, ...HEAD, ...rows].join("\n")}\n${text.slice(end)}`,
  );
};

process.once("SIGINT", () => {
  running?.kill();
  process.exit(130);
});

const USAGE = {
  help: HELP,
  options: {
    seed: { type: "string" },
    rounds: { type: "string", default: "1" },
    tenth: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
  takesNames: true,
} as const;

await runCommand(USAGE, async (values, positionals) => {
  for (const part of positionals) {
    if (PARTS[part] === undefined) {
      throw new UserError(`There is no part ${part}. The parts are ${Object.keys(PARTS).join(", ")}.`);
    }
  }
  if (values.write && values.tenth)
    throw new UserError("--write needs a run at full scale, without --tenth.");
  const seed = values.seed === undefined ? undefined : numberOption("seed", values.seed, 0, 0x7fff_ffff);
  const rounds = numberOption("rounds", values.rounds, 1, 1_000);
  const env = {
    ...(values.tenth ? { TEST_SCALE: "", BATTERY_DIVISOR: "10" } : { TEST_SCALE: "battery" }),
    ...(seed === undefined ? {} : { BATTERY_SEED: `${seed}` }),
  };
  await mkdir(OUTPUT, { recursive: true });
  const results: PartResult[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const part of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
      results.push(await runPart(part, env));
    }
    if (results.some(({ isClean }) => !isClean)) break;
  }
  const failed = results.filter(({ isClean }) => !isClean);
  console.log(
    failed.length === 0
      ? `Clean: ${results.length} parts.`
      : `Failed: ${failed.map(({ part }) => part).join(", ")}.`,
  );
  if (values.write && failed.length === 0) await write(results);
  return failed.length === 0 ? 0 : 1;
});
