/** The three lists of endpoints, the contract's, the YAML's and the handlers' own, are one. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ACTIONS } from "../../lib/http/auditLog.ts";
import type { Handler } from "../../lib/http/definition.ts";
import { type ListedFunction, listedFunctions } from "../../scripts/project/functions.ts";
import { loadHandler, ROOT } from "../support/endpoints.ts";
import { BESIDE, ENDPOINTS, MISSING, SEED } from "./seed.ts";

/** The word that the path calls the endpoint by. */
const wordOf = (route: string): string => {
  const words = (route.split(" ")[1] ?? "").split("/").filter((word) => word !== "" && word !== "{url_id}");
  return words.at(-1) ?? "";
};

const listed = listedFunctions();
const endpoints = listed.filter((one): one is ListedFunction & { route: string } => one.route !== undefined);
const handlers = new Map<string, Handler>();

beforeAll(async () => {
  for (const { route, file } of endpoints) handlers.set(route, await loadHandler(file));
});

describe("the list of endpoints", () => {
  it("is the seed's, thirty-seven of them, and the contract's own beside it", () => {
    expect(SEED).toHaveLength(37);
    const routes = [...SEED, ...BESIDE].map(({ route }) => route);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it("is what the YAML lists, but for what the next issue brings", () => {
    expect(endpoints.map(({ route }) => route).toSorted()).toEqual(
      ENDPOINTS.map(({ route }) => route).toSorted(),
    );
  });

  it("is what the handlers call themselves", () => {
    for (const [route, handler] of handlers) expect(handler.endpoint.route).toBe(route);
    expect([...handlers.keys()].toSorted()).toEqual(ENDPOINTS.map(({ route }) => route).toSorted());
  });

  it.each(MISSING)("does not have %s yet, so that this list has to shrink", (route) => {
    const wanted = [...SEED, ...BESIDE].find((one) => one.route === route);
    expect(wanted, "the contract knows it").toBeDefined();
    expect(endpoints.map((one) => one.route)).not.toContain(route);
    expect(existsSync(join(ROOT, "functions", wanted?.module ?? "", `${wordOf(route)}.ts`))).toBe(false);
  });

  it("has no endpoint that is written and not listed", () => {
    const files = readdirSync(join(ROOT, "functions"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join("functions", file));
    expect(files.toSorted()).toEqual(listed.map(({ file }) => file).toSorted());
  });

  it("is taken up by the service, module by module", () => {
    const service = readFileSync(join(ROOT, "serverless.yml"), "utf8");
    const named = parse(service, { logLevel: "error" }).functions;
    const modules = new Set(listed.map(({ file }) => dirname(file)));
    expect([...named].toSorted()).toEqual(
      [...modules].map((module) => `\${file(${module}/functions.yml)}`).toSorted(),
    );
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  });
});

it("the actions of the log are those of the endpoints that are logged, and of the workers", () => {
  const logged = [...handlers.values()].flatMap(({ endpoint: { action } }) =>
    action === null ? [] : [action],
  );
  const all = new Set([...logged, "sweep", "deliver"]);
  expect([...ACTIONS], "ACTIONS of lib/http/auditLog.ts").toEqual([...all].toSorted());
});

describe.each(ENDPOINTS.map((one) => ({ ...one })))(
  "$route",
  ({ route, access, module, once, status, withBody }) => {
    const own = () => {
      const handler = handlers.get(route);
      if (handler === undefined) throw new Error("no handler");
      return handler.endpoint;
    };

    it(`is for ${access}`, () => {
      expect(own().access).toBe(access);
    });

    it("lives in a file, and under a name, that is its path word", () => {
      const { file, name } = endpoints.find((one) => one.route === route) ?? { file: "", name: "" };
      expect(dirname(file)).toBe(`functions/${module}`);
      expect(basename(file, ".ts")).toBe(wordOf(route));
      expect(name).toContain(wordOf(route));
    });

    it("is the only thing that its file exports", async () => {
      const { file } = endpoints.find((one) => one.route === route) ?? { file: "" };
      expect(Object.keys(await import(join(ROOT, file)))).toEqual(["handler"]);
    });

    it("heeds an Idempotency-Key exactly when the contract says so", () => {
      expect(own().once === true).toBe(once);
    });

    it(`answers success with ${status}, ${status === 204 ? "empty" : "in a declared shape"}`, () => {
      expect(own().status).toBe(withBody ?? status);
      expect(own().answer === null).toBe(withBody === undefined && status === 204);
    });

    it("writes its errors as problem+json, and only notifications as text", () => {
      expect(own().errors).toBe(module === "notifications" ? "text" : "problem");
    });
  },
);
