/** `npm run new-function -- admin praise`: creates a handler, its list entries and a failing test. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../cli/command.ts";
import { UserError } from "../cli/userError.ts";
import { listedFunctions } from "../project/functions.ts";
import { ROOT } from "../project/root.ts";

const EXAMPLE = "npm run new-function -- admin praise";

const HELP = `Creates an endpoint: its handler with documentation, its entry in functions.yml, and a failing test.

  npm run new-function -- MODULE NAME [--get]

  MODULE   a folder of functions/, such as admin
  NAME     the name in the path, such as praise: 2 to 26 lower-case letters, digits and _, starting with a letter
  --get    creates a GET; the default is POST

  ${EXAMPLE}   creates POST /admin/praise/{url_id}
`;

/** Lambda allows 64 characters: `zombie-game-`, a stage of up to 25, a hyphen, and this name. */
const NAME_PATTERN = /^[a-z][a-z0-9_]{1,25}$/;

interface Wanted {
  module: string;
  name: string;
  method: "GET" | "POST";
}

const routeOf = ({ module, name, method }: Wanted): string =>
  `${method} ${module === "player" ? "" : `/${module}`}/${name}/{url_id}`;

const accessOf = ({ module }: Wanted): string => (module === "admin" ? "administrator" : "player");

/** Notification endpoints send errors as text, and 403 if the player cannot be read. */
const isNotification = ({ module }: Wanted): boolean => module === "notifications";

const handlerOf = (
  wanted: Wanted,
): string => `/** ${routeOf(wanted)}: describe in one sentence what it does. */
import * as z from "zod/mini";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "${routeOf(wanted)}",
  access: "${accessOf(wanted)}",
  response: {
    schema: z.object({ done: z.boolean() }),
${isNotification(wanted) ? '    errors: "text",\n    lookupStatus: 403,\n' : ""}  },
  ${wanted.method === "GET" ? "read: async () => ({ done: false })" : "decide: async () => ({ changes: {}, result: { done: false } })"},
});

export const docs: EndpointDocs = {
  summary: "Describe it in a few words",
  description: "Describe what a caller needs to know.",
  fields: { done: "Describe the field." },
  example: {},
};
`;

const yamlOf = (wanted: Wanted): string => `${wanted.name}:
  handler: functions/${wanted.module}/${wanted.name}.handler
  allows: { table: [GetItem, BatchGetItem, PutItem] }
  events: [{ httpApi: "${routeOf(wanted)}" }]
`;

const testOf = (wanted: Wanted): string => `/** ${routeOf(wanted)}: describe what it is for. */
import { expect, it } from "vitest";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

it("${wanted.name} is implemented", async () => {
  const someone = await s.${accessOf(wanted) === "administrator" ? "admin()" : 'join("Ada")'};
  const response = await s.call("${routeOf(wanted)}", { as: someone });
  expect(response).toMatchObject({ status: 200, body: { done: true } });
});
`;

const ACTIONS_FILE = "lib/http/auditLog.ts";
const ACTIONS = /(export const ACTIONS = \[\n)([\s\S]*?)(\] as const;)/;

/** Adds an action to the list of log actions. */
const withAction = (source: string, action: string): string =>
  source.replace(ACTIONS, (_, begin: string, lines: string, end: string) => {
    const actions = [...lines.split("\n").filter((line) => line !== ""), `  "${action}",`].toSorted();
    return `${begin}${actions.join("\n")}\n${end}`;
  });

const BOUNDS_FILE = "bench/routes/bounds.ts";
const END_OF_BOUNDS = /\n};\n$/;

/** Adds the bound of what the new endpoint costs: the token, the player, the game, and the log entry of administrators. */
const withBound = (source: string, wanted: Wanted): string =>
  source.replace(END_OF_BOUNDS, `\n  "${routeOf(wanted)}": most(3, 1, 1),$&`);

const requireNew = (file: string): string => {
  const path = join(ROOT, file);
  if (existsSync(path)) throw new UserError(`${file} already exists. Choose another name.`);
  return path;
};

/** @throws UserError if the module does not exist, or the name is invalid or taken */
const parseArguments = ([module, name, ...more]: readonly string[], get = false): Wanted => {
  if (module === undefined || name === undefined || more.length > 0) {
    throw new UserError(`Give a module and a name, as in: ${EXAMPLE}`);
  }
  const listed = listedFunctions();
  const modules = new Set(listed.map(({ file }) => file.split("/")[1] ?? ""));
  if (!modules.has(module)) {
    throw new UserError(`There is no module ${module}. The modules are ${[...modules].join(", ")}.`);
  }
  if (!NAME_PATTERN.test(name)) {
    throw new UserError(
      `${name} is not a valid function name. It must have 2 to 26 characters: lower-case letters, digits and _, starting with a letter.`,
    );
  }
  const namesake = listed.find((one) => one.name === name);
  if (namesake !== undefined) {
    throw new UserError(
      `${namesake.file} already has the name ${name}. Names must be unique in the service.`,
    );
  }
  return { module, name, method: get ? "GET" : "POST" };
};

/** Formats rows in two columns. */
const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join("\n");
};

/** Formats the files, because a long name makes lines too long. */
const format = (files: readonly string[]): void => {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  // Also works without git.
  const args = [biome, "format", "--write", "--vcs-enabled=false", ...files];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "pipe" });
};

const USAGE = { help: HELP, options: { get: { type: "boolean" } }, takesNames: true } as const;

await runCommand(USAGE, async (values, positionals) => {
  const wanted = parseArguments(positionals, values.get);
  const { module, name } = wanted;
  const handler = requireNew(`functions/${module}/${name}.ts`);
  const test = requireNew(`tests/behaviour/${name}.test.ts`);
  const actions = join(ROOT, ACTIONS_FILE);
  const isLogged = accessOf(wanted) === "administrator";
  const logged = await readFile(actions, "utf8");
  if (isLogged && !ACTIONS.test(logged)) {
    throw new UserError(`${ACTIONS_FILE} has no list ACTIONS for the action.`);
  }
  const bounds = join(ROOT, BOUNDS_FILE);
  const bounded = await readFile(bounds, "utf8");
  if (!END_OF_BOUNDS.test(bounded)) throw new UserError(`${BOUNDS_FILE} does not end with the bounds.`);
  await writeFile(handler, handlerOf(wanted));
  await appendFile(join(ROOT, `functions/${module}/functions.yml`), yamlOf(wanted));
  await writeFile(test, testOf(wanted));
  if (isLogged) await writeFile(actions, withAction(logged, name));
  await writeFile(bounds, withBound(bounded, wanted));
  format([handler, test, bounds]);
  console.log(`${routeOf(wanted)} was created, and does nothing yet. These files were written:
${table([
  [`functions/${module}/${name}.ts`, "the handler, and its documentation"],
  [`functions/${module}/functions.yml`, "its route, and what its role allows"],
  [`tests/behaviour/${name}.test.ts`, "a test, which fails until the endpoint is implemented"],
  [BOUNDS_FILE, "the most that a request may cost: what it costs now"],
  ...(isLogged ? [[ACTIONS_FILE, "its name in the list of log actions"] as const] : []),
])}

Edit these files yourself:
${table([
  ["docs/api.md", "rules that are too long for its documentation"],
  ["CHANGELOG.md", "what changes for users"],
  ["tests/contract/input.test.ts", "its query parameters, if it has any"],
  ["bench/routes/requests.ts", "its largest request, if it has a body or a query"],
])}

Next: npm run openapi, which writes the documents; then npm run test:quick, and make the test pass.`);
  return 0;
});
