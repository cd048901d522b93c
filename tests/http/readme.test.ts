/** The README and the pages of docs/ are correct: their commands and examples run, and what they name exists. */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:https";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { TRANSITIONS } from "../../lib/domain/players/states.ts";
import { freePort } from "../../scripts/cli/ports.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { paths } from "../../web/src/paths.ts";
import { makeCertificate } from "../support/certificate.ts";
import { copyTree } from "../support/copiedTree.ts";
import { useFakeAws } from "../support/fakeAws.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { expectSuccess, runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";
import { declareNewFunction } from "./readme/newFunction.ts";

const pathOf = useTempDir();
const aws = useFakeAws();

const run = promisify(execFile);
const read = (path: string) => readFile(join(ROOT, path), "utf8");
const readme = () => read("README.md");

/** One service for all pages, which may send webhooks to this machine. */
let service: RunningService;
let settings: { PORT: string; GAME_FILE: string };
/** The pages' commands write files, so they run in a copy. */
let copy: Awaited<ReturnType<typeof copyTree>>;
const certificate = makeCertificate();
let webhookPort: number;

beforeAll(async () => {
  webhookPort = await freePort();
  const trusted = pathOf("trusted.pem");
  await writeFile(trusted, certificate.cert);
  const GAME_FILE = pathOf("game.db");
  const PUSH_ALLOWED_HOSTS = `127.0.0.1:${webhookPort}`;
  [service, copy] = await Promise.all([
    npmStart({ GAME_FILE, PUSH_ALLOWED_HOSTS, NODE_EXTRA_CA_CERTS: trusted }),
    copyTree(),
  ]);
  settings = { PORT: String(service.port), GAME_FILE };
});
afterAll(async () => {
  await copy.remove();
  expect(await service.stop()).toBe(0);
});

