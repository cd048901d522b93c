/** The README and the pages of docs/ are correct: what they show can be run, and what they name exists. */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { STATES } from "../../lib/domain/player.ts";
import { freePort } from "../../scripts/cli/ports.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { leavesOut } from "../support/battery.ts";
import { makeCertificate } from "../support/certificate.ts";
import { copyTree } from "../support/copiedTree.ts";
import { useFakeAws } from "../support/fakeAws.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { expectSuccess, runScript } from "../support/runScript.ts";
import { useTempDir } from "../support/tempDir.ts";

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
}, 200_000);
afterAll(async () => {
  await copy.remove();
  expect(await service.stop()).toBe(0);
});

it("the example game can be run as it is, also twice", async () => {
  const [, lines = ""] = /<!-- first-game[^\n]*\n```sh\n([\s\S]*?)```/.exec(await readme()) ?? [];
  expect(lines.match(/curl -sS/g)?.length).toBe(10);
  for (const times of [1, 2]) {
    const { stdout, stderr } = await run("bash", ["--norc", "-euo", "pipefail", "-c", lines], {
      cwd: ROOT,
      env: { ...process.env, ...settings },
    });
    expect(stderr).toBe("");
    const responses = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    const states = responses.map(({ player, prey }) => player?.state ?? prey?.state);
    expect(states).toEqual(["corpse", "zombie", "zombie", undefined, "human", undefined]);
    const [, , , tree, , board] = responses;
    const outbreak = { alias: "Ada", children: [{ alias: "Ben" }] };
    expect(tree).toMatchObject({ size: 2 * times, roots: Array.from({ length: times }, () => outbreak) });
    expect(board.players).toMatchObject([
      { rank: 1, alias: "Ada", kills: times, state: "zombie" },
      { rank: 2, alias: "Ben", state: "human" },
    ]);
  }
});

/** Stands for what takes minutes, and for AWS, which allows nothing: a command that gets as far is right. */
const PRELUDE = `
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
npm() {
  case "$*" in
    ci | "ci --prefix client" | "run types --prefix client" | start | "run demo" | "run check" | test) ;;
    *--stage* | *--table*)
      if said=$(env $AWS npm "$@" < /dev/null 2>&1) || ! grep -q 'not allowed: ' <<< "$said"; then
        echo "$said"
        return 1
      fi ;;
    *) command npm "$@" ;;
  esac
}
aws() { echo "aws $*" >> "$CALLS"; }
`;

/** Changes a file as a diff without line numbers says. */
const applyDiff = async (diff: string): Promise<void> => {
  const [head = "", ...lines] = diff.split(/^\+\+\+ b\//m);
  expect(head).toMatch(/^--- a\//);
  const [path = "", ...rest] = lines.join("").trimEnd().split("\n");
  const side = (mark: string) =>
    rest
      .filter((line) => line.startsWith(" ") || line.startsWith(mark))
      .map((line) => line.slice(1))
      .join("\n");
  const file = join(copy.root, path);
  const text = await readFile(file, "utf8");
  expect(text.split(side("-")), `${path}:\n${side("-")}`).toHaveLength(2);
  await writeFile(
    file,
    text.replace(side("-"), () => side("+")),
  );
};

/** Runs everything that a page shows, in one shell, which waits for `last` at the end. @returns what was printed */
const runPage = async (page: string, given: Record<string, string> = {}, last = ""): Promise<string> => {
  const shell = spawn("bash", ["--norc", "-euo", "pipefail"], {
    cwd: copy.root,
    env: {
      ...{ ...process.env, ...settings, npm_config_offline: "true", CALLS: pathOf(page), ...given },
      AWS: Object.entries(aws.settings)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    },
  });
  const ended = new Promise((resolve) => shell.once("close", resolve));
  let said = "";
  const onMarker = new Map<string, () => void>();
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      for (const [marker, then] of onMarker) if (said.includes(marker)) then();
    });
  shell.stdin.write(PRELUDE);
  const blocks = [...(await read(`docs/${page}.md`)).matchAll(/([^\n]*)\n\n *```(\w*)\n([\s\S]*?)^ *```$/gm)];
  for (const [at, [, before = "", language = "", text = ""]] of blocks.entries()) {
    const [, file] = /^`([\w./-]+)`:$/.exec(before) ?? [];
    if (language === "diff") await applyDiff(text);
    else if (file !== undefined) {
      await mkdir(dirname(join(copy.root, file)), { recursive: true });
      await writeFile(join(copy.root, file), text);
    } else if (language === "sh") {
      const marker = `<block ${at} of ${page}>`;
      const reached = new Promise<void>((resolve) => onMarker.set(marker, resolve));
      const lines = text.replace("bot.your-club.org", `127.0.0.1:${webhookPort}`);
      const block = /test fails:$/.test(before) ? `if ${lines.trim()}; then exit 9; fi` : lines;
      shell.stdin.write(`{\n${block}\n} < /dev/null\necho '${marker}'\n`);
      await Promise.race([reached, ended]);
      expect(said, text).toContain(marker);
    }
  }
  while (!said.includes(last) && shell.exitCode === null) await sleep(50);
  shell.stdin.end();
  await ended;
  return said;
};

const callsOf = async (page: string): Promise<string[]> =>
  (await readFile(pathOf(page), "utf8")).trim().split("\n");

