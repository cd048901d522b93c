/** The join code: what a newcomer must know where the deployment asks for it. */
import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import type { ValidationIssue } from "../../domain/validation.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const Given = z.object({ join_code: z.string() });

/** Whether a body tries a join code where one is asked for. */
export const isJoinCodeAttempt = (wanted: string, body: unknown): boolean =>
  wanted !== "" && Given.safeParse(body).success;

/** What is wrong with the join code in a body; nothing when none is asked for. */
export const joinCodeIssues = (wanted: string, body: unknown): ValidationIssue[] => {
  if (wanted === "") return [];
  const given = Given.safeParse(body);
  if (!given.success) return [{ path: "join_code", message: "is needed to join this game" }];
  const right = timingSafeEqual(digest(wanted), digest(given.data.join_code));
  return right ? [] : [{ path: "join_code", message: "is not the one of this game" }];
};
