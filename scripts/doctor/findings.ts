/** Checks and their findings. */
import { styleText } from "node:util";
import { messageOf, UserError } from "../cli/userError.ts";

/** `note`: works, but could be better. `unknown`: could not be checked. */
export type State = "ok" | "note" | "wrong" | "unknown";

export interface Finding {
  state: State;
  /** The subject of the check, in one or two words. */
  what: string;
  /** The result, as a sentence. */
  text: string;
  /** How to fix it. */
  fix?: string;
}

/** A check; it may have several findings or none. */
export interface Check {
  what: string;
  run: () => Promise<Finding[]>;
}

/** Runs checks one after the other. A check that throws does not stop the others. */
export const runChecks = async (
  checks: readonly Check[],
  report: (finding: Finding) => void,
): Promise<Finding[]> => {
  const found: Finding[] = [];
  for (const { what, run } of checks) {
    let findings: Finding[];
    try {
      findings = await run();
    } catch (error) {
      // A UserError is a fault that the check found. After any other error, the result is unknown.
      const state = error instanceof UserError ? "wrong" : "unknown";
      findings = [{ state, what, text: messageOf(error) }];
    }
    for (const finding of findings) report(finding);
    found.push(...findings);
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
