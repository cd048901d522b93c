/** `npm run bench`: how fast it is, on this machine, and what it costs. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand, UserError } from "../scripts/cli/userError.ts";
import { ROOT } from "../scripts/project/root.ts";

interface Part {
  says: string;
  /** @returns whether every exact figure keeps its bound; throws when something answered wrongly */
  run: (quick: boolean) => Promise<boolean>;
}

// Loaded by whoever asks for it, for each must not weigh on the other.
const PARTS: Record<string, Part> = {
  cold: {
    says: "a fresh process loads its bundle and answers a hunt; how large the bundles are",
    run: async (quick) => (await import("./cold.ts")).coldBench(quick),
  },
  warm: {
    says: "what a request costs a warm function in CPU",
    run: async (quick) => (await import("./warm.ts")).warmBench(quick),
  },
  http: {
    says: "requests over HTTP to `npm start` on the embedded engine",
    run: async (quick) => (await import("./http.ts")).httpBench(quick),
  },
  capacity: {
    says: "read and write units of each operation, as the engine counts them",
    run: async (quick) => (await import("./capacity.ts")).capacityBench(quick),
  },
  bulk: {
    says: "sweep, feed, add a day and kill all, by how many they concern and how many there are",
    run: async (quick) => (await import("./bulk.ts")).bulkBench(quick),
  },
  scale: {
    says: "a million players in a week, against a model of DynamoDB's partitions and transactions",
    run: async (quick) => (await import("./scale.ts")).scaleBench(quick),
  },
  lists: {
    says: "leaderboard, users, interactions, starvation list and tree, by how many players there are",
    run: async (quick) => (await import("./lists.ts")).listsBench(quick),
  },
  login: {
    says: "logins, beside the hash that no login can do without",
    run: async (quick) => (await import("./login.ts")).loginBench(quick),
  },
  push: {
    says: "messages to a push service, beside the library web-push and beside encryption alone",
    run: async (quick) => (await import("./push.ts")).pushBench(quick),
  },
};

/** What the parts start beside themselves. */
const BESIDE: Record<string, () => Promise<void>> = {
  tls: async () => (await import("./support/tls.ts")).runTls(),
  "http-ours": async () => (await import("./http/ours.ts")).runOurs(),
  "push-sink": async () => (await import("./push/sink.ts")).runSink(),
  "push-subject": async () => (await import("./push/subject.ts")).runSubject(),
};

const HELP = `Measures, and checks what it measures. Each part prints a table and writes bench/results/PART.json.

  npm run bench                  all parts, one after the other
  npm run bench -- PART …        some of them
  npm run bench -- --quick       few of everything, within a minute: whether it works, not how fast it is; written
                                 to bench/results/PART.quick.json
  npm run bench -- --write       and writes the tables into docs/performance.md

${Object.entries(PARTS)
  .map(([name, { says }]) => `  ${name.padEnd(10)}${says}`)
  .join("\n")}

What is compared runs in turns, in at least five rounds; shown are medians, with the least and the most. Where there
are two cores, driver and subject have one each. Rounds in which others had more than a twentieth of the machine are
left out where five others are there: let nothing else run. Exits with 1 on a wrong answer, or on a size or a
capacity over its bound; never on a time.
`;

/** One part after the other, each in a process of its own: none is to be measured in what another has left. */
const runParts = (names: readonly string[], quick: boolean): number => {
  const failed = names.filter((name) => {
    const options = [join(ROOT, "bench/main.ts"), name, ...(quick ? ["--quick"] : [])];
    return spawnSync(process.execPath, options, { stdio: "inherit" }).status !== 0;
  });
  if (failed.length > 0) console.error(`\nWrong, or over a bound: ${failed.join(", ")}.`);
  return failed.length === 0 ? 0 : 1;
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const names = positionals.length === 0 ? Object.keys(PARTS) : positionals;
  const [first = ""] = names;
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  const beside = BESIDE[first];
  if (beside !== undefined) {
    await beside();
    return 0;
  }
  const unknown = names.find((name) => PARTS[name] === undefined);
  if (unknown !== undefined) {
    throw new UserError(`There is no bench ${unknown}: say ${Object.keys(PARTS).join(", ")}.`);
  }
  if (values.write && values.quick) {
    throw new UserError("A quick run says nothing of times: --write is for a full one.");
  }
  (await import("./support/peers.ts")).installPeers();
  const part = names.length === 1 ? PARTS[first] : undefined;
  const code = part === undefined ? runParts(names, values.quick) : (await part.run(values.quick)) ? 0 : 1;
  if (values.write) await (await import("./support/document.ts")).writeDocument(names);
  return code;
};

await runCommand(main);
process.exit();
