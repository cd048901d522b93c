/** The contract, the YAML files and the handlers agree on the list of endpoints. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ACTIONS } from "../../lib/http/auditLog.ts";
import type { Handler } from "../../lib/http/definition.ts";
import { loadHandler } from "../../scripts/local/inProcess.ts";
import { type ListedFunction, listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { ENDPOINTS, SEED } from "./seed.ts";

const wordOf = (route: string): string => {
  const words = (route.split(" ")[1] ?? "").split("/").filter((word) => word !== "" && !word.startsWith("{"));
  return words.at(-1)?.replace(/\.\w+$/, "") ?? "";
};

const listed = listedFunctions();
const endpoints = listed.filter(
  (one): one is ListedFunction & { route: string } => one.route !== undefined && !one.isPage,
);
const handlers = new Map<string, Handler>();

beforeAll(async () => {
  for (const { route, file } of endpoints) handlers.set(route, await loadHandler(file));
});

describe("the list of endpoints", () => {
  it("has the thirty-seven endpoints of the seed", () => {
    expect(new Set(SEED).size).toBe(37);
    const routes = ENDPOINTS.map(({ route }) => route);
    expect(routes).toEqual(expect.arrayContaining([...SEED]));
    expect(new Set(routes).size).toBe(routes.length);
  });

  it("is what the handlers declare", () => {
    for (const [route, handler] of handlers) expect(handler.endpoint.route).toBe(route);
    expect(handlers.size).toBe(ENDPOINTS.length);
  });

  it("lists every handler's file", () => {
    const files = readdirSync(join(ROOT, "functions"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join("functions", file));
    expect(files.toSorted()).toEqual(listed.map(({ file }) => file).toSorted());
  });

  it("is included in serverless.yml, module by module", () => {
    const service = readFileSync(join(ROOT, "serverless.yml"), "utf8");
    const named = parse(service, { logLevel: "error" }).functions;
    const modules = new Set(listed.map(({ file }) => dirname(file)));
    expect([...named].toSorted()).toEqual(
      [...modules].map((module) => `\${file(${module}/functions.yml)}`).toSorted(),
    );
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  });
});

it("the log's actions are those of the logged endpoints and of the workers", () => {
  const logged = [...handlers.values()].flatMap(({ endpoint: { action } }) =>
    action === null ? [] : [action],
  );
  const all = new Set([...logged, "sweep", "deliver", "webhook_off"]);
  expect([...ACTIONS], "ACTIONS of lib/http/auditLog.ts").toEqual([...all].toSorted());
});

describe.each(ENDPOINTS.map((one) => ({ ...one })))("$route", ({ route }) => {
  it("has the last word of its path as file name, and in its function's name", () => {
    const { file, name } = endpoints.find((one) => one.route === route) ?? { file: "", name: "" };
    // A path with a GET has its POST in another file.
    expect([wordOf(route), `change_${wordOf(route)}`]).toContain(basename(file, ".ts"));
    expect(name).toContain(wordOf(route));
  });

  it("is, with its documentation, the only thing that its file exports", async () => {
    const { file } = endpoints.find((one) => one.route === route) ?? { file: "" };
    expect(Object.keys(await import(join(ROOT, file))).toSorted()).toEqual(["docs", "handler"]);
  });
});
