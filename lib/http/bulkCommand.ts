/** Commands on many players. Their `dry_run` changes nothing, and returns a page of the players whom it would change. */
import * as z from "zod/mini";
import { State } from "../domain/players/player.ts";
import type { PlayerCall } from "../lambda/call.ts";
import type { Services } from "../lambda/services.ts";
import type { Decision } from "../store/decide.ts";
import type { CommandResponse } from "../store/idempotency.ts";
import { type CursorScope, paged } from "./cursors.ts";
import { AliasRef, atLeastOneOf, Label } from "./fields.ts";

/** The fields of a dry run that names players; see also {@link pageOfDryRun}. */
export const DRY_RUN_FIELDS = {
  dry_run: z.optional(z.boolean()),
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(500))),
  cursor: z.optional(z.string().check(z.maxLength(4_000))),
};

/** The check that paging fields are given only for a dry run. */
export const pageOfDryRun = z.refine<{
  dry_run?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}>(({ dry_run, limit, cursor }) => dry_run === true || (limit ?? cursor) === undefined, {
  error: "must be true with limit or cursor, which choose a page of the dry run",
  path: ["dry_run"],
});

/** The page of a dry run that is wanted; `after` is a position. */
interface PreviewPage {
  limit: number;
  after: string | undefined;
}

/** A page of a dry run. */
interface Preview<T> {
  result: T;
  /** The position after which the next page starts. */
  next: string | null;
  /** The aliases on the page, by player id. */
  aliases: ReadonlyMap<string, string>;
}

interface DryRunCall<T> {
  body: { dry_run?: boolean | undefined; limit?: number | undefined; cursor?: string | undefined };
  services: Services;
  decide: (
    attempt: (call: PlayerCall) => Promise<Decision<T & { next_cursor: string | null }>>,
  ) => Promise<CommandResponse>;
}

/**
 * Carries out a command, or only a dry run of it, whose response is stored for retries like that of any command.
 * @param scope the list that a dry run pages through
 */
export const commandOrDryRun = <T extends object>(
  { body: { dry_run, limit = 100, cursor }, services, decide }: DryRunCall<T>,
  scope: CursorScope,
  preview: (call: PlayerCall, page: PreviewPage) => Promise<Preview<T>>,
  execute: () => Promise<CommandResponse>,
): Promise<CommandResponse> => {
  if (dry_run !== true) return execute();
  return decide(async (call) => {
    const page = await paged(services, scope, cursor, (after) => preview(call, { limit, after }));
    const { result, aliases, next_cursor } = page;
    return { changes: {}, result: { ...result, next_cursor }, aliases };
  });
};

const MAX_ALIASES = 500;

/** The fields that select players in these states. A player must match all given fields; see also {@link isSelective}. */
export const selectionFields = <S extends State>(states: readonly S[]) => ({
  aliases: z.optional(z.array(AliasRef).check(z.minLength(1), z.maxLength(MAX_ALIASES))),
  label: z.optional(Label),
  state: z.optional(z.enum(states)),
  ...DRY_RUN_FIELDS,
});

export const isSelective = atLeastOneOf("aliases", "label", "state");

export const GroupResponse = z.object({
  /** The number of players who were, or would be, changed. */
  count: z.int(),
  /** The number of other selected players, whose state does not allow the command. */
  skipped: z.int(),
  complete: z.boolean(),
  job_id: z.nullable(z.string()),
  /** Only in a dry run. */
  players: z.optional(z.array(z.object({ alias: z.nullable(z.string()), state: State }))),
  next_cursor: z.optional(z.nullable(z.string())),
});

/** The fields of a body that select a group; see also {@link selectionFields}. */
interface GroupBody {
  aliases?: readonly string[] | undefined;
  label?: string | undefined;
  state?: State | undefined;
}

/** What carries out a command on a group. */
interface GroupUseCases<K, C, T> {
  previewGroup: (call: PlayerCall, group: GroupBody, command: C, page: PreviewPage) => Promise<Preview<T>>;
  runGroupCommand: (call: K, group: GroupBody, command: C) => Promise<CommandResponse>;
}

/**
 * Carries out a command on a group, or a dry run of it.
 * @param load imports the use cases on demand, so that rejected requests do not load them
 */
export const commandOnGroup = async <
  T extends object,
  C extends Record<string, string | boolean | undefined>,
  K extends DryRunCall<T> & { body: GroupBody },
>(
  call: K,
  command: C,
  load: () => Promise<GroupUseCases<K, C, T>>,
): Promise<CommandResponse> => {
  const { previewGroup, runGroupCommand } = await load();
  const { body } = call;
  const { aliases, label, state } = body;
  return commandOrDryRun(
    call,
    { list: "group", filters: { ...command, aliases: aliases?.join("\n"), label, state } },
    (attempt, page) => previewGroup(attempt, body, command, page),
    () => runGroupCommand(call, body, command),
  );
};
