/** The join code: what a newcomer must know where the deployment asks for it. */
import { createHash, timingSafeEqual } from "node:crypto";
import { invalid } from "../domain/refusal.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Passes when no code is asked for, or the given one is right.
 * @throws Refusal `invalid_request`
 */
export const requireJoinCode = (wanted: string, given: string | undefined): void => {
  if (wanted === "") return;
  if (given === undefined) throw invalid({ path: "join_code", message: "is needed to join this game" });
  if (!timingSafeEqual(digest(wanted), digest(given))) {
    throw invalid({ path: "join_code", message: "is not the one of this game" });
  }
};
