/** Checks and their findings. */
import { styleText } from "node:util";
import { messageOf, UserError } from "../cli/userError.ts";

/** `note`: works, but could be better. `unknown`: could not be checked. */
export type State = "ok" | "note" | "wrong" | "unknown";

/** What a check has found. */
export interface Result {
  state: State;
  /** The subject, in one or two words, if it is not that of the check. */
  what?: string;
  /** The result, as a sentence. */
  text: string;
  fix?: string;
}

export interface Finding extends Result {
  what: string;
}

/** A check; it may have several results or none. */
export interface Check {
  what: string;
  run: () => Promise<Result[]>;
}

export const resultOf = (state: State, text: string, fix?: string): Result => ({
  ...{ state, text },
  ...(fix === undefined ? {} : { fix }),
});
export const ok = (text: string): Result => resultOf("ok", text);
export const note = (text: string, fix?: string): Result => resultOf("note", text, fix);
export const wrong = (text: string, fix?: string): Result => resultOf("wrong", text, fix);

/** Runs checks one after the other. A check that throws does not stop the others. */
export const runChecks = async (
  checks: readonly Check[],
  report: (finding: Finding) => void,
): Promise<Finding[]> => {
  const found: Finding[] = [];
  for (const { what, run } of checks) {
    // A UserError is a fault that the check found. After any other error, the result is unknown.
    const results = await run().catch((error: unknown) => [
      resultOf(error instanceof UserError ? "wrong" : "unknown", messageOf(error)),
    ]);
    for (const { state, ...result } of results) {
      const finding = { state, what, ...result };
      report(finding);
      found.push(finding);
    }
  }
  return found;
};

const MARKS: Record<State, { label: string; style: Parameters<typeof styleText>[0] }> = {
  ok: { label: "ok", style: "green" },
  note: { label: "note", style: "yellow" },
  wrong: { label: "WRONG", style: "red" },
  unknown: { label: "?", style: "yellow" },
};

/** Formats a finding in one or two lines, with colours if the output is a terminal. */
export const formatFinding = ({ state, what, text, fix }: Finding): string => {
  const { label, style } = MARKS[state];
  const mark = styleText(style, label.padEnd(6), { stream: process.stdout });
  const more = fix === undefined ? "" : `\n${" ".repeat(20)}-> ${fix}`;
  return `${mark}${what.padEnd(14)}${text}${more}`;
};
