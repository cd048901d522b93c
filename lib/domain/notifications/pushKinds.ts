/** The push kinds, which players switch on and off. Every function loads this file, so it has no events. */
import * as z from "zod/mini";

/** A new kind needs a text of the pages and a line in docs/api.md; its events need two deployments (decision 25). */
export const PUSH_KINDS = [
  "tagged",
  "cured",
  "revived",
  "killed",
  "fed",
  "starving",
  "checkpoint",
  "missions",
  "game",
] as const;
export const PushKind = z.enum(PUSH_KINDS);
export type PushKind = z.infer<typeof PushKind>;
