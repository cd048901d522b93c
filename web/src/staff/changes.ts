/** How pages notice the commands of this page. */
import { signal } from "@preact/signals";
import { checkRole } from "./calls.ts";

/** The number of executed commands. Pages reload their data when it changes. */
export const changeCount = signal(0);

/** Makes pages reload their data. Also called after a failure, since another game master may have changed something. */
export const notifyChanged = (error?: unknown): void => {
  changeCount.value += 1;
  checkRole(error);
};
