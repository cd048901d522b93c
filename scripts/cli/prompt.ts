/** Questions at a terminal, a password among them, and what is piped in where there is none. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { UserError } from "./userError.ts";

/** Whether there is somebody to ask. */
export const isTerminal = (): boolean => process.stdin.isTTY === true;

const ask = (question: string, echo: NodeJS.WritableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 });
    process.stderr.write(question);
    const giveUp = (): void => {
      process.stderr.write("\n");
      reject(new UserError("Given up: nothing has been changed."));
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

/** What is typed in answer. @throws UserError when the question is given up */
export const promptText = async (question: string): Promise<string> =>
  (await ask(question, process.stderr)).trim();

/** A yes or no; no unless it is a clear yes. @throws UserError when the question is given up */
export const promptYesNo = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await promptText(`${question} (y/N) `));

/**
 * A new password: typed twice and unseen at a terminal, or all of standard input but its last line end.
 * @throws UserError when there is none, or the two differ
 */
export const readNewPassword = async (alias: string): Promise<string> => {
  if (!isTerminal()) {
    const password = (await text(process.stdin)).replace(/\r?\n$/, "");
    if (password === "") throw new UserError("No password came on standard input.");
    return password;
  }
  const password = await askUnseen(`Password for ${alias}: `);
  if (password === "") throw new UserError("No password was given: nothing has been changed.");
  if ((await askUnseen("The same again: ")) !== password) {
    throw new UserError("The two passwords differ: nothing has been changed.");
  }
  return password;
};
