/** Policies allow exactly what code and AWS do with them, by an independent simulation; documented responses occurred. */
import { describe, expect, inject, it } from "vitest";
import * as z from "zod/mini";
import { functionFiles } from "../../scripts/project/functions.ts";
import { readRecorded } from "../support/calls.ts";
import { documentedResponses } from "../support/documented.ts";
import { FAULTS } from "./faults.ts";
import { judge } from "./judge.ts";
import { forGame, forTests } from "./template.ts";
import type { CallsOf } from "./uses.ts";

const Allows = z._default(z.record(z.string(), z.array(z.string())), {});
const Functions = z.record(z.string(), z.looseObject({ allows: Allows, allowsWithWrites: Allows }));
const definitions = Object.assign({}, ...functionFiles().map((file) => Functions.parse(file.functions)));

/** The calls that `functions.yml` declares; those by which statements write only with INJECT_SQL_WRITES. */
const declared =
  (mayWrite: boolean): CallsOf =>
  (name) => {
    const { allows, allowsWithWrites } = definitions[name];
    return [allows, ...(mayWrite ? [allowsWithWrites] : [])].flatMap((one: z.infer<typeof Allows>) =>
      Object.entries(one).flatMap(([place, actions]) => actions.map((action) => `${place} ${action}`)),
    );
  };

const { callsOf, missing, responses } = readRecorded(inject("run"));
if (missing !== null) console.warn(`Roles are not compared with all requests of the functions: ${missing}.`);

const STAGES = [
  ["with INJECT_SQL_WRITES", forGame.templates, true],
  ["without INJECT_SQL_WRITES", forTests.templates, false],
] as const;

describe.each(STAGES)("the policies of a stage %s", (_, templates, mayWrite) => {
  it("allow what functions.yml declares and what AWS does for the service, and nothing else", async () => {
    expect(await judge(templates, declared(mayWrite))).toEqual([]);
  });

  it("allow all requests that the code sends, and no others if all tests ran", async () => {
    const isOff = (call: string) => !mayWrite && /PartiQL(Insert|Update|Delete)$/.test(call);
    const findings = await judge(templates, (name) => callsOf(name).filter((call) => !isOff(call)));
    expect(findings.filter(({ kind }) => missing === null || kind !== "unused")).toEqual([]);
  });
});

it("a right that the code no longer uses is found, and a request that it sends without a right", async () => {
  const all = declared(true);
  const changed: CallsOf = (name) => {
    if (name === "hunt") return all(name).filter((call) => call !== "table PutItem");
    return name === "health" ? [...all(name), "gsi2 Query"] : all(name);
  };
  expect(await judge(forGame.templates, changed)).toEqual([
    { kind: "lacks", text: "health lacks dynamodb:Query on table/zombie-game-spring/index/gsi2" },
    { kind: "unused", text: "hunt may dynamodb:PutItem on table/zombie-game-spring" },
  ]);
});

it("all behaviour and contract tests ran, if this is CI", () => {
  if (process.env.CI !== undefined) expect(missing).toBeNull();
});

it.skipIf(missing !== null)("every response that the API document names was returned in a test", () => {
  const unseen = [...documentedResponses()].filter(([, some]) => !some.some((one) => responses.has(one)));
  expect(unseen.map(([name]) => name)).toEqual([]);
});

it.each(FAULTS.map((faults) => ({ faults })))(
  "faults in the templates are found, and nothing else",
  async ({ faults }) => {
    const templates = structuredClone(forGame.templates);
    for (const [plant] of faults) plant(templates);
    const found = (await judge(templates, declared(true))).map(({ text }) => text);
    const planted = faults.flatMap(([, ...finds]) => finds);
    expect(found.toSorted()).toEqual(planted.toSorted());
  },
);
