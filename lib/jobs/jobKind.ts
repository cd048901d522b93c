/** What a kind of jobs on selected players declares: its task, its work and its result. */
import * as z from "zod/mini";
import type { Action } from "../domain/actions.ts";
import type { Game } from "../domain/game/game.ts";
import type { CommandContext } from "../domain/outcome.ts";
import type { Write } from "../dynamodb/database.ts";
import type { WorkerContext } from "../lambda/scheduled.ts";
import type { JobMessage } from "../queue/messages.ts";
import type { HungerEntry } from "../store/items.ts";
import type { PlayerRule } from "./bulk.ts";
import { LeasedJob } from "./lease.ts";
import type { JobOrigin } from "./tasks.ts";

export const SelectionJob = z.extend(LeasedJob, {
  /** The number of completed batches, which is the index of the next one. */
  next: z.int(),
  /** The number of players to whom the rule has applied so far. */
  changed: z._default(z.int(), 0),
  /** The number of items in which the selected ids are stored. */
  plans: z._default(z.int(), 1),
});

export type SelectionJob = z.infer<typeof SelectionJob>;

/** A job that this process has just started. */
export interface StartedJob {
  job: SelectionJob;
  ids: readonly string[];
  /** The index entries of all players, if they were selected by an index. */
  candidates?: readonly HungerEntry[] | undefined;
}

/** What the rule has stored of its players, batch by batch. */
export type Results = Record<string, unknown>[];

/** What a kind of jobs gets of a process that works on one. */
export interface JobRun<Task> extends WorkerContext {
  task: Task;
  game: Game;
  /** The time at which this process has begun to work on the job, and the reason that was given for it. */
  context: CommandContext;
  jobId: string;
  /** The job, if this process has just created it. */
  started: StartedJob | null;
}

/** What a job does with its players. */
export interface JobWork {
  rule: PlayerRule;
  /** The players per batch. It must be the same in every process that works on the job. */
  batchSize?: number;
  /** Called after a conflict, before the players of a batch are read again. */
  onConflict?: () => Promise<void>;
  /** Details of the audit log entry that the work has read. */
  details?: Record<string, unknown>;
  /** The writes that belong to the end of the job. */
  lastWrites?: () => Promise<Write[]>;
}

/** What a job has done: the number of players to whom the rule has applied, and the results of their batches. */
export interface JobDone {
  changed: number;
  results: Results;
  /** Whether the job is finished. */
  complete: boolean;
}

/** The result of a job so far. */
export interface JobResult<Body> {
  body: Body;
  /** The details of the audit log entry. */
  details: Record<string, unknown>;
  /** The aliases in the body, by player id. */
  aliases?: ReadonlyMap<string, string>;
}

/** What most commands on many players respond with. */
export interface CountResult {
  /** The number of players who were changed. */
  count: number;
  /** The number of other selected players, to whom the command does not apply. */
  skipped: number;
  /** Whether the command is finished. */
  complete: boolean;
  job_id: string | null;
}

export const countResult = (
  { task: { selected }, jobId }: JobRun<{ selected: number }>,
  { changed, complete }: JobDone,
): CountResult => ({ count: changed, skipped: selected - changed, complete, job_id: jobId });

/** A kind of jobs on selected players, whose stored task says what is asked for. */
export interface JobKind<Task extends JobOrigin, Body extends object> {
  /** For the log: "a feeding job". */
  what: string;
  /** The kind of the queue message that continues a job. */
  kind: JobMessage["kind"];
  /** Reads the task that is stored with a job. */
  parse: (job: unknown) => Task;
  // Methods, so that the queue's worker can hold kinds with any task.
  action(task: Task): Action;
  work(run: JobRun<Task>): JobWork | Promise<JobWork>;
  result(run: JobRun<Task>, done: JobDone): JobResult<Body> | Promise<JobResult<Body>>;
}
