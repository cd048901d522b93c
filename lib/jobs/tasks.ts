/** The tasks of jobs on selected players, as stored for the process that takes one over. */
import * as z from "zod/mini";
import { State } from "../domain/players/player.ts";
import { nullableText } from "../domain/schemas.ts";

/** Who has started a job, and how. */
const JobOrigin = z.object({
  actor: z.string(),
  /** The request that started the job. */
  request_id: z.string(),
  reason: z.optional(z.string()),
  /** The idempotency key under which the response is stored. */
  once: z.nullable(z.object({ who: z.string(), key: z.string(), fingerprint: z.string() })),
});
export type JobOrigin = z.infer<typeof JobOrigin>;

/** Feeds the hungriest zombies. */
export const FeedTask = z.object({
  n: z.int(),
  ...JobOrigin.shape,
  /** Whether original zombies are hidden from the game master, and then of how many living zombies they know. */
  is_hidden: z.optional(z.boolean()),
  known: z.optional(z.int()),
});
export type FeedTask = z.infer<typeof FeedTask>;

/** A player that was fed: the result of the rule, which the job stores. */
export const FedPlayer = z.object({ player_id: z.string(), starves_at: nullableText });
export type FedPlayer = z.infer<typeof FedPlayer>;

/** A command on each player of a group, and the state that it requires. */
const GroupCommand = z.object({
  action: z.enum(["feed_group", "revive_all"]),
  /** The new state of revived players. */
  as: z.optional(z.enum(["human", "zombie"])),
  /** Of players revived as zombies: whether others see humans while originals are hidden. */
  hidden: z.optional(z.boolean()),
  from: State,
});
export type GroupCommand = z.infer<typeof GroupCommand>;

/** Carries out a command on each player of a group. */
export const GroupTask = z.object({
  command: GroupCommand,
  ...JobOrigin.shape,
  /** The number of selected players, including those to whom the command does not apply. */
  selected: z.int(),
  /** The selection criteria, for the audit log. */
  selection: z.record(z.string(), z.unknown()),
});
export type GroupTask = z.infer<typeof GroupTask>;

/** Gives the rewards of a mission that was closed, or takes them back when it is reopened. */
export const MissionTask = z.object({
  mission_id: z.string(),
  action: z.enum(["close_mission", "reopen_mission"]),
  ...JobOrigin.shape,
  /** The number of players who attended, or were rewarded. */
  selected: z.int(),
});
export type MissionTask = z.infer<typeof MissionTask>;

/** Sends invitations by mail. */
export const InviteTask = z.object({
  ...JobOrigin.shape,
  /** The number of players who were selected. */
  selected: z.int(),
  /** When it was asked for, in milliseconds since 1970: whoever was invited after that is left out. */
  began_at: z.number(),
});
export type InviteTask = z.infer<typeof InviteTask>;

/** What the audit log tells of the start of a job that `requestId` has ended. */
export const originDetails = (
  { request_id, reason }: Pick<JobOrigin, "request_id" | "reason">,
  requestId: string,
) => ({
  ...(request_id === requestId ? {} : { asked_by: request_id }),
  ...(reason === undefined ? {} : { reason }),
});