it("the first request of the README and the whole game of a guide can be run as they are, the game also twice", async () => {
  const runLines = async (text: string): Promise<string> => {
    const [, lines = ""] = /<!-- first-[^\n]*\n+```sh\n([\s\S]*?)```/.exec(text) ?? [];
    const { stdout, stderr } = await run("bash", ["--norc", "-euo", "pipefail", "-c", lines], {
      cwd: ROOT,
      env: { ...process.env, ...settings },
    });
    expect(stderr).toBe("");
    return stdout;
  };
  expect(JSON.parse(await runLines(await readme()))).toMatchObject({ alias: "Ada", state: "human" });
  for (const times of [1, 2]) {
    const stdout = await runLines(await read("docs/write-a-client.md"));
    const roots = Array.from({ length: times }, () => ({ alias: "Ada", children: [{ alias: "Ben" }] }));
    const [ada, ben] = ["Ada", "Ben"].map((alias, n) => ({ alias, rank: n + 1 }));
    const players = [
      { ...ada, kills: times, state: "zombie" },
      { ...ben, state: "human" },
    ];
    expect(stdout.match(/^\{.*$/gm)?.map((line) => JSON.parse(line))).toMatchObject([
      ...[{ player: { state: "corpse" } }, { player: { state: "zombie" } }, { prey: { state: "zombie" } }],
      ...[{ size: 2 * times, roots }, { player: { state: "human" } }, { players }],
    ]);
  }
});

/**
 * Skips commands that take minutes. AWS denies every request here, so a command that is denied one is correct. Scripts run
 * without npm, which takes longer than most of them; the game above runs them by it.
 */
const preludeOf = (scripts: object) => `
declare -A SCRIPTS=(${Object.entries(scripts)
  .map(([name, text]) => `[${name}]='${text}'`)
  .join(" ")})
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
script() {
  if [ "$1" = --silent ]; then shift; fi
  local name=$1
  shift
  if [ "\${1-}" = -- ]; then shift; fi
  bash -c "\${SCRIPTS[$name]} \\"\\$@\\"" "$name" "$@"
}
npm() {
  case "$*" in
    ci | start | "run demo" | "run check" | test) ;;
    *--stage* | *--table*)
      if said=$(export $AWS; script "\${@:2}" < /dev/null 2>&1) || ! grep -q 'not allowed: ' <<< "$said"; then
        echo "$said"
        return 1
      fi ;;
    "run "*) script "\${@:2}" ;;
    "test "*) script "$@" ;;
    *) command npm "$@" ;;
  esac
}
aws() { echo "aws $*" >> "$CALLS"; }
`;

/** Applies a diff without line numbers. */
const applyDiff = async (diff: string): Promise<void> => {
  const [, path = "", changes = ""] = /^--- a\/.*\n\+\+\+ b\/(.*)\n([\s\S]+?)\n$/.exec(diff) ?? [];
  const side = (mark: string) =>
    changes
      .split("\n")
      .filter((line) => [" ", mark].includes(line.charAt(0)))
      .map((line) => line.slice(1))
      .join("\n");
  const file = join(copy.root, path);
  const parts = (await readFile(file, "utf8")).split(side("-"));
  expect(parts, `${path}:\n${side("-")}`).toHaveLength(2);
  await writeFile(file, parts.join(side("+")));
};

/** Runs everything that a page shows, in one shell, which waits for `last` at the end. @returns what was printed */
const runPage = async (page: string, given: Record<string, string> = {}, last = ""): Promise<string> => {
  const shell = spawn("bash", ["--norc", "-euo", "pipefail"], {
    cwd: copy.root,
    env: {
      ...{
        ...process.env,
        ...settings,
        TESTS: "",
        npm_config_offline: "true",
        CALLS: pathOf(page),
        ...given,
      },
      AWS: Object.entries(aws.settings)
        .map((one) => one.join("="))
        .join(" "),
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    },
  });
  const ended = new Promise((resolve) => shell.once("close", resolve));
  let said = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  const reach = async (text: string): Promise<void> => {
    while (!said.includes(text) && shell.exitCode === null) await sleep(20);
  };
  shell.stdin.write(preludeOf(JSON.parse(await read("package.json")).scripts));
  const blocks = [...(await read(`docs/${page}.md`)).matchAll(/([^\n]*)\n\n *```(\w*)\n([\s\S]*?)^ *```$/gm)];
  for (const [at, [, before = "", language = "", text = ""]] of blocks.entries()) {
    const [, file] = /^`([\w./-]+)`:$/.exec(before) ?? [];
    if (language === "diff") await applyDiff(text);
    else if (file !== undefined) {
      await mkdir(dirname(join(copy.root, file)), { recursive: true });
      await writeFile(join(copy.root, file), text);
    } else if (language === "sh") {
      const marker = `<block ${at} of ${page}>`;
      const lines = text
        .replace("bot.your-club.org", `127.0.0.1:${webhookPort}`)
        .replace(/--seasons \d+/g, "--seasons 20");
      const block = /test fails:$/.test(before) ? `if ${lines.trim()}; then exit 9; fi` : lines;
      shell.stdin.write(`{\n${block}\n} < /dev/null\necho '${marker}'\n`);
      await reach(marker);
      expect(said, text).toContain(marker);
    }
  }
  await reach(last);
  shell.stdin.end();
  await ended;
  return said;
};

/** The commands of AWS's own tool on a page, such as `wait` of `aws dynamodb wait`. */
const callsOf = async (page: string) =>
  (await readFile(pathOf(page), "utf8")).match(/(?<=^aws \S+ )\S+/gm)?.join(" ");

it("a game can be hosted, run and restored as the pages say", async () => {
  expect(await runPage("host-a-game")).toContain("90 %");
  expect(await runPage("restore")).toContain("items read: no difference");
  expect(await callsOf("restore")).toBe("restore-table-to-point-in-time wait delete-table");
  const days = await runPage("game-day");
  expect(days).toContain("Nothing is wrong");
  expect(days).toMatch(/A new season of .* started/);
});

it("clients can be written as the page says", async () => {
  // The page assumes the game master that an earlier page creates.
  const createAdmin = ["scripts/commands/create-admin.ts", "--alias", "gm"];
  expectSuccess(await runScript(createAdmin, settings, "a password of your own\n"));
  const receiverPort = await freePort();
  const proxy = createServer(certificate, (incoming, outgoing) => {
    const { method, headers } = incoming;
    const receiver = request({ host: "127.0.0.1", port: receiverPort, method, headers }, (answer) =>
      outgoing.writeHead(answer.statusCode ?? 500).end(),
    );
    incoming.pipe(receiver);
  }).listen(webhookPort, "127.0.0.1");
  onTestFinished(() => void proxy.close());
  const last = "The webhook works.";
  const said = await runPage("write-a-client", { RECEIVER_PORT: String(receiverPort) }, last);
  for (const text of ['"alias":"Bot"', "304", /is a human; \d+ humans are left/, /^wrong_state: /m, last])
    expect(said).toMatch(text);
});

declareNewFunction(
  () => copy.root,
  () =>
    it("a rule can be changed as the page says, beside new functions", async () => {
      expect(await runPage("change-a-rule")).toMatch(/1 failed[\s\S]*1 passed/);
      const openapi = await readFile(join(copy.root, "docs/openapi.json"), "utf8");
      for (const text of ["a zombie who has tagged somebody", "/praise/"]) expect(openapi).toContain(text);
    }),
);

it("the service can be deployed as the page says", async () => {
  expect(await runPage("deploy")).toContain("credentials");
  expect(await callsOf("deploy")).toBe(
    "get-account-plan-state upgrade-account-plan request-service-quota-increase request-certificate disable-rule",
  );
});

it("the guides name only buttons and pages of the web app that exist", async () => {
  const texts = (
    await Promise.all((await readdir(join(ROOT, "web/src/text"))).map((name) => read(`web/src/text/${name}`)))
  ).join("");
  const addresses = [...Object.values(paths), ...Object.values(paths.gm)];
  for (const page of ["host-a-game", "game-day"]) {
    const text = await read(`docs/${page}.md`);
    for (const [, label = ""] of text.matchAll(/\*\*([^*]+)\*\*/g))
      if (label !== "bold") expect(texts, page).toContain(`"${label}"`);
    for (const [, path = ""] of text.matchAll(/`(\/app\/[\w/-]+)`/g)) expect(addresses, page).toContain(path);
  }
});

it("every link leads to an existing file and heading", async () => {
  const pages = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md"));
  const files = ["README.md", "CONTRIBUTING.md", ...pages.map((name) => `docs/${name}`)];
  const slug = (heading: string) =>
    heading
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
      .toLowerCase();
  for (const file of files)
    for (const [, target = "", anchor] of (await read(file)).matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = target === "" ? file : join(dirname(file), target);
      expect(existsSync(join(ROOT, path)), `${file}: ${target}`).toBe(true);
      if (anchor === undefined) continue;
      const headings = (await read(path)).matchAll(/^#+ (.+)$/gm).map(([, heading = ""]) => slug(heading));
      expect([...headings], `${file}: ${target}`).toContain(anchor);
    }
});

it("the state diagram shows exactly the existing transitions", async () => {
  const [, drawing = ""] =
    /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(await read("docs/architecture.md")) ?? [];
  const drawn = drawing.trim().split(/\s*\n\s*/);
  const table = Object.entries(TRANSITIONS).flatMap(([by, { from, to }]) =>
    from.map((state) => `${state} --> ${to}: ${by}`),
  );
  expect(drawn.toSorted()).toEqual(["[*] --> human: new", ...table].toSorted());
});

it("README.md and docs/architecture.md name every file and folder of the root", async () => {
  const text = `${await readme()}${await read("docs/architecture.md")}`;
  const { stdout } = await run("git", ["ls-files"], { cwd: ROOT });
  const tops = new Set(stdout.split("\n").map((file) => file.split("/")[0] ?? ""));
  const conventional =
    /^(\.gitignore|\.gitattributes|\.n\w+rc|README\.md|(package|package-lock|tsconfig|biome|knip)\.json|vitest\..*|\.dependency-cruiser\.cjs)$/;
  for (const top of tops) if (!conventional.test(top)) expect(text).toContain(top);
});