// The pages take half a minute each: the seed chooses half of them (TEST_SCALE=whole: all).
it.skipIf(leavesOut(0, 2))(
  "hosts a game, runs its days and restores it as the pages say",
  { timeout: 240_000 },
  async () => {
    const host = await runPage("host-a-game");
    expect(host).toMatch(/90 %/);
    const restored = await runPage("restore");
    expect(restored).toContain("items read: no difference");
    expect((await callsOf("restore")).map((call) => call.split(" ").slice(0, 3).join(" "))).toEqual([
      "aws dynamodb restore-table-to-point-in-time",
      "aws dynamodb wait",
      "aws dynamodb delete-table",
    ]);
    const days = await runPage("game-day");
    expect(days).toContain("Nothing is wrong");
    expect(days).toMatch(/A new season of .* started/);
  },
);

it.skipIf(leavesOut(1, 2))(
  "has clients that can be written as the page says",
  { timeout: 120_000 },
  async () => {
    // Who pastes the page has a game master from the page before.
    const password = "a password of your own\n";
    const created = await runScript(
      ["scripts/commands/create-admin.ts", "--alias", "gm"],
      settings,
      password,
    );
    expectSuccess(created);
    const receiverPort = await freePort();
    const proxy = createServer(certificate, async (request, response) => {
      const chunks = await request.toArray();
      const url = `http://127.0.0.1:${receiverPort}`;
      const headers = Object.entries(request.headers).filter(([name]) => name.startsWith("webhook-"));
      const passed = await fetch(url, {
        method: "POST",
        headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
        body: Buffer.concat(chunks),
      });
      response.writeHead(passed.status).end();
    }).listen(webhookPort, "127.0.0.1");
    try {
      const last = "The webhook works.";
      const said = await runPage("write-a-client", { RECEIVER_PORT: String(receiverPort) }, last);
      expect(said).toContain('"alias":"Bot"');
      expect(said).toContain("304");
      expect(said).toMatch(/Bot is a human; \d+ humans are left\./);
      expect(said).toMatch(/^wrong_state: /m);
      expect(said).toContain(last);
    } finally {
      proxy.close();
    }
  },
);

it.skipIf(leavesOut(1, 2))(
  "has a rule that can be changed as the page says",
  { timeout: 240_000 },
  async () => {
    const said = await runPage("change-a-rule");
    expect(said).toMatch(/1 failed[\s\S]*1 passed/);
    expect(await readFile(join(copy.root, "docs/openapi.json"), "utf8")).toContain(
      "a zombie who has tagged somebody",
    );
    const check = (...args: string[]) => run(process.execPath, args, { cwd: copy.root });
    await check("node_modules/typescript/bin/tsc", "-p", "web");
    await check(
      "node_modules/@biomejs/biome/bin/biome",
      "check",
      "lib",
      "functions",
      "web",
      "tests/behaviour",
    );
  },
);

it("deploys as the page says", { timeout: 120_000 }, async () => {
  expect(await runPage("deploy")).toContain("credentials");
  expect((await callsOf("deploy")).map((call) => call.split(" ").slice(0, 3).join(" "))).toEqual([
    "aws freetier get-account-plan-state",
    "aws freetier upgrade-account-plan",
    "aws service-quotas request-service-quota-increase",
    "aws acm request-certificate",
    "aws events disable-rule",
  ]);
});

it("names buttons and pages of the web app that exist", async () => {
  const texts = `${await read("web/src/en.ts")}${await read("web/src/gm/texts.ts")}`;
  const routes = `${await read("web/src/app.tsx")}${await read("web/src/gm/gm.tsx")}`;
  for (const page of ["host-a-game", "game-day"]) {
    const text = await read(`docs/${page}.md`);
    for (const [, label = ""] of text.matchAll(/\*\*([^*]+)\*\*/g))
      if (label !== "bold") expect(texts, page).toContain(`"${label}"`);
    for (const [, path = ""] of text.matchAll(/`(\/app\/[\w/-]+)`/g))
      expect(routes, page).toContain(`"${path}"`);
  }
});

it("has links that lead somewhere", async () => {
  const pages = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md"));
  const files = ["README.md", "CONTRIBUTING.md", ...pages.map((name) => `docs/${name}`)];
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  for (const file of files)
    for (const [, target = "", anchor] of (await read(file)).matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = target === "" ? file : join(dirname(file), target);
      expect(existsSync(join(ROOT, path)), `${file}: ${target}`).toBe(true);
      if (anchor === undefined) continue;
      const headings = [...(await read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
        slug(heading),
      );
      expect(headings, `${file}: ${target}`).toContain(anchor);
    }
});

it("the state diagram shows exactly the existing transitions", async () => {
  const [, drawing = ""] =
    /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(await read("docs/architecture.md")) ?? [];
  const drawn = drawing
    .trim()
    .split(/\s*\n\s*/)
    .toSorted();
  const table = Object.entries(STATES).flatMap(([state, { next }]) =>
    Object.entries(next).map(([by, to]) => `${state} --> ${to}: ${by}`),
  );
  expect(drawn).toEqual(["[*] --> human: new", ...table].toSorted());
});

it("README.md and docs/architecture.md name every file and folder of the root", async () => {
  const text = `${await readme()}${await read("docs/architecture.md")}`;
  const { stdout } = await run("git", ["ls-files"], { cwd: ROOT });
  const tops = new Set(stdout.split("\n").map((file) => file.split("/")[0] ?? ""));
  const conventional = [
    ...[".gitignore", ".gitattributes", ".npmrc", ".nvmrc", "README.md", "package.json", "package-lock.json"],
    ...[
      "tsconfig.json",
      "biome.json",
      "knip.json",
      "vitest.config.ts",
      "vitest.e2e.config.ts",
      ".dependency-cruiser.cjs",
    ],
  ];
  for (const top of tops) if (!conventional.includes(top)) expect(text).toContain(top);
});
