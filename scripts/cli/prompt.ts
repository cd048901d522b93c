/** Prompts at a terminal, and passwords from standard input. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { UserError } from "./userError.ts";

/** Whether the user can be prompted. */
export const isTerminal = (): boolean => process.stdin.isTTY === true;

const ask = (question: string, echo: NodeJS.WritableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 });
    process.stderr.write(question);
    const giveUp = (): void => {
      process.stderr.write("\n");
      reject(new UserError("Cancelled: nothing was changed."));
    };
    lines.once("close", giveUp);
    lines.once("SIGINT", () => lines.close());
    lines.once("line", (answer) => {
      lines.off("close", giveUp);
      lines.close();
      resolve(answer);
    });
  });

const askUnseen = async (question: string): Promise<string> => {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await ask(question, nowhere);
  process.stderr.write("\n");
  return answer;
};

/** Prompts for a line of text. @throws UserError if the prompt is cancelled */
export const promptText = async (question: string): Promise<string> =>
  (await ask(question, process.stderr)).trim();

/** Prompts for yes or no; the default is no. @throws UserError if the prompt is cancelled */
export const promptYesNo = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await promptText(`${question} (y/N) `));

/** What cannot be decoded becomes this character. A password with it could be entered on no page. */
const UNDECODED = "\uFFFD";

/** @throws UserError if it was not entered in UTF-8 */
const requireUtf8 = (password: string): string => {
  if (!password.includes(UNDECODED)) return password;
  throw new UserError(
    "The password is not UTF-8 text: nothing was changed. Save the file, or set the terminal, in UTF-8.",
  );
};

/**
 * Reads a new password: twice and hidden at a terminal, otherwise from standard input without its final line break.
 * @throws UserError if it is empty or no UTF-8, or the two differ
 */
export const readNewPassword = async (alias: string): Promise<string> => {
  if (!isTerminal()) {
    const password = (await text(process.stdin)).replace(/\r?\n$/, "");
    if (password === "") throw new UserError("Standard input contained no password.");
    return requireUtf8(password);
  }
  const password = await askUnseen(`Password for ${alias}: `);
  if (password === "") throw new UserError("No password was entered: nothing was changed.");
  if ((await askUnseen("Repeat it: ")) !== password) {
    throw new UserError("The two passwords differ: nothing was changed.");
  }
  return requireUtf8(password);
};
