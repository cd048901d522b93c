/** Every response that the API document names was returned in a test of this run. */
import { expect, inject, it } from "vitest";
import { readRecorded } from "../support/calls.ts";
import { documentedResponses } from "../support/documented.ts";

const { responses, missing } = readRecorded(inject("run"));

it.skipIf(missing !== null)("every response that the API document names was returned in a test", () => {
  const unseen = [...documentedResponses()].filter(([, some]) => !some.some((one) => responses.has(one)));
  expect(unseen.map(([name]) => name)).toEqual([]);
});
