/** `npm run bench`: measures speed, capacity units and bytes of the service on this machine. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../scripts/cli/command.ts";
import { UserError } from "../scripts/cli/userError.ts";
import { ROOT } from "../scripts/project/root.ts";
import type { Bench } from "./support/report.ts";

/** Imported on demand, so that no part slows down another. */
type LoadPart = () => Promise<{ bench: Bench }>;

const PARTS: Record<string, LoadPart> = {
  cold: () => import("./cold.ts"),
  warm: () => import("./warm.ts"),
  http: () => import("./http.ts"),
  capacity: () => import("./capacity.ts"),
  bulk: () => import("./bulk.ts"),
  scale: () => import("./scale.ts"),
  lists: () => import("./lists.ts"),
  login: () => import("./login.ts"),
  routes: () => import("./routes.ts"),
  web: () => import("./web.ts"),
  push: () => import("./push.ts"),
};

/** The parts that compare the service with packages of their own. */
const WITH_PEERS = ["cold", "warm", "http"];

/** Helper processes of the parts. */
const HELPERS: Record<string, () => Promise<void>> = {
  tls: async () => (await import("./support/tls.ts")).runTls(),
  "http-server": async () => (await import("./http.ts")).runServer(),
  "http-fastify": async () => (await import("./http.ts")).runFastify(),
  "push-sink": async () => (await import("./push/sink.ts")).runSink(),
  "push-sender": async () => (await import("./push/sender.ts")).runSender(),
};

const HELP = `Measures the service, and checks its responses. Each part prints tables and writes bench/results/PART.json.

  npm run bench                  all parts, one after the other
  npm run bench -- PART …        only these parts
  npm run bench -- --quick       checks responses and bounds within a minute; writes bench/results/PART.quick.json
  npm run bench -- --write       also records the results in bench/figures, and writes them into the documentation

  cold      a new process that loads a bundle and responds to a hunt; sizes of the bundles
  warm      CPU time of a request in a warm function
  http      requests over HTTP to \`npm start\`, compared with functions written by hand and with Fastify
  capacity  read and write units of each operation, as the engine counts them
  bulk      bulk commands: sweep, feed, add a day, kill all, invitations; by number of players
  scale     simulates a million players on a model of DynamoDB's partitions and transactions
  lists     leaderboard, users, interactions, starvation list and tree, by number of players
  login     logins, compared with the password hash alone; times for known and unknown accounts
  routes    the most that a request of each route costs: units and bytes, also without a token
  web       the web app in Chromium: bytes of script, first paint, a large outbreak
  push      push messages, compared with the library web-push and with encryption alone

Close other programs first: rounds in which they use more than 5 % of the machine are dropped, unless fewer than five
rounds are left. Tables show the median, minimum and maximum.
The exit code is 1 if a response is wrong, or if a size or the capacity units exceed their bound; times never cause it.
`;

/** Runs each part in a new process, so that none affects another. */
const runParts = (names: readonly string[], quick: boolean): number => {
  const failed = names.filter((name) => {
    const options = [join(ROOT, "bench/main.ts"), name, ...(quick ? ["--quick"] : [])];
    return spawnSync(process.execPath, options, { stdio: "inherit" }).status !== 0;
  });
  if (failed.length > 0) console.error(`\nFailed or exceeded a bound: ${failed.join(", ")}.`);
  return failed.length === 0 ? 0 : 1;
};

/** Runs one part in this process. @returns the exit code */
const runPart = async (name: string, load: LoadPart, quick: boolean): Promise<number> => {
  const { publish } = await import("./support/report.ts");
  const cleanups = new AsyncDisposableStack();
  try {
    const { bench } = await load();
    const report = await bench(quick, cleanups);
    await publish(name, quick, report);
    return report.met ? 0 : 1;
  } finally {
    await cleanups.disposeAsync();
  }
};

const USAGE = {
  help: HELP,
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
  takesNames: true,
} as const;

await runCommand(USAGE, async (values, positionals) => {
  const names = positionals.length === 0 ? Object.keys(PARTS) : positionals;
  const [first = ""] = names;
  const helper = HELPERS[first];
  if (helper !== undefined) {
    await helper();
    return 0;
  }
  const unknown = names.find((name) => PARTS[name] === undefined);
  if (unknown !== undefined) {
    throw new UserError(`There is no bench ${unknown}. Available: ${Object.keys(PARTS).join(", ")}.`);
  }
  if (values.write && values.quick) {
    throw new UserError("--write needs a full run: the times of a quick run mean nothing.");
  }
  if (!existsSync("/proc/stat")) {
    throw new UserError("The benches run on Linux only: they read processor times from /proc.");
  }
  if (names.some((name) => WITH_PEERS.includes(name))) (await import("./support/peers.ts")).installPeers();
  const { quick } = values;
  const part = names.length === 1 ? PARTS[first] : undefined;
  const code = part === undefined ? runParts(names, quick) : await runPart(first, part, quick);
  if (values.write) await (await import("./support/record.ts")).recordResults(names);
  return code;
});

process.exit();
