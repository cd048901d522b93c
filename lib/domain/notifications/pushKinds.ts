/** The push kinds, which players switch on and off. Every function loads this file, so it has no events. */
import * as z from "zod/mini";

/** A new kind needs two deployments (decision 25), and a line in docs/api.md. */
export const PUSH_KINDS = [
  "tagged",
  "cured",
  "revived",
  "killed",
  "fed",
  "starving",
  "checkpoint",
  "game",
] as const;
export const PushKind = z.enum(PUSH_KINDS);
export type PushKind = z.infer<typeof PushKind>;
