/** `npm run new-function -- admin ban`: a handler, its YAML and a failing story, from which to go on. */
import { existsSync } from "node:fs";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./local/root.ts";
import { runCommand, UserError } from "./local/userError.ts";

const HELP = `Writes a new endpoint: its handler, its lines in functions.yml and a story that fails.

  npm run new-function -- MODULE NAME [--get]

  MODULE   a folder of functions/, such as admin
  NAME     the path word, such as ban: small letters, digits and _
  --get    for a GET; a POST otherwise

  npm run new-function -- admin ban   writes POST /admin/ban/{url_id}
`;

const WORD = /^[a-z][a-z0-9_]{1,39}$/;

interface Wanted {
  module: string;
  name: string;
  method: "GET" | "POST";
}

const routeOf = ({ module, name, method }: Wanted): string =>
  `${method} ${module === "player" ? "" : `/${module}`}/${name}/{url_id}`;

const accessOf = ({ module }: Wanted): string => (module === "admin" ? "administrator" : "player");

const handlerOf = (wanted: Wanted): string => `/** ${routeOf(wanted)}: what it does, in one sentence. */
import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "${routeOf(wanted)}",
  access: "${accessOf(wanted)}",
  answer: z.object({ done: z.boolean() }),
  run: async (call) => call.answer({ done: false }),
});
`;

const yamlOf = (wanted: Wanted): string => `${wanted.name}:
  handler: functions/${wanted.module}/${wanted.name}.handler
  allows: { table: [GetItem, BatchGetItem, PutItem] }
  events: [{ httpApi: "${routeOf(wanted)}" }]
`;

const storyOf = (wanted: Wanted): string => `/** ${routeOf(wanted)}: tell here what it is for. */
import { expect, it } from "vitest";
import { stage } from "../support/service.ts";

const s = stage();

it("${wanted.name} does what it is for", async () => {
  const someone = await s.${accessOf(wanted) === "administrator" ? "admin()" : 'join("Ada")'};
  const answer = await s.call("${routeOf(wanted)}", { as: someone });
  expect(answer).toMatchObject({ status: 200, body: { done: true } });
});
`;

/** The line by which the contract's tests know the endpoint. */
const promiseOf = (wanted: Wanted): string =>
  `  promised("${wanted.module}", "${accessOf(wanted)}", "${routeOf(wanted)}"),\n`;

const BESIDE = /(export const BESIDE[^\n]*\[\n[\s\S]*?)(\n\];)/;

const requireNew = (file: string): string => {
  const path = join(ROOT, file);
  if (existsSync(path)) throw new UserError(`${file} is there already: choose another name.`);
  return path;
};

const wantedFrom = async (module = "", name = "", get = false): Promise<Wanted> => {
  const entries = await readdir(join(ROOT, "functions"), { withFileTypes: true });
  const modules = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  if (!modules.includes(module)) {
    throw new UserError(`Which module? One of ${modules.join(", ")}; npm run new-function -- admin ban`);
  }
  if (!WORD.test(name)) {
    throw new UserError("Which name? Small letters, digits and _; npm run new-function -- admin ban");
  }
  for (const folder of modules) {
    const listed = await readFile(join(ROOT, "functions", folder, "functions.yml"), "utf8");
    if (new RegExp(`^${name}:`, "m").test(listed)) {
      throw new UserError(`A function of ${folder} is called ${name}: names are unique in a service.`);
    }
  }
  return { module, name, method: get ? "GET" : "POST" };
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
  const wanted = await wantedFrom(positionals[0], positionals[1], values.get);
  const { module, name } = wanted;
  const handler = requireNew(`functions/${module}/${name}.ts`);
  const story = requireNew(`tests/behaviour/${name}.test.ts`);
  const promises = join(ROOT, "tests/contract/seed.ts");
  const known = await readFile(promises, "utf8");
  await writeFile(handler, handlerOf(wanted));
  await appendFile(join(ROOT, `functions/${module}/functions.yml`), yamlOf(wanted));
  await writeFile(story, storyOf(wanted));
  await writeFile(
    promises,
    known.replace(BESIDE, (_, list: string, end: string) => `${list}\n${promiseOf(wanted).trimEnd()}${end}`),
  );
  console.log(`${routeOf(wanted)} is there, and does nothing yet:
  functions/${module}/${name}.ts and functions.yml   the handler
  tests/behaviour/${name}.test.ts   a story that fails until it does what it is for
  tests/contract/seed.ts   the list of what the service promises

Next: npm run test:quick, and make the story true.`);
  return 0;
};

await runCommand(main);
