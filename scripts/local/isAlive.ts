/** Finds out whether a process of this machine runs. */
import { codeOf } from "../cli/userError.ts";

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
};
