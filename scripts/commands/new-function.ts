/** `npm run new-function -- admin praise`: creates a handler, its entries in tables and a failing test. */
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

const READ = "  read: async () => ({ done: false }),\n";
const COMMAND = `  idempotency: { scope: "player" },
  decide: async () => ({ changes: {}, result: { done: false } }),
`;

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
${wanted.method === "GET" ? READ : COMMAND}});

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

/** A table to which the command adds a line. */
interface Table {
  file: string;
  /** How the line of the table begins. */
  name: string;
  line: string;
  meaning: string;
}

/** The tables that a new endpoint is added to; one of game masters also to those of the log and of their pages. */
const tablesOf = (wanted: Wanted): Table[] => {
  const { name, method } = wanted;
  const words = name.replaceAll("_", " ");
  const isRead = method === "GET";
  const line = (text: string): string => `  ${name}: ${text},\n`;
  const bounds = {
    file: "bench/routes/bounds.ts",
    name: "BOUNDS",
    // The token, the player, the game, and the log entry of administrators.
    line: `  "${routeOf(wanted)}": most(3, 2, 1),\n`,
    meaning: "the most that a request may cost: what it costs now",
  };
  if (accessOf(wanted) !== "administrator") return [bounds];
  return [
    bounds,
    {
      file: "lib/domain/actions.ts",
      name: "ACTIONS",
      line: line(isRead ? '"read"' : '"command"'),
      meaning: "its action in the log",
    },
    {
      file: "web/src/staff/commands.ts",
      name: isRead ? "READS" : "COMMANDS",
      line: line(isRead ? '{ role: "game_master" }' : "command(false)"),
      meaning: isRead ? "who may use it" : "who may use it, whether it can be taken back, its reason",
    },
    {
      file: "web/src/text/staff.ts",
      name: isRead ? "otherLogs" : "commands",
      line: line(isRead ? `"looked at ${words}"` : `{ button: "${words}", log: "did ${words}" }`),
      meaning: isRead ? "its sentence of the log" : "its button, and its sentence of the log",
    },
  ];
};

/** The beginning of an entry, with comments above it. */
const ENTRY = /^(?: {2}\/\/.*\n)* {2}(\w+):/gm;

/** Adds a line to a table, in the order of names. @throws UserError if the file does not have the table */
const withLine = (source: string, { file, name, line }: Table): string => {
  const start = source.search(new RegExp(`^(export )?const ${name}\\b`, "m"));
  const end = source.indexOf("\n}", start) + 1;
  if (start === -1 || end === 0) throw new UserError(`${file} has no table ${name}.`);
  const entries = [...source.slice(start, end).matchAll(ENTRY)];
  const next = entries.find(([, entry = ""]) => `  ${entry}:` > line);
  const at = next === undefined ? end : start + next.index;
  return source.slice(0, at) + line + source.slice(at);
};

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
  const tables = tablesOf(wanted);
  const edited = await Promise.all(
    tables.map(async (table) => {
      const file = join(ROOT, table.file);
      return { file, source: withLine(await readFile(file, "utf8"), table) };
    }),
  );
  await writeFile(handler, handlerOf(wanted));
  await appendFile(join(ROOT, `functions/${module}/functions.yml`), yamlOf(wanted));
  await writeFile(test, testOf(wanted));
  for (const { file, source } of edited) await writeFile(file, source);
  format([handler, test, ...tables.map(({ file }) => file)]);
  console.log(`${routeOf(wanted)} was created, and does nothing yet. These files were written:
${table([
  [`functions/${module}/${name}.ts`, "the handler, and its documentation"],
  [`functions/${module}/functions.yml`, "its route, and what its role allows"],
  [`tests/behaviour/${name}.test.ts`, "a test, which fails until the endpoint is implemented"],
  ...tables.map(({ file, meaning }) => [file, meaning] as const),
])}

Edit these files yourself:
${table([
  ["docs/api.md", "rules that are too long for its documentation"],
  ["CHANGELOG.md", "what changes for users"],
  ["tests/contract/input.test.ts", "its query parameters, if it has any"],
  ["bench/routes/requests.ts", "its largest request, if it has a body or a query"],
  ...(tables.some(({ name }) => name === "COMMANDS")
    ? [["web/src/staff", "where its button is drawn"] as const]
    : []),
])}

Next: npm run openapi, which writes the documents; then npm run test:quick, and make the test pass.`);
  return 0;
});
