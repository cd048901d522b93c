/** The join code that a deployment may require for registration. */
import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import type { ValidationIssue } from "../../domain/validation.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const WithJoinCode = z.object({ join_code: z.string() });

/** Whether a body contains a join code, in a deployment that requires one. @param required empty for none */
export const isJoinCodeAttempt = (required: string, body: unknown): boolean =>
  required !== "" && WithJoinCode.safeParse(body).success;

/** The issues of the join code in a body. @param required the deployment's join code, empty for none */
export const joinCodeIssues = (required: string, body: unknown): ValidationIssue[] => {
  if (required === "") return [];
  const given = WithJoinCode.safeParse(body);
  if (!given.success) return [{ path: "join_code", message: "is needed to join this game" }];
  const isRight = timingSafeEqual(digest(required), digest(given.data.join_code));
  return isRight ? [] : [{ path: "join_code", message: "is not the one of this game" }];
};
