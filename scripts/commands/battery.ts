/** `npm run test:battery`: every part of the battery at its full figure, one after the other, and what came of it. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { type Child, spawnChild } from "../cli/childProcess.ts";
import { runCommand, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const OF_BATTERY = [...VITEST, "--project", "battery"];

/** What each part runs, on this Node.js. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  model: [...OF_BATTERY, "tests/battery/model"],
  races: [...OF_BATTERY, "tests/battery/races"],
  faults: [...OF_BATTERY, "tests/battery/faults"],
  fuzz: [...OF_BATTERY, "tests/battery/fuzz"],
  access: [...OF_BATTERY, "tests/battery/access"],
  pictures: [...OF_BATTERY, "tests/battery/pictures"],
  names: [...OF_BATTERY, "tests/battery/names"],
  time: [...OF_BATTERY, "tests/battery/time"],
  crowds: [
    ...[...VITEST, "--project", "behaviour"],
    ...["tests/behaviour/inside/bulk", "tests/behaviour/inside/pushCrowd"],
    ...["tests/behaviour/checkpoint", "tests/behaviour/administration"],
  ],
  emulator: ["scripts/commands/emulator.ts"],
  mutants: ["scripts/commands/mutants.ts"],
};

const HELP = `Runs the battery at its full figures: hours on two cores. \`npm test\` runs a fiftieth of it.

  npm run test:battery                         every part, one after the other
  npm run test:battery -- model faults         these parts
  npm run test:battery -- model --seed 12      with a seed that a run has printed, to see again what it saw
  npm run test:battery -- faults --rounds 5    again and again, each time from a fresh seed, until one is not clean
  npm run test:battery -- --tenth              a tenth of the figures
  npm run test:battery -- --write              and writes what came of it into docs/battery.md, where all was clean

Parts: ${Object.keys(PARTS).join(", ")}.
What each says goes to .local/battery/PART.log. Exits with 1 when anything is not as it should be.
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

interface Outcome {
  part: string;
  isClean: boolean;
  seconds: number;
  /** What its cases were; none where the part failed before it had any. */
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

/** Says on a terminal how long a part has been at it; the time alone, for a part knows no end beforehand. */
const startTicking = (part: string): (() => void) => {
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

const runPart = async (part: string, env: NodeJS.ProcessEnv): Promise<Outcome> => {
  const record = join(OUTPUT, `${part}.jsonl`);
  const log = join(OUTPUT, `${part}.log`);
  await rm(record, { force: true });
  const began = Date.now();
  const said: string[] = [];
  const stopTicking = startTicking(part);
  running = await spawnChild([process.execPath, ...(PARTS[part] ?? [])], {
    env: { ...process.env, ...env, BATTERY_RECORD: record, NO_COLOR: "1" },
    onLine: (line) => said.push(line),
  });
  const end = await running.ended;
  running = undefined;
  stopTicking();
  await writeFile(log, `${said.join("\n")}\n`);
  const recorded = await readRecord(record);
  const seconds = Math.round((Date.now() - began) / 1_000);
  const isClean = end === "exit code 0";
  console.log(`${isClean ? "clean " : "FAILED"}  ${part}, ${minutes(seconds)}`);
  for (const { name, cases, of, seed, more } of recorded) {
    const detail = more === "" ? "" : `; ${more}`;
    console.log(`        ${name}: ${cases.toLocaleString("en")} ${of}, seed ${seed}${detail}`);
  }
  if (!isClean) console.log(`${said.slice(-40).join("\n")}\n\n${part} ended with ${end}; all of it: ${log}`);
  return { part, isClean, seconds, recorded };
};

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** One line of the document for each of a part's records; each begins with the part's own name. */
const rowsOf = ({ part, seconds, recorded }: Outcome): string[] => {
  const day = new Date().toISOString().slice(0, 10);
  if (recorded.length === 0) return [`| ${part} | all | | ${day} | ${minutes(seconds)} | |`];
  return recorded.map(({ name, cases, of, seed, seconds: took, more }) => {
    const label = name.startsWith(part) ? name : `${part}: ${name}`;
    const ran = `${cases.toLocaleString("en")} ${cell(of)}`;
    return `| ${label} | ${ran} | ${seed} | ${day} | ${minutes(took)} | ${cell(more)} |`;
  });
};

const HEAD = ["| part | cases that ran | seed | day | time | beside that |", "|---|---|---|---|---|---|"];

/** Puts what came of these parts in the place of what the document said of them; the others stay. */
const write = async (outcomes: readonly Outcome[]): Promise<void> => {
  const text = await readFile(DOCUMENT, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end === -1) throw new UserError(`docs/battery.md has no ${BEGIN} … ${END}.`);
  const old = text.slice(begin, end).split("\n");
  const rows = Object.keys(PARTS).flatMap((part) => {
    const outcome = outcomes.findLast((one) => one.part === part);
    return outcome === undefined ? old.filter((line) => line.startsWith(`| ${part}`)) : rowsOf(outcome);
  });
  await writeFile(
    DOCUMENT,
    `${text.slice(0, begin)}${[BEGIN, ...HEAD, ...rows].join("\n")}\n${text.slice(end)}`,
  );
};

const wholeNumber = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw new UserError(`--${name} is a whole number.`);
  return Number(text);
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean", default: false },
      seed: { type: "string" },
      rounds: { type: "string", default: "1" },
      tenth: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  for (const part of positionals) {
    if (PARTS[part] === undefined) {
      throw new UserError(`There is no part ${part}: say ${Object.keys(PARTS).join(", ")}.`);
    }
  }
  if (values.write && values.tenth) throw new UserError("Only the full figures are worth writing down.");
  const seed = wholeNumber(values.seed, "seed");
  const rounds = wholeNumber(values.rounds, "rounds") ?? 1;
  const env = {
    ...(values.tenth ? { TEST_SCALE: "", BATTERY_DIVISOR: "10" } : { TEST_SCALE: "battery" }),
    ...(seed === undefined ? {} : { BATTERY_SEED: `${seed}` }),
  };
  await mkdir(OUTPUT, { recursive: true });
  const outcomes: Outcome[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const part of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
      outcomes.push(await runPart(part, env));
    }
    if (outcomes.some(({ isClean }) => !isClean)) break;
  }
  const failed = outcomes.filter(({ isClean }) => !isClean);
  console.log(
    failed.length === 0
      ? `Clean: ${outcomes.length} parts.`
      : `Not clean: ${failed.map(({ part }) => part).join(", ")}.`,
  );
  if (values.write && failed.length === 0) await write(outcomes);
  return failed.length === 0 ? 0 : 1;
};

process.once("SIGINT", () => {
  running?.kill();
  process.exit(130);
});
await runCommand(main);
