/** `npm run new-function -- admin ban`: a handler, its lines in the lists, and a failing story, from which to go on. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand, UserError } from "../cli/userError.ts";
import { listedFunctions } from "../project/functions.ts";
import { ROOT } from "../project/root.ts";

const EXAMPLE = "npm run new-function -- admin ban";

const HELP = `Writes a new endpoint: its handler, its lines in functions.yml and in the contract's list, and a story that fails.

  npm run new-function -- MODULE NAME [--get]

  MODULE   a folder of functions/, such as admin
  NAME     the path word, such as ban: up to 26 small letters, digits and _
  --get    for a GET; a POST otherwise

  ${EXAMPLE}   writes POST /admin/ban/{url_id}
`;

/** A function of Lambda has a name of up to 64 characters: `zombie-game-`, a stage of up to 25, a hyphen, and this. */
const WORD = /^[a-z][a-z0-9_]{1,25}$/;

interface Wanted {
  module: string;
  name: string;
  method: "GET" | "POST";
}

const routeOf = ({ module, name, method }: Wanted): string =>
  `${method} ${module === "player" ? "" : `/${module}`}/${name}/{url_id}`;

const accessOf = ({ module }: Wanted): string => (module === "admin" ? "administrator" : "player");

/** Notification endpoints write errors as text, and 403 when the player cannot be looked up. */
const isNotification = ({ module }: Wanted): boolean => module === "notifications";

const handlerOf = (wanted: Wanted): string => `/** ${routeOf(wanted)}: what it does, in one sentence. */
import * as z from "zod/mini";
${isNotification(wanted) ? 'import { lookupFault } from "../../lib/app/notifications/errors.ts";\n' : ""}import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "${routeOf(wanted)}",
  access: "${accessOf(wanted)}",
  response: {
    schema: z.object({ done: z.boolean() }),
${isNotification(wanted) ? '    errors: "text",\n    lookupError: lookupFault(403),\n' : ""}  },
  run: async (call) => call.respond({ done: false }),
});
`;

const yamlOf = (wanted: Wanted): string => `${wanted.name}:
  handler: functions/${wanted.module}/${wanted.name}.handler
  allows: { table: [GetItem, BatchGetItem, PutItem] }
  events: [{ httpApi: "${routeOf(wanted)}" }]
`;

const storyOf = (wanted: Wanted): string => `/** ${routeOf(wanted)}: say here what it is for. */
import { expect, it } from "vitest";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

it("${wanted.name} does what it is for", async () => {
  const someone = await s.${accessOf(wanted) === "administrator" ? "admin()" : 'join("Ada")'};
  const answer = await s.call("${routeOf(wanted)}", { as: someone });
  expect(answer).toMatchObject({ status: 200, body: { done: true } });
});
`;

/** The line by which the contract's tests know the endpoint. */
const promiseOf = (wanted: Wanted): string =>
  `  promised("${wanted.module}", "${accessOf(wanted)}", "${routeOf(wanted)}", { answer: "done" }),`;

const PROMISES = "tests/contract/seed.ts";
const BESIDE = /(export const BESIDE[^\n]*\[\n[\s\S]*?)(\n\];)/;

const ACTIONS_FILE = "lib/http/auditLog.ts";
const ACTIONS = /(export const ACTIONS = \[\n)([\s\S]*?)(\] as const;)/;

/** The list of the log's actions with one more. */
const withAction = (source: string, action: string): string =>
  source.replace(ACTIONS, (_, begin: string, lines: string, end: string) => {
    const actions = [...lines.split("\n").filter((line) => line !== ""), `  "${action}",`].toSorted();
    return `${begin}${actions.join("\n")}\n${end}`;
  });

const requireNew = (file: string): string => {
  const path = join(ROOT, file);
  if (existsSync(path)) throw new UserError(`${file} exists already: choose another name.`);
  return path;
};

/** @throws UserError when there is no such module, or the name cannot be one or is taken */
const wantedFrom = ([module, name, ...more]: string[], get = false): Wanted => {
  if (module === undefined || name === undefined || more.length > 0) {
    throw new UserError(`Give one module and one name: ${EXAMPLE}`);
  }
  const listed = listedFunctions();
  const modules = new Set(listed.map(({ file }) => file.split("/")[1] ?? ""));
  if (!modules.has(module)) {
    throw new UserError(`There is no module ${module}: it is one of ${[...modules].join(", ")}.`);
  }
  if (!WORD.test(name)) {
    throw new UserError(
      `${name} cannot be a function's name: it has 2 to 26 small letters, digits and _, and begins with a letter.`,
    );
  }
  const namesake = listed.find((one) => one.name === name);
  if (namesake !== undefined) {
    throw new UserError(`${namesake.file} is called ${name} already: names are unique in a service.`);
  }
  return { module, name, method: get ? "GET" : "POST" };
};

/** Rows in two columns. */
const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join("\n");
};

/** Breaks lines that a long name has made too long. */
const format = (files: readonly string[]): void => {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  // Also where there is no git.
  const args = [biome, "format", "--write", "--vcs-enabled=false", ...files];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "pipe" });
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean" }, get: { type: "boolean" } },
  });
  if (values.help === true) {
    console.log(HELP);
    return 0;
  }
  const wanted = wantedFrom(positionals, values.get);
  const { module, name } = wanted;
  const handler = requireNew(`functions/${module}/${name}.ts`);
  const story = requireNew(`tests/behaviour/${name}.test.ts`);
  const promises = join(ROOT, PROMISES);
  const known = await readFile(promises, "utf8");
  if (!BESIDE.test(known)) throw new UserError(`${PROMISES} has no list BESIDE to write the endpoint into.`);
  const actions = join(ROOT, ACTIONS_FILE);
  const isLogged = accessOf(wanted) === "administrator";
  const logged = await readFile(actions, "utf8");
  if (isLogged && !ACTIONS.test(logged)) {
    throw new UserError(`${ACTIONS_FILE} has no list ACTIONS to write the action into.`);
  }
  await writeFile(handler, handlerOf(wanted));
  await appendFile(join(ROOT, `functions/${module}/functions.yml`), yamlOf(wanted));
  await writeFile(story, storyOf(wanted));
  await writeFile(
    promises,
    known.replace(BESIDE, (_, list: string, end: string) => `${list}\n${promiseOf(wanted)}${end}`),
  );
  if (isLogged) await writeFile(actions, withAction(logged, name));
  format([handler, story, promises]);
  console.log(`${routeOf(wanted)} exists now, and does nothing yet. Written:
${table([
  [`functions/${module}/${name}.ts`, "the handler"],
  [`functions/${module}/functions.yml`, "its route, and what its role allows"],
  [`tests/behaviour/${name}.test.ts`, "a story, which fails until the endpoint does what it is for"],
  [PROMISES, "its line in the list of promises"],
  ...(isLogged ? [[ACTIONS_FILE, "its name among the actions of the log"] as const] : []),
])}

These need a line that only you can write:
${table([
  ["docs/api.md, README.md", "its request and response; its row in the table of endpoints"],
  ["CHANGELOG.md", "what changes for users"],
  ["tests/contract/bodies.ts", "a valid body, as soon as it requires one"],
  ["tests/contract/input.test.ts", "its query, as soon as it takes one"],
  [
    "tests/contract/answers.test.ts",
    `a call of it, in place of answer: in ${PROMISES}, as soon as its response depends on the game`,
  ],
])}

Next: npm run test:quick, and make the story pass.`);
  return 0;
};

await runCommand(main);
