/** Reads what tests have recorded of a run, for the tests that compare it with what is declared. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/project/root.ts";
import { CALLS, RecordedCalls, RUN, Run } from "./calls.ts";

const TESTS = ["tests/behaviour", "tests/contract"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(ROOT, folder, file)),
);

/** What was recorded in a run. */
interface Recorded {
  /** The requests to AWS by function. */
  calls: Map<string, Set<string>>;
  /** The responses to requests. */
  responses: Set<string>;
  /** Why the record is incomplete, if it is. */
  missing: string | null;
}

/** Reads what the behaviour and contract tests of a run have recorded. */
export const readRecorded = (pid: number): Recorded => {
  const calls = new Map<string, Set<string>>();
  const responses = new Set<string>();
  const run = existsSync(RUN) ? Run.parse(JSON.parse(readFileSync(RUN, "utf8"))) : null;
  if (run?.pid !== pid) return { calls, responses, missing: "no behaviour tests ran" };
  const recorded = readdirSync(CALLS)
    .filter((file) => file.endsWith(".json"))
    .map((file) => RecordedCalls.parse(JSON.parse(readFileSync(join(CALLS, file), "utf8"))));
  for (const [name, actions] of recorded.flatMap((one) => Object.entries(one.calls))) {
    calls.set(name, (calls.get(name) ?? new Set()).union(new Set(actions)));
  }
  for (const one of recorded.flatMap((each) => each.responses)) responses.add(one);
  if (run.filter !== null) return { calls, responses, missing: `only tests named ${run.filter} ran` };
  const files = new Set(recorded.flatMap((one) => one.files));
  const absent = TESTS.filter((file) => !files.has(file)).length;
  return { calls, responses, missing: absent > 0 ? `${absent} test files did not run` : null };
};
