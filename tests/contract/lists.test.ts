/** The list of endpoints in the YAML files: the contract and the handlers agree with it. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { BOUNDS } from "../../bench/routes/bounds.ts";
import { actionNames } from "../../lib/domain/actions.ts";
import { loadHandler } from "../../scripts/local/inProcess.ts";
import { type ListedFunction, listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { ENDPOINTS } from "./endpoints.ts";

const listed = listedFunctions();
const endpoints = listed.filter(
  (one): one is ListedFunction & { route: string } => one.route !== undefined && !one.isPage,
);

it("agrees with the routes and audit log actions that the handlers declare", async () => {
  // Of a game master alone, enrolling is logged.
  const logged = new Set(["sweep", "deliver", "webhook_off", "enrol", "of_age"]);
  for (const { route, file } of endpoints) {
    const { endpoint } = await loadHandler(file);
    expect(endpoint.route).toBe(route);
    if (endpoint.action !== null) logged.add(endpoint.action);
  }
  expect(endpoints).toHaveLength(ENDPOINTS.length);
  expect(new Set(endpoints.map(({ route }) => route)).size).toBe(endpoints.length);
  expect(actionNames(), "ACTIONS of lib/domain/actions.ts").toEqual([...logged].toSorted());
});

it("has a route for HEAD beside each GET that needs no token, and no other second route", async () => {
  const withHead = [];
  for (const { route, routes, file } of listed) {
    if (route === undefined) continue;
    const takesHead = route.startsWith("GET ") && (await loadHandler(file)).endpoint.access === "public";
    expect(routes, file).toEqual(takesHead ? [route, route.replace("GET", "HEAD")] : [route]);
    if (takesHead) withHead.push(route);
  }
  for (const path of ["/", "/app", "/app/{path+}", "/health", "/public", "/pictures/{picture_id}"])
    expect(withHead).toContain(`GET ${path}`);
});

it("bounds what a request of each route may cost", () => {
  const routes = listed.flatMap((one) => one.route ?? []);
  // A HEAD has the bound of its GET.
  expect(Object.keys(BOUNDS).toSorted(), "BOUNDS of bench/routes/bounds.ts").toEqual(routes.toSorted());
});

it("has every file of functions/, and serverless.yml includes the list of each module", () => {
  const files = readdirSync(join(ROOT, "functions"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join("functions", file));
  expect(files.toSorted()).toEqual(listed.map(({ file }) => file).toSorted());
  const service = readFileSync(join(ROOT, "serverless.yml"), "utf8");
  const modules = new Set(listed.map(({ file }) => `\${file(${dirname(file)}/functions.yml)}`));
  expect(parse(service, { logLevel: "error" }).functions.toSorted()).toEqual([...modules].toSorted());
  expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
});

it("names file and function after the last word of the path; the file exports the handler and its documentation alone", async () => {
  for (const { route, file, name } of endpoints) {
    const word = route.match(/(?<=\/)\w+(?=(\.\w+)?(\/\{\w+\})?$)/)?.[0] ?? "";
    // A path with a GET has its POST in another file, and a list what it reads one of.
    expect([word, `change_${word}`, `read_${word}`], route).toContain(basename(file, ".ts"));
    expect(name).toContain(word);
    expect(Object.keys(await import(join(ROOT, file))).toSorted(), file).toEqual(["docs", "handler"]);
  }
});
