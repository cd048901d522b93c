/** What a check has found, and how it is told. */
import { styleText } from "node:util";
import { messageOf, UserError } from "../cli/userError.ts";

/** `note`: it works, and could be better. `unknown`: it could not be looked at. */
export type State = "ok" | "note" | "wrong" | "unknown";

export interface Finding {
  state: State;
  /** What was looked at, in a word or two. */
  what: string;
  /** What was found, in a sentence. */
  says: string;
  /** How it is mended. */
  mend?: string;
}

/** One thing to look at: it may find several, or nothing. */
export interface Check {
  what: string;
  run: () => Promise<Finding[]>;
}

/** Carries out checks, one after the other; what one cannot look at keeps no other from it. */
export const runChecks = async (
  checks: readonly Check[],
  tell: (finding: Finding) => void,
): Promise<Finding[]> => {
  const found: Finding[] = [];
  for (const { what, run } of checks) {
    let findings: Finding[];
    try {
      findings = await run();
    } catch (error) {
      // A fault that can be mended is a finding; any other only keeps us from looking.
      const state = error instanceof UserError ? "wrong" : "unknown";
      findings = [{ state, what, says: messageOf(error) }];
    }
    for (const finding of findings) tell(finding);
    found.push(...findings);
  }
  return found;
};

const MARKS: Record<State, { word: string; style: Parameters<typeof styleText>[0] }> = {
  ok: { word: "ok", style: "green" },
  note: { word: "note", style: "yellow" },
  wrong: { word: "WRONG", style: "red" },
  unknown: { word: "?", style: "yellow" },
};

/** A finding as it is printed, in one line or two; colours only where they are seen. */
export const formatFinding = ({ state, what, says, mend }: Finding): string => {
  const { word, style } = MARKS[state];
  const mark = styleText(style, word.padEnd(6), { stream: process.stdout });
  const more = mend === undefined ? "" : `\n${" ".repeat(20)}-> ${mend}`;
  return `${mark}${what.padEnd(14)}${says}${more}`;
};
